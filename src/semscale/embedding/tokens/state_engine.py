"""What an engine needs to have for methods that compare single tokens, and how it is found."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Integers

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENLESS_ENGINES = frozenset({"api"})
"""Engines that are known to show no tokens; others are asked once their model is loaded."""

Rows = Sequence[npt.NDArray[np.int32]]
Outputs = npt.NDArray[np.float32]
Whose = TypeVar("Whose")


class StateEngine(Protocol):
    """An engine that shows the hidden states of single tokens at every layer; an embedder may be one."""

    @property
    def name(self) -> str:
        """The model's name in signatures."""
        ...

    @property
    def signature(self) -> Signature:
        """What decides the numbers: model, libraries, precision, pooling and windows."""
        ...

    @property
    def layers(self) -> int:
        """How many transformer layers the model has."""
        ...

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        ...

    @property
    def positions(self) -> int:
        """How many tokens the model reads at once, special ones included."""
        ...

    @property
    def pooling(self) -> str:
        """How the model makes a text's vector of the last layer's states: ``mean``, or ``cls``, the first.

        Raises:
            InputError: it does neither.
        """
        ...

    @property
    def word_prefix(self) -> str:
        """What is put before a text, so that its first word is spelled like every other one."""
        ...

    def open_tokenizer(self) -> "Tokenizer":
        """Give the model's tokenizer, a new one with each call, without padding."""
        ...

    def check_layer(self, layer: int) -> None:
        """Refuse a layer that the model does not have.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
        """
        ...

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer`` (0: the embeddings), in batches of equal length.

        Args:
            groups: rows that the model can read at once, special tokens included, and whose they are.
            layer: 0 to ``layers``.

        Yields:
            For each batch whose rows it holds, which of them, and their states (b, t, hidden), valid until
            the next batch; one group after the other.
        """
        ...


def state_engine(embedder: object) -> StateEngine:
    """Find the engine behind an embedder that shows the states of single tokens.

    Args:
        embedder: what ``load_embedder`` gives, with a cache or without.

    Raises:
        InputError: its engine shows none.
    """
    engine = _behind_cache(embedder)
    if not shows_states(embedder):
        raise InputError(
            "embedder must show the states of single tokens, which those of engine='openvino' and "
            f"engine='torch' do, got {type(engine).__name__}: give a model's name, a folder, or "
            "load_embedder(name, engine='torch')",
            in_shell="--engine must be openvino or torch, which show the states of single tokens, got "
            f"{type(engine).__name__}",
        )
    return cast(StateEngine, engine)


def shows_states(embedder: object) -> bool:
    """Tell whether the engine behind an embedder shows the states of single tokens."""
    return callable(getattr(_behind_cache(embedder), "run_layer", None))


def _behind_cache(embedder: object) -> object:
    return getattr(embedder, "embedder", embedder)


def checked_layer(layer: int, layers: int) -> None:
    """Refuse a layer that a model does not have.

    Raises:
        InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
    """
    whole = isinstance(layer, int | np.integer) and not isinstance(layer, bool)
    if not whole or not 0 <= layer <= layers:
        raise InputError(f"layer must be between 0 and {layers}, got {layer!r}")
