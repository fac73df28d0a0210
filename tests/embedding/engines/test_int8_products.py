"""Products in 8-bit integers against integer arithmetic in NumPy."""

import os
import subprocess
import sys

import numpy as np
import pytest

from semscale.embedding.graph import GROUP, int8_weights, multiplies_int8, openvino_module, quantised
from semscale.embedding.openvino import Arithmetic

NEEDS_INT8 = pytest.mark.skipif(
    not multiplies_int8("f32"), reason="this processor does not multiply in 8-bit integers"
)


def compiled_product(weights: np.ndarray, arithmetic: Arithmetic):
    """Compile ``x -> x @ weights.T`` for x of shape (b, t, inputs)."""
    op = openvino_module().opset13
    inputs = op.parameter([-1, -1, weights.shape[1]], np.float32)
    product = op.matmul(inputs, int8_weights(weights), False, True)
    graph = openvino_module().Model([product], [inputs], "product")
    compiled = openvino_module().Core().compile_model(graph, "CPU", arithmetic.settings)
    return lambda values: compiled([values])[0].copy()


def rounded(values: np.ndarray, width: int) -> np.ndarray:
    """Round each ``width`` neighbours of a row to whole steps, 127 of which are their largest magnitude."""
    groups = values.astype(float).reshape(*values.shape[:-1], -1, width)
    steps = np.abs(groups).max(axis=-1, keepdims=True) / 127
    return (np.rint(groups / steps) * steps).reshape(values.shape)


def test_a_rows_largest_number_becomes_127():
    # Row 0 has steps of 2.54 / 127 = .02: -1.27 is -63.5 steps, which rounds to the even -64. Row 1 has steps
    # of 1 / 127: .5 is 63.5 of them.
    integers, scales = quantised(np.array([[2.54, -1.27, 0.011], [-1, 0.5, 0], [0, 0, 0]], np.float32))
    assert integers.tolist() == [[127, -64, 1], [-127, 64, 0], [0, 0, 0]]
    np.testing.assert_allclose(scales, [[0.02], [1 / 127], [0]], rtol=1e-6)


@NEEDS_INT8
def test_weights_are_rounded_by_row_and_inputs_by_group():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(48, 3 * GROUP)).astype(np.float32)
    inputs = (rng.normal(size=(2, 5, 3 * GROUP)) * rng.uniform(0.1, 9, 3 * GROUP)).astype(np.float32)
    found = compiled_product(weights, Arithmetic(int8=True))(inputs)
    expected = rounded(inputs, GROUP) @ rounded(weights, 3 * GROUP).T
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, atol=1e-4 * scale)
    # Rounding is what was tested: without that of the inputs or of the weights, the product is another.
    for other in (inputs @ rounded(weights, 3 * GROUP).T, rounded(inputs, GROUP) @ weights.T):
        assert np.abs(found - other).max() > 1e-3 * scale


@NEEDS_INT8
@pytest.mark.parametrize("bfloat16", [False, True])
def test_company_never_changes_a_bit_of_a_rows_product(bfloat16):
    if bfloat16 and not multiplies_int8("bf16"):
        pytest.skip("this processor does not multiply in 8-bit integers beside bfloat16")
    rng = np.random.default_rng(1)
    product = compiled_product(
        rng.normal(size=(384, 384)).astype(np.float32), Arithmetic(bfloat16=bfloat16, int8=True)
    )
    rows = rng.normal(size=(70, 7, 384)).astype(np.float32)
    together = product(rows)
    for size in (1, 2, 3, 9, 32, 64):
        parts = [product(rows[start : start + size]) for start in range(0, len(rows), size)]
        np.testing.assert_array_equal(np.concatenate(parts), together)


def test_a_processor_limited_to_avx2_does_not_multiply_in_integers():
    asked = "from semscale.embedding.graph import multiplies_int8 as ask; print(ask('bf16'))"
    limited = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX2"}
    ended = subprocess.run([sys.executable, "-c", asked], env=limited, capture_output=True, check=True)
    assert ended.stdout.split() == [b"False"]
