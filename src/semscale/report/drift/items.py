"""The items that changed most: each pair of outputs side by side, with what guards found in it."""

from collections.abc import Iterator, Sequence

from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.harm import HarmedItem, worst_pairs
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.pair_differences import Difference, pair_differences, pair_outputs
from semscale.history.items import Item, Output
from semscale.report.document.blocks import ComparedItem, ComparedItems, ComparedPair
from semscale.report.document.marks import marked
from semscale.report.document.values import Cell, Change, Line, Marked, Number, Quoted
from semscale.report.drift.tables import metric_cell
from semscale.report.drift.words import digits_of, label
from semscale.report.formatting import clipped, counted
from semscale.report.guard_findings import GUARD_MEANINGS

SHOWN_ITEMS = 12

_SHOWN_PAIRS = 4
_LONGEST_OUTPUT, _LONGEST_INPUT, _LONGEST_REASON, _LONGEST_NAME = 500, 400, 200, 80
_SHOWN_FINDINGS = 6


def changed_items(summary: DriftSummary, harmed: Sequence[HarmedItem]) -> ComparedItems:
    """Lay out items whose outputs changed, with their worst pairs.

    Args:
        summary: the comparison.
        harmed: the items, the worst first.
    """
    pairs = worst_pairs(summary.comparison, [item.place for item in harmed])
    found = {finding.guard for of_item in pairs.values() for pair in of_item for finding in pair.findings}
    return ComparedItems(
        tuple(_item(summary, one, pairs[one.place]) for one in harmed),
        tuple((guard, GUARD_MEANINGS.get(guard, ""), None) for guard in sorted(found)),
        brief_title=f"{counted(min(len(harmed), ComparedItems.most), 'item')} that changed most",
        heads=("item", "metric", "drift", "baseline", "candidate"),
    )


def greatest_drift(summary: DriftSummary, harmed: HarmedItem) -> tuple[Cell, Cell]:
    """Name the metric that adds most to an item's harm, and its drift."""
    name, drift = next(iter(harmed.drifts.items()))
    metric = summary.comparison.metrics[name]
    return metric_cell(metric), Number(drift, digits_of(metric), signed=True)


def _item(summary: DriftSummary, harmed: HarmedItem, pairs: Sequence[AlignedPair]) -> ComparedItem:
    comparison = summary.comparison
    before, after = comparison.baseline.items[harmed.place], comparison.candidate.items[harmed.place]
    is_silent = bool(before.outputs_with_text) and not after.outputs_with_text
    return ComparedItem(
        id=Quoted(before.id, _LONGEST_NAME),
        harm=Number(harmed.harm),
        labels=tuple(Quoted(name, _LONGEST_NAME) for name in before.groups.values()),
        input=None if before.input is None else Quoted(before.input, _LONGEST_INPUT),
        pairs=tuple(_pair(summary, pair, is_silent=is_silent) for pair in pairs[:_SHOWN_PAIRS]),
        n_more=max(len(pairs) - _SHOWN_PAIRS, 0),
        drifts=tuple(
            (label(name), Number(drift, digits_of(comparison.metrics[name]), signed=True))
            for name, drift in harmed.drifts.items()
            if drift > 0
        ),
        brief=(Quoted(before.id), *greatest_drift(summary, harmed), _said(before), _said(after)),
    )


def _pair(summary: DriftSummary, pair: AlignedPair, *, is_silent: bool) -> ComparedPair:
    baseline, candidate = pair_outputs(summary.comparison, pair)
    is_same = baseline is not None and candidate is not None and baseline.text == candidate.text
    return ComparedPair(
        baseline=_marked(baseline, pair, "reference"),
        candidate=_marked(candidate, pair, "prediction"),
        names=("baseline", "candidate, the same" if is_same else "candidate"),
        absent=(
            "nothing that corresponds: the candidate's output is extra",
            "the candidate says nothing here" if is_silent else "missing: no output corresponds",
        ),
        findings=tuple(
            (found.guard, clipped(found.reason, _LONGEST_REASON).shown)
            for found in pair.findings[:_SHOWN_FINDINGS]
        ),
        figures=tuple(_figures(summary, pair)),
    )


def _marked(output: Output | None, pair: AlignedPair, side: str) -> Marked | None:
    if output is None:
        return None
    found = ((finding.guard, getattr(finding, side)) for finding in pair.findings)
    return marked(output.text or "", found, limit=_LONGEST_OUTPUT)


def _figures(summary: DriftSummary, pair: AlignedPair) -> Iterator[tuple[Line, Cell]]:
    """Show how alike two outputs are, and both values and their difference of every number that they have."""
    for name, score in pair.scores.items():
        yield label(name), Number(score)
    found = pair_differences(summary.comparison, pair)
    is_alone = None in {pair.baseline, pair.candidate}
    for field, one in found.fields.items():
        yield Quoted(field), _difference(one, is_alone=is_alone)
    yield "characters", _difference(found.characters, is_alone=is_alone)


def _difference(one: Difference, *, is_alone: bool) -> Cell:
    """Show what changed; one value where nothing did, or where one output has no partner."""
    if one.value == 0 or is_alone:
        return Number(one.candidate if one.baseline is None else one.baseline, None)
    return Change(one.baseline, one.candidate)


def _said(item: Item) -> Quoted:
    return Quoted(" / ".join(str(output.text) for output in item.outputs_with_text) or "(nothing)")
