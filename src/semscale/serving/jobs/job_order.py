"""What a job is to do, as the address of its request says."""

from typing import Any, Literal

from pydantic import Field

from semscale.errors import InputError
from semscale.serving.requests.fields import (
    ConsistencySettingFields,
    MatchSettingFields,
    RatingSettingFields,
    RequestFields,
)

Kind = Literal["rate", "match", "consistency", "embed"]


class JobFields(RequestFields):
    """What all jobs have: the format of the uploaded table, and that of the result."""

    format: Literal["csv", "tsv", "jsonl", "parquet", "xlsx", "sav"] = "csv"
    result: Literal["parquet", "csv", "jsonl"] = "parquet"


class RatingJobFields(JobFields, RatingSettingFields):
    """A job that rates a column of texts."""

    text: str
    by: str | None = None
    weight: str | None = None
    respondent: str | None = None


class MatchJobFields(JobFields, MatchSettingFields):
    """A job that matches a column of predictions with columns of references."""

    prediction: str
    reference: list[str]
    by: str | None = None


class ConsistencyJobFields(JobFields, ConsistencySettingFields):
    """A job that measures how far columns of samples agree with a column of answers."""

    answer: str
    sample: list[str] = Field(default_factory=list)
    item: str | None = None
    by: str | None = None


class EmbeddingJobFields(JobFields):
    """A job that turns a column of texts into vectors."""

    text: str
    dtype: Literal["float32", "float16"] = "float32"


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
