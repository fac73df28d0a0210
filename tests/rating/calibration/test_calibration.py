import re
from dataclasses import replace

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.calibration.calibration import Calibration, HonestError, LabelSource
from semscale.rating.calibration.calibrators import Tempered
from semscale.rating.calibration.familiarity import Familiarity
from semscale.signature import Signature

RATED = {"scale": "quality#1", "model": "small", "precision": "float32", "floor": 0.1, "engine": "a-1"}


def calibration(floor=0.5):
    labels = LabelSource(n=12, n_answers=24, hash="0badcafe", human_range=(0, 10), grouped=False, seed=3)
    rated = Signature.of("rate", **RATED)
    return Calibration(
        "temperature",
        Tempered(2.0, 0.1),
        Familiarity(np.array([1.0]), floor),
        rated,
        "en",
        labels,
        HonestError(0.1, 0.2),
    )


@pytest.mark.parametrize(
    ("name", "value", "ours", "theirs"),
    [
        ("scale", "trust#2", "quality#1", "trust#2"),
        ("model", "large", "small", "large"),
        ("precision", "bfloat16", "exact", "fast"),
        ("precision", "int8/128+bfloat16", "exact", "turbo"),
        ("precision", "float16", "exact", "float16"),
    ],
)
def test_another_scale_model_or_precision_is_refused(name, value, ours, theirs):
    said = f"calibration is for {name} {ours}, but the ratings have {name} {theirs}: rate with"
    with pytest.raises(InputError, match=re.escape(said)):
        calibration().check(Signature.of("rate", **{**RATED, name: value}), "en")


def test_another_model_with_other_anchors_is_refused_as_another_model():
    with pytest.raises(InputError, match="calibration is for model small, but the ratings have model large"):
        calibration().check(Signature.of("rate", **{**RATED, "scale": "quality#2", "model": "large"}), "en")


def test_a_setting_that_the_calibration_does_not_know_is_refused():
    with pytest.raises(InputError, match="calibration is for readout none"):
        calibration().check(Signature.of("rate", **RATED, readout="ordinal"), "en")


def test_another_floor_and_another_version_of_the_engine_pass():
    calibration().check(Signature.of("rate", **{**RATED, "floor": None, "engine": "a-2"}), "en")


def test_the_signature_names_labels_choice_and_error():
    fields = dict(calibration().signature.fields)
    assert fields["method"] == "temperature"
    assert (fields["texts"], fields["answers"], fields["labels"]) == ("12", "24", "0badcafe")
    assert (fields["human_range"], fields["error"], fields["scale"]) == ("0 to 10", "0.1", "quality#1")
    assert calibration().name == f"temperature-12#{fields['content']}"


def test_calibrations_that_differ_in_their_floor_alone_have_different_names_and_signatures():
    one, other = calibration(floor=0.5), calibration(floor=0.6)
    assert one.name != other.name
    assert one.signature != other.signature
    assert one.name == calibration(floor=0.5).name


@pytest.mark.parametrize("language", ["any+py3langid-9.9", "auto+py3langid-0.4", "en", "de"])
def test_how_the_language_of_texts_is_known_does_not_matter_where_anchors_are_the_same(language):
    rated = {**RATED, "language": "any+py3langid-0.3"}
    fitted = replace(calibration(), ratings=Signature.of("rate", **rated))
    fitted.check(Signature.of("rate", **{**rated, "language": language}), "en")


def test_anchors_in_another_language_and_translations_are_refused():
    with pytest.raises(
        InputError, match="is for anchor_language en, but the ratings have anchor_language de"
    ):
        calibration().check(Signature.of("rate", **{**RATED, "scale": "quality#3"}), "de")
    with pytest.raises(InputError, match="without language='auto': leave that out, or calib") as refused:
        calibration().check(Signature.of("rate", **RATED, translations="ar+de#1"), "en")
    assert refused.value.shell_message == (
        "calibration was made without --language auto: leave that out, or calibrate with it"
    )
    translated = replace(calibration(), ratings=Signature.of("rate", **RATED, translations="de#1"))
    with pytest.raises(InputError, match="made with language='auto': give that, or calibrate without it"):
        translated.check(Signature.of("rate", **RATED), "en")
    with pytest.raises(InputError, match="is for other translations of the anchors: calibrate anew"):
        translated.check(Signature.of("rate", **RATED, translations="de#2"), "en")


def test_one_arithmetic_of_turbo_is_told_from_another():
    fitted = replace(calibration(), ratings=Signature.of("rate", precision="int8/128+float32"))
    with pytest.raises(InputError, match=re.escape("for precision int8/128+float32, but the ratings have")):
        fitted.check(Signature.of("rate", precision="int8/128+bfloat16"), "en")


@pytest.mark.parametrize("further", [{}, {"anchor_language": "en"}])
def test_the_signature_names_the_language_of_texts_and_that_of_the_anchors_once_each(further):
    rated = Signature.of("rate", **RATED, language="any+py3langid-0.3", **further)
    names = [name for name, _ in replace(calibration(), ratings=rated).signature.fields]
    assert (names.count("language"), names.count("anchor_language")) == (1, 1)


def test_ratings_are_reversed_where_their_whole_interval_is_below_0_and_rank_where_it_is_above():
    assert HonestError(0.1, 0.2, rated_pearson_high=-0.468).is_reversed
    assert not HonestError(0.1, 0.2, rated_pearson_high=0.177).is_reversed
    assert HonestError(0.1, 0.2, pearson_low=0.2).has_ranking
    assert not HonestError(0.1, 0.2, pearson_low=-0.569).has_ranking
    unknown = HonestError(0.1, 0.2)
    assert (unknown.is_reversed, unknown.has_ranking) == (False, True)


def test_a_calibration_of_an_earlier_version_keeps_its_signature():
    fitted = replace(calibration(), ratings=Signature("rate", (("scale", "quality#1"),), "0.0.9"))
    assert fitted.signature.version == "0.0.9"
