"""Ratings by similarity beside ratings by decisions, on the same texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import ClassVar

import numpy as np

from semscale.rating.decided.decided_ratings import DecidedRatings
from semscale.stats.agreement.correlations import ks_similarity, pearson, pearson_estimate
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.intraclass import intraclass_correlation
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.types import Floats

_FEWEST = 3


@dataclass(frozen=True)
class DecidedComparison:
    """How ratings by decisions compare with those by similarity.

    Attributes:
        model: who decided.
        form: in which form.
        counts: of the decisions, as ``DecidedRatings`` has them.
        reason: likewise.
        order_bias: likewise.
        n: distinct texts with both ratings.
        rated: mean by similarity, of these texts.
        decided: mean by decisions.
        difference: mean of decision less similarity.
        correlation: Pearson's, of the texts' means; ``None`` for fewer than three texts.
        reliability: of the means by similarity, from the agreement of their anchor sets (Spearman-Brown); NaN
            with one set.
        decided_reliability: of the decisions' means, from the agreement of the orders of the points
            (Spearman-Brown); NaN where each text was read in one order.
        corrected: the correlation divided by the roots of the reliabilities that are known, at most 1; NaN
            where neither is known, or one is not above 0. Where one is not known, the error of that side
            still lowers it.
        intraclass: absolute agreement of the texts' two means, ICC(2,1); NaN where they do not vary.
        ks: similarity of the two mean PMFs, 1 less the greatest distance of their distribution functions.
        not_taken: why the model did not take forms that were tried before, by their names.
    """

    model: str
    form: str
    counts: dict[str, int]
    reason: str
    order_bias: float
    n: int
    rated: MeanEstimate
    decided: MeanEstimate
    difference: MeanEstimate
    correlation: Estimate | None
    reliability: float
    decided_reliability: float
    corrected: float
    intraclass: AgreementEstimate
    ks: float
    not_taken: Mapping[str, str] = field(default_factory=dict)

    @property
    def corrected_for(self) -> tuple[str, ...]:
        """Whose error the correction takes off: ``similarity``, ``decisions``, both, or nobody's."""
        sides = (("similarity", self.reliability), ("decisions", self.decided_reliability))
        return () if isnan(self.corrected) else tuple(name for name, known in sides if not isnan(known))

    stopped: ClassVar[None] = None
    """A run that stopped early has ``MissingDecisions`` and no comparison."""

    @property
    def failed(self) -> str | None:
        """Why no text has a decision; ``None`` where one has, or the model declined about one."""
        return None if self.counts["answered"] or self.counts["refused"] else self.reason or None


@dataclass(frozen=True)
class MissingDecisions:
    """Why no text has a decision, though a chat model was to decide.

    Attributes:
        model: who was to decide.
        reason: why it did not.
        is_capped: whether a cap, or a wait that was too long, stopped the run; replies that came are kept.
    """

    model: str
    reason: str
    is_capped: bool

    @property
    def stopped(self) -> str | None:
        """Why the run stopped early; ``None`` where the model failed."""
        return self.reason if self.is_capped else None

    @property
    def failed(self) -> str | None:
        """Why the model failed; ``None`` where the run stopped early."""
        return None if self.is_capped else self.reason


