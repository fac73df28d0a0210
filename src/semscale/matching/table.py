"""Matching of a table of any size, part by part."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.matching.matcher import Matcher, explain_items, match_with
from semscale.matching.matches import Matches, MatchTally
from semscale.matching.pairs import CorpusDependent, Explains, pair_up
from semscale.matching.settings import MatchColumns
from semscale.matching.summary import MatchSummary, draw_items, separate
from semscale.results.instrument import TableInstrument
from semscale.results.result import PRIVATE
from semscale.results.table_columns import Cells
from semscale.results.table_runs import PartSettings, measure_table
from semscale.stats.intervals import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.places import Target
from semscale.store.table import Table, pick_rows
from semscale.store.writing import PREFIX
from semscale.types import Integers, Progress

CORPUS_ROWS = 50_000
"""Number of rows for estimates of word weights and of the level of unrelated texts."""

_BEST_REFERENCE = f"{PREFIX}{PRIVATE}best_reference"
_EXPLAINED_TOGETHER = 1000  # rows, so that only so many have their tokens' tables in memory at once


def match_table(
    table: Table,
    columns: MatchColumns,
    matcher: Matcher,
    *,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> MatchSummary:
    """Match the predictions of a table with their references, write the matched table, and summarize it.

    Methods that estimate word weights or levels use the references of 50,000 rows drawn by the seed, or of
    all rows of a shorter file. With ``explain`` the written table has ``semscale_tokens`` for all rows, and
    the summary has the tokens of the items that it lists.

    Args:
        table: the input.
        columns: names of the columns.
        matcher: matches the rows.
        plan: how intervals are made, and the seed of all draws.
        out: the output, see ``measure_table``.
        settings: how the table is divided into parts, see ``measure_table``.
        progress: called as rows are matched, and while texts are read.

    Raises:
        InputError: as ``measure_table``, or a corpus that is too small for the method.
        StoppedByUserError: stopped by the user; finished parts are stored.
        ModelError: the model cannot be run; finished parts are stored.
    """
    instrument = MatchTable(
        columns, matcher, plan or IntervalPlan(), explains_rows=out is not None, progress=progress
    )
    return measure_table(table, instrument, out=out, settings=settings, progress=progress)


class MatchTable(TableInstrument[Matches, MatchSummary]):
    """Matching of a table, part by part, for ``measure_table``.

    Args:
        columns: names of the columns.
        matcher: matches the rows.
        plan: how intervals are made, and the seed of all draws.
        explains_rows: whether to explain the scores of all rows, if the matcher explains.
        corpus: references for the method's estimates, if they are known already.
        progress: called while texts are read.
    """

    stage = "matching"
    result = Matches
    private = (_BEST_REFERENCE,)

    def __init__(
        self,
        columns: MatchColumns,
        matcher: Matcher,
        plan: IntervalPlan,
        *,
        explains_rows: bool = False,
        corpus: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.columns: MatchColumns = columns.with_preparation(matcher.settings)
        self.corpus = corpus
        self.explains_rows = explains_rows and matcher.settings.explain
        self._matcher, self._plan, self._progress = matcher, plan, progress
        self._sample = RowSample[list[str]](CORPUS_ROWS, plan.seed)
        self._tally: MatchTally | None = None
        if corpus is not None:
            self._estimate_from(corpus)

    def key(self) -> dict[str, str]:
        """Return the fields of the signature, and whether rows are explained."""
        return {
            "explain": "yes" if self.explains_rows else "no",
            **dict(self._matcher.signature.fields),
        }

    def inspect(self, cells: Cells) -> None:
        """Draw references, if the method makes estimates from them."""
        if self._needs_corpus:
            pairs = pair_up(cells["prediction"], cells["reference"])
            texts: dict[int, list[str]] = {}
            for row, reference in zip(pairs.item.tolist(), pairs.reference.tolist(), strict=True):
                texts.setdefault(cells.first_row + row, []).append(pairs.texts[reference])
            self._sample.add(texts.items())

    def start(self, table: Table) -> None:
        """Make the method's estimates from the references that were drawn."""
        self._table = table
        if self._needs_corpus:
            self.corpus = [text for references in self._sample.items for text in references]
            self._estimate_from(self.corpus)

    def measure(self, cells: Cells) -> Matches:
        """Match some rows."""
        return self._matcher.match_prepared(cells["prediction"], cells["reference"], progress=self._progress)

    def further_columns(self, cells: Cells, result: Matches) -> list[pl.Series]:
        """Return the reference of each score, and the tokens of all rows if they are requested."""
        best = [
            None if position < 0 else references[position]
            for position, references in zip(result.reference.tolist(), cells["reference"], strict=True)
        ]
        return [pl.Series(_BEST_REFERENCE, best, pl.String, strict=False), *self._tokens(cells, result)]

    def _tokens(self, cells: Cells, result: Matches) -> list[pl.Series]:
        if not self.explains_rows:
            return []
        if self._progress:
            self._progress("explaining", 0, None)
        blocks = []
        for start in range(0, len(result), _EXPLAINED_TOGETHER):
            rows = slice(start, start + _EXPLAINED_TOGETHER)
            matches = result[rows]
            texts = cells["prediction"][rows], cells["reference"][rows]
            tokens = explain_items(self._matcher.pair_method, *texts, matches, range(len(matches)))
            structs = [tokens[row].to_struct() if row in tokens else None for row in range(len(matches))]
            blocks.append(pl.Series(f"{PREFIX}tokens", structs, None if tokens else pl.Null))
        explained = [block.dtype for block in blocks if block.dtype != pl.Null]
        return [pl.concat([block.cast(explained[0]) for block in blocks])] if explained else []

    def add(self, cells: Cells, result: Matches) -> None:
        """Add a part to the summary."""
        if self._tally is None:
            self._tally = MatchTally(result, by=self.columns.grouping, seed=self._plan.seed)
        # Cells of mixed lists are stored as text, so a position in the list no longer names its reference.
        best = cells.rows[_BEST_REFERENCE].to_list()
        references = [
            listed if text is None else [text] for text, listed in zip(best, cells["reference"], strict=True)
        ]
        result = replace(result, reference=np.minimum(result.reference, 0))
        self._tally.add(result, cells["prediction"], references, cells.get("by"))

    def summary(self) -> MatchSummary:
        """Summarize all parts, and match predictions with the references of other rows."""
        if self._tally is None:
            raise InputError(f"{self._table.name} has no rows")
        rows, score = self._tally.sampled_scores
        drawn = draw_items(score, self._plan.seed)
        predictions, references = self._texts_of(rows, drawn.tolist())
        method = self._matcher.pair_method
        separation = separate(
            score,
            predictions,
            references,
            lambda texts, others: match_with(method, texts, others).score,
            seed=self._plan.seed,
        )
        return self._tally.summary(
            self._plan,
            self._table.file_name,
            columns=self.columns,
            separation=separation,
            tokens=self._tokens_of_shown(self._tally) if self._matcher.settings.explain else None,
        )

    @property
    def _needs_corpus(self) -> bool:
        method = self._matcher.pair_method
        return self.corpus is None and isinstance(method, CorpusDependent) and not method.has_corpus

    def _estimate_from(self, corpus: Sequence[str]) -> None:
        method = self._matcher.pair_method
        if isinstance(method, CorpusDependent):
            self._matcher = self._matcher.with_method(method.over(corpus))

    def _tokens_of_shown(self, tally: MatchTally) -> dict[int, pl.DataFrame]:
        method, items = self._matcher.pair_method, tally.shown
        if not isinstance(method, Explains) or not items:
            return {}
        pairs = pair_up([item.prediction for item in items], [item.reference for item in items])
        tokens = method.explain(pairs, range(len(items)))
        return {item.row: table for item, table in zip(items, tokens, strict=True)}

    def _texts_of(self, rows: Integers, drawn: Sequence[int]) -> tuple[dict[int, Any], dict[int, list[Any]]]:
        """Read the predictions and references of drawn rows again, by their positions in ``rows``."""
        numbers = {int(rows[position]): position for position in drawn}
        predictions: dict[int, Any] = {}
        references: dict[int, list[Any]] = {}
        for batch, picked in pick_rows(self._table, np.array(sorted(numbers), np.int64), self.columns.titles):
            cells = self.columns.read(batch)
            positions = [numbers[row] for row in picked.tolist()]
            predictions.update(zip(positions, cells["prediction"], strict=True))
            references.update(zip(positions, cells["reference"], strict=True))
        return predictions, references
