"""The content of a calibration's file: types and ranges of what is read, before anything is made of it."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from semscale.messages import first_mistake
from semscale.rating.calibration.calibration import Calibration, HonestError, LabelSource
from semscale.rating.calibration.calibrators import MethodName, VectorLine, calibrator_of
from semscale.rating.calibration.familiarity import Familiarity
from semscale.rating.calibration.refits import REFITS
from semscale.signature import Signature

_ROUNDING = 1e-6
_Score = Annotated[FiniteFloat, Field(ge=0, le=1)]
_Gain = Annotated[FiniteFloat, Field(ge=-1, le=1)]
_Count = Annotated[int, Field(ge=1)]
_Fitted = dict[str, FiniteFloat | list[FiniteFloat]]
_Numbers = Annotated[list[FiniteFloat], Field(min_length=1)]


class _StoredPart(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class _StoredLabels(_StoredPart):
    n: _Count
    n_answers: _Count
    hash: Annotated[str, Field(pattern="^[0-9a-f]{8}$")]
    human_range: Annotated[list[FiniteFloat], Field(min_length=2, max_length=2)] | None
    grouped: bool
    seed: Annotated[int, Field(ge=0)]
    texts: list[Annotated[str, Field(pattern="^[0-9a-f]{12}$")]]


class _StoredErrors(_StoredPart):
    calibrated: _Score
    uncalibrated: _Score
    gain_low: _Gain | None = None
    gain_high: _Gain | None = None
    pearson_low: _Gain | None = None
    rated_pearson_high: _Gain | None = None


class _StoredFamiliarity(_StoredPart):
    floor: Annotated[FiniteFloat, Field(ge=-1 - _ROUNDING, le=1 + _ROUNDING)]
    centre: _Numbers


class _StoredCalibration(_StoredPart):
    ratings: str
    language: str
    labels: _StoredLabels
    error: _StoredErrors
    method: MethodName
    fitted: _Fitted
    refits: Annotated[list[_Fitted], Field(max_length=REFITS)]
    familiarity: _StoredFamiliarity


def calibration_of(content: Mapping[str, Any]) -> Calibration:
    """Make a calibration of the content of its file.

    Args:
        content: as ``Calibration.record`` gives it.

    Raises:
        ValueError: something is missing, of another type, not finite or out of range, or widths differ.
    """
    try:
        read = _StoredCalibration(**content)
    except ValidationError as error:
        raise ValueError(first_mistake(error, _StoredCalibration.model_fields)) from None
    labels, centre = read.labels, np.array(read.familiarity.centre)
    if np.abs(centre).max() > 1 + _ROUNDING or np.linalg.norm(centre) > 1 + _ROUNDING:
        raise ValueError("familiarity.centre must be at most 1 long")
    calibrator, *refits = (calibrator_of(read.method, fitted) for fitted in (read.fitted, *read.refits))
    for one in (calibrator, *refits):
        if isinstance(one, VectorLine) and len(one.line.weights) != len(centre):
            raise ValueError("the weights that were fitted and familiarity.centre must have the same width")
    if len(refits) == 1:
        raise ValueError("refits must be none or at least two")
    ends = None if labels.human_range is None else (labels.human_range[0], labels.human_range[1])
    return Calibration(
        read.method,
        calibrator,
        Familiarity(centre, read.familiarity.floor),
        Signature.parse(read.ratings),
        read.language,
        LabelSource(
            labels.n, labels.n_answers, labels.hash, ends, labels.grouped, labels.seed, tuple(labels.texts)
        ),
        HonestError(**dict(read.error)),
        tuple(refits),
    )
