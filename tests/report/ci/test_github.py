"""Annotations: one command a line, and no text that could begin another."""

import re
from dataclasses import replace

from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.ci import SHOWN, github_annotations, stop_commands

COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]+)::([^\r\n]+)")
HOSTILE = "a\r\n::set-env name=X::100 %, b: c "


def annotations(compared, decision):
    return github_annotations(DriftSummary(compared, decision), decision)


def parts(lines):
    matches = [COMMAND.fullmatch(line) for line in lines]
    assert all(matches), lines
    return [match.groups() for match in matches]


def test_the_decision_comes_first_at_its_level():
    compared = comparison_of(20, groups=0)
    decision = decision_about(compared)
    (first, *_) = parts(annotations(compared, decision))
    assert first[0] == "error"
    assert first[1] == "Drift gate failed%3A model-b"
    calm = decision_about(compared, share=0.95, thresholds=False, sequence=False)
    ((level, title, message),) = parts(annotations(compared, calm))
    assert (level, title) == ("notice", "Drift gate passed%3A model-b")
    assert message.startswith("Nothing to do: ")
    assert "Every metric's drift lies below its margin." in message


def test_an_undecided_gate_is_a_warning_not_an_error():
    compared = comparison_of(20, groups=0, metrics=("match",))
    decision = decision_about(compared, thresholds=False, sequence=False)
    one = replace(decision.tests[0], outcome=Outcome.UNDECIDED, n_needed=70)
    lines = parts(annotations(compared, replace(decision, outcome=Outcome.UNDECIDED, tests=(one,))))
    assert [level for level, _, _ in lines] == ["warning", "warning"]
    assert "of simulated comparisons" in lines[0][2]


def test_texts_cannot_break_out():
    compared = comparison_of(20, text=HOSTILE)
    lines = annotations(compared, decision_about(compared, cautions=[HOSTILE]))
    caution = next(message for _, title, message in parts(lines) if title == "Caution")
    assert caution == "a%0D%0A::set-env name=X::100 %25, b: c "


def test_each_kind_stays_within_what_is_shown_and_counts_the_rest():
    compared = comparison_of(200, groups=20)
    decision = decision_about(compared)
    lines = parts(annotations(compared, decision))
    errors = [line for line in lines if line[0] == "error"]
    assert len(errors) == SHOWN
    failed = sum(test.outcome is Outcome.FAIL for test in decision.tests) + 1  # a threshold
    # nine are shown, one of which is the decision itself: 8 tests, and the others are counted
    assert errors[-1][2].startswith(f"and {failed - 8} more")


def test_commands_are_stopped_with_a_token_that_nobody_can_guess():
    stop, resume = stop_commands()
    token = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", stop)[1]
    assert resume == f"::{token}::"
    assert stop_commands() != (stop, resume)
