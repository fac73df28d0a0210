"""Answers and their samples: read from the caller's lists, checked, and paired.

Each text is embedded, and each pair judged, only once.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.chat.declining import declines_to_answer, gives_no_answer
from semscale.embedding import Embedder
from semscale.embedding.embedder import Embeddings
from semscale.embedding.texts import distinct, text_status
from semscale.errors import InputError, RowError
from semscale.matching.cosines import Cosines
from semscale.matching.entailment import (
    RELATIONS,
    EntailmentModel,
    Entailments,
    SentenceEntailment,
    entailments_by,
)
from semscale.matching.pairs import Pairs, pair_up
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers, Mask, Progress, Status, Statuses, Vectors

CAPACITY = 65_536
"""Number of texts with stored vectors: 100 MB for 384 dimensions."""


@dataclass(frozen=True)
class SampledAnswers:
    """n answers with their samples.

    Attributes:
        pairs: each answer (as ``prediction``) with each of its usable samples (as ``reference``); none for
            items with too few.
        status: shape (n,), each a ``Status``.
        n_samples: shape (n,), number of usable samples, even if too few.
        n_left_out: shape (n,), number of samples that are missing, empty or not text, that decline to answer,
            or that the model does not read.
        n_declined: shape (n,), number of these samples that decline to answer.
        fewest: least number of usable samples of an item.
    """

    pairs: Pairs
    status: npt.NDArray[np.object_]
    n_samples: Integers
    n_left_out: Integers
    n_declined: Integers
    fewest: int = 1


def pair_samples(answers: object, samples: object = None, *, fewest: int = 1) -> SampledAnswers:
    """Pair answers with their samples.

    An answer that declines, or states that it is not known, is ``refused``, as repeating this does not show
    that it is right. A sample that declines is left out. A sample such as "I don't know" is used and does not
    agree with an answer, as the model is then less certain.

    Args:
        answers: shape (n,), texts; without ``samples`` each a list whose first text is the answer.
        samples: n lists of texts, of any lengths.
        fewest: least number of usable samples of an item.

    Raises:
        InputError: lists of unequal length, or something other than a list where samples should be.

    Examples:
        >>> sampled = pair_samples(["Paris", "12"], [["Paris", None], []])
        >>> [str(status) for status in sampled.status], sampled.n_left_out.tolist()
        (['scored', 'too-few-samples'], [1, 0])
    """
    originals, lists = read_texts(answers, samples)
    pairs = pair_up(originals, without_declining(lists))
    # An item whose answer is no text has no pairs, but its samples are counted all the same.
    counts = np.array([_sample_counts(cells) for cells in lists], np.int64).reshape(pairs.n_items, 3)
    n_listed, n_texts, n_declined = counts.T
    usable = n_texts - n_declined
    status = pairs.status.copy()
    can_be_scored = np.array(
        [item_status in {Status.SCORED, Status.NO_REFERENCE} for item_status in status], dtype=bool
    )
    has_no_answer = np.array([isinstance(text, str) and gives_no_answer(text) for text in originals], bool)
    status[can_be_scored & (usable < fewest)] = Status.TOO_FEW_SAMPLES
    status[can_be_scored & has_no_answer] = Status.REFUSED
    is_scored = np.asarray(status[pairs.item] == Status.SCORED, dtype=bool)
    pairs = select_pairs(pairs, is_scored, status)
    return SampledAnswers(pairs, status, usable, n_listed - usable, n_declined, fewest)


def _sample_counts(cells: Sequence[Any]) -> tuple[int, int, int]:
    """Count all samples, those with a text that is not empty, and those that decline to answer."""
    n_texts = sum(text_status(cell) is Status.SCORED for cell in cells)
    return len(cells), n_texts, sum(map(_declines, cells))


def select_pairs(pairs: Pairs, chosen: Mask, status: Statuses) -> Pairs:
    """Select some of the pairs, and set a new status of the items.

    Args:
        pairs: p pairs of n items.
        chosen: shape (p,), which pairs.
        status: shape (n,).
    """
    columns = {name: getattr(pairs, name)[chosen] for name in ("prediction", "reference", "item", "place")}
    return replace(pairs, status=status, **columns)


def without_declining(samples: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Replace samples that decline to answer by ``None``.

    Examples:
        >>> without_declining([["Paris", "I can't help with that."]])
        [['Paris', None]]
    """
    return [[None if _declines(cell) else cell for cell in cells] for cells in samples]


