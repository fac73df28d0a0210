"""Requests: limits, refusals, bodies, and fields that are checked by their types."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request

from semscale.answer_consistency.settings import AnswerColumns, ConsistencySettings
from semscale.errors import InputError, SemscaleError
from semscale.matching.settings import MatchColumns, MatchSettings
from semscale.messages import first_mistake, shortened
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.settings import request_model
from semscale.store.surveys import HeaderKind

BAD_JSON, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFLICT, TOO_LARGE, INVALID = 400, 401, 403, 404, 409, 413, 422
TOO_MANY, CLIENT_GONE, FAILED, UNAVAILABLE, TOO_LATE, DISK_FULL = 429, 499, 500, 503, 504, 507
_TYPES = {
    UNAUTHORIZED: "authentication_error",
    FORBIDDEN: "permission_error",
    NOT_FOUND: "not_found_error",
    TOO_MANY: "rate_limit_error",
    FAILED: "server_error",
    UNAVAILABLE: "unavailable_error",
    TOO_LATE: "timeout_error",
    DISK_FULL: "server_error",
}

BODIES = 8
"""Number of bodies of the largest size that may be in memory at once."""

TOO_DEEP = "has too many lists or objects in each other: send fewer levels"

_LONGEST = 1000  # characters of a message, as a client may have sent a key or a number of any length
_MOST_DROPPED = 64 * 1024 * 1024  # bytes that are read and dropped, so that the client reads the refusal
_OPTION = re.compile(r"--([a-z][a-z-]*)(?: (?!out\b)(?=[\w']))?")
_TEXTS_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_CELLS_SCHEMA = {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}

Result = TypeVar("Result")


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of the service, all at least 1.

    Attributes:
        texts: in one request; each line of a stream counts.
        characters: in one text.
        body_bytes: in the body of a request, jobs aside.
        seconds: from a request's arrival to its answer.
        waiting_tokens: tokens, estimated, that may wait for the model; more are turned away.
        batch_tokens: tokens, estimated, that the model takes at once; up to four times as many where many
            requests wait.
        job_bytes: on disk, for the files of all jobs and their results.
        jobs: that may wait or run.
    """

    texts: int = 2048
    characters: int = 100_000
    body_bytes: int = 32 * 1024 * 1024
    seconds: float = 60.0
    waiting_tokens: int = 1_000_000
    batch_tokens: int = 8192
    job_bytes: int = 10 * 1024**3
    jobs: int = 100

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if not value >= 1:
                raise InputError(f"{limit.name} must be at least 1, got {value}")


class RefusedRequestError(SemscaleError):
    """A request is not answered.

    Args:
        status: HTTP's status.
        message: the mistake and its remedy, in one sentence.
        field: name of the field of the request that is wrong.
        retry_after: seconds after which the same request may be answered.
    """

    def __init__(
        self, status: int, message: str, *, field: str | None = None, retry_after: int | None = None
    ) -> None:
        # Half of a surrogate pair, which JSON may hold and an answer may not, is written as its number.
        written = message.encode("utf-8", "backslashreplace").decode()
        super().__init__(written if len(written) <= _LONGEST else f"{written[:_LONGEST]}...")
        self.status = status
        self.field = field if field is None else field[:_LONGEST]
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return {**headers, "WWW-Authenticate": "Bearer"} if self.status == UNAUTHORIZED else headers

    def record(self) -> dict[str, dict[str, str | None]]:
        """Return the answer in the form that OpenAI's clients read.

        Example:
            >>> RefusedRequestError(422, "input must not be empty", field="input").record()["error"]["param"]
            'input'
        """
        kind = _TYPES.get(self.status, "invalid_request_error")
        return {"error": {"message": str(self), "type": kind, "param": self.field, "code": None}}


class ClientGoneError(Exception):
    """The client has gone, so nobody reads the answer."""


def invalid(message: str, field: str | None) -> RefusedRequestError:
    """Refuse a value of a field."""
    return RefusedRequestError(INVALID, message, field=field)


