"""What ``semscale match`` does between its options and its output: check, load, match, write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

import polars as pl

from semscale.cli.options.corpus import read_corpus
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import check_input, check_report, write_page
from semscale.cli.progress import progress_bars
from semscale.matching.match_columns import MatchCells, MatchColumns, read_cells
from semscale.matching.match_summary import MatchSummary
from semscale.matching.matcher import explain_items, match_with
from semscale.matching.matches import Matches
from semscale.matching.methods import PairMethod, Recipe, build_method, check_method, guards_for
from semscale.matching.separation import separate
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.atomic import check_writable
from semscale.store.reading import TableSettings, open_table
from semscale.store.result_columns import PREFIX, check_output
from semscale.store.writing import output_format, write_table
from semscale.types import Progress

EXPLAINED = 6
"""How many of the lowest scores are explained on the screen and in the report."""


@dataclass(frozen=True)
class MatchedFile:
    """What came of one call of ``semscale match``.

    Attributes:
        summary: what was measured.
        explained: for rows that were to be explained, their tokens.
        explain: whether explanations were asked for.
        out: where the matched table was written, if it was.
        report: where the report was written, if it was.
    """

    summary: MatchSummary
    explained: dict[int, pl.DataFrame] = field(default_factory=dict)
    explain: bool = False
    out: Path | None = None
    report: Path | None = None


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
        out: file for the matched table.
        report: file for the report.
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
    out: Path | None = None
    report: Path | None = None

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: an unknown method, or an extension, folder or file that does not serve.
        """
        check_method(self.method, self.model.engine)
        guards_for(self.method, self.guards)
        if self.out is not None:
            output_format(self.out)
            check_writable(self.out, "out")
        check_report(self.report)

    def on(self, file: str, **settings: Unpack[TableSettings]) -> MatchedFile:
        """Match a file, write what was asked for, and sum it up.

        Args:
            file: path of the table, or ``-``.
            settings: as ``open_table`` takes them.

        Raises:
            SemscaleError: what the table, the model or the method cannot do.
        """
        check_input(file, self.report)
        table = open_table(file, **settings)
        self.columns.check(table)
        if self.out is not None:
            check_output(table, self.out)
        cells = read_cells(table, self.columns)
        corpus = None if self.corpus is None else read_corpus(*self.corpus)
        with progress_bars() as progress:
            method = build_method(self.method, self._recipe(corpus, progress))
            guards = guards_for(self.method, self.guards)
            matches = match_with(
                method, cells.predictions, cells.references, guards=guards, progress=progress
            )
            summary = self._summary(table.name, cells, matches, method)
            explained = self._explained(method, summary, progress)
        if self.out is not None:
            write_table(self._written(summary, explained), self.out)
        if self.report is not None:
            from semscale.report.match_page import match_page

            write_page(self.report, match_page(summary, explained=explained))
        return MatchedFile(summary, explained, self.explain, self.out, self.report)

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

    def _summary(self, source: str, cells: MatchCells, matches: Matches, method: PairMethod) -> MatchSummary:
        plan = self.plan
        separation = separate(
            matches,
            cells.predictions,
            cells.references,
            lambda predictions, references: match_with(method, predictions, references),
            seed=plan.seed,
        )
        estimates = matches.estimate(
            by=cells.groups, interval=plan.interval, seed=plan.seed, replicates=plan.replicates
        )
        return MatchSummary(source, self.columns, cells, matches, estimates, plan.seed, separation)

    def _explained(
        self, method: PairMethod, summary: MatchSummary, progress: Progress | None
    ) -> dict[int, pl.DataFrame]:
        if not self.explain:
            return {}
        # A table has room for every row, the screen and the report only for the lowest scores.
        rows: Sequence[int] = range(summary.n) if self.out else summary.worst(EXPLAINED).tolist()
        if progress:
            progress("explaining", 0, None)
        cells = summary.cells
        return explain_items(method, cells.predictions, cells.references, summary.matches, rows)

    def _written(self, summary: MatchSummary, explained: dict[int, pl.DataFrame]) -> pl.DataFrame:
        result = summary.matches.to_frame()
        if explained:
            tokens = [explained[row].to_dicts() if row in explained else None for row in range(summary.n)]
            result = result.with_columns(pl.Series("tokens", tokens))
        return pl.concat([summary.cells.rows, result.rename(lambda name: PREFIX + name)], how="horizontal")
