"""Reads answers and their samples into pairs of an answer and one sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.chat.declining import declines_to_answer, gives_no_answer
from semscale.errors import InputError
from semscale.matching.pairs import Pairs, pair_up
from semscale.store.columns import as_list, is_missing
from semscale.types import Integers, Mask, Status, Statuses


@dataclass(frozen=True)
class SampledAnswers:
    """n answers with their samples.

    Attributes:
        pairs: each answer (as ``prediction``) with each of its usable samples (as ``reference``); none for
            items that have too few.
        status: shape (n,), each a ``Status``.
        n_samples: shape (n,), usable samples, whether or not they are enough.
        n_left_out: shape (n,), samples that are missing, empty or no text, that decline to answer, or that
            the model does not read.
        n_declined: shape (n,), samples among these that decline to answer.
        fewest: usable samples that an item needs.
    """

    pairs: Pairs
    status: npt.NDArray[np.object_]
    n_samples: Integers
    n_left_out: Integers
    n_declined: Integers
    fewest: int = 1


def take_samples(answers: object, samples: object = None, *, fewest: int = 1) -> SampledAnswers:
    """Pair answers with their samples.

    An answer that declines to answer, or says that it is not known, is ``refused``: that a model says so each
    time is no sign that it is right. A sample that declines is left out. One that says "I don't know" counts
    and does not agree with an answer: the model is less sure of it.

    Args:
        answers: shape (n,), texts; without ``samples`` each a list whose first text is the answer.
        samples: n lists of texts, of any lengths.
        fewest: usable samples that an item needs.

    Raises:
        InputError: lists of unequal length, or something other than a list where samples should be.

    Example:
        >>> taken = take_samples(["Paris", "12"], [["Paris", None], []])
        >>> [str(status) for status in taken.status], taken.n_left_out.tolist()
        (['scored', 'too-few-samples'], [1, 0])
    """
    originals, lists = given_texts(answers, samples)
    declined = [[_declines(cell) for cell in cells] for cells in lists]
    pairs = pair_up(originals, without_declining(lists))
    n = pairs.n_items
    # An item whose answer is no text has no pairs, but its samples are counted all the same.
    n_declined = np.array([sum(cells) for cells in declined], np.int64).reshape(n)
    usable = np.array([sum(map(_usable, cells)) for cells in lists], np.int64).reshape(n) - n_declined
    given = np.array([len(cells) for cells in lists], np.int64).reshape(n)
    status = pairs.status.copy()
    scored = np.array([one in {Status.SCORED, Status.NO_REFERENCE} for one in status], dtype=bool)
    status[scored & (usable < fewest)] = Status.TOO_FEW_SAMPLES
    status[scored & np.array([_answers_nothing(text) for text in originals], dtype=bool)] = Status.REFUSED
    kept = np.asarray(status[pairs.item] == Status.SCORED, dtype=bool)
    pairs = with_pairs(pairs, kept, status)
    return SampledAnswers(pairs, status, usable, given - usable, n_declined, fewest)


def with_pairs(pairs: Pairs, kept: Mask, status: Statuses) -> Pairs:
    """Give some of the pairs, and items a new status.

    Args:
        pairs: p pairs of n items.
        kept: shape (p,), which pairs to give.
        status: shape (n,).
    """
    chosen = {name: getattr(pairs, name)[kept] for name in ("prediction", "reference", "item", "place")}
    return replace(pairs, status=status, **chosen)


def without_declining(samples: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Put ``None`` in the place of samples that decline to answer.

    Example:
        >>> without_declining([["Paris", "I can't help with that."]])
        [['Paris', None]]
    """
    return [[None if _declines(cell) else cell for cell in cells] for cells in samples]


def split_first(answers: object) -> tuple[list[Any], list[list[Any]]]:
    """Take the first text of each list as the answer and the others as its samples.

    Raises:
        InputError: a cell is a text: there is nothing it could agree with.

    Example:
        >>> split_first([["Paris", "Rome"], None])
        (['Paris', None], [['Rome'], []])
    """
    rows: list[Any] = list(answers) if isinstance(answers, np.ndarray) else as_list(answers, "answers")
    lists = [_cells(row, place, "answers") for place, row in enumerate(rows)]
    return [cells[0] if cells else None for cells in lists], [cells[1:] for cells in lists]


def given_texts(
    answers: object, samples: object = None, name: str = "samples"
) -> tuple[list[Any], list[list[Any]]]:
    """Give the answers and the samples of each, as ``take_samples`` takes them.

    Args:
        answers: n texts; without samples each a list whose first text is the answer.
        samples: n lists of texts.
        name: of the samples in messages, such as ``passages``, which have to be given.

    Raises:
        InputError: lists of unequal length, or something other than a list where samples should be.
    """
    if samples is None and name == "samples":
        return split_first(answers)
    originals = as_list(answers, "answers")
    rows: list[Any] = list(samples) if isinstance(samples, np.ndarray) else as_list(samples, name)
    if len(originals) != len(rows):
        raise InputError(
            f"answers and {name} must have equal lengths, got {len(originals)} answers and {len(rows)} "
            f"lists of {name}"
        )
    return originals, [_cells(row, place, name) for place, row in enumerate(rows)]


def _cells(row: object, place: int, name: str) -> list[Any]:
    if is_missing(row):
        return []
    if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
        what = "an answer and its samples" if name == "answers" else "texts"
        whose = "answer" if name == "passages" else "prompt"
        raise InputError(
            f"{name} must hold a list of {what} for each {whose}, got {str(row)[:40]!r} in row {place + 1}"
        )
    return as_list(row, name)


def _declines(cell: object) -> bool:
    return isinstance(cell, str) and declines_to_answer(cell)


def _answers_nothing(cell: object) -> bool:
    return isinstance(cell, str) and gives_no_answer(cell)


def _usable(cell: object) -> bool:
    return isinstance(cell, str) and bool(cell.strip())
