"""Measures of an answer beside each of its samples, and their arithmetic."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from semscale.types import Floats, Integers

CONTRADICTED = 0.1
"""What is left of the similarity of a contradicting sample; ``bench/consistency.py`` tries others."""

_KEPT_MARKS = frozenset("%&#@*/‰")


@dataclass(frozen=True)
class PairParts:
    """What measures are made from, for p pairs of an answer and a sample.

    Attributes:
        texts: distinct texts.
        answer: shape (p,), which text is the answer.
        sample: shape (p,), which text is the sample.
        cosine: shape (p,), of the two vectors; NaN where no measure needs it.
        floor: cosine of unrelated answers.
        contradicted: shape (p,), whether a guard or a model of entailment found that the sample contradicts
            the answer.
        guarded: shape (p,), whether guards, which read English alone, or a model of entailment looked.
        f1: shape (p,), BERTScore F1; NaN where no measure needs it, or no token counts.
    """

    texts: Sequence[str]
    answer: Integers
    sample: Integers
    cosine: Floats
    floor: float
    contradicted: npt.NDArray[np.bool_]
    guarded: npt.NDArray[np.bool_]
    f1: Floats


@dataclass(frozen=True)
class PairMeasure:
    """One measure of pairs.

    Attributes:
        about: what it is, in one sentence.
        values: gives each pair its value, shape (p,).
        needs: which of ``cosine``, ``floor``, ``contradicted`` and ``f1`` it is made from.
        bounds: least and greatest value.
    """

    about: str
    values: Callable[[PairParts], Floats]
    needs: frozenset[str]
    bounds: tuple[float, float] = (0.0, 1.0)


def normalised_cosine(cosine: Floats) -> Floats:
    """Rescale cosines from -1 to 1 to 0 to 1: (1 + cosine) / 2.

    References:
        uqlm 0.6, "Normalized Cosine Similarity" (NCS).

    Example:
        >>> normalised_cosine(np.array([-1.0, 0.0, 1.0])).tolist()
        [0.0, 0.5, 1.0]
    """
    return 0.5 + cosine / 2


def above_floor(cosine: Floats, floor: float) -> Floats:
    """Rescale cosines: (cosine - floor) / (1 - floor), 0 for unrelated answers or less, and 1 for equal ones.

    Args:
        cosine: shape (p,), -1 to 1.
        floor: below 1.

    Example:
        >>> above_floor(np.array([0.0, 0.5, 0.75, 1.0]), 0.5).tolist()
        [0.0, 0.0, 0.5, 1.0]
    """
    stretched: Floats = np.clip((cosine - floor) / (1 - floor), 0.0, 1.0)
    return stretched


@lru_cache(maxsize=65536)
def normalised(text: str) -> str:
    """Drop what does not change an answer: case, white space at the ends and runs of it, and marks.

    A point or comma between digits, a sign before one, and % & # @ * / stay.

    Example:
        >>> normalised(" The  Answer: 3.5%! "), normalised("8 emails")
        ('the answer 3.5%', '8 emails')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(
        character if _stays(folded, place, character) else " " for place, character in enumerate(folded)
    )
    return " ".join(kept.split()) or " ".join(folded.split())


def equal_normalised(texts: Sequence[str], answer: Integers, sample: Integers) -> Floats:
    """Give 1 for each pair of texts that ``normalised`` makes equal, and 0 for others.

    Args:
        texts: distinct texts.
        answer: shape (p,), which text is the answer.
        sample: shape (p,), which text is the sample.
    """
    same = [
        normalised(texts[one]) == normalised(texts[other])
        for one, other in zip(answer.tolist(), sample.tolist(), strict=True)
    ]
    return np.array(same, dtype=np.float64)


def item_means(values: Floats, item: Integers, n: int) -> Floats:
    """Average the values of each item's pairs; pairs without a value do not count.

    Args:
        values: shape (p,), NaN where a pair has none.
        item: shape (p,), whose pair it is.
        n: how many items there are.

    Returns:
        Shape (n,); NaN where an item has no value.

    Example:
        >>> item_means(np.array([0.2, 0.4, np.nan]), np.array([0, 0, 2]), 3).round(3).tolist()
        [0.3, nan, nan]
    """
    there = ~np.isnan(values)
    counts = np.bincount(item[there], minlength=n)
    means: Floats = np.full(n, np.nan)
    np.divide(np.bincount(item[there], values[there], n), counts, out=means, where=counts > 0)
    return means


def _equal(parts: PairParts) -> Floats:
    same: Floats = (parts.answer == parts.sample).astype(np.float64)  # texts are distinct
    return same


def _consistent(parts: PairParts) -> Floats:
    kept = np.where(parts.contradicted, CONTRADICTED, 1.0)
    lowered: Floats = above_floor(parts.cosine, parts.floor) * kept
    return lowered


PAIR_MEASURES: dict[str, PairMeasure] = {
    "consistency": PairMeasure(
        "similarity above that of unrelated answers; samples that contradict the answer count a tenth",
        _consistent,
        frozenset({"cosine", "floor", "contradicted"}),
    ),
    "cosine_sim": PairMeasure(
        "normalised cosine similarity (NCS), as uqlm defines it",
        lambda parts: normalised_cosine(parts.cosine),
        frozenset({"cosine"}),
    ),
    "ncs_above_floor": PairMeasure(
        "cosine similarity above that of unrelated answers",
        lambda parts: above_floor(parts.cosine, parts.floor),
        frozenset({"cosine", "floor"}),
    ),
    "uncontradicted": PairMeasure(
        "share of samples in which neither a guard nor a model of entailment finds a contradiction, of those "
        "that one of them reads",
        lambda parts: np.where(parts.guarded, 1.0 - parts.contradicted, np.nan),
        frozenset({"cosine", "contradicted"}),
    ),
    "bert_score": PairMeasure(
        "BERTScore F1, not rescaled", lambda parts: parts.f1, frozenset({"f1"}), bounds=(-1.0, 1.0)
    ),
    "exact_match": PairMeasure("share of samples equal to the answer", _equal, frozenset()),
    "exact_match_normalised": PairMeasure(
        "the same, whatever the case, white space and marks",
        lambda parts: equal_normalised(parts.texts, parts.answer, parts.sample),
        frozenset(),
    ),
}
"""Every measure of pairs by its name."""


def _stays(text: str, place: int, character: str) -> bool:
    """Tell whether a character of a folded text counts in a comparison."""
    if not unicodedata.category(character).startswith("P") or character in _KEPT_MARKS:
        return True
    around = text[max(place - 1, 0) : place + 2]
    if character in ".,":
        return bool(re.fullmatch(r"\d[.,]\d", around))
    before = text[place - 1 : place] or " "
    return character == "-" and text[place + 1 : place + 2].isdigit() and before.isspace()
