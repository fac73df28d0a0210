"""The chart of a trend: every metric's mean loss over time, one below the other, on one axis of time.

It is written as Vega-Lite itself: Altair would take most of a second to put so many layers together.
"""

from collections.abc import Sequence
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
_HOUR = 3_600_000
_FEW_DAYS = 4 * 24 * _HOUR
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_TIME: Specification = {"field": "time", "type": "temporal"}
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
    def stamps(self) -> list[int]:
        """Each time in milliseconds, as Vega counts them."""
        return [int(time.timestamp() * 1000) for time in self.times]


def courses(timeline: Timeline, metrics: Sequence[Course], *, width: int) -> Specification:
    """Draw the gate's outcomes, then one plot a metric, with model changes through all of them.

    Args:
        timeline: t runs, at most ``MOST_RUNS``.
        metrics: from top to bottom.
        width: whole width in pixels.
    """
    narrow, stamps = width < NARROW_LIMIT, timeline.stamps
    spare = max(int((stamps[-1] - stamps[0]) * 0.02), _HOUR)
    ends = stamps[0] - spare, stamps[-1] + spare
    scale = {"domain": list(ends), "type": "utc", "nice": False}
    datasets: dict[str, list[dict[str, Any]]] = {
        "models": _models(timeline),
        "labels": _labels(timeline, most=_MOST_LABELS[narrow]),
        "gate": [_outcome(stamp, outcome) for stamp, outcome in zip(stamps, timeline.outcomes, strict=True)],
    }
    plots = [_strip(scale) | {"height": _STRIP}]
    for place, metric in enumerate(metrics):
        names = _Names(f"runs{place}", f"bands{place}", f"levels{place}")
        datasets |= {
            names.runs: _runs(stamps, metric),
            names.bands: _bands(stamps, metric, ends),
            names.levels: _levels(stamps, metric),
        }
        x = _time(scale, narrow=narrow, last=place == len(metrics) - 1)
        plots.append(
            {"title": _title(metric.name), "height": _HEIGHT[narrow], "layer": _layers(metric, names, x)}
        )
    plots = [plot | {"width": width - _LABELS_ROOM - _MARGINS} for plot in plots]
    return {"$schema": _SCHEMA, "vconcat": plots, "spacing": 10, "config": LOOK, "datasets": datasets}


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
        _layer("models", {"type": "rule", "stroke": MUTED, "strokeDash": [3, 3]}, x=_TIME),
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
        levels = {"x": {"field": "start", "type": "temporal"}, "x2": {"field": "stop"}, "y": _y("level")}
        layers.append(_layer(names.levels, {"type": "rule", "stroke": INK, "strokeWidth": 2}, **levels))
    return layers


def _strip(scale: Specification) -> Specification:
    """Draw what the gate said of each run, and the number of the model from each change on."""
    x = _TIME | {"axis": None, "scale": scale}
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


def _time(scale: Specification, *, narrow: bool, last: bool) -> Specification:
    low, high = scale["domain"]
    day = "%m-%d" if narrow else "%Y-%m-%d"
    axis = {
        "format": day if high - low > _FEW_DAYS else f"{day} %H:%M",
        "title": None,
        "tickCount": 3 if narrow else 5,
        "labels": last,
        "ticks": last,
        "grid": False,
        "labelFlush": True,
    }
    return _TIME | {"axis": axis, "scale": scale}


def _scale(metric: Course) -> Specification:
    ends = np.concatenate([metric.loss, metric.high, metric.limit])
    known = ends[np.isfinite(ends)]
    top = float(known.max()) * 1.06 if len(known) and known.max() > 0 else 1.0
    return {"domain": [0, top], "nice": False}


def _title(name: str) -> Specification:
    look = {"anchor": "start", "color": INK, "fontSize": 13, "fontWeight": 600, "offset": 4, "frame": "group"}
    return {"text": name, **look}


def _runs(stamps: Sequence[int], metric: Course) -> list[dict[str, Any]]:
    columns = (metric.loss, np.maximum(metric.low, 0.0), metric.high, metric.limit)
    records = []
    for stamp, *values in zip(stamps, *(column.tolist() for column in columns), strict=True):
        loss, low, high, limit = map(_known, values)
        beyond = loss is not None and limit is not None and loss >= limit
        records.append(
            {"time": stamp, "loss": loss, "low": low, "high": high, "beyond": loss if beyond else None}
            | {"shape": "diamond" if beyond else "circle", "fill": CONTRAST if beyond else ACCENT}
        )
    return records


def _bands(stamps: Sequence[int], metric: Course, ends: tuple[int, int]) -> list[dict[str, Any]]:
    """Say where the bands change, and go on to both ends, so that a single run has them, too."""
    limits = list(zip(map(_known, metric.noise.tolist()), map(_known, metric.limit.tolist()), strict=True))
    changes = [place for place in range(1, len(limits)) if limits[place] != limits[place - 1]]
    places = [
        (ends[0], limits[0]),
        *((stamps[place], limits[place]) for place in changes),
        (ends[1], limits[-1]),
    ]
    return [{"time": time, "zero": 0.0, "noise": noise, "limit": limit} for time, (noise, limit) in places]


def _known(value: float) -> float | None:
    return round(value, 5) if np.isfinite(value) else None


def _levels(stamps: Sequence[int], metric: Course) -> list[dict[str, Any]]:
    if metric.change is None:
        return []
    place, before, after = metric.change
    middle = (stamps[place - 1] + stamps[place]) / 2
    return [
        {"start": stamps[0], "stop": middle, "level": before},
        {"start": middle, "stop": stamps[-1], "level": after},
    ]


def _models(timeline: Timeline) -> list[dict[str, Any]]:
    stamps = timeline.stamps
    return [{"time": (stamps[place - 1] + stamps[place]) / 2} for place in timeline.model_changes]


def _labels(timeline: Timeline, *, most: int) -> list[dict[str, Any]]:
    """Number the models where there are few enough changes to be told apart."""
    if not 0 < len(timeline.model_changes) <= most:
        return []
    times = [timeline.stamps[0], *(model["time"] for model in _models(timeline))]
    return [{"time": time, "label": str(order)} for order, time in enumerate(times, 1)]


def _outcome(stamp: int, outcome: str | None) -> dict[str, Any]:
    shape, fill, stroke = (
        _MARKS.get(Outcome(outcome), _MARKS[Outcome.PASS]) if outcome else ("circle", GRID, GRID)
    )
    return {"time": stamp, "row": 0, "shape": shape, "fill": fill, "stroke": stroke}
