"""What came of matching a table: estimates, groups, findings, and which pairs to look at."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from semscale.matching.match_columns import MatchCells, MatchColumns
from semscale.matching.matches import Matches
from semscale.matching.separation import Separation
from semscale.results.estimates import Estimates
from semscale.types import Integers


@dataclass(frozen=True)
class MatchSummary:
    """What was measured in a table of n rows.

    Attributes:
        source: what the table is called.
        columns: which column is what.
        cells: the rows and what was matched in them.
        matches: their matches.
        estimates: mean scores with intervals, of all rows and of each group.
        seed: of all that is random.
        separation: how far the scores stand above those of unrelated pairs, where that can be said.
        created: when.
    """

    source: str
    columns: MatchColumns
    cells: MatchCells
    matches: Matches
    estimates: Estimates
    seed: int = 0
    separation: Separation | None = None
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n(self) -> int:
        """Rows of the table."""
        return len(self.matches)

    @property
    def interval(self) -> float:
        """Coverage that the intervals aim at."""
        return self.estimates.interval

    @property
    def method(self) -> str:
        """The method's name, as the signature has it."""
        return dict(self.matches.signature.fields).get("method", self.matches.signature.instrument)

    @property
    def guards(self) -> dict[str, int]:
        """How many rows each guard found something in, in the order of the alphabet."""
        found = Counter(guard for row in self.matches.findings for guard in {one.guard for one in row})
        return dict(sorted(found.items()))

    @property
    def flagged(self) -> int:
        """How many rows some guard found something in."""
        return sum(map(bool, self.matches.findings))

    def worst(self, n: int) -> Integers:
        """Rows with the lowest scores, the lowest first."""
        rows = np.flatnonzero(self.matches.scored)
        return rows[np.argsort(self.matches.score[rows], kind="stable")][:n]

    def best_flagged(self, n: int) -> Integers:
        """Rows with findings, the highest score first: they look alike although something differs."""
        rows = np.array([row for row, found in enumerate(self.matches.findings) if found], np.int64)
        return rows[np.argsort(-self.matches.score[rows], kind="stable")][:n]

    def reference(self, row: int) -> str | None:
        """The reference that a row's score is from; ``None`` for a row without a score."""
        place = int(self.matches.reference[row])
        return None if place < 0 else str(self.cells.references[row][place])
