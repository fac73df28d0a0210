"""The gate's settings, from a file and from options, which override it."""

import math
from collections.abc import Mapping

from semscale.cli.drift.options import GateOptions
from semscale.drift.gate.settings import GateSettings, read_gate_settings
from semscale.drift.limits.kinds import OFF, read_limits
from semscale.drift.measure.direction import Direction
from semscale.errors import InputError


def gate_settings(
    options: GateOptions, seed: int | None = None, directions: Mapping[str, Direction] | None = None
) -> GateSettings:
    """Read the file of settings, and let options override it.

    Args:
        options: what is not given comes from the file, else it is as ``GateSettings`` has it; thresholds,
            limits and must-pass items are added to those of the file.
        seed: of the bootstrap.
        directions: which numbers of a field are better, in place of those of the file.

    Raises:
        InputError: a setting that cannot be used.
    """
    fields = {} if options.file is None else read_gate_settings(options.file).model_dump()
    names = ("metrics", "by", "alpha", "correction", "over_runs", "undecided")
    given = {name: getattr(options, name) for name in names}
    fields |= {
        name: value for name, value in {**given, "seed": seed}.items() if value not in (None, [], False)
    }
    if options.no_noise_history:
        fields["noise_history"] = False
    if directions:
        fields["fields"] = {**fields.get("fields", {}), **directions}
    if options.thresholds:
        fields["thresholds"] = {**fields.get("thresholds", {}), **_thresholds(options.thresholds)}
    if options.limits:
        fields["limits"] = {**fields.get("limits", {}), **_limits(options.limits)}
    if options.must_pass:
        fields["must_pass"] = tuple(dict.fromkeys([*fields.get("must_pass", ()), *options.must_pass]))
    return GateSettings(**fields)


def _limits(written: list[str]) -> dict[str, float | str]:
    """Read the limits of ``--limit``; they are checked here so that errors name the option."""
    limits: dict[str, float | str] = {}
    for one in written:
        name, limit = _limit(one)
        read_limits({name: limit})
        if limits.setdefault(name, limit) != limit:
            raise InputError(f"limit {name} is given as {limits[name]} and as {limit}: keep one of them")
    return limits


def _limit(written: str) -> tuple[str, float | str]:
    name, _, value = written.partition("=")
    if name.strip() and value.strip() == OFF:
        return name.strip(), OFF
    share = as_number(value.rstrip().removesuffix("%")) if value.rstrip().endswith("%") else None
    if share is not None and not 0 <= share < 100:  # noqa: PLR2004 - percent
        raise InputError(f"--limit {name.strip()} must be 0 % or more and below 100 %, or off, got {value}")
    named = named_number(written) if share is None else (name.strip(), share / 100)
    if named is None or not named[0]:
        raise InputError(
            f"--limit must be a name with a number or off, such as silenced=2, got {written!r:.60}"
        )
    return named


def _thresholds(written: list[str]) -> dict[str, float]:
    limits: dict[str, float] = {}
    for name, limit in map(_threshold, written):
        if limits.setdefault(name, limit) != limit:
            raise InputError(
                f"threshold {name} is given as {limits[name]:g} and as {limit:g}: keep one of them"
            )
    return limits


def _threshold(written: str) -> tuple[str, float]:
    named = named_number(written)
    if named is None:
        raise InputError(
            f"threshold must be a name and a number, such as min_bertscore_f1=0.8, got {written!r:.60}"
        )
    return named


def named_number(written: str) -> tuple[str, float] | None:
    """Read ``name=number``; ``None`` if it is not written so.

    Example:
        >>> named_number("match=0.1"), named_number("0.1")
        (('match', 0.1), None)
    """
    name, _, number = written.partition("=")
    limit = as_number(number)
    return (name.strip(), limit) if name.strip() and limit is not None else None


def as_number(written: str) -> float | None:
    """Read a finite number; ``None`` if it is not one."""
    try:
        number = float(written)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
