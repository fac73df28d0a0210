"""Margins, limits and thresholds of single groups of items: the slices of a gate's settings."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from semscale.drift.limits.kinds import MISSING, read_limits
from semscale.drift.measure.comparison import Comparison
from semscale.errors import InputError
from semscale.messages import first_mistake, shortened, unknown_name
from semscale.types import Mask

Group = tuple[str, str]
"""Kind and name of a group of items."""

_Number = Annotated[float, Field(allow_inf_nan=False)]


class SliceSettings(BaseModel):
    """Settings of the gate for the items of one group.

    Attributes:
        material: margins by metric, which replace those of all items.
        limits: hard limits, which replace those of all items.
        thresholds: limits of the candidate's mean over these items.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    material: dict[str, _Number] = {}
    limits: dict[str, float | str] = {}
    thresholds: dict[str, _Number] = {}

    @field_validator("limits", mode="before")
    @classmethod
    def _read_limits(cls, given: object) -> object:
        limits = read_limits(given)
        if MISSING in limits:
            raise InputError("limits, missing counts the whole baseline's items; set it outside of slices")
        return limits


Slices = Mapping[str, Mapping[str, SliceSettings]]
"""Settings by kind of groups and name of the group."""


def read_slices(given: object) -> dict[str, dict[str, SliceSettings]]:
    """Read slices from nested mappings, such as ``{"exercise": {"6715": {"limits": {"silenced": 2}}}}``.

    Raises:
        InputError: it is no such mapping, or a setting is unknown or wrong; the message names the slice.
    """
    if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
        raise InputError(
            "slices must be kinds of groups with their groups' settings, such as "
            f"exercise: {{'6715': {{limits: {{silenced: 2}}}}}}, got {shortened(given)}"
        )
    return {
        str(kind): {str(name): _read(f"slices, {kind} {name}", one) for name, one in groups.items()}
        for kind, groups in given.items()
    }


def _read(where: str, given: Any) -> SliceSettings:  # noqa: ANN401 - whatever a file has there
    if isinstance(given, SliceSettings):
        return given
    if not isinstance(given, Mapping):
        raise InputError(f"{where} must hold material, limits or thresholds, got {shortened(given)}")
    try:
        return SliceSettings(**{str(key): value for key, value in given.items()})
    except ValidationError as error:
        raise InputError(f"{where}: {first_mistake(error, SliceSettings.model_fields)}") from None
    except InputError as error:
        raise type(error)(f"{where}: {error}") from None


def each_slice(slices: Slices) -> Iterator[tuple[Group, SliceSettings]]:
    """Give the slices one by one, each with the kind and name of its group."""
    for kind, groups in slices.items():
        for name, settings in groups.items():
            yield (kind, name), settings


def slice_members(comparison: Comparison, slices: Slices) -> dict[Group, Mask]:
    """Return the members of each slice, shape (n,).

    Raises:
        UnknownNameError: no item belongs to a group of this kind, or to this group.
    """
    members: dict[Group, Mask] = {}
    for kind, names in slices.items():
        groups = comparison.members(kind)
        if not groups:
            raise unknown_name("kind of groups in slices", kind, comparison.baseline.group_kinds)
        for name in names:
            if name not in groups:
                raise unknown_name(f"{kind} in slices", name, list(groups))
            members[kind, name] = groups[name]
    return members
