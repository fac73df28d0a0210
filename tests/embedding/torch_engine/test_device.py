"""Names of devices and precisions, and what is refused."""

import sys

import pytest

from semscale.embedding.torch_engine.device import (
    check_device,
    gpu_of,
    number_type,
    reads_packed,
    stated_precision,
    torch_device,
)
from semscale.errors import InputError, MissingExtraError

torch = pytest.importorskip("torch", reason='PyTorch is not there: pip install "semscale[torch]"')
pytestmark = pytest.mark.needs("torch")


@pytest.mark.parametrize("name", ["auto", "cpu", "cuda", "cuda:3", "mps"])
def test_names_that_there_are(name):
    check_device(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gpu",
        "cuda:",
        "cuda:-1",
        "cuda:x",
        "cpu:0",
        "cpu:",
        "auto:1",
        "CUDA",
        "cuda:01",
        "cuda:256",
        "cuda:٣",
    ],
)
def test_names_that_there_are_not(name):
    with pytest.raises(InputError, match="device must be auto, cpu, cuda, cuda:N or mps, got"):
        check_device(name)


def test_the_gpu_is_taken_where_there_is_one(monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_device("auto") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert torch_device("auto") == torch.device("cuda")


def test_a_gpu_that_is_not_there_is_refused_with_the_remedy(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match=r"device='cuda' is not there.*: use device='auto' or 'cpu'"):
        torch_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(InputError, match="device='cuda:2' is not there: the last one is cuda:1"):
        torch_device("cuda:2")


def test_without_pytorch_the_line_to_type_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr("semscale.extras.find_spec", lambda module: None)
    with pytest.raises(MissingExtraError, match=r'pip install "semscale\[torch\]"'):
        torch_device("cpu")


def test_half_precision_is_what_the_device_has(monkeypatch):
    gpu, cpu = torch.device("cuda"), torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: True)
    assert number_type("fast", gpu) == "bfloat16"
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: False)
    assert number_type("fast", gpu) == "float16"
    monkeypatch.setattr("semscale.embedding.engines.arithmetic.has_bfloat16", lambda: False)
    assert number_type("fast", cpu) == "float32"
    monkeypatch.setattr("semscale.embedding.engines.arithmetic.has_bfloat16", lambda: True)
    assert number_type("fast", cpu) == "bfloat16"
    assert number_type("exact", gpu) == number_type("exact", cpu) == "float32"


def test_turbo_is_for_another_engine():
    with pytest.raises(
        InputError, match="precision must be exact or fast with the engine torch, got 'turbo'"
    ):
        number_type("turbo", torch.device("cpu"))


def test_a_setting_of_the_process_that_rounds_products_is_stated(monkeypatch):
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "highest")
    assert stated_precision("float32") == "float32"
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "high")
    assert stated_precision("float32") == "float32/high"
    assert stated_precision("bfloat16") == "bfloat16"


@pytest.mark.parametrize(
    ("device", "kind", "width", "capability", "expected"),
    [
        ("cuda", "bfloat16", 32, (9, 0), True),
        ("cuda", "float16", 64, (8, 0), True),
        ("cuda", "float16", 64, (7, 5), False),
        ("cuda", "float32", 32, (9, 0), False),
        ("cuda", "bfloat16", 20, (9, 0), False),
        ("cpu", "bfloat16", 32, (9, 0), False),
    ],
)
def test_one_kernel_takes_all_lengths_on_newer_gpus(monkeypatch, device, kind, width, capability, expected):
    pytest.importorskip("torch.nn.attention.varlen", reason="PyTorch 2.10 and newer have it")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert reads_packed(torch.device(device), kind, width) is expected


def test_the_gpu_of_an_embedder_is_found_behind_its_cache():
    class OnGpu:
        is_on_gpu, device = True, torch.device("cuda:1")

    class Cached:
        embedder = OnGpu()

    class Elsewhere:
        is_on_gpu, device = False, torch.device("cpu")

    assert gpu_of(OnGpu()) == gpu_of(Cached()) == torch.device("cuda:1")
    assert gpu_of(Elsewhere()) is None
    assert gpu_of(object()) is None
