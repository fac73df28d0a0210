"""The engine's precisions, and the arithmetic that each one is on this processor."""

from dataclasses import dataclass, replace
from typing import Any

from semscale.embedding.engines.int8_products import GROUP, multiplies_int8
from semscale.embedding.engines.runtime import openvino_module
from semscale.errors import InputError
from semscale.weights.known import KNOWN
from semscale.weights.profiles import ModelProfile

PRECISIONS = ("exact", "fast", "turbo")


@dataclass(frozen=True)
class Arithmetic:
    """What a model is computed in.

    Attributes:
        bfloat16: everything in bfloat16 instead of float32.
        int8: products with weights in 8-bit integers; the rest stays as it is.
    """

    bfloat16: bool = False
    int8: bool = False

    def __str__(self) -> str:
        """Name it as signatures do.

        Example:
            >>> str(Arithmetic()), str(Arithmetic(bfloat16=True, int8=True))
            ('float32', 'int8/128+bfloat16')
        """
        floats = "bfloat16" if self.bfloat16 else "float32"
        return f"int8/{GROUP}+{floats}" if self.int8 else floats

    @property
    def hint(self) -> str:
        """OpenVINO's name of the type of all that is not in integers."""
        return "bf16" if self.bfloat16 else "f32"

    @property
    def settings(self) -> dict[str, Any]:
        """OpenVINO's settings for it."""
        groups = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": GROUP} if self.int8 else {}
        return {"INFERENCE_PRECISION_HINT": self.hint, **groups}


FLOAT32 = Arithmetic()


def check_precision(precision: str, name: str, profile: ModelProfile | None) -> None:
    """Refuse a precision that there is not, or not for this model.

    Raises:
        InputError: not one of ``PRECISIONS``, or ``turbo`` with a model whose profile has none.
    """
    if precision not in PRECISIONS:
        raise InputError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if precision == "turbo" and not (profile and profile.turbo):
        models = ", ".join(each for each, model in KNOWN.items() if model.profile.turbo)
        said = f"was measured for {models} only, got {name}: use"
        raise InputError(
            f"precision='turbo' {said} precision='fast'",
            in_shell=f"--precision turbo {said} --precision fast",
        )


def arithmetic_of(precision: str) -> Arithmetic:
    """Give the arithmetic of a precision, the next slower one where the processor lacks what it needs.

    Args:
        precision: one of ``PRECISIONS``.
    """
    if precision == "exact":
        return FLOAT32
    floats = Arithmetic(bfloat16=has_bfloat16())
    return replace(floats, int8=precision == "turbo" and multiplies_int8(floats.hint))


def has_bfloat16() -> bool:
    """Tell whether the processor computes in bfloat16."""
    return "BF16" in openvino_module().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
