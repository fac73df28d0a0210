"""The report on consistency: one self-contained HTML document from a summary."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.report.consistency_figures import areas_table, decision_bar, reliability_figure, spread_figure
from semscale.report.consistency_words import (
    GUARD_MEANINGS,
    MEANINGS,
    MEASURE_NAMES,
    area_words,
    asking_words,
    cautions,
    interval_method,
    items_that_count,
    left_out,
    promises,
)
from semscale.report.highlights import Piece, pieces
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
from semscale.self_consistency.measures import MEASURES

if TYPE_CHECKING:
    from semscale.self_consistency.summary import ConsistencySummary

SHOWN_ITEMS = 10
_MOST_SAMPLES = 8
_MOST_FINDINGS = 6
_EXAMPLES = 3
_ANSWER_LIMIT, _SAMPLE_LIMIT = 500, 320


@dataclass(frozen=True)
class Sample:
    """One sample as a page shows it: its text with what contradicts, and how often it occurs."""

    text: tuple[Piece, ...]
    times: int


@dataclass(frozen=True)
class Item:
    """One prompt as a page shows it."""

    item: str
    score: str
    prompt: Clipped | None
    answer: tuple[Piece, ...]
    samples: tuple[Sample, ...]
    more: int
    findings: tuple[tuple[str, str], ...]
    parts: tuple[tuple[str, str], ...]
    decision: str | None


def consistency_page(summary: "ConsistencySummary") -> str:
    """Write the report on consistency.

    The document needs no network and runs no script; every text from the input is escaped.

    Args:
        summary: what was measured.

    Returns:
        A whole HTML document.
    """
    has_values = summary.overall.n > 0
    trust = summary.trust
    return render(
        "consistency.html.j2",
        title="How far sampled answers agree",
        summary=summary,
        counting=items_that_count(summary),
        headline=_headline(summary) if has_values else None,
        main=MEASURE_NAMES[summary.found.main],
        about=MEASURES[summary.found.main].about,
        asking=asking_words(summary),
        contradicted=_contradicted(summary),
        facts=_facts(summary),
        spread=spread_figure(summary) if has_values else None,
        cautions=cautions(summary),
        guards=[(guard, GUARD_MEANINGS.get(guard, ""), count(n)) for guard, n in summary.guards.items()],
        least=[_item(summary, item) for item in summary.least(SHOWN_ITEMS).tolist()],
        reliability=None if trust is None else reliability_figure(trust),
        areas=None if trust is None else areas_table(trust),
        area=None if trust is None else area_words(trust.areas[trust.measure]),
        figures=[] if trust is None else _figures(summary),
        decisions=[] if trust is None else decision_bar(trust),
        promises=promises(summary),
        left_out=_left_out(summary),
        settings=_settings(summary),
        signature=str(summary.found.signature),
        version=summary.found.signature.version,
    )


def _headline(summary: "ConsistencySummary") -> dict[str, object]:
    mean = summary.overall
    low, high = MEASURES[summary.found.main].bounds
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


def _contradicted(summary: "ConsistencySummary") -> str | None:
    n = int(summary.found.scored.sum())
    if not n or not summary.contradicted:
        return None
    return f"In {percent(summary.contradicted / n)} of prompts some sample contradicts the answer"


def _facts(summary: "ConsistencySummary") -> list[tuple[str, str]]:
    found = summary.found
    facts = [
        ("Prompts", count(summary.n)),
        ("Measured", count(int(found.scored.sum()))),
        ("Samples", count(int(found.n_samples.sum()))),
        ("Contradicted", count(summary.contradicted)),
    ]
    if found.floor is not None:
        facts.append(("Floor", number(found.floor, 3)))
    if summary.replies is not None and summary.replies.n_saved:
        facts.append(("Calls saved", count(summary.replies.n_saved)))
    if found.n_windowed:
        facts.append(("Read in windows", count(found.n_windowed)))
    return facts


def _figures(summary: "ConsistencySummary") -> list[tuple[str, str, str]]:
    if summary.trust is None:
        return []
    figures = summary.trust.figures
    return [
        (
            "Brier score",
            f"{number(figures.brier.value, 3)} {bracket(figures.brier, 3)}",
            f"0 is best; the overall share for every answer would have {number(figures.brier_of_share, 3)}",
        ),
        (
            "Calibration error (ECE)",
            number(figures.error, 3),
            f"{number(figures.error_by_chance, 3)} would be expected of probabilities that hold exactly",
        ),
        ("Labels", count(figures.n), f"curve: {summary.trust.curve}; fitted and checked in five turns"),
    ]


def _item(summary: "ConsistencySummary", item: int) -> Item:
    found, cells = summary.found, summary.cells
    answer = str(cells.answers[item])
    # A sample that occurs several times is shown once, so that its findings are too.
    places: dict[str, list[int]] = {}
    for place, text in enumerate(cells.samples[item]):
        if isinstance(text, str) and text.strip():
            places.setdefault(text, []).append(place)
    contradicting = {one.sample for one in found.contradictions[item]}
    ordered = sorted(places, key=lambda text: (places[text][0] not in contradicting, -len(places[text])))
    prompt = cells.prompts[item]
    spans = [(one.finding.guard, one.finding.prediction) for one in found.contradictions[item]]
    return Item(
        item=count(item + 1),
        score=number(float(found.score[item])),
        prompt=None if prompt is None else clipped(prompt),
        answer=pieces(answer, [(guard, span) for guard, span in spans if span], limit=_ANSWER_LIMIT),
        samples=tuple(_sample(summary, item, text, places[text]) for text in ordered[:_MOST_SAMPLES]),
        more=max(len(ordered) - _MOST_SAMPLES, 0),
        findings=tuple(
            dict.fromkeys(
                (one.finding.guard, one_line(one.finding.reason)) for one in found.contradictions[item]
            )
        )[:_MOST_FINDINGS],
        parts=tuple(
            (MEASURE_NAMES[name], number(float(values[item])))
            for name, values in found.measures.items()
            if name != found.main
        ),
        decision=None if summary.trust is None else summary.trust.decision[item],
    )


def _sample(summary: "ConsistencySummary", item: int, text: str, places: list[int]) -> Sample:
    findings = [one.finding for one in summary.found.contradictions[item] if one.sample == places[0]]
    spans = [(finding.guard, finding.reference) for finding in findings if finding.reference is not None]
    return Sample(
        text=pieces(text, [(guard, span) for guard, span in spans if span], limit=_SAMPLE_LIMIT),
        times=len(places),
    )


def _left_out(summary: "ConsistencySummary") -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(
            status, MEANINGS.get(status, ""), count(n), percent(n / summary.n), _examples(summary, status)
        )
        for status, n in left_out(summary).items()
    )


def _examples(summary: "ConsistencySummary", status: str) -> tuple[tuple[str, Clipped], ...]:
    shown = []
    for item in (item for item, found in enumerate(summary.found.status) if found == status):
        texts = [summary.cells.answers[item], summary.cells.prompts[item], *summary.cells.samples[item]]
        text = next((str(text) for text in texts if text is not None and str(text).strip()), None)
        if text is not None:
            shown.append((count(item + 1), clipped(text, 160)))
        if len(shown) == _EXAMPLES:
            break
    return tuple(shown)


def _settings(summary: "ConsistencySummary") -> list[tuple[str, str]]:
    settings = [
        ("Source", summary.source),
        ("Made", summary.created.strftime("%Y-%m-%d %H:%M %Z").strip()),
        *((name.capitalize(), f"column “{column}”") for name, column in summary.columns.named),
        *((f"{MEASURE_NAMES[name]}", MEASURES[name].about) for name in summary.found.measures),
        ("Intervals", interval_method(summary)),
    ]
    settings += [(f"· {name}", value) for name, value in summary.found.signature.fields]
    return [(name, one_line(value)) for name, value in settings]
