"""The document of calibrated layers."""

import json

import numpy as np
import pytest
from tests.schema_check import check_json

from semscale.matching.bertscore import HumanAgreement, LayerCalibration
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document
from semscale.signature import Signature
from semscale.stats.intervals import Estimate


def shown_on_screen(summary, capsys):
    print_document(summary.document())
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def calibration():
    return LayerCalibration(
        baseline=np.array([[0.1, 0.2, 0.15], [0.3, 0.4, 0.35]]),
        error=np.array([[0.01, 0.02, 0.015], [0.03, 0.04, 0.035]]),
        n_texts=24,
        n_pairs=1000,
        source="corpus.csv#1234",
        seed=0,
        human=HumanAgreement((Estimate(0.5, 0.25, 0.75), Estimate(0.25, 0.0, 0.5)), 30, 2),
        signature=Signature.of("bertscore", model="toy#1234"),
    )


def test_a_calibration_lists_the_layers_and_names_the_best(calibration, capsys):
    lines = shown_on_screen(calibration, capsys)
    assert "0 0.1000 0.2000 0.1500 0.0150 0.500 [0.250, 0.750]" in lines
    assert "1,000 random pairs of 24 texts" in lines
    intervals = "95 %, 2,000 bootstrap resamples of judged pairs, seed 0"
    assert f"best layer: 0 (30 judged pairs, 2 left out); intervals: {intervals}" in lines
    assert "toy" in markdown(calibration.document())


def test_a_calibration_has_its_layers_in_json(calibration):
    check_json(calibration.to_json())
    record = json.loads(calibration.to_json())
    assert record["layers"][1]["f1"] == 0.35
    assert record["layers"][1]["error"] == {"precision": 0.03, "recall": 0.04, "f1": 0.035}
    assert record["human"]["spearman"][0] == {"value": 0.5, "low": 0.25, "high": 0.75}
    assert record["human"]["best_layer"] == 0
    assert (record["human"]["interval"], record["human"]["replicates"], record["seed"]) == (0.95, 2000, 0)
