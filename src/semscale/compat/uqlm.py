"""The interface of ``uqlm``: ``from semscale.compat.uqlm import BlackBoxUQ``."""

from semscale.compat.uqlm_consistency import BlackBoxUQ
from semscale.compat.uqlm_result import UQResult

__all__ = ["BlackBoxUQ", "UQResult"]
