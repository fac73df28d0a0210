"""What the report of a calibration says of its gain."""

from types import SimpleNamespace

import pytest

from semscale.rating.calibration import CurvePoint, HonestError
from semscale.report.rating.calibration import chosen_words, curve_origin, curve_words, gain_words, head_words
from semscale.stats.intervals.estimates import Estimate

BETTER = HonestError(calibrated=0.1, uncalibrated=0.13)
WORSE = HonestError(calibrated=0.16, uncalibrated=0.13)


@pytest.mark.parametrize(("error", "said"), [(BETTER, "brings"), (WORSE, "worsens")])
def test_a_loss_is_not_called_a_gain(error, said):
    summary = SimpleNamespace(
        calibration=SimpleNamespace(error=error, method="ridge"),
        gain=Estimate(error.uncalibrated - error.calibrated, -0.08, 0.05),
    )
    expected = f"calibration {said} the ranked probability score from 0.130 to {error.calibrated:.3f}"
    assert expected in gain_words(summary)


@pytest.mark.parametrize(
    ("error", "low", "said"),
    [
        (
            BETTER,
            0.01,
            "Calibration by 40 labelled texts helps: the ranked probability score falls from 0.130",
        ),
        (BETTER, -0.01, "40 labelled texts do not show whether calibration helps"),
        (WORSE, -0.08, "worse on texts that it has not seen: do not use it"),
        (HonestError(0.1, 0.13, rated_pearson_high=-0.4), 0.01, "The ratings run against the labels"),
        (HonestError(0.1, 0.13, pearson_low=-0.5), 0.01, "not shown to tell texts apart"),
    ],
)
def test_the_head_is_short_and_has_figures_only_where_the_gain_is_clear(error, low, said):
    labels = SimpleNamespace(n=40)
    summary = SimpleNamespace(
        calibration=SimpleNamespace(error=error, labels=labels), gain=Estimate(0.03, low, 0.05)
    )
    words = head_words(summary)
    assert said in words
    assert ("0.130" in words) == (low > 0 and error is BETTER)
    assert len(words.split()) < 20


def test_twice_as_many_labels_are_held_against_all_that_there_are_and_not_against_a_fold():
    # .100 with all 100 labels, .098 with 200: 2 %; trials were off by up to 200 / 100 points.
    points = [(80, 0.1025, False), (100, 0.100, True), (200, 0.098, True), (400, 0.097, True)]
    summary = SimpleNamespace(
        curve=[CurvePoint(n, score, 0.0, is_forecast) for n, score, is_forecast in points],
        calibration=SimpleNamespace(labels=SimpleNamespace(n=100)),
    )
    assert "from 0 to 4 % (forecast 2 %, give or take 2" in curve_words(summary)


def test_the_row_of_all_labels_says_why_it_is_a_forecast():
    points = [(24, 0.12, False), (30, 0.11, True), (60, 0.1, True)]
    origins = [curve_origin(CurvePoint(n, score, 0.0, known), 30) for n, score, known in points]
    assert origins == ["measured", "forecast, as no label is left to test on", "forecast"]


def test_the_method_that_serves_is_told_from_those_that_were_measured():
    summary = SimpleNamespace(
        calibration=SimpleNamespace(method="ridge"), chosen_in_folds={"ordinal": 2, "ridge": 3}
    )
    said = chosen_words(summary)
    assert said.startswith("New texts are rated with the method ridge, which all labels choose.")
    assert "for each of 5 folds" in said
    assert "(ridge in 3 and ordinal in 2)" in said
    summary.chosen_in_folds = {"affine": 5}
    assert "(affine in 5)" in chosen_words(summary)
