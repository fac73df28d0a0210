"""States of texts, rounded to 16 bits: from the disk where they are kept, from the model otherwise."""

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

_TOGETHER = 512  # texts that are written together


class StateReader:
    """Reads texts at one layer; states are rounded wherever they are from, so that no number depends on that.

    Args:
        encoder: the model.
        layer: whose states.
        cache: where states are kept, if anywhere.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, cache: StateCache | None) -> None:
        self._encoder = encoder
        self._layer = layer
        self._cache = cache
        self._signature = str(Signature.of("int16", layer=layer).extended(encoder.signature))

    def read(
        self, tokens: "TokenIds", texts: Sequence[str], wanted: Integers, *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Give the states of some texts, in the order in which they are ready.

        Args:
            tokens: of all texts.
            texts: all texts.
            wanted: which of them are wanted, each once.
            keep: how many of all texts, the first ones, are kept on disk once they were read; all of them
                unless given.
        """
        return self.read_groups(tokens, texts, [wanted], keep=keep)

    def read_groups(
        self, tokens: "TokenIds", texts: Sequence[str], groups: Sequence[Integers], *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Give the states of groups of texts, all of one group before those of the next.

        The model begins with the next group while the last states of one are still taken. States from the
        disk come between those that it reads, so that it goes on while they are worked on.

        Args:
            tokens: of all texts.
            texts: all texts.
            groups: which of them are wanted, each of a group once.
            keep: as ``read`` has it.
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
        """Give states from the disk, and from the model those that turn out to be damaged or gone."""
        if not self._cache or not len(wanted):
            return
        found = self._cache.get_many([keys[text] for text in wanted.tolist()], self._encoder.hidden)
        lost = np.delete(wanted, list(found))
        yield from writing.noted(self._encoder.encode(tokens, lost, layer=self._layer), len(lost))
        for row, states in found.items():
            yield int(wanted[row]), states


class _Writing:
    """Writes states, some together.

    Args:
        cache: where to, if anywhere.
        keys: of the texts whose states are written.
    """

    def __init__(self, cache: StateCache | None, keys: Mapping[int, bytes]) -> None:
        self._cache = cache
        self._keys = keys
        self._waiting: dict[bytes, Rounded] = {}

    def noted(self, read: Iterator[tuple[int, Vectors]], count: int) -> Iterator[tuple[int, Rounded]]:
        """Round what the model has read, and write what is to be kept, the last of it before it is given.

        Args:
            read: texts with their states.
            count: how many of them to take.
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
