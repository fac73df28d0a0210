"""Post-norm transformer encoders in PyTorch, over packed rows, from the weights that all engines read.

All steps but attention are products and norms of single tokens, so they take the tokens of all rows at once.
"""

from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.engines.checkpoint import Architecture, Checkpoint
from semscale.embedding.engines.checkpoint_weights import Parameters, position_table
from semscale.embedding.engines.model_files import Weights
from semscale.embedding.engines.q4_file import MIDDLE, Q4Table
from semscale.embedding.torch_engine.attention import attended
from semscale.embedding.torch_engine.device import reads_packed
from semscale.embedding.torch_engine.packed_tensors import PackedTensors, run_states

if TYPE_CHECKING:
    import torch

_NORM_FLOOR = 1e-12


class TokenTable:
    """What stands for each token before the first layer: its word, its place, and a norm; in float32.

    Args:
        checkpoint: the encoder's architecture.
        weights: its parameters.
        device: where it is computed.
    """

    def __init__(self, checkpoint: Checkpoint, weights: Weights, device: "torch.device") -> None:
        import torch

        self._shape = checkpoint.architecture
        words, parameters = weights.words, weights.parameters
        table = words.packed if isinstance(words, Q4Table) else _writable(words)
        self._words = torch.from_numpy(table).to(device)
        self._scales = torch.from_numpy(words.scales).to(device) if isinstance(words, Q4Table) else None
        places = position_table(parameters, self._shape)
        self._places = None if places is None else torch.from_numpy(_writable(places)).to(device)
        self._norm = [
            _tensor(parameters, f"embeddings.LayerNorm.{part}", device) for part in ("weight", "bias")
        ]

    def __call__(self, rows: PackedTensors) -> "torch.Tensor":
        """Give the embeddings (tokens, hidden)."""
        from torch.nn import functional

        summed = self._rows(rows.ids)
        if self._places is not None:
            summed = summed + functional.embedding(rows.places, self._places)
        weight, bias = self._norm
        return functional.layer_norm(summed, weight.shape, weight, bias, self._shape.norm_epsilon)

    def _rows(self, ids: "torch.Tensor") -> "torch.Tensor":
        """Take the tokens' rows; those of a table in 4 bits become floats here, not the whole table."""
        import torch

        if self._scales is None:
            return torch.nn.functional.embedding(ids, self._words)
        packed = self._words.index_select(0, ids)
        values = torch.cat([packed & 15, packed >> 4], dim=2).float() - MIDDLE
        return (values * self._scales.index_select(0, ids).float()[:, :, None]).flatten(1)


class LayerStack:
    """The encoder's layers in one type of number.

    Args:
        architecture: of the encoder.
        parameters: under BERT's names.
        kind: the type, such as ``bfloat16``.
        device: where they are computed.
        layers: how many to read, from the first on.
    """

    def __init__(
        self,
        architecture: Architecture,
        parameters: Parameters,
        *,
        kind: str,
        device: "torch.device",
        layers: int,
    ) -> None:
        import torch

        self._shape = architecture
        self._kind: torch.dtype = getattr(torch, kind)
        self._packed = reads_packed(device, kind, architecture.hidden // architecture.heads)
        self._layers = [
            {
                name: tensor.to(self._kind)
                for name, tensor in _layer_tensors(parameters, f"encoder.layer.{layer}.", device).items()
            }
            for layer in range(layers)
        ]

    def __len__(self) -> int:
        return len(self._layers)

    def __call__(self, embeddings: "torch.Tensor", rows: PackedTensors, layers: int) -> "torch.Tensor":
        """Give the states (tokens, hidden) after some layers, in the stack's type."""
        states = embeddings.to(self._kind)
        for layer in self._layers[:layers]:
            states = self._after(layer, states, rows)
        return states

    def _after(
        self, layer: "dict[str, torch.Tensor]", states: "torch.Tensor", rows: PackedTensors
    ) -> "torch.Tensor":
        from torch.nn import functional

        joined = functional.linear(states, layer["joined.weight"], layer["joined.bias"])
        mixed = attended(joined, rows, heads=self._shape.heads, packed=self._packed)
        states = self._normed(layer, "attention.output", mixed, states)
        inner = functional.linear(
            states, layer["intermediate.dense.weight"], layer["intermediate.dense.bias"]
        )
        return self._normed(layer, "output", self._active(inner), states)

    def _normed(
        self, layer: "dict[str, torch.Tensor]", name: str, inner: "torch.Tensor", states: "torch.Tensor"
    ) -> "torch.Tensor":
        """Multiply by a matrix, add what came in, and normalise."""
        from torch.nn import functional

        outer = functional.linear(inner, layer[f"{name}.dense.weight"], layer[f"{name}.dense.bias"])
        weight, bias = layer[f"{name}.LayerNorm.weight"], layer[f"{name}.LayerNorm.bias"]
        return functional.layer_norm(outer + states, weight.shape, weight, bias, self._shape.norm_epsilon)

    def _active(self, inner: "torch.Tensor") -> "torch.Tensor":
        from torch.nn import functional

        name = self._shape.activation
        if name in ("gelu", "gelu_tanh"):
            return functional.gelu(inner, approximate="tanh" if name == "gelu_tanh" else "none")
        found: torch.Tensor = {"relu": functional.relu, "silu": functional.silu, "tanh": functional.tanh}[
            name
        ](inner)
        return found


def pooled(states: "torch.Tensor", rows: PackedTensors, pooling: str) -> "torch.Tensor":
    """Give a unit vector for each row: the mean of its states, or the first; in float32.

    Args:
        states: shape (tokens, hidden), in any type.
        rows: the b rows.
        pooling: ``mean`` or ``cls``.

    Returns:
        Shape (b, hidden), float32.
    """
    import torch

    if pooling == "cls":
        found = states.index_select(0, rows.ends[:-1]).float()
    else:
        found = torch.cat([run_states(states, run).mean(1, dtype=torch.float32) for run in rows.runs])
    return torch.nn.functional.normalize(found, dim=1, eps=_NORM_FLOOR)


def _layer_tensors(parameters: Parameters, prefix: str, device: "torch.device") -> "dict[str, torch.Tensor]":
    """Read a layer, with the matrices of query, key and value side by side as one product."""
    import torch

    names = [f"{name}.{part}" for name in _IN_LAYER for part in ("weight", "bias")]
    found = {name: _tensor(parameters, prefix + name, device) for name in names}
    for part in ("weight", "bias"):
        three = [parameters[f"{prefix}attention.self.{name}.{part}"] for name in ("query", "key", "value")]
        found[f"joined.{part}"] = torch.from_numpy(np.concatenate(three)).to(device)
    return found


_IN_LAYER = (
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


def _tensor(parameters: Parameters, name: str, device: "torch.device") -> "torch.Tensor":
    import torch

    return torch.from_numpy(_writable(parameters[name])).to(device)


def _writable(values: np.ndarray) -> np.ndarray:
    """Give an array that PyTorch takes without a warning: its own memory, and in order."""
    return np.require(values, requirements=["C", "W", "A"])
