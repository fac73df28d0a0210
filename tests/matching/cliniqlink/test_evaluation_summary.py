"""A submission's scores as JSON."""

import json

import polars as pl
from tests.schema_check import check_json

from semscale.matching.cliniqlink import EvaluationSummary, TaskScore
from semscale.signature import Signature
from semscale.stats.intervals import MeanEstimate

NAN = float("nan")
TASKS = (
    TaskScore("true_false", "accuracy", MeanEstimate(0.5, 0.25, 0.75, 12, 1, 12, "bootstrap"), 2),
    TaskScore("multi_hop_inverse", "mean match", MeanEstimate(0.75, NAN, NAN, 1, 0, 1, None), 0,
              {"step_accuracy": 0.125}),
)  # fmt: skip


def test_tasks_have_estimates_and_equal_weight():
    signature = Signature.of("match", method="cosine")
    written = EvaluationSummary("submission", TASKS, pl.DataFrame(), signature).to_json()
    check_json(written)
    record = json.loads(written)
    assert (record["source"], record["overall"]) == ("submission", 0.625)  # .5 and .75
    first, second = record["tasks"]
    assert (first["estimate"]["value"], first["estimate"]["n_left_out"], first["invalid"]) == (0.5, 1, 2)
    assert (second["estimate"]["low"], second["figures"]) == (None, {"step_accuracy": 0.125})
