"""Settings of the gate and of asking; options, the keys of ``gate.yaml`` and the docs derive from them."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from semscale.errors import InputError, UnknownNameError
from semscale.input_files import read_input
from semscale.messages import shorten, unknown_name
from semscale.settings import Option, Settings
from semscale.yaml_reading import parse_yaml

GATE = "Gate"
"""Title of the options' panel in the help."""

Group = tuple[str, str]
"""Kind and name of a group of items, such as ``("exercise", "6715")``."""

OFF = "off"
"""Value that turns a limit off."""

MISSING = "missing"
"""Name of the limit for items of the baseline that the candidate lacks."""

LIMITS: Mapping[str, float] = {
    MISSING: 0,
    "silenced": 0,
    "refused": 0,
    "lost_outputs": 0,
    "lost_fields": 0,
    "cut_off": 0,
    "language": 0,
    "boilerplate": 0,
    "changed_numbers": 1,
}
"""Hard limits with their default allowance: a number of items, or a share of the items if below 1."""

_LEAST_ALPHA = 1e-4

Direction = Literal["lower", "higher", "either"]
"""Better direction of a field's numbers; ``either``: any change counts."""

TOKENS, COST, LATENCY = "call_tokens", "call_cost", "call_latency"
ASKED_FIELDS = (TOKENS, COST, LATENCY)
"""Fields of an output that describe its call: tokens of prompt and reply, cost, and latency in seconds."""

_MONEY = "usd|eur|gbp|chf|jpy|cny|inr|cad|aud|dollars?|euros?|cents?|ct"
_TIME = "ns|us|ms|s|secs?|seconds?|mins?|minutes?|h|hours?|msecs?|millis|milliseconds?"
_LOWER = tuple(
    re.compile(rf"(?:{names})(?:[ _.-]?(?:{units}))?", re.IGNORECASE)
    for names, units in (("costs?|prices?", _MONEY), ("latency|latencies|durations?", _TIME))
)


def is_lower_by_name(field: str) -> bool:
    """Return true if a field's name means that lower is better, such as cost or latency, with a unit.

    A longer name, such as ``product_price``, is ambiguous.

    Examples:
        >>> [is_lower_by_name(name) for name in ("cost", "cost_usd", "latency_ms", "product_price", "score")]
        [True, True, True, False, False]
    """
    return any(pattern.fullmatch(field) for pattern in _LOWER)


def usual_direction(field: str) -> Direction:
    """Return the default direction of a field.

    Returns:
        ``lower`` for the fields of a call (``ASKED_FIELDS``), and for names that mean it; otherwise
        ``either``.

    Examples:
        >>> usual_direction("call_tokens"), usual_direction("cost"), usual_direction("credits")
        ('lower', 'lower', 'either')
    """
    return "lower" if field in ASKED_FIELDS or is_lower_by_name(field) else "either"


def read_directions(fields: Mapping[str, Direction]) -> dict[str, Direction]:
    """Validate directions by field.

    Raises:
        InputError: a direction does not exist.

    Examples:
        >>> read_directions({"credits": "either", "cost": "lower"})
        {'credits': 'either', 'cost': 'lower'}
    """
    known = get_args(Direction)
    for name, direction in fields.items():
        if direction not in known:
            raise InputError(f"fields.{name}", f"must be one of {', '.join(known)}, got {direction!r:.60}")
    return dict(fields)


def _pairs(values: object, info: ValidationInfo) -> object:
    """Read a mapping, or texts such as ``min_match=0.4``."""
    if isinstance(values, Mapping):
        return {str(name): value for name, value in values.items()}
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(info.field_name, f"must map names to values, got {shorten(values)}")
    named: dict[str, str] = {}
    for pair in values:
        name, equals, value = str(pair).partition("=")
        if not equals or not name:
            raise InputError(info.field_name, f"must be NAME=VALUE, got {pair!r}")
        if name in named:
            raise InputError(info.field_name, f"must name each once, got {name!r} more than once")
        named[name] = value
    return named


def _names(names: object) -> object:
    """Accept a single name in place of a list, such as ``by: exercise`` in YAML."""
    return (names,) if isinstance(names, str) else names


