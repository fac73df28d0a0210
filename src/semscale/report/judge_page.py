"""The report on judging: one self-contained HTML document from a summary."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.report.figures import Table
from semscale.report.judge_figures import judge_table, scores_figure, severity_figure
from semscale.report.judge_words import (
    MEANINGS,
    agreement,
    cautions,
    human_rows,
    interval_method,
    left_out,
    panel_words,
    provenance_words,
    rows_that_count,
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
    from semscale.judging.judge_summary import JudgeSummary
    from semscale.judging.verdict import Verdict

SHOWN_ITEMS = 8
_EXAMPLES = 3


@dataclass(frozen=True)
class Said:
    """What one judge said about one item, as a page shows it."""

    judge: str
    score: str
    bars: tuple[tuple[str, float], ...]
    words: Clipped
    status: str


@dataclass(frozen=True)
class JudgedItem:
    """One row as a page shows it."""

    row: str
    score: str
    spread: str | None
    label: str | None
    question: Clipped
    answer: Clipped
    said: tuple[Said, ...]


def judge_page(summary: "JudgeSummary") -> str:
    """Write the report on judging.

    The document needs no network and runs no script; every text from the input and from replies is escaped.

    Args:
        summary: what was measured.

    Returns:
        A whole HTML document.
    """
    has_scores = summary.estimate.n > 0
    disputed = summary.most_disputed(SHOWN_ITEMS) if summary.panel else summary.least_certain(SHOWN_ITEMS)
    return render(
        "judge.html.j2",
        title=f"How good “{one_line(summary.columns.answer)}” is",
        summary=summary,
        counting=rows_that_count(summary),
        headline=_headline(summary) if has_scores else None,
        facts=_facts(summary),
        scores=scores_figure(summary) if has_scores else None,
        severity=severity_figure(summary),
        judges=judge_table(summary),
        panel=panel_words(summary),
        pairs=_pairs(summary),
        provenance=provenance_words(summary),
        cautions=cautions(summary),
        human=human_rows(summary),
        human_coverage=f"{coverage(summary.plan.interval)} interval",
        disputed=_items(summary, disputed.tolist()),
        lowest=_items(summary, summary.lowest(SHOWN_ITEMS).tolist()),
        left_out=_left_out(summary),
        settings=_settings(summary),
        signature=str(summary.result.signature),
        version=summary.result.signature.version,
    )


def _headline(summary: "JudgeSummary") -> dict[str, object]:
    mean = summary.estimate
    ends = (mean.value, mean.low, mean.high) if has_interval(mean) else (mean.value,) * 3
    return {
        "mean": number(mean.value),
        "interval": bracket(mean) if has_interval(mean) else "",
        "coverage": f"{coverage(summary.plan.interval)} interval",
        "position": [round(100 * end, 2) for end in ends],
        "has_interval": has_interval(mean),
        "ticks": [(plain(step / 4), 25 * step) for step in range(5)],
    }


def _facts(summary: "JudgeSummary") -> list[tuple[str, str]]:
    facts = [
        ("Rows", count(summary.n)),
        ("Scored", count(summary.estimate.n)),
        ("Left out", count(summary.estimate.n_left_out)),
        ("Judges", count(len(summary.judges))),
    ]
    if summary.human is not None:
        facts.append(("With human labels", count(summary.human.corrected.n_labelled)))
        if has_interval(summary.human.corrected):
            facts.append(("Corrected mean", number(summary.human.corrected.value)))
    return facts


def _pairs(summary: "JudgeSummary") -> Table | None:
    panel = summary.panel
    if panel is None:
        return None
    found = panel.agreement(interval=summary.plan.interval, seed=summary.plan.seed)
    rows = tuple(
        (
            f"{one_line(panel.names[pair.first])} and {one_line(panel.names[pair.second])}",
            count(pair.kappa.n),
            agreement(pair.kappa),
        )
        for pair in found
    )
    return Table(("Judges", "Rows", "Quadratic weighted kappa"), rows)


def _items(summary: "JudgeSummary", rows: Iterable[int]) -> tuple[JudgedItem, ...]:
    return tuple(_item(summary, row) for row in rows)


def _item(summary: "JudgeSummary", row: int) -> JudgedItem:
    panel, human = summary.panel, summary.human
    label = None if human is None else float(human.mean_label[row])
    return JudgedItem(
        row=count(row + 1),
        score=number(float(summary.expected[row])),
        spread=None if panel is None else number(float(panel.spread[row])),
        label=None if label is None else number(label),
        question=clipped(summary.cells.questions[row]),
        answer=clipped(summary.cells.answers[row]),
        said=tuple(_said(name, verdicts[row]) for name, verdicts in summary.judges.items()),
    )


def _said(name: str, verdict: "Verdict") -> Said:
    words = verdict.explanation or verdict.reason or (verdict.replies[-1] if verdict.replies else "")
    return Said(
        judge=one_line(name),
        score=number(verdict.expected),
        bars=tuple((number(score), round(100 * mass, 1)) for score, mass in verdict.distribution),
        words=clipped(words, 300),
        status="" if verdict.status == "scored" else str(verdict.status),
    )


def _left_out(summary: "JudgeSummary") -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(
            status, MEANINGS.get(status, ""), count(n), percent(n / summary.n), _examples(summary, status)
        )
        for status, n in left_out(summary).items()
    )


def _examples(summary: "JudgeSummary", status: str) -> tuple[tuple[str, Clipped], ...]:
    """Show what a judge replied, or else the answer."""
    shown = []
    for row in (row for row, found in enumerate(summary.result.status) if found == status):
        replies = [reply for verdicts in summary.judges.values() for reply in verdicts[row].replies]
        text = next(
            (text for text in (*replies, summary.cells.answers[row]) if str(text or "").strip()), None
        )
        if text is not None:
            shown.append((count(row + 1), clipped(text, 160)))
        if len(shown) == _EXAMPLES:
            break
    return tuple(shown)


def _settings(summary: "JudgeSummary") -> list[tuple[str, str]]:
    columns = summary.columns
    settings = [
        ("Source", summary.source),
        ("Made", summary.created.strftime("%Y-%m-%d %H:%M %Z").strip()),
        ("Questions", f"column “{columns.question}”"),
        ("Answers", f"column “{columns.answer}”"),
        *[("References", f"column “{column}”") for column in columns.references],
        *([("Human labels", f"column “{columns.human}”")] if columns.human is not None else []),
        ("Intervals", interval_method(summary)),
    ]
    settings += [(f"· {name}", value) for name, value in summary.result.signature.fields]
    return [(name, one_line(value)) for name, value in settings]
