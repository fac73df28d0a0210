"""The interface of ``uqlm``: ``from semscale.compat.uqlm import BlackBoxUQ, WhiteBoxUQ, UQEnsemble``."""

from semscale.compat.uqlm.base import UQResult
from semscale.compat.uqlm.ensemble import LLMJudge, LLMPanel, UQEnsemble
from semscale.compat.uqlm.long_text import LongTextUQ
from semscale.compat.uqlm.short_form import BlackBoxUQ, SemanticDensity, SemanticEntropy, WhiteBoxUQ

__all__ = [
    "BlackBoxUQ",
    "LLMJudge",
    "LLMPanel",
    "LongTextUQ",
    "SemanticDensity",
    "SemanticEntropy",
    "UQEnsemble",
    "UQResult",
    "WhiteBoxUQ",
]
