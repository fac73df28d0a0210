"""Activation functions that the engine can run, by the names that ``config.json`` has for them."""

from collections.abc import Mapping
from typing import Literal

from semscale.errors import UnsupportedModelError

Activation = Literal["gelu", "gelu_tanh", "relu", "silu", "tanh"]

_BY_NAME: Mapping[str, Activation] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}


def activation_of(name: str) -> Activation:
    """Find an activation function by the name that ``config.json`` has for it.

    Raises:
        UnsupportedModelError: it cannot be run.

    Example:
        >>> activation_of("gelu_new")
        'gelu_tanh'
    """
    if name not in _BY_NAME:
        raise UnsupportedModelError(f"activation {name!r} cannot be run")
    return _BY_NAME[name]
