"""Structure: whether a panel's groups differ as those of people do."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr

from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.testing.multiple_testing import holm
from semscale.study.comparing.counted_sums import group_differences
from semscale.study.comparing.resampled_figures import (
    SPLITS,
    figures_and_resamples,
    halves,
    percentile_estimate,
)
from semscale.study.comparing.sides import ComparedSide
from semscale.types import Floats, Integers, Mask

FEWEST_IN_GROUP = 5
"""Persons with an answer that a group needs on each side, as the spread of fewer is hardly known."""

_Named = tuple[int, str, str, str]
"""A question's number, an attribute, and two of its groups."""


@dataclass(frozen=True)
class GroupContrast:
    """A difference between two groups, in the panel and among people; shares of the scale's width.

    Attributes:
        question: name of the question.
        attribute: that makes the groups.
        first: the group whose mean counts up.
        second: the group whose mean is taken off.
        panel: with a simulation interval.
        people: with an interval.
        n_panel: personas with an answer in the smaller of the two groups.
        n_people: people likewise.
        invented: whether the panel differs where people do not: the people's interval holds 0, the panel's
            does not, and the panel's difference is apart from the people's beyond chance (normal
            approximation with the resamples' variance, Holm over all pairs).
    """

    question: str
    attribute: str
    first: str
    second: str
    panel: Estimate
    people: Estimate
    n_panel: int
    n_people: int
    invented: bool

    @property
    def is_tested(self) -> bool:
        """Whether both groups have five persons or more on both sides; others have no interval."""
        return min(self.n_panel, self.n_people) >= FEWEST_IN_GROUP

    @property
    def is_clear(self) -> bool:
        """Whether the people's interval leaves 0 out."""
        return _is_clear(self.people)


@dataclass(frozen=True)
class GroupContrasts:
    """Differences between groups.

    Attributes:
        pairs: every two groups of each attribute, for each question.
        n_clear: differences of the people whose interval leaves 0 out; the figures below are about these.
        same_sign: share in which the panel differs in the same direction; NaN without any.
        split_half: the same between random halves of the people: the ceiling.
        permuted: the same where attributes are shuffled among personas: the null.
        size_ratio: sum of the panel's differences in the people's direction, over the people's; 1 where they
            are as large, 0 where the panel's groups do not differ.
    """

    pairs: tuple[GroupContrast, ...]
    n_clear: int
    same_sign: float
    split_half: float
    permuted: float
    size_ratio: Estimate

    @property
    def n_tested(self) -> int:
        """Differences between groups that are large enough on both sides."""
        return sum(pair.is_tested for pair in self.pairs)

    @property
    def invented(self) -> tuple[GroupContrast, ...]:
        """Differences that the panel shows and people do not."""
        return tuple(pair for pair in self.pairs if pair.invented)


def compare_groups(panel: ComparedSide, people: ComparedSide, plan: IntervalPlan) -> GroupContrasts | None:
    """Compare differences between groups; ``None`` where no two groups are on both sides.

    Args:
        panel: answers of the personas, with groups.
        people: answers of the people, with groups of the same attributes.
        plan: coverage and seed; persons are resampled as a whole.
    """
    named = list(_group_pairs(panel, people))
    if not named:
        return None
    own = group_differences(panel.positions, panel.person_weights, _rows_of(panel, named))
    others = group_differences(people.positions, people.person_weights, _rows_of(people, named))
    d, drawn = figures_and_resamples(own, panel.n, plan, 0)
    human, human_drawn = figures_and_resamples(others, people.n, plan, 1)
    sizes = np.column_stack([_smaller(panel, named), _smaller(people, named)])
    tested: Mask = sizes.min(axis=1) >= FEWEST_IN_GROUP
    apart = _apart(np.where(tested, d - human, np.nan), drawn - human_drawn, plan)
    pairs = tuple(
        _contrast(
            panel.questions[named_pair[0]].name,
            named_pair[1:],
            _estimate(d[place], drawn[:, place], panel.n, plan, tested=bool(tested[place])),
            _estimate(human[place], human_drawn[:, place], people.n, plan, tested=bool(tested[place])),
            (int(sizes[place, 0]), int(sizes[place, 1])),
            apart=bool(apart[place]),
        )
        for place, named_pair in enumerate(named)
    )
    clear = np.array([pair.is_clear for pair in pairs]) & ~np.isnan(d)
    if not clear.any():
        nothing = float("nan")
        return GroupContrasts(pairs, 0, nothing, nothing, nothing, Estimate(nothing, nothing, nothing))
    one, other = halves(people, plan, others)
    rng = np.random.default_rng(plan.seed)
    mixed = np.concatenate(
        [
            group_differences(
                panel.positions[rng.permutation(panel.n)], panel.person_weights, _rows_of(panel, named)
            )(np.ones((1, panel.n)))
            for _ in range(SPLITS)
        ]
    )
    ratios = _size_ratio(drawn[:, clear], human_drawn[:, clear], np.sign(human[clear]))
    ratio = float(_size_ratio(d[None, clear], human[None, clear], np.sign(human[clear]))[0])
    return GroupContrasts(
        pairs,
        int(clear.sum()),
        float(np.mean(np.sign(d[clear]) == np.sign(human[clear]))),
        _same(one[:, clear], other[:, clear]),
        _same(mixed[:, clear], human[None, clear]),
        percentile_estimate(ratio, ratios, min(panel.n, people.n), plan),
    )


