"""Result of comparing outputs with their snapshot: aligned pairs, scores, and breached limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semscale.guards.findings import Finding
from semscale.history.items import Output


@dataclass(frozen=True)
class Breach:
    """A limit that was breached.

    Attributes:
        setting: name of the setting, such as ``min_match``; ``wording`` for a guard's finding of a
            contradiction between nearly the same words.
        limit: the allowed value.
        value: the measured value; NaN if nothing could be measured.
    """

    setting: str
    limit: float
    value: float


@dataclass(frozen=True)
class SnapshotPair:
    """An output aligned with an approved one.

    Attributes:
        approved: position among the approved outputs, from 0.
        actual: position among the actual outputs, from 0.
        scores: ``match``, ``wording`` (the match before penalties), and ``bertscore_f1`` and ``cosine`` if
            they have a limit; empty for equal texts.
        findings: findings of the guards; the actual output is the "prediction", the approved one the
            "reference".
        breaches: breached limits of the pair.
    """

    approved: int
    actual: int
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    breaches: tuple[Breach, ...] = ()


@dataclass(frozen=True)
class SnapshotComparison:
    """Comparison of outputs with their snapshot.

    Attributes:
        approved: the outputs of the snapshot.
        actual: the outputs of this run.
        pairs: aligned pairs, in the order of the approved outputs.
        breaches: breached limits that concern no single pair.
        measured_by: model and weights that compared the texts; empty if all texts were equal.
    """

    approved: tuple[Output, ...]
    actual: tuple[Output, ...]
    pairs: tuple[SnapshotPair, ...]
    breaches: tuple[Breach, ...] = ()
    measured_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no limit was breached."""
        return not self.breaches and not any(pair.breaches for pair in self.pairs)

    @property
    def missing(self) -> tuple[int, ...]:
        """Positions of approved outputs without a partner."""
        return _others(len(self.approved), {pair.approved for pair in self.pairs})

    @property
    def extra(self) -> tuple[int, ...]:
        """Positions of actual outputs without a partner."""
        return _others(len(self.actual), {pair.actual for pair in self.pairs})


def _others(n: int, paired: set[int]) -> tuple[int, ...]:
    return tuple(place for place in range(n) if place not in paired)
