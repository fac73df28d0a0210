"""Codes assigned by a chat model: questions about each code, its replies, and joining them with likeness."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.coding.codebook import Codebook
from semscale.coding.labels import majority
from semscale.errors import InterruptedRunError
from semscale.judging.judge import Judge
from semscale.judging.templates import Criterion, Rubric, even_template
from semscale.judging.verdict import Verdict
from semscale.signature import Signature
from semscale.stats.calibration.ensembles import (
    FEWEST_OF_EACH,
    FEWEST_TUNING,
    nested_scores,
    tune_weights,
    weighted_mean,
)
from semscale.types import Floats, Integers, ObjectArray, Progress, Status

if TYPE_CHECKING:
    from semscale.chat.runner import Running
    from semscale.judging.settings import Method

QUESTION = "What do you say?"
"""Shown to the model where the question that people were asked is not known."""

_LEVELS = (("no", "the answer does not say this"), ("yes", "the answer says this"))


@dataclass(frozen=True)
class LostReply:
    """The first answer with some status other than ``scored``, as an example of all that share it.

    Attributes:
        status: ``refused``, ``unparsable`` or ``failed``.
        row: of the answer, from 1.
        reply: the model's text; empty where no reply came, or the endpoint sent no text.
        reason: the problem, in words.
    """

    status: Status
    row: int
    reply: str
    reason: str


@dataclass(frozen=True)
class ChatCodes:
    """Probabilities by a chat model of k codes for n answers.

    Attributes:
        model: its name.
        probability: shape (n, k), of yes as the model states it; NaN where it stated none.
        status: shape (n,), a ``Status``: ``scored`` where every code has a probability, else why not;
            ``None`` for answers that the model was not asked about.
        lost: the first answer of each other status.
        signature: of what was asked.
    """

    model: str
    probability: Floats
    status: ObjectArray
    lost: tuple[LostReply, ...]
    signature: Signature

    @classmethod
    def from_verdicts(
        cls, verdicts: Sequence[Verdict], k: int, *, model: str, signature: Signature
    ) -> "ChatCodes":
        """Read verdicts on n answers, each with a verdict on k codes among its criteria."""
        probability: Floats = np.full((len(verdicts), k), np.nan)
        lost: dict[Status, LostReply] = {}
        for row, verdict in enumerate(verdicts):
            if verdict.criteria:
                probability[row] = [part.expected for part in verdict.criteria]
            if verdict.status is not Status.SCORED and verdict.status not in lost:
                # The reply on the first code that decided the status of the whole.
                part = next((part for part in verdict.criteria if part.status is verdict.status), verdict)
                reply = part.replies[-1] if part.replies else ""
                lost[verdict.status] = LostReply(verdict.status, row + 1, reply, verdict.reason)
        status: ObjectArray = np.array([verdict.status for verdict in verdicts], dtype=object)
        return cls(model, probability, status, tuple(lost.values()), signature)

    @property
    def n_asked(self) -> int:
        """Answers that the model was asked about."""
        return sum(status is not None for status in self.status)

    @property
    def counts(self) -> Mapping[str, int]:
        """Answers that the model was asked about, by status, the most frequent first."""
        return dict(Counter(str(status) for status in self.status if status is not None).most_common())

    @property
    def n_partly(self) -> int:
        """Answers that are not ``scored``, but have a probability for some of the codes."""
        some = ~np.isnan(self.probability).all(axis=1)
        return int((some & (self.status != Status.SCORED)).sum())

    def some(self, rows: Integers) -> "ChatCodes":
        """Select some answers, by their numbers from 0; the lost replies stay."""
        return replace(self, probability=self.probability[rows], status=self.status[rows])

    def spread_over(self, rows: Integers, n: int) -> "ChatCodes":
        """Lay the m answers out as rows of a longer table; the model was not asked about the other rows.

        Args:
            rows: shape (m,), numbers of the answers in the table, from 0.
            n: rows of the table.
        """
        probability: Floats = np.full((n, self.probability.shape[1]), np.nan)
        status: ObjectArray = np.full(n, None, dtype=object)
        probability[rows], status[rows] = self.probability, self.status
        lost = tuple(replace(reply, row=int(rows[reply.row - 1]) + 1) for reply in self.lost)
        return replace(self, probability=probability, status=status, lost=lost)


def code_rubric(codebook: Codebook) -> Rubric:
    """Build a question with the levels no and yes for each code, with its definition and examples."""
    criteria = []
    for code in codebook.codes:
        examples = "; ".join(f'"{example}"' for example in code.examples)
        question = f"Does the answer say something about this? {code.definition.strip()} Examples: {examples}"
        criteria.append(
            Criterion(code.name, even_template(code.name, question, _LEVELS), 1 / len(codebook.codes))
        )
    return Rubric(codebook.name, tuple(criteria))


def code_judge(chat_model: object, codebook: Codebook, method: "Method" = "decision") -> Judge:
    """Build the judge that decides which codes an answer has; arguments are those of ``ask_about_codes``."""
    return Judge(chat_model, criteria=code_rubric(codebook), method=method)


def ask_about_codes(  # noqa: PLR0913 - the model, the material, and how it is asked
    chat_model: object,
    codebook: Codebook,
    cells: Sequence[Any],
    *,
    question: str | None = None,
    method: "Method" = "decision",
    running: "Running | None" = None,
    progress: Progress | None = None,
) -> ChatCodes:
    """Ask a chat model which codes answers have.

    Args:
        chat_model: as ``Judge`` takes it.
        codebook: k codes.
        cells: n answers.
        question: what people were asked.
        method: ``decision`` or ``prose``, as ``Judge`` takes it.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        Probabilities of yes, with the status of each answer. Refusals, replies that cannot be read and calls
        that failed are counted, with the first of each kind.

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
    return ChatCodes.from_verdicts(
        verdicts.verdicts, len(codebook.codes), model=judge.name, signature=verdicts.signature
    )


