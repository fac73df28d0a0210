"""Measure what free text means: ratings of texts on a scale, with stated uncertainty.

Names load at their first use: ``semscale.rate`` imports NumPy and polars, and the first text imports an
engine.

Examples:
    >>> import semscale
    >>> "rate" in dir(semscale)
    True
"""

from importlib import import_module
from typing import TYPE_CHECKING

from semscale.version import __version__

if TYPE_CHECKING:
    from semscale import drift, study
    from semscale.answer_consistency.consistencies import Consistencies
    from semscale.answer_consistency.consistency import Consistency, consistency
    from semscale.chat import ChatModel, load_chat_model
    from semscale.coding.codebook import Codebook, load_codebook
    from semscale.coding.coding import Coding, code
    from semscale.embedding import ArrayEmbedder, Embedder, load_embedder
    from semscale.errors import (
        InputError,
        InterruptedRunError,
        MissingExtraError,
        ModelError,
        ReplyError,
        SemscaleError,
        UnknownNameError,
    )
    from semscale.judging.judge import Judge, Panel, judge
    from semscale.judging.verdict import Verdict
    from semscale.judging.verdicts import PanelVerdicts, Verdicts
    from semscale.matching.bertscore import BertScorer, BertScores, bertscore
    from semscale.matching.matcher import Matcher, match
    from semscale.matching.matches import Matches
    from semscale.rating.lint import lint
    from semscale.rating.rater import Rater, rate
    from semscale.rating.ratings import Ratings
    from semscale.scales import Scale, load_scale
    from semscale.tabulation.crosstabs import Crosstabs, crosstabs

__all__ = [
    "ArrayEmbedder",
    "BertScorer",
    "BertScores",
    "ChatModel",
    "Codebook",
    "Coding",
    "Consistencies",
    "Consistency",
    "Crosstabs",
    "Embedder",
    "InputError",
    "InterruptedRunError",
    "Judge",
    "Matcher",
    "Matches",
    "MissingExtraError",
    "ModelError",
    "Panel",
    "PanelVerdicts",
    "Rater",
    "Ratings",
    "ReplyError",
    "Scale",
    "SemscaleError",
    "UnknownNameError",
    "Verdict",
    "Verdicts",
    "__version__",
    "bertscore",
    "code",
    "consistency",
    "crosstabs",
    "drift",
    "judge",
    "lint",
    "load_chat_model",
    "load_codebook",
    "load_embedder",
    "load_scale",
    "match",
    "rate",
    "study",
]

_HOMES = {
    "semscale.chat": ("ChatModel", "load_chat_model"),
    "semscale.answer_consistency.consistencies": ("Consistencies",),
    "semscale.answer_consistency.consistency": ("Consistency", "consistency"),
    "semscale.coding.codebook": ("Codebook", "load_codebook"),
    "semscale.coding.coding": ("Coding", "code"),
    "semscale.embedding": ("ArrayEmbedder", "Embedder", "load_embedder"),
    "semscale.errors": (
        "InputError",
        "InterruptedRunError",
        "MissingExtraError",
        "ModelError",
        "ReplyError",
        "SemscaleError",
        "UnknownNameError",
    ),
    "semscale.judging.judge": ("Judge", "Panel", "judge"),
    "semscale.judging.verdict": ("Verdict",),
    "semscale.judging.verdicts": ("PanelVerdicts", "Verdicts"),
    "semscale.matching.bertscore": ("BertScorer", "BertScores", "bertscore"),
    "semscale.matching.matcher": ("Matcher", "match"),
    "semscale.matching.matches": ("Matches",),
    "semscale.rating.lint": ("lint",),
    "semscale.rating.rater": ("Rater", "rate"),
    "semscale.rating.ratings": ("Ratings",),
    "semscale.scales": ("Scale", "load_scale"),
    "semscale.tabulation.crosstabs": ("Crosstabs", "crosstabs"),
}


def __getattr__(name: str) -> object:
    """Load a public name at its first use, so that ``import semscale`` stays fast."""
    if name in {"drift", "study"}:
        return import_module(f"semscale.{name}")
    for module, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'semscale' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
