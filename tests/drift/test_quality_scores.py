"""Scores of runs by references and by a judge."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from tests.judging.conftest import Scripted, plain_running
from tests.support.made_up_losses import compared, run_of

from semscale.drift.comparison import compare
from semscale.drift.quality_scores import (
    JudgedRuns,
    check_inputs,
    judge_runs,
    references_of,
)
from semscale.errors import InputError
from semscale.history.items import Item, Output, dump_item, load_item
from semscale.history.runs import Run
from semscale.judging.judge import Judge
from semscale.judging.templates import side_by_side_template
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan

RIGHT = {"sky": "The sky is blue.", "coal": "Coal is black.", "snow": "Snow is white.", "sea": None}


def run(model, answers, **settings):
    items = tuple(
        Item(name, tuple(map(Output, answers.get(name, ()))), f"Which colour has the {name}?", {}, right)
        for name, right in RIGHT.items()
    )
    return Run("colours", model, items, **settings)


@pytest.fixture(scope="module")
def comparison():
    """Wrong about the sky before; silent about coal now; two answers about snow, of which one is right."""
    old = run(
        "old",
        {"sky": ["I cannot say."], "coal": ["Coal is black."], "snow": ["Snow is white."], "sea": ["Blue."]},
    )
    new = run(
        "new", {"sky": ["The sky is blue."], "snow": ["Snow is white.", "Bread is a food."], "sea": ["Grey."]}
    )
    return compare(old, new)


def test_runs_have_separate_scores(comparison):
    candidate, baseline = comparison.quality["reference_match"]
    sky, coal, snow, sea = candidate
    assert sky == pytest.approx(1.0)
    assert coal == 0.0, "silence is the worst answer to a question whose answer is known"
    assert snow == pytest.approx((1.0 + 0.0) / 2, abs=0.15)
    assert np.isnan(sea), "nothing is known without a reference"
    assert baseline[0] < 0.3
    np.testing.assert_allclose(baseline[1:3], 1.0)


def test_the_loss_is_the_baselines_score_less_the_candidates(comparison):
    candidate, baseline = comparison.quality["reference_match"]
    np.testing.assert_allclose(comparison.losses("reference_match"), baseline - candidate)
    assert comparison.losses("reference_match")[0] < -0.7
    assert comparison.losses("reference_match")[1] == pytest.approx(1.0)


def test_an_item_without_any_answer_has_no_score():
    result = compare(run("old", {"sky": ["Blue."]}), run("new", {"sky": ["Blue."]}))
    assert np.isnan(result.losses("reference_match")).tolist() == [False, True, True, True]


def test_reruns_are_matched_with_the_same_references():
    old = run("old", {"sky": ["The sky is blue."]})
    again = run("old", {"sky": ["I cannot say."]}, rerun_of=old.id)
    result = compare(old, run("new", {"sky": ["The sky is blue."]}), reruns=[again])
    loss = result.pair_losses["reference_match"][0, 1, 2]  # of the rerun against the baseline
    assert loss > 0.7
    # As good as the baseline, and better than the mean of baseline and rerun by half of the rerun's loss.
    assert result.mean_losses("reference_match")[0] == pytest.approx(-loss / 2)


def test_the_signature_has_the_references_and_nothing_without_them(comparison):
    assert "reference_match_references:3#" in str(comparison.signature)
    plain = [Run("colours", model, (Item("sky", (Output("Blue."),)),)) for model in ("old", "new")]
    result = compare(*plain)
    assert "reference" not in str(result.signature)
    assert "reference_match" not in result.metrics


def with_references(model, *references):
    items = (Item(str(n), (), f"Question {n}?", {}, text) for n, text in enumerate(references))
    return Run("sums", model, tuple(items))


def test_the_reference_of_the_candidate_overrides_that_of_the_baseline():
    old, new = (
        with_references("a", "one", "two", None, None),
        with_references("b", "one", "three", "four", None),
    )
    result = references_of(old, new)
    assert result.texts == ("one", "three", "four", None)
    assert result.corrected == ("1",)
    assert result.cautions[0].startswith("1 item has another reference than the baseline's run: '1'")


def test_blank_references_count_as_missing():
    result = references_of(with_references("a", " ", None), with_references("b", None, ""))
    assert (result.texts, result.distinct, result.cautions) == ((None, None), [], ())


def test_a_reference_belongs_to_no_version_of_the_dataset():
    with_reference, without = with_references("a", "one"), with_references("a", None)
    assert with_reference.dataset_version == without.dataset_version
    assert not with_reference.signature.differences(without.signature)


def test_a_stored_item_keeps_its_reference():
    item = Item("1", (Output("Yes."),), "Is it?", {}, "yes")
    assert load_item(dump_item(item)) == item
    assert "reference" not in dump_item(Item("1", (Output("Yes."),)))


def judged(points, **verdicts):
    """Verdicts on which both orders agree, unless orders are given."""
    points = np.array(points, dtype=np.float64)
    usual = {
        "points": points,
        "first_place": np.full(len(points), 0.5),
        "reasons": {},
        "model": "judge",
        "is_identical": np.zeros(len(points), dtype=bool),
    }
    summary = SimpleNamespace(**(usual | verdicts), signature=Signature.of("judge", model="judge"))
    return JudgedRuns(points, summary)


def test_wins_ties_and_losses_are_counted_for_the_candidate():
    result = judged([1.0, 0.75, 0.5, 0.0, np.nan]).summarize(IntervalPlan())
    assert (result.wins, result.ties, result.identical, result.losses) == (2, 1, 0, 1)
    assert result.share.value == pytest.approx((1 + 0.75 + 0.5) / 4)
    assert (result.share.n, result.share.n_left_out) == (4, 1)


def test_side_by_side_is_the_share_lost_less_the_share_won():
    base = compared([run_of("abcd", name) for name in ("new", "old", "old")])
    result = base.with_judge(judged([1.0, 0.0, 0.5, np.nan]))
    np.testing.assert_allclose(result.losses("side_by_side"), [-1.0, 1.0, 0.0, np.nan])
    assert "side_by_side_model:judge" in str(result.signature)
    assert "side_by_side" not in base.metrics


def test_pairs_without_a_verdict_and_partial_judges_are_named():
    base = compared([run_of("ab", "model-b"), run_of("ab", "old")])
    result = base.with_judge(judged([1.0, np.nan], reasons={"no score": 1}, model="model-b"))
    assert result.cautions == (
        "side by side: 1 of 2 pairs of outputs have no verdict in both orders and are left out, most often "
        "because: no score",
        "the judge, model-b, wrote one of the two runs: models prefer their own answers",
    )


def test_a_judge_needs_inputs():
    with pytest.raises(InputError, match="'0', '1' of the baseline have no input"):
        check_inputs(run_of("ab"))


def test_a_judge_that_cannot_be_read_gives_no_points_although_most_outputs_are_identical():
    # Outputs on three of four items are identical, and no reply about the fourth can be read.
    same = {"sky": ["Blue."], "coal": ["Black."], "snow": ["White."]}
    runs = [run("old", {**same, "sea": ["Blue."]}), run("new", {**same, "sea": ["Grey."]})]
    model = Scripted(lambda _: "Both have merit.")
    judge = Judge(model, template=side_by_side_template(), structured=False, logprobs=False)
    verdicts = asyncio.run(judge_runs(*runs, judge, running=plain_running()))
    assert np.isnan(verdicts.points).all()
    assert verdicts.no_verdict == "the only pair with different answers was not judged in both orders"
    record = verdicts.summarize(IntervalPlan())
    assert (record.wins, record.ties, record.identical, record.losses) == (0, 0, 0, 0)


def test_identical_outputs_have_a_count_of_their_own_beside_ties():
    same = {"sky": ["Blue."], "coal": ["Black."]}
    runs = [
        run("old", {**same, "snow": ["a"], "sea": ["b"]}),
        run("new", {**same, "snow": ["c"], "sea": ["d"]}),
    ]
    model = Scripted(lambda _: "Score: 2")
    judge = Judge(model, template=side_by_side_template(), structured=False, logprobs=False)
    record = asyncio.run(judge_runs(*runs, judge, running=plain_running())).summarize(IntervalPlan())
    # The judge calls both pairs with different outputs ties.
    assert (record.wins, record.ties, record.identical, record.losses) == (0, 2, 2, 0)
    assert record.share.value == 0.5
