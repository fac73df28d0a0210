"""What a trend says, in words: by metric, how it rises, where it changed, and what the runs prove."""

import math
from datetime import timedelta

from semscale.drift.gate.decision import SequenceTest
from semscale.drift.gate.trend import MetricTrend, Trends
from semscale.history.runs import short_id
from semscale.report.drift_words import evidence_words, metric_label, p_said, p_words, signed
from semscale.report.figures import Table
from semscale.report.wording import MISSING, bracket, clipped, count, has_interval, listed, number
from semscale.stats.tests.monotone_trend import FEWEST_VALUES
from semscale.types import Floats

ALPHA = 0.05
"""From which p-value on a trend or a change of level is called one."""

TABLED_RUNS = 200
_DIGITS = 4  # of a slope a day
_DAY = timedelta(days=1)
_NAMED = 4
_NAMED_MODELS = 12


def readings(trends: Trends) -> list[str]:
    """Say in sentences what a reader must know, the weightiest first."""
    metrics = list(trends.metrics.values())
    tested = [one.sequence for one in metrics if one.sequence is not None]
    proved = [_proved(found) for found in tested if found.is_significant]
    said = []
    if proved:
        said.append(f"Over all runs more is lost than allowed, beyond chance: {_few(proved)}.")
    elif tested:
        said.append("Over all runs no metric lost more than is allowed beyond chance.")
    daily = spans_days(trends)
    worse = [_course(one, daily) for one in metrics if is_trending(one) and one.course.slope.value > 0]
    better = [_course(one, daily) for one in metrics if is_trending(one) and one.course.slope.value < 0]
    changed = [_changed(trends, one) for one in metrics if has_changed(one)]
    pace = ", a day" if daily else ""
    said += [f"Getting worse{pace}: {_few(worse)}."] if worse else []
    said += [f"Getting better{pace}: {_few(better)}."] if better else []
    said += [f"Changed level: {_few(changed)}."] if changed else []
    if len(trends.times) < FEWEST_VALUES:
        said.append(f"A trend or a change of level takes at least {FEWEST_VALUES} runs.")
    elif not (worse or better or changed):
        said.append("No metric shows a trend or a change of level.")
    return said


def spans_days(trends: Trends) -> bool:
    """Say whether the runs span a day or more: else a change a day would be told of hours nobody saw."""
    return trends.times[-1] - trends.times[0] >= _DAY


def is_trending(one: MetricTrend) -> bool:
    """Say whether a metric rises or falls beyond chance."""
    return one.course.p_value < ALPHA and one.course.slope.value != 0


def has_changed(one: MetricTrend) -> bool:
    """Say whether a metric changed its level beyond chance."""
    return one.change is not None and one.change.p_value < ALPHA


def limits(one: MetricTrend) -> tuple[Floats, Floats]:
    """Give what reruns lose, and that plus the margin, of each run; shapes (t,)."""
    noise = one.losses - one.drifts
    return noise, noise + one.margins


def limits_table(trends: Trends) -> Table:
    """Lay each metric out beside its limit: its latest loss, and the evidence of all runs."""
    rows = []
    for one in trends.metrics.values():
        found = one.sequence
        rows.append(
            (
                metric_label(one.metric),
                loss_words(one, len(trends.times) - 1),
                number(limits(one)[1][-1], 3),
                MISSING if found is None else evidence_words(found.evidence[-1]),
                MISSING if found is None else p_words(found.p_adjusted),
            )
        )
    return Table(("Metric", "Latest loss", "Limit", "Evidence", "p of evidence"), tuple(rows))


def changes_table(trends: Trends) -> Table:
    """Lay out how each metric moved: its change a day, and where its level changed."""
    rows = []
    for one in trends.metrics.values():
        slope, change = one.course.slope, one.change
        per_day = (
            f"{signed(slope.value, _DIGITS)} {bracket(slope, _DIGITS)}"
            if has_interval(slope) and spans_days(trends)
            else MISSING
        )
        rows.append(
            (
                metric_label(one.metric),
                per_day,
                p_words(one.course.p_value),
                MISSING if change is None else f"{number(change.before, 3)} → {number(change.after, 3)}",
                MISSING if change is None else trends.times[change.place].strftime("%Y-%m-%d"),
                MISSING if change is None else p_words(change.p_value),
            )
        )
    return Table(("Metric", "A day", "p of trend", "Level", "from", "p of change"), tuple(rows))


def runs_table(trends: Trends) -> Table:
    """Lay each run out, the latest first: when, which model, what the gate said, and every mean loss."""
    names = list(trends.metrics)
    places = range(len(trends.times) - 1, max(len(trends.times) - TABLED_RUNS, 0) - 1, -1)
    rows = tuple(
        (
            trends.times[place].strftime("%Y-%m-%d %H:%M"),
            clipped(trends.models[place], 60).shown,
            short_id(trends.candidate_ids[place]),
            trends.outcomes[place] or MISSING,
            *(loss_words(trends.metrics[name], place) for name in names),
        )
        for place in places
    )
    left = len(trends.times) - len(rows)
    note = (
        f"The latest {count(len(rows))} runs; {count(left)} earlier ones are in the history." if left else ""
    )
    return Table(("Compared", "Model", "Run", "Gate", *map(metric_label, names)), rows, note)


def loss_words(one: MetricTrend, place: int) -> str:
    """Write a run's mean loss with its interval, which is that of the drift, moved by what reruns lose."""
    loss, noise = one.losses[place], one.losses[place] - one.drifts[place]
    low, high = max(one.lows[place] + noise, 0.0), one.highs[place] + noise
    if math.isnan(low) or math.isnan(high):
        return number(loss, 3)
    return f"{number(loss, 3)} [{number(low, 3)}, {number(high, 3)}]"


def models_words(trends: Trends) -> str:
    """Name the models in the order in which they came."""
    places = [0, *trends.model_changes]
    named = [f"{order} “{clipped(trends.models[place], 60).shown}”" for order, place in enumerate(places, 1)]
    more = [f"{count(len(named) - _NAMED_MODELS)} more"] if len(named) > _NAMED_MODELS else []
    return listed([*named[:_NAMED_MODELS], *more])


def _proved(found: SequenceTest) -> str:
    evidence = evidence_words(found.evidence[-1])
    return f"{metric_label(found.metric)} (evidence {evidence}, {p_said(found.p_adjusted)})"


def _course(one: MetricTrend, daily: bool) -> str:
    if not daily:
        return f"{metric_label(one.metric)} ({p_said(one.course.p_value)})"
    slope = one.course.slope
    words = f"{signed(slope.value, _DIGITS)} {bracket(slope, _DIGITS)}"
    return f"{metric_label(one.metric)} by {words} ({p_said(one.course.p_value)})"


def _changed(trends: Trends, one: MetricTrend) -> str:
    change = one.change
    if change is None:
        return ""
    when = trends.times[change.place].strftime("%Y-%m-%d")
    level = f"{number(change.before, 3)} → {number(change.after, 3)}"
    return f"{metric_label(one.metric)} on {when}, {level} ({p_said(change.p_value)})"


def _few(named: list[str]) -> str:
    more = [f"{count(len(named) - _NAMED)} more"] if len(named) > _NAMED else []
    return listed([*named[:_NAMED], *more])
