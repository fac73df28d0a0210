"""A history with gates by hand: a baseline, a candidate that failed and one that passed."""

from dataclasses import replace
from datetime import timedelta

from tests.support.made_up_gate import START, gate_of

from semscale.history.history import open_history

BASELINE, FAILED, PASSED = "b" * 32, "c" * 32, "d" * 32


def write_history(place, *, text=""):
    """Store the runs and gates; the failed one contradicts 8 of 20 items and has no output for 2."""
    failed = gate_of(contradicted=8, silent=2, text=text)
    passed = gate_of(text=text)
    candidate = replace(
        passed.comparison.candidate,
        id=PASSED,
        model=f"{text}model-c",
        recorded=START + timedelta(days=60),
    )
    passed = replace(passed, comparison=replace(passed.comparison, candidate=candidate))
    with open_history(place) as history:
        history.record(failed.comparison.baseline)
        for rerun in failed.comparison.reruns:
            history.record(replace(rerun, note=rerun.id))
        history.approve(failed.approval)
        for day, summary in ((31, failed), (61, passed)):
            stored = replace(summary.stored, compared=START + timedelta(days=day))
            history.record_comparison(stored, candidate=summary.comparison.candidate)
    return failed, passed