def compare_with_decisions(
    pmf: Floats,
    decided: DecidedRatings,
    values: Floats,
    set_agreement: Floats,
    *,
    model: str,
    plan: IntervalPlan,
) -> DecidedComparison:
    """Compare ratings of the same n texts.

    Args:
        pmf: shape (n, k), by similarity; NaN where there is none.
        decided: by decisions.
        values: shape (k,), of the scale's points.
        set_agreement: shape (s, s), correlations of the means under each anchor set.
        model: who decided.
        plan: how intervals are made.

    References:
        Spearman (1904), American Journal of Psychology 15, 72-101, doi 10.2307/1412159: attenuation.
    """
    both = np.asarray(~np.isnan(pmf).any(axis=1) & ~np.isnan(decided.pmf).any(axis=1))
    ours, theirs = pmf[both], decided.pmf[both]
    x, y = ours @ values, theirs @ values
    bounds = float(values[0]), float(values[-1])
    spread = bounds[1] - bounds[0]
    correlation = None
    if len(x) >= _FEWEST and np.ptp(x) > 0 and np.ptp(y) > 0:
        correlation = pearson_estimate(x, y, interval=plan.interval, seed=plan.seed)
    reliability = set_reliability(set_agreement)
    answers = [answer for answer, is_there in zip(decided.answers, both.tolist(), strict=False) if is_there]
    decided_reliability = reading_reliability([answer.readings for answer in answers], values)
    intraclass = intraclass_correlation(
        np.column_stack([x, y]), form="2,1", interval=plan.interval, seed=plan.seed
    )
    ks = float(ks_similarity(ours.mean(axis=0), theirs.mean(axis=0))) if len(x) else float("nan")
    return DecidedComparison(
        model,
        decided.form,
        decided.counts,
        decided.reason,
        decided.order_bias,
        len(x),
        estimate_mean(x, bounds=bounds, plan=plan),
        estimate_mean(y, bounds=bounds, plan=plan),
        estimate_mean(y - x, bounds=(-spread, spread), plan=plan),
        correlation,
        reliability,
        decided_reliability,
        disattenuated(correlation, reliability, decided_reliability),
        intraclass,
        ks,
        decided.not_taken,
    )


def disattenuated(correlation: Estimate | None, *reliabilities: float) -> float:
    """Correlation without errors of measurement: r divided by the root of each known reliability.

    Args:
        correlation: of the two means; ``None`` where there is none.
        reliabilities: of each side; NaN where it is not known.

    Returns:
        -1 to 1; NaN without a correlation or a known reliability, and where one is not above 0.

    Example:
        >>> round(disattenuated(Estimate(0.3, 0.1, 0.5), 0.5, 0.72), 6)
        0.5
    """
    known = [each for each in reliabilities if not isnan(each)]
    if correlation is None or not known or min(known) <= 0:
        return float("nan")
    return float(np.clip(correlation.value / np.sqrt(np.prod(known)), -1, 1))


def reading_reliability(readings: Sequence[Sequence[Sequence[float]]], values: Floats) -> float:
    """Reliability of the mean over r readings of each text, from their mean correlation, by Spearman-Brown.

    Args:
        readings: of n texts, each a list of PMFs of k points, such as one for each order of the points; texts
            with another number of readings than most do not count.
        values: shape (k,), of the points.

    Returns:
        At most 1; NaN for fewer than two readings or three texts, or where readings do not vary.

    Example:
        >>> one, two, three = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
        >>> reading_reliability([[one, one], [two, two], [three, three]], np.array([1.0, 2.0, 3.0]))
        1.0
    """
    n_usual = max(Counter(map(len, readings)).most_common(1), default=(0, 0))[0]
    usual = [each for each in readings if len(each) == n_usual]
    if n_usual < 2 or len(usual) < _FEWEST:  # noqa: PLR2004
        return float("nan")
    means = np.array(usual) @ values
    return set_reliability(np.array([[pearson(one, other) for one in means.T] for other in means.T]))


def set_reliability(agreement: Floats) -> float:
    """Reliability of the mean over k anchor sets, from their mean correlation r: k r / (1 + (k - 1) r).

    Args:
        agreement: shape (k, k), correlations of the sets' means; NaN where undefined.

    Returns:
        At most 1; NaN for one set, or without any correlation.

    Example:
        >>> round(set_reliability(np.array([[1.0, 0.6], [0.6, 1.0]])), 6)
        0.75
    """
    k = len(agreement)
    pairs = agreement[np.triu_indices(k, 1)] if k > 1 else np.zeros(0)
    known = pairs[~np.isnan(pairs)]
    if not len(known):
        return float("nan")
    r = float(known.mean())
    below = 1 + (k - 1) * r
    return k * r / below if below > 0 else float("nan")
