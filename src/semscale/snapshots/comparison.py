"""What came of comparing outputs with their snapshot: which belong together, and what went too far."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semscale.guards.findings import Finding
from semscale.history.items import Output


@dataclass(frozen=True)
class Breach:
    """Something that went further than its setting allows.

    Attributes:
        setting: its name, such as ``min_match``; ``wording`` where a guard contradicts nearly the same words.
        limit: what it allows.
        value: what was found; NaN where nothing could be measured.
    """

    setting: str
    limit: float
    value: float


@dataclass(frozen=True)
class SnapshotPair:
    """An output with the approved one it belongs to.

    Attributes:
        approved: place among the approved outputs.
        actual: place among the outputs now.
        scores: ``match``, ``wording`` (the match, findings aside), and ``bertscore_f1`` and ``cosine`` where
            a threshold asks for them; empty for equal texts.
        findings: of the guards; the output now is the "prediction", the approved one the "reference".
        breaches: what goes too far.
    """

    approved: int
    actual: int
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    breaches: tuple[Breach, ...] = ()


@dataclass(frozen=True)
class SnapshotComparison:
    """Outputs beside their snapshot.

    Attributes:
        approved: the outputs of the snapshot.
        actual: the outputs now.
        pairs: which belong together, in the order of the approved ones.
        breaches: what goes too far beyond single pairs.
        measured_by: what compared them; empty where all texts were the same.
    """

    approved: tuple[Output, ...]
    actual: tuple[Output, ...]
    pairs: tuple[SnapshotPair, ...]
    breaches: tuple[Breach, ...] = ()
    measured_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether nothing goes too far."""
        return not self.breaches and not any(pair.breaches for pair in self.pairs)

    @property
    def missing(self) -> tuple[int, ...]:
        """Places of approved outputs that have no partner now."""
        return _others(len(self.approved), {pair.approved for pair in self.pairs})

    @property
    def extra(self) -> tuple[int, ...]:
        """Places of outputs now that have no approved partner."""
        return _others(len(self.actual), {pair.actual for pair in self.pairs})


def _others(n: int, paired: set[int]) -> tuple[int, ...]:
    return tuple(place for place in range(n) if place not in paired)
