"""The interface of ``uqlm``: ``from semscale.compat.uqlm import BlackBoxUQ, WhiteBoxUQ, UQEnsemble``."""

from semscale.compat.uqlm.black_box import BlackBoxUQ, SemanticEntropy
from semscale.compat.uqlm.ensemble import UQEnsemble
from semscale.compat.uqlm.judges import LLMJudge, LLMPanel
from semscale.compat.uqlm.long_text import LongTextUQ
from semscale.compat.uqlm.scorer import UQResult
from semscale.compat.uqlm.white_box import SemanticDensity, WhiteBoxUQ

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
