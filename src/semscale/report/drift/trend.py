"""The document of a trend: how every metric developed over the runs against one baseline."""

from collections.abc import Iterator

import numpy as np

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.trend import MetricTrend, Trends
from semscale.history.runs import short_id
from semscale.report.charts.forest import NOISE, TOLERATED
from semscale.report.charts.palette import ACCENT, CONTRAST, INK
from semscale.report.charts.trend import MOST_RUNS, Course, Timeline, courses
from semscale.report.document.blocks import Block, DataTable, Figure, Paragraph, Swatch
from semscale.report.document.document import Decision, Document, Section
from semscale.report.document.values import Cell, Change, Count, Flag, Number, Quoted, WithInterval, Words
from semscale.report.drift.tables import metric_cell
from semscale.report.drift.trend_words import models_words, readings, slope_cell
from semscale.report.drift.words import LEVELS, OUTCOMES, evidence, label, p_value
from semscale.report.render.cells import cell_text
from semscale.report.wording import MISSING, capitalised, count, counted, one_line
from semscale.signature import Signature
from semscale.stats.tests.monotone_trend import FEWEST_VALUES

TABLED_RUNS = 200


def trend_document(trends: Trends) -> Document:
    """Turn a trend into a document.

    It is drawn from mean losses, never from items' scores, so its time does not grow with the items.
    """
    latest = None if trends.outcomes[-1] is None else Outcome(trends.outcomes[-1])
    about = "what the gate said of the latest run"
    return Document(
        kind="trend report",
        name="Trend",
        title=("How “", Quoted(trends.dataset, 60), "” developed"),
        source=(runs_words(trends),),
        signature=Signature.parse(trends.signature),
        lead=None if latest is None else Decision(OUTCOMES[latest], LEVELS[latest], about),
        reading=readings(trends),
        facts=tuple(_facts(trends)),
        cautions=trends.cautions,
        sections=tuple(_sections(trends)),
        settings=(("Baseline", trends.baseline_id),),
    )


def runs_words(trends: Trends) -> str:
    """Say how many runs there are, and of which days."""
    first, last = trends.times[0], trends.times[-1]
    days = f"from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    if first.date() == last.date():
        days = f"on {first:%Y-%m-%d}"
    return f"{counted(len(trends.times), 'run')} {days}"


def outcome_cell(outcome: str | None) -> Cell:
    """Show what a gate said, if one was asked."""
    return Words(MISSING) if outcome is None else Flag(outcome, LEVELS[Outcome(outcome)])


def _facts(trends: Trends) -> Iterator[tuple[str, Cell]]:
    yield "Runs", Count(len(trends.times))
    yield "Models", Count(len(set(trends.models)))
    yield "Other series, left out", Count(trends.n_left_out)
    asked = [outcome for outcome in trends.outcomes if outcome is not None]
    for outcome, word in OUTCOMES.items() if asked else ():
        yield f"Gate {word}", Words(f"{count(asked.count(str(outcome)))} of {count(len(asked))}")


def _sections(trends: Trends) -> Iterator[Section]:
    if not trends.metrics:
        return
    yield Section("course", "Run by run", (_figure(trends),))
    blocks: list[Block] = [
        Paragraph(
            "Evidence is the greatest e-value so far against “no more than the limit on average”. Its "
            "p-value holds whenever one looks, and is adjusted for the number of metrics.",
            "note",
        ),
        _limits_table(trends),
    ]
    if len(trends.times) >= FEWEST_VALUES:
        blocks += [
            _changes_table(trends),
            Paragraph(
                "The change a day is Theil and Sen's slope, its p-value Mann and Kendall's; the likeliest "
                "change of level is Pettitt's. These p-values are of one metric each.",
                "note",
            ),
        ]
    yield Section("metrics", "Metric by metric", tuple(blocks))


def _figure(trends: Trends) -> Figure:
    first = max(len(trends.times) - MOST_RUNS, 0)
    changes = tuple(place - first for place in trends.model_changes if place > first)
    timeline = Timeline(trends.times[first:], trends.outcomes[first:], changes)
    drawn = [_course(one, first) for one in trends.metrics.values()]
    said = "; ".join(f"{label(one.metric)}: {cell_text(_loss(one, -1))}" for one in trends.metrics.values())
    return Figure(
        "trend",
        lambda width: courses(timeline, drawn, width=width),
        f"Mean loss of each metric over {counted(len(timeline.times), 'run')}; the latest: {said}.",
        _runs_table(trends),
        caption=_caption(trends, timeline),
        legend=tuple(_legend(trends)),
    )


