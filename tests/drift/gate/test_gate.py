import numpy as np
import pytest
from made_up import comparison, spread_out

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.errors import InputError, UnknownNameError

FEW = GateSettings(replicates=500)


def test_what_did_not_change_passes():
    losses = spread_out(0.1)
    decision = decide(comparison({"match": losses}, reruns=[{"match": losses}]), FEW)
    (test,) = decision.tests
    assert decision.outcome is Outcome.PASS
    assert (test.drift.value, test.p_value, test.is_significant, test.is_material) == (0.0, 1.0, False, False)
    assert test.noise == pytest.approx(0.1)


def test_without_a_rerun_texts_do_not_fail_as_nothing_tells_drift_from_chance():
    found = decide(comparison({"contradictions": [1.0] * 26 + [0.0] * 4}), FEW)
    (test,) = found.tests
    assert found.outcome is test.outcome is Outcome.UNDECIDED
    assert np.isnan(test.p_value)
    assert test.n_needed is None


def test_nearly_all_at_the_worst_fails_with_a_rerun():
    # 26 of 30 items differ, each by the same: a sign test of 26, (1 / 2) ** 26 / 2.
    losses = [1.0] * 26 + [0.0] * 4
    found = decide(comparison({"contradictions": losses}, reruns=[{"contradictions": np.zeros(30)}]), FEW)
    assert found.outcome is Outcome.FAIL
    assert found.tests[0].p_value == pytest.approx(0.5**27)


def test_what_is_worse_by_enough_and_beyond_chance_fails():
    decision = decide(comparison({"match": spread_out(0.3)}, reruns=[{"match": np.full(30, 0.1)}]), FEW)
    (test,) = decision.tests
    assert decision.outcome is test.outcome is Outcome.FAIL
    assert (test.is_significant, test.is_material, test.n_needed) == (True, True, None)
    # Margin: the greater of .05 * 1 and .5 * .1.
    assert (test.loss, test.drift.value, test.margin) == pytest.approx((0.3, 0.2, 0.05))


def test_beyond_chance_alone_does_not_fail():
    # Half of the items drift by .01, half by .03: variance .0001034, and .0005 between the two runs. Shrunk:
    # (29 * .0001034 + 10 * .0005) / 39 = .000205; the bound is .02 + 1.685 * .01432 / sqrt(30) = .0244.
    made = comparison({"match": spread_out(0.02, half=0.01)}, reruns=[{"match": np.zeros(30)}])
    decision = decide(made, FEW)
    (test,) = decision.tests
    assert (test.is_significant, test.is_material) == (True, False)
    assert decision.outcome is Outcome.PASS


def test_enough_alone_does_not_fail_and_says_how_many_items_would_decide():
    # Drift .1 with sd .5085: t = 1.08. One test at .05: the smallest n with
    # .1 >= t(.95, n - 1) * .5085 / sqrt(n).
    # n = 72: 1.6666 * .5085 / 8.4853 = .09987; n = 71: 1.6669 * .5085 / 8.4261 = .10059.
    decision = decide(comparison({"match": spread_out(0.1, half=0.5)}, reruns=[{"match": np.zeros(30)}]), FEW)
    (test,) = decision.tests
    assert (test.is_significant, test.is_material) == (False, True)
    assert test.outcome is decision.outcome is Outcome.UNDECIDED
    assert test.n_needed == decision.n_needed == 72


def test_an_interval_that_reaches_the_margin_says_how_many_items_would_narrow_it():
    # Drift .02, half of the items .12 and half -.08: variance .01 * 30 / 29 = .010345. Between the two runs
    # it is the mean of .12 ** 2 and .08 ** 2, .0104. Shrunk: (29 * .010345 + 10 * .0104) / 39 = .010359, sd
    # .10178. For n = 30 the bound lies 1.685 * .10178 / sqrt(30) = .0313 above .02, the margin is .05. The
    # smallest n with t(.95, n + 9) * .10178 / sqrt(n) < .03: n = 32: 1.6829 * .10178 / 5.6569 = .03028;
    # n = 33: 1.6820 * .10178 / 5.7446 = .02980.
    decision = decide(
        comparison({"match": spread_out(0.02, half=0.1)}, reruns=[{"match": np.zeros(30)}]), FEW
    )
    (test,) = decision.tests
    assert test.outcome is Outcome.UNDECIDED
    assert test.bound == pytest.approx(0.0513, abs=1e-4)
    assert test.n_needed == 33