def as_field_names(message: str) -> str:
    """Write the options in a message for the command line as fields of a request.

    Example:
        >>> as_field_names("b.csv is an Excel file, whatever its name says: read it with --format xlsx")
        'b.csv is an Excel file, whatever its name says: read it with format=xlsx'
        >>> as_field_names("leave --header out, or say plain"), as_field_names("name another with --sheet: a")
        ('leave header out, or say plain', 'name another with sheet: a')
    """

    def field_of(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        return f"{name}=" if option[0].endswith(" ") else name

    return _OPTION.sub(field_of, message)


class BodyRoom:
    """Memory for the bodies of all requests together; used by the event loop's thread.

    Args:
        most: bytes of all bodies.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.held = 0

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """Give a request its share until it is answered: a function that counts more bytes of its body.

        The function raises ``RefusedRequestError`` where there is no room.
        """
        held = 0

        def take(n: int) -> None:
            nonlocal held
            if self.held + n > self._most:
                raise RefusedRequestError(
                    TOO_MANY, "the requests under way are too large together: try again later", retry_after=1
                )
            self.held += n
            held += n

        try:
            yield take
        finally:
            self.held -= held


async def read_body(request: Request, most: int) -> bytes:
    """Read the whole body of a request.

    Args:
        request: its body was not read yet.
        most: bytes.

    Raises:
        RefusedRequestError: it is larger, or the bodies of all requests are too large together.
        ClientGoneError: the client has gone.
    """
    take: Callable[[int], None] = request.scope["semscale.take"]
    body = bytearray()

    async def append(part: bytes, n: int) -> None:
        if n > most:
            message = f"the body must have at most {most:,} bytes: send it in several requests, or as a job"
            raise RefusedRequestError(TOO_LARGE, message)
        take(len(part))
        body.extend(part)

    await read_parts(request, append)
    return bytes(body)


async def read_parts(request: Request, write: Callable[[bytes, int], Awaitable[None]]) -> None:
    """Read the body of a request part by part.

    Args:
        request: its body was not read yet.
        write: takes each part, with the bytes up to its end, or in all where the request states them. Once it
            has refused a part, or the disk is full, the rest of the body is dropped.

    Raises:
        RefusedRequestError: ``write`` refuses.
        OSError: ``write`` cannot write.
        ClientGoneError: the client has gone.
    """
    length = request.headers.get("content-length", "0")
    declared, n, dropped = int(length) if length.isdigit() else 0, 0, 0
    failure: Exception | None = None
    try:
        async for part in request.stream():
            n += len(part)
            if failure is not None:
                dropped += len(part)
                if dropped > _MOST_DROPPED:
                    break
                continue
            try:
                await write(part, max(n, declared))
            except (RefusedRequestError, OSError) as error:
                failure = error
    except ClientDisconnect:
        raise ClientGoneError from None
    if failure is not None:
        raise failure


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Do some work; if the client goes away, cancel it.

    Args:
        request: its body was read.
        work: to be done.

    Raises:
        ClientGoneError: the client has gone.
        Exception: the work failed.
    """

    async def wait_for_disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            continue

    doing = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(wait_for_disconnect())
    try:
        await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientGoneError
        return doing.result()
    finally:
        gone.cancel()
        doing.cancel()


def _as_texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        raise ValueError(f"input must be a text or a list of texts, got {shortened(value)}")
    for index, text in enumerate(value):
        if not isinstance(text, str):
            are_tokens = isinstance(text, int | list)
            remedy = "token ids are not taken: send the texts" if are_tokens else "send texts"
            message = f"input[{index}] must be a text, got {shortened(text)}; {remedy}"
            raise ValueError(message)  # noqa: TRY004 - pydantic makes a refusal of this type alone
    return value


class RequestFields(BaseModel):
    """Fields of a request; unknown ones are refused, and numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)


class EmbeddingFields(RequestFields):
    """Fields of ``/v1/embeddings``, as OpenAI's interface has them."""

    input: Annotated[
        list[str],
        BeforeValidator(_as_texts),
        WithJsonSchema({**_TEXTS_SCHEMA, "description": "A text or a list of texts; token ids are refused."}),
    ]
    model: str = Field(description="One of the names at /v1/models.")
    encoding_format: Literal["float", "base64"] = Field("float", description="Encoding of vectors.")
    dimensions: int | None = Field(None, description="The width of the model's vectors; no other is offered.")
    user: str | None = Field(None, description="Ignored.")


class ScaleFields(RequestFields):
    """The scale of ratings."""

    scale: Annotated[
        str | dict[str, Any],
        Field(description="Name of a scale that ships with Semscale, or the fields of another scale."),
    ] = "purchase-intent"


RatingSettingFields = request_model(
    "RatingSettingFields",
    ScaleFields,
    RaterSettings,
    without=("embedder", "calibration"),
    description="Settings of ratings, as ``semscale.rate`` takes them.",
    language=Annotated[
        str | None,
        Field(
            description="An ISO 639-1 code, or auto to detect it for each text; by default that of the "
            "scale's anchors."
        ),
    ],
)

RatingFields = request_model(
    "RatingFields",
    ScaleFields,
    RatingSettingFields,
    description="Fields of ``/rate``.",
    texts=Annotated[list[Any], WithJsonSchema({**_CELLS_SCHEMA, "description": "Texts to rate."})],
)


MatchSettingFields = request_model(
    "MatchSettingFields",
    RequestFields,
    MatchSettings,
    without=("embedder", "precision", "loading", "explain", "layer", "nli", "nli_labels"),
    description="Settings of matches, as ``semscale.match`` takes them.",
    method=Annotated[Literal["calibrated", "cosine"], Field(description="Method that compares the texts.")],
)

MatchFields = request_model(
    "MatchFields",
    RequestFields,
    MatchSettingFields,
    description="Fields of ``/match``.",
    predictions=Annotated[
        list[Any], WithJsonSchema({**_CELLS_SCHEMA, "description": "Texts to compare with the references."})
    ],
    references=Annotated[
        list[Any],
        WithJsonSchema(
            {"type": "array", "items": _TEXTS_SCHEMA, "description": "For each prediction a text or a list."}
        ),
    ],
)


ConsistencySettingFields = request_model(
    "ConsistencySettingFields",
    RequestFields,
    ConsistencySettings,
    without=("embedder", "bert_embedder", "nli", "nli_labels", "by_sentence"),
    description="Settings of consistency, as ``semscale.consistency`` takes them.",
    floor=Annotated[Literal["auto"] | float, Field(description="Cosine of answers to different questions.")],
    same_by=Annotated[
        Literal["auto", "cosine", "exact"],
        Field(description="Criterion for two samples with the same meaning."),
    ],
)

ConsistencyFields = request_model(
    "ConsistencyFields",
    RequestFields,
    ConsistencySettingFields,
    description="Fields of ``/consistency``.",
    answers=Annotated[list[Any], WithJsonSchema({**_CELLS_SCHEMA, "description": "One for each prompt."})],
    samples=Annotated[
        list[Any],
        WithJsonSchema(
            {
                "type": "array",
                "items": _CELLS_SCHEMA,
                "description": "For each answer a list of further answers.",
            }
        ),
    ],
)


class JobFields(RequestFields):
    """Fields of all jobs: the form of the uploaded table, and the format of the result."""

    format: Literal["csv", "tsv", "jsonl", "parquet", "xlsx", "sav"] = Field(
        "csv", description="Of the uploaded table."
    )
    encoding: str | None = Field(None, description="Of the uploaded table; UTF-8 unless it is marked.")
    sheet: str | None = Field(None, description="Of an Excel workbook; the first one by default.")
    header: HeaderKind = Field(
        "auto", description="Survey tool that exported the table; by default its shape tells."
    )
    result: Literal["parquet", "csv", "jsonl"] = Field("parquet", description="Format of the result.")


class RatingTableFields(JobFields, ScaleFields):
    """Table, scale and column of a job that rates texts."""

    text: str = Field(description="The column of texts.")


RatingJobFields = request_model(
    "RatingJobFields",
    RatingTableFields,
    RatingSettingFields,
    RatingColumns,
    without=("human", "inclusion", "human_range"),
    description="A job that rates a column of texts.",
)


MatchJobFields = request_model(
    "MatchJobFields",
    JobFields,
    MatchSettingFields,
    MatchColumns,
    description="A job that matches a column of predictions with columns of references.",
)


ConsistencyJobFields = request_model(
    "ConsistencyJobFields",
    JobFields,
    ConsistencySettingFields,
    AnswerColumns,
    without=("prompt", "label", "logprobs", "sample_logprobs"),
    description="A job that measures the agreement of columns of samples with a column of answers.",
)


class EmbeddingJobFields(JobFields):
    """A job that turns a column of texts into vectors."""

    text: str = Field(description="The column of texts.")
    dtype: Literal["float32", "float16"] = Field("float32", description="Of the vectors.")


JOB_FIELDS: dict[str, type[JobFields]] = {
    "rate": RatingJobFields,
    "match": MatchJobFields,
    "consistency": ConsistencyJobFields,
    "embed": EmbeddingJobFields,
}
"""The fields of each kind of job."""

_KINDS: tuple[type[RequestFields], ...] = (
    EmbeddingFields,
    RatingFields,
    MatchFields,
    ConsistencyFields,
    *JOB_FIELDS.values(),
)
FIELD_NAMES = frozenset(name for kind in _KINDS for name in kind.model_fields)
"""Names of all fields of all requests."""

Kind = TypeVar("Kind", bound=RequestFields)


def parse_fields(kind: type[Kind], body: bytes) -> Kind:
    """Read the fields of a request.

    Raises:
        RefusedRequestError: the body is not JSON, or a field is missing, unknown or wrong.
    """
    return check_fields(kind, parse_json(body, "the body"))


def parse_json(text: bytes | str, source: str) -> Any:  # noqa: ANN401 - as JSON has it
    """Read JSON.

    Args:
        text: the JSON.
        source: its name in messages.

    Raises:
        RefusedRequestError: it is no JSON, an object has a key twice, or lists and objects are nested too
            deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_object_without_repeats)
    except ValueError as error:
        raise RefusedRequestError(BAD_JSON, f"{source} must be JSON: {error}") from None
    except RecursionError:
        raise RefusedRequestError(BAD_JSON, f"{source} {TOO_DEEP}") from None


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of its keys; the value of a repeated key is ambiguous."""
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in content if keys.count(key) > 1)
        raise ValueError(f"{shortened(repeated)} is in an object twice")
    return content


