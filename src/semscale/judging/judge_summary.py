"""What came of judging a table: verdicts, their mean, people's labels, and which items to look at."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

import numpy as np

from semscale.judging.human_labels import HumanEvidence
from semscale.judging.judge_columns import JudgeCells, JudgeColumns
from semscale.judging.panel_verdicts import PanelVerdicts
from semscale.judging.template import Template
from semscale.judging.verdict import Provenance
from semscale.judging.verdicts import Verdicts
from semscale.results.estimates import Estimates
from semscale.stats.estimates import IntervalPlan
from semscale.stats.means import MeanEstimate
from semscale.types import Floats, Integers


@dataclass(frozen=True)
class JudgeSummary:
    """What was measured in a table of n rows.

    Attributes:
        source: what the table is called.
        columns: which column is what.
        cells: the rows and what was judged in them.
        result: one judge's verdicts, or a panel's.
        plan: how intervals are made.
        human: people's labels beside the scores, where there are any.
        created: when.
    """

    source: str
    columns: JudgeColumns
    cells: JudgeCells
    result: Verdicts | PanelVerdicts
    plan: IntervalPlan
    human: HumanEvidence | None = None
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n(self) -> int:
        """Rows of the table."""
        return len(self.result)

    @property
    def panel(self) -> PanelVerdicts | None:
        """The panel's verdicts, if there is a panel."""
        return self.result if isinstance(self.result, PanelVerdicts) else None

    @property
    def judges(self) -> dict[str, Verdicts]:
        """Each judge's verdicts, by name."""
        if isinstance(self.result, PanelVerdicts):
            return dict(zip(self.result.names, self.result.judges, strict=True))
        return {self.result.model: self.result}

    @property
    def template(self) -> Template:
        """What was asked; of a panel what its first judge was."""
        return next(iter(self.judges.values())).template

    @property
    def expected(self) -> Floats:
        """Expected score of each row, of a panel the mean of its judges; NaN where there is none."""
        return self.result.mean if isinstance(self.result, PanelVerdicts) else self.result.expected

    @cached_property
    def estimates(self) -> Estimates:
        """Mean expected score of all rows, with its interval."""
        return self._estimated(self.result)

    @cached_property
    def judge_estimates(self) -> dict[str, Estimates]:
        """Each judge's own mean expected score with its interval, by the judge's name."""
        if self.panel is None:
            return dict.fromkeys(self.judges, self.estimates)
        return {name: self._estimated(verdicts) for name, verdicts in self.judges.items()}

    @property
    def estimate(self) -> MeanEstimate:
        """Mean expected score of all rows, with the counts behind it."""
        return self.estimates.overall_mean()

    @property
    def provenances(self) -> dict[Provenance, int]:
        """How many distributions of all judges come from where."""
        counted: Counter[Provenance] = Counter()
        for verdicts in self.judges.values():
            counted.update(verdicts.provenances)
        return {provenance: counted[provenance] for provenance in Provenance if counted[provenance]}

    def lowest(self, n: int) -> Integers:
        """Rows with the lowest scores, the lowest first."""
        rows = np.flatnonzero(~np.isnan(self.expected))
        return rows[np.argsort(self.expected[rows], kind="stable")][:n]

    def most_disputed(self, n: int) -> Integers:
        """Rows on which the judges differ most, those first on which they do; empty for one judge."""
        if not isinstance(self.result, PanelVerdicts):
            return np.zeros(0, dtype=np.int64)
        spread = self.result.spread
        rows = np.flatnonzero(spread > 0)
        return rows[np.argsort(-spread[rows], kind="stable")][:n]

    def least_certain(self, n: int) -> Integers:
        """Rows whose scores have the widest distributions, those first; empty where none is wide."""
        widths = np.array([self._width(row) for row in range(self.n)])
        rows = np.flatnonzero(widths > 0)
        return rows[np.argsort(-widths[rows], kind="stable")][:n]

    def _estimated(self, result: Verdicts | PanelVerdicts) -> Estimates:
        plan = self.plan
        return result.estimate(
            interval=plan.interval, method=plan.method, seed=plan.seed, replicates=plan.replicates
        )

    def _width(self, row: int) -> float:
        """Greatest standard deviation of a judge's distribution for a row; 0 where there is none."""
        widths = [0.0]
        for verdicts in self.judges.values():
            verdict = verdicts[row]
            if verdict.distribution:
                mean = verdict.expected
                widths.append(sum(mass * (score - mean) ** 2 for score, mass in verdict.distribution) ** 0.5)
        return max(widths)
