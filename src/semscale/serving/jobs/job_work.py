"""The work of a job: the same functions that the commands run, on the models of the service."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semscale.answer_consistency.columns import AnswerColumns
from semscale.answer_consistency.file_consistency import consistency_file
from semscale.embedding.file_embedding import embed_file
from semscale.errors import InputError
from semscale.matching.matcher import match_file
from semscale.matching.settings import MatchColumns
from semscale.presentable import Presentable
from semscale.rating.files.file_rating import FileColumns, FileSettings, rate_file
from semscale.serving.instruments.measuring import ConsistencyInstrument, MatchInstrument, RatingInstrument
from semscale.serving.jobs.job_folder import JobFolder
from semscale.serving.jobs.job_order import (
    ConsistencyJobFields,
    EmbeddingJobFields,
    JobFields,
    MatchJobFields,
    RatingJobFields,
    job_fields,
)
from semscale.serving.served_models import ServedModels
from semscale.store.reading import check_choices, open_table
from semscale.store.runs.table_run import PartSettings
from semscale.store.table import Table
from semscale.types import Progress

PART_ROWS = 5_000
"""Rows that are finished and kept at once."""


class JobWork:
    """Measures the tables of jobs.

    Args:
        models: of the service.
        part_rows: rows that are finished and kept at once.
    """

    def __init__(self, models: ServedModels, part_rows: int = PART_ROWS) -> None:
        self._models = models
        self._rating = RatingInstrument(models)
        self._matching = MatchInstrument(models)
        self._consistency = ConsistencyInstrument(models)
        self._part_rows = PartSettings(part_rows).part_rows

    def check(self, fields: JobFields) -> None:
        """Refuse settings that do not serve, before a table is uploaded.

        Raises:
            InputError: a setting is out of range or does not go with the format, or columns that do not go
                together.
        """
        check_choices(fields.format, encoding=fields.encoding, sheet=fields.sheet, header=fields.header)
        match fields:
            case RatingJobFields():
                self._rating.rater(fields)
                FileColumns(fields.text, fields.by, fields.weight, fields.respondent)
            case _ if isinstance(fields, MatchJobFields):
                self._matching.matcher(fields)
                _match_columns(fields)
            case ConsistencyJobFields():
                self._consistency.consistency(fields)
                _answer_columns(fields)
            case EmbeddingJobFields(result="csv"):
                raise InputError("result must be parquet or jsonl to hold vectors, got 'csv'")

    def do(self, folder: JobFolder, progress: Progress) -> Presentable:
        """Measure the table of a job; what an earlier try has finished is not done again.

        Raises:
            SemscaleError: the table, a setting or the model does not serve.
        """
        order: Mapping[str, Any] = folder.order
        fields = job_fields(order["kind"], order["fields"])
        table = open_table(
            folder.table,
            format=fields.format,
            encoding=fields.encoding,
            sheet=fields.sheet,
            header=fields.header,
        )
        return self._done(table, fields, folder.result, progress)

    def _done(self, table: Table, fields: JobFields, out: Path, progress: Progress) -> Presentable:
        parts = PartSettings(self._part_rows)
        match fields:
            case RatingJobFields():
                return rate_file(
                    table,
                    FileColumns(fields.text, fields.by, fields.weight, fields.respondent),
                    rater=self._rating.rater(fields),
                    out=out,
                    settings=FileSettings(self._part_rows),
                    progress=progress,
                )
            case _ if isinstance(fields, MatchJobFields):
                matcher = self._matching.matcher(fields)
                return match_file(
                    table,
                    _match_columns(fields),
                    matcher,
                    out=out,
                    settings=parts,
                    progress=progress,
                )
            case ConsistencyJobFields():
                return consistency_file(
                    table,
                    _answer_columns(fields),
                    instrument=self._consistency.consistency(fields),
                    out=out,
                    settings=parts,
                    progress=progress,
                )
            case EmbeddingJobFields():
                return embed_file(
                    table,
                    fields.text,
                    embedder=self._models.embedding.embedder,
                    out=out,
                    dtype=fields.dtype,
                    settings=parts,
                    progress=progress,
                )
        raise TypeError(f"no work for {type(fields).__name__}")


def _match_columns(fields: JobFields) -> MatchColumns:
    return MatchColumns(**{name: getattr(fields, name) for name in MatchColumns.model_fields})


def _answer_columns(fields: ConsistencyJobFields) -> AnswerColumns:
    return AnswerColumns(answer=fields.answer, samples=tuple(fields.sample), item=fields.item, by=fields.by)