def parse_query(parameters: QueryParams, kind: type[RequestFields]) -> dict[str, Any]:
    """Read settings from an address, such as ``?scale=quality&missing=NA&missing=-99``.

    A field that is a list takes its parameter several times.

    Args:
        parameters: of the address.
        kind: declares the fields; an object is written as JSON, and ``none`` is no value.

    Raises:
        RefusedRequestError: JSON that cannot be read, or a field that is no list and comes twice.

    Example:
        >>> parse_query(QueryParams("scale=quality&missing=NA&temperature=0.5"), RatingSettingFields)
        {'scale': 'quality', 'missing': ['NA'], 'temperature': 0.5}
    """
    settings: dict[str, Any] = {}
    for name in parameters:
        values = parameters.getlist(name)
        annotation = kind.model_fields[name].annotation if name in kind.model_fields else str
        if re.search(r"\b(list|tuple)\b", str(annotation)):
            settings[name] = values
            continue
        if len(values) > 1:
            raise invalid(
                f"{shortened(name)} must be named once in the address, got {len(values)} times", name
            )
        settings[name] = _parse_value(name, values[0], annotation)
    return settings


def _parse_value(name: str, value: str, annotation: Any) -> Any:  # noqa: ANN401 - a type, and a value of it
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


def check_fields(kind: type[Kind], content: object) -> Kind:
    """Check the fields of a request.

    Raises:
        RefusedRequestError: it is no object, or a field is missing, unknown or wrong.
    """
    if not isinstance(content, dict):
        raise RefusedRequestError(BAD_JSON, f"the body must be a JSON object, got {shortened(content)}")
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        path = error.errors()[0]["loc"]
        raise invalid(first_mistake(error, kind.model_fields), str(path[0]) if path else "body") from None


