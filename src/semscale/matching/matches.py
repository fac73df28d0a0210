"""Matches of predictions with references: scores, their components, and findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Unpack

import polars as pl

from semscale.guards.findings import Finding
from semscale.matching.match_collector import MatchCollector
from semscale.matching.match_columns import MatchColumns
from semscale.matching.match_summary import MatchSummary
from semscale.matching.matched_items import ItemColumns, shown_cells
from semscale.matching.separation import Separation
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, IntervalSettings, estimate_values
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.store.columns import as_names
from semscale.types import Floats, Integers, Mask, Statuses


@dataclass(frozen=True, repr=False)
class Matches(Result):
    """Matches of n items, in the order of the items.

    Attributes:
        score: shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``: why each item has a score, or has none.
        reference: shape (n,), which of its references the score is from, counted from 0; -1 where none.
        windows: shape (n,), the most windows that one of the item's two texts was read in; 0 where none.
        signature: the settings that were applied.
        components: parts of the score, by name, each of shape (n,), NaN where there is no score.
        findings: findings of the guards in the pair that was scored, for every item; empty without guards.
        guarded: shape (n,), whether guards looked at the pair: they read English, and pass over pairs with a
            text that is clearly in another language; ``None`` without guards.
        bounds: the least and the greatest score that the method can give.
        weighs_findings: whether findings of guards lower the scores.
    """

    score: Floats
    status: Statuses
    reference: Integers
    windows: Integers
    signature: Signature
    components: Mapping[str, Floats] = field(default_factory=dict)
    findings: tuple[tuple[Finding, ...], ...] = ()
    guarded: Mask | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    weighs_findings: bool = False

    row_fields = ("score", "status", "reference", "windows", "components", "findings", "guarded")

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

    def summarize(  # noqa: PLR0913 - texts, and what belongs to them
        self,
        predictions: object = None,
        references: object = None,
        *,
        by: object = None,
        source: str = "texts in memory",
        columns: MatchColumns | None = None,
        separation: Separation | None = None,
        tokens: Mapping[int, pl.DataFrame] | None = None,
        **intervals: Unpack[IntervalSettings],
    ) -> MatchSummary:
        """Sum the matches up; reports, documents and JSON come from the summary.

        Args:
            predictions: shape (n,), as they were matched, to be shown beside their scores.
            references: shape (n,), likewise.
            by: shape (n,), names of groups.
            source: where the items come from, such as the name of a file.
            columns: names of the matched columns.
            separation: how far the scores stand above those of unrelated pairs.
            tokens: tables of tokens by row, as ``semscale.matching.matcher.explain_items`` gives them;
                ``None`` where nobody asked how scores came about.
            intervals: how intervals are made, such as ``interval`` and ``seed``.

        Raises:
            InputError: a column of the wrong length, or a setting out of range.
        """
        items = ItemColumns(
            self.score, self.status, self.reference, self.windows, self.components,
            self._guards(), lambda row: self.findings[row],
            shown_cells(predictions, "predictions", self.n), shown_cells(references, "references", self.n),
            [] if by is None else as_names(by, "by"),
        )  # fmt: skip
        estimates = self.estimate(by=by, **intervals)
        collector = MatchCollector()
        collector.add(items)
        return collector.summary(
            estimates,
            bounds=self.bounds,
            weighs_findings=self.weighs_findings,
            source=source,
            columns=columns,
            separation=separation,
            tokens=tokens,
        )

    def to_frame(self) -> pl.DataFrame:
        """Lay the matches out as a table, one row per item; what is missing is null.

        Returns:
            Columns ``status``, ``score``, each component, ``reference`` (counted from 0), ``windows``, and
            ``findings`` (a list of structs, null where guards did not look) where there are guards.
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
        shown = [
            None if looked is None else [_shown(finding) for finding in found]
            for found, looked in zip(self.findings, self._guards(), strict=True)
        ]
        return table.with_columns(pl.Series("findings", shown, dtype=_FINDINGS))

    def _guards(self) -> list[set[str] | None]:
        """Name the guards that found something in each item; ``None`` where none looked at its texts."""
        names: list[set[str] | None] = [{one.guard for one in found} for found in self.findings]
        if self.guarded is None:
            return names
        passed_over = (self.reference >= 0) & ~self.guarded
        return [None if passed else own for own, passed in zip(names, passed_over.tolist(), strict=True)]

    def _short_summary(self) -> MatchSummary:
        return self.summarize()


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
