"""The columns and settings that say how respondents were drawn and weighted."""

import math
from dataclasses import dataclass, field
from typing import Literal

from semscale.errors import InputError
from semscale.stats.survey.stages import Lonely
from semscale.tabulation.matched_margins import Margins

ReplicateType = Literal["bootstrap", "jk1", "jkn", "brr"]
"""How a provider made replicate weights; BRR with ``rho`` is Fay's method."""


@dataclass(frozen=True)
class SampleColumns:
    """Columns that say how respondents were drawn and weighted.

    Attributes:
        weight: weights, finite and not negative.
        strata: names of the strata that respondents were drawn in.
        cluster: names of what was drawn together.
        fpc: how many clusters (respondents, without ``cluster``) the row's stratum has in the population,
            or the share of them that was drawn if at most 1; one number within a stratum.
        replicates: pattern of the columns with replicate weights, such as ``rw*``.
        replicate_type: how those were made.
        rho: of Fay's method, with ``brr``.
        rscales: factors of the replicates, with ``jkn``: one each, or one for all.
        margins: what the weights are raked to.
        weight_bounds: least and greatest raked weight, as multiples of the mean weight.
        pair_by: ids of respondents who take part in several waves.
        lonely: what a stratum with one cluster adds to the variance.

    Raises:
        InputError: settings that do not go together, or are out of range.
    """

    weight: str | None = None
    strata: str | None = None
    cluster: str | None = None
    fpc: str | None = None
    replicates: str | None = None
    replicate_type: ReplicateType | None = None
    rho: float = 0.0
    rscales: tuple[float, ...] = ()
    margins: Margins = field(default_factory=dict)
    weight_bounds: tuple[float, float] | None = None
    pair_by: str | None = None
    lonely: Lonely = "fail"

    def __post_init__(self) -> None:
        self._check_bounds()
        if self.replicates is None:
            if self.replicate_type is not None or self.rho or self.rscales:
                raise InputError(
                    "replicate_type, rho and rscales belong to replicates: name their columns as well"
                )
            return
        if self.weight is None:
            raise InputError("replicates need weight: name the column with the full sample's weights")
        if self.replicate_type is None:
            raise InputError(
                "replicates need replicate_type: bootstrap, jk1, jkn or brr, as their provider says"
            )
        self._check_rscales()
        together = {
            "strata": self.strata, "cluster": self.cluster, "fpc": self.fpc, "pair_by": self.pair_by,
        }  # fmt: skip
        for name, given in together.items():
            if given is not None:
                raise InputError(f"{name} does not go with replicates, which hold how people were drawn")

    def named(self) -> dict[str, str]:
        """The single columns that were named, by their purpose."""
        names = ("weight", "strata", "cluster", "fpc", "pair_by")
        given = {name: getattr(self, name) for name in names}
        roles = {name: column for name, column in given.items() if column is not None}
        return roles | {f"raked_to {column}": column for column in self.margins}

    def _check_bounds(self) -> None:
        if self.weight_bounds is None:
            return
        if not self.margins:
            raise InputError("weight_bounds belongs to raked_to: name the population's shares as well")
        low, high = self.weight_bounds
        if not 0 <= low <= 1 <= high or low == high:
            raise InputError(
                "weight_bounds must be a number from 0 to 1 and one of at least 1, as multiples of the mean "
                f"weight, got {low:g} and {high:g}"
            )

    def _check_rscales(self) -> None:
        if (self.replicate_type == "jkn") != bool(self.rscales):
            raise InputError(
                "rscales belong to jkn, and jkn needs them: factors as the provider says, or (m - 1) / m "
                "with m the clusters of a replicate's stratum"
            )
        wrong = [one for one in self.rscales if not (math.isfinite(one) and one >= 0)]
        if wrong:
            raise InputError(f"rscales must be numbers >= 0, got {wrong[0]:g}")
