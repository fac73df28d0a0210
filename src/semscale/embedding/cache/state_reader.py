"""Token states of texts, rounded to 16 bits: read from the cache, or computed by the model."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.cache.entries import cache_keys
from semscale.embedding.cache.state_cache import Rounded, StateCache, rounded
from semscale.signature import Signature
from semscale.types import Integers, Vectors

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_ids import TokenIds
    from semscale.embedding.tokens.token_states import TokenEncoder

_TOGETHER = 512  # texts in one batch of writes


class StateReader:
    """Gives the states of texts after one layer.

    Freshly computed states are rounded, too, so results do not depend on whether states were cached.

    Args:
        encoder: the model.
        layer: the layer whose states are given.
        cache: the cache of states; ``None`` for no cache.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, cache: StateCache | None) -> None:
        self._encoder = encoder
        self._layer = layer
        self._cache = cache
        self._signature = str(Signature.of("int16", layer=layer).extended(encoder.signature))

    def read(
        self, tokens: "TokenIds", texts: Sequence[str], wanted: Integers, *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield the states of some texts, in the order in which they are ready.

        Args:
            tokens: token ids of all texts.
            texts: all texts.
            wanted: numbers of the wanted texts, each once.
            keep: only the first ``keep`` of all texts are written to the cache; by default all are.
        """
        return self.read_groups(tokens, texts, [wanted], keep=keep)

    def read_groups(
        self, tokens: "TokenIds", texts: Sequence[str], groups: Sequence[Integers], *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield the states of groups of texts, one group after the other.

        The model starts on the next group while the caller still takes the last states of a group. Cached
        states are yielded between computed ones, so the model runs while the caller works on them.

        Args:
            tokens: token ids of all texts.
            texts: all texts.
            groups: numbers of the wanted texts, each once in a group.
            keep: see ``read``.
        """
        wanted = np.unique(np.concatenate([np.empty(0, np.int64), *groups])).tolist()
        keys = self._keys(texts, wanted)
        known = self._cache.known(list(keys.values())) if self._cache else set()
        there = np.zeros(len(texts), np.bool_)
        there[[text for text, key in keys.items() if key in known]] = True
        fresh = self._encoder.encode_groups(
            tokens, (group[~there[group]] for group in groups), layer=self._layer
        )
        writing = _Writing(
            self._cache, {text: key for text, key in keys.items() if keep is None or text < keep}
        )
        for group in groups:
            stored = self._stored(tokens, group[there[group]], keys, writing)
            for each in writing.noted(fresh, int((~there[group]).sum())):
                yield each
                yield from islice(stored, 1)
            yield from stored

    def _keys(self, texts: Sequence[str], wanted: Sequence[int]) -> dict[int, bytes]:
        if not self._cache:
            return {}
        return dict(zip(wanted, cache_keys(self._signature, [texts[text] for text in wanted]), strict=True))

    def _stored(
        self, tokens: "TokenIds", wanted: Integers, keys: Mapping[int, bytes], writing: "_Writing"
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield cached states; the model computes those that are damaged or gone."""
        if not self._cache or not len(wanted):
            return
        found = self._cache.get_many([keys[text] for text in wanted.tolist()], self._encoder.hidden)
        lost = np.delete(wanted, list(found))
        yield from writing.noted(self._encoder.encode(tokens, lost, layer=self._layer), len(lost))
        for row, states in found.items():
            yield int(wanted[row]), states


class _Writing:
    """Writes states to the cache in batches.

    Args:
        cache: the cache; ``None`` for no cache.
        keys: cache keys of the texts whose states are written.
    """

    def __init__(self, cache: StateCache | None, keys: Mapping[int, bytes]) -> None:
        self._cache = cache
        self._keys = keys
        self._waiting: dict[bytes, Rounded] = {}

    def noted(self, read: Iterator[tuple[int, Vectors]], count: int) -> Iterator[tuple[int, Rounded]]:
        """Round computed states and write them to the cache; the last batch is written before it is yielded.

        Args:
            read: numbers of texts with their computed states.
            count: how many texts to take from ``read``.
        """
        for left, (text, exact) in zip(reversed(range(count)), read, strict=False):
            states = rounded(exact)
            if text in self._keys:
                self._waiting[self._keys[text]] = states
            if not left or len(self._waiting) >= _TOGETHER:
                self._write()
            yield text, states

    def _write(self) -> None:
        if self._cache and self._waiting:
            self._cache.put_many(list(self._waiting), list(self._waiting.values()))
            self._waiting.clear()
