"""What graphs of all families are made of: constants, products with weights, norms, activations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.activations import Activation
from semscale.embedding.engines.checkpoint_weights import Parameters
from semscale.embedding.engines.int8_products import int8_weights
from semscale.embedding.engines.runtime import openvino_module

Node = Any  # openvino's nodes and outputs have no types


class GraphParts:
    """Makes the nodes of one graph from a checkpoint's parameters.

    Args:
        parameters: under BERT's names.
        norm_epsilon: number that layer normalisation adds to the variance.
        int8: round the matrices of ``linear`` to 8-bit integers.

    Attributes:
        op: OpenVINO's operations.
        parameters: as given.
    """

    def __init__(self, parameters: Parameters, norm_epsilon: float, *, int8: bool = False) -> None:
        self.op = openvino_module().opset13
        self.parameters = parameters
        self._norm_epsilon = norm_epsilon
        self._matrix = int8_weights if int8 else self.floats

    def floats(self, values: float | npt.NDArray[np.float32]) -> Node:
        """Make a constant of floats."""
        return self.shared(np.require(values, np.float32, ["C", "ALIGNED", "WRITEABLE"]))

    def shared(self, values: npt.NDArray[Any]) -> Node:
        """Make a constant without a copy; it keeps the array alive."""
        return self.op.constant(values, shared_memory=True)

    def integers(self, values: int | Sequence[int]) -> Node:
        """Make a constant of whole numbers, such as axes or a shape."""
        return self.op.constant(np.array(values, np.int32))

    def named(self, name: str) -> Node:
        """Make a constant of a parameter."""
        return self.floats(self.parameters[name])

    def linear(self, inputs: Node, names: Sequence[str]) -> Node:
        """Multiply by one or several weight matrices side by side, and add their biases."""
        weights = np.concatenate([self.parameters[name + ".weight"] for name in names])
        biases = np.concatenate([self.parameters[name + ".bias"] for name in names])
        return self.op.add(self.op.matmul(inputs, self._matrix(weights), False, True), self.floats(biases))

    def norm(self, states: Node, name: str) -> Node:
        """Normalise each state to mean 0 and variance 1, then scale and shift it."""
        centred = self.op.mvn(states, self.integers([-1]), True, self._norm_epsilon, "inside_sqrt")
        scaled = self.op.multiply(centred, self.named(name + ".weight"))
        return self.op.add(scaled, self.named(name + ".bias"))

    def activation(self, inner: Node, name: Activation) -> Node:
        """Apply an activation function."""
        if name == "relu":
            return self.op.relu(inner)
        if name == "silu":
            return self.op.swish(inner)
        if name == "tanh":
            return self.op.tanh(inner)
        return self.op.gelu(inner, "erf" if name == "gelu" else "tanh")

    def leading(self, values: Node, count: Node, *, start: Node | None = None, axis: int = 0) -> Node:
        """Take ``count`` entries along an axis, from ``start`` on; both are numbers of shape (1,)."""
        first = self.integers([0]) if start is None else start
        stop = count if start is None else self.op.add(start, count)
        return self.op.slice(values, first, stop, self.integers([1]), self.integers([axis]))
