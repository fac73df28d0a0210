"""Calibrations as JSON files: readable, with a version, and refused where they cannot be understood."""

import json
from pathlib import Path
from typing import Any

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.rating.calibration.calibration import Calibration, hash_of
from semscale.rating.calibration.calibration_content import calibration_of
from semscale.store.atomic import check_writable, replacing

FORMAT, VERSION = "semscale calibration", 3
_BESIDE = frozenset({"format", "version", "signature", "hash"})
"""Fields of a file beside the content that is hashed."""


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
        InputError: no file, no calibration, one of another version, or one that was changed by hand.
    """
    try:
        content = parse_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"calibration: {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(
            f"calibration: {path} is no calibration, as it is no JSON; write one by `semscale calibrate`"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"calibration: {path} is no calibration; write one by `semscale calibrate`")
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        remedy = "update Semscale, or calibrate anew" if _is_later(version) else "calibrate anew"
        raise InputError(
            f"calibration: {path} has version {version!r}, and this Semscale reads version {VERSION}; "
            f"{remedy}"
        )
    recorded = {name: value for name, value in content.items() if name not in _BESIDE}
    if hash_of(recorded) != content.get("hash"):
        raise InputError(f"calibration: {path} was changed since it was written; calibrate anew")
    try:
        return _checked(calibration_of(recorded), content)
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"calibration: {path} is damaged ({error}); calibrate anew") from error


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
    content = {
        "format": FORMAT,
        "version": VERSION,
        "signature": str(calibration.signature),
        "hash": calibration.content_hash,
        **calibration.record(),
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _is_later(version: object) -> bool:
    return type(version) is int and version > VERSION


def _checked(calibration: Calibration, content: dict[str, Any]) -> Calibration:
    """Return a calibration whose hash and signature are those of its file."""
    if calibration.content_hash != content["hash"]:
        raise ValueError("a value would not be written as it was read")
    if str(calibration.signature) != content.get("signature"):
        raise ValueError("its signature is another one's")
    return calibration
