"""Summary of matches: estimates, scores, findings, and the items to look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semscale.embedding.languages.language_counts import LanguageCount
from semscale.embedding.languages.unread_language import UnreadLanguage
from semscale.matching.match_columns import MatchColumns
from semscale.matching.matched_items import MatchedItem
from semscale.matching.separation import Separation
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, summary_in_words
from semscale.signature import Signature
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Floats, Status

KEPT = 20
"""Items with the lowest scores, and items with findings, that a summary keeps."""


@dataclass(frozen=True, repr=False)
class MatchSummary(Presentable):
    """Summary of n matched items.

    Attributes:
        source: where the items come from.
        columns: names of the matched columns; ``None`` for texts in memory.
        signature: the settings that were applied, those of the estimates included.
        bounds: the least and the greatest score that the method can give.
        estimates: mean scores with intervals, of all items and of each group.
        counts: items by status.
        n_windowed: items with a text that was read in windows.
        n_empty_as_wrong: empty predictions that count as wrong, with the score 0.
        scores: shape (items that are scored,); of more than 100,000 items those of a sample of 100,000.
        group_scores: likewise of each group that the sample has; ``None`` is the group of items without one.
        thirds: mean of the score and of each of its parts in the lowest, middle and highest third of items;
            empty without parts, and with fewer than 6 scored items.
        guards: how many items each guard found something in, by its name.
        n_flagged: how many items some guard found something in; ``None`` where no guard looked.
        n_unguarded: items that guards passed over, as they read English alone.
        n_by_text_alone: items whose two texts are in different languages, so that their words did not count.
        weighs_findings: whether findings of guards lower the scores.
        lowest: items with the lowest scores, the lowest first, at most 20.
        flagged: items with findings, the highest score first, at most 20.
        left_out: for each reason why items have no score, a few of them: row, counted from 0, and text.
        separation: how far the scores stand above those of unrelated pairs, where that is known.
        is_explained: whether it was asked how the lowest scores came about.
        n_contradicted: items with a sentence that the other text contradicts, by a probability above one
            half; ``None`` where the method does not say it.
        n_cut: items with sentences that were too long for the method's model, which read their beginnings.
        languages: rows by the languages of prediction and reference, the most frequent first; empty where
            the texts are not known.
        unread_language: the language of most texts, if the model does not read it.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: when.
    """

    source: str
    columns: MatchColumns | None
    signature: Signature
    bounds: tuple[float, float]
    estimates: Estimates
    counts: dict[Status, int]
    n_windowed: int
    n_empty_as_wrong: int
    scores: Floats
    group_scores: Mapping[str | None, Floats]
    thirds: Mapping[str, tuple[float, float, float]]
    guards: dict[str, int]
    n_flagged: int | None
    n_unguarded: int
    n_by_text_alone: int
    weighs_findings: bool
    lowest: tuple[MatchedItem, ...]
    flagged: tuple[MatchedItem, ...]
    left_out: Mapping[str, tuple[tuple[int, str], ...]]
    separation: Separation | None = None
    is_explained: bool = False
    n_contradicted: int | None = None
    n_cut: int = 0
    languages: tuple[LanguageCount, ...] = ()
    unread_language: UnreadLanguage | None = None
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n(self) -> int:
        """How many items there are, with or without a score."""
        return sum(self.counts.values())

    @property
    def is_sampled(self) -> bool:
        """Whether ``scores``, ``group_scores``, ``thirds`` and the separation are those of a sample."""
        return self.n > SAMPLED_ROWS

    @property
    def n_across(self) -> int:
        """How many rows have two texts that are clearly in different languages."""
        return sum(found.rows for found in self.languages if found.is_across)

    @property
    def method(self) -> str:
        """The method's name, as the signature has it; BERTScore is an instrument of its own."""
        instrument = self.signature.instrument
        return dict(self.signature.fields)["method"] if instrument == "match" else instrument

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
            "unread_language": self.unread_language,
            "languages": [found.record("prediction", "reference") for found in self.languages],
            "across_languages": self.n_across,
            "windowed": self.n_windowed,
            "empty_as_wrong": self.n_empty_as_wrong,
            "estimates": self.estimates,
            "bounds": self.bounds,
            "guards": self.guards,
            "unguarded": self.n_unguarded,
            "by_text_alone": self.n_by_text_alone,
            "contradicted": self.n_contradicted,
            "cut": self.n_cut,
            "separation": None
            if separation is None
            else {
                "share_above": separation.share,
                "unrelated_pairs": len(separation.unrelated),
                "unrelated_mean": separation.unrelated.mean(),
            },
            "lowest": [item.record() for item in self.lowest],
            "signature": self.signature,
            "created": self.created,
        }

    def __repr__(self) -> str:
        scored = self.estimates.overall.n
        return summary_in_words("MatchSummary", self.source, self.n, scored, self.estimates)
