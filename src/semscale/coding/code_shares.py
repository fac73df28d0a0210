"""Shares of codes, tests between groups, pairs of codes, agreement, and drivers of a rating."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from semscale.coding.settings import MIN_BASE
from semscale.errors import InputError
from semscale.stats.agreement import AgreementEstimate, krippendorff_alpha
from semscale.stats.calibration import FEWEST_OF_EACH
from semscale.stats.intervals import Estimate, IntervalPlan, wilson_interval
from semscale.stats.prediction_powered import (
    CorrectedMean,
    corrected_group_test,
    estimate_corrected_mean,
)
from semscale.stats.regression import Coefficients, independent_columns, robust_regression
from semscale.stats.sampling import SampleDesign
from semscale.stats.significance import adjust_p_values, independence_p_value, rao_scott
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import SurveyEstimates, share_interval, survey_means
from semscale.types import Floats, Integers, Mask

_GROUPS_AT_ONCE = 500
"""Number of groups whose weighted shares are estimated together, as covariances of all pairs take memory."""

MIN_RATED = 5
"""Fewest rated answers with a code, and without it, for a difference, and fewest people who gave them."""

FEWEST_TO_CORRECT = 50
"""Hand-coded answers from which corrected shares are usually nearer to people's than counted ones."""

_BOUNDS = (0, 1)
_UNKNOWN = Estimate(float("nan"), float("nan"), float("nan"))

TestKind = Literal["corrected", "counted", "counted, weighted"]
"""Tests: Welch's of corrected shares; Pearson's of assigned codes; Rao and Scott's of weighted ones."""


@dataclass(frozen=True)
class HandLabels:
    """Hand codes of n answers, for corrected shares.

    Attributes:
        scores: shape (n, k), scores by models that were fitted without the same answer's labels.
        labels: shape (n, k), share of people who gave the code, 0 to 1; NaN for uncoded answers.
        design: survey design of the answers, with the probabilities of their draw for hand codes.
    """

    scores: Floats
    labels: Floats
    design: SampleDesign = SampleDesign()


@dataclass(frozen=True)
class CodedSample:
    """Decisions about n answers, as input for shares and tests.

    Attributes:
        assigned: shape (n, k): 1, 0, or NaN where a code is not decided.
        readable: shape (n,), mask of answers whose text was read.
        design: weights, clusters and strata of the answers.
        hand: hand codes; ``None`` without any.
        drawn: shape (n,), mask of answers in a random sample of all; the others, coded by hand, count only in
            corrected shares. ``None`` if the n are all answers.
        probability: shape (n, k), probabilities of codes; NaN for codes without. ``None`` if no code has any.
        sentiment: shape (n, k), ratings of assigned codes; NaN elsewhere. ``None`` if nothing was rated.
        positive: shape (n, k), 1 for a rating on the good half of its scale, 0 for another; likewise.
    """

    assigned: Floats
    readable: Mask
    design: SampleDesign = SampleDesign()
    hand: HandLabels | None = None
    drawn: Mask | None = None
    probability: Floats | None = None
    sentiment: Floats | None = None
    positive: Floats | None = None

    @property
    def counting(self) -> Mask:
        """Mask of the answers that count in shares, shape (n,): readable, with a weight above 0."""
        if self.design.weights is None:
            return self.readable
        return self.readable & (np.nan_to_num(self.design.weights, nan=0.0) > 0)

    def survey(self) -> tuple[Mask, SurveyDesign]:
        """Return the mask (n,) of the m answers in the random sample, and their design.

        A cluster that is alone in its stratum is compared with all answers. Answers without a weight have
        weight 0.
        """
        drawn = np.ones(len(self.readable), dtype=np.bool_) if self.drawn is None else self.drawn
        design = self.design.some(drawn)
        weights = (
            np.ones(int(drawn.sum())) if design.weights is None else np.nan_to_num(design.weights, nan=0.0)
        )
        survey = SurveyDesign(weights, strata=design.strata, clusters=design.clusters, lonely="adjust")
        return drawn, survey


