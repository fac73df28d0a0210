"""Codes as a chat model gives them: a probability of yes for each code, by typed decisions or in prose."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.coding.asked_codes import AskedCodes, asked_codes
from semscale.coding.codebook import CodeFrame
from semscale.errors import InterruptedRunError
from semscale.judging.decisions.rubric import Criterion, Rubric, spread
from semscale.judging.judge import Judge
from semscale.stats.calibration.ensembles import (
    FEWEST_TUNING,
    nested_scores,
    tune_weights,
    weighted_mean,
)
from semscale.types import Floats, Progress

if TYPE_CHECKING:
    from semscale.judging.asking import Running
    from semscale.judging.judge_settings import Method

QUESTION = "What do you say?"
"""Shown to the model where nobody says what people were asked."""

_LEVELS = (("no", "the answer does not say this"), ("yes", "the answer says this"))
_HALF = 0.5


def code_rubric(codebook: CodeFrame) -> Rubric:
    """Make a question with the levels no and yes of each code, with its definition and examples."""
    weight = 1 / len(codebook.codes)
    return Rubric(
        codebook.name,
        tuple(
            Criterion(
                code.name, spread(code.name, _question(code.definition, code.examples), _LEVELS), weight
            )
            for code in codebook.codes
        ),
    )


def code_judge(chat_model: object, codebook: CodeFrame, method: "Method" = "decision") -> Judge:
    """Make the judge that says which codes an answer has; arguments are those of ``ask_about_codes``."""
    return Judge(chat_model, criteria=code_rubric(codebook), method=method)


def ask_about_codes(  # noqa: PLR0913 - whom, about what, and how
    chat_model: object,
    codebook: CodeFrame,
    cells: Sequence[Any],
    *,
    question: str | None = None,
    method: "Method" = "decision",
    running: "Running | None" = None,
    progress: Progress | None = None,
) -> AskedCodes:
    """Let a chat model say which codes answers have.

    Args:
        chat_model: as ``Judge`` takes it.
        codebook: k codes.
        cells: n answers.
        question: what people were asked.
        method: ``decision`` or ``prose``, as ``Judge`` takes it.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        Probabilities of yes, with the status of each answer: refusals, replies that cannot be read and calls
        that failed are counted, and one of each is kept to be shown.

    Raises:
        InterruptedRunError: a cap was reached; replies are kept.
        ReplyError: no call can succeed.
    """
    judge = code_judge(chat_model, codebook, method)
    verdicts = judge.judge(
        [question or QUESTION] * len(cells), list(cells), running=running, progress=progress
    )
    if verdicts.stopped is not None:
        raise InterruptedRunError(verdicts.stopped)
    return asked_codes(verdicts.verdicts, len(codebook.codes), model=judge.name, signature=verdicts.signature)


def join_sources(likeness: Floats, asked: Floats, labels: Floats, *, seed: int = 0) -> Floats:
    """Join likeness and a chat model's probability into one score of each code.

    The score is their weighted mean. Weights are tuned on hand-coded answers where a code has 40 of them, of
    both kinds; a hand-coded answer's own score is by weights that were tuned without it. Else both count
    alike. An answer that the model said nothing about is placed by its likeness.

    Args:
        likeness: shape (n, k), NaN where there is none.
        asked: shape (n, k), likewise.
        labels: shape (n, k), share of people who gave the code; NaN where nobody coded.
        seed: of the folds.

    Returns:
        Shape (n, k).
    """
    joined = np.full(likeness.shape, np.nan)
    for place in range(likeness.shape[1]):
        both = np.stack([likeness[:, place], asked[:, place]])
        share = labels[:, place]
        most = np.where(share == _HALF, np.nan, np.round(share))
        known = most[~np.isnan(most) & ~np.isnan(likeness[:, place])]
        if len(known) < FEWEST_TUNING or not 0 < known.sum() < len(known):
            joined[:, place] = weighted_mean(both)
            continue
        held_out = nested_scores(both, most, seed=seed)
        tuned = weighted_mean(both, tune_weights(both, most, seed=seed).weights)
        joined[:, place] = np.where(np.isnan(held_out), tuned, held_out)
    joined[np.isnan(likeness)] = np.nan
    return joined


def _question(definition: str, examples: Sequence[str]) -> str:
    shown = "; ".join(f'"{example}"' for example in examples)
    return f"Does the answer say something about this? {definition.strip()} Examples: {shown}"
