"""Requests: limits, bodies, and fields that are validated by their types.

This module needs no extra, so that the options of the command derive from ``ServiceLimits``.
"""

import gc
import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal, TypeVar, cast, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from semscale.answer_consistency.settings import AnswerColumns, ConsistencySettings
from semscale.coding.settings import CodeSettings
from semscale.json_reading import MOST_LEVELS, encodable_values, levels
from semscale.judging.settings import TEMPLATES, JudgeSettings
from semscale.matching.settings import MatchColumns, MatchSettings
from semscale.messages import first_mistake, shorten
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.serving.refusals import RefusedRequestError, invalid
from semscale.settings import Option, Settings, annotation_parts, request_model
from semscale.store.format_names import HeaderKind

TOO_DEEP = "is nested too deeply: use fewer levels"

SPLIT = "send several requests, a stream of lines, or a job"
"""Remedy for too many texts."""
MOST_PARTS = 500_000
"""Largest number of commas and opening brackets in a JSON document, those in its texts included.

A document has no more values than these. Python parses as many in .05 to .2 s, in which no other thread
runs. Prose has about one comma in 60 characters, so the largest body of texts has about as many.
"""

_LARGE = 100_000  # bytes of a document that is parsed alone
_PARSING = threading.Lock()
_MOST_UNKNOWN = 10
"""Number of unknown keys that are reported one by one."""

_MOST_VALUES = 5000
"""Largest number of values in a setting at any depth: pydantic describes all mistakes before one is shown."""

_MIB = 1024 * 1024
TEXTS_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
CELLS_SCHEMA = {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}


_LIMITS, _JOBS = "Limits", "Jobs"


class ServiceLimits(Settings):
    """Limits of the service."""

    max_texts: Annotated[
        int,
        Field(ge=1, description="Maximum number of texts in a request, tool call or line of a stream."),
        Option(_LIMITS, rare=True),
    ] = 2048
    max_characters: Annotated[
        int, Field(ge=1, description="Maximum number of characters in a text."), Option(_LIMITS, rare=True)
    ] = 100_000
    max_body: Annotated[
        float,
        Field(gt=0, description="MiB in the body of a request, except for jobs."),
        Option(_LIMITS, rare=True),
    ] = 32
    max_seconds: Annotated[
        float, Field(ge=1, description="Time limit of a request in seconds."), Option(_LIMITS, rare=True)
    ] = 60
    max_waiting: Annotated[
        int,
        Field(
            ge=1,
            description="Maximum number of waiting tokens; fewer if they need over half of --max-seconds.",
        ),
        Option(_LIMITS, rare=True),
    ] = 1_000_000
    batch_tokens: Annotated[
        int,
        Field(
            ge=1,
            description="Maximum number of tokens in a batch.",
        ),
        Option(_LIMITS, rare=True),
    ] = 8192
    max_jobs: Annotated[
        int, Field(ge=1, description="Maximum number of waiting and running jobs."), Option(_JOBS, rare=True)
    ] = 100
    max_job_rows: Annotated[
        int, Field(ge=1, description="Maximum number of rows in a job's table."), Option(_JOBS, rare=True)
    ] = 1_000_000
    jobs_disk: Annotated[
        float, Field(gt=0, description="Quota for the files of all jobs in MiB."), Option(_JOBS, rare=True)
    ] = 10_240

    @property
    def body_bytes(self) -> int:
        """Largest size of a request's body, in bytes."""
        return int(self.max_body * _MIB)

    @property
    def job_bytes(self) -> int:
        """Largest total size of the files of all jobs, in bytes."""
        return int(self.jobs_disk * _MIB)


def _as_texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        raise ValueError(f"input must be a text or a list of texts, got {shorten(value)}")
    for index, text in enumerate(value):
        if not isinstance(text, str):
            are_tokens = isinstance(text, int | list)
            remedy = "token IDs are not accepted: send the texts" if are_tokens else "send texts"
            message = f"input[{index}] must be a text, got {shorten(text)}; {remedy}"
            raise ValueError(message)  # noqa: TRY004 - pydantic makes a refusal of this type alone
    return value


