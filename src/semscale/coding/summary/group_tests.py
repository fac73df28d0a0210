"""Tests of whether codes are as frequent in one group as in another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from semscale.coding.coding_decisions import CodeDecisions
from semscale.coding.summary.code_counts import CodeCounts
from semscale.coding.summary.code_shares import (
    MIN_BASE,
    HandSample,
    corrected_design,
    counting,
    survey_design,
)
from semscale.stats.calibration.corrected_groups import FEWEST_IN_GROUP, corrected_group_test
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.survey.association import rao_scott
from semscale.stats.testing.independence import independence_p_value
from semscale.stats.testing.multiple_testing import adjusted
from semscale.types import Integers, Mask

TestKind = Literal["corrected", "counted", "counted, weighted"]
"""Welch's test of corrected shares; Pearson's test of the codes given; Rao and Scott's of these."""


@dataclass(frozen=True)
class GroupTest:
    """Whether a code's share differs between groups.

    Attributes:
        code: its name.
        p_value: of equal shares; NaN where fewer than two groups can be tested.
        adjusted: by Holm, over all codes.
        kind: which shares are compared, and how.
        tested: which of the groups took part, by their numbers.
    """

    code: str
    p_value: float
    adjusted: float
    kind: TestKind
    tested: tuple[int, ...]


def group_tests(  # noqa: PLR0913 - what is compared, and how
    decisions: CodeDecisions,
    codes: Sequence[str],
    groups: Integers,
    hand: HandSample | None = None,
    *,
    design: SampleDesign | None = None,
    counts: CodeCounts | None = None,
    drawn: Mask | None = None,
    seed: int = 0,
    min_base: int = MIN_BASE,
) -> tuple[GroupTest, ...]:
    """Test for each code whether its share differs between groups, and adjust by Holm.

    Where people coded 10 answers or more of at least two groups, these groups' corrected shares are compared;
    otherwise the codes that were given are.

    Args:
        decisions: about n answers and k codes.
        codes: k names.
        groups: shape (n,), number of each answer's group, from 0; -1 for none. Groups with fewer answers
            than ``min_base`` do not count.
        hand: what people coded; ``None`` where nobody did.
        design: weights, clusters and strata of the answers.
        counts: of all answers of each group, where the n are a part of them; of the n unless given.
        drawn: shape (n,), which answers are a random sample of all, as ``code_shares`` takes it.
        seed: of drawn tables, where counts are small.
        min_base: answers that a group needs, 1 or more; for a test of a sample, within the sample.

    References:
        As ``corrected_group_test``, ``independence_p_value`` and ``rao_scott``.
    """
    design = design or SampleDesign()
    read = counting(decisions, design)
    if counts is None:
        counts = CodeCounts(len(codes))
        counts.add(groups, decisions.given, read, design.weights)
    compared = _Compared(decisions, np.where(read, groups, -1), design, counts, drawn, min_base)
    found = []
    for place in range(len(codes)):
        made = None if hand is None else _corrected(hand, compared, place)
        found.append(made or _counted(compared, place, seed))
    p_values = adjusted(np.array([p_value for p_value, *_ in found], dtype=np.float64), "holm").tolist()
    return tuple(
        GroupTest(code, one[0], p_value, *one[1:])
        for code, one, p_value in zip(codes, found, p_values, strict=True)
    )


class _Compared(NamedTuple):
    """Answers that are compared: ``groups`` is -1 where one does not count."""

    decisions: CodeDecisions
    groups: Integers
    design: SampleDesign
    counts: CodeCounts
    drawn: Mask | None
    min_base: int


def _corrected(
    hand: HandSample, compared: _Compared, place: int
) -> tuple[float, TestKind, tuple[int, ...]] | None:
    """Compare corrected shares; ``None`` where fewer than two groups have enough hand-coded answers."""
    groups, labels = compared.groups, hand.labels[:, place]
    coded = np.bincount(groups[(groups >= 0) & ~np.isnan(labels)], minlength=len(compared.counts))
    large = np.flatnonzero((compared.counts.base >= compared.min_base) & (coded >= FEWEST_IN_GROUP)).tolist()
    test = corrected_group_test(
        hand.held_out[:, place],
        labels,
        [groups == number for number in large],
        bounds=(0, 1),
        design=corrected_design(hand, compared.design),
    )
    if np.isnan(test.p_value):
        return None
    return test.p_value, "corrected", tuple(large[number] for number in test.tested)


def _counted(compared: _Compared, place: int, seed: int) -> tuple[float, TestKind, tuple[int, ...]]:
    """Compare how often the code was given, in groups with enough answers about which it was decided."""
    counts, design = compared.counts, compared.design
    if design.is_plain:
        large = np.flatnonzero(counts.decided[:, place] >= compared.min_base)
        given = counts.given[large, place]
        table = np.stack([given, counts.decided[large, place] - given])
        return independence_p_value(table, seed=seed), "counted", tuple(large.tolist())
    values, groups = compared.decisions.given[:, place], compared.groups
    if compared.drawn is not None:
        values, groups, design = values[compared.drawn], groups[compared.drawn], design.some(compared.drawn)
    decided = (groups >= 0) & ~np.isnan(values)
    large = np.flatnonzero(np.bincount(groups[decided], minlength=len(counts)) >= compared.min_base)
    numbers = tuple(large.tolist())
    group = np.where(decided & np.isin(groups, large), groups, -1)
    if not (group >= 0).any():
        return float("nan"), "counted, weighted", numbers
    code = np.where(group >= 0, values, -1).astype(np.int64)
    p_value = rao_scott(code, group, survey_design(design, len(values))).p_value
    return p_value, "counted, weighted", numbers
