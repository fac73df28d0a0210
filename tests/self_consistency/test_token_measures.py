"""Measures of tokens through ``Consistency``: log-probabilities that are missing, files, asking."""

import math

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.errors import InputError
from semscale.self_consistency.file_consistency import consistency_file
from semscale.self_consistency.files.columns import AnswerColumns
from semscale.store.reading import open_table

MEASURES = ["min_probability", "exact_match"]
HALF, FIFTH = math.log(0.5), math.log(0.2)


def test_answers_without_log_probabilities_are_counted_and_the_others_scored():
    tool = semscale.Consistency(measures=MEASURES)
    found = tool.measure(["a", "b", "c", "d"], [["a"]] * 4, logprobs=[[HALF, FIFTH], None, [], [HALF]])
    np.testing.assert_allclose(found.measures["min_probability"], [0.2, np.nan, np.nan, 0.5])
    assert found.measures["exact_match"].tolist() == [1.0, 0.0, 0.0, 0.0]
    estimates = found.estimate()
    assert estimates.overall.n == 2
    assert estimates.overall.left_out["no-value"] == 2


def test_the_reason_names_log_probabilities_where_a_measure_of_tokens_comes_first():
    tool = semscale.Consistency(measures=MEASURES)
    found = tool.measure(["a", "b"], [["a"]] * 2, logprobs=[[HALF], None])
    assert found.reasons == (None, "the log-probabilities of the answer's tokens are not known")


def test_a_measure_of_tokens_needs_log_probabilities():
    with pytest.raises(InputError, match="measure min_probability needs the log-probabilities"):
        semscale.consistency(["a"], [["a"]], measures=MEASURES)


def test_a_file_has_them_in_a_column(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(f'answer,again,p\na,a,"[{HALF}]"\na,b,\n', encoding="utf-8")
    columns = AnswerColumns(answer="answer", samples=("again",), logprobs="p")
    consistency_file(open_table(source), columns, instrument=semscale.Consistency(measures=MEASURES), out=out)
    assert pl.read_csv(out)["semscale_min_probability"].to_list() == [pytest.approx(0.5), None]


def test_the_first_token_is_a_null_beside_measures_of_tokens():
    tool = semscale.Consistency(measures=MEASURES)
    found = tool.measure(["a", "b"], [["a"]] * 2, logprobs=[[HALF, FIFTH], None])
    np.testing.assert_allclose(found.nulls["first_token_probability"], [0.5, np.nan])
    assert (
        "first_token_probability" not in semscale.consistency(["a"], [["a"]], measures=["exact_match"]).nulls
    )
