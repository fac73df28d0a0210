"""States of tokens in batches: an engine whose rows of token ids share batches with other requests."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semscale.embedding.tokens.state_engine import Outputs, Rows, StateEngine, Whose
from semscale.serving.batching.batched_texts import Heard
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.errand import Delivery
from semscale.signature import Signature
from semscale.types import Integers

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Row = npt.NDArray[np.int32]

_AHEAD = 2  # deliveries of a request under way: the model works on one while the other is read


class BatchedRows:
    """Puts rows of token ids through a model; the states of a row do not depend on its batch.

    Args:
        engine: the model; its ``run_layer`` is called from several threads at once.
        heard: called after each batch.
    """

    def __init__(self, engine: StateEngine, heard: Heard | None = None) -> None:
        self._engine = engine
        self._heard = heard

    def size(self, row: Row) -> int:
        """Count a row's tokens."""
        return len(row)

    def run(self, rows: Sequence[Row], counts: Sequence[int]) -> list[list[Outputs]]:
        """Compute the states of the rows of several requests after the last layer, ``counts`` of each."""
        states: dict[int, Outputs] = {}
        for _, batch, output in self._engine.run_layer([(None, rows)], layer=self._engine.layers):
            states.update(zip(batch.tolist(), output.copy(), strict=True))
        if self._heard:
            self._heard(len(rows), sum(map(len, rows)))
        bounds = pairwise([0, *accumulate(counts)])
        return [[states[row] for row in range(start, stop)] for start, stop in bounds]


class BatchedStates:
    """A ``StateEngine`` whose states after the last layer come in batches of several requests.

    The states are those of the engine behind it. Rows are sent some at a time, and wait for their turn
    however many wait before them: a thread of a request sends the next ones when it has read the first.

    Args:
        engine: the one behind it.
        batcher: puts rows of token ids through that engine.
        together: tokens of a request that are sent at once.
    """

    def __init__(self, engine: StateEngine, batcher: Batcher[Row, list[Outputs]], together: int) -> None:
        self._engine = engine
        self._batcher = batcher
        self._together = together

    @property
    def name(self) -> str:
        """The model's name in signatures."""
        return self._engine.name

    @property
    def signature(self) -> Signature:
        """That of the engine behind it, as batches change no number."""
        return self._engine.signature

    @property
    def layers(self) -> int:
        """How many transformer layers the model has."""
        return self._engine.layers

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        return self._engine.hidden

    @property
    def positions(self) -> int:
        """How many tokens the model reads at once, special ones included."""
        return self._engine.positions

    @property
    def pooling(self) -> str:
        """How the model makes a text's vector of the last layer's states."""
        return self._engine.pooling

    @property
    def word_prefix(self) -> str:
        """What is put before a text, so that its first word is spelled like every other one."""
        return self._engine.word_prefix

    def open_tokenizer(self) -> "Tokenizer":
        """Give the model's tokenizer, a new one with each call, without padding."""
        return self._engine.open_tokenizer()

    def check_layer(self, layer: int) -> None:
        """Refuse a layer that the model does not have.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
        """
        self._engine.check_layer(layer)

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer``; those up to the last one share batches.

        Args:
            groups: rows that the model can read at once, special tokens included, and whose they are.
            layer: 0 (the embeddings) to ``layers``.

        Yields:
            A row at a time, with its number, shape (1,), and its states (1, t, hidden); one group after the
            other.

        Raises:
            AbandonedError: nobody waits for the work any more.
        """
        self.check_layer(layer)
        if layer != self.layers:
            yield from self._engine.run_layer(groups, layer=layer)
            return
        for whose, rows in groups:
            for row, states in self._states(rows):
                yield whose, np.array([row]), states[np.newaxis]

    def _states(self, rows: Rows) -> Iterator[tuple[int, Outputs]]:
        """Yield the states of all rows, the longest rows first, with the next ones under way."""
        under_way: deque[tuple[list[int], Delivery[Row, list[Outputs]]]] = deque()
        sent_together = self._sent_together(rows)
        try:
            while True:
                while len(under_way) < _AHEAD and (numbers := next(sent_together, None)):
                    sent = [rows[number] for number in numbers]
                    under_way.append((numbers, Delivery(self._batcher, sent, is_bounded=False)))
                if not under_way:
                    return
                numbers, delivery = under_way.popleft()
                states = [each for part in delivery.wait() for each in part]
                yield from zip(numbers, states, strict=True)
        finally:
            for _, delivery in under_way:
                delivery.drop()

    def _sent_together(self, rows: Rows) -> Iterator[list[int]]:
        """Cut rows into runs of about as many tokens, rows of equal length beside each other."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        order = np.argsort(-lengths, kind="stable")
        before = np.cumsum(lengths[order]) - lengths[order]
        cuts = np.flatnonzero(np.diff(before // self._together)) + 1
        return (run.tolist() for run in np.split(order, cuts) if len(run))
