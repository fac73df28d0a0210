"""What each instrument takes and does: its fields, its columns of rows, and how these are measured."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import polars as pl

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import DEFAULT_MEASURES, check_measures, needed_parts
from semscale.errors import InputError
from semscale.matching.matcher import Matcher
from semscale.matching.methods import ANY_ENGINE
from semscale.messages import unknown_name
from semscale.rating.rater import Rater
from semscale.rating.settings import RaterSettings
from semscale.results.result import Result
from semscale.scales import Scale, load_scale, scale_names
from semscale.serving.errands import heeding
from semscale.serving.instruments.built_once import BuiltOnce
from semscale.serving.refusals import invalid
from semscale.serving.requests.fields import (
    ConsistencyFields,
    ConsistencySettingFields,
    MatchFields,
    MatchSettingFields,
    RatingFields,
    RatingSettingFields,
    RequestFields,
)
from semscale.serving.served_models import ServedModels

_ROW = ["The staff was kind, and the room was clean and quiet."]
_NOT_SERVED = {
    "entailment": "a model of entailment",
    "f1": "BERTScore's model",
    "logprobs": "log probabilities of tokens",
    "sample_logprobs": "log probabilities of tokens",
    "p_true": "a language model's replies",
}
_MATCHERS = 4  # each keeps the vectors of up to 50,000 word pieces


class Measured(NamedTuple):
    """Rows that were measured.

    Attributes:
        frame: a row for each item.
        counts: items by status.
        signature: of the settings that were applied.
    """

    frame: pl.DataFrame
    counts: Mapping[str, int]
    signature: str


class Instrument(Protocol):
    """An instrument of the service."""

    @property
    def fields(self) -> type[RequestFields]:
        """What a request has: settings and columns."""
        ...

    @property
    def settings(self) -> type[RequestFields]:
        """What the address of a stream has."""
        ...

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns of a request, each with the key that a line of a stream has for it."""
        ...

    @property
    def depends_on_all(self) -> bool:
        """Whether a row's result depends on the other rows of its request, by estimates from all of them."""
        ...

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Measure rows.

        Raises:
            SemscaleError: a setting or a cell is wrong, or the model cannot be run.
        """
        ...


class RatingInstrument:
    """Rates texts.

    Args:
        models: of the service.
    """

    fields, settings = RatingFields, RatingSettingFields
    columns: Mapping[str, str] = {"texts": "text"}
    depends_on_all = False

    def __init__(self, models: ServedModels) -> None:
        self._models = models
        self._raters: BuiltOnce[Rater] = BuiltOnce()

    def rater(self, settings: RatingSettingFields) -> Rater:
        """Give the rater of some settings."""
        key = _key(_settings(settings, RatingSettingFields))
        return self._raters.of(key, lambda: self._built(settings))

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Rate texts, as ``semscale.rate`` does."""
        chosen = RatingSettingFields.model_validate(_settings(settings, RatingSettingFields))
        return _measured(self.rater(chosen).rate(list(columns["texts"]), progress=heeding))

    def _built(self, settings: RatingSettingFields) -> Rater:
        rating: RaterSettings = {
            "embedder": self._models.rating.embedder,
            "anchor_sets": settings.anchor_sets,
            "readout": settings.readout,
            "temperature": settings.temperature,
            "epsilon": settings.epsilon,
            "semantics": settings.semantics,
            "floor": settings.floor,
            "missing": settings.missing,
            "language": settings.language,
        }
        return Rater(_scale(settings.scale), **rating)


