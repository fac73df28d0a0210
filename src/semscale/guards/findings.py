"""What a guard reports about a pair: where prediction and reference part ways although they look alike."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Span:
    """A piece of a text.

    Attributes:
        start: first character, counted from 0.
        end: the character after the last one.
        text: what stands there.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Finding:
    """Something that may flip the meaning of a pair whose similarity does not show it.

    Attributes:
        guard: which guard found it: ``negation``, ``number``, ``opposite`` or ``name``.
        kind: what sort of difference, in kebab-case, such as ``negated-prediction`` or ``other-value``.
        reason: one sentence for people.
        prediction: where in the prediction; ``None`` where the prediction lacks it.
        reference: where in the reference; ``None`` where the reference lacks it.
    """

    guard: str
    kind: str
    reason: str
    prediction: Span | None
    reference: Span | None


@runtime_checkable
class Guard(Protocol):
    """Looks at one pair; knows nothing of vectors."""

    @property
    def name(self) -> str:
        """The guard's name, as findings carry it."""
        ...

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Report what differs, in the order of the prediction; nothing for equal texts."""
        ...