def corrects_shares(n_hand: int, n_readable: int) -> bool:
    """Return true if hand codes are enough that corrected shares are the main ones: 50, or of all answers.

    Args:
        n_hand: number of hand-coded answers.
        n_readable: number of readable answers.
    """
    return 0 < n_hand >= min(FEWEST_TO_CORRECT, n_readable)


def count_decisions(assigned: Floats, probability: Floats | None = None) -> tuple[Floats, Floats]:
    """Return what readable answers count for in counted shares: the value, and the most it can be.

    An answer with a decision counts for it. An unsure one counts for its probability. Without a probability
    it counts for 0, which is the better guess, and for 1 at the upper end of the interval.

    Args:
        assigned: shape (n, k), 1, 0, or NaN if unsure.
        probability: shape (n, k), NaN for codes without.

    Returns:
        Two arrays of shape (n, k), 0 to 1.

    Examples:
        >>> value, most = count_decisions(np.array([[1.0], [np.nan], [0.0]]))
        >>> value[:, 0].tolist(), most[:, 0].tolist()
        ([1.0, 0.0, 0.0], [1.0, 1.0, 0.0])
    """
    known = np.full(assigned.shape, np.nan) if probability is None else probability
    is_unsure = np.isnan(assigned)
    value, most = (np.where(is_unsure, np.nan_to_num(known, nan=unknown), assigned) for unknown in (0.0, 1.0))
    return value, most


class CodeCounts:
    """Running counts of k codes in numbered groups, part by part.

    Args:
        k: number of codes.
        n_groups: initial number of groups; others are added when they appear.

    Attributes:
        rows: shape (g,), number of all answers in each group.
        base: shape (g,), number of answers that count in shares.
        weight: shape (g,), sum of the weights of all rows; a missing weight adds 0.
        decided: shape (g, k), number of counting answers with a decision about each code.
        assigned: shape (g, k), number of these that have the code.
        value: shape (g, k), sum of what counting answers count for, see ``count_decisions``.
        most: shape (g, k), sum of the most that it can be.
        rated: shape (g, k), number of counting answers with the code and a rating of it.
        positive: shape (g, k), number of these whose rating is positive.

    Examples:
        >>> counts = CodeCounts(1)
        >>> answers = CodedSample(np.array([[1.0], [0.0], [np.nan]]), np.ones(3, dtype=bool))
        >>> counts.add(np.array([0, 1, 1]), answers)
        >>> counts.base.tolist(), counts.decided[:, 0].tolist(), counts.assigned[:, 0].tolist()
        ([1, 2], [1, 1], [1, 0])
    """

    def __init__(self, k: int, n_groups: int = 0) -> None:
        self.rows: Integers = np.zeros(n_groups, np.int64)
        self.base: Integers = np.zeros(n_groups, np.int64)
        self.weight: Floats = np.zeros(n_groups)
        self.decided: Integers = np.zeros((n_groups, k), np.int64)
        self.assigned: Integers = np.zeros((n_groups, k), np.int64)
        self.value: Floats = np.zeros((n_groups, k))
        self.most: Floats = np.zeros((n_groups, k))
        self.rated: Integers = np.zeros((n_groups, k), np.int64)
        self.positive: Integers = np.zeros((n_groups, k), np.int64)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.rows)

    def some(self, groups: Sequence[int]) -> "CodeCounts":
        """Select some of the groups, renumbered in the order of the list."""
        selected, numbers = CodeCounts(self.assigned.shape[1]), np.array(groups, np.int64)
        for name, counts in vars(self).items():
            setattr(selected, name, counts[numbers])
        return selected

    def add(self, groups: Integers, sample: CodedSample) -> None:
        """Add m answers.

        Args:
            groups: shape (m,), number of each answer's group; -1 for none.
            sample: the answers.
        """
        assigned, weights = sample.assigned, sample.design.weights
        n_new = max(0, int(groups.max(initial=-1)) + 1 - len(self))
        for name, counts in vars(self).items():
            setattr(self, name, np.pad(counts, [(0, n_new), *[(0, 0)] * (counts.ndim - 1)]))
        inside = groups >= 0
        counted = inside & sample.counting
        np.add.at(self.rows, groups[inside], 1)
        np.add.at(self.base, groups[counted], 1)
        added: Floats | float = 1.0 if weights is None else np.nan_to_num(weights[inside], nan=0.0)
        np.add.at(self.weight, groups[inside], added)
        np.add.at(self.decided, groups[counted], ~np.isnan(assigned[counted]))
        np.add.at(self.assigned, groups[counted], assigned[counted] == 1)
        value, most = count_decisions(assigned, sample.probability)
        np.add.at(self.value, groups[counted], value[counted])
        np.add.at(self.most, groups[counted], most[counted])
        if sample.positive is not None:
            np.add.at(self.rated, groups[counted], ~np.isnan(sample.positive[counted]))
            np.add.at(self.positive, groups[counted], sample.positive[counted] == 1)


