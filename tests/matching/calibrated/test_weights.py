"""The weights of ``calibrated`` for each model, and which ones a model gets."""

import pytest

from semscale.guards.registry import FINDING_KINDS
from semscale.matching.calibrated import (
    GENERIC_MODEL,
    LAYERS,
    load_calibrated_weights,
    load_weights_for,
)
from semscale.signature import Signature
from semscale.weights.known import KNOWN


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v2", "e5-small"])
def test_shipped_weights_keep_their_promises(model):
    calibration = load_calibrated_weights(model)
    assert calibration.model == model
    assert sum(calibration.shares.values()) == pytest.approx(1)
    assert set(calibration.shares) == set(LAYERS)
    assert min(calibration.shares.values()) > 0
    assert set(calibration.penalties) == set(FINDING_KINDS)
    assert min(calibration.penalties.values()) >= 0
    assert all(0 <= floor < 1 for floor in calibration.floors.values())


def signed(model, digest):
    return Signature.of("states", model=f"{model}#{digest}")


def test_known_model_has_specific_weights_and_unknown_models_generic_weights():
    e5 = KNOWN["e5-small"]
    digest = e5.sums[e5.weights][:12]
    assert load_weights_for(signed("e5-small", digest)).model == "e5-small"
    assert load_weights_for(signed("intfloat/multilingual-e5-small", "0" * 12)).model == "e5-small"
    # Other weights under a known name are another model.
    assert load_weights_for(signed("e5-small", "0" * 12)).model == GENERIC_MODEL
    assert load_weights_for(signed("organisation/other", "0" * 12)).model == GENERIC_MODEL


def test_the_label_tells_apart_what_was_fitted_to_which_model():
    labels = {load_calibrated_weights(model).label for model in ("all-MiniLM-L6-v2", "e5-small", "other")}
    assert {label.partition("#")[0] for label in labels} == {"all-MiniLM-L6-v2", "e5-small"}
    assert len(labels) == 2
