"""The items that changed most, as a page shows them: each aligned pair of outputs side by side."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.pair_differences import (
    Difference,
    PairDifferences,
    pair_differences,
    pair_outputs,
)
from semscale.history.items import Output
from semscale.report.drift_items import HarmedItem
from semscale.report.drift_words import digits_of, metric_label, signed
from semscale.report.highlights import Piece, pieces
from semscale.report.wording import MISSING, clipped, count, number, one_line, plain

if TYPE_CHECKING:
    from semscale.drift.measure.comparison import Comparison

SHOWN_PAIRS = 4
_LONGEST_OUTPUT, _LONGEST_INPUT, _LONGEST_REASON, _LONGEST_NAME = 500, 400, 200, 80
_SHOWN_FINDINGS = 6
_PARTNERLESS = -1.0  # below every score: pairs that lack an output come first


@dataclass(frozen=True)
class ShownPair:
    """Two outputs side by side; one of them is ``None`` where it has no partner."""

    baseline: tuple[Piece, ...] | None
    candidate: tuple[Piece, ...] | None
    is_same: bool
    figures: tuple[tuple[str, str], ...]
    findings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ShownItem:
    """One item with its worst pairs, and how many further ones are not shown."""

    id: str
    harm: str
    groups: tuple[str, ...]
    input: str | None
    drifts: tuple[tuple[str, str], ...]
    is_silent: bool
    pairs: tuple[ShownPair, ...]
    n_more: int


def shown_items(comparison: "Comparison", harmed: tuple[HarmedItem, ...]) -> tuple[ShownItem, ...]:
    """Lay items out for a page; pairs that lack a partner come first in an item, then the least alike."""
    pairs = pairs_of(comparison, [item.place for item in harmed])
    return tuple(_item(comparison, item, pairs[item.place]) for item in harmed)


def worst_outputs(
    comparison: "Comparison", places: Iterable[int]
) -> dict[int, tuple[Output | None, Output | None]]:
    """Give each item's worst pair, the baseline's output and the candidate's; ``None`` for one it lacks."""
    worst: dict[int, tuple[Output | None, Output | None]] = {}
    for place, pairs in pairs_of(comparison, places).items():
        worst[place] = pair_outputs(comparison, pairs[0]) if pairs else (None, None)
    return worst


def pairs_of(comparison: "Comparison", places: Iterable[int]) -> dict[int, list[AlignedPair]]:
    """Collect the pairs of some items, the worst of each first."""
    pairs: dict[int, list[AlignedPair]] = {place: [] for place in places}
    for pair in comparison.measured.pairs:
        if pair.item in pairs:
            pairs[pair.item].append(pair)
    return {place: sorted(found, key=_alike) for place, found in pairs.items()}


def _item(comparison: "Comparison", harmed: HarmedItem, pairs: list[AlignedPair]) -> ShownItem:
    before = comparison.baseline.items[harmed.place]
    after = comparison.candidate.items[harmed.place]
    drifts = {name: drift for name, drift in harmed.drifts.items() if drift > 0}
    return ShownItem(
        id=clipped(before.id, _LONGEST_NAME).shown or MISSING,
        harm=number(harmed.harm),
        groups=tuple(clipped(name, _LONGEST_NAME).shown for name in before.groups.values()),
        input=None if before.input is None else clipped(before.input, _LONGEST_INPUT).shown,
        drifts=tuple(
            (metric_label(name), signed(drift, digits_of(comparison.metrics[name])))
            for name, drift in drifts.items()
        ),
        is_silent=bool(before.spoken) and not after.spoken,
        pairs=tuple(_pair(comparison, pair) for pair in pairs[:SHOWN_PAIRS]),
        n_more=max(len(pairs) - SHOWN_PAIRS, 0),
    )


def _alike(pair: AlignedPair) -> float:
    if pair.baseline is None or pair.candidate is None:
        return _PARTNERLESS
    known = [score for score in pair.scores.values() if not math.isnan(score)]
    return known[0] if known else 1.0


def _pair(comparison: "Comparison", pair: AlignedPair) -> ShownPair:
    baseline, candidate = pair_outputs(comparison, pair)
    return ShownPair(
        baseline=None if baseline is None else _marked(baseline, pair, "reference"),
        candidate=None if candidate is None else _marked(candidate, pair, "prediction"),
        is_same=baseline is not None and candidate is not None and baseline.text == candidate.text,
        figures=(
            *_scores(pair.scores),
            *_differences(pair_differences(comparison, pair), alone=None in (baseline, candidate)),
        ),
        findings=tuple(
            (found.guard, clipped(found.reason, _LONGEST_REASON).shown)
            for found in pair.findings[:_SHOWN_FINDINGS]
        ),
    )


def _marked(output: Output, pair: AlignedPair, side: str) -> tuple[Piece, ...]:
    placed = ((found.guard, getattr(found, side)) for found in pair.findings)
    found = [(guard, span) for guard, span in placed if span is not None]
    return pieces(output.text or "", found, limit=_LONGEST_OUTPUT)


def _scores(scores: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    for name, score in scores.items():
        yield metric_label(name), number(score)


def _differences(found: PairDifferences, *, alone: bool) -> Iterator[tuple[str, str]]:
    """Show both values and their difference, or the one of an output without a partner."""
    for name, one in (*found.fields.items(), ("characters", found.characters)):
        yield one_line(name), _difference(one, alone=alone)


def _difference(one: Difference, *, alone: bool) -> str:
    values = [MISSING if value is None else plain(value) for value in (one.baseline, one.candidate)]
    if one.value == 0 or alone:
        return next((value for value in values if value != MISSING), MISSING)
    known = "" if one.value is None else f" ({'+' if one.value > 0 else ''}{plain(one.value)})"
    return f"{' → '.join(values)}{known}"


def words_on_sorting(shown: tuple[ShownItem, ...], n_harmed: int) -> str:
    """Say how many of the harmed items are shown."""
    if len(shown) == n_harmed:
        return f"All {count(n_harmed)} that came out worse" if n_harmed > 1 else "The one that came out worse"
    return f"The {count(len(shown))} worst of {count(n_harmed)}"
