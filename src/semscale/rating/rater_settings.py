"""Settings of a rater, and their checks."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from semscale.embedding.loading import as_embedder, checked_embedder
from semscale.errors import InputError
from semscale.rating.calibration.calibration import Calibration
from semscale.rating.readouts.array_checks import Semantics
from semscale.rating.readouts.readout_choice import Readout
from semscale.weights.known import DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


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
    calibration: Calibration | str | Path | None


def as_set_names(anchor_sets: Iterable[str]) -> list[str]:
    """Return the names of anchor sets as a list; one name alone is taken, too.

    Raises:
        InputError: not names.
    """
    if not isinstance(anchor_sets, Iterable):
        raise InputError(f"anchor_sets must be names of the scale's anchor sets, got {anchor_sets!r}")
    return [anchor_sets] if isinstance(anchor_sets, str) else list(anchor_sets)


def embedder_loader(
    embedder: "str | Path | Embedder | Callable[[], Embedder] | None",
) -> "Callable[[], Embedder]":
    """Return a function that gives the embedder; the default model of ratings for ``None``.

    Raises:
        InputError: neither an embedder nor what one can be loaded from.
    """
    if callable(embedder) and not hasattr(embedder, "embed"):
        return embedder
    checked = DEFAULT_RATING_MODEL if embedder is None else checked_embedder(embedder)
    return lambda: as_embedder(checked)


def checked_floor(floor: Literal["auto"] | float | None) -> Literal["auto"] | float | None:
    """Return the floor as it was given.

    Raises:
        InputError: neither ``auto`` nor ``None`` nor a cosine.
    """
    if floor is None or floor == "auto" or (isinstance(floor, int | float) and -1 <= floor <= 1):
        return floor
    raise InputError(f"floor must be 'auto', None or a cosine from -1 to 1, got {floor!r}")
