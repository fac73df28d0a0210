"""Losses of one item, from its aligned outputs."""

import math

import pytest
from made_up_items import aligned, item_texts, pair_scores

from semscale.drift.measure.item_losses import losses_of, pairs_of
from semscale.drift.measure.metrics import TEXT_METRICS, field_metric

METRICS = {**TEXT_METRICS, "credits_difference": field_metric("credits", 2.0)}


def losses(item):
    return losses_of(item, METRICS)


def test_equal_outputs_lose_nothing():
    one = item_texts(2, numbers=[1.0, 0.5])
    found = losses(aligned(one, one, pair_scores(1.0), pair_scores(1.0)))
    assert found == dict.fromkeys(METRICS, 0.0)


def test_each_metric_by_hand():
    baseline = item_texts(2, numbers=[1.0, 0.5], characters=10)
    candidate = item_texts(1, numbers=[0.5], characters=8)
    found = losses(aligned(baseline, candidate, pair_scores(0.8, negated=True)))
    assert found["match"] == pytest.approx(0.6)  # 1 - .8 / 2
    assert found["contradictions"] == 1.0
    assert found["output_count"] == 0.5
    assert found["length"] == pytest.approx(0.2)
    assert found["silence"] == 0.0
    assert found["credits_difference"] == 1.25  # .5, and 2 for the output without a partner


def test_a_silent_candidate_has_the_worst_losses():
    found = losses(aligned(item_texts(1, numbers=[1.0]), item_texts(0, numbers=[0.0])))
    assert found == {name: metric.span for name, metric in METRICS.items()}


def test_where_neither_says_anything_there_is_no_loss():
    nothing = item_texts(0, numbers=[0.0])
    assert all(math.isnan(loss) for loss in losses(aligned(nothing, nothing)).values())


def test_a_candidate_that_speaks_where_the_baseline_is_silent():
    found = losses(aligned(item_texts(0, numbers=[0.0]), item_texts(1, numbers=[1.0])))
    assert (found["silence"], found["match"], found["output_count"]) == (1.0, 1.0, 1.0)
    assert math.isnan(found["contradictions"])  # no pair that a guard could look at


def test_pairs_come_before_lacking_and_extra_outputs():
    pairs = pairs_of(7, aligned(item_texts(3), item_texts(2), pair_scores(0.5)))
    assert [(pair.item, pair.baseline, pair.candidate) for pair in pairs] == [
        (7, 0, 0), (7, 1, None), (7, 2, None), (7, None, 1),
    ]  # fmt: skip
    assert [dict(pair.scores) for pair in pairs[1:]] == [{}, {}, {}]


def test_what_an_output_took_may_be_unknown_and_is_no_loss_then():
    # The baseline's price is known, the candidate's is not in the second output; the third has no partner.
    baseline = item_texts(3, numbers=[2.0, 3.0, 4.0])
    candidate = item_texts(2, numbers=[2.5, math.nan])
    metrics = {"call_cost_difference": field_metric("call_cost", 4.0)}
    scores = pair_scores(1.0), pair_scores(1.0)
    assert losses_of(aligned(baseline, candidate, *scores), metrics) == {"call_cost_difference": 0.5}
    unknown = item_texts(2, numbers=[math.nan, math.nan])
    assert math.isnan(losses_of(aligned(baseline, unknown, *scores), metrics)["call_cost_difference"])
    silent = aligned(baseline, item_texts(0, numbers=[0.0]))
    assert math.isnan(losses_of(silent, metrics)["call_cost_difference"])
    assert losses(silent)["credits_difference"] == METRICS["credits_difference"].span
