"""Instruments of the service: the rows of requests, and the tables of jobs."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import polars as pl

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import check_measures, needed_parts
from semscale.answer_consistency.settings import AnswerColumns
from semscale.answer_consistency.tables import consistency_file
from semscale.embedding.file_embedding import embed_file
from semscale.errors import InputError
from semscale.matching.matcher import ANY_ENGINE, Matcher, match_file
from semscale.matching.settings import MatchColumns
from semscale.messages import unknown_name
from semscale.presentable import Presentable
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_file
from semscale.results.result import Result
from semscale.results.table_columns import Columns
from semscale.scales import Scale, load_scale, scale_names
from semscale.serving.batching import stop_if_abandoned
from semscale.serving.jobs import Job
from semscale.serving.models import ServedModels
from semscale.serving.requests import (
    JOB_FIELDS,
    ConsistencyFields,
    ConsistencySettingFields,
    JobFields,
    MatchFields,
    MatchSettingFields,
    RatingFields,
    RatingSettingFields,
    RequestFields,
    invalid,
)
from semscale.store.reading import check_choices, open_table
from semscale.store.runs import PartSettings
from semscale.store.table import Table
from semscale.types import Progress

PART_ROWS = 5_000
"""Rows of a job that are finished and stored at once."""

_ROW = ["The staff was kind, and the room was clean and quiet."]
_NOT_SERVED = {
    "entailment": "a model of entailment",
    "f1": "BERTScore's model",
    "logprobs": "log probabilities of tokens",
    "sample_logprobs": "log probabilities of tokens",
    "p_true": "a language model's replies",
}
_MOST_CACHED = 16
_MATCHERS = 4  # each holds the vectors of up to 50,000 word pieces

C = TypeVar("C", bound=Columns)
Built = TypeVar("Built")


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
        """Fields of a request: settings and columns."""
        ...

    @property
    def settings(self) -> type[RequestFields]:
        """Fields of the address of a stream."""
        ...

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns of a request, each with the key that a line of a stream has for it."""
        ...

    @property
    def depends_on_all(self) -> bool:
        """True if a row's result depends on the other rows of its request, by estimates from all of them."""
        ...

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Measure rows.

        Raises:
            SemscaleError: a setting or a cell is wrong, or the model cannot be run.
        """
        ...


class TableMeasurer(Protocol):
    """An instrument that measures the tables of jobs."""

    def prepare(self, fields: Any, /) -> object:  # noqa: ANN401 - the fields of its kind of job
        """Check the settings and columns of a job.

        Raises:
            InputError: a setting is out of range, or columns that do not go together.
        """
        ...

    def measure_table(self, table: Table, fields: Any, /, **run: Any) -> Presentable:  # noqa: ANN401
        """Measure a table.

        Args:
            table: the table.
            fields: of the job.
            run: output, parts and progress.
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

    def rater(self, fields: RequestFields) -> Rater:
        """Return the rater of some settings."""
        settings = {name: getattr(fields, name) for name in RatingSettingFields.model_fields}

        def build() -> Rater:
            scale = _scale(settings.pop("scale"))
            return Rater(scale, embedder=self._models.rating.embedder, **settings)

        return self._raters.get(settings, build)

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Rate texts, as ``semscale.rate`` does."""
        return _measured(self.rater(settings).rate(list(columns["texts"]), progress=stop_if_abandoned))

    def prepare(self, fields: RequestFields) -> tuple[RatingColumns, Rater]:
        """Return columns and rater of a job."""
        return _columns(RatingColumns, fields), self.rater(fields)

    def measure_table(self, table: Table, fields: RequestFields, /, **run: Any) -> Presentable:
        """Rate a table, as ``semscale rate`` does."""
        columns, rater = self.prepare(fields)
        return rate_file(table, columns, rater=rater, **run)


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

    def matcher(self, fields: RequestFields) -> Matcher:
        """Return the matcher of some settings."""
        settings = {name: getattr(fields, name) for name in MatchSettingFields.model_fields}

        def build() -> Matcher:
            model = self._models.embedding
            compares_tokens = settings["method"] not in ANY_ENGINE
            embedder = (model.encoder if compares_tokens else None) or model.embedder
            return Matcher(**settings, embedder=embedder)

        return self._matchers.get(settings, build)

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Match predictions, as ``semscale.match`` does."""
        predictions, references = list(columns["predictions"]), list(columns["references"])
        return _measured(self.matcher(settings).match(predictions, references, progress=stop_if_abandoned))

    def prepare(self, fields: RequestFields) -> tuple[MatchColumns, Matcher]:
        """Return columns and matcher of a job."""
        return _columns(MatchColumns, fields), self.matcher(fields)

    def measure_table(self, table: Table, fields: RequestFields, /, **run: Any) -> Presentable:
        """Match a table, as ``semscale match`` does."""
        return match_file(table, *self.prepare(fields), **run)