@dataclass(frozen=True)
class CodeSentiment:
    """Sentiment of the answers with a code.

    Attributes:
        n: number of answers with the code and a rating of it.
        n_positive: number of these whose rating is on the good half of the scale.
        positive: share of the positive ones, with Wilson's interval or that of the survey's design.
        mean: mean rating with a t interval, in values of the scale; NaN ends for fewer than two answers.
    """

    n: int
    n_positive: int
    positive: Estimate
    mean: Estimate


@dataclass(frozen=True)
class CodeShare:
    """Share of all answers, or of the answers of a group, with a code.

    Attributes:
        code: its name.
        n: number of answers with a decision about the code.
        n_assigned: number of these that have the code.
        n_unsure: number of readable answers without a decision.
        counted: share of readable answers that have the code, with Wilson's interval, or the weighted share
            with that of the survey's design; see ``count_decisions`` for unsure answers. Neither accounts for
            the coder's errors.
        corrected: estimated share of readable answers to which people would give the code; ``None`` without
            hand codes.
        min_base: number of answers below which a base is small.
        by: name of the column of groups; ``None`` for all answers.
        group: name of the group; ``None`` for all answers, and for answers without a group.
        sentiment: sentiment of the answers that judge it; ``None`` if nothing was rated.
        high_without_unsure: upper end of the interval of the counted share if unsure answers without a
            probability do not have the code; NaN without an interval.
    """

    code: str
    n: int
    n_assigned: int
    n_unsure: int
    counted: Estimate
    corrected: CorrectedMean | None
    min_base: int = MIN_BASE
    by: str | None = None
    group: str | None = None
    sentiment: CodeSentiment | None = None
    high_without_unsure: float = np.nan

    @property
    def n_readable(self) -> int:
        """Number of readable answers with a weight above 0, decided or not."""
        return self.n + self.n_unsure

    @property
    def has_small_base(self) -> bool:
        """Return whether fewer answers were decided than ``min_base``."""
        return self.n < self.min_base


