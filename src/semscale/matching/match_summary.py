"""What came of matching: estimates, how scores are spread, findings, and the items to look at."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.matching.matched_items import ItemTexts, MatchedItem, flagged_rows, lowest_rows
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates
from semscale.results.estimating import IntervalSettings
from semscale.signature import Signature
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Status

if TYPE_CHECKING:
    from semscale.matching.match_columns import MatchColumns
    from semscale.matching.matches import Matches
    from semscale.matching.separation import Separation

KEPT = 20
"""Items with the lowest scores, and items with findings, that a summary keeps."""

_FEWEST = 6  # scored rows that are cut into thirds


class MatchSummarySettings(IntervalSettings, total=False):
    """What a summary can be told beside the matches; all of it optional, as is how intervals are made.

    Attributes:
        by: shape (n,), names of groups.
        source: what the items are from, such as the name of a file.
        columns: which columns of a table were matched.
        separation: how far the scores stand above those of unrelated pairs.
        tokens: tables of tokens by row, as ``semscale.matching.matcher.explain_items`` gives them; an empty
            mapping where explanations are wanted and the method looks at no tokens.
    """

    by: object
    source: str
    columns: "MatchColumns | None"
    separation: "Separation | None"
    tokens: Mapping[int, pl.DataFrame] | None


@dataclass(frozen=True, repr=False)
class MatchSummary(Presentable):
    """What was measured in n items.

    Attributes:
        source: what the items are from.
        columns: which columns of a table were matched; ``None`` for texts in memory.
        signature: what was applied.
        bounds: the least and the greatest score that the method can give.
        estimates: mean scores with intervals, of all items and of each group.
        counts: items by status.
        n_windowed: items with a text that was read in windows.
        scores: shape (items that are scored,).
        group_scores: likewise of each named group.
        thirds: mean of the score and of each of its parts in the lowest, middle and highest third of items;
            empty without parts, and with fewer than 6 scored items.
        guards: how many items each guard found something in, by its name.
        n_flagged: how many items some guard found something in; ``None`` where no guard looked.
        lowest: items with the lowest scores, the lowest first, at most 20.
        flagged: items with findings, the highest score first, at most 20.
        left_out: for each reason why items have no score, a few of them: row, counted from 0, and text.
        separation: how far the scores stand above those of unrelated pairs, where that is known.
        is_explained: whether it was asked how the lowest scores came about.
        created: when.
    """

    source: str
    columns: "MatchColumns | None"
    signature: Signature
    bounds: tuple[float, float]
    estimates: Estimates
    counts: dict[Status, int]
    n_windowed: int
    scores: Floats
    group_scores: Mapping[str, Floats]
    thirds: Mapping[str, tuple[float, float, float]]
    guards: dict[str, int]
    n_flagged: int | None
    lowest: tuple[MatchedItem, ...]
    flagged: tuple[MatchedItem, ...]
    left_out: Mapping[str, tuple[tuple[int, str], ...]]
    separation: "Separation | None" = None
    is_explained: bool = False
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n(self) -> int:
        """How many items there are, with or without a score."""
        return sum(self.counts.values())

    @property
    def method(self) -> str:
        """The method's name, as the signature has it."""
        return dict(self.signature.fields).get("method", self.signature.instrument)

    def worst(self, n: int) -> tuple[MatchedItem, ...]:
        """Give the items with the lowest scores, the lowest first, n of the 20 that are kept."""
        return self.lowest[:n]

    def best_flagged(self, n: int) -> tuple[MatchedItem, ...]:
        """Give the items with findings, the highest score first, n of the 20 that are kept."""
        return self.flagged[:n]

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        separation = self.separation
        return {
            "instrument": "match",
            "source": self.source,
            "method": self.method,
            "rows": self.n,
            "counts": self.counts,
            "windowed": self.n_windowed,
            "estimates": self.estimates,
            "bounds": self.bounds,
            "guards": self.guards,
            "separation": None
            if separation is None
            else {
                "share_above": separation.share,
                "unrelated_pairs": len(separation.unrelated),
                "unrelated_mean": separation.unrelated.mean(),
            },
            "worst": [item.record() for item in self.lowest],
            "signature": self.signature,
            "created": self.created,
        }

    def __repr__(self) -> str:
        mean = self.estimates.overall_mean()
        return f"MatchSummary(source={self.source!r}, n={self.n}, n_scored={mean.n}, mean={mean.value:.2f})"


def summarize(  # noqa: PLR0913 - matches, and columns beside them
    matches: "Matches",
    predictions: object = None,
    references: object = None,
    *,
    by: object = None,
    source: str = "texts in memory",
    columns: "MatchColumns | None" = None,
    separation: "Separation | None" = None,
    tokens: Mapping[int, pl.DataFrame] | None = None,
    **intervals: Unpack[IntervalSettings],
) -> MatchSummary:
    """Sum matches up; ``semscale.matching.matches.Matches.summarize`` says how."""
    texts = ItemTexts(
        _cells(predictions, "predictions", len(matches)),
        _cells(references, "references", len(matches)),
        [] if by is None else as_names(by, "by"),
        tokens or {},
    )
    found = Counter(guard for row in matches.findings for guard in {one.guard for one in row})
    flagged = flagged_rows(matches)
    return MatchSummary(
        source=source,
        columns=columns,
        signature=matches.signature,
        bounds=matches.bounds,
        estimates=matches.estimate(by=by, **intervals),
        counts=matches.counts,
        n_windowed=matches.n_windowed,
        scores=matches.score[matches.scored],
        group_scores=_by_group(matches.score, texts.groups),
        thirds=_thirds(matches),
        guards=dict(sorted(found.items())),
        n_flagged=len(flagged) if matches.findings else None,
        lowest=texts.items(matches, lowest_rows(matches, KEPT)),
        flagged=texts.items(matches, flagged[:KEPT]),
        left_out=texts.left_out(matches),
        separation=separation,
        is_explained=tokens is not None,
    )


def _cells(column: object, name: str, n: int) -> list[Any]:
    cells = [] if column is None else as_list(column, name)
    if column is not None and len(cells) != n:
        raise InputError(f"{name} must have {n} rows, as many as there are matches, got {len(cells)}")
    return cells


def _by_group(score: Floats, groups: Sequence[str | None]) -> dict[str, Floats]:
    if not groups:
        return {}
    table = pl.DataFrame({"group": pl.Series(groups, dtype=pl.String), "score": score})
    known = table.filter(pl.col("group").is_not_null() & pl.col("score").is_not_nan())
    return {
        str(name): part["score"].to_numpy() for (name,), part in known.group_by("group", maintain_order=True)
    }


def _thirds(matches: "Matches") -> dict[str, tuple[float, float, float]]:
    rows = lowest_rows(matches, len(matches))
    if not matches.components or len(rows) < _FEWEST:
        return {}
    low, middle, high = np.array_split(rows, 3)
    return {
        name: (float(values[low].mean()), float(values[middle].mean()), float(values[high].mean()))
        for name, values in {"score": matches.score, **matches.components}.items()
    }
