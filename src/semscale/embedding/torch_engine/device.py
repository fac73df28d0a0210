"""Devices that PyTorch computes on, by users' names for them, and the type of number of each precision."""

import re
from typing import TYPE_CHECKING

from semscale.errors import InputError
from semscale.extras import require_module

if TYPE_CHECKING:
    import torch

AUTO = "auto"
"""The GPU where there is one, else the processor."""
KINDS = ("cpu", "cuda", "mps")
"""Kinds of devices beside ``auto``; ``cuda:1`` is the second GPU."""
PRECISIONS = ("exact", "fast")

_NUMBERED = re.compile("cuda:(0|[1-9][0-9]?)")  # PyTorch takes no other spelling, and cuda:256 for cuda:0

_FLASH = (8, 0)  # compute capability from which GPUs have the kernels of FlashAttention 2


def check_device(device: str) -> None:
    """Refuse what names no device.

    Raises:
        InputError: neither ``auto`` nor one of ``KINDS``, nor ``cuda`` with a number below 100.

    Example:
        >>> check_device("gpu")
        Traceback (most recent call last):
        semscale.errors.InputError: device must be auto, cpu, cuda, cuda:N or mps, got 'gpu'
    """
    if device not in (AUTO, *KINDS) and not _NUMBERED.fullmatch(device):
        raise InputError(f"device must be auto, cpu, cuda, cuda:N or mps, got {device!r}")


def torch_device(device: str) -> "torch.device":
    """Give PyTorch's device of a name.

    Args:
        device: ``cpu``, ``cuda``, ``cuda:N``, ``mps``, or ``auto`` for the GPU where there is one.

    Raises:
        InputError: no device of this name is there.
        MissingExtraError: PyTorch is not installed.
    """
    check_device(device)
    require_module("torch", "torch")
    import torch

    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == AUTO:
        return torch.device(next(kind for kind in ("cuda", "mps", "cpu") if there[kind]))
    found = torch.device(device)
    if not there[found.type]:
        built = (
            "" if found.type != "cuda" or torch.version.cuda else ", and this build of torch is for CPUs only"
        )
        raise InputError(
            f"device={device!r} is not there{built}: use device='auto' or 'cpu'",
            in_shell=f"--device {device} is not there{built}: use --device auto or cpu",
        )
    if found.type == "cuda" and (found.index or 0) >= torch.cuda.device_count():
        last = torch.cuda.device_count() - 1
        raise InputError(f"device={device!r} is not there: the last one is cuda:{last}")
    return found


def gpu_of(embedder: object) -> "torch.device | None":
    """Give the GPU on which an embedder computes; ``None`` for a processor, or where it does not say.

    Args:
        embedder: with a cache or without.
    """
    engine = getattr(embedder, "embedder", embedder)  # behind the cache
    return getattr(engine, "device", None) if getattr(engine, "is_on_gpu", False) else None


def number_type(precision: str, device: "torch.device") -> str:
    """Name the type that a precision is computed in on a device, as signatures do.

    ``fast`` is bfloat16; float16 on GPUs without it; and float32 on processors without it.

    Args:
        precision: ``exact`` or ``fast``.
        device: where it is computed.

    Raises:
        InputError: another precision.
    """
    import torch

    if precision not in PRECISIONS:
        said = f"must be {' or '.join(PRECISIONS)} with the engine torch, got"
        raise InputError(f"precision {said} {precision!r}", in_shell=f"--precision {said} {precision}")
    if precision == "exact":
        return "float32"
    if device.type == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float16"
    if device.type == "mps":
        return "float16"
    from semscale.embedding.engines.arithmetic import has_bfloat16

    return "bfloat16" if has_bfloat16() else "float32"


def stated_precision(kind: str) -> str:
    """Name a type as it is applied: products of float32 may be rounded by a setting of the process.

    Args:
        kind: ``float32``, ``bfloat16`` or ``float16``.
    """
    import torch

    rounding = torch.get_float32_matmul_precision()
    return kind if kind != "float32" or rounding == "highest" else f"float32/{rounding}"


def reads_packed(device: "torch.device", kind: str, width: int) -> bool:
    """Tell whether there is a kernel of attention for packed rows: one call for rows of all lengths.

    Args:
        device: where it is computed.
        kind: type of the numbers.
        width: of an attention head.
    """
    import torch

    if device.type != "cuda" or kind == "float32" or width % 8:
        return False
    try:
        import torch.nn.attention.varlen  # noqa: F401 - from PyTorch 2.10 on
    except ImportError:
        return False
    return bool(torch.cuda.get_device_capability(device) >= _FLASH)
