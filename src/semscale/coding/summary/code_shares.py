"""Shares of answers with each code: as counted, and corrected by hand-coded answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.coding.coding_decisions import CodeDecisions
from semscale.coding.summary.code_counts import CodeCounts, GroupCount
from semscale.stats.calibration.prediction_powered import CorrectedMean, prediction_powered_mean
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.calibration.weighted_prediction_powered import weighted_prediction_powered_mean
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.shares import wilson_interval
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import survey_means
from semscale.stats.survey.share_intervals import share_interval
from semscale.types import Floats, Integers, Mask

MIN_BASE = 30
"""Groups with fewer answers are shown, marked and left out of the test, unless another number is given."""


_AT_ONCE = 500
"""Groups whose weighted shares are made together: covariances of all pairs of them take memory."""


@dataclass(frozen=True)
class CodeShare:
    """How many answers have a code.

    Attributes:
        code: its name.
        n: answers about which the code was decided.
        n_given: that have it.
        n_unsure: readable answers about which it was not decided.
        counted: ``n_given / n`` with Wilson's interval, or the weighted share with that of the survey's
            design; neither knows anything of the coder's errors.
        corrected: share of all readable answers that people would give the code; ``None`` without
            hand-coded ones.
        min_base: answers below which a base is small.
    """

    code: str
    n: int
    n_given: int
    n_unsure: int
    counted: Estimate
    corrected: CorrectedMean | None
    min_base: int = MIN_BASE

    @property
    def has_small_base(self) -> bool:
        """Whether fewer answers were decided than ``min_base``."""
        return self.n < self.min_base


@dataclass(frozen=True)
class HandSample:
    """What people coded, for corrected shares.

    Attributes:
        held_out: shape (n, k), scores that no label of the same answer went into.
        labels: shape (n, k), share of people who gave the code; NaN where nobody coded.
        inclusion: shape (n,), probability with which answers were drawn; ``None`` for all alike.
        weights: shape (n,), what answers count by in corrected shares, where some of them stand for others of
            their table; the weights of the design unless given.
    """

    held_out: Floats
    labels: Floats
    inclusion: Floats | None = None
    weights: Floats | None = None


def code_shares(  # noqa: PLR0913 - which answers, and how they are counted
    decisions: CodeDecisions,
    codes: Sequence[str],
    rows: Mask | Integers,
    hand: HandSample | None,
    *,
    design: SampleDesign | None = None,
    count: GroupCount | None = None,
    drawn: Mask | None = None,
    weighted: Sequence[Estimate] | None = None,
    interval: float = 0.95,
    min_base: int = MIN_BASE,
) -> tuple[CodeShare, ...]:
    """Count the codes of some rows, and correct their shares.

    Args:
        decisions: about n answers and k codes.
        codes: k names.
        rows: shape (n,), or numbers from 0: which answers count; those that cannot be read, or weigh
            nothing, never do.
        hand: what people coded; ``None`` where nobody did.
        design: weights, clusters and strata of the answers.
        count: of all answers, where the n are a part of them; of the n unless given.
        drawn: shape (n,), which answers are a random sample of all; the others, coded by hand, count in
            corrected shares alone. All of them unless given.
        weighted: of each code the weighted share of these rows, as ``weighted_shares`` gives it, where it is
            known.
        interval: coverage of the intervals.
        min_base: answers below which a base is small.

    References:
        Corrected shares: as ``prediction_powered_mean``. Weighted ones: as ``survey_means``, with Korn and
        Graubard's interval, and as ``weighted_prediction_powered_mean``.
    """
    design, places = design or SampleDesign(), np.arange(len(decisions.given))[rows]
    base = places[counting(decisions.some(places), design.some(places))]
    if count is None:
        counts = CodeCounts(len(codes))
        counts.add(np.zeros(len(base), np.int64), decisions.given[base], np.ones(len(base), dtype=np.bool_))
        count = counts[0] if len(counts) else GroupCount.none(len(codes))
    if weighted is None and not design.is_plain:
        alone = np.full(len(decisions.given), -1)
        alone[base] = 0
        (weighted,) = weighted_shares(decisions, alone, 1, design, drawn=drawn, interval=interval)
    found = []
    for place, code in enumerate(codes):
        n, hits = int(count.decided[place]), int(count.given[place])
        corrected = None if hand is None else _corrected(hand, base, place, design, interval)
        counted = wilson_interval(hits, n, interval) if weighted is None else weighted[place]
        found.append(CodeShare(code, n, hits, count.base - n, counted, corrected, min_base))
    return tuple(found)


def weighted_shares(  # noqa: PLR0913 - which answers, and how they are counted
    decisions: CodeDecisions,
    groups: Integers,
    n_groups: int,
    design: SampleDesign,
    *,
    drawn: Mask | None = None,
    interval: float = 0.95,
) -> list[list[Estimate]]:
    """Estimate the share of each code in each group, many groups at once.

    Args:
        decisions: about n answers and k codes.
        groups: shape (n,), number of each answer's group, from 0; -1 for none. Answers that do not count are
            passed over.
        n_groups: g, how many groups there are.
        design: weights, clusters and strata of the answers.
        drawn: shape (n,), which answers are a random sample of all. All of them unless given.
        interval: coverage of the intervals.

    Returns:
        For each of g groups the shares of k codes; NaN where a code was decided about no answer.

    References:
        As ``code_shares``.
    """
    given, numbers = decisions.given, np.where(counting(decisions, design), groups, -1)
    if drawn is not None:
        given, numbers, design = given[drawn], numbers[drawn], design.some(drawn)
    found = [[Estimate(np.nan, np.nan, np.nan)] * given.shape[1] for _ in range(n_groups)]
    survey = survey_design(design, len(given))
    for place, values in enumerate(given.T):
        decided = (numbers >= 0) & ~np.isnan(values)
        there, own = np.unique(numbers[decided], return_inverse=True)
        places = np.full(len(values), -1)
        places[decided] = own
        column = np.where(decided, values, np.nan)
        for start in range(0, len(there), _AT_ONCE):
            some = there[start : start + _AT_ONCE].tolist()
            inside = np.where((places >= start) & (places < start + len(some)), places - start, -1)
            shares = survey_means(column, survey, groups=inside, n_groups=len(some))
            low, high = share_interval(shares, interval, method="beta")
            for at, group in enumerate(some):
                ends = (shares.values, low, high)
                found[group][place] = Estimate(*(float(each[0, at]) for each in ends))
    return found


def counting(decisions: CodeDecisions, design: SampleDesign) -> Mask:
    """Which answers count in shares, shape (n,): they can be read, and their weight is above 0."""
    if design.weights is None:
        return decisions.readable
    return decisions.readable & (np.nan_to_num(design.weights, nan=0.0) > 0)


def survey_design(design: SampleDesign, n: int) -> SurveyDesign:
    """Describe how n answers were drawn; a cluster alone in its stratum is compared with all answers.

    Answers without a weight count as 0.
    """
    weights = np.ones(n) if design.weights is None else np.nan_to_num(design.weights, nan=0.0)
    return SurveyDesign(weights, strata=design.strata, clusters=design.clusters, lonely="adjust")


def corrected_design(hand: HandSample, design: SampleDesign) -> SampleDesign:
    """Join how answers were drawn and how those that people coded were drawn of them."""
    weights = design.weights if hand.weights is None else hand.weights
    return replace(design, inclusion=hand.inclusion, weights=weights)


def _corrected(
    hand: HandSample, base: Integers, place: int, design: SampleDesign, interval: float
) -> CorrectedMean | None:
    scores, labels = hand.held_out[base, place], hand.labels[base, place]
    if np.isnan(labels).all():
        return None
    joined = corrected_design(hand, design)
    if joined.is_plain:
        return prediction_powered_mean(scores, labels, bounds=(0, 1), interval=interval)
    return weighted_prediction_powered_mean(
        scores, labels, bounds=(0, 1), design=joined.some(base), interval=interval
    )