def _contrast(  # noqa: PLR0913 - both sides, their sizes and what was tested
    question: str,
    groups: tuple[str, str, str],
    panel: Estimate,
    people: Estimate,
    sizes: tuple[int, int],
    *,
    apart: bool,
) -> GroupContrast:
    invented = apart and _is_clear(panel) and not _is_clear(people)
    return GroupContrast(question, *groups, panel, people, *sizes, invented)


def _estimate(value: float, drawn: Floats, n: int, plan: IntervalPlan, *, tested: bool) -> Estimate:
    """Put an interval around a difference of groups that are large enough."""
    if not tested:
        return Estimate(float(value), float("nan"), float("nan"))
    return percentile_estimate(value, drawn, n, plan)


def _smaller(side: ComparedSide, named: Sequence[_Named]) -> Integers:
    """Count the persons with an answer in the smaller group of each pair, shape (f,)."""
    there = ~np.isnan(side.positions)
    return np.array(
        [
            min(int(there[rows][..., question].any(axis=1).sum()) for rows in groups)
            for question, *groups in _rows_of(side, named)
        ],
        dtype=np.int64,
    )


def _apart(gaps: Floats, drawn: Floats, plan: IntervalPlan) -> Mask:
    """Tell which gaps (f,) of the panel and people are beyond chance, by resamples (r, f) and Holm."""
    there = ~np.isnan(drawn)
    known = ~np.isnan(gaps) & there.any(axis=0)
    spread = np.array(
        [column[rows].std() for column, rows in zip(drawn.T[known], there.T[known], strict=True)]
    )
    z = np.abs(gaps[known]) / np.where(spread > 0, spread, np.inf)
    apart: Mask = np.zeros(len(gaps), dtype=bool)
    if known.any():
        apart[known] = holm(2 * ndtr(-z)) <= 1 - plan.interval
    return apart


def _is_clear(found: Estimate) -> bool:
    """Whether an interval leaves 0 out."""
    return found.low > 0 or found.high < 0


def _group_pairs(panel: ComparedSide, people: ComparedSide) -> list[_Named]:
    """List questions with an attribute and two of its groups that both sides have."""
    found: list[_Named] = []
    for attribute in panel.groups:
        there = {cell for cell in panel.groups[attribute] if cell is not None}
        both = sorted(there & {cell for cell in people.groups[attribute] if cell is not None})
        for question in range(len(panel.questions)):
            found += [(question, attribute, *groups) for groups in combinations(both, 2)]
    return found


def _rows_of(side: ComparedSide, named: Sequence[_Named]) -> list[tuple[int, Mask, Mask]]:
    cells = {name: np.array(list(groups), dtype=object) for name, groups in side.groups.items()}
    return [
        (question, cells[attribute] == first, cells[attribute] == second)
        for question, attribute, first, second in named
    ]


def _size_ratio(own: Floats, others: Floats, signs: Floats) -> Floats:
    """Sums (b,) of the panel's differences in the people's direction over those of the people."""
    size, of_people = np.nansum(own * signs, axis=1), np.nansum(others * signs, axis=1)
    ratios: Floats = np.divide(size, of_people, out=np.full(len(size), np.nan), where=of_people != 0)
    return ratios


def _same(first: Floats, second: Floats) -> float:
    return float(np.mean(np.sign(first) == np.sign(second)))
