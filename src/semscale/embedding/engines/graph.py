"""OpenVINO graphs of post-norm transformer encoders, built from a checkpoint's weights.

Every row of a batch has the same number of tokens, so there is no padding and no mask.
"""

from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.engines.checkpoint import Checkpoint
from semscale.embedding.engines.checkpoint_weights import TYPES, position_table
from semscale.embedding.engines.graph_parts import GraphParts, Node
from semscale.embedding.engines.model_files import Weights
from semscale.embedding.engines.q4_file import MIDDLE, Q4Table
from semscale.embedding.engines.relative_attention import RelativeAttention
from semscale.embedding.engines.runtime import openvino_module

if TYPE_CHECKING:
    import openvino

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
    encoder = EncoderGraph(checkpoint, weights, int8=int8)
    states = encoder.states(checkpoint.architecture.layers)
    pooled = encoder.mean(states) if checkpoint.pooling == "mean" else encoder.first(states)
    return encoder.model(encoder.unit(pooled))


def states_graph(checkpoint: Checkpoint, weights: Weights, layer: int) -> "openvino.Model":
    """Build the graph from token ids (b, t) to hidden states (b, t, hidden) after ``layer``.

    Layer 0 gives the embeddings. Layers above ``layer`` are not built, so they cost nothing.
    """
    encoder = EncoderGraph(checkpoint, weights)
    return encoder.model(encoder.states(layer))