def code_shares(
    sample: CodedSample,
    codes: Sequence[str],
    groups: Integers,
    counts: CodeCounts,
    *,
    names: Sequence[str | None] = (None,),
    by: str | None = None,
    interval: float = 0.95,
    min_base: int = MIN_BASE,
) -> tuple[CodeShare, ...]:
    """Estimate the share of each code in each of g groups; by default all answers are one group.

    Args:
        sample: n answers.
        codes: k names.
        groups: shape (n,), number of each answer's group, from 0; -1 for none.
        counts: counts of all answers by group; the n may be a part of them.
        names: g names of the groups.
        by: name of the column of groups.
        interval: coverage of the intervals.
        min_base: number of answers below which a base is small.

    Returns:
        The shares of k codes in the first group, then those in the next ones.

    References:
        Corrected shares: see ``prediction_powered_mean`` and ``weighted_prediction_powered_mean``. Weighted
        shares: see ``survey_means``, with Korn and Graubard's interval.
    """
    numbers = np.where(sample.counting, groups, -1)
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(len(counts) + 1))
    counted = _counted_shares(sample, numbers, counts, interval)
    sentiments = _sentiments(sample, numbers, counts, interval)
    shares = []
    for group, name in enumerate(names):
        rows = order[ends[group] : ends[group + 1]]
        for position, code in enumerate(codes):
            n, n_assigned = int(counts.decided[group, position]), int(counts.assigned[group, position])
            shares.append(
                CodeShare(
                    code,
                    n,
                    n_assigned,
                    int(counts.base[group]) - n,
                    counted[group][position][0],
                    _correct_share(sample.hand, rows, position, interval),
                    min_base,
                    by,
                    name,
                    None if sentiments is None else sentiments[group][position],
                    counted[group][position][1],
                )
            )
    return tuple(shares)


_Estimates = list[list[Estimate]]
"""Estimates of k codes in each of g groups."""


def _counted_shares(
    sample: CodedSample, groups: Integers, counts: CodeCounts, interval: float
) -> list[list[tuple[Estimate, float]]]:
    """Estimate counted shares; the lower end is that of the value, the upper end that of the most.

    Returns:
        The share of k codes in each of g groups, with the upper end of the value.
    """
    if sample.design.is_plain:
        values, most = (
            [
                [wilson_interval(hits, n, interval) for hits in row]
                for row, n in zip(sums.tolist(), counts.base.tolist(), strict=True)
            ]
            for sums in (counts.value, counts.most)
        )
    else:
        values, most = (
            _weighted_shares(sample, part, groups, len(counts), interval)
            for part in count_decisions(sample.assigned, sample.probability)
        )
    return [
        [
            (Estimate(value.value, value.low, upper.high), value.high)
            for value, upper in zip(*rows, strict=True)
        ]
        for rows in zip(values, most, strict=True)
    ]


def _sentiments(
    sample: CodedSample, groups: Integers, counts: CodeCounts, interval: float
) -> list[list[CodeSentiment]] | None:
    """Estimate the sentiment of k codes in each group; ``None`` if nothing was rated."""
    if sample.sentiment is None or sample.positive is None:
        return None
    n_groups, k = counts.rated.shape
    certain = np.zeros_like(sample.sentiment)
    means = _estimate_in_groups(
        sample, sample.sentiment, certain, groups, n_groups, lambda means: means.interval(interval)
    )
    weighted = None
    if not sample.design.is_plain:
        weighted = _weighted_shares(sample, sample.positive, groups, n_groups, interval)

    def sentiment(group: int, code: int) -> CodeSentiment:
        n, n_positive = int(counts.rated[group, code]), int(counts.positive[group, code])
        share = wilson_interval(n_positive, n, interval) if weighted is None else weighted[group][code]
        return CodeSentiment(n, n_positive, share, means[group][code])

    return [[sentiment(group, code) for code in range(k)] for group in range(n_groups)]


def _weighted_shares(
    sample: CodedSample, values: Floats, groups: Integers, n_groups: int, interval: float
) -> _Estimates:
    """Estimate weighted shares with Korn and Graubard's interval.

    A value p between 0 and 1 stands for a decision with this probability. Its variance p (1 - p) is added to
    that between answers; without weights the sum is that of zeros and ones with the same share.
    """
    return _estimate_in_groups(
        sample,
        values,
        values * (1 - values),
        groups,
        n_groups,
        lambda means: share_interval(means, interval, method="beta"),
    )