class Cells:
    """Marks a field with a cell for each item of a request; the other fields are settings."""


class RequestFields(BaseModel):
    """Fields of a request; unknown ones are refused, and numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """Return the names of the fields with a cell for each item."""
        return tuple(name for name, info in cls.model_fields.items() if Cells in info.metadata)

    @field_validator("*", mode="before")
    @classmethod
    def check_number(cls, value: object, info: ValidationInfo) -> object:
        """Refuse infinite numbers, and strings and booleans that pydantic would convert to numbers."""
        field = cls.model_fields[str(info.field_name)]
        name, kinds = field.alias or str(info.field_name), set(annotation_parts(field.annotation))
        if float in kinds and isinstance(value, int) and abs(value) > sys.float_info.max:
            raise ValueError(f"{name} must be a finite number, got {shorten(value)}")
        if not kinds & {int, float} or not isinstance(value, bool | str):
            return value
        if type(value) not in kinds and value not in kinds:
            options = [repr(part) for part in kinds if isinstance(part, str)]
            raise ValueError(f"{name} must be {' or '.join([*options, 'a number'])}, got {shorten(value)}")
        return value


Kind = TypeVar("Kind", bound=RequestFields)


class EmbeddingFields(RequestFields):
    """Fields of ``/v1/embeddings``, compatible with OpenAI's API."""

    input: Annotated[
        list[str],
        Cells,
        BeforeValidator(_as_texts),
        WithJsonSchema({**TEXTS_SCHEMA, "description": "A text or a list of texts; token ids are refused."}),
    ]
    model: str = Field(description="One of the names at /v1/models.")
    encoding_format: Literal["float", "base64"] = Field("float", description="Encoding of vectors.")
    dimensions: int | None = Field(None, description="The width of the model's vectors; no other is offered.")
    user: str | None = Field(None, description="Ignored.")


class ScaleFields(RequestFields):
    """The scale of ratings."""

    scale: Annotated[
        str | dict[str, Any],
        Field(description="Name of a built-in scale, or the fields of another scale."),
    ] = "purchase-intent"


RatingSettingFields = request_model(
    "RatingSettingFields",
    ScaleFields,
    RaterSettings,
    without=("embedder", "calibration"),
    description="Settings of ratings, as ``semscale.rate`` takes them.",
    helps={
        "floor": "Cosine with the best anchor below which a text is off topic; auto compares it with that of "
        "unrelated sentences; null rates every text.",
        "missing": "Codes that mean no answer, such as NA or -99.",
        "language": "ISO 639-1 code, or auto for each text's (default: the scale's).",
    },
    language=str | None,
)

RatingFields = request_model(
    "RatingFields",
    ScaleFields,
    RatingSettingFields,
    description="Fields of ``/rate``.",
    texts=Annotated[list[Any], Cells, WithJsonSchema({**CELLS_SCHEMA, "description": "Texts to rate."})],
)


MatchSettingFields = request_model(
    "MatchSettingFields",
    RequestFields,
    MatchSettings,
    without=("embedder", "precision", "loading", "explain", "layer", "nli", "nli_labels"),
    description="Settings of matches, as ``semscale.match`` takes them.",
    helps={
        "guards": "Modes of guards by their names: negation, opposite, number, name, roles, quantity, "
        "certainty, exclusivity, order, condition or all, each off, warn or weigh.",
        "recall_share": "Weight of recall relative to precision, from 0 to 1; for calibrated.",
    },
    method=Literal["calibrated", "cosine"],
)

