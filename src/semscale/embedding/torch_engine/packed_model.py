"""A checkpoint in PyTorch: packed batches of token ids in, vectors or states of tokens out."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.engines.checkpoint import Checkpoint
from semscale.embedding.engines.content_check import checked_content
from semscale.embedding.engines.finite_output import check_finite
from semscale.embedding.engines.model_files import open_weights
from semscale.embedding.tokens.state_engine import Outputs, Rows, Whose
from semscale.embedding.torch_engine.encoder import LayerStack, TokenTable, pooled
from semscale.embedding.torch_engine.packed_rows import PackedRows, typed_batches
from semscale.embedding.torch_engine.packed_tensors import PackedTensors, run_states
from semscale.embedding.torch_engine.transfers import fetched
from semscale.types import Integers, Vectors

if TYPE_CHECKING:
    import torch

_BUDGETS = {"cpu": 4096}
_BUDGET = 32_768
"""Tokens in a batch on a GPU: enough that its products fill it, and that launching them costs little."""


class PackedModel:
    """Runs packed rows through an encoder; its weights are read when they are first needed.

    Args:
        checkpoint: the encoder's architecture, pooling and files.
        sha256: hash that the weights must have, 64 hex digits.
        kind: type of the numbers, such as ``bfloat16``; short rows are computed in float32 all the same.
        device: where they are computed.
        budget: tokens in a batch; what suits the device unless given.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        sha256: str,
        *,
        kind: str,
        device: "torch.device",
        budget: int | None = None,
    ) -> None:
        self._checkpoint = checkpoint
        self._sha256 = sha256
        self.kind = kind
        self.device = device
        self._budget = budget or _BUDGETS.get(device.type, _BUDGET)
        self._table: TokenTable | None = None
        self._stacks: dict[str, LayerStack] = {}

    def vectors(self, ids: Rows) -> Vectors:
        """Give the unit vectors of rows of token ids, shape (n, hidden), float32."""
        found = np.empty((len(ids), self._checkpoint.architecture.hidden), np.float32)
        pooling, layers = self._checkpoint.pooling, self._checkpoint.architecture.layers
        outputs = (
            (rows, pooled(states, packed, pooling)) for rows, packed, states in self._computed(ids, layers)
        )
        for rows, output in fetched(outputs):
            check_finite(output, str(self._checkpoint.weights))
            found[rows] = output
        return found

    def run(
        self, groups: Iterable[tuple[Whose, Rows]], layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to a layer, as ``StateEngine.run_layer`` has it."""
        outputs = (
            ((whose, rows[run.row : run.row + run.rows]), run_states(states, run))
            for whose, ids in groups
            for rows, packed, states in self._computed(ids, layer)
            for run in packed.runs
        )
        for (whose, rows), output in fetched(outputs):
            check_finite(output, str(self._checkpoint.weights))
            yield whose, rows, output

    def states(self, ids: Rows, layer: int) -> "tuple[torch.Tensor, Integers]":
        """Give the states of all tokens where they were computed, without a copy to NumPy or a wait for them.

        Whether they are finite is not checked, as that would wait; what is made of them can be.

        Args:
            ids: rows that the model can read at once.
            layer: 0 to ``layers``.

        Returns:
            States (tokens, hidden), float32, on the device; and the place of each row's first token, (n,).

        Raises:
            ModelError: the weights are damaged, or have changed since.
        """
        import torch

        starts = np.empty(len(ids), np.int64)
        parts = [torch.empty((0, self._checkpoint.architecture.hidden), device=self.device)]
        done = 0
        for rows, packed, states in self._computed(ids, layer):
            starts[rows] = done + packed.starts
            done += len(states)
            parts.append(states)
        return torch.cat(parts), starts

    def _computed(self, ids: Rows, layer: int) -> "Iterator[tuple[Integers, PackedTensors, torch.Tensor]]":
        """Give each batch's rows, and the states of its tokens in float32, which may still be under way."""
        import torch

        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        for kind, rows in typed_batches(lengths, self._budget, self.kind):
            table, stack = self._weights(kind, layer)
            with torch.inference_mode():
                packed = PackedTensors(PackedRows.of([ids[row] for row in rows]), self.device)
                states = stack(table(packed), packed, layer).float()
            yield rows, packed, states

    def _weights(self, kind: str, layers: int) -> tuple[TokenTable, LayerStack]:
        """Give the table of tokens, and at least so many layers in a type; they are hashed while read."""
        stack = self._stacks.get(kind)
        if self._table is not None and stack is not None and len(stack) >= layers:
            return self._table, stack
        architecture = self._checkpoint.architecture
        with checked_content(self._checkpoint.weights, self._sha256) as content:
            weights = open_weights(self._checkpoint, content)
            table = self._table or TokenTable(self._checkpoint, weights, self.device)
            stack = LayerStack(architecture, weights.parameters, kind=kind, device=self.device, layers=layers)
        self._table, self._stacks[kind] = table, stack
        return table, stack
