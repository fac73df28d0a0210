"""Tests of whether codes are as frequent in one group as in another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from semscale.coding.coding_decisions import CodeDecisions
from semscale.coding.summary.code_shares import (
    MIN_BASE,
    HandSample,
    corrected_design,
    counting,
    survey_design,
)
from semscale.stats.calibration.corrected_groups import corrected_group_test
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.survey.association import rao_scott
from semscale.stats.tests.independence import independence_p_value
from semscale.stats.tests.multiple_testing import adjusted
from semscale.types import Floats, Mask

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
    groups: Sequence[Mask],
    hand: HandSample | None = None,
    *,
    design: SampleDesign | None = None,
    seed: int = 0,
    min_base: int = MIN_BASE,
) -> tuple[GroupTest, ...]:
    """Test for each code whether its share differs between groups, and adjust by Holm.

    Where people coded 10 answers or more of at least two groups, these groups' corrected shares are compared;
    otherwise the codes that were given are.

    Args:
        decisions: about n answers and k codes.
        codes: k names.
        groups: of each group the rows, shape (n,); those with fewer answers than ``min_base`` do not count.
        hand: what people coded; ``None`` where nobody did.
        design: weights, clusters and strata of the answers.
        seed: of drawn tables, where counts are small.
        min_base: answers that a group needs, 1 or more.

    References:
        As ``corrected_group_test``, ``independence_p_value`` and ``rao_scott``.
    """
    design = design or SampleDesign()
    read = counting(decisions, design)
    bases = [rows & read for rows in groups]
    found = []
    for place in range(len(codes)):
        made = None if hand is None else _corrected(hand, bases, place, design, min_base)
        found.append(made or _counted(decisions.given[:, place], bases, design, seed, min_base))
    p_values = adjusted(np.array([p_value for p_value, *_ in found], dtype=np.float64), "holm").tolist()
    return tuple(
        GroupTest(code, one[0], p_value, *one[1:])
        for code, one, p_value in zip(codes, found, p_values, strict=True)
    )


def _corrected(
    hand: HandSample, bases: Sequence[Mask], place: int, design: SampleDesign, min_base: int
) -> tuple[float, TestKind, tuple[int, ...]] | None:
    """Compare corrected shares; ``None`` where fewer than two groups have enough hand-coded answers."""
    large = [number for number, base in enumerate(bases) if base.sum() >= min_base]
    test = corrected_group_test(
        hand.held_out[:, place],
        hand.labels[:, place],
        [bases[number] for number in large],
        bounds=(0, 1),
        design=corrected_design(hand, design),
    )
    if np.isnan(test.p_value):
        return None
    return test.p_value, "corrected", tuple(large[number] for number in test.tested)


def _counted(
    given: Floats, bases: Sequence[Mask], design: SampleDesign, seed: int, min_base: int
) -> tuple[float, TestKind, tuple[int, ...]]:
    """Compare how often the code was given, in groups with enough answers about which it was decided."""
    known = [base & ~np.isnan(given) for base in bases]
    large = tuple(number for number, rows in enumerate(known) if rows.sum() >= min_base)
    if design.is_plain:
        counts = [((given[known[number]] == 1).sum(), (given[known[number]] == 0).sum()) for number in large]
        table = np.array(counts, dtype=np.int64).reshape(-1, 2).T
        return independence_p_value(table, seed=seed), "counted", large
    if not large:
        return float("nan"), "counted, weighted", large
    group = np.full(len(given), -1)
    for number in large:
        group[known[number]] = number
    code = np.where(group >= 0, given, -1).astype(np.int64)
    p_value = rao_scott(code, group, survey_design(design, len(given))).p_value
    return p_value, "counted, weighted", large