MatchFields = request_model(
    "MatchFields",
    RequestFields,
    MatchSettingFields,
    description="Fields of ``/match``.",
    predictions=Annotated[
        list[Any],
        Cells,
        WithJsonSchema({**CELLS_SCHEMA, "description": "Texts to compare with the references."}),
    ],
    references=Annotated[
        list[Any],
        Cells,
        WithJsonSchema(
            {"type": "array", "items": TEXTS_SCHEMA, "description": "For each prediction a text or a list."}
        ),
    ],
)


ConsistencySettingFields = request_model(
    "ConsistencySettingFields",
    RequestFields,
    ConsistencySettings,
    without=("embedder", "bert_embedder", "nli", "nli_labels", "by_sentence"),
    description="Settings of consistency, as ``semscale.consistency`` takes them.",
    helps={
        "measures": "Measures; the first is the score.",
        "same_by": "Criterion for two samples with the same meaning.",
    },
    floor=Literal["auto"] | float,
    same_by=Literal["auto", "cosine", "exact"],
)

ConsistencyFields = request_model(
    "ConsistencyFields",
    RequestFields,
    ConsistencySettingFields,
    description="Fields of ``/consistency``.",
    answers=Annotated[
        list[Any], Cells, WithJsonSchema({**CELLS_SCHEMA, "description": "One for each prompt."})
    ],
    samples=Annotated[
        list[Any],
        Cells,
        WithJsonSchema(
            {
                "type": "array",
                "items": CELLS_SCHEMA,
                "description": "For each answer a list of further answers.",
            }
        ),
    ],
)


class JudgedFields(RequestFields):
    """Optional fields of ``/judge``."""

    references: Annotated[
        list[Any] | None,
        Cells,
        WithJsonSchema(
            {
                "anyOf": [{"type": "array", "items": TEXTS_SCHEMA}, {"type": "null"}],
                "description": "For each answer a text, or a list of texts, known to be right.",
            }
        ),
    ] = None


JudgeFields = request_model(
    "JudgeFields",
    JudgedFields,
    JudgeSettings,
    without=("criteria",),
    description="Fields of ``/judge``.",
    helps={
        "rubric": "Instructions on what is judged.",
        "template": f"Task with its levels: {', '.join(TEMPLATES)}, a scale's name, or the fields of a "
        "scale.",
    },
    template=str | dict[str, Any],
    questions=Annotated[
        list[Any], Cells, WithJsonSchema({**CELLS_SCHEMA, "description": "What was asked, for each answer."})
    ],
    answers=Annotated[list[Any], Cells, WithJsonSchema({**CELLS_SCHEMA, "description": "What is judged."})],
)


class CodeFields(RequestFields):
    """Code of a codebook."""

    name: str = Field(description="Its name.")
    definition: str = Field(description="What an answer must say to get the code.")
    examples: list[str] = Field(min_length=1, description="Answers that have the code.")
    negative_examples: list[str] = Field([], description="Answers that seem to have the code and do not.")
    keywords: list[str] = Field([], description="Words that answers with the code use.")
    parent: str | None = Field(None, description="Name of the wider code that it belongs under.")


CodingFields = request_model(
    "CodingFields",
    RequestFields,
    CodeSettings,
    without=("given_from", "unsure_from", "min_base"),  # of probabilities and groups, which requests lack
    description="Fields of ``/code``.",
    helps={"sentiment": "Name of the scale to rate the sentences and clauses of each code on, or none."},
    texts=Annotated[list[Any], Cells, WithJsonSchema({**CELLS_SCHEMA, "description": "Answers to code."})],
    codes=Annotated[list[CodeFields], Field(description="The codebook: two codes or more.")],
)


class TableFields(RequestFields):
    """Fields of a table: how its file is read."""

    encoding: str | None = Field(None, description="Encoding of the table (default: detected).")
    sheet: str | None = Field(None, description="Sheet of an Excel workbook (default: the first).")
    header_row: int | None = Field(
        None, ge=1, description="Row of a CSV, TSV or Excel table with the column names."
    )
    header: HeaderKind = Field(
        "auto", description="Survey tool that exported the table; (default: detected)."
    )


