"""Settings of a rater, and their checks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, get_args

import polars as pl
from pydantic import BeforeValidator, Field

from semscale.errors import InputError
from semscale.rating.cells import check_human_range, humans_in, inclusion_in, weights_in
from semscale.results.table_columns import GROUPS, Cells, Columns, Role
from semscale.results.weights import as_weights
from semscale.settings import Option
from semscale.store.cells import storable
from semscale.store.columns import groups_in
from semscale.types import Floats

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


def _stored(column: pl.Series) -> pl.Series:
    return storable(column.to_frame()).to_series()


def _texts(columns: Sequence[pl.Series], _parameter: str, _first_row: int) -> list[Any]:
    return columns[0].to_list()


def _weights(columns: Sequence[pl.Series], _parameter: str, first_row: int) -> Floats:
    return as_weights(weights_in(_stored(columns[0]), first_row), first_row=first_row)


def _names(columns: Sequence[pl.Series], _parameter: str, _first_row: int) -> list[str | None]:
    return groups_in(_stored(columns[0])).to_list()


_COLUMNS = "Columns"
_TEXT = Role(_texts, is_text=True, is_checked=False)  # searched for a text until one is found
_WEIGHT = Role(_weights, is_measured=False, is_shared=True)
_RESPONDENT = Role(_names, is_checked=False, is_measured=False, is_shared=True)
_HUMAN = Role(lambda columns, *_: _stored(columns[0]), is_measured=False, is_shared=True)


class RatingColumns(Columns):
    """Columns of texts, groups, weights, respondents and human ratings.

    Raises:
        InputError: a range that is not two finite numbers, the lower first, ``inclusion`` without ``human``,
            or a column that is both text and group, or is named twice for groups.
    """

    text: Annotated[str, _TEXT]
    by: Annotated[
        tuple[str, ...],
        BeforeValidator(lambda by: (by,) if isinstance(by, str) else by or ()),
        GROUPS,
        Field(description="Names of groups to compare; can be repeated."),
        Option(_COLUMNS, "COLUMN"),
    ] = ()
    weight: Annotated[
        str | None, _WEIGHT, Field(description="Weights, 0 or more."), Option(_COLUMNS, "COLUMN")
    ] = None
    respondent: Annotated[
        str | None,
        _RESPONDENT,
        Field(description="Who wrote each text; one person's texts belong together."),
        Option(_COLUMNS, "COLUMN"),
    ] = None
    human: Annotated[
        str | None,
        _HUMAN,
        Field(description="Human ratings to compare with: a number, or a list like [3, 4]."),
        Option(_COLUMNS, "COLUMN"),
    ] = None
    inclusion: Annotated[
        str | None,
        _HUMAN,
        Field(
            description="Probability with which each text was drawn for --human; sheets of --labels have it."
        ),
        Option(_COLUMNS, "COLUMN"),
    ] = None
    human_range: Annotated[
        tuple[float, float] | None,
        Field(description="Lowest and highest value humans could give."),
        Option(_COLUMNS, "LOW HIGH"),
    ] = None

    def model_post_init(self, context: object) -> None:
        """Check what concerns several columns."""
        check_human_range(self.human_range)
        if self.inclusion is not None and self.human is None:
            raise InputError("inclusion belongs to a column of human ratings: name that as well")
        if self.text in self.by:
            raise InputError(f"by: column '{self.text}' is the text that is rated; name one with groups")
        super().model_post_init(context)

    def read(self, batch: pl.DataFrame, first_row: int = 0, *, only_checked: bool = False) -> Cells:
        """Read the cells of n rows; human ratings and their probabilities are parsed together."""
        cells = super().read(batch, first_row, only_checked=only_checked)
        if self.human is None:
            return cells
        humans = humans_in(cells["human"], first_row, self.human_range)
        parsed = {**cells.values, "human": humans}
        if self.inclusion is not None:
            parsed["inclusion"] = inclusion_in(cells["inclusion"], humans, first_row)
        return replace(cells, values=parsed)
