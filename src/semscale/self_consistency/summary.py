"""What came of measuring a table's consistency: estimates, trust, and which items to look at."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from semscale.results.estimates import Estimates
from semscale.self_consistency.asking import Replies
from semscale.self_consistency.columns import AnswerCells, AnswerColumns
from semscale.self_consistency.consistencies import Consistencies
from semscale.self_consistency.correctness_probability import Trust
from semscale.stats.intervals.means import MeanEstimate
from semscale.types import Integers


@dataclass(frozen=True)
class ConsistencySummary:
    """What was measured for n items.

    Attributes:
        source: what the table is called.
        columns: which column is what.
        cells: the items, with the answers and samples that came where a model was asked.
        found: their consistency.
        estimates: the mean of each measure with its interval, of all items and of each group.
        trust: P(correct) and decisions, where answers were labelled.
        replies: what asking took, where a model was asked.
        seed: of all that is random.
        created: when.
    """

    source: str
    columns: AnswerColumns
    cells: AnswerCells
    found: Consistencies
    estimates: Estimates
    trust: Trust | None = None
    replies: Replies | None = None
    seed: int = 0
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.found)

    @property
    def interval(self) -> float:
        """Coverage that the intervals aim at."""
        return self.estimates.interval

    @property
    def overall(self) -> MeanEstimate:
        """The mean of the first measure over all items."""
        return self.estimates.overall_mean()

    @property
    def contradicted(self) -> int:
        """How many items have a sample that contradicts the answer."""
        return int((self.found.n_contradicting > 0).sum())

    @property
    def guards(self) -> dict[str, int]:
        """In how many items each guard found a contradiction, in the order of the alphabet."""
        counted = Counter(
            guard for found in self.found.contradictions for guard in {one.finding.guard for one in found}
        )
        return dict(sorted(counted.items()))

    def least(self, n: int) -> Integers:
        """Items with the lowest values of the first measure, the lowest first."""
        items = np.flatnonzero(~np.isnan(self.found.score))
        return items[np.argsort(self.found.score[items], kind="stable")][:n]
