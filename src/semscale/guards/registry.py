"""The guards by name with their modes (off, warn or weigh), and counts of their findings."""

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

from semscale.errors import InputError
from semscale.guards.claim_guards import (
    CertaintyGuard,
    ConditionGuard,
    ExclusivityGuard,
    OrderGuard,
    QuantityGuard,
    RoleGuard,
)
from semscale.guards.findings import Finding
from semscale.guards.meaning_guards import NameGuard, NegationGuard, OppositeGuard
from semscale.guards.number_guard import NumberGuard
from semscale.signature import Signature

_BUILT_IN = (
    NegationGuard(),
    OppositeGuard(),
    NumberGuard(),
    NameGuard(),
    RoleGuard(),
    QuantityGuard(),
    CertaintyGuard(),
    ExclusivityGuard(),
    OrderGuard(),
    ConditionGuard(),
)

GUARDS = MappingProxyType({guard.name: guard for guard in _BUILT_IN})
FINDING_KINDS = tuple(f"{guard.name}:{kind}" for guard in _BUILT_IN for kind in guard.kinds)


class Mode(StrEnum):
    """The mode of a guard: it does nothing, reports findings, or reports them and lowers the score."""

    OFF = "off"
    WARN = "warn"
    WEIGH = "weigh"


class Guards:
    """The guards with their modes.

    Args:
        modes: modes by the guards' names; the default is ``warn``.

    Attributes:
        modes: the mode of every guard, in a fixed order.

    Raises:
        InputError: a guard or a mode does not exist.

    Example:
        >>> guards = Guards({"name": "off"})
        >>> [finding.kind for finding in guards.check("Ann took 12.", "Bob took 13.")]
        ['other-value']
    """

    def __init__(self, modes: Mapping[str, str] | None = None) -> None:
        given = dict(modes or {})
        for name, mode in given.items():
            if name not in GUARDS:
                raise InputError(f"guards must be among {', '.join(GUARDS)}, got {name!r}")
            if mode not in list(Mode):
                raise InputError(f"the mode of guard {name!r} must be off, warn or weigh, got {mode!r}")
        self.modes = MappingProxyType({name: Mode(given.get(name, Mode.WARN)) for name in GUARDS})

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Check a pair with every guard that is not off.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            Findings, guard by guard, each in the order of the prediction; none for texts that differ only in
            case, white space and marks.
        """
        return [
            finding
            for name, mode in self.modes.items()
            if mode is not Mode.OFF
            for finding in GUARDS[name].check(prediction, reference)
        ]

    @property
    def signature(self) -> Signature:
        """The guards with their modes."""
        looking = [name for name, mode in self.modes.items() if mode is not Mode.OFF]
        return Signature.of("guard", findings="+".join(looking) or None)

    def weighed(self, findings: Iterable[Finding]) -> list[Finding]:
        """Keep the findings of guards whose mode is ``weigh``."""
        return [finding for finding in findings if self.modes[finding.guard] is Mode.WEIGH]


def finding_counts(findings: Iterable[Finding]) -> dict[str, int]:
    """Count the findings of a pair by guard and kind, as features for fitting a score.

    Returns:
        A count for each of ``FINDING_KINDS``, in that order, 0 included.

    Example:
        >>> counts = finding_counts(Guards().check("It is not safe.", "It is safe."))
        >>> counts["negation:negated-prediction"], counts["number:other-value"]
        (1, 0)
    """
    counted = Counter(f"{finding.guard}:{finding.kind}" for finding in findings)
    return {kind: counted[kind] for kind in FINDING_KINDS}
