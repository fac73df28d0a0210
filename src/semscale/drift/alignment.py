"""Alignment of items' outputs with their counterparts in another run."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from semscale.drift.metrics import EQUAL, AlignedItem, ItemTexts, PairScores, number_distances
from semscale.drift.runs import number_of
from semscale.drift.scoring import Reading, Scoring, TextReadings
from semscale.history.items import Item, Output
from semscale.matching.cosines import plan_groups, row_cosines
from semscale.types import Floats, Integers, Vectors

FRESH_BYTES = 4 << 20  # states of texts that are read in one step; two steps are in memory
KEPT_BYTES = 32 << 20  # states of texts that are kept for later items
_TOGETHER = 8  # items that are scored together

Key = tuple[int, int]
"""Indices of the baseline's and the candidate's text."""


@dataclass(frozen=True)
class Sides:
    """Texts of the baseline and of another run for one item."""

    item: int
    run: int
    baseline: ItemTexts
    candidate: ItemTexts


class Aligner:
    """Aligns the outputs of items.

    Args:
        read: reads the texts.
        scoring: scores the pairs.
        spans: greatest differences that count in the numeric fields, shape (f,).
        pairing: one of ``PAIRINGS``.
        pooling: how token states are combined into a text's vector, ``mean`` or ``cls``.
    """

    def __init__(
        self, read: TextReadings, scoring: Scoring, *, spans: Floats, pairing: str, pooling: str
    ) -> None:
        self._read = read
        self._scoring = scoring
        self._spans = spans
        self._by_position = pairing == "position"
        self._first_token = pooling == "cls"

    def align(
        self, pairs: Sequence[tuple[Sequence[ItemTexts], Sequence[ItemTexts]]]
    ) -> Iterator[tuple[int, int, AlignedItem]]:
        """Align every item of some pairs of runs.

        Args:
            pairs: texts of both runs for n items; the first run acts as the baseline.

        Yields:
            Index of the item, index of the pair of runs, and the aligned outputs.
        """
        sides = [
            [Sides(item, run, *both) for run, both in enumerate(of_item)]
            for item, of_item in enumerate(zip(*(zip(*pair, strict=True) for pair in pairs), strict=True))
        ]
        groups = [
            np.unique(
                np.array(
                    [text for side in item for text in (*side.baseline.texts, *side.candidate.texts)],
                    np.int64,
                )
            )
            for item in sides
        ]
        token = self._read.token_bytes
        room = {"fresh_tokens": FRESH_BYTES // token, "kept_tokens": KEPT_BYTES // token}
        steps = list(plan_groups(groups, self._read.lengths, **room))
        readings = self._read.read([step.fresh for step in steps])
        kept: dict[int, Reading] = {}
        before: Iterator[tuple[int, int, AlignedItem]] = iter(())
        waiting = 0
        for step in steps:
            # While the model reads the texts of one step, score the pairs of the step before: for each text
            # as many pairs as keep both from waiting.
            fresh = len(step.fresh)
            for place, (text, reading) in enumerate(islice(readings, fresh)):
                kept[text] = reading
                yield from islice(before, (place + 1) * waiting // fresh - place * waiting // fresh)
            yield from before
            block = [side for item in step.pairs.tolist() for side in sides[item]]
            before, waiting = self._block(block, kept.copy(), step.dropped.tolist()), len(block)
            for text in step.dropped.tolist():
                del kept[text]
        yield from before

    def _block(
        self, block: Sequence[Sides], readings: Mapping[int, Reading], dropped: Sequence[int]
    ) -> Iterator[tuple[int, int, AlignedItem]]:
        scores: dict[Key, PairScores] = {}
        for start in range(0, len(block), _TOGETHER):
            yield from self._score(block[start : start + _TOGETHER], readings, scores)
        self._read.forget(dropped)

    def _score(
        self, block: Sequence[Sides], readings: Mapping[int, Reading], scores: dict[Key, PairScores]
    ) -> Iterator[tuple[int, int, AlignedItem]]:
        cosines = self._cosines(block, readings)
        pairs = [self._pairs(side, cosines) for side in block]
        keys = [
            [(side.baseline.texts[row], side.candidate.texts[column]) for row, column in found.tolist()]
            for side, found in zip(block, pairs, strict=True)
        ]
        new = (key for each in keys for key in each if key[0] != key[1] and key not in scores)
        wanted = list(dict.fromkeys(new))
        scored = self._scoring.score(wanted, [cosines[key] for key in wanted], readings)
        scores.update(zip(wanted, scored, strict=True))
        for side, found, each in zip(block, pairs, keys, strict=True):
            own = [scores.get(key, EQUAL) for key in each]
            yield side.item, side.run, AlignedItem(side.baseline, side.candidate, found, own)

    def _pairs(self, side: Sides, cosines: Mapping[Key, float]) -> Integers:
        ours, theirs = side.baseline, side.candidate
        if self._by_position or not ours or not theirs:
            return align_by_position(len(ours), len(theirs))
        similarity = np.array([[cosines[one, other] for other in theirs.texts] for one in ours.texts])
        return align(similarity, number_distances(ours.numbers, theirs.numbers, self._spans))

    def _cosines(self, block: Sequence[Sides], readings: Mapping[int, Reading]) -> dict[Key, float]:
        """Return the cosines of the baseline's texts with the candidate's texts, for every item."""
        keys = list(
            dict.fromkeys(key for side in block for key in product(side.baseline.texts, side.candidate.texts))
        )
        texts = np.array(keys, np.int64).reshape(-1, 2)
        used, rows = np.unique(texts, return_inverse=True)
        vectors = np.array([self._vector(readings[text]) for text in used.tolist()], np.float64)
        rows = rows.reshape(texts.shape)
        values = row_cosines(vectors[rows[:, 0]], vectors[rows[:, 1]]) if keys else np.empty(0)
        values[texts[:, 0] == texts[:, 1]] = 1.0
        return dict(zip(keys, values.tolist(), strict=True))

    def _vector(self, reading: Reading) -> Vectors:
        states = reading[-1].astype(np.float32)
        return np.asarray(states[0] if self._first_token else states.mean(axis=0))


PAIRINGS = ("assignment", "position")
"""Ways to pair outputs: by optimal assignment, or the first with the first and so on, like Athena."""

_NEARER = 1e-6  # weight of numbers, which decide between equal similarities; below any difference of texts
_EARLIER = 1e-9  # weight of positions, which decide if numbers are equal, too


def align(similarity: Floats, distance: Floats | None = None) -> Integers:
    """Pair outputs so that the sum of the pairs' similarities is greatest.

    Ties between equal sums are resolved by the smaller sum of distances, then by closer positions of the
    pairs.

    Args:
        similarity: shape (b, c), similarities of b outputs of the baseline to c of the candidate.
        distance: shape (b, c), 0 to 1, distances of the outputs' numbers; 0 by default.

    Returns:
        Shape (min(b, c), 2): rows and columns of the pairs, ascending by row.

    References:
        Crouse 2016, On implementing 2D rectangular assignment algorithms, doi:10.1109/TAES.2016.140952.

    Examples:
        >>> align(np.array([[0.2, 0.9, 0.3], [0.4, 0.8, 0.1]])).tolist()
        [[0, 1], [1, 0]]
        >>> align(np.ones((2, 2)), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
        [[0, 1], [1, 0]]
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = np.ogrid[: similarity.shape[0], : similarity.shape[1]]
    worth = similarity - _EARLIER * np.abs(rows - columns)
    if distance is not None:
        worth = worth - _NEARER * distance
    return np.column_stack(linear_sum_assignment(worth, maximize=True)).astype(np.int64)


def align_by_position(n_baseline: int, n_candidate: int) -> Integers:
    """Pair the first output with the first, the second with the second, and so on.

    Returns:
        Shape (the smaller number, 2).

    Examples:
        >>> align_by_position(3, 2).tolist()
        [[0, 0], [1, 1]]
    """
    places = np.arange(min(n_baseline, n_candidate), dtype=np.int64)
    return np.column_stack([places, places])


class TextNumbers:
    """Index of distinct texts, numbered in order of first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def texts(self) -> list[str]:
        """All texts in the order of their numbers."""
        return list(self._numbers)

    def number(self, text: str) -> int:
        """Return a text's number; a new text gets the next one."""
        return self._numbers.setdefault(text, len(self._numbers))


def item_texts(
    items: Sequence[Item], fields: Sequence[str], numbers: TextNumbers, *, sort: bool
) -> list[ItemTexts]:
    """Number the texts of items.

    Args:
        items: n items.
        fields: names of the f requested fields.
        numbers: numbers of texts; new texts are added.
        sort: true to sort each item's outputs by texts and numbers, so that the order of outputs does not
            matter.
    """
    return [_texts_of(item, fields, numbers, sort=sort) for item in items]


def _texts_of(item: Item, fields: Sequence[str], numbers: TextNumbers, *, sort: bool) -> ItemTexts:
    outputs = [(output.text or "", output, place) for place, output in enumerate(item.outputs_with_text)]
    if sort:
        outputs.sort(key=lambda each: (each[0], _order(each[1])))
    values = [[number_of(output, field) for field in fields] for _, output, _ in outputs]
    return ItemTexts(
        texts=tuple(numbers.number(text) for text, _, _ in outputs),
        positions=tuple(place for _, _, place in outputs),
        numbers=np.array(values, np.float64).reshape(len(outputs), len(fields)),
        characters=sum(len(text.strip()) for text, _, _ in outputs),
    )


def _order(output: Output) -> list[tuple[str, float]]:
    return sorted((name, value) for name, value in output.fields.items() if not math.isnan(value))