def _estimate_in_groups(
    sample: CodedSample,
    values: Floats,
    variances: Floats,
    groups: Integers,
    n_groups: int,
    ends: Callable[[SurveyEstimates], tuple[Floats, Floats]],
) -> _Estimates:
    """Estimate weighted means (n, k) in each group, many groups at once; NaN for an empty group.

    Args:
        sample: the answers.
        values: shape (n, k), NaN for answers that are left out.
        variances: shape (n, k), variances of the values that are expected ones.
        groups: shape (n,), number of each answer's group; -1 for none.
        n_groups: number of groups.
        ends: computes lower and upper ends of the intervals of means.
    """
    drawn, survey = sample.survey()
    values, variances, groups = values[drawn], variances[drawn], groups[drawn]
    estimates = [[_UNKNOWN] * values.shape[1] for _ in range(n_groups)]
    for position, cells in enumerate(values.T):
        included = (groups >= 0) & ~np.isnan(cells)
        present, positions = np.unique(groups[included], return_inverse=True)
        renumbered = np.full(len(cells), -1)
        renumbered[included] = positions
        column = np.where(included, cells, np.nan)
        for start in range(0, len(present), _GROUPS_AT_ONCE):
            some = present[start : start + _GROUPS_AT_ONCE].tolist()
            is_inside = (renumbered >= start) & (renumbered < start + len(some))
            numbers = np.where(is_inside, renumbered - start, -1)
            means = survey_means(column, survey, groups=numbers, n_groups=len(some))
            squares = np.bincount(
                numbers[is_inside],
                (survey.weights**2 * np.nan_to_num(variances[:, position]))[is_inside],
                minlength=len(some),
            )
            uncertainty = np.diag(squares / means.weight[0] ** 2)
            low, high = ends(replace(means, covariance=means.covariance + uncertainty))
            for index, group in enumerate(some):
                estimate = (means.values[0, index], low[0, index], high[0, index])
                estimates[group][position] = Estimate(*map(float, estimate))
    return estimates


def _correct_share(
    hand: HandLabels | None, rows: Integers, position: int, interval: float
) -> CorrectedMean | None:
    if hand is None or np.isnan(hand.labels[rows, position]).all():
        return None
    return estimate_corrected_mean(
        hand.scores[rows, position],
        hand.labels[rows, position],
        bounds=_BOUNDS,
        design=hand.design.some(rows),
        interval=interval,
    )


@dataclass(frozen=True)
class GroupTest:
    """Test of whether a code's share differs between the groups of a column.

    Attributes:
        by: name of the column.
        code: name of the code.
        p_value: p-value of equal shares; NaN if fewer than two groups can be tested.
        adjusted: p-value adjusted by Holm over all codes.
        kind: the shares that are compared, and the test.
        groups: names of the groups in the test.
    """

    by: str
    code: str
    p_value: float
    adjusted: float
    kind: TestKind
    groups: tuple[str, ...]


def group_tests(
    sample: CodedSample,
    codes: Sequence[str],
    groups: Integers,
    counts: CodeCounts,
    *,
    names: Sequence[str | None],
    by: str,
    seed: int = 0,
    min_base: int = MIN_BASE,
) -> tuple[GroupTest, ...]:
    """Test for each code whether its share differs between groups, and adjust by Holm.

    The test compares the corrected shares of groups with at least 10 hand-coded answers if there are two or
    more such groups, and otherwise the assigned codes. Answers without a group are not in a test.

    Args:
        sample: n answers.
        codes: k names.
        groups: shape (n,), number of each answer's group, from 0; -1 for none.
        counts: counts of all answers by group; the n may be a part of them.
        names: names of the groups; ``None`` for answers without a group.
        by: name of the column of groups.
        seed: seed of simulated tables, for small counts.
        min_base: fewest answers of a group in the test, at least 1; if a sample is tested, within the sample.

    References:
        See ``corrected_group_test``, ``independence_p_value`` and ``rao_scott``.
    """
    named = {group: name for group, name in enumerate(names) if name is not None}
    renumbered = np.full(len(names), -1)
    renumbered[list(named)] = np.arange(len(named))
    numbers = np.where(sample.counting & (groups >= 0), renumbered[groups], -1)
    counts = counts.some(list(named))
    tested_names = list(named.values())
    results = []
    for position in range(len(codes)):
        result = _test_corrected_shares(sample.hand, numbers, counts, position, min_base)
        if result is None:
            result = (
                _test_counts(counts, position, min_base, seed)
                if sample.design.is_plain
                else _test_weighted_shares(sample, numbers, len(counts), position, min_base)
            )
        results.append(result)
    p_values = adjust_p_values(
        np.array([p_value for p_value, *_ in results], dtype=np.float64), "holm"
    ).tolist()
    return tuple(
        GroupTest(by, code, p_value, holm, kind, tuple(tested_names[group] for group in tested))
        for code, (p_value, kind, tested), holm in zip(codes, results, p_values, strict=True)
    )