def _each_once(names: tuple[str, ...] | None, info: ValidationInfo) -> tuple[str, ...] | None:
    twice = [name for name, n in Counter(names or ()).items() if n > 1]
    if twice:
        raise InputError(info.field_name, f"must name each once, got {twice[0]!r} more than once")
    return names


def read_limits(limits: object, info: ValidationInfo) -> dict[str, float | str]:
    """Read limits by name: each is a number of items, a share below 1 (or in percent), or ``off``.

    YAML reads a bare ``off`` as false, so false means ``off``.

    Raises:
        UnknownNameError: no limit has the name.
        InputError: a value is none of these.
    """
    named: Any = _pairs(limits, info)
    for name in named:
        if name not in LIMITS:
            raise UnknownNameError("limits", f": {unknown_name('limit', name, list(LIMITS))}")
    return {name: _limit(name, value) for name, value in named.items()}


def _limit(name: str, value: object) -> float | str:
    if value is False or value == OFF:
        return OFF
    number, is_percent = _number(value), str(value).strip().endswith("%")
    is_count = math.isfinite(number) and number >= 1 and number == int(number) and not is_percent
    if 0 <= number < 1 or is_count:
        return number
    raise InputError(
        f"limits.{name}",
        f"must be a number of items, a share of them below 1 (100 %), or off, got {shorten(value)}",
    )


