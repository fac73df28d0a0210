"""Scores of pairs of outputs; those of the baseline and its reruns are kept for the next comparison."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from semscale.drift.measure.aligned_item import PairScores
from semscale.drift.measure.score_cache import ScoreCache
from semscale.drift.measure.text_readings import Reading
from semscale.embedding.cross_encoder import pair_keys

_AT_ONCE = 2000  # pairs that are stored together


class Scoring(Protocol):
    """Scores pairs of texts by their numbers, as ``PairScoring`` does."""

    def score(
        self, pairs: Sequence[tuple[int, int]], cosines: Sequence[float], readings: Mapping[int, Reading]
    ) -> list[PairScores]:
        """Score pairs."""
        ...


class StoredScoring:
    """Scores pairs, and takes those of texts that every comparison reads again from a cache.

    Args:
        scoring: scores what is not stored.
        cache: holds pairs of earlier comparisons.
        texts: distinct texts of all runs by number.
        keep: the first ``keep`` texts are those of the baseline and its reruns; pairs of them are stored.
        signature: settings of the measurement, the baseline's corpus, and what the scores are made by: all
            that they depend on beside a pair's texts.
    """

    def __init__(
        self, scoring: Scoring, cache: ScoreCache, texts: Sequence[str], *, keep: int, signature: str
    ) -> None:
        self._scoring = scoring
        self._cache = cache
        self._texts = texts
        self._keep = keep
        self._signature = signature
        self._new: dict[bytes, PairScores] = {}

    def score(
        self, pairs: Sequence[tuple[int, int]], cosines: Sequence[float], readings: Mapping[int, Reading]
    ) -> list[PairScores]:
        """Score pairs; see ``PairScoring.score``."""
        keys = self._keys([pair for pair in pairs if max(pair) < self._keep])
        stored = self._cache.get_many(list(keys.values()))
        known = {pair: stored[row] for row, pair in enumerate(keys) if row in stored}
        missing = [row for row, pair in enumerate(pairs) if pair not in known]
        fresh = [pairs[row] for row in missing]
        scored = self._scoring.score(fresh, [cosines[row] for row in missing], readings)
        known.update(zip(fresh, scored, strict=True))
        self._new.update({keys[pair]: known[pair] for pair in fresh if pair in keys})
        if len(self._new) >= _AT_ONCE:
            self.flush()
        return [known[pair] for pair in pairs]

    def flush(self) -> None:
        """Store the pairs that were scored since the last time."""
        if self._new:
            self._cache.put_many(list(self._new), list(self._new.values()))
            self._new = {}

    def _keys(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        ours, theirs = ([self._texts[pair[side]] for pair in pairs] for side in (0, 1))
        return dict(zip(pairs, pair_keys(self._signature, ours, theirs), strict=True))
