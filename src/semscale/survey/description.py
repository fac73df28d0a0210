"""Description of a survey: its questions, with their columns, values, labels and marks."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from semscale.messages import unknown_name
from semscale.store.missing_codes import code_key
from semscale.store.table_settings import TableSettings
from semscale.survey.number_codes import parse_number
from semscale.yaml_reading import MisplacedError

QuestionKind = Literal[
    "open",
    "single",
    "scale",
    "multiple",
    "ranking",
    "numeric",
    "nps",
    "grid",
    "date",
    "weight",
    "identifier",
    "wave",
    "ignore",
]
"""Kinds of questions and other columns.

``open``: texts. ``single``: one of several answers without an order of their own. ``scale``: one of several
ordered answers. ``multiple``: any number of options. ``ranking``: options in an order. ``numeric``: a number.
``nps``: how likely one would recommend it, 0 to 10. ``grid``: several items with the same answers. ``date``,
``weight``, ``identifier`` and ``wave``: facts about an interview. ``ignore``: nothing to measure.
"""

MissingReason = Literal["not asked", "don't know", "refused", "no answer"]
"""Why a cell has no answer; ``no answer`` if the file does not tell."""

Source = Literal["inferred", "file", "user"]
"""Who states an entry: Semscale inferred it, the file states it, or the user wrote it."""

Confidence = Literal["high", "medium", "low"]
"""How sure an inference is."""

WHOLE_NUMBER = re.compile(r"(?P<sign>[+-]?)0*(?P<digits>\d+)(?:\.0*)?")

FORMAT: Literal[1] = 1
"""Number of the file's format."""


def cell_name(cell: object) -> str:
    """Return the name of a cell's value: a text without blanks around it, a whole number without a point.

    Examples:
        >>> [cell_name(cell) for cell in (3, 3.0, " 3.0", "Tea ", None)]
        ['3', '3', '3', 'Tea', '']
    """
    text = "" if cell is None else str(cell).strip()
    number = WHOLE_NUMBER.fullmatch(text)
    if number is None or (text.startswith("0") and text != "0" and "." not in text):
        return text
    sign = "-" if number["sign"] == "-" and number["digits"] != "0" else ""
    return f"{sign}{number['digits']}"


def _entries(entries: Any) -> Any:
    """Return a list as it is, a single entry in a list, and nothing for an empty key."""
    if isinstance(entries, list | tuple | Mapping):
        return entries
    return () if entries == "" or entries is None else (entries,)


def _names(cells: Any) -> Any:
    entries = _entries(cells)
    return entries if isinstance(entries, Mapping) else tuple(map(cell_name, entries))


def _missing(codes: Any) -> Any:
    """Read codes with their reasons, or codes without reasons."""
    if isinstance(codes, Mapping):
        return {cell_name(code): reason or "no answer" for code, reason in codes.items()}
    return {cell_name(code): "no answer" for code in _entries(codes)}


def _none_if_empty(value: Any) -> Any:
    return None if value == "" else value


# Each value of the file is read as it is written, so that its schema accepts numbers and words such as Yes.
_NPS_POINTS = 11
_SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}
_TEXT: dict[str, Any] = {"type": ["string", "number", "boolean", "null"]}
_LIST: dict[str, Any] = {"type": "array", "items": _SCALAR}
_ENTRIES: dict[str, Any] = {"anyOf": [_TEXT, _LIST]}
_REASON: dict[str, Any] = {"enum": [*get_args(MissingReason), "", None]}
_NUMBER: dict[str, Any] = {
    "anyOf": [
        {"type": ["number", "null"]},
        {"type": "string", "pattern": r"^\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*)?$"},
    ]
}
_SWITCH: dict[str, Any] = {
    "anyOf": [
        {"type": "boolean"},
        {"enum": [0, 1]},
        {"type": "string", "pattern": "^(true|True|TRUE|yes|Yes|YES|false|False|FALSE|no|No|NO|0|1)$"},
    ]
}

Text = Annotated[str, WithJsonSchema(_TEXT)]
CellName = Annotated[str, BeforeValidator(cell_name), WithJsonSchema(_TEXT)]
CellNames = Annotated[tuple[str, ...], BeforeValidator(_names), WithJsonSchema(_ENTRIES)]
ColumnNames = Annotated[tuple[str, ...], BeforeValidator(_entries), WithJsonSchema(_ENTRIES)]
Switch = Annotated[bool, WithJsonSchema(_SWITCH)]
Reason = Annotated[MissingReason | None, BeforeValidator(_none_if_empty), WithJsonSchema(_REASON)]
MissingCodes = Annotated[
    dict[str, MissingReason],
    BeforeValidator(_missing),
    WithJsonSchema({"anyOf": [{"type": "object", "additionalProperties": _REASON}, _TEXT, _LIST]}),
]
Nets = Annotated[
    dict[str, tuple[str, ...]],
    WithJsonSchema({"type": "object", "additionalProperties": _LIST}),
]


