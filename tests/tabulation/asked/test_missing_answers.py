"""Codes that a user names as missing answers."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.column_labels import ColumnLabels
from semscale.tabulation.asked.missing_answers import codes_of, without_codes


def test_codes_are_values_or_their_labels():
    labels = ColumnLabels(values={"1": "yes", "8": "Refused"})
    cells, about = without_codes(pl.Series("q", [1.0, 8.0, 9.0, None]), labels, ["refused", "9"])
    assert cells.to_list() == [1.0, None, None, None]
    assert (cells.name, about.answers) == ("q", {"1": "yes"})


def test_words_are_found_whatever_their_case():
    cells, _ = without_codes(pl.Series(["Yes", " n/a", None]), ColumnLabels(), ["N/A"])
    assert cells.to_list() == ["Yes", None, None]


def test_a_question_has_its_own_codes_and_those_of_all():
    missing = {"": ("99",), "q": ("9",)}
    assert codes_of(missing, "q") == ("99", "9")
    assert codes_of(missing, "p") == ("99",)


def test_blank_codes_are_refused():
    with pytest.raises(InputError, match="missing must be codes"):
        without_codes(pl.Series([1]), ColumnLabels(), [" "])
