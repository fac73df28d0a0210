"""The chart places a candidate on an axis of losses: what reruns lose, then the drift."""

import pytest

from semscale.drift.gate.decision import Outcome
from semscale.report.row_charts import ForestRow, forest, legend


def row(outcome=Outcome.FAIL, **settings):
    plain = {"drift": 0.2, "low": 0.1, "high": 0.3, "noise": 0.05, "margin": 0.1}
    return ForestRow(name="match", outcome=outcome, text="long", short_text="short", **(plain | settings))


def test_marks_lie_at_noise_and_drift():
    (record,) = forest([row()], "loss", width=860)["datasets"]["rows"]
    assert [record[name] for name in ("noise", "limit", "loss", "low", "high")] == pytest.approx(
        [0.05, 0.15, 0.25, 0.15, 0.35]
    )
    assert record["text"] == "long"


def test_a_narrow_chart_has_the_short_figures():
    (record,) = forest([row()], "loss", width=348)["datasets"]["rows"]
    assert record["text"] == "short"


def test_outcomes_differ_without_colour():
    marks = [forest([row(outcome)], "loss", width=860)["datasets"]["rows"][0] for outcome in (*Outcome, None)]
    looks = {(mark["shape"], mark["size"], mark["fill"] == mark["stroke"]) for mark in marks}
    assert len(looks) == 4


def test_what_does_not_exist_is_not_drawn():
    empty = row(None, drift=None, low=None, high=None, noise=0.0, margin=None)
    (record,) = forest([empty], "loss", width=860)["datasets"]["rows"]
    assert [record[name] for name in ("loss", "low", "high", "limit")] == [None] * 4


def test_the_legend_names_only_what_occurs():
    assert [swatch.label for swatch in legend([row()], gated=True)] == [
        "failed", "what reruns of the baseline lose", "margin",
    ]  # fmt: skip
    bare = row(None, noise=0.0, margin=None)
    assert [swatch.label for swatch in legend([bare], gated=False)] == ["mean loss"]
    assert [swatch.label for swatch in legend([bare], gated=True)] == ["not tested"]
