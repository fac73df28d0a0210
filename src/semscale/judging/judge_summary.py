"""What came of judging a table: verdicts, their mean, people's labels, and which items to look at."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np

from semscale.judging.human_labels import HumanEvidence
from semscale.judging.judge_columns import JudgeCells, JudgeColumns
from semscale.judging.panel_verdicts import PanelVerdicts
from semscale.judging.template import Template
from semscale.judging.verdict import Provenance
from semscale.judging.verdicts import Verdicts
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.panels import EffectiveJudges
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate
from semscale.types import Floats, Integers

_SHOWN = 20
_Pair = tuple[str, str]


@dataclass(frozen=True, repr=False)
class JudgeSummary(Presentable):
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

    @cached_property
    def severities(self) -> dict[str, MeanEstimate]:
        """How much higher each judge of a panel scores than the others do on the same rows, by its name."""
        if self.panel is None:
            return {}
        return dict(zip(self.panel.names, self.panel.severities(self.plan), strict=True))

    @cached_property
    def agreement(self) -> dict[_Pair, AgreementEstimate]:
        """Quadratic weighted kappa of every two judges of a panel, by their names."""
        if self.panel is None:
            return {}
        found = self.panel.agreement(interval=self.plan.interval, seed=self.plan.seed)
        names = self.panel.names
        return {(names[pair.first], names[pair.second]): pair.kappa for pair in found}

    @cached_property
    def effective_judges(self) -> EffectiveJudges | None:
        """How many independent judges a panel amounts to; ``None`` for one judge."""
        if self.panel is None:
            return None
        truth = None if self.human is None else self.human.mean_label
        return self.panel.effective_judges(truth, interval=self.plan.interval, seed=self.plan.seed)

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

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "judge",
            "source": self.source,
            "rows": self.n,
            "counts": self.result.counts,
            "estimates": self.estimates,
            "judges": [self._judge_record(name) for name in self.judges],
            "panel": self._panel_record(),
            "human": None if self.human is None else self._human_record(self.human),
            "lowest": [self._row_record(row) for row in self.lowest(_SHOWN).tolist()],
            "disputed": [self._row_record(row) for row in self.most_disputed(_SHOWN).tolist()],
            "stopped": self.result.stopped,
            "signature": self.result.signature,
            "created": self.created,
        }

    def _judge_record(self, name: str) -> dict[str, Any]:
        verdicts = self.judges[name]
        return {
            "name": name,
            "template": verdicts.template.name,
            "counts": verdicts.counts,
            "provenance": verdicts.provenances,
            "estimates": self.judge_estimates[name],
        }

    def _panel_record(self) -> dict[str, Any] | None:
        independent = self.effective_judges
        if independent is None:
            return None
        return {
            "severities": [{"judge": name, "estimate": one} for name, one in self.severities.items()],
            "agreement": [{"judges": pair, "kappa": kappa} for pair, kappa in self.agreement.items()],
            "effective_judges": {
                "value": independent.value,
                "low": independent.low,
                "high": independent.high,
                "of": independent.of,
            },
        }

    @staticmethod
    def _human_record(human: HumanEvidence) -> dict[str, Any]:
        corrected, ceiling = human.corrected, human.ceiling
        return {
            "n_labelled": corrected.n_labelled,
            "corrected": corrected,
            "naive": corrected.naive,
            "labels_only": corrected.labels_only,
            "bias": corrected.bias,
            "kappa": human.kappa,
            "ceiling": None
            if ceiling is None
            else {"judge": ceiling.judge, "people": ceiling.ceiling, "difference": ceiling.difference},
        }

    def _row_record(self, row: int) -> dict[str, Any]:
        return {
            "row": row + 1,
            "expected": self.expected[row],
            "question": self.cells.questions[row],
            "answer": self.cells.answers[row],
            "verdicts": [
                {
                    "judge": name,
                    "status": verdicts[row].status,
                    "score": verdicts[row].score,
                    "expected": verdicts[row].expected,
                    "explanation": verdicts[row].explanation or None,
                }
                for name, verdicts in self.judges.items()
            ],
        }

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
