"""Matching of a table's rows part by part, as a run over a table needs it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from semscale.guards.findings import Finding
from semscale.guards.registry import Guards
from semscale.matching.empty_predictions import MISSING, empty_settings, with_empty_as
from semscale.matching.match_collector import MatchCollector
from semscale.matching.match_columns import MatchCells, MatchColumns, match_cells
from semscale.matching.match_summary import MatchSummary
from semscale.matching.matched_items import ItemColumns
from semscale.matching.matcher import explain_items, match_with
from semscale.matching.matches import Matches
from semscale.matching.methods import Explains, PairMethod
from semscale.matching.pair_languages import with_guards, with_read_languages
from semscale.matching.pairs import pair_up
from semscale.matching.separation import drawn_items, separate
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.store.columns import floats_in, statuses_in
from semscale.store.result_columns import check_free
from semscale.store.row_picking import picked_rows
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Integers, Progress

# Columns of a part that its run keeps for itself: the reference that counted, and what findings leave of a
# score, in whose place the table has the findings.
_BEST, _LEFT = f"{PREFIX}best_reference", f"{PREFIX}left_by_findings"
_FINDINGS = "findings"

_EXPLAINED_TOGETHER = 1000  # rows, so that only so many have their tokens' tables in memory at once


@dataclass
class MatchWork:
    """Matches the rows of a table part by part, and sums the parts up.

    Attributes:
        table: the input.
        columns: names of the columns.
        method: scores pairs; its estimates must not depend on the part.
        guards: check the pair from which each score comes; ``None`` for no findings.
        plan: how intervals are made, and the seed of all draws.
        empty: what empty predictions count as: ``missing`` or ``wrong``.
        explain: whether the items that the summary shows are explained token by token.
        explains_rows: whether every row is.
        progress: called while texts are read.
        corpus: texts from which the method's estimates were made; ``None`` for those that it came with.
        collector: takes the parts.
        tallies: sums the scores of all parts up.
    """

    table: Table
    columns: MatchColumns
    method: PairMethod
    guards: Guards | None
    plan: IntervalPlan
    empty: str = MISSING
    explain: bool = False
    explains_rows: bool = False
    progress: Progress | None = None
    corpus: list[str] | None = None
    collector: MatchCollector = field(init=False)
    tallies: Tallies | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    stage = "matching"
    kept = ""
    private = (_BEST, _LEFT)

    def __post_init__(self) -> None:
        self.collector = MatchCollector(self.plan.seed)

    def key(self) -> dict[str, str]:
        """Name the columns and the fields of the signature."""
        signature = with_read_languages(self.method.signature)
        if self.guards is not None:
            signature = with_guards(signature, self.guards)
        return {
            "prediction": self.columns.prediction,
            "reference": ", ".join(self.columns.references),
            "explain": "yes" if self.explains_rows else "no",
            **dict(signature.extended(empty_settings(self.empty)).fields),
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Match the rows after the first ``skip`` ones."""
        first_row = skip
        for batch in self.table.batches(size, skip):
            yield self.part(batch, first_row)
            first_row += batch.height

    def part(self, batch: pl.DataFrame, first_row: int) -> WorkedPart:
        """Match some rows; the first has this number in the table, from 0."""
        check_free(batch.columns, self.table.name)
        cells = match_cells(batch, self.columns, first_row)
        matches = match_with(
            self.method, cells.predictions, cells.references, guards=self.guards, progress=self.progress
        )
        matches = with_empty_as(self.empty, matches, cells.references)
        found = matches.to_frame().rename(lambda name: PREFIX + name)
        best = [None if at < 0 else cells.references[row][at] for row, at in enumerate(matches.reference)]
        kept = [pl.Series(_BEST, best, pl.String)]
        if _FINDINGS in matches.components:
            kept.append(pl.Series(_LEFT, matches.components[_FINDINGS]))
        found = found.with_columns(*kept, *self._tokens(cells, matches))
        signature = matches.signature
        notes = {
            "components": list(matches.components),
            "bounds": list(matches.bounds),
            "weighs_findings": matches.weighs_findings,
            "signature": [signature.instrument, [list(named) for named in signature.fields]],
        }
        return WorkedPart(pl.concat([cells.rows, found], how="horizontal"), notes)

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part."""
        self.notes = notes
        cells, best = match_cells(frame, self.columns, self.collector.n), frame[_BEST].to_list()
        guards = _guards_in(frame)

        def findings(place: int) -> tuple[Finding, ...]:
            if self.guards is None or best[place] is None or guards[place] is None:
                return ()
            return tuple(self.guards.check(str(cells.predictions[place]), best[place]))

        items = ItemColumns(
            score=floats_in(frame[f"{PREFIX}score"]),
            status=statuses_in(frame[f"{PREFIX}status"]),
            reference=np.array([-1 if text is None else 0 for text in best], np.int64),
            windows=frame[f"{PREFIX}windows"].to_numpy(),
            components={
                name: floats_in(frame[_LEFT if name == _FINDINGS else PREFIX + name])
                for name in notes["components"]
            },
            guards=guards,
            findings=findings,
            predictions=cells.predictions,
            references=[
                given if text is None else [text] for text, given in zip(best, cells.references, strict=True)
            ],
            groups=cells.groups or (),
        )
        self.collector.add(items)
        self._tallied(notes).add(
            items.score[:, None],
            items.status,
            by=None if cells.groups is None else pl.Series(self.columns.by, cells.groups, pl.String),
        )

    def summary(self) -> MatchSummary:
        """Sum all parts up, and match predictions with the references of other rows."""
        low, high = self.notes["bounds"]
        seed = self.plan.seed
        rows, score = self.collector.matched_sample
        drawn = drawn_items(score, seed).tolist()
        cells = self._cells_of(rows[drawn])
        plan = self.plan
        return self.collector.summary(
            self._tallied(self.notes).estimates(
                interval=plan.interval, method=plan.method, seed=seed, replicates=plan.replicates
            ),
            bounds=(low, high),
            weighs_findings=self.notes["weighs_findings"],
            source=self.table.name,
            columns=self.columns,
            separation=separate(
                score,
                {place: cells[int(rows[place])][0] for place in drawn},
                {place: cells[int(rows[place])][1] for place in drawn},
                lambda ours, theirs: match_with(self.method, ours, theirs).score,
                seed=seed,
            ),
            tokens=self._tokens_of_shown(),
        )

    def _tallied(self, notes: Mapping[str, Any]) -> Tallies:
        if self.tallies is None:
            instrument, fields = notes["signature"]
            low, high = notes["bounds"]
            signature = Signature(instrument, tuple((name, value) for name, value in fields))
            self.tallies = Tallies([value_figure("score", (low, high))], signature)
        return self.tallies

    def late(self, start: int, stop: int) -> None:
        """Every column is there as soon as its rows are matched."""

    def _tokens(self, cells: MatchCells, matches: Matches) -> list[pl.Series]:
        if not self.explains_rows:
            return []
        if self.progress:
            self.progress("explaining", 0, None)
        blocks = []
        for start in range(0, len(matches), _EXPLAINED_TOGETHER):
            own = slice(start, start + _EXPLAINED_TOGETHER)
            some = matches[own]
            tokens = explain_items(
                self.method, cells.predictions[own], cells.references[own], some, range(len(some))
            )
            listed = [tokens[row].to_struct() if row in tokens else None for row in range(len(some))]
            blocks.append(pl.Series(f"{PREFIX}tokens", listed, None if tokens else pl.Null))
        explained = [block.dtype for block in blocks if block.dtype != pl.Null]
        return [pl.concat([block.cast(explained[0]) for block in blocks])] if explained else []

    def _tokens_of_shown(self) -> dict[int, pl.DataFrame] | None:
        if not self.explain:
            return None
        items = self.collector.shown
        if not isinstance(self.method, Explains) or not items:
            return {}
        pairs = pair_up([item.prediction for item in items], [item.reference for item in items])
        tokens = self.method.explain(pairs, range(len(items)))
        return {item.row: table for item, table in zip(items, tokens, strict=True)}

    def _cells_of(self, rows: Integers) -> dict[int, tuple[Any, list[Any]]]:
        """Read some rows once more: the prediction of each, and its references."""
        found: dict[int, tuple[Any, list[Any]]] = {}
        for batch, places in picked_rows(self.table, np.sort(rows), self.columns.titles):
            cells = match_cells(batch, self.columns)
            both = zip(cells.predictions, cells.references, strict=True)
            found |= zip(places.tolist(), both, strict=True)
        return found


def _guards_in(frame: pl.DataFrame) -> list[set[str] | None]:
    """Name the guards that found something in each row, ``None`` where none looked; empty without guards."""
    title = PREFIX + _FINDINGS
    if not isinstance(frame.schema.get(title), pl.List):
        return []
    return [None if found is None else {one["guard"] for one in found} for found in frame[title].to_list()]
