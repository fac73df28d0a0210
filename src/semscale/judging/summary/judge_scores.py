"""Scores of one judge for all items, and counts of how they came about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.prompts.template import Template
from semscale.judging.summary.alike_reasons import alike_reasons
from semscale.judging.verdict import Provenance
from semscale.results.estimates import Estimates
from semscale.signature import Signature
from semscale.types import Floats, Status

LITTLE_COVERED = 0.9
"""Mass below which a distribution rests on little."""

_LISTED_REASONS = 5


@dataclass(frozen=True)
class JudgeScores:
    """Scores of one judge for n items, and counts of how they came about.

    Attributes:
        template: what the judge was asked.
        signature: what was applied.
        counts: how many items have each status, as far as it occurs.
        estimates: mean ``score`` and mean ``expected`` score of all items, with intervals.
        score: shape (m,), of the items that are kept the level that was stated, from 0 to 1; NaN where there
            is none.
        expected: shape (m,), mean of each distribution, likewise.
        provenances: how many distributions come from where.
        fifths: shape (5,), mass that all distributions together put on each fifth of 0 to 1.
        n_little_covered: scores whose distribution rests on less than .9 of the mass.
        reasons: of items that failed, could not be read or were refused how many have which reason, the most
            frequent first, by status.
        not_taken: forms of asking that the model did not take, and why.
        n_normalised: decisions whose probabilities did not sum to 1 as they came.
        order_bias: mean of how far the order of the levels moved the distributions, 0 to 1; NaN where only
            one order was asked for.
        criteria: shape (m,) each, expected scores by each criterion of a rubric; empty for a template.
        weights: of the criteria, by their names.
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
    not_taken: tuple[FormRefusal, ...] = ()
    n_normalised: int = 0
    order_bias: float = float("nan")
    criteria: Mapping[str, Floats] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def failure(self) -> str | None:
        """The most frequent reason why a call had no reply; ``None`` where every call had one."""
        return next(iter(self.reasons.get(Status.FAILED, ())), None)

    @property
    def unusable(self) -> str | None:
        """The most frequent reason why a reply gave no score; ``None`` where each did, or declined."""
        return next(iter(self.reasons.get(Status.UNPARSABLE, ())), None)

    @property
    def frequent_reasons(self) -> list[tuple[Status, str, int]]:
        """The five most frequent reasons of each status, those that differ in numbers alone as one."""
        return [
            (status, reason, n)
            for status, found in self.reasons.items()
            for reason, n in list(alike_reasons(found).items())[:_LISTED_REASONS]
        ]

    @property
    def is_scored_anywhere(self) -> bool:
        """Whether any item has a score."""
        return Status.SCORED in self.counts
