"""Answers of a study: one row for each persona, sample, concept, question and method."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from semscale.types import Status

SCHEMA: dict[str, Any] = {
    "persona": pl.String,
    "concept": pl.String,
    "question": pl.String,
    "method": pl.String,
    "sample": pl.Int64,
    "asked_model": pl.String,
    "concept_place": pl.Int64,
    "question_place": pl.Int64,
    "status": pl.String,
    "reason": pl.String,
    "value": pl.Float64,
    "pmf": pl.List(pl.Float64),
    "set_values": pl.List(pl.Float64),
    "reply": pl.String,
    "rating_reply": pl.String,
    "prompt": pl.String,
    "rating_prompt": pl.String,
    "model": pl.String,
    "tokens": pl.Int64,
    "cost": pl.Float64,
    "seconds": pl.Float64,
}
"""Columns of the table of answers."""


@dataclass
class StudyAnswer:
    """One answer by one method.

    Attributes:
        persona: who answered.
        concept: what was shown.
        question: what was asked.
        method: how it was measured.
        sample: from 1.
        asked_model: name of the model that was asked, as the study's file has it.
        concept_place: place of the concept in the interview, from 1; ``None`` where each call stands alone.
        question_place: likewise, of the question after its concept.
        status: whether there is a rating, or why not.
        reason: why not, in words; ``None`` where there is one.
        value: expected value on the scale; ``None`` without a rating.
        pmf: mass of each point; a picked point has all of it. ``None`` without a rating.
        set_values: expected value under each anchor set alone; ``None`` but for ``ssr``.
        reply: what the persona said; ``None`` without a reply, and for a decision.
        rating_reply: what the expert said who rated the reply; ``None`` but for ``flr``.
        prompt: hash of what the persona was asked; ``None`` where nothing was sent.
        rating_prompt: hash of what the expert was asked; ``None`` but for ``flr``.
        model: the endpoint's name for what answered.
        tokens: of the calls; ``None`` where they are not known.
        cost: of the calls; ``None`` where tokens or prices are not known.
        seconds: that the calls took, one after the other; likewise.
    """

    persona: str
    concept: str
    question: str
    method: str
    sample: int
    asked_model: str
    concept_place: int | None
    question_place: int | None
    status: Status = Status.UNFINISHED
    reason: str | None = None
    value: float | None = None
    pmf: list[float] | None = None
    set_values: list[float] | None = None
    reply: str | None = None
    rating_reply: str | None = None
    prompt: str | None = None
    rating_prompt: str | None = None
    model: str | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


def answer_frame(answers: Iterable[StudyAnswer]) -> pl.DataFrame:
    """Lay answers out as a table with the columns of ``SCHEMA``; what is missing is null."""
    rows = list(answers)
    names = [field.name for field in fields(StudyAnswer)]
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    columns["status"] = [str(status) for status in columns["status"]]
    return pl.DataFrame(columns, schema=SCHEMA)