def check_texts(texts: Sequence[object], field: str, limits: ServiceLimits) -> None:
    """Refuse more texts than a request may have, or a text that is too long.

    Raises:
        RefusedRequestError: there are.
    """
    if len(texts) > limits.texts:
        raise invalid(
            f"{field} must have at most {limits.texts:,} texts, got {len(texts):,}: send several requests, "
            "a stream of lines, or a job",
            field,
        )
    for index, text in enumerate(texts):
        if isinstance(text, str) and len(text) > limits.characters:
            raise invalid(
                f"{field}[{index}] must have at most {limits.characters:,} characters, got {len(text):,}",
                field,
            )


def check_settings(settings: RequestFields, limits: ServiceLimits, columns: Collection[str] = ()) -> None:
    """Refuse settings with more texts than a request may have, or with a text that is too long.

    A corpus, codes for missing answers and a scale of the request have texts.

    Args:
        settings: of a request, with or without its columns.
        limits: of the service.
        columns: fields that are checked elsewhere.

    Raises:
        RefusedRequestError: there are.
    """
    for field in type(settings).model_fields:
        if field in columns:
            continue
        texts = _texts_in(getattr(settings, field))
        if len(texts) > limits.texts:
            raise invalid(
                f"{field} must have at most {limits.texts:,} texts, got {len(texts):,}: leave some out", field
            )
        longest = max(map(len, texts), default=0)
        if longest > limits.characters:
            raise invalid(
                f"each text of {field} must have at most {limits.characters:,} characters, got {longest:,}: "
                "shorten it",
                field,
            )