_Result = tuple[float, TestKind, tuple[int, ...]]
"""The p-value of a test, its kind, and the numbers of the groups in it."""


def _test_corrected_shares(
    hand: HandLabels | None, groups: Integers, counts: CodeCounts, position: int, min_base: int
) -> _Result | None:
    """Compare corrected shares; ``None`` if fewer than two groups have enough hand-coded answers."""
    if hand is None:
        return None
    large = np.flatnonzero(counts.base >= min_base)
    test = corrected_group_test(
        hand.scores[:, position],
        hand.labels[:, position],
        np.where(np.isin(groups, large), groups, -1),
        bounds=_BOUNDS,
        design=hand.design,
    )
    return None if np.isnan(test.p_value) else (test.p_value, "corrected", test.tested)


def _test_counts(counts: CodeCounts, position: int, min_base: int, seed: int) -> _Result:
    """Compare the shares of assigned codes in groups with enough decided answers."""
    large = np.flatnonzero(counts.decided[:, position] >= min_base)
    assigned = counts.assigned[large, position]
    table = np.stack([assigned, counts.decided[large, position] - assigned])
    return independence_p_value(table, seed=seed), "counted", tuple(large.tolist())


def _test_weighted_shares(
    sample: CodedSample, groups: Integers, n_groups: int, position: int, min_base: int
) -> _Result:
    """Compare the weighted shares of assigned codes in groups with enough answers in the sample."""
    drawn, survey = sample.survey()
    values, groups = sample.assigned[drawn, position], groups[drawn]
    decided = (groups >= 0) & ~np.isnan(values)
    large = np.flatnonzero(np.bincount(groups[decided], minlength=n_groups) >= min_base)
    compared = np.where(decided & np.isin(groups, large), groups, -1)
    p_value = float("nan")
    if (compared >= 0).any():
        code = np.where(compared >= 0, values, -1).astype(np.int64)
        p_value = rao_scott(code, compared, survey).p_value
    return p_value, "counted, weighted", tuple(large.tolist())


class PairCounts:
    """Running counts of answers with each pair of k codes, part by part.

    Args:
        k: number of codes.

    Examples:
        >>> pairs = PairCounts(2)
        >>> pairs.add(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
        >>> pairs.counts.tolist(), pairs.lift[0, 1].item()
        ([[2, 1], [1, 1]], 2.0)
    """

    def __init__(self, k: int) -> None:
        self._both, self._decided, self._first = (np.zeros((k, k)) for _ in range(3))

    def add(self, assigned: Floats) -> None:
        """Count some answers.

        Args:
            assigned: shape (m, k), 1, 0 or NaN.
        """
        yes, decided = (assigned == 1).astype(np.float64), (~np.isnan(assigned)).astype(np.float64)
        self._both += yes.T @ yes
        self._decided += decided.T @ decided
        self._first += yes.T @ decided

    @property
    def counts(self) -> Integers:
        """Number of answers with both codes, shape (k, k); on the diagonal, with the code."""
        return self._both.astype(np.int64)

    @property
    def lift(self) -> Floats:
        """Frequency of both codes relative to independence, shape (k, k).

        It is n * both / (first * second), over answers with decisions about both; NaN if a code never occurs,
        and on the diagonal.

        References:
            Brin, Motwani, Ullman and Tsur (1997), doi 10.1145/253260.253325, who call it interest.
        """
        expected = self._first * self._first.T
        lift: Floats = np.full(expected.shape, np.nan)
        np.divide(self._decided * self._both, expected, out=lift, where=expected > 0)
        np.fill_diagonal(lift, np.nan)
        return lift


