"""Summary of judged items: figures of each judge, a comparison with human labels, and items to inspect."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from semscale.chat.negotiation import FormRefusal
from semscale.judging.human_labels import HumanEvidence
from semscale.judging.score_gate import GateVerdict, ScoreGate
from semscale.judging.settings import JudgeColumns
from semscale.judging.templates import Template
from semscale.judging.verdict import Provenance, Verdict
from semscale.results.estimates import Estimates, mean_in_words
from semscale.results.summary import Summary
from semscale.signature import Signature
from semscale.stats.agreement import (
    AgreementEstimate,
    EffectiveJudges,
    effective_judges,
    pairwise_agreement,
    severities,
)
from semscale.stats.intervals import (
    Estimate,
    IntervalPlan,
    MeanEstimate,
    estimate_mean,
)
from semscale.types import Floats, Mask, Status

LITTLE_COVERED = 0.9
"""Covered mass below which a distribution counts as little covered."""

_LISTED_REASONS = 5
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ANY_NUMBER = "…"


@dataclass(frozen=True)
class JudgeScores:
    """Scores of one judge for n items, and counts of their statuses and sources.

    Attributes:
        template: what the judge was asked.
        signature: the settings that were applied.
        counts: items by status.
        estimates: mean ``score`` and mean ``expected`` score of all items, with intervals.
        score: shape (m,), the stated level of the sampled items, from 0 to 1; NaN if missing.
        expected: shape (m,), mean of each distribution, likewise.
        provenances: number of distributions by source.
        fifths: shape (5,), total mass of all distributions in each fifth of 0 to 1.
        n_little_covered: number of scores whose distribution covers less than .9 of the mass.
        reasons: items that failed, could not be read or were refused, by status and reason, the most frequent
            reason first.
        refused_forms: request forms that the model did not accept, and why.
        n_normalised: number of decisions whose probabilities did not sum to 1.
        order_bias: mean effect of the levels' order on the distributions, 0 to 1; NaN for a single order.
        criteria: shape (m,) each, expected scores by each criterion of a rubric; empty for a template.
        weights: weights of the criteria, by name.
    """

    template: Template
    signature: Signature
    counts: Mapping[Status, int]
    estimates: Estimates
    score: Floats
    expected: Floats
    provenances: Mapping[Provenance, int]
    fifths: Floats
    n_little_covered: int
    reasons: Mapping[Status, Mapping[str, int]] = field(default_factory=dict)
    refused_forms: tuple[FormRefusal, ...] = ()
    n_normalised: int = 0
    order_bias: float = float("nan")
    criteria: Mapping[str, Floats] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def failure(self) -> str | None:
        """The most frequent reason why a call had no reply; ``None`` if every call had one."""
        return next(iter(self.reasons.get(Status.FAILED, ())), None)

    @property
    def unusable(self) -> str | None:
        """The most frequent reason why a reply gave no score; ``None`` if all gave one or declined."""
        return next(iter(self.reasons.get(Status.UNPARSABLE, ())), None)

    @property
    def frequent_reasons(self) -> list[tuple[Status, str, int]]:
        """The five most frequent reasons of each status; reasons that differ only in numbers are merged."""
        return [
            (status, reason, n)
            for status, counts in self.reasons.items()
            for reason, n in list(alike_reasons(counts).items())[:_LISTED_REASONS]
        ]

    @property
    def is_scored_anywhere(self) -> bool:
        """True if any item has a score."""
        return Status.SCORED in self.counts


@dataclass(frozen=True)
class JudgedRow:
    """An item with its verdicts.

    Attributes:
        row: its position among all items, from 0.
        question: the question.
        answer: the judged answer.
        expected: expected score, for a panel the mean; NaN if missing.
        spread: highest minus lowest score of a panel's judges; NaN for one judge.
        people: mean of human labels, from 0 to 1; NaN without a label.
        verdicts: of each judge, by the judge's name.
        group: name of its group, if it has one.
        criteria: expected score by each criterion of a rubric; empty without one, and for a panel.
    """

    row: int
    question: object
    answer: object
    expected: float
    spread: float
    people: float
    verdicts: Mapping[str, Verdict]
    group: str | None = None
    criteria: Mapping[str, float] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Return the fields by name, for JSON, where rows count from 1."""
        return {
            "row": self.row + 1,
            "expected": self.expected,
            "question": self.question,
            "answer": self.answer,
            "group": self.group,
            "verdicts": [
                {
                    "judge": name,
                    "status": verdict.status,
                    "score": verdict.score,
                    "expected": verdict.expected,
                    "standard_error": verdict.standard_error,
                    "explanation": verdict.explanation or None,
                }
                for name, verdict in self.verdicts.items()
            ],
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeSummary(Summary):
    """Summary of n judged items.

    One judge has the estimates ``score`` (mean of the stated levels) and ``expected`` (mean of the expected
    scores). A panel has ``mean``, the mean of its judges' expected scores, and counts an item as ``scored``
    if at least one judge scored it.

    Attributes:
        columns: names of the columns.
        judges: figures of each judge, by the judge's name.
        sampled: size of the random sample behind criteria, severities, agreement and corrected means;
            ``None`` if all items are used.
        expected: shape (m,), expected scores of the sampled items, for a panel the mean of its judges; NaN if
            missing.
        in_draw: shape (m,), True for items of the random sample; the others are included for their labels.
        plan: how intervals are made.
        lowest: items with the lowest scores, the lowest first, at most 20.
        disputed: items on which a panel's judges differ most, at most 20; empty for one judge.
        least_certain: items whose scores have the widest distributions, at most 20; empty for a panel.
        human: comparison with human labels, where there are any.
        stopped: why not every item was asked about, or ``None``.
        unused_inclusion: whether the table has a column ``inclusion`` from ``semscale label`` that was not
            named with the labels.
        gate: decision about the mean score; ``None`` without a gate.
    """

    instrument = "judge"
    language_of = ("language",)

    columns: JudgeColumns
    judges: Mapping[str, JudgeScores]
    sampled: int | None
    expected: Floats
    in_draw: Mask
    plan: IntervalPlan
    lowest: tuple[JudgedRow, ...]
    disputed: tuple[JudgedRow, ...]
    least_certain: tuple[JudgedRow, ...]
    human: HumanEvidence | None = None
    stopped: str | None = None
    unused_inclusion: bool = False
    gate: GateVerdict | None = None

    def __repr__(self) -> str:
        overall = self.estimates.overall
        mean = f", {mean_in_words(self.estimates.overall_mean())}" if overall.n else ""
        judges = f"judges={list(self.judges)}"
        return f"JudgeSummary(source={self.source!r}, {judges}, n={self.n:,}, n_scored={overall.n:,}{mean})"

    @property
    def is_panel(self) -> bool:
        """True if there are several judges."""
        return len(self.judges) > 1

    @property
    def failed(self) -> str | None:
        """The reason why no call brought a usable reply; ``None`` if one did, even a refusal.

        In a stopped run, which may continue, only calls without any reply count.
        """
        judges = self.judges.values()
        if any(scores.counts.get(status) for scores in judges for status in (Status.SCORED, Status.REFUSED)):
            return None
        reasons = (scores.failure or (None if self.stopped else scores.unusable) for scores in judges)
        return next((reason for reason in reasons if reason), None)

    def with_gate(self, gate: ScoreGate) -> Self:
        """Return the summary with the decision of a gate on the mean score."""
        return replace(self, gate=gate.decide(self.estimates.overall_mean(), self.n))

    @property
    def template(self) -> Template:
        """The template of the judge, or of a panel's first judge."""
        return next(iter(self.judges.values())).template

    @property
    def judge_estimates(self) -> dict[str, Estimates]:
        """Each judge's mean ``score`` and mean ``expected`` score with intervals, by the judge's name."""
        return {name: scores.estimates for name, scores in self.judges.items()}

    @property
    def mean_expected(self) -> Estimate | None:
        """Mean of ``expected`` over all items, 0 to 1, with its interval; ``None`` without any score."""
        return self.estimates.overall.figures.get("mean" if self.is_panel else "expected")

    @cached_property
    def mean_label(self) -> MeanEstimate | None:
        """Mean of human labels, 0 to 1, over all labelled rows; ``None`` without any label."""
        if self.human is None or np.isnan(self.human.mean_label).all():
            return None
        mean = estimate_mean(self.human.mean_label, bounds=(0.0, 1.0), plan=self.plan)
        return replace(mean, n_left_out=self.n - mean.n)

    @cached_property
    def criteria(self) -> dict[str, MeanEstimate]:
        """Mean expected score by each criterion of a rubric, 0 to 1, by its name; empty for a template."""
        return {
            name: estimate_mean(values[self.in_draw], bounds=(0.0, 1.0), plan=self.plan)
            for scores in self.judges.values()
            for name, values in scores.criteria.items()
        }

    @cached_property
    def severities(self) -> dict[str, MeanEstimate]:
        """Difference of each judge of a panel from the others on the same items, by its name."""
        if not self.is_panel:
            return {}
        return dict(
            zip(self.judges, severities(self._expected_by_judge[self.in_draw], plan=self.plan), strict=True)
        )

    @cached_property
    def agreement(self) -> dict[tuple[str, str], AgreementEstimate]:
        """Quadratic weighted kappa of every two judges of a panel, by their names."""
        if not self.is_panel:
            return {}
        stated = np.column_stack([scores.score for scores in self.judges.values()])
        pairs = pairwise_agreement(stated[self.in_draw], interval=self.plan.interval, seed=self.plan.seed)
        names = list(self.judges)
        return {(names[pair.first], names[pair.second]): pair.kappa for pair in pairs}

    @cached_property
    def effective_judges(self) -> EffectiveJudges | None:
        """Number of independent judges that the panel is equivalent to; ``None`` for one judge."""
        if not self.is_panel:
            return None
        plan, expected, truth = self.plan, self._expected_by_judge, None
        if self.human is None:
            expected = expected[self.in_draw]
        else:
            truth = self.human.mean_label
        return effective_judges(expected, truth=truth, interval=plan.interval, seed=plan.seed)

    @property
    def provenances(self) -> dict[Provenance, int]:
        """Number of distributions of all judges by their source."""
        counts = Counter[Provenance]()
        for scores in self.judges.values():
            counts.update(scores.provenances)
        return {provenance: counts[provenance] for provenance in Provenance if counts[provenance]}

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers of judging by name, for JSON."""
        return {
            "sampled": self.sampled,
            "judges": [self._judge_record(name) for name in self.judges],
            "panel": self._panel_record(),
            "human": None if self.human is None else self._human_record(self.human),
            "lowest": [item.record() for item in self.lowest],
            "disputed": [item.record() for item in self.disputed],
            "stopped": self.stopped,
            "gate": None if self.gate is None else self.gate.record(),
        }

    def _judge_record(self, name: str) -> dict[str, Any]:
        scores = self.judges[name]
        return {
            "name": name,
            "template": scores.template.name,
            "counts": scores.counts,
            "provenance": scores.provenances,
            "estimates": scores.estimates,
            "method": dict(scores.signature.fields).get("method", "prose"),
            "n_normalised": scores.n_normalised,
            "order_bias": scores.order_bias,
            "refused_forms": scores.refused_forms,
            "reasons": [
                {"status": status, "reason": reason, "n": n} for status, reason, n in scores.frequent_reasons
            ],
            "criteria": [
                {"name": criterion, "weight": scores.weights[criterion], "estimate": self.criteria[criterion]}
                for criterion in scores.criteria
            ],
        }

    def _panel_record(self) -> dict[str, Any] | None:
        independent = self.effective_judges
        if independent is None:
            return None
        return {
            "severities": [
                {"judge": name, "estimate": estimate} for name, estimate in self.severities.items()
            ],
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
    def _expected_by_judge(self) -> Floats:
        """Expected scores of the sampled items, shape (m, k)."""
        return np.column_stack([scores.expected for scores in self.judges.values()])


def alike_reasons(reasons: Mapping[str, int]) -> dict[str, int]:
    """Merge reasons that differ only in numbers; an ellipsis replaces the differing numbers.

    Args:
        reasons: number of items with each reason.

    Returns:
        Number of items with each merged reason, the most frequent first.

    Examples:
        >>> alike_reasons({"they sum to 0.8, at most 1.01": 2, "busy": 3, "they sum to 0.7, at most 1.01": 2})
        {'they sum to …, at most 1.01': 4, 'busy': 3}
    """
    groups: dict[str, dict[str, int]] = {}
    for reason, n in reasons.items():
        groups.setdefault(_NUMBER.sub(_ANY_NUMBER, reason), {})[reason] = n
    counts = {_common_text(list(group)): sum(group.values()) for group in groups.values()}
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def _common_text(reasons: list[str]) -> str:
    """Return the common text of reasons that differ in their numbers."""
    positions = zip(*map(_NUMBER.findall, reasons), strict=True)
    numbers = (values[0] if len(set(values)) == 1 else _ANY_NUMBER for values in positions)
    return _NUMBER.sub(lambda _: next(numbers), reasons[0])
