"""Settings of a study's models and of their comparison with people; options and docs derive from them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, TypedDict

from pydantic import BeforeValidator, Field

from semscale.chat.settings import CHAT
from semscale.errors import InputError
from semscale.settings import Option, Settings


class ModelSettings(Settings):
    """The chat models of a run, instead of those of the study's file."""

    model: Annotated[
        tuple[str, ...],
        Field(description="Chat model, instead of the file's."),
        Option(CHAT, "NAME", name="--chat-model"),
    ] = ()
    base_url: Annotated[
        str | None,
        Field(description="Address of the chat model's OpenAI-compatible endpoint."),
        Option(CHAT, "URL", name="--chat-url"),
    ] = None


def _pairs(parameter: str, values: object, *, needs_column: bool) -> object:
    """Read a mapping from names to columns, or texts NAME=COLUMN, or NAME if both are equal."""
    if values is None or isinstance(values, Mapping) or not isinstance(values, Iterable):
        return values or {}
    columns: dict[str, str] = {}
    for value in values:
        name, separator, column = str(value).partition("=")
        if not name or (separator or needs_column) and not column:
            raise InputError(parameter, f"must be NAME=COLUMN, got {value!r}")
        if name in columns:
            raise InputError(parameter, f"must name each once, got {name!r} twice")
        columns[name] = column or name
    return columns


class ComparisonSettings(Settings):
    """Settings of the comparison of a panel with people: the columns of people's answers, and its extent.

    Raises:
        InputError: a value is out of range, or a name is repeated.
    """

    questions: Annotated[
        dict[str, str],
        BeforeValidator(lambda values: _pairs("question", values, needs_column=True)),
        Field(description="Question of the study and its column (default: the same name)."),
        Option("Columns", "NAME=COLUMN", name="--question", type=list[str], rare=True),
    ] = {}
    concept: Annotated[str | None, Field(description="Concept of each row."), Option("Columns", "COLUMN")] = (
        None
    )
    respondent: Annotated[
        str | None,
        Field(description="IDs of respondents, as personas have them."),
        Option("Columns", "COLUMN"),
    ] = None
    weight: Annotated[str | None, Field(description="Weights, 0 or more."), Option("Columns", "COLUMN")] = (
        None
    )
    by: Annotated[
        dict[str, str],
        BeforeValidator(lambda values: _pairs("by", values, needs_column=False)),
        Field(description="Attribute that defines groups; NAME=COLUMN if the column has another name."),
        Option("Columns", "NAME", type=list[str]),
    ] = {}
    human_range: Annotated[
        tuple[float, float] | None,
        Field(description="Lowest and highest value of the human scale (default: the scale's)."),
        Option("Columns", "LOW HIGH", type=tuple[float, float], rare=True),
    ] = None
    methods: Annotated[
        tuple[str, ...],
        Field(description="Method to compare (default: all)."),
        Option("Input", "NAME", name="--method", type=list[str], rare=True),
    ] = ()
    splits: Annotated[
        int,
        Field(ge=1, description="Number of random splits of the people into halves."),
        Option("Run", "NUMBER", rare=True),
    ] = 2000

    @property
    def named(self) -> list[tuple[str, str]]:
        """All named columns, each with its parameter."""
        single = {"concept": self.concept, "respondent": self.respondent, "weight": self.weight}
        return [
            *(("question", column) for column in self.questions.values()),
            *(("by", column) for column in self.by.values()),
            *((parameter, column) for parameter, column in single.items() if column is not None),
        ]


class ComparisonKeywords(TypedDict, total=False):
    """Types of ``ComparisonSettings`` as keyword arguments, for type checkers."""

    questions: Mapping[str, str] | Iterable[str]
    concept: str | None
    respondent: str | None
    weight: str | None
    by: Mapping[str, str] | Iterable[str]
    human_range: tuple[float, float] | None
    methods: Iterable[str]
    splits: int
