"""Scores and counts of one judge, collected part by part."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from semscale.judging.decisions.criterion_columns import CRITERION
from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.prompts.template import Template
from semscale.judging.summary.judge_scores import LITTLE_COVERED, JudgeScores
from semscale.judging.summary.judged_rows import JudgedColumns
from semscale.judging.verdict import Provenance
from semscale.results.estimates import Estimates
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.stats.sampling import Column
from semscale.types import Floats, Status

_FIFTHS = 5
_SLACK = 1e-6
_WITH_REASON = (Status.FAILED, Status.UNPARSABLE, Status.REFUSED)
_MOST_REASONS = 1000  # different ones that are counted


class JudgeTally:
    """Takes the parts of one judge in the order of the rows, and adds them up.

    Args:
        template: what the judge was asked.
        name: of the judge, for its columns of the items that are kept.
        weights: of a rubric's criteria by their names; empty for a template.
    """

    def __init__(self, template: Template, name: str, weights: Mapping[str, float] | None = None) -> None:
        self._template, self._name, self._weights = template, name, weights or {}
        self._tallies = score_tallies(("score", "expected"))
        self._order_bias, self._n_order_biases = 0.0, 0
        self._n_normalised = 0
        self._counts: Counter[Status] = Counter()
        self._provenances: Counter[str] = Counter()
        self._reasons = {kind: Counter[str]() for kind in _WITH_REASON}
        self._fifths = np.zeros(_FIFTHS)
        self._n_little_covered = 0

    def add(self, own: JudgedColumns, by: pl.Series | None) -> Floats:
        """Add the next rows.

        Args:
            own: the judge's columns of m rows.
            by: m names of groups; ``None`` without groups.

        Returns:
            Shape (m,), the standard deviation of each score, 0 to .5; NaN for none, or where it is 0.
        """
        status, expected = own.statuses(), own.floats("expected")
        self._counts.update(status.tolist())
        self._tallies.add(np.column_stack([own.floats("score"), expected]), status, by=by)
        self._provenances.update(own.column("provenance").drop_nulls().to_list())
        covered, scored = own.floats("covered"), status == Status.SCORED
        self._n_little_covered += int((covered[scored] < LITTLE_COVERED).sum())
        decided = (own.column("provenance") == Provenance.DECISION).fill_null(False).to_numpy()  # noqa: FBT003
        self._n_normalised += int((np.abs(covered[scored & decided] - 1) > _SLACK).sum())
        biases = own.floats("order_bias")
        biases = biases[~np.isnan(biases)]
        # One after the other, so that the size of the parts does not move the last digit.
        self._order_bias = float(np.cumsum([self._order_bias, *biases])[-1])
        self._n_order_biases += len(biases)
        for kind, counted in self._reasons.items():
            for reason in own.column("reason").filter(status == kind).fill_null("").to_list():
                if reason in counted or len(counted) < _MOST_REASONS:
                    counted[reason] += 1
        for masses in own.column("masses").to_list():
            for score, mass in masses:
                self._fifths[min(int(score * _FIFTHS), _FIFTHS - 1)] += mass
        widths = own.floats("deviation")
        return np.where(widths > 0, widths, np.nan)

    def columns(self, own: JudgedColumns) -> dict[str, Column]:
        """Give the numbers of m rows that are kept of a sample of rows."""
        found = {"score": own.floats("score"), "expected": own.floats("expected")}
        found |= {CRITERION + name: own.floats(CRITERION + name) for name in self._weights}
        return {self._column(name): values for name, values in found.items()}

    def scores(
        self,
        kept: Mapping[str, Column],
        plan: IntervalPlan,
        signature: Signature,
        not_taken: tuple[FormRefusal, ...],
    ) -> JudgeScores:
        """Sum up everything that was added.

        Args:
            kept: columns of the items that are kept, those of all judges.
            plan: how intervals are made.
            signature: what the judge applied.
            not_taken: forms of asking that its model did not take, and why.
        """
        return JudgeScores(
            template=self._template,
            signature=signature,
            counts={status: self._counts[status] for status in Status if self._counts[status]},
            estimates=tallied(self._tallies, plan, signature),
            score=kept[self._column("score")],
            expected=kept[self._column("expected")],
            provenances={known: self._provenances[known] for known in Provenance if self._provenances[known]},
            fifths=self._fifths,
            n_little_covered=self._n_little_covered,
            reasons={kind: dict(counted.most_common()) for kind, counted in self._reasons.items() if counted},
            not_taken=not_taken,
            n_normalised=self._n_normalised,
            order_bias=self._order_bias / self._n_order_biases if self._n_order_biases else float("nan"),
            criteria={name: kept[self._column(CRITERION + name)] for name in self._weights},
            weights=self._weights,
        )

    def _column(self, name: str) -> str:
        return f"{self._name} {name}"


def score_tallies(names: Sequence[str]) -> Tallies:
    """Begin to add up values from 0 to 1; the first one is the main figure."""
    return Tallies([value_figure(name, (0.0, 1.0)) for name in names], Signature.of("judge"))


def tallied(tallies: Tallies, plan: IntervalPlan, signature: Signature) -> Estimates:
    """Estimate what was added up, once the signature is known."""
    return tallies.estimates(
        interval=plan.interval,
        method=plan.method,
        seed=plan.seed,
        replicates=plan.replicates,
        signature=signature,
    )
