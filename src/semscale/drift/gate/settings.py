"""Settings of the gate: metrics, margins, thresholds, and levels of significance."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from semscale.drift.directions import Direction
from semscale.drift.limits.kinds import read_limits
from semscale.drift.limits.slices import SliceSettings, each_slice, read_slices
from semscale.drift.measure.metrics import TEXT_METRICS
from semscale.errors import InputError
from semscale.messages import first_mistake, shortened
from semscale.stats.intervals import IntervalPlan
from semscale.stats.significance import Correction, in_full
from semscale.yaml_reading import parse_yaml

_Share = Annotated[float, Field(allow_inf_nan=False)]
_LEAST_ALPHA = 1e-4  # a smaller one would need millions of bootstrap replicates
_Names = tuple[Annotated[str, Field(min_length=1)], ...]


class GateSettings(BaseModel):
    """Settings of the gate.

    Attributes:
        metrics: names of the tested metrics; ``None``: ``match``, ``bertscore_f1``, ``contradictions``,
            ``output_count``, ``silence`` and the difference of every numeric field, if measured.
        by: kinds of groups that are tested, too, each group by itself.
        alpha: accepted probability of a false alarm over all tests together.
        correction: correction of p-values for the number of tests; ``bh`` is ``benjamini-hochberg``.
        material_share: margin as a share of the metric's worst case.
        noise_share: drift that is tolerated, as a share of the baseline's noise, the root mean square of the
            losses between its runs; the greater of margin and tolerance must be kept to pass. In similarities
            and length it is part of the margin.
        material: margins by metric in the metric's own unit, which replace both; each below the
            metric's worst case.
        thresholds: limits for the candidate's mean, such as ``min_match`` or ``max_avg_credit_drift``.
        limits: hard limits in place of the usual ones (``semscale.drift.limits.kinds.LIMITS``): the number of
            items that may break each, a share of them below 1, or ``off``.
        lost_share: share of an item's outputs that may be missing; the limit ``lost_outputs`` counts
            items that lost more.
        must_pass: ids of items that each fail the gate alone when they become worse.
        slices: ``material``, ``limits`` and ``thresholds`` of single groups, by kind and name; margins and
            limits replace those of all items there.
        fields: the better direction of numeric fields: ``lower``, ``higher``, or ``either``, if any change
            counts; as ``usual_direction`` has it unless given.
        noise_history: whether earlier runs of the baseline's model help to estimate the noise.
        over_runs: whether significance comes from all runs against this baseline.
        interval: coverage of intervals.
        undecided: what an undecided gate does on the command line: ``fail`` (exit code 1), ``warn`` or
            ``pass`` (0); ``None``: exit code 4.
        replicates: number of bootstrap replicates, at least 100.
        seed: seed of the bootstrap.

    Raises:
        InputError: a setting is unknown or invalid; the one-line message names it.

    Example:
        >>> GateSettings(alpha=0.01, by=("exercise",)).margin(1.0, noise=0.2)
        0.1
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    metrics: _Names | None = None
    by: _Names = ()
    alpha: _Share = 0.05
    correction: Correction = "holm"
    material_share: _Share = 0.05
    noise_share: _Share = 0.5
    material: dict[str, _Share] = {}
    thresholds: dict[str, _Share] = {}
    limits: dict[str, float | str] = {}
    lost_share: _Share = 0.5
    must_pass: _Names = ()
    slices: dict[str, dict[str, SliceSettings]] = {}
    fields: dict[str, Direction] = {}
    noise_history: bool = True
    over_runs: bool = False
    undecided: Literal["fail", "warn", "pass"] | None = None
    interval: _Share = 0.95
    replicates: int = 10_000
    seed: int = 0

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401 - pydantic decides what each field may be
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise InputError(_said(error, type(self).model_fields)) from None

    def plan(self) -> IntervalPlan:
        """Return how intervals are computed."""
        return IntervalPlan(interval=self.interval, seed=self.seed, replicates=self.replicates)

    def margin(self, span: float, *, noise: float | None) -> float:
        """Return the margin of a metric that has none in ``material``.

        Args:
            span: the metric's worst case.
            noise: root mean square of the reruns' losses; ``None`` or NaN without reruns.
        """
        relative = self.noise_share * noise if noise is not None and not math.isnan(noise) else 0.0
        return max(self.material_share * span, relative)

    def without_metric(self, name: str) -> Self:
        """Return the settings without everything that is about a metric that could not be measured.

        Raises:
            InputError: no other metric is to be tested.

        Example:
            >>> GateSettings(metrics=("match", "side_by_side")).without_metric("side_by_side").metrics
            ('match',)
        """
        kept = self.model_dump()
        for own in (kept, *(one for slices in kept["slices"].values() for one in slices.values())):
            own["material"] = {key: value for key, value in own["material"].items() if key != name}
            own["thresholds"] = {
                key: value for key, value in own["thresholds"].items() if key.partition("_")[2] != name
            }
        if self.metrics is not None:
            kept["metrics"] = tuple(one for one in self.metrics if one != name)
        return type(self)(**kept)

    @field_validator("limits", mode="before")
    @classmethod
    def _read_limits(cls, given: object) -> object:
        return read_limits(given)

    @field_validator("slices", mode="before")
    @classmethod
    def _read_slices(cls, given: object) -> object:
        return read_slices(given)

    @field_validator("metrics", "by", "must_pass", mode="before")
    @classmethod
    def _listed(cls, names: object) -> object:
        """Accept one name as a list, such as ``by: exercise`` in YAML."""
        return (names,) if isinstance(names, str) else names

    @field_validator("correction", mode="before")
    @classmethod
    def _in_full(cls, correction: object) -> object:
        """Replace the short name, which the command line uses, by the full one."""
        return in_full("bh") if correction == "bh" else correction

    @field_validator("material", "thresholds", mode="before")
    @classmethod
    def _check_mapping(cls, numbers: object, info: ValidationInfo) -> object:
        if not isinstance(numbers, Mapping):
            example = "match: 0.1" if info.field_name == "material" else "min_match: 0.4"
            raise ValueError(  # noqa: TRY004 - pydantic expects ValueError for an invalid value
                f"{info.field_name} must be names with numbers, such as {example}, got {shortened(numbers)}"
            )
        return numbers

    @model_validator(mode="after")
    def _check_numbers(self) -> Self:
        if not _LEAST_ALPHA <= self.alpha < 1:
            raise ValueError(
                f"alpha must lie between {_LEAST_ALPHA:g} and 1, such as 0.05, got {self.alpha:g}"
            )
        if not 0 < self.material_share <= 1:
            raise ValueError(
                f"material_share must be above 0 and at most 1, such as 0.05, got {self.material_share:g}"
            )
        if self.noise_share < 0:
            raise ValueError(f"noise_share must be at least 0, such as 0.5, got {self.noise_share:g}")
        if not 0 <= self.lost_share < 1:
            raise ValueError(
                f"lost_share must be at least 0 and below 1, such as 0.5, got {self.lost_share:g}"
            )
        _check_margins(self.material)
        for (kind, name), own in each_slice(self.slices):
            _check_margins(own.material, f"slices, {kind} {name}, ")
        self.plan()  # checks interval, seed and replicates
        return self

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        for key, names in (
            ("metrics", self.metrics),
            ("by", self.by),
            ("must_pass", self.must_pass),
        ):
            twice = [name for name, n in Counter(names or ()).items() if n > 1]
            if twice:
                raise ValueError(f"{key} must name each once, got {twice[0]!r} more than once")
        if self.metrics == ():
            raise ValueError("metrics must name at least one, got none: leave the key out for the usual ones")
        return self


