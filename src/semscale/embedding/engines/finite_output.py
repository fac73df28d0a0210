"""Refusal of a model whose output holds NaN or infinite numbers, as damaged weights give it."""

from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.errors import ModelError


def check_finite(output: npt.NDArray[np.floating[Any]], model: str) -> None:
    """Refuse a model's output that is not finite.

    Args:
        output: vectors or states of tokens, of any shape.
        model: the model's name or its file of weights, for the message.

    Raises:
        ModelError: a number is NaN or infinite.

    Example:
        >>> check_finite(np.array([[0.6, np.nan]]), "model.safetensors")
        Traceback (most recent call last):
        semscale.errors.ModelError: model.safetensors gives vectors that are not finite: its weights are \
damaged; fetch the model again
    """
    if not np.isfinite(output).all():
        raise ModelError(
            f"{model} gives vectors that are not finite: its weights are damaged; fetch the model again"
        )
