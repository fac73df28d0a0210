from types import SimpleNamespace

import numpy as np
import pytest
from tests.drift.made_up import comparison

from semscale.drift.quality.judged_runs import JudgedRuns
from semscale.drift.quality.quality_metric import with_side_by_side
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan


def judged(points, **verdicts):
    """Verdicts that both orders agree on, unless orders are given."""
    points = np.array(points, dtype=np.float64)
    usual = {"points": points, "first_place": np.full(len(points), 0.5), "reasons": {}, "model": "judge"}
    made = SimpleNamespace(**(usual | verdicts), signature=Signature.of("judge", model="judge"))
    return JudgedRuns(points, made)


def test_wins_ties_and_losses_are_the_candidates():
    found = judged([1.0, 0.75, 0.5, 0.0, np.nan]).summarize(IntervalPlan())
    assert (found.wins, found.ties, found.losses) == (2, 1, 1)
    assert found.share.value == pytest.approx((1 + 0.75 + 0.5) / 4)
    assert (found.share.n, found.share.n_left_out) == (4, 1)


def test_the_metric_is_what_was_lost_less_what_was_won():
    base = comparison({"match": [0.0, 0.0, 0.0, 0.0]}, reruns=[{"match": [0.0, 0.0, 0.0, 0.0]}])
    found = with_side_by_side(base, judged([1.0, 0.0, 0.5, np.nan]))
    np.testing.assert_allclose(found.losses("side_by_side"), [-1.0, 1.0, 0.0, np.nan])
    assert found.rerun_losses("side_by_side") == ()
    assert "side_by_side_model:judge" in str(found.signature)
    assert "side_by_side" not in base.metrics


def test_pairs_without_a_verdict_and_partial_judges_are_named():
    points = np.array([1.0, np.nan])
    base = comparison({"match": [0.0, 0.0]})
    found = with_side_by_side(base, judged(points, reasons={"no score": 1}, model="model-b"))
    assert found.cautions == (
        "side by side: 1 of 2 pairs of outputs have no verdict in both orders and are left out, most often "
        "because: no score",
        "the judge, model-b, gave one of the two runs: models prefer their own answers",
    )
