"""Quality drift: measures a candidate's outputs against an approved baseline's, and decides with a gate.

Names load when they are first used.

Example:
    >>> from semscale import drift
    >>> "compare" in dir(drift)
    True
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.drift.asking import ItemToAsk, PromptTemplate, ask_runs
    from semscale.drift.gate.decision import GateDecision, Outcome
    from semscale.drift.gate.drift_summary import DriftSummary, stored
    from semscale.drift.gate.gate import decide
    from semscale.drift.gate.settings import GateSettings, read_gate_settings
    from semscale.drift.matrix.asked_matrix import ask_matrix
    from semscale.drift.matrix.matrix import AskedMatrix
    from semscale.drift.measure.compare_runs import compare
    from semscale.drift.measure.comparison import Comparison
    from semscale.drift.measure.meter import DriftMeter
    from semscale.drift.nights.trend import trends
    from semscale.drift.reading import RunColumns, read_run
    from semscale.drift.ruler.checking import check_ruler, freeze_anchors, keep_check
    from semscale.drift.ruler.judge_ruler import JudgeRuler
    from semscale.drift.ruler.text_ruler import TextRuler
    from semscale.drift.self_testing.self_test import self_test
    from semscale.drift.sizing.plan import plan_gate
    from semscale.history.anchor_sets import AnchorPair, AnchorSet
    from semscale.history.history import open_history
    from semscale.history.items import Item, Output
    from semscale.history.runs import Approval, Run

__all__ = [
    "AnchorPair",
    "AnchorSet",
    "Approval",
    "AskedMatrix",
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
    "ask_matrix",
    "ask_runs",
    "check_ruler",
    "compare",
    "decide",
    "freeze_anchors",
    "keep_check",
    "open_history",
    "plan_gate",
    "read_gate_settings",
    "read_run",
    "self_test",
    "stored",
    "trends",
]

_HOMES = {
    "semscale.drift.asking": ("ItemToAsk", "PromptTemplate", "ask_runs"),
    "semscale.drift.matrix.asked_matrix": ("ask_matrix",),
    "semscale.drift.matrix.matrix": ("AskedMatrix",),
    "semscale.drift.measure.compare_runs": ("compare",),
    "semscale.drift.measure.comparison": ("Comparison",),
    "semscale.drift.gate.decision": ("GateDecision", "Outcome"),
    "semscale.drift.gate.drift_summary": ("DriftSummary", "stored"),
    "semscale.drift.gate.gate": ("decide",),
    "semscale.drift.gate.settings": ("GateSettings", "read_gate_settings"),
    "semscale.drift.measure.meter": ("DriftMeter",),
    "semscale.drift.sizing.plan": ("plan_gate",),
    "semscale.drift.ruler.checking": ("check_ruler", "freeze_anchors", "keep_check"),
    "semscale.drift.ruler.judge_ruler": ("JudgeRuler",),
    "semscale.drift.ruler.text_ruler": ("TextRuler",),
    "semscale.drift.reading": ("RunColumns", "read_run"),
    "semscale.drift.self_testing.self_test": ("self_test",),
    "semscale.drift.nights.trend": ("trends",),
    "semscale.history.anchor_sets": ("AnchorPair", "AnchorSet"),
    "semscale.history.items": ("Item", "Output"),
    "semscale.history.history": ("open_history",),
    "semscale.history.runs": ("Approval", "Run"),
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    for module, names in _HOMES.items():
        if name in names:
            found: object = getattr(import_module(module), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'semscale.drift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
