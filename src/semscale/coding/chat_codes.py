"""Codes as a chat model gives them: a probability of yes for each code, by typed decisions or in prose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.coding.asked_codes import AskedCodes, asked_codes
from semscale.coding.codebook import CodeFrame
from semscale.errors import InterruptedRunError
from semscale.judging.judge import Judge
from semscale.judging.templates import Criterion, Rubric, even_template
from semscale.stats.calibration.ensembles import (
    FEWEST_OF_EACH,
    FEWEST_TUNING,
    nested_scores,
    tune_weights,
    weighted_mean,
)
from semscale.types import Floats, Integers, Progress

if TYPE_CHECKING:
    from semscale.judging.asking import Running
    from semscale.judging.judge import Method

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
                code.name,
                even_template(code.name, _question(code.definition, code.examples), _LEVELS),
                weight,
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


@dataclass(frozen=True)
class JoinedSources:
    """How likeness and a chat model's probability are joined into one score of each of k codes.

    Attributes:
        stand_in: shape (k,), what counts for an answer that the model said nothing about: the mean of its
            probabilities; NaN where it stated none.
        weights: shape (k, 2), of likeness and probability.
        held_out: shape (m, k), scores of m hand-coded answers by weights that were tuned without them; NaN
            where weights were not tuned.
    """

    stand_in: Floats
    weights: Floats
    held_out: Floats

    def joined(self, likeness: Floats, asked: Floats, hand_coded: Integers) -> Floats:
        """Join both sources, shape (n, k).

        Args:
            likeness: shape (n, k), NaN where there is none.
            asked: shape (n, k), the model's probabilities, likewise.
            hand_coded: shape (n,), place of each answer among the m hand-coded ones; -1 for others.
        """
        known = np.where(np.isnan(asked), self.stand_in, asked)
        found: Floats = np.full(likeness.shape, np.nan)
        for place, weights in enumerate(self.weights):
            tuned = weighted_mean(np.stack([likeness[:, place], known[:, place]]), weights)
            if not weights[0]:
                tuned[np.isnan(asked[:, place])] = np.nan
            found[:, place] = tuned
        if len(self.held_out):
            own = np.where((hand_coded < 0)[:, None], np.nan, self.held_out[hand_coded])
            found = np.where(np.isnan(own), found, own)
        found[np.isnan(likeness)] = np.nan
        return found


def join_sources(
    likeness: Floats, asked: Floats, labels: Floats, *, stand_in: Floats, seed: int = 0
) -> JoinedSources:
    """Find how to join likeness and a chat model's probability into one score of each code.

    The score is their weighted mean. Weights are tuned on hand-coded answers where there are 40 of them, five
    or more with the code and as many without it; a hand-coded answer's own score is by weights that were
    tuned without it. Else both count alike. An answer that the model said nothing about is placed by its
    likeness.

    Args:
        likeness: shape (m, k), of hand-coded answers; NaN where there is none.
        asked: shape (m, k), likewise.
        labels: shape (m, k), share of people who gave the code; NaN where nobody coded.
        stand_in: shape (k,), mean of the probabilities of all answers, as ``mean_asked`` gives it.
        seed: of the folds.
    """
    weights, own = np.ones((likeness.shape[1], 2)), np.full(likeness.shape, np.nan)
    known = np.where(np.isnan(asked) & ~np.isnan(likeness), stand_in, asked)
    for place in range(likeness.shape[1]):
        both = np.stack([likeness[:, place], known[:, place]])
        share = labels[:, place]
        most = np.where(share == _HALF, np.nan, np.round(share))
        coded = most[~np.isnan(most) & ~np.isnan(likeness[:, place])]
        fewer = min(coded.sum(), len(coded) - coded.sum())
        if len(coded) >= FEWEST_TUNING and fewer >= FEWEST_OF_EACH:
            own[:, place] = nested_scores(both, most, seed=seed)
            weights[place] = tune_weights(both, most, seed=seed).weights
    return JoinedSources(stand_in, weights, own)


def mean_asked(asked: Floats) -> Floats:
    """Average a chat model's probabilities of each code, shape (k,); NaN for a code without any.

    Args:
        asked: shape (n, k), NaN where it stated none.
    """
    by_code = np.ascontiguousarray(asked.T)
    there = ~np.isnan(by_code)
    means: Floats = np.full(len(by_code), np.nan)
    sums = np.where(there, by_code, 0.0).sum(axis=1)
    np.divide(sums, there.sum(axis=1), out=means, where=there.any(axis=1))
    return means


def _question(definition: str, examples: Sequence[str]) -> str:
    shown = "; ".join(f'"{example}"' for example in examples)
    return f"Does the answer say something about this? {definition.strip()} Examples: {shown}"
