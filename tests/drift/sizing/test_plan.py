from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, stored_comparison

from semscale.drift.gate.drift_summary import stored
from semscale.drift.gate.equivalence import equivalence
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.roles import drifts_of_pairs
from semscale.drift.sizing.plan import plan_gate
from semscale.errors import InputError, UnknownNameError
from semscale.stats.drift_tests import exchange_test, items_for_difference


def alternating(mean, half, n=30):
    return mean + half * np.where(np.arange(n) % 2, 1.0, -1.0)


# 30 values at -+ half have the standard deviation half * sqrt(30 / 29); half .1 / that gives .1.
HALF = 0.1 * np.sqrt(29 / 30)


def planned(**settings):
    return plan_gate(
        comparison({"match": alternating(0.2, HALF)}, reruns=[{"match": np.zeros(30)}]), **settings
    )


def test_a_comparison_gives_the_spread_of_its_drift():
    (match,) = planned().metrics
    assert match.sd == pytest.approx(0.1)
    assert match.n_spread == 30
    assert "model-b over 30 items" in match.source


def test_items_for_the_margin_as_published():
    # Margin .05 is half the spread of .1, one test at .05, power .8: 27 items
    # (G*Power, one-sided paired, dz = .5).
    plan = planned()
    assert (plan.n_tests, plan.alpha, plan.n_items) == (1, 0.05, 30)
    assert plan.metrics[0].items_for_margin == 27


def test_the_detectable_drift_is_significant_and_material():
    (match,) = planned().metrics
    # Material with power .8: .05 + .8416 * .1 / sqrt(30) = .0654; significant from about .0465 on.
    assert match.detectable == pytest.approx(0.0654, abs=1e-4)


def test_a_drift_at_the_margin_is_never_found_reliably_above_it():
    assert planned(drift=0.05).metrics[0].items_for_drift is None
    # (.8416 * .1 / .01) ** 2 = 70.8 for .06; significance alone needs 19 (dz = .6).
    assert planned(drift={"match": 0.06}).metrics[0].items_for_drift == 71


def test_items_to_pass_without_drift():
    # The gate's bound, whose spread has n + 9 degrees of freedom: the smallest n with
    # (t(.95, n + 9) + z(.8)) * .1 / sqrt(n) < .05. n = 25: (1.6909 + .8416) * .1 / 5 = .05065;
    # n = 26: (1.6896 + .8416) * .1 / 5.0990 = .04964.
    assert planned().metrics[0].items_to_pass == 26
    # Without a rerun there are n - 1: dz = .5, power .8, 27 items (G*Power, one-sided paired).
    alone = plan_gate(comparison({"match": alternating(0.2, HALF)}))
    assert alone.metrics[0].items_to_pass == 27


def test_losses_that_few_items_have_take_more_items_to_pass():
    # 3 of 30 items lose 1: variance .09 * 30 / 29 = .0931034, sd .305129; third moment .1 * .9 * .8 = .072,
    # g = .072 / sd ** 3 = 2.53444. Tolerated are .15. The smallest n with
    # (t + g (1 + 2 t ** 2) / (6 sqrt(n)) + .84162) * .305129 / sqrt(n) < .15, t = t(.95, n - 1): n = 38:
    # (1.68709 + .45858 + .84162) * .305129 / 6.16441 = .14787; n = 37:
    # (1.68830 + .46532 + .84162) * .305129 / 6.08276 = .15025. Without g it would be 27.
    rare = comparison({"contradictions": [1.0] * 3 + [0.0] * 27})
    (found,) = plan_gate(rare, settings=GateSettings(material={"contradictions": 0.15})).metrics
    assert found.items_to_pass == 38


def test_the_noise_is_tolerated_where_an_unchanged_model_is_to_pass():
    # Noise of .4 tolerates half of it, .2, which is the spread of the drift times 2: at least 10 items.
    made = comparison(
        {"contradictions": alternating(0.5, HALF)}, reruns=[{"contradictions": np.full(30, 0.4)}]
    )
    (found,) = plan_gate(made).metrics
    assert (found.margin, found.items_to_pass) == (0.05, 10)
    assert found.items_for_margin == 27


