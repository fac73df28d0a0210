"""Instruments of the service: the rows of requests, and the tables of jobs."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import check_measures, list_needed_parts
from semscale.answer_consistency.samples import read_texts
from semscale.answer_consistency.settings import AnswerColumns
from semscale.answer_consistency.table import measure_consistency
from semscale.embedding.embedder import Embedder
from semscale.embedding.table import EmbeddingColumns, embed_table
from semscale.embedding.token_states import TokenEncoder
from semscale.errors import InputError
from semscale.matching.matcher import ANY_ENGINE, Matcher
from semscale.matching.matches import Matches
from semscale.matching.pairs import pair_up
from semscale.matching.settings import MatchColumns
from semscale.matching.table import match_table
from semscale.messages import unknown_name
from semscale.presentable import Presentable
from semscale.rating.rater import Rater
from semscale.rating.ratings import Ratings
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.results.result import COUNTS, FLAGS, FLOATS, POSITIONS, STATUSES, TEXTS, Result, result_columns
from semscale.results.table_columns import Columns
from semscale.results.table_runs import PartSettings
from semscale.scales import Scale, load_scale, scale_names
from semscale.serving.background import report_progress
from semscale.serving.jobs import Job
from semscale.serving.models import estimate_tokens
from semscale.serving.refusals import invalid
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
    TableFields,
)
from semscale.store.child_process import HeldFiles
from semscale.store.reading import check_choices, open_table
from semscale.store.table import Table
from semscale.types import Progress, Status

PART_ROWS = 5_000
"""Rows of a job that are measured and stored at a time."""

_ROW = "The staff was kind, and the room was clean and quiet."
_NOT_SERVED = {
    "entailment": "an entailment model",
    "f1": "BERTScore's model",
    "logprobs": "log probabilities of tokens",
    "sample_logprobs": "log probabilities of tokens",
    "p_true": "a language model's replies",
}
_CELLS: tuple[tuple[object, dict[str, Any]], ...] = (
    (FLOATS, {"type": ["number", "null"]}),
    (COUNTS, {"type": "integer"}),
    (POSITIONS, {"type": ["integer", "null"]}),
    (FLAGS, {"type": "boolean"}),
    (STATUSES, {"type": "string", "enum": list(Status)}),
    (TEXTS, {"type": ["string", "null"]}),
)
"""JSON schemas of cells, by the kind of column."""


@dataclass(frozen=True)
class Instrument:
    """An instrument of the service; it caches the objects built for the latest settings.

    Attributes:
        description: description of its route.
        fields: fields of a request: settings and columns.
        settings: query parameters of a stream.
        columns: columns of a request, each with its key in a line of a stream.
        depends_on_all: true if a row's result depends on the other rows of its request, through estimates
            from all rows.
        result: class of its results.
        build: builds the object that measures, from its settings by name.
        check_columns: refuses columns that do not belong together.
        measure_columns: measures the columns of a request with that object.
        table_columns: the columns of a job's table.
        measure_table: measures a table with that object.
        most_built: number of objects in the cache.
    """

    description: str
    fields: type[RequestFields]
    settings: type[RequestFields]
    columns: Mapping[str, str]
    depends_on_all: bool
    result: type[Result]
    build: Callable[[dict[str, Any]], Any]
    check_columns: Callable[..., object]
    measure_columns: Callable[..., Result]
    table_columns: type[Columns]
    measure_table: Callable[..., Presentable]
    most_built: int = 16
    _built: OrderedDict[str, Any] = field(default_factory=OrderedDict)
    _lock: Any = field(default_factory=threading.Lock)

    def find_or_build(self, fields: RequestFields) -> Any:
        """Return the cached object for these settings, or build it.

        Raises:
            InputError: a setting is out of range, or needs a model that the service does not have.
        """
        settings = {name: getattr(fields, name) for name in self.settings.model_fields}
        # Not JSON, which has no half of a surrogate pair.
        key = sha256(repr(settings).encode("utf-8", "backslashreplace")).hexdigest()
        with self._lock:
            if key in self._built:
                self._built.move_to_end(key)
                return self._built[key]
        new = self.build(settings)
        with self._lock:
            stored = self._built.setdefault(key, new)
            while len(self._built) > self.most_built:
                self._built.popitem(last=False)
            return stored

    def measure(
        self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]
    ) -> tuple[Result, pl.DataFrame]:
        """Measure rows, like the package's function for this instrument.

        Returns:
            The result, and its table with a row for each item.

        Raises:
            SemscaleError: a setting or a cell is invalid, or the model cannot be run.
        """
        cells = [list(columns[name]) for name in self.columns]
        result = self.measure_columns(self.find_or_build(settings), *cells, progress=report_progress)
        return result, result.to_frame()

    def prepare(self, fields: TableFields) -> tuple[Columns, Any]:
        """Return the columns of a table, and the object that measures it.

        Raises:
            InputError: a setting is out of range, or columns cannot be combined.
        """
        titles = {name: getattr(fields, name, None) for name in self.table_columns.model_fields}
        columns = self.table_columns(**{name: title for name, title in titles.items() if title})
        return columns, self.find_or_build(fields)

    def warm_up(self, n: int = 1) -> int:
        """Measure rows with the default settings, so that the first request needs no loading or compiling.

        Args:
            n: number of rows, which have different texts.

        Returns:
            The estimated tokens of all texts.

        Raises:
            SemscaleError: the model cannot be run.
        """
        columns = {name: [f"{_ROW} ({name} {row})" for row in range(n)] for name in self.columns}
        tokens = sum(estimate_tokens(text) for texts in columns.values() for text in texts)
        cells = {
            name: [[text] for text in texts] if name == "samples" else texts
            for name, texts in columns.items()
        }
        self.measure(self.settings.model_validate({}), cells)
        return tokens

    def row_schema(self) -> dict[str, Any]:
        """Return the JSON schema of a result row, without columns that depend on the settings."""
        columns = result_columns(self.result)
        cells = {name: schema for name, kind in columns.items() for known, schema in _CELLS if kind == known}
        return {"type": "object", "properties": cells, "required": ["status"]}


def instruments(
    rating: Callable[[], Embedder],
    embedding: Callable[[], Embedder],
    encoder: Callable[[], TokenEncoder | None] = lambda: None,
) -> dict[str, Instrument]:
    """Return the instruments by route name.

    Args:
        rating: returns the model for ratings; called when an instrument is built.
        embedding: returns the model for matches and consistency.
        encoder: returns the token encoder, if it is not the embedder itself.
    """

    def rater(settings: dict[str, Any]) -> Rater:
        return Rater(scale_in_request(settings.pop("scale")), embedder=rating(), **settings)

    def matcher(settings: dict[str, Any]) -> Matcher:
        states = None if settings["method"] in ANY_ENGINE else encoder()
        return Matcher(**settings, embedder=states or embedding())

    def consistency(settings: dict[str, Any]) -> Consistency:
        for name in check_measures(settings["measures"]):
            needed = list_needed_parts([name], settings["same_by"], has_entailment=False)
            missing = next((noun for part, noun in _NOT_SERVED.items() if part in needed), None)
            if missing is not None:
                raise InputError(
                    "measures",
                    f": {name} needs {missing}, which this service does not have: leave it out, or "
                    "use the command",
                )
        return Consistency(**settings, embedder=embedding())

    return {
        "rate": Instrument(
            description="Rate texts on an ordinal scale.",
            fields=RatingFields,
            settings=RatingSettingFields,
            columns={"texts": "text"},
            depends_on_all=False,
            result=Ratings,
            build=rater,
            check_columns=lambda texts: None,
            measure_columns=Rater.rate,
            table_columns=RatingColumns,
            measure_table=rate_table,
        ),
        "match": Instrument(
            description="Measure the agreement of each prediction with its reference.",
            fields=MatchFields,
            settings=MatchSettingFields,
            columns={"predictions": "prediction", "references": "reference"},
            depends_on_all=True,
            result=Matches,
            build=matcher,
            check_columns=pair_up,
            measure_columns=Matcher.match,
            table_columns=MatchColumns,
            measure_table=match_table,
            most_built=4,  # a matcher holds the vectors of word pieces
        ),
        "consistency": Instrument(
            description="Measure the agreement of further answers to a prompt with its answer.",
            fields=ConsistencyFields,
            settings=ConsistencySettingFields,
            columns={"answers": "answer", "samples": "samples"},
            depends_on_all=True,
            result=Consistencies,
            build=consistency,
            check_columns=read_texts,
            measure_columns=Consistency.measure,
            table_columns=AnswerColumns,
            measure_table=measure_consistency,
        ),
    }


def scale_in_request(scale: str | dict[str, Any], field: str = "scale") -> Scale:
    """Return a built-in scale, or the scale defined in the request; no file of the server is read.

    Args:
        scale: name of the scale, or its fields.
        field: field of the request with it.

    Raises:
        InputError: no built-in scale has this name, or the fields are invalid.
    """
    if isinstance(scale, dict):
        return Scale(**{"name": "of-the-request", "provenance": "a request", **scale})
    if scale not in scale_names():
        raise invalid(str(unknown_name("scale", scale, scale_names())), field)
    return load_scale(scale)


class JobWork:
    """Measures the tables of jobs.

    Args:
        instruments: instruments of the service.
        embedding: returns the model for vectors.
        part_rows: rows that are measured and stored at a time.
        most_rows: rows that a table may have.
    """

    def __init__(
        self,
        instruments: Mapping[str, Instrument],
        embedding: Callable[[], Embedder],
        *,
        part_rows: int = PART_ROWS,
        most_rows: int,
    ) -> None:
        self._instruments, self._embedding = instruments, embedding
        self._parts, self._most_rows = PartSettings(part_rows), most_rows

    def check(self, kind: str, fields: JobFields) -> None:
        """Check the settings before a table is uploaded.

        Raises:
            InputError: a setting is out of range or does not apply to the format, or columns cannot be
                combined.
        """
        check_choices(fields.format, **_reading(fields))
        if kind in self._instruments:
            self._instruments[kind].prepare(fields)
        elif fields.result == "csv":
            raise InputError("result", "must be parquet or jsonl to hold vectors, got 'csv'")

    def do(self, job: Job, progress: Progress) -> Presentable:
        """Measure the table of a job; parts that an earlier run has finished are not repeated.

        Raises:
            SemscaleError: the table or a setting is invalid, or the model cannot be run.
        """
        fields: Any = JOB_FIELDS[job.kind].model_validate(job.fields)
        table = open_requested(job.table, fields, fields.format)
        table = with_most_rows(table, self._most_rows)
        run: dict[str, Any] = {"out": job.result, "settings": self._parts, "progress": progress}
        if job.kind in self._instruments:
            instrument = self._instruments[job.kind]
            return instrument.measure_table(table, *instrument.prepare(fields), **run)
        columns = EmbeddingColumns(text=fields.text)
        return embed_table(table, columns, embedder=self._embedding(), dtype=fields.dtype, **run)


def open_requested(
    path: Path,
    fields: TableFields,
    format: str | None = None,
    held: HeldFiles | None = None,
) -> Table:
    """Open a table as a request describes it; a child process reads it, as a client sent it or named it.

    Args:
        path: its path.
        fields: the request.
        format: its format; by default the extension decides.
        held: its files, if they are open already.

    Raises:
        InputError: the table cannot be read in this way.
    """
    return open_table(path, untrusted=True, held=held, format=format, **_reading(fields))


def _reading(fields: TableFields) -> dict[str, Any]:
    return {name: getattr(fields, name) for name in TableFields.model_fields}


def with_most_rows(table: Table, most: int) -> Table:
    """Refuse a table with too many rows, at once if their number is known, otherwise when they are read.

    A file of a few kilobytes can have millions of equal rows, which would delay all later jobs.

    Raises:
        InputError: the table has too many rows.
    """

    def check(n: int, stated: str) -> None:
        if n > most:
            raise InputError(f"a job may have {most:,} rows, got {stated}: split the table into several jobs")

    def check_batches(batches: Iterator[pl.DataFrame], n: int) -> Iterator[pl.DataFrame]:
        for batch in batches:
            n += batch.height
            check(n, "more")
            yield batch

    if table.n_rows is not None:
        check(table.n_rows, f"{table.n_rows:,}")
        return table
    read_columns = table.read_columns
    return replace(
        table,
        read=lambda size, skip: check_batches(table.read(size, skip), skip),
        read_columns=read_columns and (lambda size, titles: check_batches(read_columns(size, titles), 0)),
    )
