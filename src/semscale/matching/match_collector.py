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
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.stats.sampling import SAMPLED_ROWS, ColumnSample
from semscale.types import Floats, Integers, Status

_LIKELY = 0.5  # probability above which something is more likely than not

# Columns of the sample. Those of the scores' parts have this before their names.
_SCORE, _MATCHED, _GROUP, _PART = "score", "matched", "group", "part "


class MatchCollector:
    """Takes matched items in order, in parts of any size; keeps the numbers and texts that a report shows.

    Files and matches in memory both go through it, so the same items give the same report. Of more than
    100,000 items, scores are kept of a sample, so that memory does not grow with them.

    Args:
        seed: seed of the sample.
    """

    def __init__(self, seed: int = 0) -> None:
        self.n = 0
        self._counts: Counter[Status] = Counter()
        self._sample = ColumnSample(SAMPLED_ROWS, seed)
        self._names: dict[str | None, int] = {}
        self._n_windowed = self._n_empty_as_wrong = 0
        self._above: dict[str, int] = {}
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
        self._take_numbers(items, np.where(is_matched, items.score, np.nan))
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

    def _take_numbers(self, items: ItemColumns, matched: Floats) -> None:
        self._counts.update(items.status.tolist())
        self._n_empty_as_wrong += int((~np.isnan(items.score)).sum() - (~np.isnan(matched)).sum())
        for name, bound in (("contradiction", _LIKELY), ("cut", 0.0)):
            if name in items.components:
                n = int((items.components[name] > bound).sum())
                self._above[name] = self._above.get(name, 0) + n
        columns = {_SCORE: items.score, _MATCHED: matched}
        if items.groups:
            known = self._names
            columns[_GROUP] = np.array([known.setdefault(name, len(known)) for name in items.groups])
        parts = {_PART + name: values for name, values in items.components.items()}
        self._sample.add(columns | parts)

    @property
    def matched_sample(self) -> tuple[Integers, Floats]:
        """Rows of the sample, and their scores where their texts were compared, NaN elsewhere."""
        return self._sample.rows, self._sample.columns[_MATCHED]

    @property
    def shown(self) -> tuple[MatchedItem, ...]:
        """Items that the summary will show."""
        return tuple({item.row: item for item in (*self._lowest.items, *self._flagged.items)}.values())

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
        sample = self._sample.columns
        score = sample[_SCORE]
        components = {
            name.removeprefix(_PART): values for name, values in sample.items() if name.startswith(_PART)
        }
        return MatchSummary(
            source=source,
            columns=columns,
            signature=estimates.signature,
            bounds=bounds,
            estimates=estimates,
            counts={status: self._counts[status] for status in Status if self._counts[status]},
            n_windowed=self._n_windowed,
            n_empty_as_wrong=self._n_empty_as_wrong,
            scores=score[~np.isnan(score)],
            group_scores=self._group_scores(score, sample.get(_GROUP)),
            thirds=thirds(sample[_MATCHED], components),
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
            n_contradicted=self._above.get("contradiction"),
            n_cut=self._above.get("cut", 0),
            languages=self._languages.counts,
            unread_language=self._sampled_texts.unread_language(estimates.signature),
        )

    def _group_scores(self, score: Floats, groups: Integers | None) -> dict[str | None, Floats]:
        """Give the sampled scores of each group; empty without groups."""
        if groups is None:
            return {}
        names = list(self._names)
        return scores_by_group(score, [names[group] for group in groups.tolist()])


def _by_text_alone(components: Mapping[str, Floats]) -> int:
    """Count the items whose words were not compared, as their two texts are in different languages."""
    if not components.keys() >= {"text", "context"}:
        return 0
    return int((np.isnan(components["context"]) & ~np.isnan(components["text"])).sum())


def _with_tokens(
    items: tuple[MatchedItem, ...], tokens: Mapping[int, pl.DataFrame] | None
) -> tuple[MatchedItem, ...]:
    return tuple(replace(item, tokens=(tokens or {}).get(item.row)) for item in items)