class EncoderGraph:
    """The encoder of Vaswani et al. 2017 with layer normalisation after each residual sum, like BERT.

    Args:
        checkpoint: the encoder's architecture.
        weights: its parameters.
        int8: round the layers' weights to 8-bit integers.
        typed: whether the types of the tokens (first or second text) are a second input; all tokens are of
            the first type unless they are.

    Attributes:
        parts: makes the nodes.
    """

    def __init__(
        self, checkpoint: Checkpoint, weights: Weights, *, int8: bool = False, typed: bool = False
    ) -> None:
        self._shape = checkpoint.architecture
        self._weights = weights
        self.parts = GraphParts(weights.parameters, self._shape.norm_epsilon, int8=int8)
        self._op = self.parts.op
        self._ids = self._op.parameter([-1, -1], np.int32, name="ids")
        self._types = self._op.parameter([-1, -1], np.int32, name="types") if typed else None
        relative = self._shape.relative
        self._distances = (
            None if relative is None else RelativeAttention(self.parts, self._shape, relative, self._length())
        )

    def model(self, output: Node) -> "openvino.Model":
        """Make the graph that ends with a node."""
        inputs = [self._ids] if self._types is None else [self._ids, self._types]
        return openvino_module().Model([output], inputs, "encoder")

    def states(self, layer: int) -> Node:
        """Return the hidden states (b, t, hidden) after a layer; 0 gives the embeddings."""
        before = states = self._embeddings()
        for index in range(layer):
            states = self._layer(states, f"encoder.layer.{index}.")
            if index == 0:
                states = self._beside_convolution(before, states)
        return states

    def mean(self, states: Node) -> Node:
        """Return the mean state of each row, (b, hidden)."""
        return self._op.reduce_mean(states, self.parts.integers([1]))

    def first(self, states: Node) -> Node:
        """Return the first token's state, (b, hidden)."""
        return self._op.gather(states, self.parts.integers(0), self.parts.integers(1))

    def unit(self, vectors: Node) -> Node:
        """Scale vectors to length 1."""
        return self._op.normalize_l2(vectors, self.parts.integers([1]), _NORM_FLOOR, "max")

    def _length(self) -> Node:
        """Count the tokens of a row, shape (1,)."""
        shape = self._op.shape_of(self._ids, "i32")
        return self._op.gather(shape, self.parts.integers([1]), self.parts.integers(0))

    def _embeddings(self) -> Node:
        summed = self._words()
        table = position_table(self.parts.parameters, self._shape, typed=self._types is not None)
        if table is not None:
            rows = self.parts.leading(self.parts.floats(table), self._length())
            summed = self._op.add(summed, rows)
        if self._types is not None:
            rows = self._op.gather(self.parts.named(TYPES), self._types, self.parts.integers(0))
            summed = self._op.add(summed, rows)
        return self.parts.norm(summed, "embeddings.LayerNorm")

    def _words(self) -> Node:
        """Take the tokens' rows (b, t, hidden) from the table of words."""
        parts, words, first = self.parts, self._weights.words, self.parts.integers(0)
        if not isinstance(words, Q4Table):
            return self._op.gather(parts.floats(words), self._ids, first)
        # The table stays in 4 bits: the rows of a batch are taken first and made floats afterwards.
        packed = self._op.gather(parts.shared(words.packed), self._ids, first)
        scales = self._op.gather(parts.shared(words.scales), self._ids, first)
        halves = self._op.convert(packed, "f32")
        high = self._op.floor(self._op.multiply(halves, parts.floats(1 / 16)))
        low = self._op.subtract(halves, self._op.multiply(high, parts.floats(16)))
        centred = self._op.subtract(self._op.concat([low, high], 3), parts.floats(MIDDLE))
        scale = self._op.unsqueeze(self._op.convert(scales, "f32"), parts.integers(3))
        return self._op.reshape(
            self._op.multiply(centred, scale), parts.integers([0, 0, self._shape.hidden]), True
        )

    def _layer(self, states: Node, prefix: str) -> Node:
        parts = self.parts
        attended = parts.linear(self._attention(states, prefix), [prefix + "attention.output.dense"])
        states = parts.norm(self._op.add(attended, states), prefix + "attention.output.LayerNorm")
        inner = parts.activation(
            parts.linear(states, [prefix + "intermediate.dense"]), self._shape.activation
        )
        outer = parts.linear(inner, [prefix + "output.dense"])
        return parts.norm(self._op.add(outer, states), prefix + "output.LayerNorm")

    def _attention(self, states: Node, prefix: str) -> Node:
        """Attend with softmax(Q K^T / sqrt(d)) V in every head, (b, t, hidden); distances add scores."""
        parts, heads = self.parts, self._shape.heads
        width = self._shape.hidden // heads
        names = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
        joined = self._op.split(parts.linear(states, names), parts.integers(2), 3)
        split_heads, head_first = parts.integers([0, 0, heads, width]), parts.integers([0, 2, 1, 3])
        query, key, value = (
            self._op.transpose(self._op.reshape(part, split_heads, True), head_first)
            for part in joined.outputs()
        )
        distances = self._distances
        scale = width**-0.5 if distances is None else distances.scale
        query = self._op.multiply(query, parts.floats(scale))
        scores = self._op.matmul(query, key, False, True)
        for more in () if distances is None else distances.scores(query, key, prefix):
            scores = self._op.add(scores, more)
        mixed = self._op.matmul(self._op.softmax(scores, -1), value, False, False)
        return self._op.reshape(
            self._op.transpose(mixed, head_first), parts.integers([0, 0, self._shape.hidden]), True
        )

    def _beside_convolution(self, embeddings: Node, states: Node) -> Node:
        """Add DeBERTa-v2's convolution over neighbouring embeddings to the first layer's states."""
        relative = self._shape.relative
        convolution = None if relative is None else relative.convolution
        if convolution is None:
            return states
        parts, side, swapped = self.parts, convolution.width // 2, self.parts.integers([0, 2, 1])
        found = self._op.convolution(
            self._op.transpose(embeddings, swapped),
            parts.named("encoder.conv.conv.weight"),
            [1],
            [side],
            [side],
            [1],
        )
        biased = self._op.add(self._op.transpose(found, swapped), parts.named("encoder.conv.conv.bias"))
        active = parts.activation(biased, convolution.activation)
        return parts.norm(self._op.add(states, active), "encoder.conv.LayerNorm")
