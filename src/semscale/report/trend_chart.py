"""The chart of a trend: every metric's mean loss over time, one below the other, on one axis of time.

It is written as Vega-Lite itself: Altair would take most of a second to put so many layers together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from semscale.drift.decision import Outcome
from semscale.report.charts import LOOK, Specification
from semscale.report.forest_chart import NOISE, TOLERATED
from semscale.report.labels import NARROW_LIMIT
from semscale.report.palette import ACCENT, CARD, CONTRAST, GRID, INK, MUTED
from semscale.types import Floats

MOST_RUNS = 400
"""Runs that are drawn; of more the latest."""

_HEIGHT = {True: 96, False: 118}
_STRIP = 26  # pixels of the gate's outcomes
_LABELS_ROOM = 46
_FEW_RUNS = 60  # up to which each run has its own interval and mark
_MARGINS = 14  # pixels that Vega leaves around everything
_HOUR = 3600
_FEW_DAYS = 4 * 24 * _HOUR
_NEAR, _SHARE_NEAR = 0.25, 0.2  # of the mean distance of runs; share of runs so near that no clock shows them
_TICKS = {True: 3, False: 5}
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_PLACE: Specification = {"field": "place", "type": "quantitative"}
_AXIS: Specification = {
    "title": None,
    "tickCount": 3,
    "minExtent": _LABELS_ROOM,
    "maxExtent": _LABELS_ROOM,
    "domain": False,
    "ticks": False,
}
_POINT: Specification = {"type": "point", "opacity": 1, "strokeWidth": 1.5}
_FAINT: Specification = {"type": "area", "color": ACCENT, "opacity": 0.22}
_DOT: Specification = {
    **{"type": "point", "shape": "M0,0h0", "strokeCap": "round", "strokeWidth": 5},
    **{"stroke": CONTRAST, "opacity": 1},
}
_MOST_LABELS = {True: 5, False: 12}
_MARKS = {
    Outcome.FAIL: ("diamond", CONTRAST, CONTRAST),
    Outcome.UNDECIDED: ("circle", CARD, INK),
    Outcome.PASS: ("circle", ACCENT, ACCENT),
}


@dataclass(frozen=True)
class Course:
    """One metric over time, all figures in its own unit, each of shape (t,); NaN where a run has none.

    Attributes:
        name: its heading.
        loss: mean loss of each run.
        low: lower end of its interval.
        high: upper end.
        noise: what reruns of the baseline lose.
        limit: noise and margin.
        change: place of a change of level and the means before and after; ``None`` without one.
    """

    name: str
    loss: Floats
    low: Floats
    high: Floats
    noise: Floats
    limit: Floats
    change: tuple[int, float, float] | None


class _Names(NamedTuple):
    """Names of one metric's tables in the chart."""

    runs: str
    bands: str
    levels: str


@dataclass(frozen=True)
class Timeline:
    """What all metrics share: when runs were compared, what the gate said, and where the model changed."""

    times: tuple[datetime, ...]
    outcomes: tuple[str | None, ...]
    model_changes: tuple[int, ...]

    @property
    def is_even(self) -> bool:
        """Whether runs stand at equal distances, as by the clock many would lie on top of each other."""
        gaps = np.diff(self._stamps)
        near = gaps < _NEAR * np.ptp(self._stamps) / max(len(gaps), 1)
        return bool(len(gaps)) and float(near.mean()) > _SHARE_NEAR

    @property
    def places(self) -> list[float]:
        """Where each run stands on the axis: hours since the first run, or its number."""
        if self.is_even:
            return [float(place) for place in range(len(self.times))]
        return [round((stamp - self._stamps[0]) / _HOUR, 3) for stamp in self._stamps]

    def ticks(self, most: int) -> dict[float, str]:
        """Choose runs evenly, the first and the last among them, and write when they were compared."""
        chosen = np.unique(np.linspace(0, len(self.times) - 1, most).round().astype(int))
        few_days = self._stamps[-1] - self._stamps[0] < _FEW_DAYS
        places = self.places
        return {
            places[run]: self.times[run].strftime("%m-%d %H:%M" if few_days else "%Y-%m-%d") for run in chosen
        }

    @property
    def _stamps(self) -> list[float]:
        return [time.timestamp() for time in self.times]