@pytest.mark.parametrize(("n", "outcome"), [(3, Outcome.UNDECIDED), (12, Outcome.FAIL)])
def test_losses_that_are_all_alike_fail_once_signs_suffice(n, outcome):
    # A sign test's mid-p-value: 2 ** -3 / 2 = .0625 is not below .05.
    (test,) = decide(comparison({"match": [0.4] * n}, reruns=[{"match": [0.0] * n}]), FEW).tests
    assert (test.outcome, test.p_value) == (outcome, pytest.approx(2.0**-n / 2))


@pytest.mark.parametrize("loss", [0.0, 1.0])
def test_one_item_decides_nothing_and_has_no_spread_to_say_how_many_would(loss):
    (test,) = decide(comparison({"match": [loss]}), FEW).tests
    assert (test.outcome, test.n_needed) == (Outcome.UNDECIDED, None)


@pytest.mark.parametrize(
    ("n", "outcome", "needed"), [(3, "undecided", 10), (9, "undecided", 10), (10, "pass", None)]
)
def test_fewer_than_10_items_never_pass(n, outcome, needed):
    decision = decide(comparison({"match": np.zeros(n)}), FEW)
    assert (decision.outcome, decision.n_needed) == (outcome, needed)


def test_a_group_of_few_items_does_not_pass_and_does_not_hold_the_gate_up():
    groups = {"topic": ["a"] * 30 + ["b"] * 9}
    decision = decide(
        comparison({"match": np.zeros(39)}, groups=groups), GateSettings(by=("topic",), replicates=500)
    )
    assert [str(test.outcome) for test in decision.tests] == ["pass", "pass", "undecided"]
    assert decision.outcome is Outcome.PASS


def test_items_that_are_all_alike_have_an_exact_interval_and_pass_by_their_drift():
    # Of 30 items none: up to 1 - .05 ** (1 / 30) = .0950 may, beyond the margin of .05.
    (test,) = decide(comparison({"silence": np.zeros(30)}), FEW).tests
    assert (test.drift.low, test.drift.high) == pytest.approx((0.0, 0.0950), abs=1e-4)
    assert (test.drift.method, test.outcome) == ("exact", Outcome.PASS)


def test_without_a_rerun_no_drift_lies_below_0_or_above_the_worst_case():
    # Three items, one of them lost: mean 1 / 3, and t with two degrees of freedom reaches 1.10 and more.
    (test,) = decide(comparison({"contradictions": [1.0, 0.0, 0.0]}), FEW).tests
    assert (test.drift.low, test.drift.high) == (0.0, 1.0)


def test_a_metric_without_any_value_is_undecided_for_good():
    losses = {"match": spread_out(0.1), "contradictions": [np.nan] * 30}
    decision = decide(comparison(losses, reruns=[losses]), FEW)
    empty = decision.tests[1]
    assert (empty.outcome, empty.n_needed, empty.drift.n) == (Outcome.UNDECIDED, None, 0)
    assert np.isnan([empty.p_value, empty.p_adjusted, empty.loss, empty.drift.value]).all()
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.n_needed is None
    assert any("no item has a value" in caution for caution in decision.cautions)


def test_items_without_a_value_are_left_out_and_counted():
    losses = spread_out(0.3)
    losses[:4] = np.nan
    (test,) = decide(comparison({"match": losses}, reruns=[{"match": np.zeros(30)}]), FEW).tests
    assert (test.drift.n, test.drift.n_left_out) == (26, 4)
    assert test.loss == pytest.approx(0.3)