def _first_repeated(names: Iterable[str]) -> str | None:
    return next((name for name, n in Counter(names).items() if n > 1), None)


class _Entry(BaseModel):
    """Part of the description of a survey."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Value(_Entry):
    """A value of a question's cells, in the order of the answers.

    Attributes:
        value: the cell's text; whole numbers without a point.
        label: what it means; empty if the value says it.
        score: number that counts in means; ``None`` if the value is its own number, or has none.
        missing: why it is no answer; ``None`` for an answer.
    """

    value: Annotated[CellName, Field(description="Text of the cells; a whole number without a point.")]
    label: Annotated[Text, Field(description="What it means; leave it out if the value says it.")] = ""
    score: Annotated[
        Annotated[float, Field(allow_inf_nan=False)] | None,
        BeforeValidator(_none_if_empty),
        WithJsonSchema(_NUMBER),
        Field(description="Number that counts in means."),
    ] = None
    missing: Annotated[Reason, Field(description="Why it is no answer.")] = None

    @property
    def name(self) -> str:
        """The label, or the value without one."""
        return self.label or self.value

    @property
    def number(self) -> float | None:
        """The number that counts in means: the score, or the value itself; ``None`` if it is no number."""
        if self.score is not None:
            return self.score
        return parse_number(self.value)


class Option(_Entry):
    """An option of a multiple choice or a ranking, or an item of a grid.

    Attributes:
        label: its text.
        column: the column of the option; ``None`` if one column lists the chosen options.
        value: the option's text or code in such a column; empty if the label says it.
        chosen: marks of this option alone, such as its own text; those of the question apply as well.
        exclusive: whether it excludes all others, as "none of these" does.
        is_text: whether its column holds the text that people wrote beside "other": any text is a mark.
    """

    label: Annotated[Text, Field(description="Text of the option or item.")]
    column: Annotated[
        str | None,
        BeforeValidator(_none_if_empty),
        WithJsonSchema(_TEXT),
        Field(description="Its column, if it has one of its own."),
    ] = None
    value: Annotated[CellName, Field(description="Its code in a column that lists the chosen options.")] = ""
    chosen: Annotated[CellNames, Field(description="Marks of this option alone, such as its own text.")] = ()
    exclusive: Annotated[Switch, Field(description="True if it excludes all others (none of these).")] = False
    is_text: Annotated[
        Switch, Field(alias="text", description="True if its cells are what people wrote beside 'other'.")
    ] = False

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    @property
    def code(self) -> str:
        """The option's text in a column that lists options."""
        return self.value or self.label


