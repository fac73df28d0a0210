"""What a trend says, in words: how metrics rise, where they changed, and what all runs prove."""

from semscale.drift.gate.decision import SequenceTest
from semscale.drift.gate.trend import MetricTrend, Trends
from semscale.report.document.values import WithInterval
from semscale.report.drift.words import evidence, label, p_said
from semscale.report.render.cells import cell_text
from semscale.report.wording import clipped, count, listed, number
from semscale.stats.tests.monotone_trend import FEWEST_VALUES

_DIGITS = 4  # of a slope a day
_NAMED = 4
_NAMED_MODELS = 12


def readings(trends: Trends) -> tuple[str, ...]:
    """Say in sentences what a reader must know, the weightiest first."""
    metrics = list(trends.metrics.values())
    tested = [one.sequence for one in metrics if one.sequence is not None]
    proved = [_proved(found) for found in tested if found.is_significant]
    said = []
    if proved:
        said.append(f"Over all runs more is lost than allowed, beyond chance: {_few(proved)}.")
    elif tested:
        said.append("Over all runs no metric lost more than is allowed beyond chance.")
    daily = trends.spans_days
    worse = [_course(one, daily=daily) for one in metrics if one.is_trending and one.course.slope.value > 0]
    better = [_course(one, daily=daily) for one in metrics if one.is_trending and one.course.slope.value < 0]
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


def _course(one: MetricTrend, *, daily: bool) -> str:
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
