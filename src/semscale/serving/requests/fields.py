"""Fields of requests, checked by their types; messages name the field."""

import json
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from semscale.matching.settings import MatchSettings
from semscale.messages import first_mistake, shortened
from semscale.serving.limits import ServiceLimits
from semscale.serving.refusals import BAD_JSON, RefusedRequestError, invalid
from semscale.settings import request_model

TOO_DEEP = "has too many lists or objects in each other: send fewer levels"

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

    input: Annotated[
        list[str],
        BeforeValidator(_as_texts),
        WithJsonSchema({**_TEXTS_SCHEMA, "description": "A text or a list of texts; token ids are refused."}),
    ]
    model: str = Field(description="One of the names at /v1/models.")
    encoding_format: Literal["float", "base64"] = Field("float", description="How vectors are written.")
    dimensions: int | None = Field(None, description="The model's own width; no other is offered.")
    user: str | None = Field(None, description="Ignored.")


class RatingSettingFields(RequestFields):
    """How texts are rated, as ``semscale.rate`` takes it."""

    scale: Annotated[
        str | dict[str, Any],
        Field(description="Name of a scale that ships with Semscale, or the fields of a scale of your own."),
    ] = "purchase-intent"
    anchor_sets: list[str] | None = Field(
        None, description="Names of anchor sets; those that serve the model by default."
    )
    readout: Literal["ssr", "ordinal"] | None = Field(
        None, description="How similarities become a rating; the scale's own by default."
    )
    temperature: float = Field(1.0, description="Below 1 a rating is sharper, above 1 flatter.")
    epsilon: float = Field(0.0, description="Mass that is added to each rating; at least 0.")
    semantics: Literal["safe", "paper", "guide"] = Field(
        "safe", description="Whose edge cases of the formula."
    )
    floor: Literal["auto"] | float | None = Field(
        "auto", description="Similarity below which a text is off topic; null for none."
    )
    missing: list[str] = Field([], description="Texts that say that there is no answer.")
    language: str | None = Field(
        None,
        description="An ISO 639-1 code, or auto for that of each text; the scale's own anchors by default.",
    )


class RatingFields(RatingSettingFields):
    """What ``/rate`` takes."""

    texts: Annotated[list[Any], WithJsonSchema({**_CELLS_SCHEMA, "description": "What is rated."})]


MatchSettingFields = request_model(
    "MatchSettingFields",
    RequestFields,
    MatchSettings,
    without=("embedder", "precision", "loading", "explain", "layer", "nli", "nli_labels"),
    description="How predictions are matched, as ``semscale.match`` takes it.",
    method=Annotated[Literal["calibrated", "cosine"], Field(description="Method that compares the texts.")],
)

MatchFields = request_model(
    "MatchFields",
    RequestFields,
    MatchSettingFields,
    description="What ``/match`` takes.",
    predictions=Annotated[
        list[Any], WithJsonSchema({**_CELLS_SCHEMA, "description": "What is compared with the references."})
    ],
    references=Annotated[
        list[Any],
        WithJsonSchema(
            {"type": "array", "items": _TEXTS_SCHEMA, "description": "For each prediction a text or a list."}
        ),
    ],
)


class ConsistencySettingFields(RequestFields):
    """How agreement is measured, as ``semscale.consistency`` takes it."""

    measures: list[str] | None = Field(None, description="Names of measures; the default ones unless given.")
    floor: Literal["auto"] | float = Field("auto", description="Level of unrelated texts.")
    guards: list[str] | None = Field(
        None, description="Which guards look for contradictions; all by default."
    )
    fewest_samples: int = Field(1, description="Samples below which an answer has no values.")
    seed: int = Field(0, description="Of the draw of unrelated pairs.")
    same_by: Literal["auto", "cosine", "exact"] = Field("auto", description="When two samples mean the same.")


class ConsistencyFields(ConsistencySettingFields):
    """What ``/consistency`` takes."""

    answers: Annotated[list[Any], WithJsonSchema({**_CELLS_SCHEMA, "description": "One for each prompt."})]
    samples: Annotated[
        list[Any],
        WithJsonSchema(
            {
                "type": "array",
                "items": _CELLS_SCHEMA,
                "description": "For each answer a list of further answers.",
            }
        ),
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
        RefusedRequestError: it is no JSON, an object has a key twice, or lists and objects stand too deep in
            each other.
    """
    try:
        return json.loads(written, object_pairs_hook=_without_repeats)
    except ValueError as error:
        raise RefusedRequestError(BAD_JSON, f"{place} must be JSON: {error}") from None
    except RecursionError:
        raise RefusedRequestError(BAD_JSON, f"{place} {TOO_DEEP}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its keys; of a key that comes twice nobody can say which value was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise ValueError(f"{shortened(twice)} stands in an object twice")
    return found


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


def check_settings(settings: RequestFields, limits: ServiceLimits, columns: Collection[str] = ()) -> None:
    """Refuse settings with more texts than a request may have, or with a text that is too long.

    A corpus, words for missing answers and a scale of the request have texts.

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
            said = f"{field} must have at most {limits.texts:,} texts, got {len(texts):,}"
            raise invalid(f"{said}: leave some out", field)
        longest = max(map(len, texts), default=0)
        if longest > limits.characters:
            said = f"each text of {field} must have at most {limits.characters:,} characters, got {longest:,}"
            raise invalid(f"{said}: shorten it", field)


def _texts_in(value: object) -> list[str]:
    """List the texts of a field, its keys included, however deep they stand."""
    found: list[str] = []
    left = [value]
    while left:
        match left.pop():
            case str(text):
                found.append(text)
            case list(items) | tuple(items):
                left.extend(items)
            case dict(items):
                left.extend([*items.keys(), *items.values()])
    return found


def check_filled(texts: Sequence[str], field: str) -> None:
    """Refuse texts without anything to read.

    Raises:
        RefusedRequestError: a text is empty.
    """
    for place, text in enumerate(texts):
        if not text.strip():
            raise invalid(f"{field}[{place}] must not be empty: leave it out", field)
