"""Studies: questionnaires answered by synthetic panels, with every answer measured and stored.

Names load when they are first used.

Examples:
    >>> from semscale import study
    >>> "load" in dir(study)
    True
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.study.panel_crosstabs import panel_tables
    from semscale.study.people_comparison import StudyComparison, compare
    from semscale.study.result import Study, StudyResult, load, read_study
    from semscale.study.summary import StudySummary

__all__ = [
    "Study",
    "StudyComparison",
    "StudyResult",
    "StudySummary",
    "compare",
    "load",
    "panel_tables",
    "read_study",
]

_MODULES = {
    "people_comparison": ("StudyComparison", "compare"),
    "panel_crosstabs": ("panel_tables",),
    "result": ("Study", "StudyResult", "load", "read_study"),
    "summary": ("StudySummary",),
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    for module, names in _MODULES.items():
        if name in names:
            value: object = getattr(import_module(f"semscale.study.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'semscale.study' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