class JobFields(TableFields):
    """Fields of all jobs: the form of the uploaded table, and the format of the result."""

    format: Literal["csv", "tsv", "jsonl", "parquet", "xlsx", "sav"] = Field(
        "csv", description="Format of the uploaded table."
    )
    result: Literal["parquet", "csv", "jsonl"] = Field("parquet", description="Format of the result.")


_TABLES: dict[str, tuple[tuple[type[BaseModel], ...], tuple[str, ...]]] = {
    "rate": ((RatingSettingFields, RatingColumns), ("human", "inclusion", "human_range")),
    "match": ((MatchSettingFields, MatchColumns), ()),
    "consistency": (
        (ConsistencySettingFields, AnswerColumns),
        ("prompt", "label", "logprobs", "sample_logprobs"),
    ),
}
"""Settings and columns of each instrument for tables, and the columns that requests do not have."""


def table_fields(instrument: str, base: type[Kind]) -> type[Kind]:
    """Derive the fields of a request to measure a table.

    Args:
        instrument: its name.
        base: fields that requests of all instruments share.
    """
    kinds, without = _TABLES[instrument]
    name = f"{instrument.title()}{base.__name__}"
    return request_model(name, base, *kinds, without=without, helps={"text": "The column of texts."})


class EmbeddingJobFields(JobFields):
    """Fields of a job that turns a column of texts into vectors."""

    text: str = Field(description="The column of texts.")
    dtype: Literal["float32", "float16"] = Field("float32", description="Of the vectors.")


JOB_FIELDS: dict[str, type[JobFields]] = {
    **{instrument: table_fields(instrument, JobFields) for instrument in _TABLES},
    "embed": EmbeddingJobFields,
}
"""The fields of each kind of job."""

KINDS: tuple[type[RequestFields], ...] = (
    EmbeddingFields,
    RatingFields,
    MatchFields,
    ConsistencyFields,
    CodingFields,
    JudgeFields,
    *JOB_FIELDS.values(),
)
"""The fields of all requests."""

FIELD_NAMES = frozenset(name for kind in KINDS for name in kind.model_fields)
"""Names of all fields of all requests."""


def parse_fields(kind: type[RequestFields], body: bytes) -> dict[str, Any]:
    """Parse the fields of a request, which are checked afterwards.

    Args:
        kind: class that declares the fields.
        body: the request's body.

    Raises:
        RefusedRequestError: the body is not a JSON object, or has too many keys or values.
    """
    return check_size(kind, parse_json(body, "the body"))


def parse_json(text: bytes | str, source: str) -> Any:
    """Read JSON; unpaired surrogates, which no answer could contain, become U+FFFD.

    Args:
        text: the JSON.
        source: its name in messages.

    Raises:
        RefusedRequestError: the text is not JSON, an object has a key twice, lists and objects are nested
            too deeply, or there are too many of them.
    """
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    n_brackets = content.count(b"[") + content.count(b"{")
    n_parts = content.count(b",") + n_brackets
    if n_parts > MOST_PARTS:
        raise RefusedRequestError(
            413,
            f"{source} must have at most {MOST_PARTS:,} commas and brackets, got {n_parts:,}: send it in "
            "several requests, or as a job",
        )
    try:
        document = _parse(content)
        if n_brackets > MOST_LEVELS and levels(document) > MOST_LEVELS:
            raise RefusedRequestError(400, f"{source} {TOO_DEEP}")
        return encodable_values(document) if _may_have_surrogates(content) else document
    except ValueError as error:
        raise RefusedRequestError(400, f"{source} must be JSON: {error}") from None
    except RecursionError:
        raise RefusedRequestError(400, f"{source} {TOO_DEEP}") from None


