"""``semscale consistency --correct``: simple baselines stand beside whatever is measured."""

import json

import polars as pl
import pytest

FILE = ("consistency", "answers.csv", "--answer", "a", "--sample", "s1", "--sample", "s2", "--correct", "ok")
MEASURED = ("--measure", "semantic_negentropy", "--same-by", "exact")


@pytest.fixture(autouse=True)
def answers(tmp_path):
    right = [1, 0] * 20
    pl.DataFrame(
        {
            "a": ["red"] * 40,
            "s1": ["Red" if correct else "tan" for correct in right],
            "s2": ["red" if correct else "jet" for correct in right],
            "lp": [f"[{-0.1 if correct else -2.0}]" for correct in right],
            "ok": right,
        }
    ).write_csv(tmp_path / "answers.csv")


def test_exact_match_and_the_first_token_are_compared_and_a_tie_is_reported(semscale, tmp_path):
    ended = semscale(*FILE, *MEASURED, "--logprobs", "lp", "--out", "o.csv")
    assert ended.code == 0, ended.err
    # Right answers have one meaning and equal samples, wrong ones three and none: both areas are 1. All
    # texts are equally long.
    assert "A much simpler measure does as well (exact match, normalised, 1.00)" in ended.out
    areas = json.loads(semscale(*FILE, *MEASURED, "--logprobs", "lp", "--json").out)["trust"]["areas"]
    assert {"exact_match_normalised", "first_token_probability", "equal_lengths", "brevity"} < set(areas)
    rows = pl.read_csv(tmp_path / "o.csv")
    assert rows["semscale_exact_match_normalised"][:2].to_list() == [1.0, 0.0]
    assert rows["semscale_first_token_probability"][0] == pytest.approx(0.904837, abs=1e-6)  # exp(-.1)


def test_without_log_probabilities_there_is_no_first_token(semscale):
    areas = json.loads(semscale(*FILE, *MEASURED, "--json").out)["trust"]["areas"]
    assert ("exact_match_normalised" in areas, "first_token_probability" in areas) == (True, False)


def test_the_product_of_consistency_and_confidence_is_a_measure(semscale, tmp_path):
    measure = ("--measure", "consistency_and_confidence")
    ended = semscale(*FILE[:-2], *measure, "--logprobs", "lp", "--out", "o.csv")
    assert ended.code == 0, ended.err
    assert "consistency and confidence" in ended.out
    assert 0 < pl.read_csv(tmp_path / "o.csv")["semscale_consistency_and_confidence"][1] < 0.1
    refused = semscale(*FILE[:-2], *measure)
    assert (refused.code, "measures of tokens need --logprobs COLUMN, or --ask N" in refused.err) == (2, True)
