"""``semscale consistency --measure monte_carlo_probability`` and ``semantic_density``."""

import json
import math

import polars as pl
import pytest
from tests.support.random_classifier import forced_classifier

HALF, TENTH = f"[{math.log(0.5)}]", f"[{math.log(0.1)}]"
MEASURE = ("--measure", "monte_carlo_probability")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))


def test_log_probabilities_of_answers_and_samples_are_read_from_columns(semscale, tmp_path):
    pl.DataFrame(
        {
            "a": ["w1", "w1"], "lp": [HALF, HALF],
            "s": ["w2", "w2"], "slp": [TENTH, None],
            "more": ['["w3", "w4"]', "w3"], "mlp": [f"[{HALF}, {TENTH}]", None],
        }
    ).write_csv(tmp_path / "a.csv")  # fmt: skip
    forced_classifier(tmp_path / "nli", contradiction=0.5)
    samples = ("--sample", "s", "--sample", "more", "--sample-logprobs", "slp", "--sample-logprobs", "mlp")
    command = ("consistency", "a.csv", "--answer", "a", *samples, "--logprobs", "lp", *MEASURE)
    ended = semscale(*command, "--measure", "semantic_density", "--nli", "nli", "--out", "o.csv", "--json")
    assert ended.code == 0, ended.err
    rows = pl.read_csv(tmp_path / "o.csv")
    # (.5 + .1 + .5 + .1) / 4; the other answer's samples have no probabilities.
    assert rows["semscale_monte_carlo_probability"].to_list() == [pytest.approx(0.3), None]
    # Entailed with 0, neutral with .5: the kernel of each sample is .25.
    assert rows["semscale_semantic_density"].to_list() == [pytest.approx(0.25, abs=1e-6), None]
    assert json.loads(ended.out)["estimates"]["overall"]["n"] == 1
    assert "Monte Carlo probability" in semscale(*command).out


def test_rows_of_an_item_have_separate_log_probabilities(semscale, tmp_path):
    pl.DataFrame({"q": [1, 1, 1], "a": ["x", "y", "z"], "lp": [HALF, TENTH, TENTH]}).write_csv(
        tmp_path / "a.csv"
    )
    command = ("consistency", "a.csv", "--item", "q", "--answer", "a", "--logprobs", "lp", *MEASURE)
    ended = semscale(*command, "--out", "o.csv")
    assert ended.code == 0, ended.err
    assert pl.read_csv(tmp_path / "o.csv")["semscale_monte_carlo_probability"].to_list() == [
        pytest.approx(0.7 / 3)
    ]


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        ([("1", "x", HALF, "1"), ("1", "y", HALF, None), ("2", "z", "no", "1")], (), "'no' in row 3"),
        ([("0", "x", HALF, "1"), ("1", "y", HALF, "1"), ("1", "y", HALF, None), ("2", "z", HALF, "?")],
         ("--where", "q > 0"), "got '?' in row 4"),
    ],
)  # fmt: skip
def test_a_wrong_cell_of_an_item_is_named_by_its_row_in_the_file(semscale, tmp_path, rows, more, message):
    pl.DataFrame(rows, schema=["q", "a", "lp", "right"], orient="row").write_csv(tmp_path / "a.csv")
    columns = ("--item", "q", "--answer", "a", "--logprobs", "lp", "--correct", "right")
    ended = semscale("consistency", "a.csv", *columns, *MEASURE, *more)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err


def test_log_probabilities_of_samples_that_no_measure_uses_are_refused(semscale, tmp_path):
    pl.DataFrame({"a": ["x"], "s": ["y"], "lp": [HALF]}).write_csv(tmp_path / "a.csv")
    columns = ("--answer", "a", "--sample", "s", "--logprobs", "lp", "--sample-logprobs", "lp")
    ended = semscale("consistency", "a.csv", *columns, "--measure", "min_probability")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "--sample-logprobs is not used by min_probability: leave it out, or add the measure" in ended.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--logprobs", "lp"), "measures of samples' tokens need --sample-logprobs COLUMN for each --sample"),
        (("--sample", "t", "--sample-logprobs", "lp"), "a column for each sample column, got 1 for 2"),
        (("--sample-logprobs", "a"), "--sample-logprobs must hold for each sample a list of log-"),
    ],
)
def test_missing_or_wrong_columns_are_named(semscale, tmp_path, options, message):
    pl.DataFrame({"a": ["x"], "s": ["y"], "t": ["z"], "lp": [HALF]}).write_csv(tmp_path / "a.csv")
    ended = semscale("consistency", "a.csv", "--answer", "a", "--sample", "s", *options, *MEASURE)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
