"""The decision of the gate on made-up losses and outputs; expected values by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.support.made_up_losses import candidate_losses, compared, run_of

from semscale.drift import decision as decision_module
from semscale.drift.decision import Change, check_settings, decide, read_thresholds, threshold_cautions
from semscale.drift.metrics import TEXT_METRICS, field_metrics
from semscale.drift.runs import ItemMatching
from semscale.drift.settings import GateSettings, SliceSettings
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.history.stored_comparison import Outcome

N = 20
TEXTS = [f"Answer number {word} explains the subject well." for word in "abcdefghijklmnopqrst"]


def runs(k=3):
    return [run_of(TEXTS, f"model-{number}") for number in range(k)]


def decided(losses, settings=None, k=3, metrics=("match",)):
    settings = settings or GateSettings(metrics=metrics)
    return decide(compared(runs(k), losses), settings)


def test_equal_runs_pass():
    decision = decided({})
    assert decision.outcome is Outcome.PASS
    assert decision.reasons == ()
    (test,) = decision.tests
    assert (test.drift, test.high, test.p_value, test.change) == (0.0, 0.0, 1.0, Change.NONE)


def test_a_drift_beyond_chance_and_margin_fails():
    # 10 of 20 items lose .6, and nothing is lost among the others: on average .3 >= .11; p = (1/3)^10 / 2
    loss = np.where(np.arange(N) < 10, 0.6, 0.0)
    decision = decided({"contradictions": candidate_losses(loss, N, 3)}, metrics=("contradictions",))
    (test,) = decision.tests
    assert decision.outcome is Outcome.FAIL
    assert test.drift == pytest.approx(0.3)
    assert test.p_value == pytest.approx(3.0**-10 / 2)
    assert decision.reasons == ("contradictions rose from 0 % to 30 % of outputs",)
    assert test.change is Change.WORSE


def test_a_drift_beyond_chance_and_below_the_margin_passes_and_is_named():
    loss = np.where(np.arange(N) < 10, 0.02, 0.0)
    decision = decided({"contradictions": candidate_losses(loss, N, 3)}, metrics=("contradictions",))
    (test,) = decision.tests
    assert test.p_adjusted < 0.05
    assert decision.outcome is Outcome.PASS
    assert test.change is Change.SLIGHTLY_WORSE
    assert decision.slightly_worse == (test,)


def losing_outputs(share):
    """Losses of a candidate that lacks a share of the outputs of each third item."""
    loss = np.where(np.arange(N) % 3 == 0, share, 0.0)
    losses = np.zeros((N, 3, 3))
    losses[:, 1:, 0], losses[:, 0, 1:] = loss[:, None], -loss[:, None]
    return {"fewer_outputs": losses}


def test_lost_outputs_below_the_default_margin_leave_the_gate_undecided():
    # 7 of 20 items lose a fifth of their outputs: .07 on average, below the margin of .08
    decision = decided(losing_outputs(0.2), metrics=("fewer_outputs",))
    (test,) = decision.tests
    assert (test.drift, test.margin) == pytest.approx((0.07, 0.08))
    assert (decision.outcome, test.change) == (Outcome.UNDECIDED, Change.SLIGHTLY_WORSE)
    assert decision.lost_content == (test,)


def test_lost_outputs_below_a_stated_margin_pass_and_are_named():
    settings = GateSettings(metrics=("fewer_outputs",), margins={"fewer_outputs": 0.15})
    decision = decided(losing_outputs(0.2), settings)
    (test,) = decision.tests
    assert (decision.outcome, test.change) == (Outcome.PASS, Change.SLIGHTLY_WORSE)
    assert decision.lost_content == ()


def test_a_loss_that_chance_explains_leaves_nothing_to_name():
    loss = np.zeros((N, 3, 3))
    loss[:1, 1:, 0], loss[:1, 0, 1:] = 0.2, -0.2
    decision = decided({"fewer_outputs": loss}, metrics=("fewer_outputs",))
    assert (decision.outcome, decision.tests[0].change) == (Outcome.PASS, Change.NONE)


def test_a_drift_beyond_the_margin_that_chance_explains_is_undecided():
    # one item of 20 loses 1: mean drift .05, p = 1/6
    loss = np.where(np.arange(N) < 1, 1.0, 0.0)
    settings = GateSettings(metrics=("contradictions",), margins={"contradictions": 0.05})
    decision = decided({"contradictions": candidate_losses(loss, N, 3)}, settings)
    assert decision.tests[0].p_value == pytest.approx(1 / 6)
    assert decision.outcome is Outcome.UNDECIDED


def test_noise_is_no_drift():
    decision = decided({"match": candidate_losses(0.4, N, 3, noise=0.4)})
    (test,) = decision.tests
    assert (test.loss, test.noise, test.drift) == pytest.approx((0.4, 0.4, 0.0))
    assert test.margin == 0.06
    assert decision.outcome is Outcome.PASS


def test_without_a_rerun_a_loss_cannot_be_separated_from_noise():
    decision = decided({"match": candidate_losses(0.4, N, 2)}, k=2)
    assert decision.tests[0].noise is None
    assert decision.outcome is Outcome.UNDECIDED


def test_fewer_than_ten_items_do_not_pass():
    few = [run_of(TEXTS[:9], f"model-{number}") for number in range(3)]
    decision = decide(compared(few), GateSettings(metrics=("match",)))
    assert decision.outcome is Outcome.UNDECIDED


def test_p_values_are_corrected_for_the_number_of_metrics():
    # three items alone: (1/3)^3 = 1/27 of all exchanges have as great a sum, in both metrics at once
    loss = np.where(np.arange(N) < 3, 0.9, 0.0)
    losses = {name: candidate_losses(loss, N, 3) for name in ("contradictions", "output_count")}
    decision = decided(losses, metrics=("contradictions", "output_count", "match"))
    assert [test.p_adjusted for test in decision.tests] == pytest.approx([1 / 27, 1 / 27, 1.0], abs=0.012)


def test_silence_breaks_a_limit_and_is_named():
    silent = run_of([[] if number < 2 else text for number, text in enumerate(TEXTS)], "new")
    decision = decide(compared([silent, *runs(2)]), GateSettings(metrics=("match",)))
    assert decision.outcome is Outcome.FAIL
    assert decision.reasons == ("2 of 20 items lost all outputs (limit 0): 0, 1",)


def test_a_rerun_that_does_the_same_excuses_an_item():
    silent = run_of([[] if number < 1 else text for number, text in enumerate(TEXTS)], "new")
    comparison = compared([silent, run_of(TEXTS), silent])
    decision = decide(comparison, GateSettings(metrics=("match",)))
    assert decision.broken_limits == ()
    assert any("excluded" in caution for caution in decision.cautions)


@pytest.mark.parametrize(
    ("limit", "texts"),
    [
        ("refused", ["I'm sorry, but I can't help with that.", *TEXTS[1:]]),
        ("language", ["Die Antwort erklärt das Thema leider überhaupt nicht gut.", *TEXTS[1:]]),
        ("boilerplate", [f"As an AI language model, I agree. {TEXTS[0]}", *TEXTS[1:]]),
        ("boilerplate", [*(["Please review the course material again."] * 3), *TEXTS[3:]]),
    ],
)
def test_limits_can_be_broken_and_switched_off(limit, texts):
    comparison = compared([run_of(texts, "new"), *runs(2)])
    decision = decide(comparison, GateSettings(metrics=("match",)))
    assert [check.name for check in decision.broken_limits] == [limit]
    off = decide(comparison, GateSettings(metrics=("match",), limits={limit: "off"}))
    assert off.outcome is Outcome.PASS


def test_a_sentence_that_the_baseline_has_is_no_boilerplate():
    phrase = "Please review the course material again."
    candidate = run_of([f"{text} {phrase}" for text in TEXTS], "new")
    baseline = run_of([f"{TEXTS[0]} {phrase}", *TEXTS[1:]])
    assert decide(compared([candidate, baseline]), GateSettings(metrics=("match",))).broken_limits == ()


def test_lost_outputs_and_lost_numbers():
    scored = [[Output("One.", {"credits": 1.0}), Output("Two.", {"credits": 0.5}), Output("Three.", {})]]
    half = [[Output("One.", {"credits": 1.0})]]
    decision = decide(compared([run_of(half, "new"), run_of(scored)]))
    assert [check.name for check in decision.broken_limits] == ["lost_outputs"]
    without = [[Output("One."), Output("Two.")]]
    numbered = [[Output("One.", {"credits": 1.0}), Output("Two.", {"credits": 0.5})]]
    decision = decide(compared([run_of(without, "new"), run_of(numbered)]))
    assert [check.name for check in decision.broken_limits] == ["lost_fields"]


def test_groups_have_separate_outcomes_that_do_not_decide_an_undecided_gate():
    baseline = Run(
        "exam", "old", tuple(Item(str(i), (Output(TEXTS[i]),), None, {"part": "ab"[i % 2]}) for i in range(N))
    )
    loss = np.where(np.arange(N) % 2 == 0, 0.8, 0.0)
    comparison = compared([baseline, baseline, baseline], {"contradictions": candidate_losses(loss, N, 3)})
    decision = decide(comparison, GateSettings(metrics=("contradictions",), by=("part",)))
    assert {test.group: test.outcome for test in decision.tests} == {
        None: Outcome.FAIL,
        ("part", "a"): Outcome.FAIL,
        ("part", "b"): Outcome.PASS,
    }


def test_a_slice_has_separate_margins_limits_and_thresholds():
    baseline = Run(
        "exam", "old", tuple(Item(str(i), (Output(TEXTS[i]),), None, {"part": "ab"[i % 2]}) for i in range(N))
    )
    silent = Run("exam", "new", (Item("0", (), None, {"part": "a"}), *baseline.items[1:]))
    settings_of_a = SliceSettings(
        limits={"silenced": 1}, margins={"match": 0.5}, thresholds={"min_match": 0.9}
    )
    settings = GateSettings(metrics=("match",), slices={"part": {"a": settings_of_a}})
    decision = decide(compared([silent, baseline]), settings)
    checks = {check.group: check for check in decision.limits if check.name == "silenced"}
    assert (checks["part", "a"].n, checks["part", "a"].passed) == (10, True)
    assert (checks[None].n, checks[None].passed) == (10, True)
    assert [(check.group, check.passed) for check in decision.thresholds] == [(("part", "a"), True)]
    assert {test.group: test.margin for test in decision.tests} == {None: 0.06, ("part", "a"): 0.5}


def test_must_pass_items_fail_alone():
    # item 3 drifts by .4; all other drifts are 0
    loss = np.where(np.arange(N) == 3, 0.4, 0.0)
    settings = GateSettings(metrics=("match",), must_pass=("3", "4"))
    decision = decided({"match": candidate_losses(loss, N, 3)}, settings)
    assert [check.passed for check in decision.must_pass] == [False, True]
    assert decision.outcome is Outcome.FAIL
    assert "must-pass item 3" in decision.reasons[0]


def test_thresholds_are_about_the_candidate_alone():
    losses = {"match": candidate_losses(0.4, N, 3, noise=0.4)}
    settings = GateSettings(metrics=("match",), thresholds={"min_match": 0.7})
    decision = decided(losses, settings)
    assert decision.outcome is Outcome.FAIL
    assert decision.reasons == ("match is 0.6 (min_match 0.7)",)


def test_a_cheaper_run_is_better_and_never_fails():
    metrics = {"cost_difference": field_metrics("cost", 4.0)[0]}
    losses = np.zeros((N, 3, 3))
    losses[:, 0, 1:] = 2.0  # baseline and rerun cost 2 more than the candidate
    comparison = compared(runs(), {"cost_difference": losses}, metrics | dict(TEXT_METRICS))
    decision = decide(comparison, GateSettings(metrics=("cost_difference",)))
    (test,) = decision.tests
    assert (decision.outcome, test.change) == (Outcome.PASS, Change.BETTER)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"by": ("topic",)}, "by: no item has groups, got 'topic'"),
    ],
)
def test_unknown_names_are_refused_before_anything_is_measured(settings, message):
    with pytest.raises(UnknownNameError, match=message):
        check_settings(run_of(TEXTS), GateSettings(**settings))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"thresholds": {"min_match": 1.5}}, "0 to 1"),
        ({"metrics": ("side_by_side",)}, "give a judge"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        check_settings(run_of(TEXTS), GateSettings(**settings))


def test_a_missing_field_is_refused_with_the_present_fields_without_repeats():
    scored = run_of([[Output(text, {"credits": 1.0})] for text in TEXTS])
    with pytest.raises(InputError, match=r"there is credits$"):
        check_settings(scored, GateSettings(fields={"cost": "lower"}))


def test_the_sentence_of_a_similarity_states_similarities():
    loss = np.where(np.arange(N) < 15, 0.4, 0.0)
    decision = decided({"match": candidate_losses(loss, N, 3)})
    assert decision.reasons == ("match fell from 1.00 to 0.70 (drift 0.120, margin 0.060)",)
    assert math.isclose(decision.tests[0].loss, 0.3)


def test_a_percentage_stays_below_100():
    assert GateSettings(limits={"silenced": "10%"}).limits == {"silenced": 0.1}
    for written in ("100%", "250 %"):
        with pytest.raises(InputError, match=r"a share of them below 1 \(100 %\)"):
            GateSettings(limits={"silenced": written})


VOLTS = [f"The plug takes {volts} volts." for volts in range(11, 16)] + ["Plants need light."] * 15
NUMBERS = GateSettings(metrics=("match",), limits={"changed_numbers": 0})


def with_numbers(candidate, *references, settings=NUMBERS, changed=3):
    """Decide about runs whose losses of changed numbers are 1 at the first items of the candidate."""
    loss = np.where(np.arange(N) < changed, 1.0, 0.0)
    losses = {"changed_numbers": candidate_losses(loss, N, 1 + len(references))}
    runs = [run_of(candidate, "new"), *map(run_of, references)]
    return decide(compared(runs, losses), settings)


def test_changed_numbers_counts_the_items_that_state_numbers():
    # items 0 to 4 state a number; 2 states another one in the candidate
    candidate = [*VOLTS[:2], "The plug takes 90 volts.", *VOLTS[3:]]
    (check,) = with_numbers(candidate, VOLTS).broken_limits
    assert check.sentence == "1 of 5 items with numbers state other numbers (limit 0): 2"


def test_silent_items_state_no_numbers():
    # items 0 to 4 state a number; in the candidate 0 is silent, 1 has no words, and 2 states another
    candidate = [[], "null", "The plug takes 90 volts.", *VOLTS[3:]]
    settings = NUMBERS.with_values(limits={"changed_numbers": 0, "silenced": "off"})
    (check,) = with_numbers(candidate, VOLTS, settings=settings).broken_limits
    assert check.sentence == "1 of 3 items with numbers state other numbers (limit 0): 2"


def test_a_rerun_without_the_number_excuses_no_other_number():
    # at item 0 the rerun has no output, at item 1 it lacks the sentence with the number
    candidate = ["The plug takes 90 volts."] * 2 + VOLTS[2:]
    rerun = [[], "The plug fits.", *VOLTS[2:]]
    (check,) = with_numbers(candidate, VOLTS, rerun).broken_limits
    assert (check.items, check.excused) == (("0", "1"), ())


def test_a_number_that_a_run_states_elsewhere_at_the_item_is_no_other_number():
    # the rerun states the candidate's 90 volts at item 0, in another output
    candidate = ["The plug takes 90 volts."] * 2 + VOLTS[2:]
    rerun = [[VOLTS[0], "It never takes 90 volts."], *VOLTS[1:]]
    (check,) = with_numbers(candidate, VOLTS, rerun).broken_limits
    assert check.items == ("1",)


def test_a_rerun_with_a_different_number_excuses_an_item():
    candidate = ["The plug takes 90 volts."] * 2 + VOLTS[2:]
    rerun = ["The plug takes 70 volts.", *VOLTS[1:]]
    loss = candidate_losses(np.where(np.arange(N) < 2, 1.0, 0.0), N, 3)
    loss[0, 1, 2] = loss[0, 2, 1] = 1.0  # baseline and rerun differ, too
    runs = [run_of(candidate, "new"), run_of(VOLTS), run_of(rerun)]
    (check,) = decide(compared(runs, {"changed_numbers": loss}), NUMBERS).broken_limits
    assert (check.items, check.excused) == (("1",), ("0",))


def test_an_item_within_the_default_of_a_limit_leaves_the_gate_undecided():
    # one item may state other numbers by default; an allowance that somebody set passes
    candidate = ["The plug takes 90 volts.", *VOLTS[1:]]
    decision = with_numbers(candidate, VOLTS, settings=GateSettings(metrics=("match",)))
    assert (decision.outcome, decision.reasons) == (Outcome.UNDECIDED, ())
    assert [check.items for check in decision.undecided_limits] == [("0",)]
    allowed = GateSettings(metrics=("match",), limits={"changed_numbers": 1})
    assert with_numbers(candidate, VOLTS, settings=allowed).outcome is Outcome.PASS


def test_the_signature_changes_with_the_rule_that_decides(monkeypatch):
    before = str(decided({}).signature)
    monkeypatch.setattr(decision_module, "DECISION", 99)
    other_rule = str(decided({}).signature)
    assert ("decision:99#" in other_rule, before == other_rule) == (True, False)
    monkeypatch.setitem(TEXT_METRICS, "match", replace(TEXT_METRICS["match"], power=1))
    assert str(decided({}).signature) != other_rule


def test_items_that_were_asked_something_else_are_not_missing():
    matching = ItemMatching(lost=("20",), changed=("21", "22"))
    decision = decide(replace(compared(runs()), matching=matching), GateSettings(metrics=("match",)))
    (check,) = decision.broken_limits
    assert (check.name, check.items, check.n) == ("missing", ("20",), 23)


@pytest.mark.parametrize(
    ("limits", "cautions"),
    [
        # Text of another item loses .25: a similarity of .75, which passes .7 and fails .8.
        (
            {"min_match": 0.7},
            ["min_match 0.7 lets unrelated text pass: such text has 0.75 on average"],
        ),
        ({"min_match": 0.8}, []),
        ({"min_match": 0.0}, ["min_match 0 cannot fail: the worst similarity of match in this data is 0"]),
        ({"max_match": 0.9}, ["max_match 0.9 admits the worst similarity, 0: to find drift, use min_match"]),
        (
            {"min_match": 0.95},
            [
                "min_match 0.95 fails the baseline's own reruns, which have 0.9 on average: an unchanged "
                "model would fail it, too"
            ],
        ),
        ({"max_output_count": 0.1}, []),  # another item's text may have as many outputs
    ],
)
def test_useless_thresholds_are_named(limits, cautions):
    comparison = replace(
        compared(runs(), {"match": candidate_losses(0.1, N, 3, noise=0.1)}),
        floors={"match": 0.25, "output_count": 0.0},
    )
    assert list(threshold_cautions(comparison, read_thresholds(comparison.metrics, limits))) == cautions


def test_two_names_of_a_threshold_may_agree_and_a_missing_value_fails():
    metrics = {"credits_difference": field_metrics("credits", 2.5)[0]}
    limits = {"max_avg_credits_drift": 1, "max_credits_difference": 1}
    assert len(read_thresholds(metrics, limits)) == 2
    nothing = {"match": np.full((N, 3, 3), np.nan)}
    decision = decided(nothing, GateSettings(metrics=("match",), thresholds={"min_match": 0.0}))
    assert [check.passed for check in decision.thresholds] == [False]


@pytest.mark.parametrize(("added", "outcome"), [(0.3, Outcome.PASS), (0.0, Outcome.UNDECIDED)])
def test_lost_content_that_is_replaced_is_only_a_rewording(added, outcome):
    # All items lose a share of .2: squared .04, below the margin of .065.
    losses = {"lost_content": candidate_losses(0.2, N, 3), "added_content": candidate_losses(added, N, 3)}
    settings = GateSettings(metrics=("lost_content", "added_content"), margins={"added_content": 0.5})
    decision = decided(losses, settings)
    assert (decision.outcome, decision.tests[0].change) == (outcome, Change.SLIGHTLY_WORSE)
    assert decision.tests[0].is_content_lost == (outcome is Outcome.UNDECIDED)


@pytest.mark.parametrize(("k", "outcome"), [(3, Outcome.UNDECIDED), (5, Outcome.FAIL)])
def test_a_similarity_fails_only_beyond_the_doubt_about_the_noise_of_few_reruns(k, outcome):
    # Squared: .74 - .64 = .1. The margin of .06 and .1 * .64 / reruns are .124 with one and .081 with three.
    decision = decided({"match": candidate_losses(0.86, N, k, noise=0.8)}, k=k)
    (test,) = decision.tests
    assert test.drift == pytest.approx(0.7396 - 0.64)
    assert (decision.outcome, test.change is Change.SLIGHTLY_WORSE) == (outcome, False)
