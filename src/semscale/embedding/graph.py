"""OpenVINO graphs of post-norm transformer encoders, built from a checkpoint's weights.

Every row of a batch has the same number of tokens, so there is no padding and no mask.
"""

import os
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.checkpoint import Checkpoint
from semscale.embedding.weight_files import MIDDLE, Q4Table, Weights, position_table
from semscale.extras import usage_reports_off

if TYPE_CHECKING:
    import openvino

GROUP = 128
"""Neighbouring inputs of a row that share a scale in products of 8-bit integers."""

Node = Any  # openvino's nodes and outputs have no types

_NORM_FLOOR = 1e-24  # a vector with a smaller squared length is left unchanged, not divided by zero
_LARGEST = 127
_ROUNDED_AWAY = 0.4  # of a step: too little for an input to become 1
_ONEDNN_CACHE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"


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
    return encoder.model(encoder.sentence(states))


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
    """

    def __init__(self, checkpoint: Checkpoint, weights: Weights, *, int8: bool = False) -> None:
        self._shape = checkpoint.architecture
        self._pooling = checkpoint.pooling
        self._words = weights.words
        self._parameters = weights.parameters
        self._matrix = int8_weights if int8 else self._floats
        self._op = openvino_module().opset13
        self._ids = self._op.parameter([-1, -1], np.int32, name="ids")

    def model(self, output: Node) -> "openvino.Model":
        """Return the graph that ends with a node."""
        return openvino_module().Model([output], [self._ids], "encoder")

    def states(self, layer: int) -> Node:
        """Return the hidden states (b, t, hidden) after a layer; 0 gives the embeddings."""
        states = self._embeddings()
        for index in range(layer):
            states = self._layer(states, f"encoder.layer.{index}.")
        return states

    def sentence(self, states: Node) -> Node:
        """Pool the states of each row, and scale the result to length 1, (b, hidden)."""
        if self._pooling == "mean":
            pooled = self._op.reduce_mean(states, self._integers([1]))
        else:
            pooled = self._op.gather(states, self._integers(0), self._integers(1))
        return self._op.normalize_l2(pooled, self._integers([1]), _NORM_FLOOR, "max")

    def _embeddings(self) -> Node:
        op = self._op
        shape = op.shape_of(self._ids, "i32")
        length = op.gather(shape, self._integers([1]), self._integers(0))
        table = self._floats(position_table(self._parameters, self._shape))
        first = self._integers([0])
        positions = op.slice(table, first, length, self._integers([1]), first)
        return self._norm(op.add(self._word_rows(), positions), "embeddings.LayerNorm")

    def _word_rows(self) -> Node:
        """Take the tokens' rows (b, t, hidden) from the table of words."""
        op, words, first = self._op, self._words, self._integers(0)
        if not isinstance(words, Q4Table):
            return op.gather(self._floats(words), self._ids, first)
        # The table stays in 4 bits: the rows of a batch are taken first and made floats afterwards.
        packed = op.gather(self._shared(words.packed), self._ids, first)
        scales = op.gather(self._shared(words.scales), self._ids, first)
        halves = op.convert(packed, "f32")
        high = op.floor(op.multiply(halves, self._floats(1 / 16)))
        low = op.subtract(halves, op.multiply(high, self._floats(16)))
        centred = op.subtract(op.concat([low, high], 3), self._floats(MIDDLE))
        scale = op.unsqueeze(op.convert(scales, "f32"), self._integers(3))
        return op.reshape(op.multiply(centred, scale), self._integers([0, 0, self._shape.hidden]), True)

    def _layer(self, states: Node, prefix: str) -> Node:
        op = self._op
        attended = self._linear(self._attention(states, prefix), [prefix + "attention.output.dense"])
        states = self._norm(op.add(attended, states), prefix + "attention.output.LayerNorm")
        inner = self._activation(self._linear(states, [prefix + "intermediate.dense"]))
        outer = self._linear(inner, [prefix + "output.dense"])
        return self._norm(op.add(outer, states), prefix + "output.LayerNorm")

    def _attention(self, states: Node, prefix: str) -> Node:
        """Attend with softmax(Q K^T / sqrt(d)) V in every head, (b, t, hidden)."""
        op, heads = self._op, self._shape.heads
        width = self._shape.hidden // heads
        names = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
        joined = op.split(self._linear(states, names), self._integers(2), 3)
        split_heads, head_first = self._integers([0, 0, heads, width]), self._integers([0, 2, 1, 3])
        query, key, value = (
            op.transpose(op.reshape(part, split_heads, True), head_first) for part in joined.outputs()
        )
        query = op.multiply(query, self._floats(width**-0.5))
        scores = op.matmul(query, key, False, True)
        mixed = op.matmul(op.softmax(scores, -1), value, False, False)
        return op.reshape(op.transpose(mixed, head_first), self._integers([0, 0, self._shape.hidden]), True)

    def _linear(self, inputs: Node, names: Sequence[str]) -> Node:
        """Multiply by one or several weight matrices side by side, and add their biases."""
        weights = np.concatenate([self._parameters[name + ".weight"] for name in names])
        biases = np.concatenate([self._parameters[name + ".bias"] for name in names])
        return self._op.add(self._op.matmul(inputs, self._matrix(weights), False, True), self._floats(biases))

    def _norm(self, states: Node, name: str) -> Node:
        """Normalise each state to mean 0 and variance 1, then scale and shift it."""
        centred = self._op.mvn(states, self._integers([-1]), True, self._shape.norm_epsilon, "inside_sqrt")
        scaled = self._op.multiply(centred, self._floats(self._parameters[name + ".weight"]))
        return self._op.add(scaled, self._floats(self._parameters[name + ".bias"]))

    def _activation(self, inner: Node) -> Node:
        name = self._shape.activation
        if name == "relu":
            return self._op.relu(inner)
        if name == "silu":
            return self._op.swish(inner)
        if name == "tanh":
            return self._op.tanh(inner)
        return self._op.gelu(inner, "erf" if name == "gelu" else "tanh")

    def _floats(self, values: float | npt.NDArray[np.float32]) -> Node:
        return self._shared(np.require(values, np.float32, ["C", "ALIGNED", "WRITEABLE"]))

    def _shared(self, values: npt.NDArray[Any]) -> Node:
        """Return a constant without a copy of its values; it keeps the array alive."""
        return self._op.constant(values, shared_memory=True)

    def _integers(self, values: int | Sequence[int]) -> Node:
        """Return a constant of whole numbers, such as axes or a shape."""
        return self._op.constant(np.array(values, np.int32))


