"""What the report of a calibration says of its gain."""

from types import SimpleNamespace

import pytest

from semscale.rating.calibration.calibration import HonestError
from semscale.report.rating.calibration import chosen_words, gain_words
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


def test_the_method_that_serves_is_told_from_those_that_were_measured():
    summary = SimpleNamespace(
        calibration=SimpleNamespace(method="ridge"), chosen_in_folds={"ordinal": 2, "ridge": 3}
    )
    said = chosen_words(summary)
    assert said.startswith("New texts are rated with ridge, which all labels together choose.")
    assert "for each of 5 folds" in said
    assert "(ridge in 3 and ordinal in 2)" in said
    summary.chosen_in_folds = {"affine": 5}
    assert "(affine in 5)" in chosen_words(summary)