class Question(_Entry):
    """A question of a survey, or a fact about its interviews, and the columns with the answers.

    Attributes:
        name: short name, by which commands know it.
        kind: see ``QuestionKind``.
        columns: its columns, in the order of the file.
        title: short title for tables and slides; empty for the name.
        text: full wording; empty if unknown.
        values: values in the order of the answers, with labels. For a multiple choice, a ranking or a grid
            they belong to all its columns.
        options: options of a multiple choice or a ranking, items of a grid.
        chosen: marks that say that an option was chosen.
        not_chosen: marks that say that it was not; ``""`` is an empty cell.
        missing: codes for no answer, with their reasons.
        separator: what separates the options in a column that lists them; empty if there is none.
        nets: groups of answers or options with a line of their own, by name.
        source: who states this entry.
        reason: why it was inferred so; empty if it was not.
        confidence: how sure the inference is.
    """

    name: Annotated[
        str,
        WithJsonSchema({**_SCALAR, "minLength": 1}),
        Field(min_length=1, description="Short name, by which commands know it."),
    ]
    kind: Annotated[QuestionKind, Field(description="Kind of the question.")]
    columns: Annotated[
        ColumnNames,
        Field(description="Its columns; by default those of its options, or the column of its name."),
    ] = ()
    title: Annotated[Text, Field(description="Short title for tables and slides.")] = ""
    text: Annotated[Text, Field(description="Full wording.")] = ""
    values: Annotated[tuple[Value, ...], Field(description="Values in order, with labels.")] = ()
    options: Annotated[tuple[Option, ...], Field(description="Options, or items of a grid.")] = ()
    chosen: Annotated[CellNames, Field(description="Marks of a chosen option.")] = ()
    not_chosen: Annotated[
        CellNames, Field(description="Marks of an option that was not chosen; '' is an empty cell.")
    ] = ()
    missing: Annotated[MissingCodes, Field(description="Codes for no answer, with their reasons.")] = {}
    separator: Annotated[Text, Field(description="What separates options in one cell.")] = ""
    nets: Annotated[Nets, Field(description="Groups of answers with a line of their own.")] = {}
    source: Annotated[Source, Field(alias="from", description="Who states this entry.")] = "user"
    reason: Annotated[Text, Field(description="Why it was inferred so.")] = ""
    confidence: Annotated[Confidence, Field(description="How sure the inference is.")] = "high"

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    @model_validator(mode="after")
    def _check(self) -> Self:
        for mistake in self._mistakes():
            raise ValueError(mistake)
        return self

    def _repetitions(self) -> Iterator[str]:
        for columns in (self.columns, self._option_columns):
            if (twice := _first_repeated(columns)) is not None:
                yield f"question {self.name!r} names column {twice!r} twice: remove one"
        values = [value.value for value in self.values] if self.source == "user" else []
        if (twice := _first_repeated(values)) is not None:
            yield f"question {self.name!r} lists value {twice!r} twice: remove one"

    def _mistakes(self) -> Iterator[str]:
        """Yield what contradicts itself."""
        yield from self._repetitions()
        both = next((mark for mark in self.chosen if code_key(mark) in map(code_key, self.not_chosen)), None)
        if both is not None:
            yield f"question {self.name!r}: mark {both!r} cannot be chosen and not chosen"
        coded = {code_key(code) for code in self.missing}
        unclear = next((m for m in (*self.chosen, *self.not_chosen) if code_key(m) in coded), None)
        if unclear is not None:
            yield f"question {self.name!r}: {unclear!r} cannot be a mark and a code for no answer"
        labels = {option.label for option in self.options} | {value.name for value in self.values}
        for net, members in self.nets.items():
            lost = next((member for member in members if member not in labels), None)
            if lost is not None:
                yield f"question {self.name!r}: net {net!r} names {lost!r}, which is none of its answers"
        if self.kind in {"multiple", "grid", "ranking"} or not self.options:
            return
        yield f"question {self.name!r} is of kind {self.kind!r}, which has no options: list values instead"

    @property
    def all_columns(self) -> tuple[str, ...]:
        """Columns with its answers: those that are named, those of its options, or the one of its name."""
        return tuple(dict.fromkeys([*self.columns, *self._option_columns])) or (self.name,)

    @property
    def _option_columns(self) -> tuple[str, ...]:
        return tuple(option.column for option in self.options if option.column is not None)

    @property
    def heading(self) -> str:
        """Title of its tables: the short title, the wording, or the name."""
        return self.title or self.text or self.name

    @property
    def has_option_columns(self) -> bool:
        """True if each option of a multiple choice has a column of its own."""
        return any(option.column is not None for option in self.options)

    @property
    def answers(self) -> tuple[Value, ...]:
        """Values that are answers, in order; 0 to 10 if the likelihood to recommend states none."""
        stated = tuple(value for value in self.values if value.missing is None)
        if self.kind == "nps" and not stated:
            return tuple(Value(value=str(point)) for point in range(_NPS_POINTS))
        return stated

    @property
    def has_known_marks(self) -> bool:
        """True if some cells of its options are known to say that an option was chosen."""
        marks = any(option.chosen or option.is_text for option in self.options)
        return bool(self.chosen) or marks or not self.has_option_columns

    @property
    def needs_decision(self) -> bool:
        """True if the user should look at the entry first: an unsure inference, or unknown marks."""
        is_unsure = self.source != "user" and self.confidence == "low"
        return is_unsure or (self.kind == "multiple" and not self.has_known_marks)

    @property
    def missing_codes(self) -> tuple[str, ...]:
        """Codes and values that are no answers, as they are written."""
        valued = (value.value for value in self.values if value.missing is not None)
        return tuple(dict.fromkeys(code for code in (*self.missing, *valued) if code))

    @property
    def missing_reasons(self) -> dict[str, MissingReason]:
        """Reasons of codes and values that are no answers, by the normalised code (``code_key``)."""
        stated = {code_key(code): reason for code, reason in self.missing.items()}
        valued = {
            code_key(text): value.missing
            for value in self.values
            if value.missing is not None
            for text in (value.value, value.label)
            if text
        }
        return {**stated, **valued}


