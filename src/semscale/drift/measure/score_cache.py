"""Persistent cache of the scores and findings of pairs of outputs, in a file beside the embedding cache."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from semscale.drift.measure.aligned_item import PairScores
from semscale.embedding.cache_file import EntryStore
from semscale.guards.findings import Finding, Span

SCORES_FILE = "scores.sqlite"


class ScoreCache:
    """Stores what was found out about pairs of outputs; a damaged entry counts as missing.

    Args:
        folder: the folder of the file ``scores.sqlite``; the default is that of ``EntryStore``.
        max_bytes: above this size the least recently used entries are removed; the default is that of
            ``EntryStore``.

    Example:
        >>> import tempfile
        >>> from semscale.embedding.cross_encoder import pair_keys
        >>> good, bad = pair_keys("a meter's signature", ["a", "b"], ["c", "d"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cache = ScoreCache(folder)
        ...     cache.put_many([good], [PairScores({"match": 0.25})])
        ...     found = cache.get_many([bad, good])
        ...     cache.close()
        >>> {row: dict(scores.scores) for row, scores in found.items()}
        {1: {'match': 0.25}}
    """

    def __init__(self, folder: str | Path | None = None, *, max_bytes: int | None = None) -> None:
        # The cache of states is used by the same commands in the same folder, and says what is wrong with it.
        self._store = EntryStore(SCORES_FILE, folder, max_bytes=max_bytes, is_silent=True)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._store.close()

    def get_many(self, keys: Sequence[bytes]) -> dict[int, PairScores]:
        """Look pairs up.

        Args:
            keys: n distinct keys, from ``pair_keys``.

        Returns:
            What was found, by its row in ``keys``.
        """
        row = {key: at for at, key in enumerate(keys)}
        return {row[key]: _decoded(body) for entries in self._store.read(keys) for key, body in entries}

    def put_many(self, keys: Sequence[bytes], scores: Sequence[PairScores]) -> None:
        """Store pairs: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys.
            scores: scores and findings of n pairs.
        """
        self._store.write(keys, [json.dumps(asdict(pair)).encode() for pair in scores])


def _decoded(body: bytes) -> PairScores:
    found = json.loads(body)
    findings = tuple(map(_finding, found.pop("findings")))
    return PairScores(**found, findings=findings)


def _finding(found: dict[str, Any]) -> Finding:
    sides = {side: Span(**found[side]) if found[side] else None for side in ("prediction", "reference")}
    return Finding(**found | sides)
