"""What the report of a calibration says of its gain."""

from types import SimpleNamespace

import pytest

from semscale.rating.calibration.calibration import HonestError
from semscale.report.rating.calibration import gain_words
from semscale.stats.intervals.estimates import Estimate

BETTER = HonestError(calibrated=0.1, uncalibrated=0.13)
WORSE = HonestError(calibrated=0.16, uncalibrated=0.13)


@pytest.mark.parametrize(("error", "said"), [(BETTER, "brings"), (WORSE, "worsens")])
def test_a_loss_is_not_called_a_gain(error, said):
    summary = SimpleNamespace(
        calibration=SimpleNamespace(error=error, method="ridge"),
        gain=Estimate(error.uncalibrated - error.calibrated, -0.08, 0.05),
    )
    expected = f"ridge {said} the ranked probability score from 0.130 to {error.calibrated:.3f}"
    assert expected in gain_words(summary)
