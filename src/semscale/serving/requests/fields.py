"""Fields of requests, checked by their types; messages name the field."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from semscale.messages import first_mistake, shortened
from semscale.serving.limits import ServiceLimits
from semscale.serving.refusals import BAD_JSON, RefusedRequestError, invalid

_TEXTS_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_CELLS_SCHEMA = {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}


def _as_texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        raise ValueError(f"input must be a text or a list of texts, got {shortened(value)}")
    for place, text in enumerate(value):
        if not isinstance(text, str):
            what = "token ids are not taken: send the texts" if isinstance(text, int | list) else "send texts"
            said = f"input[{place}] must be a text, got {shortened(text)}; {what}"
            raise ValueError(said)  # noqa: TRY004 - pydantic makes a refusal of this type alone
    return value


class RequestFields(BaseModel):
    """Fields of a request; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class EmbeddingFields(RequestFields):
    """What ``/v1/embeddings`` takes, as OpenAI's interface has it."""

    input: Annotated[list[str], BeforeValidator(_as_texts), WithJsonSchema(_TEXTS_SCHEMA)]
    model: str
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None


class RatingSettingFields(RequestFields):
    """How texts are rated, as ``semscale.rate`` takes it."""

    scale: Annotated[
        str | dict[str, Any],
        Field(description="Name of a scale that ships with Semscale, or the fields of a scale of your own."),
    ] = "purchase-intent"
    anchor_sets: list[str] | None = None
    readout: Literal["ssr", "ordinal"] | None = None
    temperature: float = 1.0
    epsilon: float = 0.0
    semantics: Literal["safe", "paper", "guide"] = "safe"
    floor: Literal["auto"] | float | None = "auto"
    missing: list[str] = []
    language: str | None = None


class RatingFields(RatingSettingFields):
    """What ``/rate`` takes."""

    texts: Annotated[list[Any], WithJsonSchema(_CELLS_SCHEMA)]


class MatchSettingFields(RequestFields):
    """How predictions are matched, as ``semscale.match`` takes it."""

    method: Literal["calibrated", "cosine"] = "calibrated"
    corpus: list[str] | None = None
    seed: int = 0
    guards: dict[str, Literal["off", "warn", "weigh"]] | None = None
    recall_share: float | None = None
    empty: Literal["missing", "wrong"] = "missing"


class MatchFields(MatchSettingFields):
    """What ``/match`` takes."""

    predictions: Annotated[list[Any], WithJsonSchema(_CELLS_SCHEMA)]
    references: Annotated[
        list[Any],
        Field(description="For each prediction a text or a list of texts."),
        WithJsonSchema({"type": "array", "items": _TEXTS_SCHEMA}),
    ]


class ConsistencySettingFields(RequestFields):
    """How agreement is measured, as ``semscale.consistency`` takes it."""

    measures: list[str] | None = None
    floor: Literal["auto"] | float = "auto"
    guards: list[str] | None = None
    fewest_samples: int = 1
    seed: int = 0
    same_by: Literal["auto", "cosine", "exact"] = "auto"


class ConsistencyFields(ConsistencySettingFields):
    """What ``/consistency`` takes."""

    answers: Annotated[list[Any], WithJsonSchema(_CELLS_SCHEMA)]
    samples: Annotated[
        list[Any],
        Field(description="For each answer a list of texts."),
        WithJsonSchema({"type": "array", "items": _CELLS_SCHEMA}),
    ]


Kind = TypeVar("Kind", bound=RequestFields)


def parsed(kind: type[Kind], body: bytes) -> Kind:
    """Read the fields of a request.

    Raises:
        RefusedRequestError: the body is not JSON, or a field is missing, unknown or wrong.
    """
    return checked(kind, json_in(body, "the body"))


def json_in(written: bytes | str, place: str) -> Any:  # noqa: ANN401 - as JSON has it
    """Read JSON.

    Args:
        written: the JSON.
        place: where it stands, for messages.

    Raises:
        RefusedRequestError: it is no JSON, or lists and objects stand too deep in each other.
    """
    try:
        return json.loads(written)
    except ValueError as error:
        raise RefusedRequestError(BAD_JSON, f"{place} must be JSON: {error}") from None
    except RecursionError:
        raise RefusedRequestError(
            BAD_JSON, f"{place} has too many lists or objects in each other: send fewer levels"
        ) from None


def checked(kind: type[Kind], content: object) -> Kind:
    """Check the fields of a request.

    Raises:
        RefusedRequestError: it is no object, or a field is missing, unknown or wrong.
    """
    if not isinstance(content, dict):
        raise RefusedRequestError(BAD_JSON, f"the body must be a JSON object, got {shortened(content)}")
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        place = error.errors()[0]["loc"]
        raise invalid(first_mistake(error, kind.model_fields), str(place[0]) if place else "body") from None


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
    for place, text in enumerate(texts):
        if isinstance(text, str) and len(text) > limits.characters:
            raise invalid(
                f"{field}[{place}] must have at most {limits.characters:,} characters, got {len(text):,}",
                field,
            )


def check_filled(texts: Sequence[str], field: str) -> None:
    """Refuse texts without anything to read.

    Raises:
        RefusedRequestError: a text is empty.
    """
    for place, text in enumerate(texts):
        if not text.strip():
            raise invalid(f"{field}[{place}] must not be empty: leave it out", field)
