"""Summaries of more answers than are kept: what is counted of all, and what is made from a sample."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from semscale.coding.coder import CodeScores
from semscale.coding.coding import HandCodes, fit_codes
from semscale.coding.coding_columns import CodingColumns
from semscale.coding.summary.beside_answers import BesideNames
from semscale.coding.summary.coding_collector import CodingCollector
from semscale.coding.summary.summarizing import SummaryPlan
from semscale.report.coding.document import coding_document
from semscale.signature import Signature
from semscale.types import Status

N, CODED, KEPT = 3000, 150, 1000
COLUMNS = CodingColumns("text", ("hand",), by=("region",), rating="stars", weight="w", respondent="who")


@pytest.fixture
def collected(book):
    """A function that sums up 3,000 answers, with hand codes of 150, in parts of 700 rows."""
    rng = np.random.default_rng(5)
    likeness = rng.uniform(size=(N, 3))
    codes = (rng.uniform(size=(N, 3)) < likeness).astype(float)
    status = np.array([Status.SCORED] * N, dtype=object)
    scores = CodeScores(book, likeness, status, Signature.of("code"))
    frame = pl.DataFrame({
        "text": [f"answer {row}" for row in range(N)],
        "region": ["north", "south", None] * (N // 3),
        "stars": 1.0 + 2 * codes[:, 0] + rng.normal(size=N),
        "w": rng.uniform(0.5, 1.5, size=N),
        "who": [f"{row // 2}" for row in range(N)],
    })  # fmt: skip
    # People coded the first answers, which are no random sample of the rows but one of the scores.
    rows = np.arange(CODED)
    hand = HandCodes(codes[None, :CODED], ("hand",))

    def summary(columns, most, size=700):
        fitted = fit_codes(scores.some(rows), rows, hand=hand if columns.labels else None)
        if not columns.labels:
            fitted = fit_codes(scores.some(rows[:0]), rows[:0])
        plan = SummaryPlan(names=BesideNames(rating="stars", weight=columns.weight or ""))
        collector = CodingCollector(fitted, columns, plan, most=most)
        for start in range(0, N, size):
            some = np.arange(start, min(start + size, N))
            collector.add(scores.some(some), frame["text"][some.tolist()].to_list(), frame[some.tolist()])
        return collector.summary()

    return summary


BARE = CodingColumns("text", by=("region",))


def test_without_hand_codes_and_weights_everything_but_drivers_is_of_all_answers(collected):
    whole, part = collected(BARE, N), collected(BARE, KEPT)
    assert (whole.sampled, part.sampled) == (None, KEPT)
    found, expected = json.loads(part.to_json()), json.loads(whole.to_json())
    for name in ("codes", "groups", "tests", "pairs", "outcomes", "reasons", "rows", "readable"):
        assert found[name] == expected[name], name


def test_the_size_of_parts_changes_nothing(collected):
    for most in (N, KEPT):
        first, second = (json.loads(collected(COLUMNS, most, size).to_json()) for size in (N, 313))
        assert {**first, "created": 0} == {**second, "created": 0}


@pytest.mark.parametrize(
    "columns", [COLUMNS, replace(COLUMNS, weight=None, respondent=None)], ids=["weighted", "plain"]
)
def test_figures_from_the_sample_are_near_those_of_all_answers(collected, columns):
    whole, part = collected(columns, N), collected(columns, KEPT)
    for all_of, some in zip(whole.shares, part.shares, strict=True):
        assert (some.n, some.n_given, some.n_unsure) == (all_of.n, all_of.n_given, all_of.n_unsure)
        assert some.corrected.n_labelled == all_of.corrected.n_labelled == CODED
        # 1,000 of 3,000 rows: standard error of a share about .013, of a mean score about .008
        assert some.counted.value == pytest.approx(all_of.counted.value, abs=0.05)
        assert some.corrected.value == pytest.approx(all_of.corrected.value, abs=0.04)
        assert some.corrected.low < all_of.corrected.value < some.corrected.high
    assert part.agreement.people == whole.agreement.people
    assert part.calibrations == whole.calibrations
    assert part.n_hand == CODED
    assert part.quotes == whole.quotes
    # the rating is 2 higher with the code itself, and the coder errs now and then
    first = part.drivers.drivers[0].difference
    assert first.low < whole.drivers.drivers[0].difference.value < first.high


def test_hand_coded_answers_do_not_count_twice_in_weighted_shares(collected):
    # Nearly all rows of the sample are others: the weight of 150 coded rows must stay 150 of 3,000.
    part = collected(replace(COLUMNS, respondent=None), 200)
    whole = collected(replace(COLUMNS, respondent=None), N)
    for one, other in zip(part.shares, whole.shares, strict=True):
        assert one.corrected.naive.value == pytest.approx(other.corrected.naive.value, abs=0.05)
        assert one.corrected.n_labelled + one.corrected.n_unlabelled < 200 + CODED


def test_the_report_and_json_say_what_is_made_from_a_sample(collected):
    part, whole = collected(COLUMNS, KEPT), collected(COLUMNS, N)
    assert json.loads(part.to_json())["sampled"] == KEPT
    assert json.loads(whole.to_json())["sampled"] is None
    said = [caution for caution in coding_document(part).cautions if "random sample of 1,000" in caution]
    assert said == [
        "Made from a random sample of 1,000 of the 3,000 rows, and from all that are coded by hand: counted "
        "and corrected shares, their tests between groups and drivers. All else is of all rows."
    ]
    assert not any("random sample of" in caution for caution in coding_document(whole).cautions)