def courses(timeline: Timeline, metrics: Sequence[Course], *, width: int) -> Specification:
    """Draw the gate's outcomes, then one plot a metric, with model changes through all of them.

    Args:
        timeline: t runs, at most ``MOST_RUNS``.
        metrics: from top to bottom.
        width: whole width in pixels.
    """
    narrow, places = width < NARROW_LIMIT, timeline.places
    spare = (places[-1] - places[0]) * 0.02 or 1.0
    ends = places[0] - spare, places[-1] + spare
    scale = {"domain": list(ends), "nice": False, "zero": False}
    ticks = timeline.ticks(_TICKS[narrow])
    datasets: dict[str, list[dict[str, Any]]] = {
        "models": _models(timeline),
        "labels": _labels(timeline, most=_MOST_LABELS[narrow]),
        "gate": [_outcome(place, outcome) for place, outcome in zip(places, timeline.outcomes, strict=True)],
    }
    plots = [_strip(scale) | {"height": _STRIP}]
    for order, metric in enumerate(metrics):
        names = _Names(f"runs{order}", f"bands{order}", f"levels{order}")
        datasets |= {
            names.runs: _runs(places, metric),
            names.bands: _bands(places, metric, ends),
            names.levels: _levels(places, metric),
        }
        x = _time(scale, ticks, last=order == len(metrics) - 1)
        plots.append(
            {"title": _title(metric.name), "height": _HEIGHT[narrow], "layer": _layers(metric, names, x)}
        )
    plots = [plot | {"width": width - _LABELS_ROOM - _MARGINS} for plot in plots]
    labels = [{"name": "places", "value": list(ticks)}, {"name": "ticks", "value": list(ticks.values())}]
    shared = {"spacing": 10, "config": LOOK, "params": labels, "datasets": datasets}
    return {"$schema": _SCHEMA, "vconcat": plots, **shared}


def _layers(metric: Course, names: _Names, x: Specification) -> list[Specification]:
    """Draw bands, model changes, intervals, the line of means, its marks, and levels before and after."""
    runs, bands, few = names.runs, names.bands, len(metric.loss) <= _FEW_RUNS
    top = {"field": "limit", "type": "quantitative", "axis": _AXIS, "scale": _scale(metric)}
    area = {"type": "area", "interpolate": "step-after"}
    line = {"type": "line", "interpolate": "step-after", "color": MUTED, "strokeWidth": 1.5}
    layers = [
        _layer(bands, area | {"color": TOLERATED}, x=x, y=top, y2=_y("noise")),
        _layer(bands, area | {"color": NOISE}, x=x, y=_y("noise"), y2=_y("zero")),
        _layer(bands, line, x=x, y=_y("limit")),
        _layer("models", {"type": "rule", "stroke": MUTED, "strokeDash": [3, 3]}, x=_PLACE),
    ]
    spread = {"type": "rule", "stroke": ACCENT, "strokeWidth": 1.5} if few else _FAINT
    layers.append(_layer(runs, spread, x=x, y=_y("low"), y2=_y("high")))
    layers.append(_layer(runs, {"type": "line", "color": ACCENT, "strokeWidth": 1.5}, x=x, y=_y("loss")))
    if few:
        marks = {name: {"field": name, "type": "nominal", "scale": None} for name in ("shape", "fill")}
        layers.append(_layer(runs, _POINT | {"size": 42}, x=x, y=_y("loss"), stroke=marks["fill"], **marks))
    else:
        layers.append(_layer(runs, _DOT, x=x, y=_y("beyond")))
    if metric.change is not None:
        levels = {"x": {"field": "start", "type": "quantitative"}, "x2": {"field": "stop"}, "y": _y("level")}
        layers.append(_layer(names.levels, {"type": "rule", "stroke": INK, "strokeWidth": 2}, **levels))
    return layers