def _number(value: object) -> float:
    """Read a number, or a text with one, such as ``10%``; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    text = str(value).strip()
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return math.nan


def _margins(margins: dict[str, float], info: ValidationInfo) -> dict[str, float]:
    for name, margin in margins.items():
        if not margin > 0:
            raise InputError(
                f"{info.field_name}.{name}",
                f"must be above 0: the smallest drift that matters, got {margin:g}",
            )
    return margins


def _directions(fields: object, info: ValidationInfo) -> object:
    return read_directions(_pairs(fields, info))  # type: ignore[arg-type]  # refuses what is no direction


_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Named = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_names)]
Margins = Annotated[dict[str, _Finite], BeforeValidator(_pairs), AfterValidator(_margins)]
HardLimits = Annotated[dict[str, float | str], BeforeValidator(read_limits)]
Thresholds = Annotated[dict[str, _Finite], BeforeValidator(_pairs)]


class SliceSettings(Settings):
    """Settings for the items of one group, in place of those of all items."""

    margins: Annotated[Margins, Field(description="The smallest drift that matters, by metric.")] = {}
    limits: Annotated[HardLimits, Field(description="Hard limits for these items.")] = {}
    thresholds: Annotated[Thresholds, Field(description="Limits of the mean over these items.")] = {}

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if MISSING in self.limits:
            raise InputError("limits.missing", "counts all items of the baseline; set it outside of slices")
        return self


def _slices(slices: object) -> object:
    if not isinstance(slices, Mapping) or not all(isinstance(names, Mapping) for names in slices.values()):
        raise InputError(
            "slices",
            "must be kinds of groups with their groups' settings, such as "
            f"exercise: {{'6715': {{limits: {{silenced: 2}}}}}}, got {shorten(slices)}",
        )
    return {
        str(kind): {str(name): _slice(f"slices.{kind}.{name}", values) for name, values in groups.items()}
        for kind, groups in slices.items()
    }


def _slice(where: str, values: object) -> SliceSettings:
    if isinstance(values, SliceSettings):
        return values
    if not isinstance(values, Mapping):
        raise InputError(f"{where} must hold margins, limits or thresholds, got {shorten(values)}")
    try:
        return SliceSettings(**{str(key): value for key, value in values.items()})
    except (InputError, TypeError) as error:
        raise InputError(f"{where}: {error}") from None


class GateSettings(Settings):
    """Settings of the gate.

    Raises:
        InputError: a setting is invalid; the message names it.
        TypeError: a setting is unknown; the message names the nearest one.

    Examples:
        >>> GateSettings(limits=["silenced=2"], by="exercise").limits
        {'silenced': 2.0}
    """

    metrics: Annotated[
        _Named | None,
        AfterValidator(_each_once),
        Field(description="Metric to test, instead of the default metrics."),
        Option(GATE, "NAME", name="--metric", type=list[str]),
    ] = None
    by: Annotated[
        _Named,
        AfterValidator(_each_once),
        Field(description="Kind of groups to test separately as well, such as exercise."),
        Option(GATE, "KIND", type=list[str]),
    ] = ()
    alpha: Annotated[
        float,
        Field(ge=_LEAST_ALPHA, lt=1, description="Probability of a false alarm over all tests together."),
        Option(GATE, "NUMBER", rare=True),
    ] = 0.05
    margins: Annotated[
        Margins,
        Field(description="The smallest drift of a metric that matters, such as length=0.1."),
        Option(GATE, "METRIC=NUMBER", name="--margin", type=list[str], rare=True),
    ] = {}
    limits: Annotated[
        HardLimits,
        Field(
            description="How many items may break a limit, such as silenced=2, silenced=10% or silenced=off. "
            f"Limits: {', '.join(LIMITS)}."
        ),
        Option(GATE, "LIMIT=NUMBER", name="--limit", type=list[str]),
    ] = {}
    thresholds: Annotated[
        Thresholds,
        Field(description="Limit of the candidate's mean, such as min_match=0.8."),
        Option(GATE, "NAME=NUMBER", name="--threshold", type=list[str]),
    ] = {}
    must_pass: Annotated[
        _Named,
        AfterValidator(_each_once),
        Field(description="Item that must not become worse: if it does, the gate fails."),
        Option(GATE, "ID", type=list[str], rare=True),
    ] = ()
    fields: Annotated[
        dict[str, Direction],
        BeforeValidator(_directions),
        Field(description="Better values of a field: lower, higher, or either if any change counts."),
        Option(GATE, "FIELD=DIRECTION", name="--direction", type=list[str], rare=True),
    ] = {}
    deterministic: Annotated[
        bool,
        Field(
            description="The baseline's model always gives the same answer: reruns with equal outputs count, "
            "as a noise of zero."
        ),
        Option(GATE, rare=True),
    ] = False
    slices: Annotated[
        dict[str, dict[str, SliceSettings]],
        BeforeValidator(_slices),
        Field(description="Margins, limits and thresholds of single groups, by kind and name."),
    ] = {}
    undecided: Annotated[
        Literal["fail", "warn", "pass"] | None,
        Field(description="Exit code if the gate is undecided: fail (1), warn (0) or pass (0); default 4."),
        Option(GATE, "ACTION"),
    ] = None

    @model_validator(mode="after")
    def _check_metrics(self) -> Self:
        if self.metrics == ():
            raise InputError(
                "metrics", "must name at least one, got none: leave the key out for the usual ones"
            )
        return self

    def without_metric(self, name: str) -> Self:
        """Return the settings without those of a metric that could not be measured.

        Raises:
            InputError: the settings name no other metric to test.

        Examples:
            >>> GateSettings(metrics=("match", "side_by_side")).without_metric("side_by_side").metrics
            ('match',)
        """
        values = self.model_dump()
        for part in (values, *(group for groups in values["slices"].values() for group in groups.values())):
            part["margins"].pop(name, None)
            for threshold in (f"min_{name}", f"max_{name}"):
                part["thresholds"].pop(threshold, None)
        if self.metrics is not None:
            values["metrics"] = tuple(metric for metric in self.metrics if metric != name)
        return type(self)(**values)

    @property
    def groups(self) -> Iterator[tuple[Group, SliceSettings]]:
        """Slices by kind and name of their group."""
        for kind, names in self.slices.items():
            for name, values in names.items():
                yield (kind, name), values


def read_gate_settings(path: str | Path) -> GateSettings:
    """Read settings from a YAML file with the keys of ``GateSettings``; an empty file means the defaults.

    Raises:
        InputError: the file cannot be read, is not YAML (the message names the line), or has an invalid key
            or value.
    """
    source = str(path)
    try:
        content = read_input(path)
    except OSError as error:
        raise InputError(
            f"{source!r} cannot be read: {error.strerror or error}: name a YAML file with the gate's settings"
        ) from None
    values = parse_yaml(content, source=source)
    if values is None:
        return GateSettings()
    if not isinstance(values, dict):
        raise InputError(f"{source!r} must hold keys such as alpha: 0.05, got {shorten(values)}")
    try:
        return GateSettings(**{str(key): value for key, value in values.items()})
    except (InputError, TypeError) as error:
        raise InputError(f"{source!r}: {error}") from None
