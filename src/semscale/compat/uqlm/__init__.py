"""The interface of ``uqlm``, with its modules ``judges`` and ``scorers``: change ``uqlm`` in an import."""

from semscale.compat.uqlm.base import UQResult
from semscale.compat.uqlm.judges import LLMJudge
from semscale.compat.uqlm.scorers import (
    BlackBoxUQ,
    LLMPanel,
    SemanticDensity,
    SemanticEntropy,
    WhiteBoxUQ,
)

__all__ = [
    "BlackBoxUQ",
    "LLMJudge",
    "LLMPanel",
    "SemanticDensity",
    "SemanticEntropy",
    "UQResult",
    "WhiteBoxUQ",
]