def _declines(cell: object) -> bool:
    return isinstance(cell, str) and declines_to_answer(cell)


def read_texts(
    answers: object, samples: object = None, name: str = "samples"
) -> tuple[list[Any], list[list[Any]]]:
    """Read the answers and the samples of each.

    Args:
        answers: n texts; without samples, n lists that begin with the answer.
        samples: n lists of texts.
        name: name of the samples in messages; ``passages`` are required.

    Raises:
        InputError: lists of unequal length, or something other than a list where samples should be.

    Examples:
        >>> read_texts([["Paris", "Rome"], None])
        (['Paris', None], [['Rome'], []])
    """
    if samples is None and name == "samples":
        lists = _lists(answers, "answers")
        return [cells[0] if cells else None for cells in lists], [cells[1:] for cells in lists]
    originals, lists = as_list(answers, "answers"), _lists(samples, name)
    if len(originals) != len(lists):
        raise InputError(
            f"answers and {name} must have equal lengths, got {len(originals)} answers and {len(lists)} "
            f"lists of {name}"
        )
    return originals, lists


def _lists(column: object, name: str) -> list[list[Any]]:
    rows: list[Any] = list(column) if isinstance(column, np.ndarray) else as_list(column, name)
    return [_cells(row, number, name) for number, row in enumerate(rows, 1)]


def _cells(row: object, number: int, name: str) -> list[Any]:
    if is_missing(row):
        return []
    if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
        content = "an answer and its samples" if name == "answers" else "texts"
        owner = "answer" if name == "passages" else "prompt"
        raise InputError(
            name, f"must hold a list of {content} for each {owner}, got {str(row)[:40]!r} in row {number}"
        )
    return as_list(row, name)


def item_means(values: Floats, item: Integers, n: int) -> Floats:
    """Average the values of each item's pairs, without pairs that have no value.

    Args:
        values: shape (p,), NaN for a pair without a value.
        item: shape (p,), the item of each pair.
        n: number of items.

    Returns:
        Shape (n,); NaN for an item without a value.

    Examples:
        >>> item_means(np.array([0.2, 0.4, np.nan]), np.array([0, 0, 2]), 3).round(3).tolist()
        [0.3, nan, nan]
    """
    known = ~np.isnan(values)
    counts = np.bincount(item[known], minlength=n)
    means: Floats = np.full(n, np.nan)
    np.divide(np.bincount(item[known], values[known], n), counts, out=means, where=counts > 0)
    return means