class ConsistencyInstrument:
    """Measures the agreement of samples with their answer.

    Args:
        models: of the service.
    """

    fields, settings = ConsistencyFields, ConsistencySettingFields
    columns: Mapping[str, str] = {"answers": "answer", "samples": "samples"}
    depends_on_all = True

    def __init__(self, models: ServedModels) -> None:
        self._models = models

    def consistency(self, fields: RequestFields) -> Consistency:
        """Make the instrument of some settings.

        Raises:
            InputError: a measure that needs another model than the service has.
        """
        settings = {name: getattr(fields, name) for name in ConsistencySettingFields.model_fields}
        for name in check_measures(settings["measures"]):
            missing = _missing_for(name, settings["same_by"])
            if missing is not None:
                raise InputError(
                    f"measures: {name} needs {missing}, which this service does not have: leave it out, or "
                    "use the command"
                )
        return Consistency(**settings, embedder=self._models.embedding.embedder)

    def measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        """Measure answers, as ``semscale.consistency`` does."""
        answers, samples = list(columns["answers"]), list(columns["samples"])
        return _measured(self.consistency(settings).measure(answers, samples, progress=stop_if_abandoned))

    def prepare(self, fields: RequestFields) -> tuple[AnswerColumns, Consistency]:
        """Return columns and instrument of a job."""
        return _columns(AnswerColumns, fields), self.consistency(fields)

    def measure_table(self, table: Table, fields: RequestFields, /, **run: Any) -> Presentable:
        """Measure a table, as ``semscale consistency`` does."""
        columns, instrument = self.prepare(fields)
        return consistency_file(table, columns, instrument=instrument, **run)


def _missing_for(measure: str, same_by: str) -> str | None:
    """Name the input of a measure that the service does not have; ``None`` if it has all."""
    needed = needed_parts([measure], same_by, has_entailment=False)
    return next((name for part, name in _NOT_SERVED.items() if part in needed), None)


def warm_up(instrument: Instrument) -> None:
    """Measure a row with the usual settings, so that nothing is loaded or compiled for the first request.

    Raises:
        SemscaleError: the model cannot be run.
    """
    rows = {"samples": [_ROW]}
    settings = instrument.settings.model_validate({})
    instrument.measure(settings, {name: rows.get(name, [_ROW[0]]) for name in instrument.columns})


def _scale(scale: str | dict[str, Any]) -> Scale:
    """Find a scale of the library, or read one that the request has; files of the server are not read.

    Raises:
        InputError: no scale of this name ships, or the fields are wrong.
    """
    if isinstance(scale, dict):
        return Scale(**{"name": "of-the-request", "provenance": "a request", **scale})
    if scale not in scale_names():
        raise invalid(str(unknown_name("scale", scale, scale_names())), "scale")
    return load_scale(scale)


def _measured(result: Result) -> Measured:
    counts = {str(status): n for status, n in result.counts.items()}
    frame: pl.DataFrame = result.to_frame()
    return Measured(frame, counts, str(result.signature))


class BuiltOnce(Generic[Built]):
    """A cache of objects that were built for the settings of the latest requests.

    Args:
        most: number of objects.

    Example:
        >>> cache = BuiltOnce[list[int]]()
        >>> cache.get("a", lambda: [1]) is cache.get("a", lambda: [2])
        True
    """

    def __init__(self, most: int = _MOST_CACHED) -> None:
        self._most = most
        self._built: OrderedDict[str, Built] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, settings: object, build: Callable[[], Built]) -> Built:
        """Return the object of some settings, or build it; of two built at once one is stored."""
        # Not JSON, which has neither NaN nor half of a surrogate pair.
        key = sha256(repr(settings).encode("utf-8", "backslashreplace")).hexdigest()
        with self._lock:
            if key in self._built:
                self._built.move_to_end(key)
                return self._built[key]
        new = build()
        with self._lock:
            stored = self._built.setdefault(key, new)
            while len(self._built) > self._most:
                self._built.popitem(last=False)
            return stored


class EmbeddingInstrument:
    """Turns the texts of a job's table into vectors.

    Args:
        models: of the service.
    """

    def __init__(self, models: ServedModels) -> None:
        self._models = models

    def prepare(self, fields: JobFields) -> None:
        """Refuse a format without lists of numbers."""
        if fields.result == "csv":
            raise InputError("result must be parquet or jsonl to hold vectors, got 'csv'")

    def measure_table(self, table: Table, fields: Any, /, **run: Any) -> Presentable:  # noqa: ANN401 - as the others
        """Embed the texts of a column."""
        embedder = self._models.embedding.embedder
        return embed_file(table, fields.text, embedder=embedder, dtype=fields.dtype, **run)


class JobWork:
    """Measures the tables of jobs.

    Args:
        instruments: of the service, by the kinds of jobs.
        part_rows: rows that are finished and stored at once.
    """

    def __init__(self, instruments: Mapping[str, TableMeasurer], part_rows: int = PART_ROWS) -> None:
        self._instruments = instruments
        self._parts = PartSettings(part_rows)

    def check(self, kind: str, fields: JobFields) -> None:
        """Refuse invalid settings, before a table is uploaded.

        Raises:
            InputError: a setting is out of range or does not go with the format, or columns that do not go
                together.
        """
        check_choices(fields.format, encoding=fields.encoding, sheet=fields.sheet, header=fields.header)
        self._instruments[kind].prepare(fields)

    def do(self, job: Job, progress: Progress) -> Presentable:
        """Measure the table of a job; parts that an earlier run has finished are not repeated.

        Raises:
            SemscaleError: the table or a setting is invalid, or the model cannot be run.
        """
        fields = JOB_FIELDS[job.kind].model_validate(job.fields)
        table = open_table(
            job.table,
            format=fields.format,
            encoding=fields.encoding,
            sheet=fields.sheet,
            header=fields.header,
        )
        return self._instruments[job.kind].measure_table(
            table, fields, out=job.result, settings=self._parts, progress=progress
        )


def _columns(kind: type[C], fields: RequestFields) -> C:
    """Return the columns that the fields of a job name."""
    titles = {name: getattr(fields, name, None) for name in kind.model_fields}
    return kind(**{name: title for name, title in titles.items() if title})
