"""Groundedness of the answers of a file in the passages beside them: part by part, resumable."""

import polars as pl

from semscale.answer_consistency.claims.claim_support import ClaimJudge
from semscale.answer_consistency.claims.grounding_summary import GroundingSummary
from semscale.answer_consistency.claims.grounding_work import GroundingWork
from semscale.answer_consistency.claims.long_answers import passage_sentences
from semscale.matching.matcher import CORPUS_ROWS
from semscale.matching.settings import GroundingColumns
from semscale.results.table_columns import CellChecks
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.first_look import look_through, needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_output
from semscale.store.runs.table_run import PartSettings, TableRun
from semscale.store.table import Table
from semscale.types import Progress


def groundedness_file(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: GroundingColumns,
    *,
    judge: ClaimJudge,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> GroundingSummary:
    """Judge each sentence of a table's answers by the passages beside it, write the table, and sum it up.

    The written table has the input's columns and rows in their order, then those of
    ``JudgedAnswers.to_frame`` with the prefix ``semscale_``.

    All cells are checked first. Word weights and the level of unrelated texts, which a judge without a model
    of entailment estimates, are from the sentences of 50,000 rows' passages, drawn by the seed; of a shorter
    file from those of all rows. Finished parts are kept as ``TableRun`` describes.

    Args:
        table: the input.
        columns: names of the columns; references are the passages, called ``context``.
        judge: judges claims.
        plan: how intervals are made, and the seed of all draws.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts.
        progress: called as rows are judged, and while texts are embedded.

    Returns:
        Numbers of all rows, and the worst claims; texts of other rows are not kept in memory.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a broken list, more
            than 100,000 groups, an output that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
    """
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if out is not None:
        check_output(table, out)
    checks, sample = CellChecks(columns), RowSample[list[str]](CORPUS_ROWS, plan.seed)

    def look(batch: pl.DataFrame, first_row: int) -> None:
        cells = columns.read(batch, first_row)
        checks.add(cells)
        if not judge.uses_entailment:
            listed = passage_sentences(cells["prediction"], cells["context"])
            sample.add([(first_row + row, each) for row, each in enumerate(listed) if each])

    table = look_through(table, columns.titles, settings.part_rows, look, counting=needs_counting(table, out))
    checks.finish()
    over = judge.over([sentence for each in sample.items for sentence in each])
    return TableRun(table, settings, progress).of(GroundingWork(table, columns, over, plan, progress), out)
