import re

import pytest

from semscale.errors import InputError
from semscale.rating.calibration.calibration import Calibration, HonestError, LabelSource
from semscale.rating.calibration.calibrators import Tempered
from semscale.rating.calibration.familiarity import Familiarity
from semscale.signature import Signature

RATED = {"scale": "quality#1", "model": "small", "precision": "float32", "floor": 0.1, "engine": "a-1"}


def calibration():
    labels = LabelSource(n=12, n_answers=24, hash="0badcafe", human_range=(0, 10), grouped=False, seed=3)
    rated = Signature.of("rate", **RATED)
    return Calibration(
        "temperature", Tempered(2.0, 0.1), Familiarity([1.0], 0.5), rated, "en", labels, HonestError(0.1, 0.2)
    )


@pytest.mark.parametrize(
    ("name", "value"), [("scale", "trust#2"), ("model", "large"), ("precision", "bfloat16")]
)
def test_another_scale_model_or_precision_is_refused(name, value):
    said = f"calibration is for {name} {RATED[name]}, but the ratings have {name} {value}"
    with pytest.raises(InputError, match=re.escape(said)):
        calibration().check(Signature.of("rate", **{**RATED, name: value}))


def test_another_model_with_other_anchors_is_refused_as_another_model():
    with pytest.raises(InputError, match="calibration is for model small, but the ratings have model large"):
        calibration().check(Signature.of("rate", **{**RATED, "scale": "quality#2", "model": "large"}))


def test_a_setting_that_the_calibration_does_not_know_is_refused():
    with pytest.raises(InputError, match="calibration is for readout none"):
        calibration().check(Signature.of("rate", **RATED, readout="ordinal"))


def test_another_floor_and_another_version_of_the_engine_pass():
    calibration().check(Signature.of("rate", **{**RATED, "floor": None, "engine": "a-2"}))


def test_the_signature_names_labels_choice_and_error():
    fields = dict(calibration().signature.fields)
    assert fields["method"] == "temperature"
    assert (fields["texts"], fields["answers"], fields["labels"]) == ("12", "24", "0badcafe")
    assert (fields["human_range"], fields["error"], fields["scale"]) == ("0 to 10", "0.1", "quality#1")
    assert calibration().name == f"temperature-12#{fields['fitted']}"
