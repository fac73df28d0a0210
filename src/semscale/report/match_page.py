"""The report on matches: one self-contained HTML document from a summary."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from semscale.report.highlights import Piece, pieces
from semscale.report.match_figures import parts_figure, scores_figure
from semscale.report.match_words import (
    GUARD_MEANINGS,
    MEANINGS,
    cautions,
    dearest_tokens,
    interval_method,
    left_out,
    rows_that_count,
    separation_words,
)
from semscale.report.page import render
from semscale.report.rating_tables import LeftOut
from semscale.report.wording import (
    Clipped,
    bracket,
    clipped,
    count,
    coverage,
    has_interval,
    number,
    one_line,
    percent,
    plain,
)

if TYPE_CHECKING:
    from semscale.guards.findings import Finding
    from semscale.matching.match_summary import MatchSummary

SHOWN_PAIRS = 12
_EXAMPLES = 3


@dataclass(frozen=True)
class Pair:
    """One row as a page shows it."""

    row: str
    score: str
    group: str | None
    prediction: tuple[Piece, ...]
    reference: tuple[Piece, ...]
    parts: tuple[tuple[str, str], ...]
    findings: tuple[tuple[str, str], ...]
    tokens: tuple[str, ...]


def match_page(summary: "MatchSummary", *, explained: Mapping[int, pl.DataFrame] | None = None) -> str:
    """Write the report on matches.

    The document needs no network and runs no script; every text from the input is escaped.

    Args:
        summary: what was measured.
        explained: for some rows their tokens, as ``semscale.matching.methods.Explains`` lays them out.

    Returns:
        A whole HTML document.
    """
    has_scores = summary.estimates.overall_mean().n > 0
    worst = summary.worst(SHOWN_PAIRS).tolist()
    flagged = summary.best_flagged(SHOWN_PAIRS).tolist()
    return render(
        "match.html.j2",
        title=f"How far “{one_line(summary.columns.prediction)}” says what is expected",
        summary=summary,
        counting=rows_that_count(summary),
        headline=_headline(summary) if has_scores else None,
        separation=separation_words(summary),
        facts=_facts(summary),
        scores=scores_figure(summary) if has_scores else None,
        parts=parts_figure(summary),
        cautions=cautions(summary),
        guards=[(guard, GUARD_MEANINGS.get(guard, ""), count(n)) for guard, n in summary.guards.items()],
        flagged=_pairs(summary, flagged, explained or {}),
        worst=_pairs(summary, worst, explained or {}),
        left_out=_left_out(summary),
        settings=_settings(summary),
        signature=str(summary.matches.signature),
        version=summary.matches.signature.version,
    )


def _headline(summary: "MatchSummary") -> dict[str, object]:
    mean = summary.estimates.overall_mean()
    low, high = summary.matches.bounds
    ticks = [low + (high - low) * step / 4 for step in range(5)]
    ends = (mean.value, mean.low, mean.high) if has_interval(mean) else (mean.value,) * 3
    return {
        "mean": number(mean.value),
        "interval": bracket(mean) if has_interval(mean) else "",
        "coverage": f"{coverage(summary.interval)} interval",
        "position": [round(100 * (end - low) / (high - low), 2) for end in ends],
        "has_interval": has_interval(mean),
        "ticks": [(plain(tick), round(100 * (tick - low) / (high - low), 2)) for tick in ticks],
    }


def _facts(summary: "MatchSummary") -> list[tuple[str, str]]:
    overall = summary.estimates.overall_mean()
    facts = [
        ("Rows", count(summary.n)),
        ("Scored", count(overall.n)),
        ("Left out", count(overall.n_left_out)),
    ]
    if summary.matches.findings:
        facts.append(("With findings", count(summary.flagged)))
    if summary.separation:
        facts.append(("Above unrelated", percent(summary.separation.share)))
    windowed = int((summary.matches.windows > 1).sum())
    return [*facts, *([("Read in windows", count(windowed))] if windowed else [])]


def _pairs(
    summary: "MatchSummary", rows: Iterable[int], explained: Mapping[int, pl.DataFrame]
) -> tuple[Pair, ...]:
    return tuple(_pair(summary, row, explained.get(row)) for row in rows)


def _pair(summary: "MatchSummary", row: int, tokens: pl.DataFrame | None) -> Pair:
    matches, cells = summary.matches, summary.cells
    findings = matches.findings[row] if matches.findings else ()
    parts = tuple(
        (one_line(name).replace("_", " "), number(float(values[row])))
        for name, values in matches.components.items()
    )
    return Pair(
        row=count(row + 1),
        score=number(float(matches.score[row])),
        group=None if cells.groups is None else one_line(cells.groups[row] or ""),
        prediction=_marked(cells.predictions[row], findings, "prediction"),
        reference=_marked(summary.reference(row) or "", findings, "reference"),
        parts=parts,
        findings=tuple((found.guard, one_line(found.reason)) for found in findings),
        tokens=() if tokens is None else tuple(dearest_tokens(tokens)),
    )


def _marked(text: str, findings: "Iterable[Finding]", side: str) -> tuple[Piece, ...]:
    placed = ((found.guard, getattr(found, side)) for found in findings)
    return pieces(text, [(guard, span) for guard, span in placed if span is not None])


def _left_out(summary: "MatchSummary") -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(
            status,
            MEANINGS.get(status, ""),
            count(n),
            percent(n / summary.n),
            _examples(summary, status),
        )
        for status, n in left_out(summary).items()
    )


def _examples(summary: "MatchSummary", status: str) -> tuple[tuple[str, Clipped], ...]:
    """Show what the row does have: its prediction, or else what was expected of it."""
    shown = []
    rows = (row for row, found in enumerate(summary.matches.status) if found == status)
    for row in rows:
        texts = [summary.cells.predictions[row], *summary.cells.references[row]]
        text = next((str(text) for text in texts if text is not None and str(text).strip()), None)
        if text is not None:
            shown.append((count(row + 1), clipped(text, 160)))
        if len(shown) == _EXAMPLES:
            break
    return tuple(shown)


def _settings(summary: "MatchSummary") -> list[tuple[str, str]]:
    columns = summary.columns
    settings = [
        ("Source", summary.source),
        ("Made", summary.created.strftime("%Y-%m-%d %H:%M %Z").strip()),
        ("Predictions", f"column “{columns.prediction}”"),
        ("References", ", ".join(f"column “{column}”" for column in columns.references)),
        *([("Groups", f"column “{columns.by}”")] if columns.by is not None else []),
        ("Intervals", interval_method(summary)),
    ]
    settings += [(f"· {name}", value) for name, value in summary.matches.signature.fields]
    return [(name, one_line(value)) for name, value in settings]
