"""Findings of guards."""

from dataclasses import dataclass


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
        prediction: the words of the prediction; ``None`` if only the reference has words.
        reference: the words of the reference; ``None`` if only the prediction has words.
    """

    guard: str
    kind: str
    reason: str
    prediction: Span | None
    reference: Span | None
