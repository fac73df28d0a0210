"""BERTScores of items: precision, recall and F1."""

from dataclasses import dataclass, replace
from typing import Annotated, Unpack

import numpy as np

from semscale.matching.matches import Matches
from semscale.matching.summary import MatchSummary, MatchTally, texts_of
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, IntervalSettings, estimate_values
from semscale.results.result import Result
from semscale.results.result_columns import COUNTS, FLOATS, POSITIONS, STATUSES
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.columns import as_names
from semscale.types import Floats, Integers, Mask, Statuses


@dataclass(frozen=True)
class BertPairScores:
    """Scores of p pairs of one prediction and one reference.

    Attributes:
        values: shape (p, 3): precision, recall and F1; NaN where no token has a weight.
        windows: shape (p,), the most windows that one of the pair's two texts was read in.
        unread: shape (p,), whether the model cannot read one of the pair's two texts.
        signature: the settings that were applied.
    """

    values: Floats
    windows: Integers
    unread: Mask
    signature: Signature


@dataclass(frozen=True, repr=False)
class BertScores(Result):
    """BERTScores of n items, in the order of the items.

    Attributes:
        precision: shape (n,), how far what the prediction says is in the reference; NaN where there is none.
        recall: shape (n,), how far what the reference says is in the prediction; NaN likewise.
        f1: shape (n,), the harmonic mean of the two; NaN likewise. Of several references each of the three
            is the highest one by itself.
        status: shape (n,), each a ``Status``: why each item has scores, or has none.
        reference: shape (n,), which of its references the F1 is from, counted from 0; -1 where none.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where none.
        signature: the settings that were applied.
        bounds: the least and the greatest score that there can be; rescaled ones go lower.
    """

    precision: Annotated[Floats, FLOATS]
    recall: Annotated[Floats, FLOATS]
    f1: Annotated[Floats, FLOATS]
    status: Annotated[Statuses, STATUSES]
    reference: Annotated[Integers, POSITIONS]
    windows: Annotated[Integers, COUNTS]
    signature: Signature
    bounds: tuple[float, float] = (-1.0, 1.0)

    header_fields = ("bounds",)

    def with_zeros(self) -> "BertScores":
        """Put 0 where an item has no score, as ``bert_score`` does; the status still says why."""
        filled = {name: np.nan_to_num(getattr(self, name), nan=0.0) for name in _FIGURES}
        return replace(self, **filled)

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate mean precision, recall and F1 of all items and of each group; F1 is the main one.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            {name: getattr(self, name) for name in _FIGURES},
            self.status,
            bounds=dict.fromkeys(_FIGURES, self.bounds),
            main="f1",
            signature=self.signature,
            **settings,
        )

    def summarize(
        self,
        predictions: object = None,
        references: object = None,
        *,
        by: object = None,
        source: str = "texts in memory",
        **intervals: Unpack[IntervalSettings],
    ) -> MatchSummary:
        """Sum the scores up, with F1 as the score; reports, documents and JSON come from the summary.

        Args:
            predictions: shape (n,), as they were scored, to be shown beside their scores.
            references: shape (n,), likewise; of several the one that the F1 is from is shown.
            by: shape (n,), names of groups.
            source: where the items come from, such as the name of a file.
            intervals: how intervals are made, such as ``interval`` and ``seed``.

        Raises:
            InputError: a column of the wrong length, or a setting out of range.
        """
        parts = {"precision": self.precision, "recall": self.recall}
        scored = Matches(
            self.f1, self.status, self.reference, self.windows, self.signature, parts, bounds=self.bounds
        )
        names = None if by is None else as_names(texts_of(by, "by", self.n), "by")
        title = None if names is None else getattr(by, "name", None) or ""
        tally = MatchTally(scored, by=title, figures=_FIGURES, score="f1")
        tally.add(
            scored,
            texts_of(predictions, "predictions", self.n),
            texts_of(references, "references", self.n),
            names,
        )
        return tally.summary(IntervalPlan(**intervals), source)

    def _short_summary(self) -> MatchSummary:
        return self.summarize()


_FIGURES = ("precision", "recall", "f1")
