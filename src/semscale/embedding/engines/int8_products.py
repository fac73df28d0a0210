"""Products with weights in 8-bit integers, whose inputs OpenVINO rounds to 8 bits while the model runs."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.runtime import openvino_module

Node = Any  # openvino's nodes and outputs have no types

GROUP = 128
"""Neighbouring inputs of a row that share a scale."""
_LARGEST = 127
_ROUNDED_AWAY = 0.4  # of a step: too little for an input to become 1


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
    """Make a matrix a node that OpenVINO multiplies with in 8-bit integers, if the processor can.

    Args:
        weights: shape (outputs, inputs); the node keeps its own integers, not this array.
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
        found = openvino_module().Core().compile_model(graph, "CPU", settings)([inputs])[0]
    except RuntimeError:  # no such product at all, as where oneDNN is limited to older instructions
        return False
    return bool(np.abs(found - _LARGEST).max() < _ROUNDED_AWAY / 4)
