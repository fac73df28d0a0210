"""Makes replicate weights from a described draw: jackknife, bootstrap, and balanced halves."""

import numpy as np

from semscale.errors import InputError
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.hadamard import hadamard_matrix
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.stats.survey.stages import Stage
from semscale.types import Floats, Integers

_MOST_NUMBERS = 200_000_000
"""Numbers of a table of replicate weights, 1.6 GB, above which none is made."""


def jackknife_replicates(design: SurveyDesign, *, mse: bool = False) -> ReplicateDesign:
    """Leave out one cluster at a time (JK1; JKn with several strata).

    The other clusters of its stratum get ``m_h / (m_h - 1)`` of their weights; the replicate's factor is
    ``(1 - f_h) (m_h - 1) / m_h``. Clusters and strata are those of the first stage. Strata with a single
    cluster have no replicate.

    Args:
        design: how respondents were drawn; ``lonely`` may be anything but ``adjust``.
        mse: as ``ReplicateDesign`` has it.

    Raises:
        InputError: a table of replicates of more than 1.6 GB, ``adjust`` with a single cluster in a stratum,
            or fewer than two clusters to leave out.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> jackknife_replicates(SurveyDesign(np.ones(3))).replicates[0].tolist()
        [0.0, 1.5, 1.5]
    """
    stage = design.stages[0]
    sizes = np.bincount(stage.stratum)
    if design.lonely == "adjust" and np.any(sizes == 1):
        raise InputError("the jackknife knows no lonely='adjust': choose 'certainty' or 'average'")
    left_out = np.flatnonzero(sizes[stage.stratum] > 1)
    _check_draw(design, len(left_out))
    same = stage.stratum[:, None] == stage.stratum[left_out]
    size = sizes[stage.stratum[left_out]]
    factors = np.where(same, size / (size - 1), 1.0)
    factors[left_out, np.arange(len(left_out))] = 0
    # A stage's scale is (1 - f) m / (m - 1), lifted where lonely strata count as the average.
    rscales = stage.scale[stage.stratum[left_out]] * ((size - 1) / size) ** 2
    degrees = len(sizes[sizes > 1])
    weights = design.weights[:, None] * factors[stage.cluster]
    return ReplicateDesign(design.weights, weights, 1.0, rscales, mse, len(left_out) - degrees)


def bootstrap_replicates(
    design: SurveyDesign, *, replicates: int = 500, seed: int = 0, mse: bool = False
) -> ReplicateDesign:
    """Draw clusters with replacement, after Rao and Wu: m_h - 1 of the m_h clusters of a stratum.

    A cluster that was drawn t times has ``1 - l + l t m_h / (m_h - 1)`` of its weight, with l the root of
    ``1 - f_h``. Clusters and strata are those of the first stage. A single cluster keeps its weight.

    Args:
        design: how respondents were drawn.
        replicates: how many, at least 2.
        seed: of the draws.
        mse: as ``ReplicateDesign`` has it.

    Raises:
        InputError: fewer than 2 replicates, or a table of replicates of more than 1.6 GB.

    References:
        Rao and Wu (1988), JASA 83(401), 231-241, doi 10.1080/01621459.1988.10478591. Rao, Wu and Yue (1992),
        Survey Methodology 18(2), 209-217.
    """
    _check_draw(design, replicates)
    stage, rng = design.stages[0], np.random.default_rng(seed)
    factors = np.ones((len(stage.stratum), replicates))
    for stratum, size in enumerate(np.bincount(stage.stratum)):
        if size > 1:
            drawn = rng.multinomial(size - 1, np.full(size, 1 / size), replicates).T
            shrunk = np.sqrt(stage.scale[stratum] * (size - 1) / size)
            factors[stage.stratum == stratum] = 1 - shrunk + shrunk * drawn * size / (size - 1)
    weights: Floats = design.weights[:, None] * factors[stage.cluster]
    degrees = len(stage.stratum) - len(stage.scale)
    return ReplicateDesign(design.weights, weights, 1 / max(replicates - 1, 1), mse=mse, degrees=degrees)


def balanced_replicates(design: SurveyDesign, *, rho: float = 0.0, mse: bool = False) -> ReplicateDesign:
    """Take halves of a sample with two clusters in each stratum: BRR, or Fay's method with ``rho``.

    In each replicate one cluster of a stratum has ``2 - rho`` of its weight, and the other has ``rho``. The
    stratum's row of a Hadamard matrix says which: 1 the first cluster, -1 the second. The matrix has more
    rows than there are strata; its first is left out. Clusters and strata are those of the first stage.

    Args:
        design: how respondents were drawn, with replacement.
        rho: what the other half keeps, 0 to below 1.
        mse: as ``ReplicateDesign`` has it.

    Raises:
        InputError: a stratum that has not two clusters, a design with ``fpc``, ``rho`` out of range, or a
            table of replicates of more than 1.6 GB.

    References:
        McCarthy (1969), Review of the International Statistical Institute 37(3), 239-264,
        doi 10.2307/1402116. Judkins (1990), Journal of Official Statistics 6(3), 223-239 (Fay's method).

    Example:
        >>> pairs = SurveyDesign(np.ones(4), strata=np.array([1, 1, 2, 2]))
        >>> balanced_replicates(pairs).replicates.tolist()[::2]  # one of each pair, in four replicates
        [[2.0, 0.0, 2.0, 0.0], [2.0, 2.0, 0.0, 0.0]]
    """
    if not 0 <= rho < 1:
        raise InputError(f"rho must be at least 0 and below 1, got {rho}")
    if design.fpc is not None:
        raise InputError("balanced halves count clusters as drawn with replacement: leave fpc out")
    stage = design.stages[0]
    sizes = np.bincount(stage.stratum)
    _check_pairs(stage, sizes)
    signs = hadamard_matrix(len(sizes) + 1)[1 : len(sizes) + 1]
    _check_draw(design, signs.shape[1])
    side = np.full(len(stage.stratum), -1.0)
    side[np.unique(stage.stratum, return_index=True)[1]] = 1
    factors = 1 + (1 - rho) * side[:, None] * signs[stage.stratum]
    weights: Floats = design.weights[:, None] * factors[stage.cluster]
    scale = 1 / (signs.shape[1] * (1 - rho) ** 2)
    return ReplicateDesign(design.weights, weights, scale, mse=mse, degrees=len(sizes))


def _check_pairs(stage: Stage, sizes: Integers) -> None:
    wrong = np.flatnonzero(sizes != 2)  # noqa: PLR2004 - two halves
    if len(wrong):
        row = int(np.flatnonzero(stage.stratum[stage.cluster] == wrong[0])[0])
        raise InputError(
            f"balanced halves need two clusters in each stratum, but the stratum of row {row + 1:,} has "
            f"{sizes[wrong[0]]}: join or split strata, or take the jackknife"
        )


def _check_draw(design: SurveyDesign, replicates: int) -> None:
    """Refuse too few or too many replicates, and raked weights, which each replicate needs anew."""
    if design.calibration is not None:
        raise InputError("make replicates of the design before it is raked, and rake them: raked_design")
    fewest = 2
    if replicates < fewest:
        raise InputError(f"replicates must be at least {fewest}, got {replicates}")
    if design.n * replicates > _MOST_NUMBERS:
        raise InputError(
            f"{design.n} rows by {replicates} replicates are too many: take fewer replicates of the "
            "bootstrap, or the linearised variance of the design itself"
        )