class Survey(_Entry):
    """Description of a survey: what the columns of its file mean.

    Attributes:
        survey: number of the format.
        file: name of the file that is described; empty if it is not of one file.
        export: the tool that wrote the file, if it was recognised.
        reading: how the file is read, such as the sheet of a workbook.
        derive: columns that are derived from others: SQL expressions by name.
        where: SQL condition for the rows that count; empty for all.
        leave_out: rows that are no respondents, such as previews: values of a column, by its name.
        questions: the questions, in the order of the file.

    Raises:
        InputError: two questions have the same name, or share a column.
    """

    survey: Annotated[
        Literal[1],
        BeforeValidator(lambda number: FORMAT if number == str(FORMAT) else number),
        WithJsonSchema({"enum": [FORMAT, str(FORMAT)]}),
        Field(description="Number of this format."),
    ] = FORMAT
    file: Annotated[Text, Field(description="Name of the file that is described.")] = ""
    export: Annotated[Text, Field(description="Tool that wrote the file, if it was recognised.")] = ""
    reading: Annotated[
        TableSettings, Field(description="How the file is read, such as the sheet of a workbook.")
    ] = TableSettings()
    derive: Annotated[
        dict[str, Text],
        Field(description="Columns that are derived from others: SQL expressions by name."),
    ] = {}
    where: Annotated[Text, Field(description="SQL condition for the rows that count.")] = ""
    leave_out: Annotated[
        dict[str, CellNames],
        Field(description="Rows that are no respondents, such as previews: values by column."),
    ] = {}
    questions: Annotated[tuple[Question, ...], Field(description="Questions, in the order of the file.")]

    @model_validator(mode="after")
    def _check(self) -> Self:
        names: set[str] = set()
        for position, question in enumerate(self.questions):
            path = ("questions", position)
            if question.name in names:
                raise MisplacedError(f"two questions have the name {question.name!r}: rename one", path)
            names.add(question.name)
            for column in question.all_columns:
                owner = self._owners[column]
                if owner is not question:
                    raise MisplacedError(
                        f"questions {owner.name!r} and {question.name!r} share column {column!r}: "
                        "leave it out of one of them",
                        path,
                    )
        return self

    @cached_property
    def _owners(self) -> dict[str, Question]:
        """The first question of each column."""
        owners: dict[str, Question] = {}
        for question in self.questions:
            for column in question.all_columns:
                owners.setdefault(column, question)
        return owners

    def with_fields(self, **fields: Any) -> "Survey":
        """Return the description with other fields, checked anew.

        Raises:
            ValidationError: they contradict each other.
        """
        stored = {name: getattr(self, name) for name in Survey.model_fields}
        return Survey(**{**stored, **fields})

    def question(self, name: str) -> Question:
        """Return the question of a name, or the only question of a column of that name.

        Raises:
            UnknownNameError: there is none; the message suggests the nearest one.
        """
        known = self.by_name
        if name in known:
            return known[name]
        owner = self.of_column(name)
        if owner is None:
            raise unknown_name("question", name, list(known))
        return owner

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of questions and of the rows that count, for signatures."""
        content = self.model_dump_json(
            include={"derive", "where", "leave_out", "questions"}, exclude_defaults=True
        )
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of all questions."""
        return tuple(self._owners)

    @property
    def file_columns(self) -> tuple[str, ...]:
        """Columns of all questions that the file must have, as they are not derived."""
        return tuple(column for column in self._owners if column not in self.derive)

    @cached_property
    def by_name(self) -> dict[str, Question]:
        """The questions by their names."""
        return {question.name: question for question in self.questions}

    def of_column(self, column: str) -> Question | None:
        """Return the question to which a column belongs; ``None`` if it belongs to none."""
        return self._owners.get(column)

    def missing_codes(self, column: str) -> tuple[str, ...]:
        """Return the codes for no answer of a column's question; none if it belongs to no question."""
        question = self.of_column(column)
        return () if question is None else question.missing_codes

    def of_kind(self, *kinds: QuestionKind) -> tuple[Question, ...]:
        """Return the questions of some kinds, in order."""
        return tuple(question for question in self.questions if question.kind in kinds)
