"""Parameters of safetensors files as the library reads them, without a copy, and damaged files."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save

from semscale.embedding.weight_files import read_tensors
from semscale.errors import ModelError

HERE = Path("model.safetensors")


def file_of(header: object, body: bytes = bytes(16)) -> bytearray:
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return bytearray(len(text).to_bytes(8, "little") + text + body)


def entry(**changed: object) -> dict:
    return {"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16], **changed}}


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_are_those_of_the_library(kind):
    rng = np.random.default_rng(0)
    content = save({"a": rng.normal(size=(3, 4)).astype(kind), "b": rng.normal(size=5).astype(kind)})
    found, expected = read_tensors(bytearray(content), HERE), load(content)
    assert set(found) == {"a", "b"}
    for name, values in expected.items():
        assert found[name].dtype == np.float32
        np.testing.assert_array_equal(found[name], values.astype(np.float32))


def test_bfloat16_is_the_upper_half_of_a_float():
    # 1.5 is 0x3fc00000 as a float, and -2 is 0xc0000000; the lower half comes first.
    content = file_of(entry(dtype="BF16", shape=[2], data_offsets=[0, 4]), bytes.fromhex("c03f00c0"))
    assert read_tensors(content, HERE)["w"].tolist() == [1.5, -2.0]


def test_float32_is_not_copied_and_whole_numbers_are_left_out():
    values = np.ones((100, 8), np.float32)
    content = bytearray(save({"w": values, "ids": np.arange(3)}))
    found = read_tensors(content, HERE)
    assert set(found) == {"w"}
    assert np.shares_memory(found["w"], np.frombuffer(content, np.uint8))


@pytest.mark.parametrize(
    "content",
    [
        bytearray(),
        bytearray(b"\xff" * 8),
        file_of("no json"),
        file_of([1]),
        file_of({"w": 1}),
        file_of({"w": {"dtype": "F32"}}),
        file_of(entry(dtype="Q7")),
        file_of(entry(dtype=[])),
        file_of(entry(shape=[0, 2**63], data_offsets=[0, 0])),
        file_of(entry(shape=[1] * 100, data_offsets=[0, 4])),
        file_of(entry(shape=[2, 3])),
        file_of(entry(shape=[-2, -2])),
        file_of(entry(shape="22")),
        file_of(entry(data_offsets=[8, 24])),
        file_of(entry(data_offsets=[-16, 0])),
        file_of(entry(data_offsets=["0", "16"])),
        file_of(entry(data_offsets=[0])),
        file_of(entry(data_offsets=[0.5, 16.5])),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(content):
    with pytest.raises(ModelError, match="^model.safetensors cannot be read: [^\n]+$"):
        read_tensors(content, HERE)