def code_alphas(
    ratings: Floats, plan: IntervalPlan | None = None, *, standard: Floats | None = None
) -> tuple[AgreementEstimate, ...]:
    """Compute Krippendorff's alpha of k codes over several coders or runs; empty for fewer than two.

    A code that fewer than five answers have, or fewer than five do not, has no alpha, as it has no
    probability: its interval may run from below 0 to nearly 1.

    Args:
        ratings: shape (c, n, k), 1, 0 or NaN. Decisions about hand-coded answers must come from curves fitted
            without these answers.
        plan: coverage of the intervals, and the seed of the bootstrap.
        standard: shape (n, k), the ratings that must show five answers with a code and five without; by
            default those of any coder.
    """
    if len(ratings) < 2:
        return ()
    plan = plan or IntervalPlan()
    shown = ratings if standard is None else standard[None]
    fewest = np.min([(shown == value).sum(axis=1).max(axis=0) for value in (0, 1)], axis=0)
    return tuple(
        krippendorff_alpha(code.T, metric="nominal", interval=plan.interval, seed=plan.seed)
        if n >= FEWEST_OF_EACH
        else _no_alpha(code.shape[1])
        for code, n in zip(np.moveaxis(ratings, 2, 0), fewest.tolist(), strict=True)
    )


def _no_alpha(n: int) -> AgreementEstimate:
    """Return the missing estimate of a code with too few answers of one kind, of n in all."""
    missing = float("nan")
    note = f"fewer than {FEWEST_OF_EACH} answers with the code, or without it"
    return AgreementEstimate(missing, missing, missing, 0, n, 0, None, note)


@dataclass(frozen=True)
class Driver:
    """Relation of one code to the rating.

    Attributes:
        code: its name.
        n_with: number of rated answers with the code.
        n_without: number of rated answers without the code.
        mean_with: mean rating of answers with the code; NaN without any.
        mean_without: mean rating of answers without the code; NaN likewise.
        difference: ``mean_with - mean_without`` with its interval; NaN if either has fewer than 5 answers or
            people.
        p_value: p-value of no difference, adjusted by Holm over all codes; NaN likewise.
        joint: coefficient of the code in the joint model; ``None`` if the model lacks the code, as it lacks
            nets.
        joint_p_value: p-value of a coefficient of 0, adjusted likewise; NaN likewise.
    """

    code: str
    n_with: int
    n_without: int
    mean_with: float
    mean_without: float
    difference: Estimate
    p_value: float
    joint: Estimate | None
    joint_p_value: float


@dataclass(frozen=True)
class Drivers:
    """Relation of codes to a rating, without a claim of causation.

    Attributes:
        rating: name of the rating.
        drivers: one for each code.
        n: number of answers in the joint model; 0 without a model.
        r_squared: share of the rating's variance that the joint model explains, 0 to 1; NaN without a model.
        by_probability: whether the joint model uses probabilities of codes instead of decisions.
        standard_errors: ``HC3``, or ``CR2`` if answers are clustered.
    """

    rating: str
    drivers: tuple[Driver, ...]
    n: int
    r_squared: float
    by_probability: bool
    standard_errors: Literal["HC3", "CR2"] = "HC3"


