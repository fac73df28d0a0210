"""Claims of the answers of a file, judged by samples beside them or asked for: part by part, resumable."""

from dataclasses import replace

import numpy as np
import polars as pl

from semscale.answer_consistency.asking.asked_model import AskedModel
from semscale.answer_consistency.claims.agreement_summary import AgreementSummary
from semscale.answer_consistency.claims.agreement_work import AgreementWork
from semscale.answer_consistency.claims.claim_support import ClaimJudge
from semscale.answer_consistency.claims.long_answers import sample_sentences
from semscale.answer_consistency.files.columns import AnswerChecks, AnswerColumns, answer_cells
from semscale.answer_consistency.files.item_rows import ItemRows, index_items, rows_of_items
from semscale.answer_consistency.labels import FewestLabels
from semscale.answer_consistency.sampling import prompt_status
from semscale.matching.matcher import CORPUS_ROWS
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.columns import column_in
from semscale.store.first_look import look_through, needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_output
from semscale.store.runs.table_run import PartSettings, TableRun
from semscale.store.table import Table
from semscale.types import Progress, Status


def claim_consistency_file(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: AnswerColumns,
    *,
    judge: ClaimJudge,
    model: AskedModel | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> AgreementSummary:
    """Judge each sentence of a table's answers by samples of the same answer, write the table, and sum it up.

    The written table has a row for each item with the input's columns, then those of
    ``JudgedAnswers.to_frame`` with the prefix ``semscale_``, ``semscale_reason``,
    ``semscale_supported_share``, ``semscale_lowest_claim`` with its ``semscale_lowest_value``, and the
    numbers of samples.

    All cells are checked first. Word weights and the level of unrelated texts, which a judge without a model
    of entailment estimates, are from the sentences of 50,000 rows' samples, drawn by the seed. Where a model
    is asked, they are from its own replies if all questions are one part, and else from the answers to 50,000
    questions, which are asked for first. Finished parts are kept as ``TableRun`` describes.

    Args:
        table: the input.
        columns: which column is what; labels and log-probabilities are not used.
        judge: judges claims.
        model: the model that is asked for answers and samples, if any; it needs a ledger, so that nothing is
            paid for twice.
        plan: how intervals are made, and the seed of all draws.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts; their size is that in items.
        progress: called as answers are judged, while texts are embedded and replies come.

    Returns:
        Numbers of all answers, and the worst claims; texts of other answers are not kept in memory.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a broken list, more
            than 100,000 groups, an output that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
        ReplyError: no call can succeed; finished parts are kept.
    """
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if out is not None:
        check_output(table, out)
    size, items = settings.part_rows, None
    if columns.item is not None:
        items, needed = ItemRows(), {columns.item, str(columns.answer)}
        index = items
        look_through(table, needed, size, lambda batch, _: index_items(index, columns, batch))
        items.finish()
    by_corpus = not judge.uses_entailment
    look = _AgreementLook(columns, items, plan.seed, asks=model is not None, needs_corpus=by_corpus)
    table = look_through(table, columns.titles, size, look.look, counting=needs_counting(table, out))
    look.checks.finish()
    corpus_from = None
    if by_corpus and model is None:
        judge = judge.over([sentence for each in look.sample.items for sentence in each])
    elif by_corpus and look.checks.n > min(size, CORPUS_ROWS):
        corpus_from = [prompt for (prompt,) in look.sample.items]
    work = AgreementWork(table, columns, judge, plan, items, model, corpus_from, progress)
    shown = table if items is None else replace(table, n_rows=items.n)
    return replace(TableRun(shown, settings, progress).of(work, out), input_notes=table.notes)


class _AgreementLook:
    """Checks the cells of a table, and draws the rows that the judge's estimates come from.

    Of tables with samples these are the sentences of a row's samples, and where a model is asked, its
    question.
    """

    def __init__(
        self, columns: AnswerColumns, items: ItemRows | None, seed: int, *, asks: bool, needs_corpus: bool
    ) -> None:
        self._columns, self._items, self._asks, self._needs_corpus = columns, items, asks, needs_corpus
        self.checks = AnswerChecks(columns, FewestLabels.for_ensemble("none"))
        self.sample: RowSample[list[str]] = RowSample(CORPUS_ROWS, seed)

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Look at the next rows."""
        rows, items = np.arange(first_row, first_row + batch.height), self._items
        first = np.ones(len(rows), np.bool_) if items is None else items.are_first(first_row, len(rows))
        heads = batch if items is None else batch.filter(pl.Series(first))
        with rows_of_items(rows[first]):
            cells = answer_cells(heads, self._columns, samples=None if items is None else [[]] * heads.height)
            self.checks.add(cells)
        answers, beside = cells.answers, cells.samples
        if items is not None:
            # A row that is not the first of its item is a sample; its own text stands for the answer.
            answers = column_in(batch, str(self._columns.answer)).to_list()
            beside = [[] if head else [text] for text, head in zip(answers, first, strict=True)]
        if self._needs_corpus:
            listed = _questions(cells.prompts) if self._asks else sample_sentences(answers, beside)
            self.sample.add((first_row + row, each) for row, each in enumerate(listed) if each)


def _questions(prompts: list[object]) -> list[list[str]]:
    known = [str(cell) if isinstance(cell, int | float) else cell for cell in prompts]
    return [[str(cell)] if prompt_status(cell) is Status.SCORED else [] for cell in known]
