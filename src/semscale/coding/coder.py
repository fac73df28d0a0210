"""Scores of answers on codes: similarity to examples and definitions, and probabilities by a chat model."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import polars as pl

from semscale.coding.codebook import Codebook
from semscale.coding.settings import CodingColumns
from semscale.embedding.loading import as_embedder
from semscale.embedding.texts import answer_status, distinct, shift_progress
from semscale.errors import InputError, InterruptedRunError
from semscale.judging.judge import Judge
from semscale.judging.prompts import read_items
from semscale.judging.templates import Criterion, Rubric, even_template
from semscale.judging.verdict import Verdict
from semscale.results.result import PRIVATE, STATUSES, VECTORS, result_columns, values_in, write_columns
from semscale.signature import Signature
from semscale.store.missing_codes import code_key
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import (
    Floats,
    Integers,
    Mask,
    ObjectArray,
    Progress,
    Status,
    Statuses,
    Vectors,
    are_scored,
)
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from pathlib import Path

    from semscale.chat.runner import Running
    from semscale.embedding.embedder import Embedder
    from semscale.judging.settings import Method

MAX_COSINE = 0.95
"""Cosine of two codes' mean vectors above which the codes count as too similar."""

NEAREST = 2
"""Number of a code's texts whose cosines with an answer are averaged."""

LEVEL = 0.5
"""Subtracted part of an answer's mean nearness to all codes, as some answers are near to everything."""

_BATCH, _TABLE_BATCH = 8192, 50_000