def _texts_in(value: object) -> list[str]:
    """List the texts of a field, its keys included, at any depth."""
    texts: list[str] = []
    rest = [value]
    while rest:
        match rest.pop():
            case str(text):
                texts.append(text)
            case list(items) | tuple(items):
                rest.extend(items)
            case dict(items):
                rest.extend([*items.keys(), *items.values()])
    return texts


def check_filled(texts: Sequence[str], field: str) -> None:
    """Refuse texts without anything to read.

    Raises:
        RefusedRequestError: a text is empty.
    """
    for index, text in enumerate(texts):
        if not text.strip():
            raise invalid(f"{field}[{index}] must not be empty: leave it out", field)


def job_parameters() -> list[dict[str, Any]]:
    """Describe the parameters of a job's address as OpenAPI has them, each with the kinds that take it."""
    kinds_of: dict[str, list[str]] = {}
    schemas: dict[str, dict[str, Any]] = {}
    required = []
    for kind, model in JOB_FIELDS.items():
        schema = model.model_json_schema()
        required.append(set(schema.get("required", ())))
        for name, field in schema["properties"].items():
            kinds_of.setdefault(name, []).append(kind)
            schemas.setdefault(name, field)
    always = set.intersection(*required)
    kinds = {"type": "string", "enum": list(JOB_FIELDS), "description": "Kind of the job."}
    described = [{"name": "kind", "in": "query", "required": True, "schema": kinds}]
    for name, field in schemas.items():
        description = field.get("description", "")
        if len(kinds_of[name]) < len(JOB_FIELDS):
            description = f"{description} Of {', '.join(kinds_of[name])}."
        schema = {**field, "description": description}
        described.append({"name": name, "in": "query", "required": name in always, "schema": schema})
    return described
