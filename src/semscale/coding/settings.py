"""Settings and columns of coding, from which options and docs derive."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from pydantic import Field

from semscale.chat.settings import CHAT
from semscale.errors import InputError, RowError
from semscale.rating.settings import MissingCodes
from semscale.results.table_columns import GROUP, GROUPS, RESPONDENT, TEXT, WEIGHT, Columns, Role
from semscale.settings import Option, Settings, Signed
from semscale.store.missing_codes import missing_keys, write_codes
from semscale.text_preparation import Html, Reasoning

if TYPE_CHECKING:
    import polars as pl

    from semscale.types import Floats

MIN_BASE = 30
"""Default for the fewest answers of a group in a test; smaller groups are shown with a mark."""

CODES = "Codes"
"""Panel of the help."""


class CodeSettings(Settings):
    """Settings of coding.

    The threshold with the best F1 is half of this F1 if probabilities are right (Lipton, Elkan and
    Naryanaswamy 2014, doi 10.1007/978-3-662-44851-9_15), so .4 suits an F1 of .8.

    Raises:
        InputError: a value out of range, or thresholds in the wrong order.
    """

    given_from: Annotated[
        float,
        Field(
            title="Assign codes from",
            gt=0,
            le=1,
            description="Assign a code if its probability is at least this.",
        ),
        Option(CODES, "NUMBER", rare=True),
        Signed(),
    ] = 0.4
    unsure_from: Annotated[
        float,
        Field(
            title="Call codes unsure from",
            ge=0,
            le=1,
            description="Call a code unsure if its probability is at least this.",
        ),
        Option(CODES, "NUMBER", rare=True),
        Signed(),
    ] = 0.25
    sentiment: Annotated[
        str,
        Field(
            title="Sentiment by code",
            description="Scale to rate the sentences and clauses of each code on, or none.",
        ),
        Option(CODES, "SCALE", rare=True),
    ] = "quality"
    reasoning: Reasoning = "keep"
    html: Html = "keep"
    missing: MissingCodes = ()
    min_base: Annotated[
        int,
        Field(
            title="Smallest base of a test",
            ge=1,
            description="Minimum number of answers for a test; smaller groups are marked.",
        ),
        Option("Run", "NUMBER", rare=True),
    ] = MIN_BASE

    def model_post_init(self, _context: object) -> None:
        """Refuse thresholds in the wrong order."""
        if self.unsure_from > self.given_from:
            raise InputError(
                "unsure_from",
                f"must be at most `given_from` ({self.given_from:g}), got {self.unsure_from:g}",
            )

    def signature_fields(self) -> dict[str, object]:
        """Return the settings that the signature records, with the codes for missing answers if any."""
        codes = {"missing": write_codes(missing_keys(self.missing))} if self.missing else {}
        return {**super().signature_fields(), **codes}


class CodeKeywords(TypedDict, total=False):
    """Types of ``CodeSettings`` as keyword arguments, for type checkers."""

    given_from: float
    unsure_from: float
    min_base: int
    sentiment: str
    reasoning: Reasoning
    html: Html
    missing: Iterable[str]


BY_LIKENESS = CodeSettings(given_from=0.5, unsure_from=0.4)
"""Thresholds for the likeness of codes that are not calibrated. In the domains from which the weights of the
evidence were learned, a code is assigned in error from .5 as often as it is missed.
"""


class CodingChatSettings(Settings):
    """Settings of the chat model that is asked about codes as well."""

    method: Annotated[
        Literal["decision", "prose"],
        Field(description="Form of the reply: decision with a probability for each code, or prose."),
        Option(CHAT, name="--reply", rare=True),
    ] = "decision"
    question: Annotated[
        str | None,
        Field(description="The survey question, to show it to the chat model."),
        Option(CHAT, "TEXT", name="--asked", rare=True),
    ] = None


def _numbers(columns: "Sequence[pl.Series]", _parameter: str, _first_row: int) -> "Floats":
    """Read a column of numbers, shape (n,); NaN for a cell without a number."""
    import polars as pl

    from semscale.store.columns import floats_in, storable

    cells = storable(columns[0].to_frame()).to_series()
    return floats_in(cells.cast(pl.Float64, strict=False).fill_nan(None))


def _strata(columns: "Sequence[pl.Series]", parameter: str, first_row: int) -> list[str]:
    names = GROUP.read(columns, parameter, first_row)
    if None in names:
        raise RowError(
            f"`{parameter}`: column '{columns[0].name}' is empty in data {{row}} (rows are counted from 1, "
            "below the header): every row needs a stratum",
            first_row + names.index(None),
        )
    return names  # type: ignore[no-any-return]


def _labels(columns: "Sequence[pl.Series]", _parameter: str, _first_row: int) -> list[list[object]]:
    return [column.to_list() for column in columns]


_NUMBER = Role(_numbers, is_measured=False)
_WEIGHT = replace(WEIGHT, is_shared=False)
_STRATUM = Role(_strata, is_measured=False, is_shared=True)


class CodingColumns(Columns):
    """Columns of answers, hand codes, groups, a rating, and the design of the sample.

    Raises:
        InputError: one column for two purposes, a repeated column in ``by``, or ``inclusion`` without
            ``labels``.
    """

    text: Annotated[str, TEXT, Field(description="Column of texts."), Option("Columns", "COLUMN")]
    labels: Annotated[
        tuple[str, ...],
        Role(_labels),
        Field(
            description="Codes assigned by hand, separated by semicolons, or the word none; one column per "
            "person."
        ),
        Option("Columns", "COLUMN", name="--human"),
    ] = ()
    inclusion: Annotated[
        str | None,
        Role(_numbers),
        Field(description="Probability with which each row was selected for human labels."),
        Option("Columns", "COLUMN", rare=True),
    ] = None
    by: Annotated[
        tuple[str, ...],
        GROUPS,
        Field(description="Groups to compare."),
        Option("Columns", "COLUMN"),
    ] = ()
    rating: Annotated[
        str | None,
        replace(_NUMBER, is_scored=True),
        Field(description="Column of ratings to relate the codes to."),
        Option("Columns", "COLUMN", rare=True),
    ] = None
    weight: Annotated[
        str | None,
        _WEIGHT,
        Field(description="Weights, 0 or more."),
        Option("Columns", "COLUMN", rare=True),
    ] = None
    respondent: Annotated[
        str | None,
        RESPONDENT,
        Field(
            description="ID of the respondent, or of another unit that was sampled as a whole, such as a "
            "household."
        ),
        Option("Columns", "COLUMN", rare=True),
    ] = None
    strata: Annotated[
        str | None,
        _STRATUM,
        Field(description="Strata: parts of the population that were sampled separately."),
        Option("Columns", "COLUMN", rare=True),
    ] = None

    def model_post_init(self, context: object) -> None:
        """Refuse columns that exclude each other."""
        super().model_post_init(context)
        if self.inclusion is not None and not self.labels:
            raise InputError("inclusion", "belongs to `labels`: name the column of hand codes as well")
        if self.text in self.by:
            raise InputError("by", f": column '{self.text}' has the answers; name a column with groups")
