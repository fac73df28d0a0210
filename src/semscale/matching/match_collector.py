"""Collection of matched parts for their summary; of most items only numbers are kept."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from semscale.embedding.languages.language_counts import LanguageCounter
from semscale.embedding.languages.unread_language import LanguageSample
from semscale.matching.match_columns import MatchColumns
from semscale.matching.match_summary import KEPT, MatchSummary
from semscale.matching.matched_items import ItemColumns, MatchedItem, scores_by_group, thirds
from semscale.matching.separation import Separation
from semscale.results.estimates import Estimates
from semscale.results.estimating import estimate_values
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.types import Floats, Mask, Status, Statuses, count_statuses

_LIKELY = 0.5  # probability above which something is more likely than not


class MatchCollector:
    """Takes matched items in order, in parts of any size; keeps the numbers and texts that a report shows.

    Files and matches in memory both go through it, so the same items give the same report.
    """

    def __init__(self) -> None:
        self.n = 0
        self._score: list[Floats] = []
        self._status: list[Statuses] = []
        self._components: dict[str, list[Floats]] = {}
        self._groups: list[str | None] = []
        self._names: dict[str | None, str | None] = {}
        self._n_windowed = 0
        self._is_matched: list[Mask] = []
        self._guards: Counter[str] = Counter()
        self._n_flagged: int | None = None
        self._n_unguarded = self._n_by_text_alone = 0
        self._lowest, self._flagged = ForemostRows[MatchedItem](KEPT), ForemostRows[MatchedItem](KEPT)
        self._left_out = LeftOutRows()
        self._sampled_texts = LanguageSample()
        self._languages = LanguageCounter()

    def add(self, items: ItemColumns) -> None:
        """Take the next items."""
        first_row = self.n

        def item(place: int) -> MatchedItem:
            return items.item(place, first_row)

        is_matched = items.reference >= 0  # an empty prediction may be scored without being read
        self._score.append(items.score)
        self._is_matched.append(is_matched)
        self._status.append(items.status)
        for name, values in items.components.items():
            self._components.setdefault(name, []).append(values)
        # Each name once, however many items have it.
        self._groups += [self._names.setdefault(group, group) for group in items.groups]
        self._n_windowed += int((items.windows > 1).sum())
        self._lowest.add(np.where(is_matched, items.score, np.nan), first_row, item)
        if items.guards:
            self._guards.update(guard for found in items.guards for guard in found or ())
            self._n_unguarded += sum(found is None for found in items.guards)
            flagged = np.array([bool(found) for found in items.guards], dtype=bool)
            self._n_flagged = (self._n_flagged or 0) + int(flagged.sum())
            self._flagged.add(np.where(flagged, -items.score, np.nan), first_row, item)
        self._n_by_text_alone += _by_text_alone(items.components)
        self._left_out.add(items.status, first_row, items.text)
        if items.predictions:
            worded = np.flatnonzero(np.isin(items.status, [Status.SCORED, Status.WEIGHTLESS]))
            self._sampled_texts.add(worded, items.predictions.__getitem__, first_row)
        if items.predictions and items.references:
            self._languages.add_texts(map(items.texts, range(len(items.status))), items.status)
        self.n += len(items.status)

    @property
    def score(self) -> Floats:
        """Scores of all items, shape (n,); NaN where there is none."""
        return np.concatenate(self._score)

    @property
    def matched_score(self) -> Floats:
        """Scores of the items whose texts were compared, shape (n,); NaN for all others."""
        return np.where(np.concatenate(self._is_matched), self.score, np.nan)

    @property
    def shown(self) -> tuple[MatchedItem, ...]:
        """Items that the summary will show."""
        return tuple({item.row: item for item in (*self._lowest.items, *self._flagged.items)}.values())

    def estimates(
        self, signature: Signature, bounds: tuple[float, float], *, by: str | None, plan: IntervalPlan
    ) -> Estimates:
        """Estimate the mean score of all items and of each group.

        Args:
            signature: signature of the scores.
            bounds: the least and the greatest score that the method can give.
            by: name of the column of groups; ``None`` without one.
            plan: how intervals are made.
        """
        return estimate_values(
            {"score": self.score},
            np.concatenate(self._status),
            bounds={"score": bounds},
            signature=signature,
            by=None if by is None else pl.Series(by, self._groups, pl.String),
            interval=plan.interval,
            method=plan.method,
            seed=plan.seed,
            replicates=plan.replicates,
        )

    def summary(  # noqa: PLR0913 - what items do not say themselves
        self,
        estimates: Estimates,
        *,
        bounds: tuple[float, float],
        weighs_findings: bool = False,
        source: str,
        columns: MatchColumns | None = None,
        separation: Separation | None = None,
        tokens: Mapping[int, pl.DataFrame] | None = None,
    ) -> MatchSummary:
        """Sum up everything that was taken.

        Args:
            estimates: made from the same items; the summary takes their signature.
            bounds: the least and the greatest score that the method can give.
            weighs_findings: whether findings of guards lower the scores.
            source: where the items come from.
            columns: names of the matched columns.
            separation: how far the scores stand above those of unrelated pairs.
            tokens: tables of tokens by row; ``None`` where nobody asked how scores came about.
        """
        score, status = self.score, np.concatenate(self._status)
        components = {name: np.concatenate(parts) for name, parts in self._components.items()}
        return MatchSummary(
            source=source,
            columns=columns,
            signature=estimates.signature,
            bounds=bounds,
            estimates=estimates,
            counts=count_statuses(status),
            n_windowed=self._n_windowed,
            n_empty_as_wrong=int((~np.isnan(score)).sum() - (~np.isnan(self.matched_score)).sum()),
            scores=score[~np.isnan(score)],
            group_scores=scores_by_group(score, self._groups) if self._groups else {},
            thirds=thirds(self.matched_score, components),
            guards=dict(sorted(self._guards.items())),
            n_flagged=self._n_flagged,
            n_unguarded=self._n_unguarded,
            n_by_text_alone=self._n_by_text_alone,
            weighs_findings=weighs_findings,
            lowest=_with_tokens(self._lowest.items, tokens),
            flagged=_with_tokens(self._flagged.items, tokens),
            left_out=self._left_out.examples,
            separation=separation,
            is_explained=tokens is not None,
            n_contradicted=_count_above(components, "contradiction", _LIKELY),
            n_cut=_count_above(components, "cut", 0.0) or 0,
            languages=self._languages.counts,
            unread_language=self._sampled_texts.unread_language(estimates.signature),
        )


def _by_text_alone(components: Mapping[str, Floats]) -> int:
    """Count the items whose words were not compared, as their two texts are in different languages."""
    if not components.keys() >= {"text", "context"}:
        return 0
    return int((np.isnan(components["context"]) & ~np.isnan(components["text"])).sum())


def _count_above(components: Mapping[str, Floats], name: str, bound: float) -> int | None:
    """Count the items with a part above a bound; ``None`` without such a part."""
    return int((components[name] > bound).sum()) if name in components else None


def _with_tokens(
    items: tuple[MatchedItem, ...], tokens: Mapping[int, pl.DataFrame] | None
) -> tuple[MatchedItem, ...]:
    return tuple(replace(item, tokens=(tokens or {}).get(item.row)) for item in items)
