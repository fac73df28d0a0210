"""The report on drift: one self-contained HTML document from a comparison and the gate's decision."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome
from semscale.history.runs import now
from semscale.report.drift_changes import shown_items, words_on_sorting
from semscale.report.drift_facts import drift_estimates, n_left_out, n_silent, overall_tests
from semscale.report.drift_figures import metrics_figure, spread_figure
from semscale.report.drift_group_figures import groups_figure, groups_map
from semscale.report.drift_items import HARM, HARM_WITHOUT_GATE, harm, most_harmed
from semscale.report.drift_tables import sequence_table, table_of_tests, thresholds_table
from semscale.report.drift_words import (
    LEVELS,
    OUTCOMES,
    digits_of,
    estimate_words,
    interval_words,
    metric_label,
    reasons,
    urgency,
)
from semscale.report.figures import Figure, Table
from semscale.report.page import render
from semscale.report.sentences import GUARD_MEANINGS
from semscale.report.unvaried_words import unvaried_words
from semscale.report.wording import clipped, count, counted, one_line
from semscale.stats.intervals.means import MeanEstimate

if TYPE_CHECKING:
    from semscale.drift.measure.comparison import Comparison
    from semscale.history.runs import Approval, Run

SHOWN_ITEMS = 12
_NAMED_IDS = 30


def drift_page(
    comparison: "Comparison", decision: GateDecision | None, *, approval: "Approval | None" = None
) -> str:
    """Write the report on a comparison.

    The document needs no network and runs no script; every text of a run is escaped.

    Args:
        comparison: what was measured.
        decision: what the gate decided; ``None`` where none was asked.
        approval: who made the baseline the baseline.

    Returns:
        A whole HTML document.
    """
    tests = () if decision is None else decision.tests
    drifts = drift_estimates(comparison, decision)
    overall = sorted(overall_tests(decision).values(), key=urgency)
    main = _main_metric(comparison, overall)
    harmed = most_harmed(comparison, decision, limit=SHOWN_ITEMS)
    shown = shown_items(comparison, harmed)
    signature = comparison.signature if decision is None else decision.signature
    sorting = words_on_sorting(shown, int((harm(comparison, decision) > 0).sum()))
    return render(
        "drift.html.j2",
        title=f"Is “{clipped(comparison.candidate.model, 60).shown}” as good as the baseline?",
        model=clipped(comparison.candidate.model, 60).shown,
        dataset=clipped(comparison.baseline.dataset, 80).shown,
        created=comparison.candidate.recorded,
        outcome=None if decision is None else OUTCOMES[decision.outcome],
        level=None if decision is None else LEVELS[decision.outcome],
        reading=_reading(comparison, decision, drifts),
        cautions=() if decision is None else [clipped(caution, 500).shown for caution in decision.cautions],
        facts=_facts(comparison, decision),
        runs=(
            ("Baseline", _run(comparison.baseline, approval)),
            ("Candidate", _run(comparison.candidate, None)),
        ),
        metrics=metrics_figure(comparison, decision, drifts) if comparison.metrics else None,
        tests=None if decision is None or not overall else _tests(comparison, decision, overall),
        unvaried=unvaried_words(drifts, decision),
        spread=None if main is None else spread_figure(comparison, main),
        groups=_groups(comparison, tests, interval_words(decision)),
        thresholds=None if decision is None else thresholds_table(decision),
        sequence=None if decision is None else sequence_table(decision),
        items=shown,
        items_said=f"{sorting}. {HARM_WITHOUT_GATE if decision is None else HARM}.",
        guards=_guards(comparison, {item.place for item in harmed}),
        left_out=_left_out(comparison),
        settings=_settings(comparison, signature.fields),
        signature=str(signature),
        version=signature.version,
    )


def _main_metric(comparison: "Comparison", overall: list[DriftTest]) -> str | None:
    """Choose the metric whose spread is drawn: the most urgent one of texts or fields."""
    if overall:
        return overall[0].metric
    return next(iter(comparison.metrics), None)


def _tests(comparison: "Comparison", decision: GateDecision, overall: Sequence[DriftTest]) -> Table:
    interval, over_runs = interval_words(decision), bool(decision.sequence)
    return table_of_tests(comparison, overall, interval=interval, over_runs=over_runs)


def _reading(
    comparison: "Comparison", decision: GateDecision | None, estimates: Mapping[str, MeanEstimate]
) -> tuple[str, ...]:
    if decision is not None:
        return reasons(decision, comparison)
    known = {name: one.value / comparison.metrics[name].span for name, one in estimates.items()}
    known = {name: share for name, share in known.items() if not math.isnan(share)}
    if not known:
        return ("No item has a value, so there is nothing to compare.",)
    worst = max(known, key=lambda name: known[name])
    digits = digits_of(comparison.metrics[worst])
    found = f"{metric_label(worst)} {estimate_words(estimates[worst], digits)}"
    n = counted(estimates[worst].n, "item")
    head = "Greatest drift" if known[worst] > 0 else "No metric drifted for the worse; nearest to it"
    return f"{head}: {found} ({n}).", "No gate was asked, so nothing was decided."


def _facts(comparison: "Comparison", decision: GateDecision | None) -> list[tuple[str, str]]:
    facts = [
        ("Items", count(len(comparison.baseline.items))),
        ("Left out", count(n_left_out(comparison))),
        ("Silent", count(n_silent(comparison))),
        ("Reruns", count(len(comparison.reruns)) if comparison.reruns else "none"),
    ]
    if decision is None:
        return facts
    for name, outcome in (("Failed tests", Outcome.FAIL), ("Undecided", Outcome.UNDECIDED)):
        n = sum(test.outcome is outcome for test in decision.tests)
        facts.append((name, f"{count(n)} of {count(len(decision.tests))}"))
    if decision.outcome is Outcome.UNDECIDED and decision.n_needed is not None:
        facts.append(("Items that would decide", f"≈ {count(decision.n_needed)}"))
    return facts


def _run(run: "Run", approval: "Approval | None") -> list[tuple[str, str]]:
    stated = [
        ("Model", clipped(run.model, 120).shown),
        ("Recorded", _time(run.recorded)),
        ("Run", run.id),
        ("Revision", run.revision),
        ("Note", None if run.note is None else clipped(run.note, 300).shown),
    ]
    if approval is not None:
        stated += [
            ("Approved by", clipped(approval.by, 120).shown),
            ("Approved", _time(approval.approved)),
            ("Why", clipped(approval.why, 300).shown),
            ("Expires", _expiry(approval)),
        ]
    return [(name, one_line(value)) for name, value in stated if value]


def _expiry(approval: "Approval") -> str:
    if approval.expires is None:
        return "never"
    return f"{_time(approval.expires)}{' (expired)' if approval.is_stale(now()) else ''}"


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M %Z").strip()


def _groups(
    comparison: "Comparison", tests: tuple[DriftTest, ...], interval: str
) -> list[tuple[str, Figure, Figure | None]]:
    """Draw each kind of groups: the metric that is worst in any of them, and a map of all metrics."""
    kinds = dict.fromkeys(test.group[0] for test in tests if test.group is not None)
    drawn = []
    for kind in kinds:
        chosen = [test for test in tests if test.group is not None and test.group[0] == kind]
        metric = min(chosen, key=urgency).metric
        overall = next((test for test in tests if test.group is None and test.metric == metric), None)
        of_metric = [test for test in chosen if test.metric == metric]
        first = groups_figure(comparison, of_metric, overall, interval=interval)
        several = len({test.metric for test in chosen}) > 1
        mapped = groups_map(comparison, chosen, interval=interval) if several else None
        drawn.append((clipped(kind, 60).shown, first, mapped))
    return drawn


def _guards(comparison: "Comparison", places: set[int]) -> list[tuple[str, str]]:
    """Name the guards that found something in the items that are shown."""
    found = {
        finding.guard
        for pair in comparison.measured.pairs
        if pair.item in places
        for finding in pair.findings
    }
    return [(guard, GUARD_MEANINGS.get(guard, "")) for guard in sorted(found)]


def _left_out(comparison: "Comparison") -> tuple[str, ...]:
    """Name the items without a value, the first of them at least."""
    statuses = zip(comparison.baseline.items, comparison.measured.status, strict=True)
    ids = [clipped(item.id, 80).shown for item, status in statuses if status != "scored"]
    more = [f"and {count(len(ids) - _NAMED_IDS)} more"] if len(ids) > _NAMED_IDS else []
    return (*ids[:_NAMED_IDS], *more)


def _settings(comparison: "Comparison", fields: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    stated = [("Dataset", comparison.baseline.dataset), ("Metrics", ", ".join(comparison.metrics))]
    stated += [(f"· {name}", value) for name, value in fields]
    return [(name, one_line(value)) for name, value in stated]
