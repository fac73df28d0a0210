"""The document of a trend: how every metric developed over the runs against one baseline."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from semscale.drift.gate.decision import Outcome, SequenceTest
from semscale.drift.nights.trend import MetricTrend, Trends
from semscale.history.runs import short_id
from semscale.report.cells import cell_text
from semscale.report.charts.forest import NOISE, TOLERATED
from semscale.report.charts.palette import ACCENT, CONTRAST, INK, MUTED
from semscale.report.charts.trend import MOST_RUNS, Course, Mark, Timeline, courses
from semscale.report.document.blocks import Block, DataTable, Figure, Paragraph, Swatch
from semscale.report.document.document import Decision, Document, Section
from semscale.report.document.values import Cell, Change, Count, Flag, Number, Quoted, WithInterval, Words
from semscale.report.drift.broken_checks import broken_cell, broken_words
from semscale.report.drift.tables import metric_cell
from semscale.report.drift.words import LEVELS, OUTCOMES, evidence, label, p_said, p_value
from semscale.report.formatting import MISSING, capitalised, clipped, count, counted, listed, number, one_line
from semscale.report.parts import Columns, table_of
from semscale.signature import Signature
from semscale.stats.testing.monotone_trend import FEWEST_VALUES

TABLED_RUNS = 200

_DIGITS = 4  # of a slope a day
_NAMED = 4
_NAMED_MODELS = 12


def trend_document(trends: Trends) -> Document:
    """Turn a trend into a document.

    It is drawn from mean losses, not from items' scores, so its time does not grow with the items.
    """
    return Document(
        kind="trend report",
        name="Trend",
        title=("How “", Quoted(trends.dataset, 60), "” developed"),
        source=(runs_words(trends),),
        signature=Signature.parse(trends.signature),
        lead=_lead(trends),
        reading=readings(trends),
        facts=tuple(_facts(trends)),
        cautions=trends.cautions,
        sections=tuple(_sections(trends)),
        settings=(("Baseline", trends.baseline_id),),
    )


def _lead(trends: Trends) -> Decision | None:
    """Give the latest outcome; that the latest model passed says nothing of others, so it is not green."""
    if trends.outcomes[-1] is None:
        return None
    latest, n_models = Outcome(trends.outcomes[-1]), len(trends.latest_outcomes)
    about = "what the gate said of the latest run"
    if n_models > 1:
        about += f", of “{clipped(trends.models[-1], 60).shown}”"
    if n_models > 1 and latest is Outcome.PASS:
        return Decision(counted(n_models, "model"), "warn", f"{OUTCOMES[latest]} is {about}, and of no other")
    return Decision(OUTCOMES[latest], LEVELS[latest], about)


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
    yield "Models", Count(len(trends.latest_outcomes))
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
            "Evidence is the greatest e-value so far against “no more than the limit on average”, from the "
            "runs' means and the latest run's items. Its p-value holds whenever one looks, and is adjusted "
            "for the number of metrics. “drift gate --over-runs” finds a drift earlier: it reads the reruns "
            "again, and bets on each item of each run against what reruns lose there, without the margin.",
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
        legend=tuple(_legend(trends, timeline, drawn)),
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


def _legend(trends: Trends, timeline: Timeline, drawn: Sequence[Course]) -> Iterator[Swatch]:
    """Name the marks that occur, in the row of the gate or in a metric, and the bands and lines."""
    metrics = trends.metrics.values()
    marks = {mark for one in drawn for mark in one.marks(timeline.outcomes)}
    said = set(timeline.outcomes)
    if Mark.BELOW in marks or Outcome.PASS in said:
        yield Swatch(ACCENT, "passed; below the limit", "dot")
    if Mark.FAILED in marks or Outcome.FAIL in said:
        yield Swatch(CONTRAST, "failed; at the limit or beyond in such a run", "diamond")
    if Mark.UNDECIDED in marks or Outcome.UNDECIDED in said:
        yield Swatch(INK, "undecided; at the limit or beyond in such a run", "ring")
    if Mark.UNTESTED in marks:
        yield Swatch(MUTED, "not tested by a gate", "dot")
    if any(np.nanmax(one.noise, initial=0.0) > 0 for one in metrics):
        yield Swatch(NOISE, "what reruns lose")
    yield Swatch(TOLERATED, "margin")
    if any(one.has_changed for one in metrics):
        yield Swatch(INK, "level before and after a change", "line")


def _runs_table(trends: Trends) -> DataTable:
    """Lay each run out, the latest first: when, which model, what the gate said, and every mean loss."""
    places = range(len(trends.times) - 1, max(len(trends.times) - TABLED_RUNS, 0) - 1, -1)
    columns: list[tuple[str | Quoted, Callable[[int], Cell]]] = [
        ("compared (UTC)", lambda place: Words(f"{trends.times[place]:%Y-%m-%d %H:%M}")),
        ("model", lambda place: Quoted(trends.models[place], 60)),
        ("run", lambda place: Words(short_id(trends.candidate_ids[place]))),
        ("gate", lambda place: outcome_cell(trends.outcomes[place])),
        ("limits broken", lambda place: broken_cell(trends.broken[place])),
        *((label(name), partial(_loss, one)) for name, one in trends.metrics.items()),
    ]
    if moved := trends.ruler_moved:
        columns.insert(4, ("ruler", lambda place: Words("moved" if place in moved else MISSING)))
    left = len(trends.times) - len(places)
    note = f"The latest {count(len(places))} runs; {count(left)} earlier ones are in the history."
    return table_of(places, columns, note=note if left else "", detail="full")


def _limits_table(trends: Trends) -> DataTable:
    """Lay each metric out beside its limit: its latest loss, and the evidence of all runs."""
    columns: Columns[MetricTrend] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("latest loss", lambda one: _loss(one, -1)),
        ("limit", lambda one: Number(one.limits[-1], 3)),
        ("evidence", evidence_cell),
        (Quoted("p of evidence"), lambda one: p_value(one.sequence.p_adjusted if one.sequence else np.nan)),
    )
    return table_of(trends.metrics.values(), columns, title="Beside the limit", detail="full")


def _changes_table(trends: Trends) -> DataTable:
    """Lay out how each metric moved: its change a day, and where its level changed."""
    columns: Columns[MetricTrend] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("a day", lambda one: slope_cell(one) if trends.spans_days else Words(MISSING)),
        *change_columns(trends),
    )
    return table_of(trends.metrics.values(), columns, title="Trend and change of level", detail="full")


def change_columns(trends: Trends) -> Columns[MetricTrend]:
    """Show how sure a metric's trend is, and where its level changed."""
    runs = [
        f"{short_id(id_)}, {time:%Y-%m-%d}"
        for id_, time in zip(trends.candidate_ids, trends.times, strict=True)
    ]
    return (
        (Quoted("p of trend"), lambda one: p_value(one.course.p_value)),
        (
            "level",
            lambda one: Change(one.change.before, one.change.after, 3) if one.change else Words(MISSING),
        ),
        ("from", lambda one: Words(runs[one.change.place] if one.change else MISSING)),
        (Quoted("p of change"), lambda one: p_value(one.change.p_value if one.change else np.nan)),
    )