def quantised(
    weights: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Round a matrix to 8-bit integers with one scale for each row, the row's largest magnitude over 127.

    Args:
        weights: shape (outputs, inputs).

    Returns:
        Integers of the same shape, -127 to 127, and scales, shape (outputs, 1); their product is the matrix,
        each number to within half a scale.

    Example:
        >>> integers, scales = quantised(np.array([[63.5, -31.0, 0.2], [0, 0, 0]], np.float32))
        >>> integers.tolist(), scales.tolist()
        ([[127, -62, 0], [0, 0, 0]], [[0.5], [0.0]])
    """
    scales = np.abs(weights).max(axis=1, keepdims=True) / np.float32(_LARGEST)
    steps = np.divide(weights, scales, out=np.zeros_like(weights), where=scales > 0)
    return np.rint(steps).astype(np.int8), scales


def int8_weights(weights: npt.NDArray[np.float32]) -> Node:
    """Return a node of a matrix that OpenVINO multiplies with in 8-bit integers, if the processor can.

    Args:
        weights: shape (outputs, inputs); the node has integers of its own, not this array.
    """
    op = openvino_module().opset13
    integers, scales = (op.constant(part, shared_memory=True) for part in quantised(weights))
    return op.multiply(op.convert(integers, "f32"), scales)


@cache
def multiplies_int8(precision: str) -> bool:
    """Tell whether OpenVINO multiplies in 8-bit integers on this processor, by a product that shows it.

    OpenVINO lists ``INT8`` among the capabilities of every processor, and rounds inputs only where it has
    instructions for it: VNNI for products in float32; for bfloat16, AVX-512 with VNNI, but not AMX, which
    is faster in bfloat16. Elsewhere the weights alone are rounded, which would make other numbers.

    Args:
        precision: OpenVINO's name of the type that everything else is computed in, ``f32`` or ``bf16``.
    """
    op = openvino_module().opset13
    inputs = np.zeros((1, 1, GROUP), np.float32)
    # With a largest input of 127 a step is 1. The sum is 127 if the second input is rounded, else 127.4.
    inputs[0, 0, :2] = _LARGEST, _ROUNDED_AWAY
    rows = op.parameter([-1, -1, GROUP], np.float32)
    product = op.matmul(rows, int8_weights(np.ones((GROUP, GROUP), np.float32)), False, True)
    graph = openvino_module().Model([product], [rows], "probe")
    settings = {"INFERENCE_PRECISION_HINT": precision, "DYNAMIC_QUANTIZATION_GROUP_SIZE": GROUP}
    try:
        sums = openvino_module().Core().compile_model(graph, "CPU", settings)([inputs])[0]
    except RuntimeError:  # no such product at all, as where oneDNN is limited to older instructions
        return False
    return bool(np.abs(sums - _LARGEST).max() < _ROUNDED_AWAY / 4)


def openvino_module() -> ModuleType:
    """Import OpenVINO without its usage reports, and without a cache that makes it give wrong numbers.

    All streams of OpenVINO 2026.4 share oneDNN's cache of compiled products. Where two streams met the same
    long row at once, states of both could be wrong (docs/decisions.md). Each stream has a cache of its own
    besides, so the shared one is switched off before it is first used.
    """
    os.environ.setdefault(_ONEDNN_CACHE, "0")
    with usage_reports_off():
        import openvino
        import openvino.opset13
    module: ModuleType = openvino
    return module
