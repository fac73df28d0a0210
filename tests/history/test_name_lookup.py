"""Ids named by their beginning, and suggestions for names that are unknown."""

import pytest

from semscale.errors import UnknownNameError
from semscale.history.runs import find_id, near, near_id

IDS = ["5a1f0c33aa", "5a1f0c77bb", "77aa210990"]


@pytest.mark.parametrize(("name", "found"), [("77aa", "77aa210990"), ("5a1f0c3", "5a1f0c33aa")])
def test_a_beginning_that_fits_one_id(name, found):
    assert find_id(name, IDS, "run") == found


def test_a_whole_id_counts_even_if_another_begins_with_it():
    assert find_id("5a1f", ["5a1f", "5a1f0c"], "run") == "5a1f"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("5a1f", "run '5a1f' is ambiguous: '5a1f0c33', '5a1f0c77' begin with it"),
        ("77a", "run must be an id or at least its first 4 characters, got '77a'"),
        ("77ab", "unknown run '77ab': did you mean '77aa2109'"),
        ("zzzz", "unknown run 'zzzz' (known: '5a1f0c33', '5a1f0c77', '77aa2109')"),
    ],
)
def test_names_that_fit_no_id_or_several(name, words):
    with pytest.raises(UnknownNameError) as caught:
        find_id(name, IDS, "run")
    assert words in str(caught.value)


def test_ids_are_shown_as_long_as_they_must_be_to_differ():
    # The two first differ at their ninth character only.
    assert near_id("zzzz", ["aaaaaaaa1x", "aaaaaaaa2x"]) == " (known: 'aaaaaaaa1', 'aaaaaaaa2')"


def test_an_empty_history_has_nothing_to_suggest():
    assert near("feedback", []) == ": the history has none"
