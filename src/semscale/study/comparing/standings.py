"""Where a panel stands on each axis: 0 as the best null does, 1 as people among themselves do."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semscale.study.comparing.conclusions import Subject
from semscale.study.comparing.group_contrasts import GroupContrasts
from semscale.study.comparing.individuals import Individuals
from semscale.study.comparing.marginals import Marginals
from semscale.study.comparing.structure import Correlations


@dataclass(frozen=True)
class Standing:
    """A panel's place between knowing nothing and knowing what people know of each other.

    Attributes:
        subject: in which respect.
        value: 0 at the null, 1 at the human ceiling; below 0 worse than the null. Of individuals it is the
            correlation, since people who were asked once show no ceiling.
    """

    subject: Subject
    value: float


def standings(
    marginals: Marginals,
    correlations: Correlations | None,
    groups: GroupContrasts | None,
    individuals: tuple[Individuals, ...],
) -> tuple[Standing, ...]:
    """Place a panel in every respect that can be known.

    Order of concepts: the mean attainment. Distributions: (null - d) / (null - halves) of Wasserstein-1, the
    null being the closer one of equal shares and pooled people. Relations: likewise of the correlations'
    differences, with shuffled personas. Groups: of the share with the same direction. Individuals: mean r.

    Args:
        marginals: of one method.
        correlations: ``None`` where they could not be compared.
        groups: likewise.
        individuals: empty where nobody is matched.
    """
    found = _places(marginals, correlations, groups, individuals)
    return tuple(each for each in found if np.isfinite(each.value))


def _places(
    marginals: Marginals,
    correlations: Correlations | None,
    groups: GroupContrasts | None,
    individuals: tuple[Individuals, ...],
) -> Iterator[Standing]:
    ratios = [each.ratio.value for each in marginals.attainments.values() if each is not None]
    if ratios:
        yield Standing("ranking", float(np.mean(ratios)))
    held = marginals.benchmarks.held["wasserstein"]
    null = float(np.nanmin([held.uniform.value, held.pooled.value]))
    yield Standing("distributions", _between(null, held.panel.value, held.split_half.value))
    if correlations is not None:
        place = _between(correlations.permuted, correlations.gap.value, correlations.split_half)
        yield Standing("relations", place)
    if groups is not None and groups.n_clear:
        yield Standing("groups", _between(groups.permuted, groups.same_sign, groups.split_half))
    if individuals:
        yield Standing("individuals", float(np.mean([each.correlation.value for each in individuals])))


def _between(null: float, value: float, ceiling: float) -> float:
    """Place a value on the way from null to ceiling; NaN where these are the same."""
    return (value - null) / (ceiling - null) if ceiling != null else float("nan")