@dataclass(frozen=True)
class JoinedSources:
    """Weights that join likeness and a chat model's probability into one score of each of k codes.

    Attributes:
        stand_in: shape (k,), the mean of the model's probabilities, used for an answer without one; NaN where
            the model stated none.
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
            hand_coded: shape (n,), position of each answer among the m hand-coded ones; -1 for others.
        """
        filled = np.where(np.isnan(asked), self.stand_in, asked)
        scores: Floats = np.full(likeness.shape, np.nan)
        for code, weights in enumerate(self.weights):
            scores[:, code] = weighted_mean(np.stack([likeness[:, code], filled[:, code]]), weights)
            if not weights[0]:
                scores[np.isnan(asked[:, code]), code] = np.nan
        if len(self.held_out):
            held_out = np.where((hand_coded < 0)[:, None], np.nan, self.held_out[hand_coded])
            scores = np.where(np.isnan(held_out), scores, held_out)
        scores[np.isnan(likeness)] = np.nan
        return scores


def join_sources(
    likeness: Floats, asked: Floats, labels: Floats, *, stand_in: Floats, seed: int = 0
) -> JoinedSources:
    """Find weights that join likeness and a chat model's probability into one score of each code.

    The score is their weighted mean. Weights are tuned on hand-coded answers where there are 40 of them, five
    or more with the code and as many without it; a hand-coded answer's own score is by weights that were
    tuned without it. Otherwise both count alike. An answer without a probability from the model is ranked by
    its likeness.

    Args:
        likeness: shape (m, k), of hand-coded answers; NaN where there is none.
        asked: shape (m, k), likewise.
        labels: shape (m, k), share of people who gave the code; NaN where nobody coded.
        stand_in: shape (k,), mean of the probabilities of all answers, as ``mean_asked`` returns it.
        seed: of the folds.
    """
    weights, held_out = np.ones((likeness.shape[1], 2)), np.full(likeness.shape, np.nan)
    filled = np.where(np.isnan(asked) & ~np.isnan(likeness), stand_in, asked)
    for code in range(likeness.shape[1]):
        sources, human = np.stack([likeness[:, code], filled[:, code]]), majority(labels[:, code])
        coded = human[~np.isnan(human) & ~np.isnan(likeness[:, code])]
        fewer = min(coded.sum(), len(coded) - coded.sum())
        if len(coded) >= FEWEST_TUNING and fewer >= FEWEST_OF_EACH:
            held_out[:, code] = nested_scores(sources, human, seed=seed)
            weights[code] = tune_weights(sources, human, seed=seed).weights
    return JoinedSources(stand_in, weights, held_out)


def mean_asked(asked: Floats) -> Floats:
    """Average a chat model's probabilities of each code, shape (k,); NaN for a code without any.

    Args:
        asked: shape (n, k), NaN where it stated none.
    """
    by_code = np.ascontiguousarray(asked.T)  # so that the order of summing does not depend on the layout
    stated = ~np.isnan(by_code)
    means: Floats = np.full(len(by_code), np.nan)
    sums = np.where(stated, by_code, 0.0).sum(axis=1)
    np.divide(sums, stated.sum(axis=1), out=means, where=stated.any(axis=1))
    return means
