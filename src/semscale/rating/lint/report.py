"""The linter's report: measurements of each anchor set and of all together, findings, and a verdict."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from semscale.presentable import Presentable
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.types import Floats

if TYPE_CHECKING:
    import polars as pl

Level = Literal["pass", "warn", "fail"]
_SEVERITY: tuple[Level, ...] = ("pass", "warn", "fail")


@dataclass(frozen=True)
class LintFinding:
    """One criterion that is not met.

    Attributes:
        verdict: ``warn`` or ``fail``.
        criterion: Its short name, as ``docs/scales.md`` lists them.
        anchor_set: The set it is about; ``None`` for the scale as a whole.
        reason: What was measured, and the bound.
    """

    verdict: Level
    criterion: str
    anchor_set: str | None
    reason: str


@dataclass(frozen=True)
class Ladder:
    """How the probes were rated.

    Attributes:
        pmf: shape (n, k), probes from low to high.
        means: shape (n,), in the scale's values.
        peak_mass: shape (k,), the greatest mass that any probe gives a point, 0 to 1; 0 is a dead point.
        prominence: shape (k,), the same relative to the mass of the mode; 1 where it is some probe's mode.
        spread: Mean of the probes of the highest level minus that of the lowest, as a share of the scale's
            length, -1 to 1; NaN where levels are unknown.
        spearman: Rank correlation of the means with the levels, -1 to 1; NaN where levels are unknown.
    """

    pmf: Floats
    means: Floats
    peak_mass: Floats
    prominence: Floats
    spread: float
    spearman: float


@dataclass(frozen=True)
class SetLint:
    """One anchor set.

    Attributes:
        name: The set's name.
        anchors: Its sentences, from low to high.
        cosines: shape (k, k), between its anchors.
        own_scores: shape (k,), the mean this set gives to each of its own anchors.
        other_scores: shape (k,), the mean it gives to the other sets' anchors of each point, averaged over
            those sets; NaN where there is no other set.
        ladder: How it rates the probes on its own.
        findings: Criteria it does not meet.
    """

    name: str
    anchors: tuple[str, ...]
    cosines: Floats
    own_scores: Floats
    other_scores: Floats
    ladder: Ladder
    findings: tuple[LintFinding, ...] = field(default=())

    @property
    def neighbours(self) -> Floats:
        """Cosines of neighbouring anchors, shape (k - 1,)."""
        return np.diagonal(self.cosines, offset=1).copy()

    @property
    def ends(self) -> float:
        """Cosine of the lowest with the highest anchor."""
        return float(self.cosines[0, -1])

    @property
    def verdict(self) -> Level:
        """The worst of its findings; ``pass`` where there is none."""
        return worst(self.findings)

    def judged(self, findings: Iterable[LintFinding]) -> "SetLint":
        """Add findings."""
        return replace(self, findings=(*self.findings, *findings))


@dataclass(frozen=True, repr=False)
class LintReport(Presentable):
    """Measurements, findings and verdict of the linter for a scale and an embedder.

    Attributes:
        scale: The scale.
        signature: Scale, probes and embedder.
        probes: Texts of the ladder, from low to high, n of them.
        levels: shape (n,), their levels on the scale's values; NaN where they are unknown.
        sets: One entry for each anchor set, in the scale's order.
        ladder: How all sets together rate the probes.
        agreement: shape (s, s), Pearson's r between sets of their means on the ladder; NaN where undefined.
        random_cosine: Mean cosine of unrelated sentences, 0 to 1, where the bounds on cosines start.
        findings: All criteria that are not met, sets first.
    """

    scale: Scale
    signature: Signature
    probes: tuple[str, ...]
    levels: Floats
    sets: tuple[SetLint, ...]
    ladder: Ladder
    agreement: Floats
    random_cosine: float
    findings: tuple[LintFinding, ...]

    def __repr__(self) -> str:
        return f"LintReport(scale={self.scale.name!r}, verdict={self.verdict!r})"

    @property
    def verdict(self) -> Level:
        """The worst of the findings; ``pass`` where there is none."""
        return worst(self.findings)

    @property
    def reliability(self) -> float:
        """Standardised alpha of the sets' means on the ladder, at most 1; NaN for one set."""
        return reliability(self.agreement)

    @property
    def worst_first(self) -> tuple[LintFinding, ...]:
        """Findings, the worst first."""
        return tuple(sorted(self.findings, key=lambda finding: -_SEVERITY.index(finding.verdict)))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Findings as lines, the worst first; one line that says so where there is none."""
        lines = (f"{one.verdict}: {one.anchor_set or 'all sets'}: {one.reason}" for one in self.worst_first)
        return tuple(lines) or ("every criterion is met",)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "lint",
            "scale": self.scale.name,
            "content": self.scale.content_hash,
            "verdict": self.verdict,
            "findings": self.worst_first,
            "sets": self.sets,
            "ladder": self.ladder,
            "probes": self.probes,
            "levels": self.levels,
            "agreement": self.agreement,
            "random_cosine": self.random_cosine,
            "reliability": self.reliability,
            "signature": self.signature,
        }

    def to_frame(self) -> "pl.DataFrame":
        """One row for each anchor set, with its measurements, its verdict and the reasons."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "anchor_set": one.name,
                    "verdict": one.verdict,
                    "highest_neighbour_cosine": float(one.neighbours.max()),
                    "ends_cosine": one.ends,
                    "least_peak_mass": float(one.ladder.peak_mass.min()),
                    "spread": one.ladder.spread,
                    "spearman": one.ladder.spearman,
                    "reasons": "; ".join(finding.reason for finding in one.findings),
                }
                for one in self.sets
            ]
        )


def worst(findings: Iterable[LintFinding]) -> Level:
    """Take the most severe verdict.

    Example:
        >>> worst([LintFinding("warn", "ends", None, "..."), LintFinding("fail", "order", None, "...")])
        'fail'
        >>> worst([])
        'pass'
    """
    return max((finding.verdict for finding in findings), key=_SEVERITY.index, default="pass")


def reliability(agreement: Floats) -> float:
    """Standardised alpha: from the mean correlation r between s sets, s r / (1 + (s - 1) r).

    Args:
        agreement: shape (s, s), correlations between the sets.

    Returns:
        At most 1, minus infinity where sets cancel out; NaN for one set, or for an undefined correlation.

    References:
        Cronbach (1951): Coefficient alpha and the internal structure of tests. doi:10.1007/BF02310555

    Example:
        >>> reliability(np.array([[1.0, 0.5], [0.5, 1.0]]))
        0.6666666666666666
    """
    n_sets = len(agreement)
    if n_sets == 1:
        return float("nan")
    mean = float(agreement[~np.eye(n_sets, dtype=bool)].mean())
    scaled = 1 + (n_sets - 1) * mean
    return -float("inf") if scaled <= 0 else n_sets * mean / scaled
