"""Texts that try to instruct a judge, for the audit and for tests."""

from dataclasses import dataclass

import yaml

from semscale.judging.template import package_file


@dataclass(frozen=True)
class Injection:
    """A text that tries to instruct whoever reads it.

    Attributes:
        name: what kind it is.
        text: what is added to an answer.
    """

    name: str
    text: str


INJECTIONS = tuple(Injection(**entry) for entry in yaml.safe_load(package_file("injections")))
"""All that ship with Semscale."""
