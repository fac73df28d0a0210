"""Decision study: how exact a mean would be with twice the respondents, samples, anchor sets or models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.stats.variance_components.effects import Effect
from semscale.types import Floats


@dataclass(frozen=True)
class DecisionStudy:
    """Standard errors of a stratum's mean, over everything that was sampled.

    Attributes:
        error: as the ratings are.
        doubled: with twice the levels of a facet, for every facet whose variance can be seen.
        best: the facet that lowers the error most; ``None`` where none does.
    """

    error: float
    doubled: Mapping[str, float]
    best: str | None


def decision_study(
    effects: Sequence[Effect], variances: Floats, base: Effect, facets: Sequence[str]
) -> DecisionStudy:
    """Compute standard errors of the mean from variance components, those below 0 taken as 0.

    The variance of a stratum's mean is the sum over effects of the variance times the sum of its levels'
    squared shares of the ratings; the mean over strata is taken. Twice the levels of a facet halve the terms
    of all effects that include it.

    Args:
        effects: as ``effects_of`` lists them.
        variances: shape (effects,); NaN where they cannot be estimated.
        base: whose levels are the strata.
        facets: names of all facets.

    References:
        Brennan (2001), Generalizability Theory, doi 10.1007/978-1-4757-3456-0, chapter 4: absolute error.
    """
    terms = np.maximum(variances, 0) * np.array([_concentration(effect, base) for effect in effects])
    seen = [name for name in facets if any(name in effect.facets for effect in effects[:-1])]
    doubled = {
        name: float(
            np.sqrt(
                sum(term / (1 + (name in effect.facets)) for effect, term in zip(effects, terms, strict=True))
            )
        )
        for name in seen
    }
    error = float(np.sqrt(terms.sum()))
    best = min(doubled, key=doubled.__getitem__, default=None)
    if best is not None and not doubled[best] < error:
        best = None
    return DecisionStudy(error, doubled, best)


def _concentration(effect: Effect, base: Effect) -> float:
    """Sum of squared shares that an effect's levels have of their stratum, the mean over strata."""
    sizes = np.bincount(effect.cells).astype(np.float64)
    owner = np.zeros(len(sizes), dtype=np.int64)
    owner[effect.cells] = base.cells
    whole = np.bincount(base.cells)
    shares = np.bincount(owner, (sizes / whole[owner]) ** 2, minlength=len(whole))
    return float(shares.mean())
