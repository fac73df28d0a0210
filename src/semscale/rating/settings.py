"""Settings of a rater, and their checks."""

from collections.abc import Callable, Iterable
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.rating.calibration import Calibration

Semantics = Literal["safe", "paper", "guide"]
"""What the rating formula means at its edges.

``safe`` has a value everywhere and treats all points alike. ``paper`` is the published equation to the
letter. ``guide`` is the equation with the edge cases of its authors' guide, as ``semscale.compat.ssr`` needs
it.
"""

Readout = Literal["ssr", "ordinal"]
"""How cosines with anchors become a rating: by the module ``ssr`` or ``ordinal``, beside this one."""

DEFAULT_READOUT: Readout = "ssr"

MOST_EPSILON = 1e6
"""Beside similarities of at most 1, more than this differs from no text at all by rounding only."""


class RaterSettings(TypedDict, total=False):
    """Settings of a ``Rater``, as ``rate`` passes them on."""

    embedder: "str | Path | Embedder | Callable[[], Embedder] | None"
    anchor_sets: Iterable[str] | None
    readout: Readout | None
    temperature: float
    epsilon: float
    semantics: Semantics
    floor: Literal["auto"] | float | None
    missing: Iterable[str]
    language: str | None
    calibration: "Calibration | str | Path | None"


def check_settings(*, epsilon: float = 0.0, temperature: float = 1.0, semantics: Semantics = "safe") -> None:
    """Reject settings that no rating can be made with.

    Raises:
        InputError: an epsilon outside 0 to 1,000,000, a negative or NaN temperature, a setting of the wrong
            type, or an unknown semantics.
    """
    if not _is_number(epsilon) or not 0 <= epsilon <= MOST_EPSILON:
        raise InputError(f"epsilon must be a number from 0 to {MOST_EPSILON:,.0f}, got {epsilon!r}")
    if not _is_number(temperature) or not temperature >= 0:
        raise InputError(f"temperature must be 0 or more, got {temperature!r} (1 leaves ratings as they are)")
    if not isinstance(semantics, str) or semantics not in get_args(Semantics):
        raise InputError(f"semantics must be 'safe', 'paper' or 'guide', got {semantics!r}")


def _is_number(setting: object) -> bool:
    return isinstance(setting, Real) and not isinstance(setting, bool)


def chosen_readout(readout: Readout | None, semantics: "Semantics") -> Readout:
    """Return the readout that was named, or the default one; ``paper`` and ``guide`` belong to SSR.

    Raises:
        InputError: an unknown readout, or one to which the semantics does not belong.

    Example:
        >>> chosen_readout(None, "paper")
        'ssr'
    """
    if readout is not None and (not isinstance(readout, str) or readout not in get_args(Readout)):
        raise InputError(f"readout must be 'ssr' or 'ordinal', got {readout!r}")
    if semantics == "safe":
        return DEFAULT_READOUT if readout is None else readout
    if readout == "ordinal":
        raise InputError(
            f"semantics={semantics!r} belongs to readout='ssr', got readout='ordinal': leave out one of them",
            in_shell=f"--semantics {semantics} belongs to --readout ssr, got --readout ordinal: leave out "
            "one of them",
        )
    return "ssr"


def as_set_names(anchor_sets: Iterable[str]) -> list[str]:
    """Return the names of anchor sets as a list; one name alone is taken, too.

    Raises:
        InputError: not names.
    """
    if not isinstance(anchor_sets, Iterable):
        raise InputError(f"anchor_sets must be names of the scale's anchor sets, got {anchor_sets!r}")
    return [anchor_sets] if isinstance(anchor_sets, str) else list(anchor_sets)


def checked_floor(floor: Literal["auto"] | float | None) -> Literal["auto"] | float | None:
    """Return the floor as it was given.

    Raises:
        InputError: neither ``auto`` nor ``None`` nor a cosine.
    """
    if floor is None or floor == "auto" or (isinstance(floor, int | float) and -1 <= floor <= 1):
        return floor
    raise InputError(f"floor must be 'auto', None or a cosine from -1 to 1, got {floor!r}")
