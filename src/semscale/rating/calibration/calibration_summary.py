"""Summary of a calibration: its quality beside no calibration, and what more labels may gain."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from semscale.presentable import Presentable
from semscale.rating.calibration.calibration import Calibration
from semscale.rating.calibration.calibration_file import save_calibration
from semscale.rating.calibration.calibrators import MethodName
from semscale.rating.calibration.learning_curve import CurvePoint
from semscale.rating.calibration.quality import RatingQuality
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals.estimates import Estimate


@dataclass(frozen=True, repr=False)
class CalibrationSummary(Presentable):
    """What was learnt from labels, and how good it is on texts that it was not learnt from.

    Attributes:
        calibration: fitted to all labels, to be used.
        scale: on which texts are rated.
        left_out: labelled texts that were not used, by why they have no rating.
        qualities: by ``calibrated`` (method and fit chosen without the text), ``as rated`` and
            ``equal shares``.
        points_used: how many of the scale's points people's answers lie on.
        human_spread: standard deviation of people's means.
        errors: cross-validated error of each method, from which it was chosen.
        chosen_in_folds: how often each method was chosen in the nested folds.
        curve: error with fewer labels, and forecasts for more.
        gain: mean ranked probability score as rated less calibrated, above 0 where calibration helps.
        interval: coverage of the intervals.
        source: name of the input.
        created: when it was made.
    """

    calibration: Calibration
    scale: Scale
    left_out: dict[str, int]
    qualities: dict[str, RatingQuality]
    points_used: int
    human_spread: float
    errors: dict[MethodName, float]
    chosen_in_folds: dict[MethodName, int]
    curve: tuple[CurvePoint, ...]
    gain: Estimate
    interval: float
    source: str
    created: datetime

    def __repr__(self) -> str:
        n, method = self.calibration.labels.n, self.calibration.method
        return f"CalibrationSummary(source={self.source!r}, n={n}, method={method!r})"

    @property
    def signature(self) -> Signature:
        """Signature of the calibration."""
        return self.calibration.signature

    def save(self, path: str | Path) -> None:
        """Write the calibration to a JSON file, for ``Rater(calibration=...)``.

        Raises:
            InputError: another ending than ``.json``, or a place that cannot be written.
        """
        save_calibration(self.calibration, Path(path))

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "calibrate",
            "source": self.source,
            "scale": self.scale.name,
            "texts": self.calibration.labels.n,
            "answers": self.calibration.labels.n_answers,
            "left_out": self.left_out,
            "method": self.calibration.method,
            "errors": self.errors,
            "chosen_in_folds": self.chosen_in_folds,
            "quality": {
                name: {
                    "pearson": one.pearson,
                    "ks_similarity": one.ks_similarity,
                    "ranked_probability": one.ranked_probability,
                    "log_score": one.log_score,
                    "spread": one.spread,
                    "bins": [each._asdict() for each in one.bins],
                }
                for name, one in self.qualities.items()
            },
            "human_spread": self.human_spread,
            "gain": self.gain,
            "learning_curve": [point._asdict() for point in self.curve],
            "interval": self.interval,
            "signature": self.signature,
            "created": self.created,
        }
