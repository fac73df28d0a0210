"""Judges: chat models that score answers by a template, alone or in panels."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.judging.replies import read_reply
    from semscale.judging.templates import load_template

__all__ = ["load_template", "read_reply"]

_HOMES = {
    "load_template": "semscale.judging.templates",
    "read_reply": "semscale.judging.replies",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'semscale.judging' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
