"""Quality drift: a candidate's outputs are compared with an approved baseline's, and a gate decides.

Names load when they are first used.

Examples:
    >>> from semscale import drift
    >>> "compare" in dir(drift)
    True
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.drift.anchors import JudgeRuler, TextRuler, check_ruler, keep_check, record_anchors
    from semscale.drift.asking import ItemToAsk, PromptTemplate, ask_runs
    from semscale.drift.columns import RunColumns
    from semscale.drift.comparison import Comparison, DriftMeter, compare
    from semscale.drift.decision import GateDecision, decide
    from semscale.drift.reading import read_run, read_runs
    from semscale.drift.settings import GateSettings, read_gate_settings
    from semscale.drift.simulation import plan_gate, self_test
    from semscale.drift.summary import DriftSummary
    from semscale.history.anchor_sets import AnchorPair, AnchorSet
    from semscale.history.history import open_history
    from semscale.history.items import Item, Output
    from semscale.history.runs import Approval, Run
    from semscale.history.stored_comparison import Outcome

__all__ = [
    "AnchorPair",
    "AnchorSet",
    "Approval",
    "Comparison",
    "DriftMeter",
    "DriftSummary",
    "GateDecision",
    "GateSettings",
    "Item",
    "ItemToAsk",
    "JudgeRuler",
    "Outcome",
    "Output",
    "PromptTemplate",
    "Run",
    "RunColumns",
    "TextRuler",
    "ask_runs",
    "check_ruler",
    "compare",
    "decide",
    "keep_check",
    "open_history",
    "plan_gate",
    "read_gate_settings",
    "read_run",
    "read_runs",
    "record_anchors",
    "self_test",
]

_HOMES = {
    "semscale.drift.anchors": (
        "JudgeRuler",
        "TextRuler",
        "check_ruler",
        "keep_check",
        "record_anchors",
    ),
    "semscale.drift.asking": (
        "ItemToAsk",
        "PromptTemplate",
        "ask_runs",
    ),
    "semscale.drift.comparison": (
        "Comparison",
        "DriftMeter",
        "compare",
    ),
    "semscale.drift.decision": (
        "GateDecision",
        "decide",
    ),
    "semscale.drift.simulation": ("plan_gate", "self_test"),
    "semscale.drift.columns": ("RunColumns",),
    "semscale.drift.reading": (
        "read_run",
        "read_runs",
    ),
    "semscale.drift.settings": (
        "GateSettings",
        "read_gate_settings",
    ),
    "semscale.drift.summary": ("DriftSummary",),
    "semscale.history.anchor_sets": (
        "AnchorPair",
        "AnchorSet",
    ),
    "semscale.history.history": ("open_history",),
    "semscale.history.items": (
        "Item",
        "Output",
    ),
    "semscale.history.runs": (
        "Approval",
        "Run",
    ),
    "semscale.history.stored_comparison": ("Outcome",),
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    for module, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'semscale.drift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
