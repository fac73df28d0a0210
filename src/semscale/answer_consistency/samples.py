"""Answers and their samples: read from the lists that callers give, checked, and paired."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.chat.declining import declines_to_answer, gives_no_answer
from semscale.embedding.languages.language_names import ENGLISH
from semscale.embedding.languages.text_language import language_of
from semscale.errors import InputError
from semscale.matching.pairs import Pairs, pair_up
from semscale.store.columns import as_list, is_missing, text_status
from semscale.types import Floats, Integers, Mask, Status, Statuses


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


def pair_samples(answers: object, samples: object = None, *, fewest: int = 1) -> SampledAnswers:
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
        >>> sampled = pair_samples(["Paris", "12"], [["Paris", None], []])
        >>> [str(status) for status in sampled.status], sampled.n_left_out.tolist()
        (['scored', 'too-few-samples'], [1, 0])
    """
    originals, lists = read_texts(answers, samples)
    pairs = pair_up(originals, without_declining(lists))
    # An item whose answer is no text has no pairs, but its samples are counted all the same.
    counts = np.array([_sample_counts(cells) for cells in lists], np.int64).reshape(pairs.n_items, 3)
    n_given, n_texts, n_declined = counts.T
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
    return SampledAnswers(pairs, status, usable, n_given - usable, n_declined, fewest)


def _sample_counts(cells: Sequence[Any]) -> tuple[int, int, int]:
    """Count all samples, those that are texts with something in them, and those that decline to answer."""
    n_texts = sum(text_status(cell) is Status.SCORED for cell in cells)
    return len(cells), n_texts, sum(map(_declines, cells))


def select_pairs(pairs: Pairs, chosen: Mask, status: Statuses) -> Pairs:
    """Select some of the pairs, and give items a new status.

    Args:
        pairs: p pairs of n items.
        chosen: shape (p,), which pairs.
        status: shape (n,).
    """
    columns = {name: getattr(pairs, name)[chosen] for name in ("prediction", "reference", "item", "place")}
    return replace(pairs, status=status, **columns)


def without_declining(samples: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Replace samples that decline to answer by ``None``.

    Example:
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
        answers: n texts; without samples each a list whose first text is the answer.
        samples: n lists of texts.
        name: of the samples in messages, such as ``passages``, which are required.

    Raises:
        InputError: lists of unequal length, or something other than a list where samples should be.

    Example:
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
            f"{name} must hold a list of {content} for each {owner}, got {str(row)[:40]!r} in row {number}"
        )
    return as_list(row, name)


def item_means(values: Floats, item: Integers, n: int) -> Floats:
    """Average the values of each item's pairs; pairs without a value do not count.

    Args:
        values: shape (p,), NaN where a pair has none.
        item: shape (p,), the item of each pair.
        n: how many items there are.

    Returns:
        Shape (n,); NaN where an item has no value.

    Example:
        >>> item_means(np.array([0.2, 0.4, np.nan]), np.array([0, 0, 2]), 3).round(3).tolist()
        [0.3, nan, nan]
    """
    known = ~np.isnan(values)
    counts = np.bincount(item[known], minlength=n)
    means: Floats = np.full(n, np.nan)
    np.divide(np.bincount(item[known], values[known], n), counts, out=means, where=counts > 0)
    return means


def guards_read_samples(answer: str, samples: Sequence[str]) -> list[bool]:
    """Tell with which samples guards compare an answer.

    Guards check English, and short texts whose language is not clear. Where the answer or a sample of it is
    clearly in another language, they skip the unclear ones, too: "Hund" beside "Das ist ein Hund." is hardly
    English.

    Args:
        answer: the answer.
        samples: its usable samples.

    Example:
        >>> guards_read_samples("A dog", ["Wolf", "It is a wolf."])
        [True, True]
        >>> guards_read_samples("I think it is a dog.", ["Hund", "Das ist ein Hund.", "It is not a wolf."])
        [False, False, True]
    """
    language, languages = language_of(answer), [language_of(sample) for sample in samples]
    read = {ENGLISH, None} if {language, *languages} <= {ENGLISH, None} else {ENGLISH}
    return [language in read and other in read for other in languages]
