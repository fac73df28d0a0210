"""Agreement of ratings with human ratings: ranking, distribution, a ceiling and a null baseline together."""

from dataclasses import dataclass

from semscale.stats.estimates import Estimate
from semscale.types import Floats


@dataclass(frozen=True)
class Comparison:
    """How far ratings agree with human ratings of the same texts.

    Attributes:
        n: texts that have both a rating and a human rating.
        pearson: correlation of the means.
        spearman: correlation of the means' ranks.
        ks_similarity: 1 - max |F_machine - F_human| over the points, 0 to 1, of the two average PMFs;
            ``None`` where human values could not be laid on the scale.
        human_pmf: shape (k,), the humans' average PMF on the scale's points; NaN likewise.
        machine_pmf: shape (k,), the ratings' average PMF over the same texts.
        ceiling: how well humans agree with each other (split halves of the raters, Spearman-Brown); ``None``
            with a single human value per text.
        null_length: correlation of the texts' length with the human mean, which a useful rating must beat;
            ``None`` where no texts were given.
        points: shape (at most 2000, 2), human mean and machine mean of a seeded sample, for a scatter.
        interval: coverage that the intervals aim at.
    """

    n: int
    pearson: Estimate
    spearman: Estimate
    ks_similarity: Estimate | None
    human_pmf: Floats
    machine_pmf: Floats
    ceiling: Estimate | None
    null_length: Estimate | None
    points: Floats
    interval: float = 0.95
