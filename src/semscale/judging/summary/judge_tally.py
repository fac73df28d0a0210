"""Scores and counts of one judge, collected part by part."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from semscale.judging.decisions.criterion_columns import CRITERION
from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.prompts.template import Template
from semscale.judging.summary.judge_scores import LITTLE_COVERED, JudgeScores
from semscale.judging.summary.judged_rows import JudgedColumns
from semscale.judging.verdict import Provenance
from semscale.signature import Signature
from semscale.types import Floats, Status, Statuses

_FIFTHS = 5
_SLACK = 1e-6
_WITH_REASON = (Status.FAILED, Status.UNPARSABLE, Status.REFUSED)
_MOST_REASONS = 1000  # different ones that are counted


class JudgeTally:
    """Takes the parts of one judge in the order of the rows: scores are kept, everything else is counted.

    Args:
        template: what the judge was asked.
        weights: of a rubric's criteria by their names; empty for a template.
    """

    def __init__(self, template: Template, weights: Mapping[str, float] | None = None) -> None:
        self._template, self._weights = template, weights or {}
        self._criteria: dict[str, list[Floats]] = {name: [] for name in self._weights}
        self._order_bias, self._n_order_biases = 0.0, 0
        self._n_normalised = 0
        self._status: list[Statuses] = []
        self._score: list[Floats] = []
        self._expected: list[Floats] = []
        self._provenances: Counter[str] = Counter()
        self._reasons = {kind: Counter[str]() for kind in _WITH_REASON}
        self._fifths = np.zeros(_FIFTHS)
        self._n_little_covered = 0

    def add(self, own: JudgedColumns) -> Floats:
        """Add the next rows.

        Args:
            own: the judge's columns of m rows.

        Returns:
            Shape (m,), the standard deviation of each score, 0 to .5; NaN for none, or where it is 0.
        """
        status, expected = own.statuses(), own.floats("expected")
        self._status.append(status)
        self._score.append(own.floats("score"))
        self._expected.append(expected)
        self._provenances.update(own.column("provenance").drop_nulls().to_list())
        covered, scored = own.floats("covered"), status == Status.SCORED
        self._n_little_covered += int((covered[scored] < LITTLE_COVERED).sum())
        decided = (own.column("provenance") == Provenance.DECISION).fill_null(False).to_numpy()  # noqa: FBT003
        self._n_normalised += int((np.abs(covered[scored & decided] - 1) > _SLACK).sum())
        biases = own.floats("order_bias")
        self._order_bias += float(np.nansum(biases))
        self._n_order_biases += int((~np.isnan(biases)).sum())
        for name, found in self._criteria.items():
            found.append(own.floats(CRITERION + name))
        for kind, counted in self._reasons.items():
            for reason in own.column("reason").filter(status == kind).fill_null("").to_list():
                if reason in counted or len(counted) < _MOST_REASONS:
                    counted[reason] += 1
        for masses in own.column("masses").to_list():
            for score, mass in masses:
                self._fifths[min(int(score * _FIFTHS), _FIFTHS - 1)] += mass
        widths = own.floats("deviation")
        return np.where(widths > 0, widths, np.nan)

    def scores(self, signature: Signature, not_taken: tuple[FormRefusal, ...]) -> JudgeScores:
        """Sum up everything that was added.

        Args:
            signature: what the judge applied.
            not_taken: forms of asking that its model did not take, and why.
        """
        return JudgeScores(
            template=self._template,
            signature=signature,
            statuses=np.concatenate(self._status),
            score=np.concatenate(self._score),
            expected=np.concatenate(self._expected),
            provenances={known: self._provenances[known] for known in Provenance if self._provenances[known]},
            fifths=self._fifths,
            n_little_covered=self._n_little_covered,
            reasons={kind: dict(counted.most_common()) for kind, counted in self._reasons.items() if counted},
            not_taken=not_taken,
            n_normalised=self._n_normalised,
            order_bias=self._order_bias / self._n_order_biases if self._n_order_biases else float("nan"),
            criteria={name: np.concatenate(found) for name, found in self._criteria.items()},
            weights=self._weights,
        )