def test_groups_do_not_cost_the_tests_over_all_items_their_power():
    names = ["a"] * 15 + ["b"] * 15
    rng = np.random.default_rng(0)
    losses = {"match": rng.normal(0.05, 0.1, 30), "cosine": rng.normal(0.02, 0.1, 30)}
    made = comparison(losses, reruns=[{name: np.zeros(30) for name in losses}], groups={"topic": names})
    plain = GateSettings(metrics=("match", "cosine"), replicates=500)
    alone = decide(made, plain)
    grouped = decide(made, plain.model_copy(update={"by": ("topic",)}))
    assert [test.group for test in grouped.tests] == [None] * 2 + [("topic", "a")] * 2 + [("topic", "b")] * 2
    assert grouped.overall == alone.tests
    raw = sorted(test.p_value for test in alone.tests)
    assert min(test.p_adjusted for test in alone.tests) == pytest.approx(2 * raw[0])
    for test in grouped.tests[2:]:
        above = next(one for one in grouped.overall if one.metric == test.metric)
        assert test.p_adjusted >= above.p_adjusted


def test_a_group_that_fails_fails_the_gate():
    losses = np.r_[np.zeros(30), spread_out(0.4)]
    groups = {"topic": ["a"] * 30 + ["b"] * 30}
    settings = GateSettings(by=("topic",), replicates=500)
    made = comparison({"match": losses}, reruns=[{"match": np.zeros(60)}], groups=groups)
    of_group = {test.group: test.outcome for test in decide(made, settings).tests}
    assert of_group["topic", "a"] is Outcome.PASS
    assert of_group["topic", "b"] is Outcome.FAIL


def test_a_metric_that_moves_with_wording_has_the_noise_in_its_margin_and_others_do_not():
    # Reruns lose .4 everywhere, half of which is .2: the margin of match, and what both are tolerated.
    losses = {"match": spread_out(0.4), "contradictions": spread_out(0.4)}
    tests = decide(comparison(losses, reruns=[{name: np.full(30, 0.4) for name in losses}]), FEW).tests
    assert [(test.margin, test.tolerance) for test in tests] == [
        pytest.approx((0.2, 0.2)),
        pytest.approx((0.05, 0.2)),
    ]


def test_a_pass_is_a_finding_with_a_p_value():
    rerun = spread_out(0.1, half=0.05)
    made = comparison({"match": rerun[::-1]}, reruns=[{"match": rerun}])
    (test,) = decide(made, FEW).tests
    assert (test.outcome, test.p_equivalence < 0.05) == (Outcome.PASS, True)


def test_an_undecided_group_does_not_hold_the_gate_up():
    losses = np.r_[spread_out(0.0, n=60, half=0.01), [0.4, -0.2, 0.3]]
    groups = {"topic": ["a"] * 60 + ["b"] * 3}
    decision = decide(
        comparison({"match": losses}, groups=groups), GateSettings(by=("topic",), replicates=500)
    )
    assert decision.tests[2].outcome is Outcome.UNDECIDED
    assert decision.outcome is Outcome.PASS
    assert any("'topic b'" in caution for caution in decision.cautions)


def test_many_groups_of_10_items_can_each_fail():
    # 40 groups of 10 items: Holm's first step is .05 / 40 = .00125, and 10 equal signs have 2 ** -11 = .0005.
    rng = np.random.default_rng(0)
    losses = rng.normal(0.4, 0.05, 400)
    groups = {"topic": [f"t{place % 40}" for place in range(400)]}
    made = comparison({"match": losses}, reruns=[{"match": np.zeros(400)}], groups=groups)
    decision = decide(made, GateSettings(by=("topic",), replicates=500))
    assert all(test.outcome is Outcome.FAIL for test in decision.tests)


def test_a_threshold_fails_the_gate_by_itself():
    losses = spread_out(0.3)
    settings = GateSettings(thresholds={"min_match": 0.8}, replicates=500)
    decision = decide(comparison({"match": losses}, reruns=[{"match": losses}]), settings)
    assert decision.tests[0].outcome is Outcome.PASS
    assert decision.outcome is Outcome.FAIL
    (check,) = decision.thresholds
    assert (check.name, check.metric, check.limit, check.passed) == ("min_match", "match", 0.8, False)
    assert check.value == pytest.approx(0.7)


