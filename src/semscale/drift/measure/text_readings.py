"""Reading of texts with a model, each once; all similarities of a pair come from these token states."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.cache import Rounded, StateCache, StateReader
from semscale.matching.words import TokenizedTexts
from semscale.types import Integers, Mask

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder

Reading = tuple[Rounded, ...]
"""States of one text's tokens, (t, hidden), after each requested layer."""


class TextReadings:
    """Reads texts at one or two layers.

    Args:
        encoder: the model.
        layers: the requested layers, ascending.
        texts: distinct texts.
        cache: cache of states; ``None`` for no cache.
        keep: the first ``keep`` texts are cached.
    """

    def __init__(
        self,
        encoder: "TokenEncoder",
        layers: Sequence[int],
        texts: Sequence[str],
        *,
        cache: StateCache | None,
        keep: int,
    ) -> None:
        self._hidden = encoder.hidden
        self._reader = encoder.reader
        self._readers = [StateReader(encoder, layer, cache) for layer in layers]
        self._keep = keep
        self._held: dict[int, Reading] = {}
        self.texts = texts
        self.spelled = TokenizedTexts(texts, encoder, words=False)

    @property
    def token_bytes(self) -> int:
        """Bytes of one token's states."""
        return 2 * self._hidden * len(self._readers)

    @property
    def lengths(self) -> Integers:
        """Number of tokens in each text, shape (texts,)."""
        return self.spelled.tokens.lengths

    @cached_property
    def unread(self) -> Mask:
        """Which texts the model cannot read, shape (texts,)."""
        return self._reader.unread(self.spelled.tokens)

    def hold(self, wanted: Integers) -> dict[int, Reading]:
        """Return the readings of a few texts, and keep them in memory for later calls of ``read``."""
        self._held = dict(self.read([wanted]))
        return self._held

    def forget(self, texts: Iterable[int]) -> None:
        """Release the words of texts that are no longer needed, except the first ``keep`` texts."""
        self.spelled.forget(text for text in texts if text >= self._keep)

    def read(self, groups: Sequence[Integers]) -> Iterator[tuple[int, Reading]]:
        """Yield the readings of groups of texts, one group after the other.

        Args:
            groups: numbers of texts, each once in a group.
        """
        held = np.array(sorted(self._held), np.int64)
        unread = [np.setdiff1d(group, held) for group in groups]
        *lower, last = (partial(self._states, reader) for reader in self._readers)
        # Only one model runs at a time: if two layers are read, each waits for the other after every group.
        above = chain.from_iterable(last([rest]) for rest in unread) if lower else last(unread)
        for group, rest in zip(groups, unread, strict=True):
            yield from ((text, self._held[text]) for text in np.intersect1d(group, held).tolist())
            below = [dict(states([rest])) for states in lower]
            for text, states in islice(above, len(rest)):
                yield text, (*(each.pop(text) for each in below), states)

    def _states(self, reader: StateReader, groups: Sequence[Integers]) -> Iterator[tuple[int, Rounded]]:
        return reader.read_groups(self.spelled.tokens, self.texts, groups, keep=self._keep)