def _check_margins(material: Mapping[str, float], where: str = "") -> None:
    for name, margin in material.items():
        if margin <= 0:
            raise ValueError(
                f"{where}material, {name} must be above 0: the drift from which on it matters, got {margin:g}"
            )
        if name in TEXT_METRICS:
            check_margin(name, margin, TEXT_METRICS[name].span)


def check_margin(name: str, margin: float, span: float) -> None:
    """Check that a drift can exceed a margin.

    Args:
        name: name of the metric.
        margin: its margin in its own unit.
        span: the metric's worst case.

    Raises:
        InputError: the margin is at least the worst case.

    Example:
        >>> check_margin("match", 5, 1.0)
        Traceback (most recent call last):
        semscale.errors.InputError: material, match must lie below 1, the metric's worst case, got 5: ...
    """
    if margin >= span:
        raise InputError(
            f"material, {name} must lie below {span:g}, the metric's worst case, got {margin:g}: name the "
            f"drift from which on it matters, such as {0.05 * span:g}"
        )


def _said(error: ValidationError, known: Collection[str]) -> str:
    """Describe the mistake; for an unknown key, list the known ones."""
    said = first_mistake(error, known)
    detail = error.errors()[0]
    is_key = detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1
    return f"{said} (keys: {', '.join(known)})" if is_key else said


def read_gate_settings(path: str | Path) -> GateSettings:
    """Read settings from a YAML file with the keys of ``GateSettings``; an empty file gives the defaults.

    Raises:
        InputError: the file cannot be read, is not YAML (the message names the line), or has an invalid key
            or value.
    """
    source = str(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"{source!r} cannot be read: {error.strerror or error}: name a YAML file with the gate's settings"
        ) from None
    fields = parse_yaml(content, source=source)
    if fields is None:
        return GateSettings()
    if not isinstance(fields, dict):
        raise InputError(f"{source!r} must hold keys such as alpha: 0.05, got {shortened(fields)}")
    try:
        return GateSettings(**{str(key): value for key, value in fields.items()})
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from None
