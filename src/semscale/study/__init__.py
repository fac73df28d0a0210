"""Studies: questionnaires put to synthetic panels, with every answer measured and kept.

Names load when they are first used.

Example:
    >>> from semscale import study
    >>> "load" in dir(study)
    True
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.study.comparing.comparison import StudyComparison, compare
    from semscale.study.files.loading import load
    from semscale.study.files.results_folder import read_study
    from semscale.study.panel_crosstabs import panel_tables
    from semscale.study.result import StudyResult
    from semscale.study.study import Study
    from semscale.study.summary.study_summary import StudySummary

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

_HOMES = {
    "semscale.study.comparing.comparison": ("StudyComparison", "compare"),
    "semscale.study.files.loading": ("load",),
    "semscale.study.files.results_folder": ("read_study",),
    "semscale.study.panel_crosstabs": ("panel_tables",),
    "semscale.study.result": ("StudyResult",),
    "semscale.study.study": ("Study",),
    "semscale.study.summary.study_summary": ("StudySummary",),
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    for module, names in _HOMES.items():
        if name in names:
            found: object = getattr(import_module(module), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'semscale.study' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
