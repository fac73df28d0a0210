"""Reads texts with a model, each once: states of tokens, from which all similarities of a pair are made."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semscale.matching.word_layers import TextsRead
from semscale.types import Integers

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder

Half = npt.NDArray[np.float16]
Reading = tuple[Half, ...]
"""States of one text's tokens, (t, hidden), after each of the layers that are wanted.

They are rounded to 16 bits, whether they come from the model or from the disk, so that no number depends on
what was stored.
"""


class TextReadings:
    """Reads texts at one or two layers.

    Args:
        encoder: reads them.
        layers: which layers' states are wanted, ascending.
        texts: distinct.
    """

    def __init__(self, encoder: "TokenEncoder", layers: Sequence[int], texts: Sequence[str]) -> None:
        self._encoder = encoder
        self.layers = tuple(layers)
        self.texts = texts
        self.spelled = TextsRead(texts, encoder)

    @property
    def token_bytes(self) -> int:
        """Memory of one token's states."""
        return 2 * self._encoder.hidden * len(self.layers)

    @property
    def lengths(self) -> Integers:
        """Tokens of each text."""
        return self.spelled.tokens.lengths

    def read(self, texts: Integers) -> Iterator[tuple[int, Reading]]:
        """Give the readings of some texts, in the order in which they are ready."""
        lower = {layer: dict(self._encode(texts, layer)) for layer in self.layers[:-1]}
        for text, states in self._encode(texts, self.layers[-1]):
            yield text, (*(lower[layer].pop(text) for layer in self.layers[:-1]), states)

    def _encode(self, texts: Integers, layer: int) -> Iterator[tuple[int, Half]]:
        for text, states in self._encoder.encode(self.spelled.tokens, texts, layer=layer):
            yield text, states.astype(np.float16)
