"""How far readings lie from people's labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.history.anchor_sets import AnchorReadings, AnchorSet
from semscale.stats.intervals import MeanEstimate, estimate_mean
from semscale.types import Floats


@dataclass(frozen=True)
class LabelError:
    """The mean distance of one reading from people's labels.

    Attributes:
        reading: its name.
        error: mean absolute difference, 0 to 1, with its interval over the anchors.
    """

    reading: str
    error: MeanEstimate


def mean_readings(readings: Sequence[AnchorReadings]) -> dict[str, Floats]:
    """Average repeats by name, shape (pairs,); NaN where one of them has no reading."""
    return {name: np.mean([one.readings[name] for one in readings], axis=0) for name in readings[0].readings}


def label_array(anchors: AnchorSet) -> Floats | None:
    """Give the labels as an array, shape (pairs,), NaN without one; ``None`` where no anchor has any."""
    labels = np.array([np.nan if label is None else label for label in anchors.labels])
    return None if np.isnan(labels).all() else labels


def label_error(name: str, readings: Floats, labels: Floats) -> LabelError:
    """Average the distance of readings from labels over the anchors that have both.

    Example:
        >>> label_error("match", np.array([0.5, 0.9]), np.array([1.0, np.nan])).error.value
        0.5
    """
    return LabelError(name, estimate_mean(np.abs(readings - labels), bounds=(0.0, 1.0)))