def find_drivers(  # noqa: PLR0913 - the ratings and codes; the rest are settings
    ratings: Floats,
    assigned: Floats,
    codes: Sequence[str],
    *,
    rating: str,
    nets: Collection[str] = (),
    probability: Floats | None = None,
    weights: Floats | None = None,
    clusters: Integers | None = None,
    interval: float = 0.95,
) -> Drivers:
    """Compare ratings with and without each code, and fit a joint model of all codes except nets.

    An answer with a code below a net has the net as well. In a joint model, the net would take over a part of
    the effect of its codes, so it is only compared by itself.

    Differences and the joint model have HC3 standard errors, or CR2 for clustered answers, such as several
    answers of one person. The joint model uses calibrated probabilities of the codes if available (regression
    calibration), as wrong decisions would bias its coefficients towards 0.

    Args:
        ratings: shape (n,), NaN where there is none.
        assigned: shape (n, k), 1, 0 or NaN.
        codes: k names.
        rating: name of the rating.
        nets: names of the codes that have other codes below them.
        probability: shape (n, k), calibrated; only columns of nets may lack values. ``None`` without
            calibrated codes.
        weights: shape (n,), weights of the answers; answers with NaN or 0 are left out.
        clusters: shape (n,), respondents or sampling clusters; by default each answer is a cluster.
        interval: nominal coverage of the intervals.

    References:
        Carroll, Ruppert, Stefanski and Crainiceanu (2006), Measurement Error in Nonlinear Models, chapter 4.

    Raises:
        InputError: no answer has a rating.
    """
    weights = np.ones(len(ratings)) if weights is None else np.nan_to_num(weights, nan=0.0)
    rated = ~np.isnan(ratings) & (weights > 0)
    if not rated.any():
        raise InputError("rating", f": {rating!r} has no number in an answer that was coded")
    with_code, without_code = rated[:, None] & (assigned == 1), rated[:, None] & (assigned == 0)

    def n_units(rows: Mask) -> int:
        return int(rows.sum()) if clusters is None else len(np.unique(clusters[rows]))

    def mean(rows: Mask) -> float:
        return float(np.average(ratings[rows], weights=weights[rows])) if rows.any() else float("nan")

    def fit(rows: Mask, predictors: Floats) -> Coefficients:
        grouped = None if clusters is None else clusters[rows]
        return robust_regression(
            ratings[rows], predictors[rows], weights=weights[rows], clusters=grouped, interval=interval
        )

    frequent = [
        code
        for code in range(len(codes))
        if min(n_units(with_code[:, code]), n_units(without_code[:, code])) >= MIN_RATED
    ]
    alone = {code: fit(with_code[:, code] | without_code[:, code], assigned[:, [code]]) for code in frequent}
    p_values = np.full(len(codes), np.nan)
    p_values[frequent] = [alone[code].p_value[0] for code in frequent]
    predictors = assigned if probability is None else probability
    candidates = [code for code in frequent if codes[code] not in nets]
    complete: Mask = rated & ~np.isnan(predictors[:, candidates]).any(axis=1)
    used = [candidates[index] for index in independent_columns(predictors[complete][:, candidates])]
    joint, joint_p_values = None, np.full(len(codes), np.nan)
    if len(used) > 1 and n_units(complete) >= MIN_RATED * len(used):  # with one code it is the difference
        joint = fit(complete, predictors[:, used])
        joint_p_values[used] = adjust_p_values(joint.p_value, "holm")
    drivers = [
        Driver(
            name,
            int(with_code[:, code].sum()),
            int(without_code[:, code].sum()),
            mean(with_code[:, code]),
            mean(without_code[:, code]),
            _coefficient(alone[code], 0) if code in alone else _UNKNOWN,
            p_value,
            None if joint is None or code not in used else _coefficient(joint, used.index(code)),
            joint_p_value,
        )
        for code, (name, p_value, joint_p_value) in enumerate(
            zip(codes, adjust_p_values(p_values, "holm").tolist(), joint_p_values.tolist(), strict=True)
        )
    ]
    return Drivers(
        rating,
        tuple(drivers),
        0 if joint is None else joint.n,
        float("nan") if joint is None else joint.r_squared,
        probability is not None,
        "HC3" if clusters is None else "CR2",
    )


def _coefficient(model: Coefficients, index: int) -> Estimate:
    return Estimate(float(model.value[index]), float(model.low[index]), float(model.high[index]))
