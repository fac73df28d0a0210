"""Comparisons with texts, pairs and findings, and decisions about them: no model, no gate."""

from datetime import UTC, datetime, timedelta

import numpy as np

from semscale.drift.gate.decision import (
    DriftTest,
    GateDecision,
    Outcome,
    SequenceTest,
    ThresholdCheck,
    deciding_bound,
)
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import AlignedPair, MeasuredRun
from semscale.drift.measure.metrics import TEXT_METRICS, field_metric
from semscale.guards.findings import Finding, Span
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run
from semscale.signature import Signature
from semscale.stats.drift_tests import paired_means
from semscale.types import Status

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
SIGNATURE = Signature.of("drift", align="optimal", match="calibrated#0a1b2c3d", guards="negation+number")
GATE = Signature.of("gate", alpha=0.05, correction="holm").extended(SIGNATURE)
LOSSES = {"match": 0.16, "bertscore_f1": 0.10, "cosine": 0.05, "contradictions": 0.06, "output_count": 0.08,
          "length": 0.04, "silence": 0.0, "credits_difference": 0.30}  # fmt: skip

SAID = (
    ("You name both causes of the delay. Well argued.", "You name none of the causes of the delay."),
    ("The second step is missing: divide by 4 before you add.", "The second step is missing: divide by 40."),
    ("Please cite where the figure of 12 % comes from.", "Please cite where the figure comes from."),
)


def comparison_of(n=40, **settings):
    """A candidate beside a baseline with three outputs an item; some are missing, extra, or contradict it.

    Settings: ``text`` (before every text), ``groups``, ``kinds``, ``reruns``, ``metrics``, ``seed``; of the n
    items the last ``left_out`` are silent in both runs, the ``silent`` ones before them in the candidate.
    """
    plain = {"text": "", "groups": 4, "reruns": 2, "metrics": None, "silent": 2, "left_out": 1,
             "kinds": ("exercise",), "seed": 1}  # fmt: skip
    text, groups, reruns, metrics, silent, left_out, kinds, seed = (plain | settings).values()
    rng = np.random.default_rng(seed)
    names = list(metrics or LOSSES)
    pairs, candidates, baselines = [], [], []
    for place in range(n):
        belong = {kind: f"{text}{kind[:2]}-{place % groups}" for kind in kinds} if groups else {}
        asked = f"Explain why the train of item {place} was late. {text}"
        before, after, found = _outputs(place, text, mute=n - left_out - silent <= place < n - left_out)
        if place >= n - left_out:
            before, after, found = (), (), []
        baselines.append(Item(f"{text}item-{place:03d}", before, asked, belong))
        candidates.append(Item(f"{text}item-{place:03d}", after, asked, belong))
        pairs += found
    made = {
        name: TEXT_METRICS.get(name) or field_metric(name.removesuffix("_difference"), 2.5) for name in names
    }
    losses = {name: _losses(rng, made[name], LOSSES.get(name, 0.1), n) for name in names}
    noise = [
        {name: _losses(rng, made[name], LOSSES.get(name, 0.1) / 3, n) for name in names}
        for _ in range(reruns)
    ]
    for values in losses.values():
        values[n - left_out - silent : n - left_out] = 1.0 if silent else values[:0]
    for values in [*losses.values(), *(values for one in noise for values in one.values())]:
        values[n - left_out :] = np.nan
    status = np.array([Status.SCORED] * (n - left_out) + [Status.EMPTY] * left_out, dtype=object)
    measured = [MeasuredRun(made, one, status, tuple(pairs), SIGNATURE) for one in (losses, *noise)]
    shared = {"dataset": f"{text}feedback"}
    later = {"recorded": START + timedelta(days=30), "id": "c" * 32, "note": f"{text}shorter prompt"}
    return Comparison(
        Run(
            model=f"{text}model-a",
            items=tuple(baselines),
            recorded=START,
            revision="4f5a6b7",
            id="b" * 32,
            **shared,
        ),
        Run(model=f"{text}model-b", items=tuple(candidates), **shared, **later),
        measured[0],
        tuple(measured[1:]),
        {"match": 0.93, "bertscore_f1": 0.61} if "match" in names else {},
    )


