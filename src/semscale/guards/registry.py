"""The guards by name with their modes (off, warn or weigh), and counts of their findings."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from semscale.errors import InputError
from semscale.guards.claim_guards import CLAIM_DIFFERENCES
from semscale.guards.findings import Finding
from semscale.guards.meaning_guards import (
    INVENTED,
    MISSING,
    NEGATED_PREDICTION,
    NEGATED_REFERENCE,
    OPPOSED,
    REVERSED,
    name_findings,
    negation_findings,
    opposite_findings,
)
from semscale.guards.number_guard import NUMBER_KINDS, number_findings
from semscale.guards.text import Text, comparable, read_text
from semscale.signature import Signature


@dataclass(frozen=True)
class Guard:
    """A guard, which compares the words of two texts without vectors.

    Attributes:
        name: the guard's name in findings.
        kinds: the kinds of its findings.
        compare: returns the findings; it is called only for different texts in Latin letters.
    """

    name: str
    kinds: tuple[str, ...]
    compare: Callable[[Text, Text], list[Finding]]

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return findings in the order of the prediction; none for equal texts.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Examples:
            >>> [finding.reason for finding in GUARDS["number"].check("Take 5 mg.", "Take 6 mg.")]
            ['The prediction says "5 mg", the reference "6 mg".']
        """
        left, right = read_text(prediction), read_text(reference)
        return self.compare(left, right) if comparable(left, right) else []


_BUILT_IN = (
    Guard("negation", (NEGATED_PREDICTION, NEGATED_REFERENCE), negation_findings),
    Guard("opposite", (OPPOSED, REVERSED), opposite_findings),
    Guard("number", NUMBER_KINDS, number_findings),
    Guard("name", (MISSING, INVENTED), name_findings),
    *(Guard(difference.guard, (difference.kind,), difference.compare) for difference in CLAIM_DIFFERENCES),
)

GUARDS = MappingProxyType({guard.name: guard for guard in _BUILT_IN})
FINDING_KINDS = tuple(f"{guard.name}:{kind}" for guard in _BUILT_IN for kind in guard.kinds)


class Mode(StrEnum):
    """Mode of a guard: it does nothing, reports findings, or reports them and lowers the score."""

    OFF = "off"
    WARN = "warn"
    WEIGH = "weigh"


class Guards:
    """The guards with their modes.

    Args:
        modes: modes by the guards' names; the default is ``warn``.

    Attributes:
        modes: the mode of every guard, in a fixed order.
        active: names of the guards that are not off, in the same order.

    Raises:
        InputError: a guard or a mode does not exist.

    Examples:
        >>> guards = Guards({"name": "off"})
        >>> [finding.kind for finding in guards.check("Ann took 12.", "Bob took 13.")]
        ['other-value']
    """

    def __init__(self, modes: Mapping[str, str] | None = None) -> None:
        chosen = dict(modes or {})
        for name, mode in chosen.items():
            if name not in GUARDS:
                raise InputError("guards", f"must be among {', '.join(GUARDS)}, got {name!r}")
            if mode not in list(Mode):
                raise InputError(f"the mode of guard {name!r} must be off, warn or weigh, got {mode!r}")
        self.modes = MappingProxyType({name: Mode(chosen.get(name, Mode.WARN)) for name in GUARDS})
        self.active = tuple(name for name, mode in self.modes.items() if mode is not Mode.OFF)

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Check a pair with every guard that is not off.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            Findings, guard by guard, each in the order of the prediction; none for texts that differ only in
            case, white space and marks.
        """
        left, right = read_text(prediction), read_text(reference)
        if not comparable(left, right):
            return []
        return [finding for name in self.active for finding in GUARDS[name].compare(left, right)]

    @property
    def signature(self) -> Signature:
        """Guards with their modes."""
        return Signature.of("guard", findings="+".join(self.active) or None)

    def findings_to_weigh(self, findings: Iterable[Finding]) -> list[Finding]:
        """Keep the findings of guards whose mode is ``weigh``."""
        return [finding for finding in findings if self.modes[finding.guard] is Mode.WEIGH]


def finding_counts(findings: Iterable[Finding]) -> dict[str, int]:
    """Count the findings of a pair by guard and kind, as features for fitting a score.

    Returns:
        A count for each of ``FINDING_KINDS``, in that order, 0 included.

    Examples:
        >>> counts = finding_counts(Guards().check("It is not safe.", "It is safe."))
        >>> counts["negation:negated-prediction"], counts["number:other-value"]
        (1, 0)
    """
    counted = Counter(f"{finding.guard}:{finding.kind}" for finding in findings)
    return {kind: counted[kind] for kind in FINDING_KINDS}
