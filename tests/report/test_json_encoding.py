"""JSON of summaries: one shape for an estimate, null for what does not exist."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from semscale.report.json_encoding import json_text, to_json_value
from semscale.signature import Signature
from semscale.stats.agreement import AgreementEstimate
from semscale.stats.groups import GroupEstimate
from semscale.stats.intervals import Estimate, MeanEstimate
from semscale.types import Status

FIGURE = Estimate(0.5, 0.25, float("nan"))
MEAN = {
    "value": 0.5,
    "low": 0.25,
    "high": None,
    "n": 3,
    "n_left_out": 1,
    "n_clusters": 3,
    "method": "bootstrap",
}


def test_estimate_has_the_same_json_shape_alone_and_in_a_group():
    mean = MeanEstimate(0.5, 0.25, float("nan"), 3, 1, 3, "bootstrap")
    group = GroupEstimate("north", 3, {"empty": 1}, 3.0, {"mean": FIGURE}, n_clusters=3, method="bootstrap")
    kappa = AgreementEstimate(0.5, 0.25, float("nan"), 3, 1, 3, "bootstrap", "why")
    assert to_json_value(mean) == MEAN
    assert to_json_value(group) == {
        "group": "north", "n": 3, "n_left_out": 1, "left_out": {"empty": 1}, "effective_n": 3.0,
        "small_base": True, "figures": {"mean": MEAN},
    }  # fmt: skip
    assert to_json_value(kappa) == {**MEAN, "note": "why"}
    assert to_json_value(FIGURE) == {name: MEAN[name] for name in ("value", "low", "high")}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("inf"), None),
        (np.float32("nan"), None),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        ({Status.SCORED: np.int64(2)}, {"scored": 2}),
        ((Status.EMPTY, None), ["empty", None]),
        (Path("a/b"), "a/b"),
        (Signature("rate", (("seed", "1"),), "0.1"), "semscale 0.1|rate|seed:1"),
        (datetime(2026, 11, 22, 8, 30, 15, 999, tzinfo=UTC), "2026-11-22T08:30:15+00:00"),
    ],
)
def test_leaves(value, expected):
    assert to_json_value(value) == expected


def test_object_without_a_json_form_is_refused():
    with pytest.raises(TypeError, match="object has no JSON form"):
        to_json_value(object())


def test_texts_stay_readable():
    assert json.loads(json_text({"text": "満足 \u2028"})) == {"text": "満足 \u2028"}
    assert "満足" in json_text({"text": "満足"})
