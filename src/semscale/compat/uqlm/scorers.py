"""The classes of ``uqlm.scorers``: everything that scores responses, by the names of ``uqlm``."""

from semscale.compat.uqlm.ensemble import LLMPanel, UQEnsemble
from semscale.compat.uqlm.long_text import LongTextUQ
from semscale.compat.uqlm.short_form import BlackBoxUQ, SemanticDensity, SemanticEntropy, WhiteBoxUQ

__all__ = [
    "BlackBoxUQ",
    "LLMPanel",
    "LongTextUQ",
    "SemanticDensity",
    "SemanticEntropy",
    "UQEnsemble",
    "WhiteBoxUQ",
]
