"""Gates about made-up runs: texts, losses and pairs by hand, no model."""

from datetime import UTC, datetime, timedelta

import numpy as np

from semscale.drift.comparison import AlignedPair, Comparison
from semscale.drift.decision import decide
from semscale.drift.metrics import TEXT_METRICS
from semscale.drift.settings import GateSettings
from semscale.drift.summary import DriftSummary
from semscale.guards.findings import Finding, Span
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run
from semscale.signature import Signature
from semscale.types import Status

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
BEFORE = "The dose of case {} is safe."
AFTER = "The dose of case {} is not safe."
METRICS = ("match", "lost_content", "contradictions", "fewer_outputs")


def gate_of(n=20, *, contradicted=0, silent=0, reruns=2, text="", settings=None, cautions=()):
    """The gate about a candidate that contradicts the first items and has no output for the last ones."""
    ids = [f"{text}item-{number:02d}" for number in range(n)]
    groups = [{"topic": f"{text}topic {number % 2}"} for number in range(n)]
    question = f"{text}Is the dose safe?"
    old = tuple(
        Item(id_, (Output(text + BEFORE.format(id_[-2:]), {"credits": 1.0}),), question, group)
        for id_, group in zip(ids, groups, strict=True)
    )
    new = tuple(
        Item(item.id, _outputs(number, n, text, contradicted, silent), question, item.groups)
        for number, item in enumerate(old)
    )
    k = 2 + reruns
    losses = {name: np.zeros((n, k, k)) for name in METRICS}
    changed = {
        "contradictions": np.arange(n) < contradicted,
        "match": 0.3 * (np.arange(n) < contradicted) + (np.arange(n) >= n - silent),
    }
    for name, loss in changed.items():
        losses[name][:, 1:, 0] = losses[name][:, 0, 1:] = np.asarray(loss, float)[:, None]
    comparison = Comparison(
        baseline=Run("feedback", f"{text}model-a", old, id="b" * 32, recorded=START, revision="4f5a6b7"),
        candidate=Run("feedback", f"{text}model-b", new, id="c" * 32, recorded=START + timedelta(days=30)),
        reruns=tuple(
            Run("feedback", "model-a", old, id=f"{number}" * 32, rerun_of="b" * 32)
            for number in range(reruns)
        ),
        metrics={name: TEXT_METRICS[name] for name in METRICS},
        pair_losses={**losses, "changed_numbers": np.zeros((n, k, k))},
        status=np.array([Status.SCORED] * n, object),
        pairs=tuple(_pair(number, n, len(text), contradicted, silent) for number in range(n)),
        windows=np.ones(n, np.int64),
        settings=Signature.of("drift", match="calibrated#0a1b2c3d"),
        cautions=tuple(cautions),
    )
    decision = decide(comparison, settings or GateSettings())
    approval = Approval("b" * 32, "feedback", f"{text}Ann", f"{text}read by hand", START, id="a" * 32)
    return DriftSummary(comparison, decision, approval)


def _outputs(number, n, text, contradicted, silent):
    if number >= n - silent:
        return ()
    sentence = AFTER if number < contradicted else BEFORE
    return (Output(text + sentence.format(f"{number:02d}"[-2:]), {"credits": 1.0}),)


def _pair(number, n, start, contradicted, silent):
    if number >= n - silent:
        return AlignedPair(number, 0, None)
    if number >= contradicted:
        return AlignedPair(number, 0, 0, {"match": 1.0})
    span = Span(start + 23, start + 26, "not")
    return AlignedPair(
        number,
        0,
        0,
        {"match": 0.7},
        (Finding("negation", "negated-prediction", "“not” denies it.", span, None),),
    )
