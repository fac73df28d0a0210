"""What matching predictions with references gives: a score for each item, what is in it, and findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Unpack

import polars as pl

from semscale.guards.findings import Finding
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.types import Floats, Integers, Statuses


@dataclass(frozen=True, repr=False)
class Matches(Result):
    """Matches of n items, in the order of the items.

    Attributes:
        score: shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``: why each item has a score, or has none.
        reference: shape (n,), which of its references the score is from, counted from 0; -1 where none.
        windows: shape (n,), the most windows that one of the item's two texts was read in; 0 where none.
        signature: what was applied.
        components: what the score is made of, by name, each of shape (n,), NaN where there is no score.
        findings: what the guards found in the pair that was scored, for every item; empty without guards.
        bounds: the least and the greatest score that the method can give.
    """

    score: Floats
    status: Statuses
    reference: Integers
    windows: Integers
    signature: Signature
    components: Mapping[str, Floats] = field(default_factory=dict)
    findings: tuple[tuple[Finding, ...], ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)

    row_fields = ("score", "status", "reference", "windows", "components", "findings")

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean score of all items and of each group, with intervals.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            {"score": self.score},
            self.status,
            bounds={"score": self.bounds},
            signature=self.signature,
            **settings,
        )

    def to_frame(self) -> pl.DataFrame:
        """Lay the matches out as a table, one row per item; what is missing is null.

        Returns:
            Columns ``status``, ``score``, each component, ``reference`` (counted from 0), ``windows``, and
            ``findings`` (a list of structs) where guards looked at the pairs.
        """
        floats = {"score": self.score, **self.components}
        table = pl.DataFrame(
            [
                pl.Series("status", [str(status) for status in self.status], dtype=pl.String),
                *(pl.Series(name, values, nan_to_null=True) for name, values in floats.items()),
                pl.Series("reference", [None if at < 0 else at for at in self.reference.tolist()], pl.Int64),
                pl.Series("windows", self.windows),
            ]
        )
        if not self.findings:
            return table
        shown = [[_shown(finding) for finding in found] for found in self.findings]
        return table.with_columns(pl.Series("findings", shown, dtype=_FINDINGS))


_FINDINGS = pl.List(
    pl.Struct(dict.fromkeys(("guard", "kind", "reason", "prediction", "reference"), pl.String))
)


def _shown(finding: Finding) -> dict[str, str | None]:
    return {
        "guard": finding.guard,
        "kind": finding.kind,
        "reason": finding.reason,
        "prediction": None if finding.prediction is None else finding.prediction.text,
        "reference": None if finding.reference is None else finding.reference.text,
    }
