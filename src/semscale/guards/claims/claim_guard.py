"""What the guards of claims have in common: how two texts become at most one finding."""

from abc import ABC, abstractmethod
from typing import ClassVar

from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.reporting import report
from semscale.guards.findings import Finding
from semscale.guards.reading import AnalysedText, analyse, comparable


class ClaimGuard(ABC):
    """A guard that looks for one kind of difference between two claims of nearly the same words.

    Attributes:
        name: the guard's name in findings.
        kinds: the one kind of its findings.
        difference: what differs, without the full stop.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[str]]
    difference: ClassVar[str]

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return a finding if the texts say nearly the same, but for what the guard looks for.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            At most one finding.
        """
        ours, theirs = analyse(prediction), analyse(reference)
        found = self._conflict(ours, theirs) if comparable(ours, theirs) else None
        if found is None:
            return []
        return report(self.name, self.kinds[0], (ours, theirs), found, self.difference)

    @abstractmethod
    def _conflict(self, ours: AnalysedText, theirs: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        """Return the phrases that differ, ``None`` for a text without one; ``None`` if nothing differs."""
