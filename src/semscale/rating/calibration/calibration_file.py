"""Calibrations as JSON files: readable, with a version, and refused where they cannot be understood."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.rating.calibration.calibration import Calibration, HonestError, LabelSource
from semscale.rating.calibration.calibrators import Unchanged, VectorLine, calibrator_of
from semscale.rating.calibration.familiarity import Familiarity
from semscale.signature import Signature
from semscale.store.atomic import check_writable, replacing

FORMAT, VERSION = "semscale calibration", 1


def check_calibration_path(path: Path) -> None:
    """Check, before any work is done, that a calibration can be written to a file.

    Raises:
        InputError: another ending than ``.json``, or a place that cannot be written.
    """
    if path.suffix.lower() != ".json":
        raise InputError(f"out must end in .json, got {path.name!r}")
    check_writable(path, "out")


def save_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration.

    Raises:
        InputError: as ``check_calibration_path``.
    """
    check_calibration_path(path)
    with replacing(path) as temporary:
        temporary.write_text(calibration_text(calibration), encoding="utf-8", newline="\n")


def load_calibration(path: Path) -> Calibration:
    """Read a calibration.

    Raises:
        InputError: no file, no calibration, one of a later version, or one that was changed by hand.
    """
    try:
        content = parse_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"calibration: {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(
            f"calibration: {path} is no JSON: {error}; write it anew by `semscale calibrate`"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"calibration: {path} is no calibration; write one by `semscale calibrate`")
    if content.get("version") != VERSION:
        raise InputError(
            f"calibration: {path} has version {content.get('version')!r}, and this Semscale reads version "
            f"{VERSION}; update Semscale, or calibrate anew"
        )
    try:
        calibration = _calibration_of(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"calibration: {path} is damaged ({type(error).__name__}: {error}); calibrate anew"
        ) from error
    if str(calibration.signature) != content.get("signature"):
        raise InputError(f"calibration: {path} was changed since it was written; calibrate anew")
    return calibration


def as_calibration(calibration: Calibration | str | Path | None) -> Calibration | None:
    """Take a calibration, or read it from a file.

    Raises:
        InputError: anything else, or as ``load_calibration``.
    """
    if calibration is None or isinstance(calibration, Calibration):
        return calibration
    if isinstance(calibration, str | Path):
        return load_calibration(Path(calibration))
    raise InputError(
        "calibration must be what calibrate() gives as .calibration, or the file that it was saved to, "
        f"got {type(calibration).__name__}"
    )


def calibration_text(calibration: Calibration) -> str:
    """Write a calibration as JSON."""
    labels, error = calibration.labels, calibration.error
    content = {
        "format": FORMAT,
        "version": VERSION,
        "signature": str(calibration.signature),
        "ratings": str(calibration.ratings),
        "language": calibration.language,
        "labels": {**vars(labels), "human_range": labels.human_range and list(labels.human_range)},
        "error": vars(error),
        "method": calibration.method,
        "fitted": calibration.calibrator.record(),
        "familiarity": {
            "floor": calibration.familiarity.floor,
            "centre": calibration.familiarity.centre.tolist(),
        },
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _calibration_of(content: dict[str, Any]) -> Calibration:
    labels, error, familiar = content["labels"], content["error"], content["familiarity"]
    ends = labels["human_range"]
    calibrator = calibrator_of(content["method"], content["fitted"])
    centre = np.array(familiar["centre"], dtype=np.float64)
    fitted = [] if isinstance(calibrator, Unchanged) else [calibrator.record()]
    numbers = [calibrator.line.weights] if isinstance(calibrator, VectorLine) else []
    if not all(np.isfinite(part).all() for part in (centre, *numbers)) or "NaN" in json.dumps(fitted):
        raise ValueError("a number is not finite")
    return Calibration(
        content["method"],
        calibrator,
        Familiarity(centre, float(familiar["floor"])),
        Signature.parse(content["ratings"]),
        str(content["language"]),
        LabelSource(
            int(labels["n"]), int(labels["n_answers"]), str(labels["hash"]),
            None if ends is None else (float(ends[0]), float(ends[1])),
            bool(labels["grouped"]), int(labels["seed"]), tuple(map(str, labels["texts"])),
        ),
        HonestError(float(error["calibrated"]), float(error["uncalibrated"])),
    )  # fmt: skip