def test_groups_cost_the_tests_over_all_items_nothing():
    made = comparison({"match": alternating(0.2, HALF)}, groups={"topic": ["a", "b"] * 15})
    plan = plan_gate(made, settings=GateSettings(by=("topic",)))
    assert (plan.n_tests, plan.alpha) == (1, 0.05)
    again = plan_gate([stored(made, None, GateSettings(by=("topic",)))], settings=GateSettings(by=("topic",)))
    assert again.n_tests == 1
    with pytest.raises(UnknownNameError, match="topics"):
        plan_gate(made, settings=GateSettings(by=("topics",)))


@pytest.mark.parametrize(("alpha", "dz"), [(0.05, 0.5), (0.05 / 6, 0.8)])
def test_the_gates_own_tests_have_the_power_that_is_planned(alpha, dz):
    # Outputs are points on a line, a loss is how far two are apart; five runs, of which the first is tested.
    rng = np.random.default_rng(0)

    def roles(n, drift):
        outputs = rng.uniform(0, 0.4, (n, 1)) * rng.normal(size=(n, 5))
        losses = np.abs(outputs[:, :, None] - outputs[:, None])
        losses[:, 0, 1:] += drift
        losses[:, 1:, 0] += drift
        return drifts_of_pairs(losses)

    sd = roles(5_000, 0.0)[:, 0].std()
    n = items_for_difference(dz * sd, sd, alpha=alpha, power=0.8)
    failed = np.mean([exchange_test(roles(n, dz * sd)).p_value < alpha for _ in range(200)])
    assert failed == pytest.approx(0.8, abs=0.1)
    needed = items_for_difference(dz * sd, sd, alpha=0.05, power=0.8)
    passed = np.mean([equivalence(roles(needed, 0.0), dz * sd, 0.05).bound < dz * sd for _ in range(200)])
    assert passed == pytest.approx(0.8, abs=0.1)


def test_a_history_gives_the_spread_of_differences_between_runs():
    # Losses of the second run are .1 -+ HALF above the first's: a spread of .1, and the third's again.
    runs = []
    for day, losses in enumerate(
        [alternating(0.2, 0.1), alternating(0.3, 0.1 - HALF), alternating(0.2, 0.1)]
    ):
        kept = stored_comparison({"match": 0.2}, day=day, scores={"match": losses})
        runs.append(replace(kept, figures=(replace(kept.figures[0], drift=0.05),)))  # reruns lose .15
    (match,) = plan_gate(runs).metrics
    assert match.sd == pytest.approx(0.1)
    assert match.n_spread == 60
    assert match.source == "how each item's loss changes from one of 3 comparisons to the next"


def test_a_history_without_reruns_gives_the_spread_of_losses():
    # The gate takes nothing off, so that what lasts from run to run spreads, too: HALF is a spread of .1.
    runs = [
        stored_comparison({"match": 0.2}, day=day, scores={"match": alternating(mean, HALF)})
        for day, mean in enumerate([0.2, 0.3])
    ]
    (match,) = plan_gate(runs).metrics
    assert match.sd == pytest.approx(0.1)
    assert match.source == "how losses of items differ within 2 comparisons"


def test_differences_and_losses_stand_side_by_side_where_reruns_lose_in_some_metrics_only():
    scores = {"match": alternating(0.2, HALF), "silence": alternating(0.2, HALF)}
    kept = [stored_comparison({"match": 0.2, "silence": 0.2}, day=day, scores=scores) for day in range(2)]
    match, silence = kept[1].figures
    kept[1] = replace(kept[1], figures=(replace(match, drift=0.1), silence))
    plans = {plan.metric: plan for plan in plan_gate(kept).metrics}
    assert plans["match"].sd == 0.0  # twice the same
    assert plans["silence"].sd == pytest.approx(0.1)
    assert plans["match"].source.endswith(
        "in which reruns lose nothing, how losses of items differ within a comparison"
    )


