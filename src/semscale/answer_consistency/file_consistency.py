"""Measures a table of any size part by part; a stopped run can be resumed."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from semscale.answer_consistency.asking.asked_model import AskedModel
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.correctness_probability import CorrectnessSettings
from semscale.answer_consistency.files.columns import AnswerCells, AnswerChecks, AnswerColumns, answer_cells
from semscale.answer_consistency.files.consistency_work import ConsistencyWork
from semscale.answer_consistency.files.item_rows import ItemRows, index_items, rows_of_items
from semscale.answer_consistency.labels import EnsembleName, FewestLabels
from semscale.answer_consistency.sampling import prompt_status
from semscale.answer_consistency.scoring.measures import check_sample_tokens
from semscale.answer_consistency.scoring.samples import take_samples
from semscale.answer_consistency.summary import ConsistencySummary
from semscale.chat.declining import gives_no_answer
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.first_look import look_through, needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_output
from semscale.store.runs.table_run import PartSettings, TableRun
from semscale.store.table import Table
from semscale.types import Mask, Progress, Status

FLOOR_ITEMS = 50_000
"""Items from whose answers the floor is estimated."""


def consistency_file(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: AnswerColumns,
    *,
    instrument: Consistency,
    model: AskedModel | None = None,
    correctness: CorrectnessSettings | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> ConsistencySummary:
    """Measure the answers of a table, or ask for them first, write the measured table, and sum it up.

    The measured table has a row for each item with the input's columns, then those of
    ``Consistencies.to_frame`` with the prefix ``semscale_``; with labels ``semscale_probability_correct`` and
    ``semscale_decision``, and where a model is asked ``semscale_answer``, ``semscale_samples_asked`` and
    ``semscale_settled``.

    All cells are looked at in a reading of their own, before anybody is asked and any text is embedded. A
    floor that is estimated is that of the answers to 50,000 items, drawn by the seed; of all items where
    there are no more. Where a model is asked, these answers are asked for first. Finished parts are kept as
    ``TableRun`` says, and replies in the runner's ledger.

    Args:
        table: the input.
        columns: which column is what.
        instrument: measures.
        model: the model that is asked for answers and samples, if any; it needs a ledger, so that nothing is
            paid for twice.
        correctness: how P(correct) is made of labels.
        plan: how intervals are made, and the seed of what is drawn.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts; their size is that in items.
        progress: called as items are measured, while texts are embedded and replies come.

    Returns:
        Numbers of all items, and the items to look at; texts of other items are not kept in memory.

    Raises:
        InputError: a column that does not exist or holds no text, or that no measure uses, a name that is
            taken, a broken list, a label that says neither right nor wrong or too few of these, more than
            100,000 groups, an output that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
        ReplyError: no call can succeed; finished parts are kept.
    """
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if columns.sample_logprobs:
        check_sample_tokens(instrument.measures)
    if out is not None:
        check_output(table, out)
    correctness = correctness or CorrectnessSettings()
    looking = _FirstLook(columns, instrument, model is not None, correctness.get("ensemble", "none"))
    size = settings.part_rows
    if columns.item is not None:
        items, needed = ItemRows(), {columns.item, str(columns.answer)}
        look_through(table, needed, size, lambda batch, _: index_items(items, columns, batch))
        items.finish()
        looking.items, looking.eligible = items, items.eligible(instrument.fewest_samples)
    table = look_through(table, columns.titles, size, looking.look, counting=needs_counting(table, out))
    looking.checks.finish()
    is_one_part = model is not None and looking.checks.n <= min(size, FLOOR_ITEMS)
    work = ConsistencyWork(
        table,
        columns,
        instrument,
        plan,
        looking.items,
        model,
        None if is_one_part else looking.sample.items,
        correctness,
        progress,
    )
    shown = table if looking.items is None else replace(table, n_rows=looking.items.n)
    return replace(TableRun(shown, settings, progress).of(work, out), input_notes=table.notes)


class _FirstLook:
    """Checks the cells of a table, and draws the items that the floor is estimated from."""

    def __init__(
        self, columns: AnswerColumns, instrument: Consistency, asks: bool, ensemble: EnsembleName
    ) -> None:
        self.columns, self.asks = columns, asks
        self.sample: RowSample[str] = RowSample(FLOOR_ITEMS, instrument.seed)
        self.fewest = instrument.fewest_samples
        self.needs_floor = "floor" in instrument.needs and isinstance(instrument.floor, str)
        self.checks = AnswerChecks(columns, FewestLabels.for_ensemble(ensemble))
        self.items: ItemRows | None = None
        self.eligible: Mask | None = None

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Look at the next rows."""
        first, rows = self.checks.n, np.arange(first_row, first_row + batch.height)
        samples: list[list[Any]] | None = None
        if self.items is not None:
            heads = self.items.are_first(first_row, batch.height)
            batch, rows = batch.filter(pl.Series(heads)), rows[heads]
            samples = [[]] * batch.height
        with rows_of_items(rows):
            cells = answer_cells(batch, self.columns, samples=samples)
            self.checks.add(cells)
        if self.needs_floor:
            self.sample.add((first + item, text) for item, text in self._texts(cells, first))

    def _texts(self, cells: AnswerCells, first: int) -> list[tuple[int, str]]:
        """Give the answers that count for the floor, or the prompts whose answers will, with their places."""
        if self.asks:
            known = [str(cell) if isinstance(cell, int | float) else cell for cell in cells.prompts]
            return [(item, cell) for item, cell in enumerate(known) if prompt_status(cell) is Status.SCORED]
        if self.eligible is not None:
            answers = enumerate(cells.answers)
            usable = ((item, str(cell)) for item, cell in answers if self.eligible[first + item])
            return [(item, answer) for item, answer in usable if not gives_no_answer(answer)]
        pairs = take_samples(cells.answers, cells.samples, fewest=self.fewest).pairs
        own = dict(zip(pairs.item.tolist(), pairs.prediction.tolist(), strict=True))
        return [(item, pairs.texts[text]) for item, text in own.items()]
