"""Measures of tokens through ``Consistency``: log-probabilities that are missing, files, asking."""

import math

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.answer_consistency.file_consistency import consistency_file
from semscale.answer_consistency.files.columns import AnswerColumns
from semscale.embedding import ArrayEmbedder
from semscale.errors import InputError
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


def test_log_probabilities_give_the_null_whatever_is_measured():
    found = semscale.Consistency(measures=["exact_match"]).measure(
        ["a", "b"], [["A."]] * 2, logprobs=[[HALF, FIFTH], None]
    )
    np.testing.assert_allclose(found.nulls["first_token_probability"], [0.5, np.nan])
    assert found.nulls["exact_match_normalised"].tolist() == [1.0, 0.0]
    assert list(found.measures) == ["exact_match"]


def test_consistency_and_confidence_is_the_product_of_ncs_and_the_mean_token_probability():
    embedder = ArrayEmbedder(["a", "b"], [(1, 0), (0, 1)])
    tool = semscale.Consistency(measures=["consistency_and_confidence"], embedder=embedder)
    found = tool.measure(["a", "a", "b"], [["a"]] * 3, logprobs=[[HALF, 0.0], None, [HALF]])
    # Equal texts have an NCS of 1, and exp((log .5 + 0) / 2) = .7071; a cosine of 0 is an NCS of .5: .5 * .5.
    np.testing.assert_allclose(found.score, [math.sqrt(0.5), np.nan, 0.25], atol=1e-6)
    assert list(found.measures) == ["consistency_and_confidence"]
    assert found.reasons[1] == "the log-probabilities of the answer's tokens are not known"
    assert list(found.nulls)[-1] == "first_token_probability"
    with pytest.raises(InputError, match="consistency_and_confidence needs the log-probabilities"):
        tool.measure(["a"], [["a"]])