def _strip(scale: Specification) -> Specification:
    """Draw what the gate said of each run, and the number of the model from each change on."""
    x = _PLACE | {"axis": None, "scale": scale}
    y = {"field": "row", "type": "ordinal", "axis": _AXIS | {"labels": False, "grid": False}}
    marks = {name: {"field": name, "type": "nominal", "scale": None} for name in ("shape", "fill", "stroke")}
    label = {"type": "text", "dy": -18, "fontSize": 12, "fill": INK, "fontWeight": 600}
    layers = [
        _layer("models", {"type": "rule", "stroke": MUTED, "strokeDash": [3, 3]}, x=x),
        _layer("gate", _POINT | {"size": 46}, x=x, y=y, **marks),
        _layer("labels", label, x=x, text={"field": "label", "type": "nominal"}),
    ]
    return {"layer": layers}


def _layer(rows: str, mark: Specification, **encoding: Specification) -> Specification:
    return {"data": {"name": rows}, "mark": mark, "encoding": encoding}


def _y(field: str) -> Specification:
    return {"field": field, "type": "quantitative"}


def _time(scale: Specification, ticks: Mapping[float, str], *, last: bool) -> Specification:
    axis = {
        "title": None,
        "values": list(ticks),
        "labelExpr": "ticks[indexof(places, datum.value)]",
        "labels": last,
        "ticks": last,
        "grid": False,
        "labelFlush": True,
        "labelOverlap": "greedy",
    }
    return _PLACE | {"axis": axis, "scale": scale}


def _scale(metric: Course) -> Specification:
    ends = np.concatenate([metric.loss, metric.high, metric.limit])
    known = ends[np.isfinite(ends)]
    top = float(known.max()) * 1.06 if len(known) and known.max() > 0 else 1.0
    return {"domain": [0, top], "nice": False}


def _title(name: str) -> Specification:
    look = {"anchor": "start", "color": INK, "fontSize": 13, "fontWeight": 600, "offset": 4, "frame": "group"}
    return {"text": name, **look}


def _runs(places: Sequence[float], metric: Course) -> list[dict[str, Any]]:
    columns = (metric.loss, np.maximum(metric.low, 0.0), metric.high, metric.limit)
    records = []
    for place, *values in zip(places, *(column.tolist() for column in columns), strict=True):
        loss, low, high, limit = map(_known, values)
        beyond = loss is not None and limit is not None and loss >= limit
        records.append(
            {"place": place, "loss": loss, "low": low, "high": high, "beyond": loss if beyond else None}
            | {"shape": "diamond" if beyond else "circle", "fill": CONTRAST if beyond else ACCENT}
        )
    return records


def _bands(places: Sequence[float], metric: Course, ends: tuple[float, float]) -> list[dict[str, Any]]:
    """Say where the bands change, and go on to both ends, so that a single run has them, too."""
    limits = list(zip(map(_known, metric.noise.tolist()), map(_known, metric.limit.tolist()), strict=True))
    changes = [run for run in range(1, len(limits)) if limits[run] != limits[run - 1]]
    turns = [(ends[0], limits[0]), *((places[run], limits[run]) for run in changes), (ends[1], limits[-1])]
    return [{"place": place, "zero": 0.0, "noise": noise, "limit": limit} for place, (noise, limit) in turns]


def _known(value: float) -> float | None:
    return round(value, 5) if np.isfinite(value) else None


def _levels(places: Sequence[float], metric: Course) -> list[dict[str, Any]]:
    if metric.change is None:
        return []
    run, before, after = metric.change
    middle = (places[run - 1] + places[run]) / 2
    return [
        {"start": places[0], "stop": middle, "level": before},
        {"start": middle, "stop": places[-1], "level": after},
    ]


def _models(timeline: Timeline) -> list[dict[str, Any]]:
    places = timeline.places
    return [{"place": (places[run - 1] + places[run]) / 2} for run in timeline.model_changes]


def _labels(timeline: Timeline, *, most: int) -> list[dict[str, Any]]:
    """Number the models where there are few enough changes to be told apart."""
    if not 0 < len(timeline.model_changes) <= most:
        return []
    places = [timeline.places[0], *(model["place"] for model in _models(timeline))]
    return [{"place": place, "label": str(order)} for order, place in enumerate(places, 1)]


def _outcome(place: float, outcome: str | None) -> dict[str, Any]:
    shape, fill, stroke = _MARKS[Outcome(outcome)] if outcome else ("circle", GRID, GRID)
    return {"place": place, "row": 0, "shape": shape, "fill": fill, "stroke": stroke}
