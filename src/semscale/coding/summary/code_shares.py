"""Shares of answers with each code: as counted, and corrected by hand-coded answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.coding.coding_decisions import CodeDecisions
from semscale.stats.calibration.prediction_powered import CorrectedMean, prediction_powered_mean
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.calibration.weighted_prediction_powered import weighted_prediction_powered_mean
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.shares import wilson_interval
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import survey_means
from semscale.stats.survey.share_intervals import share_interval
from semscale.types import Floats, Mask

MIN_BASE = 30
"""Groups with fewer answers are shown, marked and left out of the test, unless another number is given."""


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
    """

    held_out: Floats
    labels: Floats
    inclusion: Floats | None = None


def code_shares(  # noqa: PLR0913 - which answers, and how they are counted
    decisions: CodeDecisions,
    codes: Sequence[str],
    rows: Mask,
    hand: HandSample | None,
    *,
    design: SampleDesign | None = None,
    interval: float = 0.95,
    min_base: int = MIN_BASE,
) -> tuple[CodeShare, ...]:
    """Count the codes of some rows, and correct their shares.

    Args:
        decisions: about n answers and k codes.
        codes: k names.
        rows: shape (n,), which answers count; those that cannot be read, or weigh nothing, never do.
        hand: what people coded; ``None`` where nobody did.
        design: weights, clusters and strata of the answers.
        interval: coverage of the intervals.
        min_base: answers below which a base is small.

    References:
        Corrected shares: as ``prediction_powered_mean``. Weighted ones: as ``survey_means``, with Korn and
        Graubard's interval, and as ``weighted_prediction_powered_mean``.
    """
    design = design or SampleDesign()
    base = rows & counting(decisions, design)
    found = []
    for place, code in enumerate(codes):
        given = decisions.given[base, place]
        n, hits = int((~np.isnan(given)).sum()), int((given == 1).sum())
        corrected = None if hand is None else _corrected(hand, base, place, design, interval)
        if design.is_plain:
            counted = wilson_interval(hits, n, interval)
        else:
            counted = _weighted_share(np.where(base, decisions.given[:, place], np.nan), design, interval)
        found.append(CodeShare(code, n, hits, int(base.sum()) - n, counted, corrected, min_base))
    return tuple(found)


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
    return replace(design, inclusion=hand.inclusion)


def _weighted_share(given: Floats, design: SampleDesign, interval: float) -> Estimate:
    """Estimate a share from the answers about which it was decided; NaN in the other rows."""
    if np.isnan(given).all():
        return Estimate(np.nan, np.nan, np.nan)
    share = survey_means(given, survey_design(design, len(given)))
    low, high = share_interval(share, interval, method="beta")
    return Estimate(*(float(each[0, 0]) for each in (share.values, low, high)))


def _corrected(
    hand: HandSample, base: Mask, place: int, design: SampleDesign, interval: float
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
