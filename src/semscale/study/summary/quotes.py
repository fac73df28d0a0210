"""Answers in free words to read beside the figures, drawn at random, with what each method made of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.study.questionnaire import SurveyQuestion

PER_CONCEPT = 3
"""Answers that are drawn for each concept."""

WORDS = ("ssr", "flr")
"""Methods that measure free words."""


@dataclass(frozen=True)
class QuotedAnswer:
    """An answer in free words.

    Attributes:
        question: name of the question.
        concept: what was shown.
        persona: who answered.
        reply: the words.
        values: on the scale, by method; ``None`` without a rating.
        model: that answered; ``None`` where the study has one alone.
    """

    question: str
    concept: str
    persona: str
    reply: str
    values: Mapping[str, float | None]
    model: str | None = None


def quoted_answers(question: SurveyQuestion, rows: pl.DataFrame, *, seed: int) -> Iterator[QuotedAnswer]:
    """Draw answers to a question, up to three a concept; equal chances for all that have words.

    Args:
        question: what was asked.
        rows: its answers by all methods.
        seed: of the draw.
    """
    methods = [method for method in question.methods if method in WORDS]
    said = rows.filter(pl.col("method").is_in(methods) & pl.col("reply").is_not_null())
    rng = np.random.default_rng(seed)
    for (concept,), own in said.group_by("concept", maintain_order=True):
        answers = own.group_by("persona", "sample", "reply", maintain_order=True).agg("method", "value")
        drawn = np.sort(rng.permutation(answers.height)[:PER_CONCEPT])
        for row in answers[drawn].iter_rows(named=True):
            values = dict(zip(row["method"], row["value"], strict=True))
            yield QuotedAnswer(question.name, str(concept), row["persona"], row["reply"], values)
