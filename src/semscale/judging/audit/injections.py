"""Texts that try to instruct a judge, for the audit and for tests."""

from dataclasses import dataclass
from importlib import resources

import yaml


@dataclass(frozen=True)
class Injection:
    """A text that tries to instruct whoever reads it.

    Attributes:
        name: what kind it is.
        text: what is added to an answer.
    """

    name: str
    text: str


_FILE = resources.files("semscale.judging.audit") / "injections.yaml"

INJECTIONS = tuple(Injection(**entry) for entry in yaml.safe_load(_FILE.read_text(encoding="utf-8")))
"""All that ship with Semscale."""