def _course(one: MetricTrend, first: int) -> Course:
    change = None
    if one.has_changed and one.change is not None and one.change.place > first:
        change = (one.change.place - first, one.change.before, one.change.after)
    return Course(
        name=capitalised(label(one.metric)),
        loss=one.losses[first:],
        low=(one.lows + one.noise)[first:],
        high=(one.highs + one.noise)[first:],
        noise=np.maximum(one.noise, 0.0)[first:],
        limit=one.limits[first:],
        change=change,
    )


def _caption(trends: Trends, timeline: Timeline) -> str:
    said = (
        "Mean loss of each run, 0 where it does as the baseline; around it its interval. The bands are "
        "what reruns of the baseline lose and the margin beyond it."
    )
    if any(trends.outcomes):
        said += " The row on top is what the gate said."
    if trends.model_changes:
        said += f" Dashed lines are changes of the model: {models_words(trends)}."
    if timeline.is_even:
        said += " Runs stand at equal distances in the order of time, whatever time passed between them."
    if len(timeline.times) < len(trends.times):
        said += f" The latest {count(MOST_RUNS)} of {count(len(trends.times))} runs are drawn."
    return one_line(said)


def _legend(trends: Trends) -> Iterator[Swatch]:
    metrics = trends.metrics.values()
    yield Swatch(ACCENT, "below the limit, passed", "dot")
    yield Swatch(CONTRAST, "at the limit or beyond, failed", "diamond")
    if str(Outcome.UNDECIDED) in trends.outcomes:
        yield Swatch(INK, "undecided", "ring")
    if any(np.nanmax(one.noise, initial=0.0) > 0 for one in metrics):
        yield Swatch(NOISE, "what reruns lose")
    yield Swatch(TOLERATED, "margin")
    if any(one.has_changed for one in metrics):
        yield Swatch(INK, "level before and after a change", "line")


def _runs_table(trends: Trends) -> DataTable:
    """Lay each run out, the latest first: when, which model, what the gate said, and every mean loss."""
    names = list(trends.metrics)
    places = range(len(trends.times) - 1, max(len(trends.times) - TABLED_RUNS, 0) - 1, -1)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            Words(f"{trends.times[place]:%Y-%m-%d %H:%M}"),
            Quoted(trends.models[place], 60),
            Words(short_id(trends.candidate_ids[place])),
            outcome_cell(trends.outcomes[place]),
            *(_loss(trends.metrics[name], place) for name in names),
        )
        for place in places
    )
    left = len(trends.times) - len(rows)
    note = f"The latest {count(len(rows))} runs; {count(left)} earlier ones are in the history."
    heads = ("compared", "model", "run", "gate", *map(label, names))
    return DataTable(heads, rows, note=note if left else "", detail="full")


def _limits_table(trends: Trends) -> DataTable:
    """Lay each metric out beside its limit: its latest loss, and the evidence of all runs."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            metric_cell(one.metric),
            _loss(one, -1),
            Number(one.limits[-1], 3),
            evidence(None if one.sequence is None else one.sequence.latest_evidence),
            p_value(np.nan if one.sequence is None else one.sequence.p_adjusted),
        )
        for one in trends.metrics.values()
    )
    heads = ("metric", "latest loss", "limit", "evidence", Quoted("p of evidence"))
    return DataTable(heads, rows, "Beside the limit", detail="full")


def _changes_table(trends: Trends) -> DataTable:
    """Lay out how each metric moved: its change a day, and where its level changed."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            metric_cell(one.metric),
            slope_cell(one) if trends.spans_days else Words(MISSING),
            p_value(one.course.p_value),
            Words(MISSING) if one.change is None else Change(one.change.before, one.change.after, 3),
            Words(MISSING if one.change is None else f"{trends.times[one.change.place]:%Y-%m-%d}"),
            p_value(np.nan if one.change is None else one.change.p_value),
        )
        for one in trends.metrics.values()
    )
    heads = ("metric", "a day", Quoted("p of trend"), "level", "from", Quoted("p of change"))
    return DataTable(heads, rows, "Trend and change of level", detail="full")


def _loss(one: MetricTrend, run: int) -> WithInterval:
    return WithInterval.of(one.loss(run), 3)