def test_one_comparison_of_a_history_gives_the_spread_of_its_losses():
    kept = stored_comparison({"match": 0.2}, scores={"match": alternating(0.2, HALF)})
    (match,) = plan_gate([kept]).metrics
    assert (match.sd, match.source) == (pytest.approx(0.1), "how losses of items differ within 1 comparison")


def test_other_baselines_are_left_out_and_named():
    kept = stored_comparison({"match": 0.2}, day=2, scores={"match": alternating(0.2, HALF)})
    other = replace(kept, baseline_id="d" * 32, candidate_id="e" * 32, compared=kept.compared.replace(day=1))
    assert plan_gate([kept, other]).cautions == (
        "1 comparison of 'eeeeeeee' is left out, because it was made with another baseline",
    )


def test_margins_out_of_a_history_are_as_they_were_stored_or_as_they_are_named():
    kept = stored_comparison(
        {"credits_difference": 0.5}, scores={"credits_difference": alternating(0.5, 0.1)}
    )
    assert plan_gate([kept]).metrics[0].margin == 0.05
    own = GateSettings(material={"credits_difference": 0.7})
    assert plan_gate([kept], settings=own).metrics[0].margin == 0.7


def test_where_nothing_varied_the_plan_is_a_bound():
    plan = plan_gate(comparison({"silence": np.zeros(30)}))
    (silence,) = plan.metrics
    # 2 ** -4 / 2 is the first below .05; a drift that never varies is seen from the margin on.
    assert (silence.sd, silence.detectable, silence.items_for_margin) == (0.0, 0.05, 4)
    # With fewer than 10 items no test passes. ln .05 / ln .95 = 58.4 items exclude the margin of .05.
    assert silence.items_to_pass == 10
    (said,) = plan.cautions
    assert said.startswith("nothing varied in silence, so that the spread is unknown")
    assert said.endswith("5 % of items differ takes 59 that are all alike")


def test_the_worst_case_of_a_field_is_not_in_a_history():
    kept = stored_comparison({"credits_difference": 0.0}, scores={"credits_difference": np.zeros(30)})
    (said,) = plan_gate([kept]).cautions
    assert said.endswith("with which the gate fails or passes")


def test_too_few_items_detect_nothing():
    # Of three runs the worst at two items has 3 ** -2 / 2 = .056, and at three .019.
    assert np.isnan(planned(n_items=2).metrics[0].detectable)
    assert not np.isnan(planned(n_items=3).metrics[0].detectable)


def test_an_unknown_spread_plans_nothing():
    (match,) = plan_gate(comparison({"match": [np.nan] * 12})).metrics
    assert np.isnan([match.sd, match.detectable]).all()
    assert (match.items_for_margin, match.items_to_pass) == (None, None)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"power": 0.05}, InputError, "power must lie above alpha"),
        ({"power": 1}, InputError, "power must lie above alpha"),
        ({"n_items": 1}, InputError, r"n_items must be at least 2, got 1"),
        ({"drift": 0}, InputError, "drift must be above 0"),
        ({"drift": {"mtch": 0.1}}, UnknownNameError, "drift must be about one of match, got 'mtch'"),
    ],
)
def test_refuses_what_cannot_be_planned(settings, error, message):
    with pytest.raises(error, match=message):
        planned(**settings)


def test_a_history_without_comparisons_scores_or_the_metric():
    with pytest.raises(InputError, match="at least one comparison"):
        plan_gate([])
    with pytest.raises(InputError, match="read the comparisons with them"):
        plan_gate([stored_comparison({"match": 0.1})])
    kept = stored_comparison({"match": 0.2}, scores={"match": alternating(0.2, HALF)})
    with pytest.raises(UnknownNameError, match="did you mean 'match'"):
        plan_gate([kept], settings=GateSettings(metrics=("mtch",)))
