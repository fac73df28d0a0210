"""Plans that simulate the gate's tests on made-up losses."""

import numpy as np
import pytest
from tests.support.made_up_losses import candidate_losses, compared, run_of

from semscale.drift.settings import GateSettings
from semscale.drift.simulation import plan_gate, resample_comparison
from semscale.errors import InputError

TEXTS = [f"Answer {number}." for number in range(20)]
SETTINGS = GateSettings(metrics=("contradictions",), margins={"contradictions": 0.05})


def comparison_of(loss, k=3, noise=0.0):
    runs = [run_of(TEXTS, f"model-{number}") for number in range(k)]
    return compared(runs, {"contradictions": candidate_losses(loss, len(TEXTS), k, noise)})


def test_a_clear_drift_is_decided_with_the_current_size():
    plan = plan_gate(comparison_of(0.5), SETTINGS, draws=20)
    assert plan.sizes[0].failed == 1.0
    assert (plan.cheapest.items, plan.cheapest.reruns) == (20, 1)
    assert plan.sentence == "with these items and reruns 100 % of such drifts are decided"


@pytest.mark.exhaustive
def test_more_items_decide_a_rare_drift():
    loss = np.where(np.arange(20) < 2, 1.0, 0.0)  # 2 of 20 items: p = 1/18 with one rerun
    plan = plan_gate(comparison_of(loss), SETTINGS, draws=40)
    assert plan.sizes[0].decided < 0.8
    assert plan.cheapest is not None
    assert plan.cheapest.items > 20 or plan.cheapest.reruns > 1
    assert "more" in plan.sentence


def test_sizes_are_tried_from_the_cheapest_on():
    plan = plan_gate(comparison_of(0.5), SETTINGS, draws=1)
    answers = [size.further_answers for size in plan.sizes]
    # 20 items: one more rerun takes 20 answers, 10 more items (each asked 3 times) take 30
    assert answers[:3] == [0, 20, 30]
    assert answers == sorted(answers)


def test_a_further_rerun_resembles_a_recorded_rerun():
    comparison = comparison_of(0.4, k=3, noise=0.2)
    drawn = resample_comparison(comparison, ["contradictions"], np.arange(20), 2, np.random.default_rng(0))
    losses = drawn.pair_losses["contradictions"]
    assert losses.shape == (20, 5, 5)
    off = ~np.eye(5, dtype=bool)
    assert losses[:, 0, 1:] == pytest.approx(np.full((20, 4), 0.4))
    among = off.copy()
    among[0] = among[:, 0] = False
    assert losses[:, among] == pytest.approx(np.full((20, 12), 0.2))


def test_a_plan_needs_a_rerun():
    with pytest.raises(InputError, match="needs a rerun"):
        plan_gate(comparison_of(0.5, k=2), SETTINGS)


def test_the_same_seed_gives_the_same_plan():
    first, second = (plan_gate(comparison_of(0.1), SETTINGS, draws=5, seed=3) for _ in range(2))
    assert first.record() == second.record()
