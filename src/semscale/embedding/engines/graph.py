"""OpenVINO graphs of post-norm transformer encoders, built from a checkpoint's weights.

Every row of a batch has the same number of tokens, so there is no padding and no mask.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.checkpoint import Checkpoint
from semscale.embedding.engines.int8_products import int8_weights
from semscale.embedding.engines.model_files import Weights
from semscale.embedding.engines.q4_file import MIDDLE, Q4Table
from semscale.embedding.engines.runtime import openvino_module

if TYPE_CHECKING:
    import openvino

Node = Any  # openvino's nodes and outputs have no types

_NORM_FLOOR = 1e-24  # a vector with a smaller squared length is left unchanged, not divided by zero


def sentence_graph(checkpoint: Checkpoint, weights: Weights, *, int8: bool = False) -> "openvino.Model":
    """Build the graph from token ids (b, t) to unit sentence vectors (b, hidden).

    Args:
        checkpoint: the encoder's architecture and pooling.
        weights: its parameters.
        int8: round the layers' weights to 8-bit integers, one matrix after the other.

    References:
        Reimers and Gurevych 2019, Sentence-BERT, section 3 (mean and CLS pooling), doi:10.18653/v1/D19-1410.
    """
    encoder = _Encoder(checkpoint, weights, int8=int8)
    states = encoder.states(checkpoint.architecture.layers)
    pooled = encoder.mean(states) if checkpoint.pooling == "mean" else encoder.first(states)
    return encoder.model(encoder.unit(pooled))


def states_graph(checkpoint: Checkpoint, weights: Weights, layer: int) -> "openvino.Model":
    """Build the graph from token ids (b, t) to hidden states (b, t, hidden) after ``layer``.

    Layer 0 gives the embeddings. Layers above ``layer`` are not built, so they cost nothing.
    """
    encoder = _Encoder(checkpoint, weights)
    return encoder.model(encoder.states(layer))


class _Encoder:
    """The encoder of Vaswani et al. 2017 with layer normalisation after each residual sum, like BERT."""

    def __init__(self, checkpoint: Checkpoint, weights: Weights, *, int8: bool = False) -> None:
        self._op = openvino_module().opset13
        self._shape = checkpoint.architecture
        self._weights = weights
        self._matrix = int8_weights if int8 else self._floats
        self._parameters = weights.parameters
        self._ids = self._op.parameter([-1, -1], np.int32, name="ids")

    def model(self, output: Node) -> "openvino.Model":
        return openvino_module().Model([output], [self._ids], "encoder")

    def states(self, layer: int) -> Node:
        states = self._embeddings()
        for index in range(layer):
            states = self._layer(states, f"encoder.layer.{index}.")
        return states

    def mean(self, states: Node) -> Node:
        return self._op.reduce_mean(states, self._integers([1]))

    def first(self, states: Node) -> Node:
        return self._op.gather(states, self._integers(0), self._integers(1))

    def unit(self, vectors: Node) -> Node:
        return self._op.normalize_l2(vectors, self._integers([1]), _NORM_FLOOR, "max")

    def _length(self) -> Node:
        return self._op.gather(self._op.shape_of(self._ids, "i32"), self._integers(1), self._integers(0))

    def _embeddings(self) -> Node:
        table = self._parameters["embeddings.position_embeddings.weight"][self._shape.first_position :]
        types = self._parameters.get("embeddings.token_type_embeddings.weight")
        if types is not None:
            table = table + types[0]  # a single text is all of the first type
        positions = self._op.slice(
            self._floats(table),
            self._integers([0]),
            self._op.unsqueeze(self._length(), self._integers([0])),
            self._integers([1]),
            self._integers([0]),
        )
        return self._norm(self._op.add(self._words(), positions), "embeddings.LayerNorm")

    def _words(self) -> Node:
        """Take the tokens' rows (b, t, hidden) from the table of words."""
        words, first = self._weights.words, self._integers(0)
        if not isinstance(words, Q4Table):
            return self._op.gather(self._floats(words), self._ids, first)
        # The table stays in 4 bits: the rows of a batch are taken first and made floats afterwards.
        packed = self._op.gather(self._shared(words.packed), self._ids, first)
        scales = self._op.gather(self._shared(words.scales), self._ids, first)
        halves = self._op.convert(packed, "f32")
        high = self._op.floor(self._op.multiply(halves, self._floats(1 / 16)))
        low = self._op.subtract(halves, self._op.multiply(high, self._floats(16)))
        centred = self._op.subtract(self._op.concat([low, high], 3), self._floats(MIDDLE))
        scale = self._op.unsqueeze(self._op.convert(scales, "f32"), self._integers(3))
        return self._op.reshape(
            self._op.multiply(centred, scale), self._integers([0, 0, self._shape.hidden]), True
        )

    def _layer(self, states: Node, prefix: str) -> Node:
        attended = self._linear(self._attention(states, prefix), [prefix + "attention.output.dense"])
        states = self._norm(self._op.add(attended, states), prefix + "attention.output.LayerNorm")
        inner = self._activation(self._linear(states, [prefix + "intermediate.dense"]))
        outer = self._linear(inner, [prefix + "output.dense"])
        return self._norm(self._op.add(outer, states), prefix + "output.LayerNorm")

    def _attention(self, states: Node, prefix: str) -> Node:
        """Attend with softmax(Q K^T / sqrt(d)) V in every head, (b, t, hidden)."""
        heads = self._shape.heads
        width = self._shape.hidden // heads
        names = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
        joined = self._op.split(self._linear(states, names), self._integers(2), 3)
        split_heads, head_first = self._integers([0, 0, heads, width]), self._integers([0, 2, 1, 3])
        query, key, value = (
            self._op.transpose(self._op.reshape(part, split_heads, True), head_first)
            for part in joined.outputs()
        )
        scores = self._op.matmul(self._op.multiply(query, self._floats(width**-0.5)), key, False, True)
        mixed = self._op.matmul(self._op.softmax(scores, -1), value, False, False)
        return self._op.reshape(
            self._op.transpose(mixed, head_first), self._integers([0, 0, self._shape.hidden]), True
        )

    def _activation(self, inner: Node) -> Node:
        if self._shape.activation == "relu":
            return self._op.relu(inner)
        if self._shape.activation == "silu":
            return self._op.swish(inner)
        return self._op.gelu(inner, "erf" if self._shape.activation == "gelu" else "tanh")

    def _linear(self, inputs: Node, names: Sequence[str]) -> Node:
        """Multiply by one or several weight matrices side by side, and add their biases."""
        weights = np.concatenate([self._parameters[name + ".weight"] for name in names])
        biases = np.concatenate([self._parameters[name + ".bias"] for name in names])
        return self._op.add(self._op.matmul(inputs, self._matrix(weights), False, True), self._floats(biases))

    def _norm(self, states: Node, name: str) -> Node:
        centred = self._op.mvn(states, self._integers([-1]), True, self._shape.norm_epsilon, "inside_sqrt")
        scaled = self._op.multiply(centred, self._constant(name + ".weight"))
        return self._op.add(scaled, self._constant(name + ".bias"))

    def _constant(self, name: str) -> Node:
        return self._floats(self._parameters[name])

    def _floats(self, values: float | npt.NDArray[np.float32]) -> Node:
        return self._shared(np.require(values, np.float32, ["C", "ALIGNED", "WRITEABLE"]))

    def _shared(self, values: npt.NDArray[Any]) -> Node:
        """Make a constant without a copy; it keeps the array alive."""
        return self._op.constant(values, shared_memory=True)

    def _integers(self, values: int | Sequence[int]) -> Node:
        return self._op.constant(np.array(values, np.int32))