def decision_about(comparison, *, cautions=(), thresholds=True, sequence=True, share=0.05, relative=0.5):
    """Decide by rules as simple as a hand could: interval against 0 and the margin."""
    tests = [_decided(comparison, name, None, np.full(len(comparison.baseline.items), fill_value=True),
                      share, relative) for name in comparison.metrics]  # fmt: skip
    for kind in comparison.baseline.group_kinds:
        for group, chosen in comparison.members(kind).items():
            tests += [
                _decided(comparison, name, (kind, group), chosen, share, relative)
                for name in comparison.metrics
            ]
    checks = (
        ThresholdCheck("min_bertscore_f1", "bertscore_f1", 0.8, 0.853, passed=True),
        ThresholdCheck("max_avg_credits_drift", "credits_difference", 0.25, 0.31, passed=False),
    )
    runs = (
        SequenceTest("match", (0.05, 0.07, 0.16), 0.12, (1.0, 1.3, 4.1), 0.24, is_significant=False),
        SequenceTest("cosine", (0.05, 0.3, 0.4), 0.12, (1.0, 9.3, 84.1), 0.012, is_significant=True),
    )
    outcomes = [test.outcome for test in tests]
    overall = [test.outcome for test in tests if test.group is None]
    failed = Outcome.FAIL in outcomes or (thresholds and not all(check.passed for check in checks))
    outcome = Outcome.FAIL if failed else Outcome.UNDECIDED if Outcome.UNDECIDED in overall else Outcome.PASS
    return GateDecision(
        outcome, tuple(tests), checks if thresholds else (), runs if sequence else (), tuple(cautions), GATE
    )


def approval_of(comparison, text=""):
    return Approval(
        comparison.baseline.id, comparison.baseline.dataset, f"{text}Ada", f"{text}checked by hand", START,
        expires=START + timedelta(days=90), id="a" * 32,
    )  # fmt: skip


def _decided(comparison, name, group, chosen, share, relative):
    span = comparison.metrics[name].span
    bounds = np.array([[-span if comparison.reruns else 0.0, span]])
    drift = paired_means(comparison.drifts(name)[chosen][:, None], bounds=bounds)[0].mean
    losses = comparison.losses(name)[chosen]
    noise = comparison.noise(name)
    margin = max(share * span, relative * (noise or 0.0))
    significant, material = bool(drift.low > 0), bool(drift.value >= margin)
    outcome = Outcome.FAIL if significant and material else Outcome.UNDECIDED
    if outcome is not Outcome.FAIL and deciding_bound(drift) < margin:
        outcome = Outcome.PASS
    p = np.nan if np.isnan(drift.value) else 0.0004 if significant else 0.21
    known = losses[~np.isnan(losses)]
    loss = float(known.mean()) if len(known) else float("nan")
    needed = 133 if outcome is Outcome.UNDECIDED else None
    return DriftTest(
        name, group, loss, drift, noise, margin, p, min(8 * p, 1.0), significant, material, outcome, needed
    )


def _losses(rng, metric, mean, n):
    return np.clip(rng.exponential(mean, n), 0, metric.span) if mean else np.zeros(n)


def _outputs(place, text, *, mute):
    before = tuple(Output(f"{text}{said[0]}", {"credits": 1.0 + row}) for row, said in enumerate(SAID))
    if mute:
        return before, (Output("  "),), [AlignedPair(place, row, None) for row in range(3)]
    after = [Output(f"{text}{said[1]}", {"credits": 1.5}) for said in SAID[: 2 + place % 2]]
    pairs = [AlignedPair(place, row, row, _scores(row), _findings(row, text)) for row in range(len(after))]
    if len(after) == 2:
        pairs.append(AlignedPair(place, 2, None))
    if place % 3 == 0:
        after.append(Output(f"{text}Nice layout!", {"credits": 0.5}))
        pairs.append(AlignedPair(place, None, len(after) - 1))
    return before, tuple(after), pairs


def _scores(row):
    return {"match": (0.31, 0.52, 0.94)[row], "bertscore_f1": 0.81, "cosine": 0.77}


def _findings(row, text):
    start = len(text)
    if row == 0:
        prediction = Span(start + 9, start + 13, "none")
        return (
            Finding(
                "negation", "negated-prediction", f"“none” denies what is said. {text}", prediction, None
            ),
        )
    if row == 1:
        return (
            Finding("number", "other-value", "40 stands where 4 was.", Span(start + 38, start + 40, "40"),
                    Span(start + 38, start + 39, "4")),
        )  # fmt: skip
    return ()