def evidence_cell(one: MetricTrend) -> Number:
    """Show the evidence of all runs about a metric, if there is any."""
    return evidence(one.sequence.latest_evidence if one.sequence else None)


def _loss(one: MetricTrend, run: int) -> WithInterval:
    return WithInterval.of(one.loss(run), 3)


def _limits_reading(trends: Trends) -> list[str]:
    """Say in how many runs a limit was broken, and which ones in the latest of these."""
    known = [place for place, broken in enumerate(trends.broken) if broken is not None]
    bad = [place for place in known if trends.broken[place]]
    if not bad:
        return []
    latest = f"{trends.times[bad[-1]]:%Y-%m-%d}: {broken_words(trends.broken[bad[-1]] or ())}"
    return [f"Limits were broken in {count(len(bad))} of {counted(len(known), 'run')}, last on {latest}."]


def readings(trends: Trends) -> tuple[str, ...]:
    """Say in sentences what a reader must know, the weightiest first."""
    metrics = list(trends.metrics.values())
    tested = [one.sequence for one in metrics if one.sequence is not None]
    proved = [_proved(found) for found in tested if found.is_significant]
    said = [_models_reading(trends)] if len(trends.latest_outcomes) > 1 else []
    if proved:
        said.append(f"Over all runs more is lost than allowed, beyond chance: {_few(proved)}.")
    elif tested:
        said.append("Over all runs no metric lost more than is allowed beyond chance.")
    said += _limits_reading(trends)
    daily = trends.spans_days
    worse = [_slope(one, daily=daily) for one in metrics if one.is_trending and one.course.slope.value > 0]
    better = [_slope(one, daily=daily) for one in metrics if one.is_trending and one.course.slope.value < 0]
    changed = [_changed(trends, one) for one in metrics if one.has_changed]
    pace = ", a day" if daily else ""
    said += [f"Getting worse{pace}: {_few(worse)}."] if worse else []
    said += [f"Getting better{pace}: {_few(better)}."] if better else []
    said += [f"Changed level: {_few(changed)}."] if changed else []
    if len(trends.times) < FEWEST_VALUES:
        said.append(f"A trend or a change of level takes at least {FEWEST_VALUES} runs.")
    elif not (worse or better or changed):
        said.append("No metric shows a trend or a change of level.")
    return tuple(said)


def _models_reading(trends: Trends) -> str:
    """Name each model with the outcome of its latest run, as one for all of them would be of none."""
    named = [
        f"“{clipped(model, 60).shown}” {'no gate' if outcome is None else OUTCOMES[Outcome(outcome)]}"
        for model, outcome in trends.latest_outcomes.items()
    ]
    return (
        f"The runs are of {counted(len(named), 'model')}, and slopes are those of the latest one. Each "
        f"model's latest run: {_few(named)}."
    )


def slope_cell(one: MetricTrend) -> WithInterval:
    """Show a metric's change a day."""
    return WithInterval.of(one.course.slope, _DIGITS, signed=True)


def models_words(trends: Trends) -> str:
    """Name the models in the order in which they came."""
    places = [0, *trends.model_changes]
    named = [f"{order} “{clipped(trends.models[place], 60).shown}”" for order, place in enumerate(places, 1)]
    more = [f"{count(len(named) - _NAMED_MODELS)} more"] if len(named) > _NAMED_MODELS else []
    return listed([*named[:_NAMED_MODELS], *more])


def _proved(found: SequenceTest) -> str:
    shown = cell_text(evidence(found.latest_evidence))
    return f"{label(found.metric)} (evidence {shown}, {p_said(found.p_adjusted)})"


def _slope(one: MetricTrend, *, daily: bool) -> str:
    by = f" by {cell_text(slope_cell(one))}" if daily else ""
    return f"{label(one.metric)}{by} ({p_said(one.course.p_value)})"


def _changed(trends: Trends, one: MetricTrend) -> str:
    change = one.change
    if change is None:
        return ""
    level = f"{number(change.before, 3)} → {number(change.after, 3)}"
    return f"{label(one.metric)} on {trends.times[change.place]:%Y-%m-%d}, {level} ({p_said(change.p_value)})"


def _few(named: list[str]) -> str:
    more = [f"{count(len(named) - _NAMED)} more"] if len(named) > _NAMED else []
    return listed([*named[:_NAMED], *more])
