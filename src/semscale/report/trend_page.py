"""The report on a trend: how every metric developed over the runs against one baseline."""

import numpy as np

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.trend import MetricTrend, Trends
from semscale.report.charts.forest import NOISE, TOLERATED
from semscale.report.charts.palette import ACCENT, CONTRAST, INK
from semscale.report.charts.trend import MOST_RUNS, Course, Timeline, courses
from semscale.report.drift_words import LEVELS, OUTCOMES, capitalized, metric_label
from semscale.report.figures import NARROW, WIDE, Figure, Swatch
from semscale.report.page import render
from semscale.report.trend_words import (
    changes_table,
    has_changed,
    limits,
    limits_table,
    loss_words,
    models_words,
    readings,
    runs_table,
)
from semscale.report.wording import clipped, count, counted, one_line
from semscale.stats.tests.monotone_trend import FEWEST_VALUES
from semscale.version import __version__


def trend_page(trends: Trends) -> str:
    """Write the report on how a dataset's runs developed.

    It is drawn from mean losses, never from items' scores, so its time does not grow with the items. The
    document needs no network and runs no script; every text of a run is escaped.

    Args:
        trends: of all runs against one baseline.

    Returns:
        A whole HTML document.
    """
    latest = trends.outcomes[-1]
    return render(
        "trend.html.j2",
        title=f"How “{clipped(trends.dataset, 60).shown}” developed",
        first=trends.times[0],
        last=trends.times[-1],
        outcome=None if latest is None else OUTCOMES[Outcome(latest)],
        level=None if latest is None else LEVELS[Outcome(latest)],
        readings=readings(trends),
        cautions=[clipped(caution, 500).shown for caution in trends.cautions],
        facts=_facts(trends),
        course=_figure(trends) if trends.metrics else None,
        limits=limits_table(trends),
        changes=changes_table(trends) if len(trends.times) >= FEWEST_VALUES else None,
        n_runs=counted(len(trends.times), "run"),
        settings=[("Baseline", trends.baseline_id)],
        signature=one_line(trends.signature),
        version=__version__,
    )


def _facts(trends: Trends) -> list[tuple[str, str]]:
    facts = [
        ("Runs", count(len(trends.times))),
        ("Models", count(len(set(trends.models)))),
        ("Other series, left out", count(trends.n_left_out)),
    ]
    asked = [outcome for outcome in trends.outcomes if outcome is not None]
    for outcome, word in OUTCOMES.items():
        if asked:
            facts.append((f"Gate {word}", f"{count(asked.count(str(outcome)))} of {count(len(asked))}"))
    return facts


def _figure(trends: Trends) -> Figure:
    first = max(len(trends.times) - MOST_RUNS, 0)
    timeline = Timeline(
        trends.times[first:],
        trends.outcomes[first:],
        tuple(place - first for place in trends.model_changes if place > first),
    )
    drawn = [_course(one, first) for one in trends.metrics.values()]
    said = "; ".join(
        f"{course.name}: {loss_words(one, len(trends.times) - 1)}"
        for course, one in zip(drawn, trends.metrics.values(), strict=True)
    )
    said = f"Mean loss of each metric over {counted(len(timeline.times), 'run')}; the latest: {said}."
    return Figure(
        wide=courses(timeline, drawn, said, width=WIDE),
        narrow=courses(timeline, drawn, said, width=NARROW),
        description=said,
        table=runs_table(trends),
        caption=_caption(trends, timeline),
        legend=_legend(trends),
    )


def _course(one: MetricTrend, first: int) -> Course:
    noise, limit = limits(one)
    change = None
    if has_changed(one) and one.change is not None and one.change.place > first:
        change = (one.change.place - first, one.change.before, one.change.after)
    return Course(
        name=capitalized(metric_label(one.metric)),
        loss=one.losses[first:],
        low=(one.lows + noise)[first:],
        high=(one.highs + noise)[first:],
        noise=np.maximum(noise, 0.0)[first:],
        limit=limit[first:],
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


def _legend(trends: Trends) -> tuple[Swatch, ...]:
    changed = any(has_changed(one) for one in trends.metrics.values())
    undecided = str(Outcome.UNDECIDED) in trends.outcomes
    has_noise = any(np.nanmax(limits(one)[0], initial=0.0) > 0 for one in trends.metrics.values())
    return (
        Swatch(ACCENT, "below the limit, passed", "dot"),
        Swatch(CONTRAST, "at the limit or beyond, failed", "diamond"),
        *([Swatch(INK, "undecided", "ring")] if undecided else []),
        *([Swatch(NOISE, "what reruns lose")] if has_noise else []),
        Swatch(TOLERATED, "margin"),
        *([Swatch(INK, "level before and after a change", "line")] if changed else []),
    )
