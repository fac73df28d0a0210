"""States of texts, rounded to 16 bits: from the disk where they are kept, from the model otherwise."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.entries import cache_keys
from semscale.embedding.state_cache import Rounded, StateCache, rounded
from semscale.signature import Signature
from semscale.types import Integers

if TYPE_CHECKING:
    from semscale.embedding.token_ids import TokenIds
    from semscale.embedding.token_states import TokenEncoder

_WRITTEN = 512  # texts that are written together


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
        keys = cache_keys(self._signature, [texts[text] for text in wanted]) if self._cache else []
        there = self._cache.get_many(keys, self._encoder.hidden) if self._cache else {}
        missing = np.array([row for row in range(len(wanted)) if row not in there], np.int64)
        key_of = {int(wanted[row]): keys[row] for row in missing} if self._cache else {}
        fresh: dict[bytes, Rounded] = {}
        for text, exact in self._encoder.encode(tokens, wanted[missing], layer=self._layer):
            states = rounded(exact)
            if self._cache and (keep is None or text < keep):
                fresh[key_of[text]] = states
                if len(fresh) == _WRITTEN:
                    self._write(fresh)
            yield text, states
        self._write(fresh)
        # Last, so that whoever works on the texts of before does so while the model reads.
        for row, states in there.items():
            yield int(wanted[row]), states

    def _write(self, fresh: dict[bytes, Rounded]) -> None:
        if self._cache and fresh:
            self._cache.put_many(list(fresh), list(fresh.values()))
            fresh.clear()
