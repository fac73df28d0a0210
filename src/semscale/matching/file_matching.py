"""Matching of files of any size: part by part, resumable, in the order of the rows."""

from dataclasses import replace

import polars as pl

from semscale.guards.registry import Guards
from semscale.matching.empty_predictions import MISSING, check_empty
from semscale.matching.match_columns import CellChecks, MatchCells, MatchColumns, match_cells
from semscale.matching.match_summary import MatchSummary
from semscale.matching.match_work import MatchWork
from semscale.matching.methods import CorpusDependent, PairMethod, check_explaining
from semscale.matching.pairs import pair_up
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.first_look import look_through, needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_output
from semscale.store.runs.table_run import PartSettings, TableRun
from semscale.store.table import Table
from semscale.types import Progress

CORPUS_ROWS = 50_000
"""Rows from whose references word weights and the level of unrelated texts are estimated."""


def match_file(  # noqa: PLR0913 - what, by which method, how, where to, and who is told
    table: Table,
    columns: MatchColumns,
    *,
    method: PairMethod,
    guards: Guards | None = None,
    empty: str = MISSING,
    explain: bool = False,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> MatchSummary:
    """Match the predictions of a table with their references, write the matched table, and sum it up.

    The matched table has the input's columns and rows in their order, then those of ``Matches.to_frame`` with
    the prefix ``semscale_``, and ``semscale_tokens`` with explanations.

    All cells are checked first, before any model reads a text. A method that estimates word weights or levels
    from the file's references takes those of 50,000 rows, drawn by the seed; of a shorter file those of all
    rows. Finished parts are kept as ``TableRun`` describes.

    Args:
        table: the input.
        columns: names of the columns.
        method: scores pairs, such as ``Matcher.pair_method``.
        guards: check the pair from which each score comes; by default no findings are reported.
        empty: whether a row whose prediction is missing or empty has no score (``missing``), or counts as
            ``wrong`` with the score 0.
        explain: whether scores are explained token by token, by a method that ``Explains``: in the table
            those of all rows, in the summary those of its items.
        plan: how intervals are made, and the seed of all draws.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts.
        progress: called as rows are matched, and while texts are read.

    Returns:
        Numbers of all rows, and the items to look at; texts of other rows are not kept in memory.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a broken list, more
            than 100,000 groups, a corpus that is too small for the method, a method that explains nothing
            with ``explain``, an output that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
    """
    check_empty(empty)
    if explain:
        check_explaining(method)
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if out is not None:
        check_output(table, out)
    checks, sample = CellChecks(columns), RowSample[list[str]](CORPUS_ROWS, plan.seed)
    needs_corpus = isinstance(method, CorpusDependent) and not method.has_corpus

    def look(batch: pl.DataFrame, first_row: int) -> None:
        cells = match_cells(batch, columns, first_row)
        checks.add(cells)
        if needs_corpus:
            sample.add(_references(cells, first_row))

    table = look_through(table, columns.titles, settings.part_rows, look, counting=needs_counting(table, out))
    checks.finish()
    corpus = None
    if isinstance(method, CorpusDependent) and needs_corpus:
        corpus = [text for references in sample.items for text in references]
        method = method.over(corpus)
    work = MatchWork(
        table,
        columns,
        method,
        guards,
        plan,
        empty=empty,
        explain=explain,
        explains_rows=explain and out is not None,
        progress=progress,
        corpus=corpus,
    )
    return replace(TableRun(table, settings, progress).of(work, out), input_notes=table.notes)


def _references(cells: MatchCells, first_row: int) -> list[tuple[int, list[str]]]:
    """List the references of each row that can be matched, with its place."""
    pairs = pair_up(cells.predictions, cells.references)
    texts: dict[int, list[str]] = {}
    for row, reference in zip(pairs.item.tolist(), pairs.reference.tolist(), strict=True):
        texts.setdefault(first_row + row, []).append(pairs.texts[reference])
    return list(texts.items())
