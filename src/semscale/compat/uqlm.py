"""The interface of ``uqlm``: ``from semscale.compat.uqlm import BlackBoxUQ, LLMJudge, LLMPanel``."""

from semscale.compat.uqlm_consistency import BlackBoxUQ
from semscale.compat.uqlm_judges import LLMJudge, LLMPanel
from semscale.compat.uqlm_result import UQResult

__all__ = ["BlackBoxUQ", "LLMJudge", "LLMPanel", "UQResult"]