def test_the_usual_metrics_are_tested_and_fields():
    names = ["match", "bertscore_f1", "cosine", "contradictions", "output_count", "length", "silence"]
    losses = {name: np.zeros(12) for name in [*names, "credits_difference"]}
    tested = [test.metric for test in decide(comparison(losses), FEW).tests]
    assert tested == [
        "match",
        "bertscore_f1",
        "contradictions",
        "output_count",
        "silence",
        "credits_difference",
    ]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"metrics": ("mtch",)}, UnknownNameError, "unknown metric 'mtch': did you mean 'match'"),
        ({"metrics": ("cosine",)}, InputError, "metrics asks for cosine, which was not measured"),
        (
            {"metrics": ("points_difference",)},
            InputError,
            "numeric field 'points', which the runs lack; there is credits",
        ),
        ({"material": {"mtch": 0.1}}, UnknownNameError, "unknown metric 'mtch'"),
        ({"by": ("topic",)}, UnknownNameError, "by asks for groups of 'topic', and no item belongs to any"),
    ],
)
def test_refuses_what_there_is_not(settings, error, message):
    losses = {"match": np.zeros(12), "credits_difference": np.zeros(12)}
    with pytest.raises(error) as raised:
        decide(comparison(losses), GateSettings(**settings))
    assert message in str(raised.value)


def test_another_kind_of_groups_is_named():
    with pytest.raises(UnknownNameError, match="unknown kind of groups 'topics': did you mean 'topic'"):
        decide(comparison({"match": [0.0] * 3}, groups={"topic": list("abc")}), GateSettings(by=("topics",)))


def test_no_field_where_one_is_asked_for():
    with pytest.raises(InputError, match="there is no numeric field: record runs with it"):
        decide(comparison({"match": [0.0] * 3}), GateSettings(metrics=("credits_difference",)))


def test_nothing_usual_was_measured():
    with pytest.raises(InputError, match="none was measured: name metrics out of cosine"):
        decide(comparison({"cosine": [0.0] * 3}))


def test_the_margin_grows_with_what_reruns_lose_and_how_unevenly():
    # Root mean square of 0, .6 and .8 is sqrt(1 / 3); half of it is greater than .05.
    made = comparison({"match": [0.5, 0.5, 0.5]}, reruns=[{"match": [0.0, 0.6, 0.8]}])
    (test,) = decide(made, FEW).tests
    assert test.margin == pytest.approx(0.5 * (1 / 3) ** 0.5)
    assert test.noise == pytest.approx(1.4 / 3)


def test_intervals_of_few_items_stay_within_what_a_drift_can_be():
    made = comparison({"contradictions": [1.0, 0.0]}, reruns=[{"contradictions": [0.0, 1.0]}])
    (test,) = decide(made, FEW).tests
    # Drifts 1 and -1: t with one degree of freedom reaches far beyond.
    assert (test.drift.low, test.drift.high) == (-1.0, 1.0)


def test_margins_of_ones_own_replace_the_usual_ones():
    settings = GateSettings(material={"match": 0.5}, replicates=500)
    (test,) = decide(comparison({"match": spread_out(0.3)}), settings).tests
    assert (test.margin, test.outcome) == (0.5, Outcome.PASS)


def test_cautions_name_what_weakens_the_decision():
    cautions = decide(comparison({"match": [0.0, np.nan, 0.1]}), FEW).cautions
    assert any(caution.startswith("no rerun of the baseline") for caution in cautions)
    assert any(caution.startswith("only 3 items") for caution in cautions)
    assert any("1 of 3 items have no value" in caution for caution in cautions)
    losses = spread_out(0.1)
    assert decide(comparison({"match": losses}, reruns=[{"match": losses}]), FEW).cautions == ()


def test_the_decision_is_repeatable():
    losses = np.random.default_rng(0).random((2, 20))
    made = comparison({"match": losses[0]}, reruns=[{"match": losses[1]}])
    assert decide(made, FEW) == decide(made, FEW)
