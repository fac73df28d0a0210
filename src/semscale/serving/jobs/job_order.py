"""What a job is to do, as the address of its request says."""

from typing import Any, Literal

from pydantic import Field

from semscale.errors import InputError
from semscale.matching.settings import MatchColumns
from semscale.serving.requests.fields import (
    ConsistencySettingFields,
    MatchSettingFields,
    RatingSettingFields,
    RequestFields,
)
from semscale.settings import request_model
from semscale.store.readers.survey_header import HeaderKind

Kind = Literal["rate", "match", "consistency", "embed"]


class JobFields(RequestFields):
    """What all jobs have: how the uploaded table is read, and the format of the result."""

    format: Literal["csv", "tsv", "jsonl", "parquet", "xlsx", "sav"] = Field(
        "csv", description="Of the uploaded table."
    )
    encoding: str | None = Field(None, description="Of the uploaded table; UTF-8 unless it is marked.")
    sheet: str | None = Field(None, description="Of an Excel workbook; the first one by default.")
    header: HeaderKind = Field("auto", description="Whose export the table is; its shape says by default.")
    result: Literal["parquet", "csv", "jsonl"] = Field("parquet", description="Format of the result.")


class RatingJobFields(JobFields, RatingSettingFields):
    """A job that rates a column of texts."""

    text: str = Field(description="The column of texts.")
    by: str | None = Field(None, description="The column of groups.")
    weight: str | None = Field(None, description="The column of weights.")
    respondent: str | None = Field(None, description="The column that says whose text it is.")


MatchJobFields = request_model(
    "MatchJobFields",
    JobFields,
    MatchSettingFields,
    MatchColumns,
    description="A job that matches a column of predictions with columns of references.",
)


class ConsistencyJobFields(JobFields, ConsistencySettingFields):
    """A job that measures how far columns of samples agree with a column of answers."""

    answer: str = Field(description="The column of answers.")
    sample: list[str] = Field([], description="Columns of samples.")
    item: str | None = Field(None, description="The column of items whose rows are samples of each other.")
    by: str | None = Field(None, description="The column of groups.")


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


def job_fields(kind: str, content: dict[str, Any]) -> JobFields:
    """Read the fields of a job that was checked before.

    Raises:
        InputError: there is no such kind.
    """
    if kind not in JOB_FIELDS:
        raise InputError(f"kind must be one of {', '.join(JOB_FIELDS)}, got {kind!r:.40}")
    return JOB_FIELDS[kind].model_validate(content)


def job_parameters() -> list[dict[str, Any]]:
    """Describe the parameters of a job's address as OpenAPI has them, each with the kinds that take it."""
    takers: dict[str, list[str]] = {}
    schemas: dict[str, dict[str, Any]] = {}
    always = set.intersection(*(_required(fields) for fields in JOB_FIELDS.values()))
    for kind, fields in JOB_FIELDS.items():
        for name, schema in fields.model_json_schema()["properties"].items():
            takers.setdefault(name, []).append(kind)
            schemas.setdefault(name, schema)
    kinds = {"type": "string", "enum": list(JOB_FIELDS), "description": "What is done."}
    described = [{"name": "kind", "in": "query", "required": True, "schema": kinds}]
    for name, schema in schemas.items():
        about = schema.get("description", "")
        if len(takers[name]) < len(JOB_FIELDS):
            about = f"{about} Of {', '.join(takers[name])}."
        shown = {**schema, "description": about}
        described.append({"name": name, "in": "query", "required": name in always, "schema": shown})
    return described


def _required(fields: type[JobFields]) -> set[str]:
    return {name for name, field in fields.model_fields.items() if field.is_required()}
