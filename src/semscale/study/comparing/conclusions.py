"""What a comparison with people allows to conclude, axis by axis."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import factorial
from typing import Literal

import numpy as np

from semscale.stats.agreement.attainment import FEWEST_SURVEYS, Attainment
from semscale.stats.intervals.estimates import Estimate
from semscale.study.comparing.group_contrasts import FEWEST_IN_GROUP, GroupContrasts
from semscale.study.comparing.individuals import Individuals
from semscale.study.comparing.marginals import Marginals
from semscale.study.comparing.structure import Correlations

Subject = Literal["ranking", "distributions", "relations", "groups", "individuals"]
"""Order of concepts; shares of points; correlations of questions; differences of groups; single persons."""


@dataclass(frozen=True)
class Conclusion:
    """Whether a panel can stand for people in one respect.

    Attributes:
        subject: in which respect.
        holds: ``True`` where the data show that it does better than its nulls; ``False`` where they show that
            it goes less than half of the way from a null to people, or invents what people do not show;
            ``None`` where they cannot tell.
        because: the figures behind it, or what is lacking.
    """

    subject: Subject
    holds: bool | None
    because: str


def conclude(
    marginals: Marginals,
    correlations: Correlations | None,
    groups: GroupContrasts | None,
    individuals: tuple[Individuals, ...],
    interval: float,
) -> tuple[Conclusion, ...]:
    """Draw conclusions: a panel does better than a null where the interval of the difference lies above 0.

    It does no better where the whole interval is below half of the way from the null to the human ceiling. An
    interval that holds both 0 and half of the way shows nothing.

    Args:
        marginals: of one method.
        correlations: ``None`` where they could not be compared.
        groups: likewise.
        individuals: empty where nobody is matched.
        interval: coverage of the intervals; orders of concepts are tested at half of the rest.
    """
    return (
        *_ranking(marginals.attainments, interval),
        _distributions(marginals),
        _relations(correlations),
        _groups(groups),
        _individuals(individuals),
    )


def _ranking(attainments: Mapping[str, Attainment | None], interval: float) -> Iterator[Conclusion]:
    known = {name: each for name, each in attainments.items() if each is not None}
    if not known:
        lacking = f"it takes {FEWEST_SURVEYS} concepts or more that both sides answered"
        yield Conclusion("ranking", None, lacking)
    for name, each in known.items():
        yield Conclusion("ranking", *_order(name, each, (1 - interval) / 2))


def _order(name: str, found: Attainment, level: float) -> tuple[bool | None, str]:
    """Say whether a panel knows the order of concepts, and by which figures."""
    about = f"attainment {found.ratio.value:.2f} for {name}"
    if np.isnan(found.ratio.value):
        return None, f"halves of the people do not agree on {name}, or the panel's means are all alike"
    if 1 / factorial(found.n_surveys) > level:
        return None, f"{about}, but {found.n_surveys} concepts fall into any order by chance"
    if found.p_value <= level:
        return True, f"{about}, p {found.p_value:.3f}"
    shown = f"{about}, p {found.p_value:.3f}"
    if 1 - found.p_value + 1 / factorial(found.n_surveys) <= level:
        return False, f"{shown}: hardly any order is less like that of people"
    return _no_or_unknown(found.ratio.high, 1.0), shown


def _distributions(marginals: Marginals) -> Conclusion:
    held = marginals.benchmarks.held["wasserstein"]
    shown = f"Wasserstein-1 {held.panel.value:.2f}, equal shares {held.uniform.value:.2f}"
    halves = held.split_half.value
    answers = [_beyond(held.below_uniform, held.uniform.value - halves)]
    if not np.isnan(held.pooled.value):
        shown += f", pooled people {held.pooled.value:.2f}"
        answers.append(_beyond(held.below_pooled, held.pooled.value - halves))
    return Conclusion("distributions", _all(answers), f"{shown}, halves of people {halves:.2f}")


def _relations(correlations: Correlations | None) -> Conclusion:
    if correlations is None:
        return Conclusion("relations", None, "it takes two questions that ten persons on both sides answered")
    shown = (
        f"correlations of questions are {correlations.gap.value:.2f} off, shuffled personas "
        f"{correlations.permuted:.2f}, halves of people {correlations.split_half:.2f}"
    )
    way = correlations.permuted - correlations.split_half
    return Conclusion("relations", _beyond(correlations.below_permuted, way), shown)


def _groups(groups: GroupContrasts | None) -> Conclusion:
    if groups is None:
        return Conclusion("groups", None, "no attribute with two groups on both sides was named")
    holds, because = _of_tested_groups(groups)
    small = len(groups.pairs) - groups.n_tested
    if not small:
        return Conclusion("groups", holds, because)
    few = f"fewer than {FEWEST_IN_GROUP} personas or people in a group"
    return Conclusion("groups", holds, f"{because}{'; ' if because else ''}not tested, with {few}: {small}")


def _of_tested_groups(groups: GroupContrasts) -> tuple[bool | None, str]:
    """Conclude from the differences between groups that are large enough."""
    if not groups.n_tested:
        return None, ""
    invented = len(groups.invented)
    said = f"the panel invents {invented} of {groups.n_tested} differences, which people do not show"
    if not groups.n_clear:
        alike = "no two groups of people differ beyond chance"
        return (False, f"{said}; {alike}") if invented else (None, alike)
    shown = (
        f"same direction in {groups.same_sign:.0%} of {groups.n_clear} clear differences, "
        f"{groups.size_ratio.value:.2f} times as large"
    )
    if invented:
        return False, f"{said}; {shown}"
    return _beyond(groups.size_ratio, 1.0), shown


def _beyond(found: Estimate, way: float) -> bool | None:
    """Say whether a figure that is 0 at the null and ``way`` at the ceiling is beyond chance."""
    return True if found.low > 0 else _no_or_unknown(found.high, way)


def _no_or_unknown(high: float, way: float) -> bool | None:
    """Say no where the upper end is at most 0, or short of half of the way; an unknown end says nothing."""
    return False if high <= 0 or high < way / 2 else None


def _all(answers: list[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True


def _individuals(individuals: tuple[Individuals, ...]) -> Conclusion:
    if not individuals:
        return Conclusion("individuals", None, "no personas bear the names of people who were asked")
    known = [each for each in individuals if not np.isnan(each.correlation.value)]
    shown = ", ".join(f"r {each.correlation.value:.2f} for {each.question}" for each in individuals)
    holds = bool(known) and all(each.correlation.low > 0 for each in known)
    return Conclusion("individuals", holds, shown)
