"""Metrics that guards cannot measure in a language are left out of the decision, and nothing else is."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, spread_out

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.left_out_metrics import split_metrics
from semscale.drift.gate.next_step import next_step
from semscale.drift.gate.settings import GateSettings
from semscale.history.items import Item, Output

GERMAN, ENGLISH = "Das ist leider nicht richtig.", "That is not right, I am afraid."
FEW = GateSettings(replicates=200)
N = 30


def saying(run, *texts):
    """The run with these texts in turn; ``None`` for an item without outputs."""
    items = tuple(
        Item(item.id, () if texts[at % len(texts)] is None else (Output(texts[at % len(texts)]),))
        for at, item in enumerate(run.items)
    )
    return replace(run, items=items)


def compared(contradictions, before=(GERMAN,), after=(GERMAN,), **losses):
    """A candidate with these contradictions, all else as before; its reruns have the same values."""
    known = {"match": spread_out(0.1, N), "contradictions": np.array(contradictions, float), **losses}
    found = comparison(known, reruns=[known] * 3)
    return replace(found, baseline=saying(found.baseline, *before), candidate=saying(found.candidate, *after))


def test_contradictions_that_no_guard_could_look_for_do_not_hold_the_gate_up():
    found = compared([np.nan] * N)
    decision = decide(found, FEW)
    assert [test.metric for test in decision.tests] == ["match"]
    assert decision.outcome is Outcome.PASS
    (caution,) = [one for one in decision.cautions if one.startswith("contradictions: left out")]
    assert "guards read English alone and none of 30 items have a value" in caution


@pytest.mark.parametrize(("known", "is_left_out"), [([0.0] * 9, True), ([0.0] * 10, False), ([1.0], False)])
def test_a_few_items_without_a_contradiction_decide_nothing(known, is_left_out):
    found = compared([*known, *[np.nan] * (N - len(known))])
    assert (split_metrics(found, ("match", "contradictions"))[1] == ("contradictions",)) is is_left_out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((ENGLISH,), (GERMAN,)),  # the candidate left the language
        ((GERMAN,), ("C'est malheureusement tout à fait faux.",)),
        ((ENGLISH,), (ENGLISH,)),  # guards could look
    ],
)
def test_what_the_baseline_could_have_stays_undecided(before, after):
    found = compared([np.nan] * N, before, after)
    assert split_metrics(found, ("match", "contradictions")) == (("match", "contradictions"), ())
    decision = decide(found, FEW)
    assert decision.outcome is Outcome.UNDECIDED
    assert next_step(found, decision).startswith("No item has a value in contradictions: ")


def test_silence_in_another_language_still_fails():
    # A silent candidate has the greatest loss in every metric, so that nothing is without a value.
    losses = np.where(np.arange(N) < 15, 1.0, np.nan)
    found = compared(losses, after=(None, GERMAN), silence=np.where(np.arange(N) < 15, 1.0, 0.0))
    assert split_metrics(found, ("contradictions", "silence"))[1] == ()
    assert "silenced" in [check.name for check in decide(found, FEW).broken_limits]


def test_a_similarity_without_a_value_and_the_only_metric_are_never_left_out():
    nothing = np.full(N, np.nan)
    assert split_metrics(compared(nothing, match=nothing), ("match", "contradictions"))[0] == ("match",)
    assert decide(compared(nothing, match=nothing), FEW).outcome is Outcome.UNDECIDED
    assert split_metrics(compared(nothing), ("contradictions",)) == (("contradictions",), ())
