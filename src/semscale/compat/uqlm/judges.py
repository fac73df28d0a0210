"""The module ``uqlm.judges``: ``from semscale.compat.uqlm.judges import LLMJudge``."""

from semscale.compat.uqlm.ensemble import LLMJudge

__all__ = ["LLMJudge"]
