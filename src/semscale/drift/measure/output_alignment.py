"""Alignment of the outputs of many items, and scoring of the aligned pairs, in blocks of items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from semscale.drift.measure.aligned_item import EQUAL, AlignedItem, PairScores
from semscale.drift.measure.assignment import align, align_by_position
from semscale.drift.measure.losses import number_distances
from semscale.drift.measure.run_texts import ItemTexts
from semscale.drift.measure.stored_scoring import Scoring
from semscale.drift.measure.text_readings import Reading, TextReadings
from semscale.matching.cosines import plan_groups, row_cosines
from semscale.types import Floats, Integers, Vectors

FRESH_BYTES = 64 << 20  # states of texts that are read in one step
KEPT_BYTES = 128 << 20  # states of texts that are kept for later items
_TOGETHER = 8  # items that are scored together

Key = tuple[int, int]
"""Numbers of the baseline's and the candidate's text."""


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
        pairing: one of ``semscale.drift.measure.assignment.PAIRINGS``.
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
            pairs: the texts of both runs for n items; the first run takes the baseline's part.

        Yields:
            Number of the item, number of the pair of runs, and the aligned outputs.
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
            yield from self._scored(block[start : start + _TOGETHER], readings, scores)
        self._read.forget(dropped)

    def _scored(
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
        """Return the cosines of each text of the baseline with each text of the candidate, for every item."""
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
