"""What stands beside the answers of a table, and is not needed to code them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semscale.stats.calibration.sample_design import SampleDesign
from semscale.types import Floats


@dataclass(frozen=True)
class BesideAnswers:
    """What stands beside n answers, and is not needed to code them.

    Attributes:
        by: names of groups, shape (n,), for each column of them by its name.
        ratings: shape (n,), NaN where there is none; ``None`` without ratings.
        other: shape (n, k), decisions of another run; ``None`` without one.
        design: weights, clusters and strata of the answers.
    """

    by: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    ratings: Floats | None = None
    other: Floats | None = None
    design: SampleDesign = field(default_factory=SampleDesign)


@dataclass(frozen=True)
class BesideNames:
    """What is said of the columns beside the answers.

    Attributes:
        rating: what the rating is called.
        other: what the other run is called.
        weight: what the weights are called.
        clusters: what the clusters are called.
        strata: what the strata are called.
        notes: sentences on how the table was read.
    """

    rating: str = ""
    other: str = ""
    weight: str = ""
    clusters: str = ""
    strata: str = ""
    notes: tuple[str, ...] = ()
