"""The module ``uqlm.scorers``: ``from semscale.compat.uqlm.scorers import BlackBoxUQ``."""

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