@dataclass(frozen=True)
class CodeScores:
    """Likeness of n answers to k codes.

    Attributes:
        codebook: the codes.
        likeness: shape (n, k): 0 is typical of other codes' examples, 1 of the code's own; NaN without a
            text. It is not a probability.
        text_status: shape (n,), each a ``Status``: whether an answer could be read, and if not, why.
        signature: the settings that were applied.
    """

    codebook: Codebook
    likeness: Annotated[Floats, VECTORS.private]
    text_status: Annotated[Statuses, STATUSES.private]
    signature: Signature

    def to_part(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the scores in the form that a run stores; ``from_part`` reads them back."""
        frame, names = write_columns(self, private=True, prefix=PREFIX)
        return frame, {"columns": names}

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **rest: Any) -> "CodeScores":
        """Read scores back from the result of ``to_part``; ``rest`` has codebook and signature."""
        return cls(**values_in(cls, frame, header["columns"], prefix=PREFIX), **rest)

    @classmethod
    def private_columns(cls) -> tuple[str, ...]:
        """Return the names of columns that are only in the run's parts, not in the output."""
        return tuple(PREFIX + PRIVATE + name for name in result_columns(cls))

    def some(self, rows: Integers) -> "CodeScores":
        """Select the scores of some answers, by their numbers from 0."""
        return replace(self, likeness=self.likeness[rows], text_status=self.text_status[rows])


class Coder:
    """Scorer of answers on the codes of a codebook, by cosines with its examples and definitions.

    Args:
        codebook: the codes.
        embedder: a model's name, a folder, or an embedder from ``load_embedder``; by default the default
            model.

    Raises:
        InputError: two codes are too similar, examples are no nearer to their own code than to others, or the
            object is not an embedder.
        ModelError: the model cannot be run.

    References:
        Codes defined by examples and a definition are prototypes in the sense of Snell, Swersky and Zemel
        (2017), Prototypical networks for few-shot learning, arXiv 1703.05175.
    """

    def __init__(self, codebook: Codebook, *, embedder: "str | Path | Embedder | None" = None) -> None:
        self.codebook = codebook
        self._embedder = as_embedder(DEFAULT_MODEL if embedder is None else embedder)
        texts = [code.prototypes for code in codebook.codes]
        texts += [code.negative_examples for code in codebook.codes]
        vectors = self._embedder.embed([text for some in texts for text in some]).vectors
        parts = np.split(vectors, np.cumsum([len(some) for some in texts])[:-1])
        k = len(codebook.codes)
        self._prototypes = Prototypes(codebook, parts[:k], parts[k:])

    @property
    def signature(self) -> Signature:
        """Signature of the codebook, the settings of scores, and the embedder."""
        name = f"{self.codebook.name}#{self.codebook.content_hash}".replace("|", "/").replace(":", "/")
        return Signature.of("code", codebook=name, codes=len(self.codebook.codes), level=LEVEL).plus(
            self._embedder.signature
        )

    def score(
        self,
        cells: Sequence[Any],
        *,
        missing: Set[str] = frozenset(),
        progress: Progress | None = None,
    ) -> CodeScores:
        """Score a column of answers; cells may be missing or not text. Equal texts are embedded once.

        Args:
            cells: n answers.
            missing: codes for a missing answer, from ``missing_keys``.
            progress: called while texts are embedded.
        """
        status = np.array([coding_status(cell, missing) for cell in cells], dtype=object)
        likeness: Floats = np.full((len(cells), len(self.codebook.codes)), np.nan)
        readable = np.flatnonzero(are_scored(status))
        texts, positions = distinct([str(cells[row]) for row in readable.tolist()])
        of_texts: Floats = np.full((len(texts), likeness.shape[1]), np.nan)
        for start in range(0, len(texts), _BATCH):
            batch = slice(start, start + _BATCH)
            embedded = self._embedder.embed(
                texts[batch], progress=shift_progress(progress, start, len(texts))
            )
            of_texts[batch] = np.where(
                embedded.unread[:, None], np.nan, self._prototypes.likeness(embedded.vectors)
            )
        likeness[readable] = of_texts[positions]
        unread: Mask = np.asarray(np.isnan(likeness[readable]).all(axis=1))
        status[readable[unread]] = Status.WEIGHTLESS
        return CodeScores(self.codebook, likeness, status, self.signature)

    def score_table(
        self, table: Table, columns: CodingColumns, *, progress: Progress | None = None
    ) -> Floats:
        """Compute the likeness (n, k) of a table's answers part by part, storing nothing else.

        Args:
            table: the input.
            columns: the column of answers.
            progress: called while texts are embedded.
        """
        batches = table.batches_with([columns.text], _TABLE_BATCH)
        cells = (columns.cells_in(batch, columns.text).to_list() for batch in batches)
        return np.concatenate([self.score(answers, progress=progress).likeness for answers in cells])


class Prototypes:
    """Vectors of a codebook's texts, and the scale of likeness that their scores define.

    Args:
        codebook: k codes.
        positive: for each code, vectors of its examples, then its definition, shape (p, d); p is 0 for a net.
        negative: for each code, vectors of its negative examples, shape (q, d); q may be 0.

    Raises:
        InputError: two codes are too similar, or examples are no nearer to their own code than to others.
    """

    def __init__(self, codebook: Codebook, positive: Sequence[Vectors], negative: Sequence[Vectors]) -> None:
        self._codebook, self._positive, self._negative = codebook, positive, negative
        _check_alike(codebook, positive)
        self._zero, self._one = _example_means(codebook, positive, negative)
        if not self._one > self._zero:
            raise InputError(
                f"codebook {codebook.name!r}: examples are no nearer to their own code than to the others: "
                "give clearer examples and definitions, or another `embedder`"
            )

    def likeness(self, vectors: Vectors) -> Floats:
        """Compute the likeness of n answers to each code, shape (n, k).

        0 is the average of other codes' examples, 1 the average of the code's own examples, each compared
        with the code's other texts. A code has at least the likeness of every code below it. Likeness is not
        a probability.
        """
        scores = code_scores(vectors, self._positive, self._negative)
        likeness: Floats = (scores - self._zero) / (self._one - self._zero)
        return with_children(likeness, self._codebook)


def code_scores(vectors: Vectors, positive: Sequence[Vectors], negative: Sequence[Vectors]) -> Floats:
    """Score answers on k codes.

    A code's nearness is the mean of the two greatest cosines of the answer with its examples and definition,
    minus the amount by which the nearest negative example exceeds that mean. The score is the nearness minus
    half of the answer's mean nearness to all codes.

    Args:
        vectors: shape (n, d), unit length.
        positive: for each code, shape (p, d), unit length; p is 0 for a net.
        negative: for each code, shape (q, d), likewise; q may be 0.

    Returns:
        Shape (n, k), -1.5 to 1.5 where there are no negative examples; NaN for nets.

    Examples:
        >>> codes = [np.eye(2, dtype=np.float32)[[0]], np.eye(2, dtype=np.float32)[[1]]]
        >>> code_scores(np.array([[1, 0]], dtype=np.float32), codes, [np.zeros((0, 2))] * 2).tolist()
        [[0.75, -0.25]]
    """
    columns = []
    for examples, negatives in zip(positive, negative, strict=True):
        if not len(examples):
            columns.append(np.full(len(vectors), np.nan))
            continue
        nearest = min(NEAREST, len(examples))
        cosines = _cosines(vectors, examples)
        near: Floats = np.partition(cosines, -nearest, axis=1)[:, -nearest:].mean(axis=1, dtype=np.float64)
        if len(negatives):
            near = near - np.maximum(_cosines(vectors, negatives).max(axis=1) - near, 0)
        columns.append(near)
    nearness = np.stack(columns, axis=1)
    has_examples = [bool(len(examples)) for examples in positive]
    scores: Floats = nearness - LEVEL * nearness[:, has_examples].mean(axis=1, keepdims=True)
    return scores


def with_children(values: Floats, codebook: Codebook) -> Floats:
    """Raise each code's value to at least that of every code below it, shape (n, k); NaN is ignored.

    Args:
        values: shape (n, k), NaN where not known.
        codebook: k codes.
    """
    raised = values.copy()
    positions = {name: position for position, name in enumerate(codebook.names)}
    for position, name in enumerate(codebook.names):
        for parent in codebook.ancestors(name):
            column = positions[parent]
            raised[:, column] = np.fmax(raised[:, column], values[:, position])
    return raised


def _cosines(vectors: Vectors, examples: Vectors) -> Floats:
    """Compute cosines (n, p) of answers with examples, bit-identical regardless of the other answers.

    The order in which a matrix product sums depends on its shape, so each answer has its own product.
    """
    return np.asarray(np.matmul(examples[None], vectors[:, :, None])[:, :, 0])


def _check_alike(codebook: Codebook, positive: Sequence[Vectors]) -> None:
    """Check that no two codes are too similar, except a code and one above it."""
    named = [
        (code.name, part) for code, part in zip(codebook.codes, positive, strict=True) if not code.is_net
    ]
    means = np.stack([vectors.mean(axis=0) for _, vectors in named]).astype(np.float64)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    cosines = means @ means.T
    for later, (name, _) in enumerate(named):
        for earlier, (other, _) in enumerate(named[:later]):
            if cosines[later, earlier] > MAX_COSINE and not codebook.are_related(name, other):
                raise InputError(
                    f"codes {other!r} and {name!r} are alike (cosine {cosines[later, earlier]:.3f}, at most "
                    f"{MAX_COSINE:g}): join them, or tell them apart by other examples and definitions"
                )


def _example_means(
    codebook: Codebook, positive: Sequence[Vectors], negative: Sequence[Vectors]
) -> tuple[float, float]:
    """Return mean scores of examples on unrelated codes, and on their own code without the example itself."""
    same_code: list[float] = []
    unrelated: list[float] = []
    for position, name in enumerate(codebook.names):
        for example in range(len(positive[position]) - 1):
            rest = list(positive)
            rest[position] = np.delete(positive[position], example, axis=0)
            scores = code_scores(positive[position][[example]], rest, negative)[0]
            same_code.append(scores[position])
            unrelated += [
                score
                for score, other in zip(scores, codebook.names, strict=True)
                if not codebook.are_related(name, other) and not np.isnan(score)
            ]
    if not unrelated:
        raise InputError(
            f"codebook {codebook.name!r} needs two codes of which neither is above the other: "
            "scores compare them"
        )
    return float(np.mean(unrelated)), float(np.mean(same_code))


def coding_status(cell: object, missing: Set[str] = frozenset()) -> Status:
    """Return the status of a cell with an answer; a text without a visible character is empty.

    Args:
        cell: any value.
        missing: codes for a missing answer, from ``missing_keys``.

    Examples:
        >>> [str(coding_status(cell, {"n/a"})) for cell in ("good", "N/A", chr(0x200B), "?!", None)]
        ['scored', 'missing', 'empty', 'uninformative', 'missing']
    """
    status = answer_status(cell, missing)
    is_blank = status is Status.UNINFORMATIVE and not code_key(str(cell))
    return Status.EMPTY if is_blank else status


QUESTION = "What do you say?"
"""Shown to the model if the question of the survey is not known."""

_LEVELS = (("no", "the answer does not say this"), ("yes", "the answer says this"))


@dataclass(frozen=True)
class LostReply:
    """The first answer with a status other than ``scored``, as an example of the answers with this status.

    Attributes:
        status: ``refused``, ``unparsable`` or ``failed``.
        row: row of the answer, from 1.
        reply: the model's text; empty where no reply came, or the endpoint sent no text.
        reason: description of the problem.
    """

    status: Status
    row: int
    reply: str
    reason: str


@dataclass(frozen=True)
class ChatCodes:
    """A chat model's probabilities of k codes for n answers.

    Attributes:
        model: name of the model.
        probability: shape (n, k), the model's probability of yes, 0 to 1; NaN if it stated none.
        status: shape (n,), a ``Status``: ``scored`` if every code has a probability, else why not; ``None``
            for answers that the model was not asked about.
        lost: the first answer with each other status.
        signature: signature of the questions to the model.
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
        """Build the result from verdicts on n answers, with the k codes as criteria."""
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
        """Number of answers that the model was asked about."""
        return sum(status is not None for status in self.status)

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of answers that the model was asked about by status, the most frequent first."""
        return dict(Counter(str(status) for status in self.status if status is not None).most_common())

    @property
    def n_partly(self) -> int:
        """Number of answers that are not ``scored`` but have a probability for some codes."""
        some = ~np.isnan(self.probability).all(axis=1)
        return int((some & (self.status != Status.SCORED)).sum())

    def some(self, rows: Integers) -> "ChatCodes":
        """Select some answers, by their numbers from 0; the lost replies stay."""
        return replace(self, probability=self.probability[rows], status=self.status[rows])

    def spread_over(self, rows: Integers, n: int) -> "ChatCodes":
        """Expand the m answers to the n rows of a table; the model was not asked about the other rows.

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
        question = f"Does the answer say something about this? {code.definition.strip()}"
        question += f" Examples: {examples}" if examples else ""
        criteria.append(
            Criterion(code.name, even_template(code.name, question, _LEVELS), 1 / len(codebook.codes))
        )
    return Rubric(codebook.name, tuple(criteria))


def code_judge(chat_model: object, codebook: Codebook, method: "Method" = "decision") -> Judge:
    """Build the judge that decides which codes an answer has; for the arguments see ``ask_about_codes``."""
    return Judge(chat_model, criteria=code_rubric(codebook), method=method)


def ask_about_codes(
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
        chat_model: see ``Judge``.
        codebook: k codes.
        cells: n answers.
        question: the question of the survey.
        method: ``decision`` or ``prose``, see ``Judge``.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        Probabilities of yes, with the status of each answer. Refusals, replies that cannot be read and calls
        that failed are counted, with the first of each kind.

    Raises:
        InterruptedRunError: a cap was reached; replies are stored.
        ReplyError: no call can succeed.
    """
    from semscale.chat.runner import Running, run_to_end

    judge = code_judge(chat_model, codebook, method)
    items = read_items([question or QUESTION] * len(cells), list(cells), None, judge.preparation)
    verdicts = run_to_end(judge.judge_items(items, running or Running(), progress))
    if verdicts.stopped is not None:
        raise InterruptedRunError(verdicts.stopped)
    return ChatCodes.from_verdicts(
        verdicts.verdicts, len(codebook.codes), model=judge.name, signature=verdicts.signature
    )