def _parse(content: bytes) -> Any:
    if len(content) < _LARGE:
        return json.loads(content, object_pairs_hook=_object_without_repeats)
    # The search for garbage goes through all objects of the service again and again while half a million
    # lists are created, which takes five times as long as all the rest; no other thread runs meanwhile.
    with _PARSING:
        is_collecting = gc.isenabled()
        gc.disable()
        try:
            return json.loads(content, object_pairs_hook=_object_without_repeats)
        finally:
            if is_collecting:
                gc.enable()


def _may_have_surrogates(content: bytes) -> bool:
    """Check for what can stand for half a surrogate pair, much faster than in each text."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return b"\\u" in content or b"\0" in content  # as of UTF-16, which JSON may have


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a dictionary from JSON pairs, and refuse repeated keys, which are ambiguous."""
    content = dict(pairs)
    if len(content) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"{shorten(repeated)} is in an object twice")
    return content


def parse_query(parameters: Iterable[tuple[str, str]], kind: type[RequestFields]) -> dict[str, Any]:
    """Read settings from a query string, such as ``?scale=quality&missing=NA&missing=-99``.

    A parameter can be repeated for a field that is a list.

    Args:
        parameters: pairs of name and value.
        kind: class that declares the fields. Objects are written as JSON; ``none`` stands for no value.

    Raises:
        RefusedRequestError: JSON cannot be parsed, or a field that is not a list is repeated.

    Examples:
        >>> address = [("scale", "quality"), ("missing", "NA"), ("temperature", "0.5")]
        >>> parse_query(address, RatingSettingFields)
        {'scale': 'quality', 'missing': ['NA'], 'temperature': 0.5}
    """
    by_name: dict[str, list[str]] = {}
    for name, value in parameters:
        by_name.setdefault(name, []).append(value)
    settings: dict[str, Any] = {}
    for name, values in by_name.items():
        annotation = kind.model_fields[name].annotation if name in kind.model_fields else str
        if re.search(r"\b(list|tuple)\b", str(annotation)):
            settings[name] = values
            continue
        if len(values) > 1:
            raise invalid(f"{shorten(name)} must be named once in the address, got {len(values)} times", name)
        settings[name] = _parse_value(name, values[0], annotation)
    return settings


def _parse_value(name: str, value: str, annotation: Any) -> Any:
    if value == "none" and type(None) in get_args(annotation):
        return None
    if value.startswith("{"):
        try:
            return parse_json(value, name)
        except RefusedRequestError as error:
            raise invalid(str(error), name) from None
    try:
        return TypeAdapter(annotation).validate_python(value)  # a number, for instance
    except ValidationError:
        return value  # which the check of the field refuses


def check_query(kind: type[Kind], parameters: Iterable[tuple[str, str]]) -> Kind:
    """Read and check the settings of a query string.

    Args:
        kind: class that declares the fields.
        parameters: pairs of name and value.

    Raises:
        RefusedRequestError: a field is missing, unknown or invalid.
    """
    return check_fields(kind, parse_query(parameters, kind))


def check_fields(kind: type[Kind], content: object) -> Kind:
    """Check the fields of a request.

    Args:
        kind: class that declares the fields.
        content: the parsed body or query string.

    Raises:
        RefusedRequestError: the value is not an object, or a field is missing, unknown or invalid.
    """
    try:
        return kind.model_validate(check_size(kind, content))
    except ValidationError as error:
        raise refusal_of_fields(kind.model_fields, error) from None


def check_size(kind: type[RequestFields], content: object) -> dict[str, Any]:
    """Return the fields of a request if few enough are unknown or have many values to be checked one by one.

    Args:
        kind: class that declares the fields.
        content: the parsed body or query string.

    Raises:
        RefusedRequestError: the value is not an object, or has too many unknown keys or values.
    """
    if not isinstance(content, dict):
        raise RefusedRequestError(400, f"the body must be a JSON object, got {shorten(content)}")
    known = kind.model_fields.keys() | {field.alias for field in kind.model_fields.values()}
    unknown = [key for key in content if key not in known]
    if len(unknown) > _MOST_UNKNOWN:
        raise invalid(
            f"unknown keys {shorten(unknown[0])} and {len(unknown) - 1:,} more: remove them", unknown[0]
        )
    for name in content.keys() - set(kind.columns()):
        if len(list(islice(_values_in(content[name]), _MOST_VALUES + 1))) > _MOST_VALUES:
            raise invalid(f"{shorten(name)} must have at most {_MOST_VALUES:,} values: leave some out", name)
    return content


