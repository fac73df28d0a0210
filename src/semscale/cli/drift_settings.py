"""The gate's settings, from a file and from options, which go before it."""

import math
from pathlib import Path
from typing import Any

from semscale.drift.gate_settings import GateSettings, read_gate_settings
from semscale.errors import InputError


def gate_settings(file: Path | None, thresholds: list[str] | None = None, **options: Any) -> GateSettings:  # noqa: ANN401
    """Bring file and options together.

    Args:
        file: YAML with the keys of ``GateSettings``; the usual settings unless given.
        thresholds: such as ``min_bertscore_f1=0.8``; they are added to those of the file.
        options: by key of ``GateSettings``; what is ``None``, empty or false was not given.

    Raises:
        InputError: a setting that cannot be used.
    """
    fields = {} if file is None else read_gate_settings(file).model_dump()
    fields |= {name: _plain(value) for name, value in options.items() if value not in (None, [], False)}
    if thresholds:
        fields["thresholds"] = {**fields.get("thresholds", {}), **dict(map(_threshold, thresholds))}
    return GateSettings(**fields)


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _threshold(written: str) -> tuple[str, float]:
    name, _, number = written.partition("=")
    try:
        limit = float(number)
    except ValueError:
        limit = math.nan
    if math.isnan(limit) or not name.strip():
        raise InputError(
            f"threshold must be a name and a number, such as min_bertscore_f1=0.8, got {written!r:.60}"
        )
    return name.strip(), limit
