"""The classes of ``uqlm.scorers``: everything that scores responses, by the names of ``uqlm``."""

from semscale.compat.uqlm.judges import LLMPanel
from semscale.compat.uqlm.short_form import BlackBoxUQ, SemanticDensity, SemanticEntropy, WhiteBoxUQ

__all__ = [
    "BlackBoxUQ",
    "LLMPanel",
    "SemanticDensity",
    "SemanticEntropy",
    "WhiteBoxUQ",
]
