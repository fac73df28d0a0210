"""What further hand-coded answers would bring: narrower intervals of shares, and better codes."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semscale.coding.code_shares import HandLabels
from semscale.coding.coder import Coder
from semscale.coding.labels import majority, probable_codes
from semscale.coding.settings import BY_LIKENESS
from semscale.stats.correlations import NormalizingTransform, ResamplingPlan, bootstrap_estimate
from semscale.stats.further_labels import STEP, ExpectedWidth, enough_labels
from semscale.stats.intervals import Estimate, IntervalPlan
from semscale.types import Floats, Mask, Progress

FEWEST_FOR_GAIN, MOST_FOR_GAIN = 25, 250
"""Numbers of hand-coded answers between which the gain in the codes themselves is measured."""

_FURTHER = (STEP, 2 * STEP, 4 * STEP, 8 * STEP)  # answers that may be coded by hand next
_DIFFERENCE = NormalizingTransform(np.asarray, np.asarray, -1.0, 1.0)
_BOUNDS = (0, 1)


@dataclass(frozen=True)
class LearningGain:
    """Gain in the codes themselves from more hand-coded answers, measured on answers not learned from.

    Attributes:
        n_few: number of answers from which the codes of ``few`` learned.
        n_many: number of answers from which those of ``many`` learned.
        few: F1 over all codes.
        many: likewise.
        gain: the difference, with its interval over answers.
    """

    n_few: int
    n_many: int
    few: float
    many: float
    gain: Estimate

    @property
    def is_clear(self) -> bool:
        """True if the interval lies above 0."""
        return self.gain.low > 0


@dataclass(frozen=True)
class LabelAdvice:
    """Expected half-widths of corrected shares of k codes, with as many hand-coded answers as now and more.

    Attributes:
        codes: k names.
        sizes: numbers of hand-coded answers, ascending; the first is that of now, or of a sheet to fill in.
        half_widths: shape (k, s), expected half-width of each share's interval, 0 to 1; NaN for a code with
            too few hand-coded answers.
        enough: number of hand-coded answers from which 25 more narrow the mean half-width by less than half a
            point; ``None`` if no number up to all answers is enough.
        n_answers: number of answers that could be coded by hand.
        gain: gain in the codes themselves; ``None`` if it was not measured.
    """

    codes: tuple[str, ...]
    sizes: tuple[int, ...]
    half_widths: Floats
    enough: int | None
    n_answers: int
    gain: LearningGain | None = None

    @property
    def means(self) -> Floats:
        """Mean half-width over the codes that have one, shape (s,)."""
        means: Floats = self.half_widths[~np.isnan(self.half_widths[:, 0])].mean(axis=0)
        return means

    @property
    def widest(self) -> int:
        """Position of the code with the widest interval."""
        return int(np.nanargmax(self.half_widths[:, 0]))

    def record(self) -> dict[str, Any]:
        """Return the figures by name, for JSON."""
        return {
            "sizes": self.sizes,
            "half_widths": dict(zip(self.codes, self.half_widths, strict=True)),
            "mean_half_widths": self.means,
            "enough": self.enough,
            "answers": self.n_answers,
            "gain": self.gain,
        }


def advise(
    hand: HandLabels, codes: Sequence[str], *, interval: float = 0.95, gain: LearningGain | None = None
) -> LabelAdvice | None:
    """Compute what further hand-coded answers would bring, from the hand-coded answers so far.

    Args:
        hand: scores and hand codes of n answers.
        codes: k names.
        interval: coverage of the intervals.
        gain: gain in the codes themselves.

    Returns:
        The advice; ``None`` if no code has an interval, or all answers are coded by hand.
    """
    widths = [
        ExpectedWidth.from_labels(scores, labels, bounds=_BOUNDS, design=hand.design, interval=interval)
        for scores, labels in zip(hand.scores.T, hand.labels.T, strict=True)
    ]
    is_readable = ~np.isnan(hand.scores).any(axis=1)
    n = int((~np.isnan(hand.labels).all(axis=1) & is_readable).sum())
    advice = _advise(widths, codes, n, int(is_readable.sum()))
    return None if advice is None else replace(advice, gain=gain)


def plan_labels(
    likeness: Floats, codes: Sequence[str], n: int, *, interval: float = 0.95
) -> LabelAdvice | None:
    """Forecast what hand-coded answers would bring before there are any.

    The forecast takes the probabilities of ``probable_codes`` as scores and as the probabilities with which
    people would give the codes.

    Args:
        likeness: shape (m, k); rows with NaN cannot be read.
        codes: k names.
        n: number of answers to code.
        interval: coverage of the intervals.
    """
    probability = probable_codes(likeness[~np.isnan(likeness).any(axis=1)])
    widths = [ExpectedWidth.from_probabilities(column, column, interval=interval) for column in probability.T]
    return _advise(widths, codes, n, len(probability), first=STEP)


def _advise(
    widths: Sequence[ExpectedWidth | None],
    codes: Sequence[str],
    n: int,
    most: int,
    *,
    first: int | None = None,
) -> LabelAdvice | None:
    """Evaluate expected widths with n labels and more.

    Args:
        widths: for each code; ``None`` without an interval.
        codes: names of the codes.
        n: number of labels so far.
        most: number of items that could have a label.
        first: the least number that may be enough; n by default.
    """
    known = [width for width in widths if width is not None]
    if not known or n >= most:
        return None
    sizes = (n, *(size for size in (n + further for further in _FURTHER) if size < most))
    half_widths = np.array([
        [np.nan] * len(sizes) if width is None else [width.half(size) for size in sizes] for width in widths
    ])  # fmt: skip

    def mean(size: int) -> float:
        return float(np.mean([width.half(size) for width in known]))

    enough = enough_labels(mean, n if first is None else first, most)
    return LabelAdvice(tuple(codes), sizes, half_widths, enough, most)


def learning_gain(
    coder: Coder,
    answers: Sequence[Any],
    codes: Floats,
    many: Floats,
    *,
    counts: Mask,
    plan: IntervalPlan,
    missing: Set[str] = frozenset(),
    progress: Progress | None = None,
) -> LearningGain | None:
    """Measure by cross-validation what more hand-coded answers bring to the codes themselves.

    Each answer is scored by a coder that learned from the other half of the hand-coded answers, and by one
    that learned from four fifths of them. Codes are assigned from a likeness of .5.

    Args:
        coder: has not learned from hand codes.
        answers: m hand-coded answers.
        codes: shape (m, k), share of people who gave the code.
        many: shape (m, k), likeness by coders that learned from four fifths of the answers, without this one.
        counts: shape (k,), mask of the codes that count; nets do not.
        plan: coverage of the interval, and the seed of the halves.
        missing: codes for a missing answer, from ``missing_keys``.
        progress: called while texts are embedded.

    Returns:
        The gain; ``None`` with fewer than 25 answers that can be read, where it would be chance, or more than
        250, where it takes long and is small.
    """
    usable = np.flatnonzero(~np.isnan(many).any(axis=1) & ~np.isnan(codes).all(axis=1))
    if not FEWEST_FOR_GAIN <= len(usable) <= MOST_FOR_GAIN:
        return None
    few: Floats = np.full(many.shape, np.nan)
    order = np.random.default_rng(plan.seed).permutation(usable)
    halves = [np.sort(half) for half in np.array_split(order, 2)]
    for known, other in (halves, halves[::-1]):
        learned = coder.learn([answers[row] for row in known], codes[known], seed=plan.seed, missing=missing)
        cells = [answers[row] for row in other]
        few[other] = learned.score(cells, missing=missing, progress=progress).likeness
    truth = majority(codes[usable])[:, counts]
    is_known = ~np.isnan(truth)
    assigned = [
        (likeness[usable][:, counts] >= BY_LIKENESS.given_from) & is_known for likeness in (few, many)
    ]
    tallies = _tallies(truth == 1, *assigned)
    everybody = np.ones((1, len(usable)))
    f1_few, f1_many = (float(f1[0]) for f1 in _f1_of_both(*tallies, everybody))
    gain = bootstrap_estimate(
        f1_many - f1_few, _gain, tallies, ResamplingPlan(None, plan.interval, plan.seed), _DIFFERENCE
    )
    return LearningGain(
        n_few=len(usable) // 2, n_many=len(usable) * 4 // 5, few=f1_few, many=f1_many, gain=gain
    )


def _tallies(truth: Mask, few: Mask, many: Mask) -> tuple[Floats, ...]:
    """Count codes of each answer, shape (n,): those of people, and for few and many labels hits and codes."""
    counts = (truth, truth & few, few, truth & many, many)
    return tuple(masks.sum(axis=1).astype(np.float64) for masks in counts)


def _f1(by_people: Floats, hits: Floats, assigned: Floats, counts: Floats) -> Floats:
    """Compute F1 over the codes of n answers with weights ``counts`` (b, n); 0 without any code."""
    total = counts @ (by_people + assigned)
    f1: Floats = np.zeros(len(counts))
    np.divide(2 * (counts @ hits), total, out=f1, where=total > 0)
    return f1


def _f1_of_both(*measured: Floats) -> tuple[Floats, Floats]:
    """Compute F1 by few labels and by many, each of shape (b,), from ``_tallies`` and ``counts`` (b, n)."""
    by_people, few_hits, few, many_hits, many, counts = measured
    return _f1(by_people, few_hits, few, counts), _f1(by_people, many_hits, many, counts)


def _gain(*measured: Floats) -> Floats:
    """Compute the difference of F1 by many labels and by few, from ``_tallies`` and ``counts``."""
    few, many = _f1_of_both(*measured)
    return many - few
