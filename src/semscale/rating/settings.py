"""Settings and columns of rating, from which options, request fields and docs derive."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, TypeGuard, get_args

from pydantic import BeforeValidator, Field

from semscale.errors import InputError
from semscale.messages import did_you_mean
from semscale.results.table_columns import GROUPS, RESPONDENT, TEXT, WEIGHT, Cells, Columns, Role
from semscale.settings import Option, Settings, Signed
from semscale.store.missing_codes import missing_keys
from semscale.text_preparation import Html, Reasoning

if TYPE_CHECKING:
    import polars as pl


Semantics = Literal["safe", "paper", "guide"]
"""Meaning of the rating formula in edge cases.

``safe`` has a value in all cases and treats all points equally. ``paper`` is the published equation exactly.
``guide`` is the equation with the edge cases of its authors' guide, for ``semscale.compat.ssr``.
"""

Readout = Literal["ssr", "ordinal", "combined"]
"""Formula for a rating from cosines with anchors; see ``readouts.py``."""

DEFAULT_READOUT: Readout = "combined"

MOST_EPSILON = 1e6
"""Greatest epsilon; with a larger one, ratings of different texts differ by rounding only."""


RATING = "Rating"

UNRELATED = "unrelated"
"""Prefix of a floor relative to the cosine with unrelated sentences, such as ``unrelated-0.022``."""


def check_epsilon(epsilon: object) -> object:
    """Return an epsilon.

    Raises:
        InputError: it is not a number from 0 to ``MOST_EPSILON``.
    """
    if not _is_number(epsilon) or not 0 <= epsilon <= MOST_EPSILON:
        raise InputError("epsilon", f"must be a number from 0 to {MOST_EPSILON:,.0f}, got {epsilon!r}")
    return epsilon


def check_temperature(temperature: object) -> object:
    """Return a temperature.

    Raises:
        InputError: it is not a number of at least 0.
    """
    if not _is_number(temperature) or not temperature >= 0:
        raise InputError(
            "temperature", f"must be 0 or more, got {temperature!r} (1 leaves ratings as they are)"
        )
    return temperature


def check_semantics(semantics: object) -> None:
    """Check the name of a semantics.

    Raises:
        InputError: it is not one of ``Semantics``.
    """
    known = get_args(Semantics)
    if semantics not in known:
        hint = did_you_mean(str(semantics), known)
        raise InputError("semantics", f"must be safe, paper or guide, got {semantics!r}{hint}")


def _is_number(setting: object) -> TypeGuard[float]:
    return isinstance(setting, Real) and not isinstance(setting, bool)


def _set_names(anchor_sets: object) -> tuple[object, ...] | None:
    """Parse names of anchor sets: one, several in a list, or several in one text, separated by commas."""
    if isinstance(anchor_sets, str):
        return tuple(name for name in map(str.strip, anchor_sets.split(",")) if name)
    if anchor_sets is not None and not isinstance(anchor_sets, Iterable):
        raise InputError("anchor_sets", f"must be names of the scale's anchor sets, got {anchor_sets!r}")
    return None if anchor_sets is None else tuple(anchor_sets)


_RELATIVE = re.compile(rf"{UNRELATED}[+-]\d*\.?\d+$")


def _floor(floor: Any) -> object:
    """Parse the floor, which is text on the command line."""
    if floor is None or isinstance(floor, str) and (floor in {"auto", "none"} or _RELATIVE.match(floor)):
        return None if floor == "none" else floor
    try:
        number = float(floor)
    except (TypeError, ValueError):
        number = math.nan
    if -1 <= number <= 1:
        return number
    raise InputError("floor", f"must be auto, none or a cosine from -1 to 1, got {floor!r}")


def _codes(codes: Any) -> tuple[str, ...]:
    if not isinstance(codes, Iterable):
        raise InputError("missing", f"must be codes such as 'NA' or '-99', got {codes!r}")
    listed = (codes,) if isinstance(codes, str) else tuple(codes)
    missing_keys(listed)  # refuses invalid codes
    return listed


MissingCodes = Annotated[
    tuple[str, ...],
    BeforeValidator(_codes),
    Field(title="Codes for no answer", description="Code for a missing answer, such as NA or -99."),
    Option(RATING, "CODE", rare=True),
]
"""Setting of codes for missing answers, which coding has, too."""


class RaterSettings(Settings):
    """Settings of a ``Rater``.

    Raises:
        InputError: a setting out of range, or a semantics that does not belong to the readout.
    """

    embedder: Annotated[
        Any,
        Field(
            description="Embedding model: name, folder, name on the hub, loaded embedder, or function "
            "that loads one."
        ),
    ] = None
    anchor_sets: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(_set_names),
        Field(description="Anchor sets to use (default: those that work well with the model)."),
        Option(RATING, "NAME,NAME", type=str, rare=True),
    ] = None
    readout: Annotated[
        Readout | None,
        Field(
            title="Formula of the rating",
            description="Formula from similarities to a rating: ssr, ordinal or combined "
            f"(default: {DEFAULT_READOUT}).",
        ),
        Option(RATING, rare=True),
    ] = None
    temperature: Annotated[
        float,
        BeforeValidator(check_temperature),
        Field(
            title="Sharpness (temperature)",
            description="Temperature of the rating: below 1 sharper, above 1 flatter.",
        ),
        Option(RATING, rare=True),
        Signed(),
    ] = 1.0
    epsilon: Annotated[
        float,
        BeforeValidator(check_epsilon),
        Field(description="Probability spread evenly over all points before a rating is scaled."),
        Option(RATING, rare=True),
        Signed(),
    ] = 0.0
    semantics: Annotated[
        Semantics,
        Field(description="Rules for edge cases: safe, or those of the published SSR code (paper, guide)."),
        Option(RATING, rare=True),
        Signed(),
    ] = "safe"
    floor: Annotated[
        str | float | None,
        BeforeValidator(_floor),
        Field(
            title="Smallest similarity to the anchors",
            description="Minimum similarity of rated texts to the anchors: a cosine with the nearest, auto "
            "or none.",
        ),
        Option(RATING, "FLOOR", type=str, rare=True),
    ] = "auto"
    missing: MissingCodes = ()
    language: Annotated[
        Any,
        Field(
            title="Language of the anchors",
            description="Language of the anchors, such as de, or auto for the language of each text.",
        ),
        Option(RATING, "LANGUAGE", type=str, rare=True),
    ] = None
    reasoning: Reasoning = "keep"
    html: Html = "keep"
    calibration: Annotated[
        Any,
        Field(description="Calibration file written by semscale calibrate with the same settings."),
        Option(RATING, "FILE", type=Path),
    ] = None

    def model_post_init(self, _context: object) -> None:
        """Check that the semantics belongs to the readout."""
        _ = self.applied_readout

    @property
    def applied_readout(self) -> Readout:
        """The named readout, or the default one; ``paper`` and ``guide`` belong to SSR."""
        if self.semantics == "safe":
            return self.readout or DEFAULT_READOUT
        if self.readout not in {None, "ssr"}:
            raise InputError(
                f"`semantics={self.semantics!r}` belongs to `readout='ssr'`, got `readout={self.readout!r}`: "
                "leave out one of them"
            )
        return "ssr"


class RaterKeywords(TypedDict, total=False):
    """Types of ``RaterSettings`` as keyword arguments, for type checkers."""

    embedder: Any
    anchor_sets: Iterable[str] | None
    readout: Readout | None
    temperature: float
    epsilon: float
    semantics: Semantics
    floor: str | float | None
    missing: Iterable[str]
    language: Any
    calibration: Any
    reasoning: Reasoning
    html: Html


def _to_storable(column: "pl.Series") -> "pl.Series":
    from semscale.store.columns import storable

    return storable(column.to_frame()).to_series()


_COLUMNS = "Columns"
_TEXT = replace(TEXT, is_checked=False)  # searched until a text is found
_HUMAN = Role(lambda columns, *_: _to_storable(columns[0]), is_measured=False, is_shared=True)


class RatingColumns(Columns):
    """Columns of texts, groups, weights, respondents and human ratings, and which figures of them to show.

    Raises:
        InputError: a range that is not two finite numbers, the lower first, ``inclusion`` without ``human``,
            or a column that is both text and group, or is named twice for groups.
    """

    text: Annotated[str, _TEXT]
    by: Annotated[
        tuple[str, ...],
        BeforeValidator(lambda by: (by,) if isinstance(by, str) else by or ()),
        GROUPS,
        Field(description="Groups to compare."),
        Option(_COLUMNS, "COLUMN"),
    ] = ()
    weight: Annotated[
        str | None, WEIGHT, Field(description="Weights, 0 or more."), Option(_COLUMNS, "COLUMN")
    ] = None
    respondent: Annotated[
        str | None,
        replace(RESPONDENT, is_checked=False),
        Field(
            description="ID of the respondent, or of another unit that was sampled as a whole, such as a "
            "household."
        ),
        Option(_COLUMNS, "COLUMN"),
    ] = None
    human: Annotated[
        str | None,
        _HUMAN,
        Field(description="Human ratings: numbers, or lists like [3, 4]; empty cells are skipped."),
        Option(_COLUMNS, "COLUMN"),
    ] = None
    inclusion: Annotated[
        str | None,
        _HUMAN,
        Field(description="Probability with which each row was selected for human labels."),
        Option(_COLUMNS, "COLUMN", rare=True),
    ] = None
    human_range: Annotated[
        tuple[float, float] | None,
        Field(description="Lowest and highest value of the human scale."),
        Option(_COLUMNS, "LOW HIGH", rare=True),
    ] = None
    show_anyway: Annotated[
        bool,
        Field(description="Show means although the scale probably does not measure its construct here."),
        Option(RATING, rare=True),
    ] = False

    def model_post_init(self, context: object) -> None:
        """Check settings of several columns together."""
        check_human_range(self.human_range)
        if self.inclusion is not None and self.human is None:
            raise InputError("inclusion", "belongs to a column of human ratings: name that as well")
        if self.text in self.by:
            raise InputError(
                "by", f": column '{self.text}' is the text that is rated; name a column with groups"
            )
        super().model_post_init(context)

    def read(self, batch: "pl.DataFrame", first_row: int = 0, *, only_checked: bool = False) -> Cells:
        """Read the cells of n rows; human ratings and their probabilities are parsed together."""
        from semscale.rating.labelling import humans_in, inclusion_in

        cells = super().read(batch, first_row, only_checked=only_checked)
        if self.human is None:
            return cells
        humans = humans_in(cells["human"], first_row, self.human_range)
        parsed = {**cells.values, "human": humans}
        if self.inclusion is not None:
            parsed["inclusion"] = inclusion_in(cells["inclusion"], humans, first_row)
        return replace(cells, values=parsed)


def check_human_range(human_range: object) -> None:
    """Check that human values can be mapped from a range; ``None`` is the scale's range.

    Raises:
        InputError: not two finite numbers, the lower first.
    """
    if human_range is None:
        return
    ends = list(human_range) if isinstance(human_range, Iterable) and not isinstance(human_range, str) else []
    are_numbers = all(isinstance(end, Real) and not isinstance(end, bool) for end in ends)
    if len(ends) != 2 or not are_numbers or not -math.inf < ends[0] < ends[1] < math.inf:
        shown = " ".join(f"{end:g}" for end in ends) if ends and are_numbers else repr(human_range)
        raise InputError(
            "human_range",
            f"must be the lowest value, then the highest, two finite numbers such as 1 7, got {shown}",
        )