def refusal_of_fields(known: Collection[str], error: ValidationError) -> RefusedRequestError:
    """Return the refusal of fields, which names the first mistake.

    Args:
        known: names of all fields.
        error: the mistakes in them.
    """
    path = error.errors()[0]["loc"]
    return invalid(first_mistake(error, known), str(path[0]) if path else "body")


def flat_texts(cells: Sequence[Any]) -> list[Any]:
    """Return all texts, including those in lists."""
    return [text for cell in cells for text in (cell if isinstance(cell, list) else [cell])]


def check_texts(texts: Sequence[object], field: str, limits: ServiceLimits, remedy: str = SPLIT) -> None:
    """Refuse too many texts, or a text that is too long.

    Args:
        texts: texts of the request.
        field: name of the field with the texts.
        limits: limits of the service.
        remedy: remedy for too many texts, for the message.

    Raises:
        RefusedRequestError: a limit is exceeded.
    """
    if len(texts) > limits.max_texts:
        raise invalid(
            f"{field} must have at most {limits.max_texts:,} texts, got {len(texts):,}: {remedy}", field
        )
    for index, text in enumerate(texts):
        if isinstance(text, str) and len(text) > limits.max_characters:
            raise invalid(
                f"{field}[{index}] must have at most {limits.max_characters:,} characters, got {len(text):,}",
                field,
            )


def check_limits(fields: RequestFields, limits: ServiceLimits) -> None:
    """Refuse a request that has too many texts in a field, or a text that is too long.

    This includes the texts of a corpus, of codes for missing answers, and of a scale in the request.

    Args:
        fields: fields of a request, with or without its columns.
        limits: limits of the service.

    Raises:
        RefusedRequestError: a limit is exceeded.
    """
    columns = fields.columns()
    for field in type(fields).model_fields:
        check_field(field, getattr(fields, field), limits, is_column=field in columns)


def check_field(
    field: str, value: object, limits: ServiceLimits, *, is_column: bool = False, remedy: str = SPLIT
) -> None:
    """Refuse a field that has too many texts, or a text that is too long; see ``check_limits``.

    Raises:
        RefusedRequestError: a limit is exceeded.
    """
    if value is None or isinstance(value, float | int):
        return
    if is_column:
        cells = cast(Sequence[Any], value)
        texts = flat_texts(cells)
        if len(cells) > len(texts):  # empty lists are rows, too
            check_texts(cells, field, limits, remedy)
        check_texts(texts, field, limits, remedy)
        return
    texts = _texts_in(value)
    if len(texts) > limits.max_texts:
        raise invalid(
            f"{field} must have at most {limits.max_texts:,} texts, got {len(texts):,}: leave some out", field
        )
    longest = max(map(len, texts), default=0)
    if longest > limits.max_characters:
        raise invalid(
            f"each text of {field} must have at most {limits.max_characters:,} characters, "
            f"got {longest:,}: shorten it",
            field,
        )


def _texts_in(value: object) -> list[str]:
    """Return the texts of a field at any depth, including keys."""
    if isinstance(value, str):
        return [value]
    return [text for text in _values_in(value) if isinstance(text, str)]


def _values_in(value: object) -> Iterator[object]:
    """Yield a field's value and all values in it at any depth, including keys."""
    rest = [value]
    while rest:
        value = rest.pop()
        yield value
        match value:
            case list(items) | tuple(items):
                rest.extend(items)
            case dict(items):
                rest.extend([*items.keys(), *items.values()])
            case BaseModel() as fields:
                rest.extend(dict(fields).values())
