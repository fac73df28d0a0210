"""Runs of ``semscale code``: check the columns, learn from hand-coded rows, code part by part, write."""

from dataclasses import replace

import numpy as np

from semscale.cli.options.coding import CodeOptions
from semscale.cli.progress import progress_bars
from semscale.coding.chat_codes import ChatCodes, ask_about_codes, mean_asked
from semscale.coding.codebook import Codebook, load_codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import FittedCodes, fit_codes
from semscale.coding.coding_cells import HandRows, check_coding_cells
from semscale.coding.coding_collector import CodingCollector
from semscale.coding.coding_columns import CodingColumns
from semscale.coding.other_runs import OtherRun
from semscale.coding.summary import CodingSummary, SummaryPlan
from semscale.coding.table_coding import CodingWork, LearntCodes
from semscale.embedding.cache.cached_embedder import KEPT_EMBEDDINGS
from semscale.rating.cells import text_status
from semscale.scales import load_scale
from semscale.store.columns import column_in
from semscale.store.deriving.derived_columns import by_label
from semscale.store.first_look import needs_counting
from semscale.store.reading import open_table
from semscale.store.result_columns import check_free, check_output
from semscale.store.runs.table_run import TableRun
from semscale.store.table import Table
from semscale.types import Progress, are_scored

_BATCH = 50_000
_KEPT_REPLIES = "replies that came stay in the ledger"


def code_table(options: CodeOptions) -> CodingSummary:
    """Code a file, write its table, and sum it up.

    Hand-coded answers are scored first, so that each part is coded as it is made. A chat model is asked about
    all answers before any part is made, as what it says of one moves the codes of others.

    Raises:
        SemscaleError: a column, codebook, option or output that does not serve, or a model that cannot be
            run.
    """
    columns, codebook = options.columns.columns, load_codebook(options.codebook)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = by_label(options.table.open(options.file, is_reported=True), columns.by)
    columns = replace(columns, by=tuple(by))
    check_free(table.columns, table.name)
    if options.outputs.out is not None:
        check_output(table, options.outputs.out)
    columns.check(table)
    other = _check_further(options, codebook)
    size, out = options.run.parts.part_rows, options.outputs.out
    counting = needs_counting(table, out)
    table, hand = check_coding_cells(table, columns, codebook, size, counting=counting)
    with progress_bars() as progress:
        coder = Coder(codebook, embedder=options.model.load(progress))

        def learn() -> LearntCodes:
            asked = _asked(options, codebook, table, progress)
            fitted = _fitted(options, coder, hand, asked, progress)
            collector = CodingCollector(
                fitted,
                columns,
                _summary_plan(options, columns, table),
                asked=asked,
                scale=options.rate_scale,
                other=other,
                progress=progress,
            )
            return LearntCodes(fitted, collector, asked)

        settings = _settings(options, columns)
        kept = KEPT_EMBEDDINGS if options.chat.chat_model is None else _KEPT_REPLIES
        work = CodingWork(table, columns.text, coder, learn, settings, progress, kept)
        return TableRun(table, options.run.parts, progress).of(work, out)


def _check_further(options: CodeOptions, codebook: Codebook) -> OtherRun | None:
    """Check the scale and the other run now, as they are needed once answers are scored."""
    if options.rate_scale is not None:
        load_scale(options.rate_scale)
    if options.other_run is None:
        return None
    table = open_table(options.other_run)
    table.require(options.columns.text, "other_run")
    return OtherRun(table, codebook, options.columns.text, options.other_run)


def _fitted(
    options: CodeOptions, coder: Coder, hand: HandRows, asked: ChatCodes | None, progress: Progress | None
) -> FittedCodes:
    """Learn from the hand-coded answers how all are to be coded."""
    return fit_codes(
        coder.score(hand.answers, progress=progress),
        hand.rows,
        hand=hand.codes,
        asked=None if asked is None else asked.some(hand.rows),
        stand_in=None if asked is None else mean_asked(asked.probability),
        thresholds=options.thresholds.thresholds,
        plan=options.run.plan,
    )


def _summary_plan(options: CodeOptions, columns: CodingColumns, table: Table) -> SummaryPlan:
    rating = columns.rating or ""
    if options.rate_scale is not None:
        rating = f"{options.rate_scale}, as rated from the same answers"
    return SummaryPlan(
        table.name,
        columns.text,
        rating=rating,
        other=options.other_run or "",
        weight=columns.weight or "",
        clusters=columns.respondent or "",
        strata=columns.strata or "",
        notes=table.notes,
        intervals=options.run.plan,
        min_base=options.min_base,
    )


def _settings(options: CodeOptions, columns: CodingColumns) -> dict[str, str]:
    """Name what decides the codes beside the scores; groups, ratings and weights do not."""
    thresholds, chat = options.thresholds.thresholds, options.chat
    found = {
        "labels": ", ".join(columns.labels),
        "inclusion": columns.inclusion or "",
        "given_from": f"{thresholds.assigned:.12g}",
        "unsure_from": f"{thresholds.unsure:.12g}",
        "seed": str(options.run.plan.seed) if columns.labels else "",
        "chat_model": chat.chat_model or "",
        "method": "" if chat.chat_model is None else chat.method,
        "question": chat.question or "",
    }
    return {name: value for name, value in found.items() if value}


def _asked(
    options: CodeOptions, codebook: Codebook, table: Table, progress: Progress | None
) -> ChatCodes | None:
    """Ask the chat model about the answers that can be read, if one is named."""
    chat, text = options.chat.load(progress), options.columns.text
    if chat is None:
        return None
    cells = [
        cell for batch in table.batches_with([text], _BATCH) for cell in column_in(batch, text).to_list()
    ]
    status = np.array([text_status(cell) for cell in cells], dtype=object)
    readable = np.flatnonzero(are_scored(status))
    found = ask_about_codes(
        chat,
        codebook,
        [str(cells[row]) for row in readable.tolist()],
        question=options.chat.question,
        method=options.chat.checked_method,
        running=options.calls.running(),
        progress=progress,
    )
    return found.spread_over(readable, len(cells))
