"""The summary of a comparison: next steps, JSON, the stored comparison, and the items that became worse."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.support.made_up_losses import candidate_losses, compared, run_of

from semscale.drift.anchors import Moved, RulerCheck, RulerStatus, with_ruler
from semscale.drift.comparison import EQUAL_OUTPUTS, AlignedPair
from semscale.drift.decision import decide
from semscale.drift.runs import ItemMatching
from semscale.drift.settings import GateSettings
from semscale.drift.summary import Difference, DriftSummary
from semscale.history.items import Output
from semscale.history.stored_comparison import Outcome

N = 20
TEXTS = [f"Answer number {letter} explains the subject well." for letter in "abcdefghijklmnopqrst"]
ONLY_MATCH = GateSettings(metrics=("match",))


def runs(k=3):
    return [run_of(TEXTS, f"model-{number}") for number in range(k)]


def summary_of(losses=None, *, k=3, settings=ONLY_MATCH, candidate=None, **changes):
    created = runs(k)
    comparison = replace(compared([candidate or created[0], *created[1:]], losses), **changes)
    return DriftSummary(comparison, decide(comparison, settings))


def test_a_passed_gate_needs_nothing():
    assert summary_of().next_step.startswith("Nothing to do")


def test_equal_outputs_are_to_be_checked():
    summary = summary_of(cautions=(EQUAL_OUTPUTS,))
    assert summary.next_step == "Check that the right file was recorded: all outputs equal the baseline's"


def test_a_failed_gate_names_the_items_of_the_gravest_finding():
    silent = run_of([[], *TEXTS[1:4], [], *TEXTS[5:]], "new")
    summary = summary_of(candidate=silent)
    assert summary.next_step == "Look at '0', '4'; approve the run only if this change is intended"
    assert summary.n_silent == 2


def test_a_stored_comparison_names_the_rule_that_decided():
    assert "|decision:" in summary_of().stored.signature


def test_few_items_need_more_of_them():
    few = [run_of(TEXTS[:5], f"model-{number}") for number in range(3)]
    comparison = compared(few)
    summary = DriftSummary(comparison, decide(comparison, ONLY_MATCH))
    assert summary.next_step == "Add items to the dataset: a gate passes with at least 10, and it has 5"


def test_missing_items_are_to_be_recorded():
    summary = summary_of(matching=ItemMatching(lost=("a", "b")))
    assert summary.next_step == (
        "Record the 2 missing items, without outputs where the model gave none ('a', 'b')"
    )


def test_drift_names_the_items_that_changed_most():
    loss = np.where(np.arange(N) < 15, 0.4, 0.0)
    loss[[7, 3]] = 0.9, 0.8
    summary = summary_of({"match": candidate_losses(loss, N, 3)})
    assert summary.decision.outcome is Outcome.FAIL
    assert summary.next_step.startswith("Look at '7', '3', '0'")
    assert summary.worst(1) == (7,)
    # The squared loss there is .81, .75 beyond the margin of .06.
    assert summary.harm[7] == pytest.approx(0.75)
    assert summary.drifts_of(7) == {"match": 0.81}


def test_a_failed_gate_names_no_item_that_is_worse_only_in_what_did_not_fail():
    # Items 0 to 7 contradict the baseline: .5 * 8 / 20 = .2, beyond the margin of .11. The added content of
    # item 19, which has the greatest harm of all, may be chance.
    contradictions = candidate_losses(np.where(np.arange(N) < 8, 0.5, 0.0), N, 3)
    added = candidate_losses(np.where(np.arange(N) == 19, 0.95, 0.0), N, 3)
    losses = {"contradictions": contradictions, "added_content": added}
    summary = summary_of(losses, settings=GateSettings(metrics=tuple(losses)))
    assert [test.outcome for test in summary.decision.tests] == [Outcome.FAIL, Outcome.UNDECIDED]
    assert summary.worst(1) == (19,)
    assert summary.telling_items(20) == tuple(range(8))
    assert summary.next_step.startswith("Look at '0', '1', '2'; approve")


@pytest.mark.exhaustive
def test_an_undecided_gate_names_items_of_what_is_undecided():
    # Half of a contradiction in item 3 is below the margin; the added content of item 19 may be chance.
    losses = {
        "contradictions": candidate_losses(np.where(np.arange(N) == 3, 0.5, 0.0), N, 3),
        "added_content": candidate_losses(np.where(np.arange(N) == 19, 0.9, 0.0), N, 3),
    }
    summary = summary_of(losses, settings=GateSettings(metrics=tuple(losses)))
    assert [test.outcome for test in summary.decision.tests] == [Outcome.PASS, Outcome.UNDECIDED]
    assert summary.telling_items(20) == (19,)
    assert "look at '19', and approve" in summary.next_step


def test_an_undecided_gate_without_a_rerun_asks_for_a_rerun():
    summary = summary_of({"match": candidate_losses(0.4, N, 2)}, k=2)
    assert summary.decision.outcome is Outcome.UNDECIDED
    assert "(semscale drift record FILE --rerun-of baseline)" in summary.next_step
    assert summary.plan is None


@pytest.mark.exhaustive
def test_an_undecided_gate_with_a_rerun_has_a_plan():
    loss = np.where(np.arange(N) < 2, 0.55, 0.0)  # 2 of 20 items lose much, which may be chance
    summary = summary_of({"match": candidate_losses(loss, N, 3)})
    assert summary.decision.outcome is Outcome.UNDECIDED
    assert summary.plan.sentence in summary.next_step


def ruler_check(status):
    return RulerCheck("pairs", "0123456789ab", 20, RulerStatus(status), (), (), (), {}, "drift", ())


@pytest.mark.parametrize(
    ("loss", "status", "outcome", "moved"),
    [
        (0.4, "kept", Outcome.FAIL, Moved.SYSTEM),
        (0.0, "moved", Outcome.UNDECIDED, Moved.RULER),
        (0.4, "moved", Outcome.FAIL, Moved.BOTH),
        (0.0, "kept", Outcome.PASS, Moved.NEITHER),
        (0.4, "new", Outcome.FAIL, None),
    ],
)
def test_a_changed_ruler_decides_nothing_but_a_failure(loss, status, outcome, moved):
    plain = summary_of({"match": candidate_losses(loss, N, 3)})
    check = ruler_check(status)
    summary = replace(plain, decision=with_ruler(plain.decision, check), ruler=check)
    assert (summary.decision.outcome, summary.moved) == (outcome, moved)
    assert summary.next_step.startswith("The ruler changed") is (status == "moved")
    assert summary.stored.ruler_moved is (status == "moved")


def test_json_has_all_tests_and_null_for_missing_values():
    nothing = np.full((N, 3, 3), np.nan)
    settings = GateSettings(metrics=("match", "contradictions"), thresholds={"min_match": 0.5})
    summary = summary_of({"contradictions": nothing}, settings=settings)
    record = json.loads(summary.to_json())
    assert (record["outcome"], record["items"], record["reruns"]) == ("pass", N, 1)
    (contradictions,) = [metric for metric in record["metrics"] if metric["metric"] == "contradictions"]
    assert [contradictions[name] for name in ("loss", "drift", "low", "high", "floor")] == [None] * 5
    assert contradictions["n"] == 0
    (threshold,) = record["thresholds"]
    assert (threshold["name"], threshold["value"], threshold["passed"]) == ("min_match", 1.0, True)
    assert record["signature"] == str(summary.decision.signature)


def test_pairs_of_outputs_have_their_differences():
    before = run_of([[Output(" "), Output("Good. ", {"credits": 1.0, "weight": 2.0})]])
    after = run_of([[Output("Not good.", {"credits": 0.25, "rank": 3.0})]], "new")
    comparison = compared([after, before])
    summary = DriftSummary(comparison, decide(comparison))
    # An output without a text is not counted, so that the first one with a text is number 0.
    differences = summary.differences(AlignedPair(0, 0, 0))
    assert differences["characters"] == Difference(5, 9)
    assert differences["credits"].value == -0.75
    assert (differences["rank"], differences["weight"]) == (Difference(None, 3.0), Difference(2.0, None))
    alone = summary.differences(AlignedPair(0, 0, None))
    assert (alone["characters"], alone["credits"].value) == (Difference(5, None), None)


def test_a_stored_comparison_has_every_metric_in_every_group():
    loss = np.linspace(0.2, 0.4, N)
    summary = summary_of({"match": candidate_losses(loss, N, 3)})
    stored = summary.stored
    figure = next(figure for figure in stored.figures if figure.metric == "match")
    # .3 on average; the drift is the mean of loss^2: .3^2 + .2^2 / 12 * 21 / 19 = .09368.
    assert (figure.loss, figure.drift, figure.margin) == pytest.approx((0.3, 0.09368, 0.06), abs=1e-5)
    assert figure.low < 0.09368 < figure.high
    assert {figure.metric for figure in stored.figures} == set(summary.comparison.metrics)
    np.testing.assert_allclose(stored.scores["match"], loss)
    assert (stored.outcome, stored.model) == ("fail", "model-0")
    assert [check.name for check in stored.checks][:2] == ["missing", "silenced"]
    assert summary.stored is stored


def test_an_item_without_a_value_has_no_harm():
    unknown = candidate_losses(0.4, N, 3)
    unknown[0] = math.nan
    assert summary_of({"match": unknown}).harm[0] == 0.0