class MatchInstrument:
    """Matches predictions with references.

    Args:
        models: of the service.
    """

    fields, settings = MatchFields, MatchSettingFields
    columns: Mapping[str, str] = {"predictions": "prediction", "references": "reference"}
    depends_on_all = True

    def __init__(self, models: ServedModels) -> None:
        self._models = models
        self._matchers: BuiltOnce[Matcher] = BuiltOnce(_MATCHERS)

    def matcher(self, settings: RequestFields) -> Matcher:
        """Give the matcher of some settings."""
        key = _key(_settings(settings, MatchSettingFields))
        return self._matchers.of(key, lambda: self._built(settings))

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Match predictions, as ``semscale.match`` does."""
        chosen = MatchSettingFields.model_validate(_settings(settings, MatchSettingFields))
        matcher = self.matcher(chosen)
        return _measured(
            matcher.match(list(columns["predictions"]), list(columns["references"]), progress=heeding)
        )

    def _built(self, settings: RequestFields) -> Matcher:
        model, chosen = self._models.embedding, _settings(settings, MatchSettingFields)
        compares_tokens = chosen["method"] not in ANY_ENGINE
        embedder = (model.encoder if compares_tokens else None) or model.embedder
        return Matcher(**chosen, embedder=embedder)


class ConsistencyInstrument:
    """Measures how far samples agree with their answer.

    Args:
        models: of the service.
    """

    fields, settings = ConsistencyFields, ConsistencySettingFields
    columns: Mapping[str, str] = {"answers": "answer", "samples": "samples"}
    depends_on_all = True

    def __init__(self, models: ServedModels) -> None:
        self._models = models

    def consistency(self, settings: ConsistencySettingFields) -> Consistency:
        """Make the instrument of some settings.

        Raises:
            InputError: a measure that needs another model than the service has.
        """
        measures = check_measures(DEFAULT_MEASURES if settings.measures is None else settings.measures)
        for name in measures:
            missing = _missing_for(name, settings.same_by)
            if missing is not None:
                said = f"{name} needs {missing}, which this service does not have: leave it out"
                raise InputError(f"measures: {said}, or use the command")
        guards = {} if settings.guards is None else {"guards": settings.guards}
        return Consistency(
            measures=measures,
            embedder=self._models.embedding.embedder,
            floor=settings.floor,
            fewest_samples=settings.fewest_samples,
            seed=settings.seed,
            same_by=settings.same_by,
            **guards,  # type: ignore[arg-type]
        )

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Measure answers, as ``semscale.consistency`` does."""
        chosen = ConsistencySettingFields.model_validate(_settings(settings, ConsistencySettingFields))
        instrument = self.consistency(chosen)
        return _measured(
            instrument.measure(list(columns["answers"]), list(columns["samples"]), progress=heeding)
        )


def warm_up(instrument: Instrument) -> None:
    """Measure a row with the usual settings, so that nothing is loaded or compiled for the first request.

    Raises:
        SemscaleError: the model cannot be run.
    """
    rows = {"samples": [_ROW]}
    settings = instrument.settings.model_validate({})
    instrument.measure(settings, {name: rows.get(name, [_ROW[0]]) for name in instrument.columns})


def _missing_for(measure: str, same_by: str) -> str | None:
    """Say what a measure is made from that the service does not have; ``None`` if it has all."""
    needed = needed_parts([measure], same_by, has_entailment=False)
    return next((about for part, about in _NOT_SERVED.items() if part in needed), None)


def _settings(given: RequestFields, kind: type[RequestFields]) -> dict[str, Any]:
    """Give the settings alone, without the columns of a request."""
    return {name: getattr(given, name) for name in kind.model_fields}


def _key(settings: Mapping[str, Any]) -> str:
    """Give different settings different keys; JSON has neither NaN nor half of a surrogate pair."""
    return sha256(repr(settings).encode("utf-8", "backslashreplace")).hexdigest()


def _scale(named: str | dict[str, Any]) -> Scale:
    """Find a scale of the library, or read one that the request has; files of the server are not read.

    Raises:
        InputError: no scale of this name ships, or the fields are wrong.
    """
    if isinstance(named, dict):
        return Scale(**{"name": "of-the-request", "provenance": "a request", **named})
    if named not in scale_names():
        raise invalid(str(unknown_name("scale", named, scale_names())), "scale")
    return load_scale(named)


def _measured(found: Result) -> Measured:
    counts = {str(status): n for status, n in found.counts.items()}
    frame: pl.DataFrame = found.to_frame()
    return Measured(frame, counts, str(found.signature))
