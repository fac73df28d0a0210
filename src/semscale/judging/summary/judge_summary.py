"""Summary of judged items: figures of each judge, people's labels beside them, and items to look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from semscale.embedding.languages.language_counts import LanguageCount
from semscale.judging.human_labels import HumanEvidence
from semscale.judging.judge_columns import JudgeColumns
from semscale.judging.prompts.template import Template
from semscale.judging.summary.judge_scores import JudgeScores
from semscale.judging.summary.judged_rows import JudgedRow
from semscale.judging.verdict import Provenance
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, mean_in_words
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.signature import Signature
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.panels import (
    EffectiveJudges,
    effective_judges,
    pairwise_agreement,
    severities,
)
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.types import Floats, Mask, Status, Statuses

KEPT_ITEMS = 20
"""Items with the lowest scores, and as many that are disputed or least certain, that a summary keeps."""

_Pair = tuple[str, str]


@dataclass(frozen=True, repr=False)
class JudgeSummary(Presentable):
    """Figures of n judged items, and the items to look at.

    Attributes:
        source: what the items are from.
        columns: which column is what.
        judges: each judge's numbers, by the judge's name.
        n: how many items there are.
        sampled: items of the random sample that criteria, severities, agreement and corrected means are made
            from; ``None`` where all items are.
        counts: items by their status; of a panel ``scored`` where one judge or more gave a score.
        estimates: means over all items, with intervals. Of one judge these are ``score``, the mean of the
            levels that it stated, and ``expected``, the mean of its expected scores; of a panel ``mean``, the
            mean of its judges' expected scores.
        expected: shape (m,), expected scores of the items that are kept, of a panel the mean of its judges;
            NaN where there is none.
        in_draw: shape (m,), which of these stand for all items; the others are kept for their labels.
        plan: how intervals are made.
        lowest: items with the lowest scores, the lowest first, at most 20.
        disputed: items on which a panel's judges differ most, at most 20; empty for one judge.
        least_certain: items whose scores have the widest distributions, at most 20; empty for a panel.
        left_out: for each reason why items have no score a few of them: row, counted from 0, and text.
        languages: items by the language of the answer, the most frequent first.
        human: people's labels beside the scores, where there are any.
        stopped: why not every item was asked about, or ``None``.
        input_notes: how the table was read, such as the rows that a condition left out.
        unused_inclusion: whether the table has a column ``inclusion``, as ``judge label`` writes it, that was
            not named beside the labels.
        created: when.
    """

    source: str
    columns: JudgeColumns
    judges: Mapping[str, JudgeScores]
    n: int
    sampled: int | None
    counts: Mapping[Status, int]
    estimates: Estimates
    expected: Floats
    in_draw: Mask
    plan: IntervalPlan
    lowest: tuple[JudgedRow, ...] = ()
    disputed: tuple[JudgedRow, ...] = ()
    least_certain: tuple[JudgedRow, ...] = ()
    left_out: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    languages: tuple[LanguageCount, ...] = ()
    human: HumanEvidence | None = None
    stopped: str | None = None
    input_notes: tuple[str, ...] = ()
    unused_inclusion: bool = False
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        overall = self.estimates.overall
        mean = f", {mean_in_words(self.estimates.overall_mean())}" if overall.n else ""
        judges = f"judges={list(self.judges)}"
        return f"JudgeSummary(source={self.source!r}, {judges}, n={self.n:,}, n_scored={overall.n:,}{mean})"

    @property
    def is_panel(self) -> bool:
        """Whether there are several judges."""
        return len(self.judges) > 1

    @property
    def signature(self) -> Signature:
        """The settings that were applied, those of the estimates and of people's labels included."""
        found = self.estimates.signature
        return found if self.human is None else found.extended(self.human.signature)

    @property
    def failed(self) -> str | None:
        """Why no call brought a usable reply; ``None`` where one did, if only to decline.

        A run that was stopped may bring one yet, so that only calls without any reply count there.
        """
        judges = self.judges.values()
        if any(own.counts.get(status) for own in judges for status in (Status.SCORED, Status.REFUSED)):
            return None
        reasons = (own.failure or (None if self.stopped else own.unusable) for own in judges)
        return next((reason for reason in reasons if reason), None)

    @property
    def template(self) -> Template:
        """The template of the judge, of a panel that of its first judge."""
        return next(iter(self.judges.values())).template

    @property
    def judge_estimates(self) -> dict[str, Estimates]:
        """Each judge's mean ``score`` and mean ``expected`` score with intervals, by the judge's name."""
        return {name: own.estimates for name, own in self.judges.items()}

    @property
    def mean_expected(self) -> Estimate | None:
        """Mean of ``expected`` over all items, 0 to 1, with its interval; ``None`` without any score."""
        return self.estimates.overall.figures.get("mean" if self.is_panel else "expected")

    @cached_property
    def mean_label(self) -> MeanEstimate | None:
        """Mean of people's labels, 0 to 1, over all rows that have one; ``None`` without any label."""
        if self.human is None or np.isnan(self.human.mean_label).all():
            return None
        found = estimate_mean(self.human.mean_label, bounds=(0.0, 1.0), plan=self.plan)
        return replace(found, n_left_out=self.n - found.n)

    @cached_property
    def criteria(self) -> dict[str, MeanEstimate]:
        """Mean expected score by each criterion of a rubric, 0 to 1, by its name; empty for a template."""
        return {
            name: estimate_mean(values[self.in_draw], bounds=(0.0, 1.0), plan=self.plan)
            for own in self.judges.values()
            for name, values in own.criteria.items()
        }

    @cached_property
    def severities(self) -> dict[str, MeanEstimate]:
        """How much higher each judge of a panel scores than the others do on the same items, by its name."""
        if not self.is_panel:
            return {}
        return dict(
            zip(self.judges, severities(self._each_expected[self.in_draw], plan=self.plan), strict=True)
        )

    @cached_property
    def agreement(self) -> dict[_Pair, AgreementEstimate]:
        """Quadratic weighted kappa of every two judges of a panel, by their names."""
        if not self.is_panel:
            return {}
        stated = np.column_stack([own.score for own in self.judges.values()])
        found = pairwise_agreement(stated[self.in_draw], interval=self.plan.interval, seed=self.plan.seed)
        names = list(self.judges)
        return {(names[pair.first], names[pair.second]): pair.kappa for pair in found}

    @cached_property
    def effective_judges(self) -> EffectiveJudges | None:
        """How many independent judges a panel amounts to; ``None`` for one judge."""
        if not self.is_panel:
            return None
        plan, scores, truth = self.plan, self._each_expected, None
        if self.human is None:
            scores = scores[self.in_draw]
        else:
            truth = self.human.mean_label
        return effective_judges(scores, truth=truth, interval=plan.interval, seed=plan.seed)

    @property
    def provenances(self) -> dict[Provenance, int]:
        """How many distributions of all judges come from where."""
        counted = {
            provenance: sum(own.provenances.get(provenance, 0) for own in self.judges.values())
            for provenance in Provenance
        }
        return {provenance: n for provenance, n in counted.items() if n}

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "judge",
            "source": self.source,
            "rows": self.n,
            "sampled": self.sampled,
            "counts": self.counts,
            "languages": [found.record("language") for found in self.languages],
            "estimates": self.estimates,
            "judges": [self._judge_record(name) for name in self.judges],
            "panel": self._panel_record(),
            "human": None if self.human is None else self._human_record(self.human),
            "lowest": [item.record() for item in self.lowest],
            "disputed": [item.record() for item in self.disputed],
            "stopped": self.stopped,
            "signature": self.signature,
            "created": self.created,
        }

    def _judge_record(self, name: str) -> dict[str, Any]:
        own = self.judges[name]
        return {
            "name": name,
            "template": own.template.name,
            "counts": own.counts,
            "provenance": own.provenances,
            "estimates": own.estimates,
            "method": dict(own.signature.fields).get("method", "prose"),
            "n_normalised": own.n_normalised,
            "order_bias": own.order_bias,
            "not_taken": [each.record() for each in own.not_taken],
            "reasons": [
                {"status": status, "reason": reason, "n": n} for status, reason, n in own.frequent_reasons
            ],
            "criteria": [
                {"name": criterion, "weight": own.weights[criterion], "estimate": self.criteria[criterion]}
                for criterion in own.criteria
            ],
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
                "note": independent.note,
            },
        }

    def _human_record(self, human: HumanEvidence) -> dict[str, Any]:
        corrected, ceiling = human.corrected, human.ceiling
        return {
            "n_labelled": corrected.n_labelled,
            "corrected": corrected,
            "naive": corrected.naive,
            "labels_only": corrected.labels_only,
            "bias": corrected.bias,
            "judge_less_people": human.judge_less_people,
            "labels": self.mean_label,
            "kappa": human.kappa,
            "ceiling": None
            if ceiling is None
            else {"judge": ceiling.judge, "people": ceiling.ceiling, "difference": ceiling.difference},
        }

    @cached_property
    def _each_expected(self) -> Floats:
        """Expected scores of the items that are kept, shape (m, k)."""
        return np.column_stack([own.expected for own in self.judges.values()])


def estimate_scores(
    values: Mapping[str, Floats], status: Statuses, signature: Signature, **settings: Unpack[EstimateSettings]
) -> Estimates:
    """Estimate means of values from 0 to 1, of all items and of each group; the first one is the main figure.

    Args:
        values: by name, each of shape (n,); NaN where an item has none.
        status: shape (n,), why each item has a score, or has none.
        signature: of the judge or the panel.
        settings: groups, weights, respondents, and how intervals are made.

    Raises:
        InputError: a column of the wrong length, a wrong weight, or a setting out of range.
    """
    bounds = dict.fromkeys(values, (0.0, 1.0))
    return estimate_values(values, status, bounds=bounds, signature=signature, **settings)
