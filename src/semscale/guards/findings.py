"""Findings of guards, and the protocol of a guard."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Span:
    """A piece of a text.

    Attributes:
        start: its first character, from 0.
        end: the character after the last one.
        text: the piece itself.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Finding:
    """A difference between the texts of a pair that may flip the meaning, although the texts are similar.

    Attributes:
        guard: name of the guard: one of ``GUARDS`` of the registry, such as ``negation``.
        kind: kind of difference in kebab-case, such as ``negated-prediction`` or ``other-value``.
        reason: one sentence that explains it.
        prediction: its place in the prediction; ``None`` if the prediction lacks it.
        reference: its place in the reference; ``None`` if the reference lacks it.
    """

    guard: str
    kind: str
    reason: str
    prediction: Span | None
    reference: Span | None


@runtime_checkable
class Guard(Protocol):
    """A guard: compares the words of a pair of texts, without vectors."""

    @property
    def name(self) -> str:
        """The guard's name in findings."""
        ...

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return findings in the order of the prediction; none for equal texts."""
        ...