class MemoizedEmbedder:
    """Embeds with another embedder, and stores vectors so that texts are embedded once.

    Args:
        embedder: computes vectors.
        capacity: number of texts to store; later ones are not stored.
    """

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._stored: dict[str, tuple[Vectors, int, float]] = {}

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._embedder.dimensions

    @property
    def signature(self) -> Signature:
        """Signature of the embedder."""
        return self._embedder.signature

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts, as the embedder does."""
        fresh, _ = distinct([text for text in texts if text not in self._stored])
        embedded = self._embed(fresh, progress) if fresh else {}
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        windows = np.empty(len(texts), np.int64)
        unknown = np.empty(len(texts), np.float32)
        for row, text in enumerate(texts):
            vectors[row], windows[row], unknown[row] = self._stored.get(text) or embedded[text]
        for text in fresh[: self._capacity - len(self._stored)]:
            vector, n_windows, share = embedded[text]
            # A view would keep the whole block in memory.
            self._stored[text] = vector.copy(), n_windows, share
        return Embeddings(vectors, windows, unknown)

    def _embed(self, texts: list[str], progress: Progress | None) -> dict[str, tuple[Vectors, int, float]]:
        new = self._embedder.embed(texts, progress=progress)
        unknown = [math.nan] * len(texts) if new.unknown is None else new.unknown.tolist()
        return dict(zip(texts, zip(new.vectors, new.windows.tolist(), unknown, strict=True), strict=True))


class MemoizedEntailment:
    """Calls another entailment model, once for each pair of texts.

    Args:
        model: entailment model.
    """

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model
        self._rows: dict[tuple[str, str], int] = {}
        none = np.zeros(0, np.bool_)
        self._known = Entailments(np.zeros((0, len(RELATIONS))), none, none)

    @property
    def signature(self) -> Signature:
        """Signature of the model."""
        return self._model.signature

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Return the probabilities of p pairs, as the model does."""
        return self.entailments(premises, hypotheses).values

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Return the probabilities of p pairs; new pairs are sent in one call."""
        pairs = list(zip(premises, hypotheses, strict=True))
        fresh = list(dict.fromkeys(pair for pair in pairs if pair not in self._rows))
        if fresh:
            new = entailments_by(self._model, [pair[0] for pair in fresh], [pair[1] for pair in fresh])
            self._rows |= {pair: len(self._rows) + row for row, pair in enumerate(fresh)}
            self._known = Entailments(
                np.concatenate([self._known.values, new.values]),
                np.concatenate([self._known.truncated, new.truncated]),
                np.concatenate([self._known.unread, new.unread]),
            )
        rows = np.array([self._rows[pair] for pair in pairs], np.int64)
        known = self._known
        return Entailments(known.values[rows], known.truncated[rows], known.unread[rows])


@dataclass(frozen=True)
class PairReaders:
    """The models that read the pairs of one call.

    Attributes:
        cosines: cosines between texts; ``None`` if no measure needs them.
        entailment: entailment model; ``None`` if no measure needs it.
        whole: the same model, for texts of several sentences as a whole.
    """

    cosines: Cosines | None = None
    entailment: SentenceEntailment | MemoizedEntailment | None = None
    whole: MemoizedEntailment | None = None


def distinct_entailments(
    model: EntailmentModel, premises: Sequence[str], hypotheses: Sequence[str]
) -> Floats:
    """Return the probabilities of p pairs from one call; equal pairs are sent once.

    Args:
        model: entailment model.
        premises: p texts.
        hypotheses: p texts.

    Returns:
        Shape (p, 3): entailment, neutrality and contradiction; NaN if the model cannot read the pair.

    Raises:
        InputError: the model returns no probabilities.
    """
    judged = MemoizedEntailment(model).entailments(premises, hypotheses)
    return np.where(judged.unread[:, None], np.nan, judged.values)


_RIGHT = frozenset({"1", "1.0", "true", "yes", "right", "correct"})
_WRONG = frozenset({"0", "0.0", "false", "no", "wrong", "incorrect"})


def read_labels(cells: object, first: int = 0) -> Floats:
    """Parse labels of answers, shape (n,): 1 right, 0 wrong, NaN unknown.

    Args:
        cells: shape (n,).
        first: row of the first cell among all items, from 0.

    Raises:
        RowError: an invalid cell; the message names its row.

    Examples:
        >>> read_labels([True, "wrong", None, 1.0]).tolist()
        [1.0, 0.0, nan, 1.0]
    """
    if isinstance(cells, np.ndarray) and cells.dtype == np.float64:
        numbers: Floats = cells
        if np.isin(numbers[~np.isnan(numbers)], (0.0, 1.0)).all():
            return numbers
    labels = [_label(cell, row) for row, cell in enumerate(as_list(cells, "correct"), first)]
    return np.array(labels, np.float64)


def _label(cell: Any, row: int) -> float:
    text = "" if is_missing(cell) else str(cell).strip().casefold()
    if not text:
        return np.nan
    if text not in _RIGHT | _WRONG:
        raise RowError(
            f"`correct` must be 1, true, right or correct, or 0, false, wrong or incorrect, or empty, "
            f"got {str(cell)[:40]!r} in {{row}}",
            row,
        )
    return float(text in _RIGHT)
