"""What ``semscale match`` does between its options and its output: check, load, match, write."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Unpack

import polars as pl

from semscale.cli.options.corpus import read_corpus
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.matching.match_columns import MatchCells, MatchColumns, read_cells
from semscale.matching.match_summary import MatchSummary
from semscale.matching.matched_items import lowest_rows
from semscale.matching.matcher import explain_items, match_with
from semscale.matching.matches import Matches
from semscale.matching.methods import PairMethod, Recipe, build_method, check_method, guards_for
from semscale.matching.separation import separate
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.reading import TableSettings, open_table
from semscale.store.result_columns import PREFIX, check_output
from semscale.store.writing import write_table
from semscale.types import Progress

EXPLAINED = 6
"""How many of the lowest scores are explained on the screen and in the report."""


@dataclass(frozen=True)
class MatchRun:
    """One call of ``semscale match``.

    Attributes:
        columns: which column is what.
        method: of matching.
        model: which model.
        plan: how intervals are made, and the seed of all that is random.
        corpus: file and column of the corpus, if one is named.
        explain: whether explanations are wanted.
        guards: modes of guards that shall do otherwise than the method has it.
        recall_share: for ``calibrated``.
        layer: for ``bertscore``.
        outputs: files to write.
    """

    columns: MatchColumns
    method: str
    model: ModelChoice
    plan: IntervalPlan
    corpus: tuple[str, str | None] | None = None
    explain: bool = False
    guards: Mapping[str, str] = field(default_factory=dict)
    recall_share: float | None = None
    layer: int | None = None
    outputs: Outputs = Outputs()

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: an unknown method, or an extension, folder or file that does not serve.
        """
        check_method(self.method, self.model.engine)
        guards_for(self.method, self.guards)
        self.outputs.check()

    def on(self, file: str, **settings: Unpack[TableSettings]) -> MatchSummary:
        """Match a file, write its table, and sum it up.

        Args:
            file: path of the table, or ``-``.
            settings: as ``open_table`` takes them.

        Raises:
            SemscaleError: what the table, the model or the method cannot do.
        """
        self.outputs.check_input(file)
        table = open_table(file, **settings)
        self.columns.check(table)
        if self.outputs.out is not None:
            check_output(table, self.outputs.out)
        cells = read_cells(table, self.columns)
        corpus = None if self.corpus is None else read_corpus(*self.corpus)
        with progress_bars() as progress:
            method = build_method(self.method, self._recipe(corpus, progress))
            guards = guards_for(self.method, self.guards)
            matches = match_with(
                method, cells.predictions, cells.references, guards=guards, progress=progress
            )
            tokens = self._tokens(method, cells, matches, progress)
            summary = self._summary(table.name, cells, method, matches, tokens)
        if self.outputs.out is not None:
            write_table(_written(cells.rows, matches, tokens), self.outputs.out)
        return summary

    def _recipe(self, corpus: list[str] | None, progress: Progress | None) -> Recipe:
        return Recipe(
            self.model.chosen_name,
            self.model.precision,
            corpus,
            self.plan.seed,
            self.model.loading(progress),
            guards_for(self.method, self.guards),
            self.recall_share,
            self.layer,
        )

    def _summary(
        self,
        source: str,
        cells: MatchCells,
        method: PairMethod,
        matches: Matches,
        tokens: Mapping[int, pl.DataFrame] | None,
    ) -> MatchSummary:
        plan = self.plan
        separation = separate(
            matches.score,
            cells.predictions,
            cells.references,
            lambda predictions, references: match_with(method, predictions, references).score,
            seed=plan.seed,
        )
        return matches.summarize(
            cells.predictions,
            cells.references,
            by=None if cells.groups is None else pl.Series(self.columns.by, cells.groups, pl.String),
            source=source,
            columns=self.columns,
            separation=separation,
            tokens=tokens,
            interval=plan.interval,
            method=plan.method,
            seed=plan.seed,
            replicates=plan.replicates,
        )

    def _tokens(
        self, method: PairMethod, cells: MatchCells, matches: Matches, progress: Progress | None
    ) -> dict[int, pl.DataFrame] | None:
        """Explain every row for a table, and the lowest scores for the screen and the report."""
        if not self.explain:
            return None
        rows = range(len(matches)) if self.outputs.out else lowest_rows(matches.score, EXPLAINED).tolist()
        if progress:
            progress("explaining", 0, None)
        return explain_items(method, cells.predictions, cells.references, matches, rows)


def _written(rows: pl.DataFrame, matches: Matches, tokens: Mapping[int, pl.DataFrame] | None) -> pl.DataFrame:
    result = matches.to_frame()
    if tokens:
        listed = [tokens[row].to_dicts() if row in tokens else None for row in range(len(matches))]
        result = result.with_columns(pl.Series("tokens", listed))
    return pl.concat([rows, result.rename(lambda name: PREFIX + name)], how="horizontal")
