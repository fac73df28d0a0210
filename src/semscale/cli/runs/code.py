"""Runs of ``semscale code``: read the columns, score the answers, calibrate, write."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from semscale.cli.options.coding import CodeOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.coding.asked_codes import AskedCodes
from semscale.coding.chat_codes import ask_about_codes
from semscale.coding.codebook_file import load_codebook
from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import HandCodes, code_answers, other_run
from semscale.coding.coding_columns import CodingColumns, group_names, numbers_in
from semscale.coding.hand_codes import hand_codes
from semscale.coding.summary.coding_summary import CodingSummary
from semscale.coding.summary.summarizing import BesideAnswers, summarize_coding
from semscale.store.columns import column_in
from semscale.store.deriving.derived_columns import by_label
from semscale.store.reading import open_table
from semscale.store.result_columns import check_free, check_output
from semscale.store.writing import write_table
from semscale.types import Progress, are_scored

_BATCH = 50_000


def code_table(options: CodeOptions) -> CodingSummary:
    """Code a file, write its table, and sum it up.

    Raises:
        SemscaleError: a column, codebook, option or output that does not serve, or a model that cannot be
            run.
    """
    columns, codebook, thresholds = (
        options.columns.columns,
        load_codebook(options.codebook),
        options.thresholds.thresholds,
    )
    options.outputs.check()
    check_input(options.file, options.outputs.report)
    table, by = by_label(options.table.open(options.file, is_reported=True), columns.by)
    columns = replace(columns, by=tuple(by))
    check_free(table.columns, table.name)
    if options.outputs.out is not None:
        check_output(table, options.outputs.out)
    rows = columns.read(table)
    cells = column_in(rows, columns.text).to_list()
    hand = _hand_codes(columns, rows, options)
    with progress_bars() as progress:
        coder = Coder(codebook, embedder=options.model.load(progress))
        scores = coder.score(cells, progress=progress)
        asked = _asked(options, scores, cells, progress)
        beside = replace(_beside(options, columns, rows, scores, progress), notes=table.notes)
    coding = code_answers(
        scores,
        hand=hand,
        asked=asked,
        thresholds=thresholds,
        plan=options.run.plan,
    )
    if options.outputs.out is not None:
        write_table(pl.concat([rows, coding.to_frame()], how="horizontal"), options.outputs.out)
    return summarize_coding(
        coding,
        cells,
        beside=beside,
        source=table.name,
        column=columns.text,
        plan=options.run.plan,
        min_base=options.min_base,
    )


def _hand_codes(columns: CodingColumns, rows: pl.DataFrame, options: CodeOptions) -> HandCodes | None:
    if not columns.labels:
        return None
    read = [column_in(rows, column).to_list() for column in columns.labels]
    codes = hand_codes(read, load_codebook(options.codebook), columns.labels)
    drawn = None if columns.inclusion is None else numbers_in(rows, columns.inclusion, "inclusion")
    return HandCodes(codes, columns.labels, drawn)


def _asked(
    options: CodeOptions, scores: CodeScores, cells: list[Any], progress: Progress | None
) -> AskedCodes | None:
    """Ask the chat model about the answers that can be read, if one is named."""
    chat = options.chat.load(progress)
    if chat is None:
        return None
    readable = np.flatnonzero(are_scored(scores.text_status))
    found = ask_about_codes(
        chat,
        scores.codebook,
        [cells[row] for row in readable.tolist()],
        question=options.chat.question,
        method=options.chat.checked_method,
        running=options.calls.running(),
        progress=progress,
    )
    return found.placed(readable, len(cells))


def _beside(
    options: CodeOptions,
    columns: CodingColumns,
    rows: pl.DataFrame,
    scores: CodeScores,
    progress: Progress | None,
) -> BesideAnswers:
    cells = column_in(rows, columns.text).to_list()
    ratings, rating = None, columns.rating or ""
    if columns.rating is not None:
        ratings = numbers_in(rows, columns.rating, "rating")
    elif options.rate_scale is not None:
        from semscale.rating.rater import Rater

        ratings = Rater(options.rate_scale).rate(cells, progress=progress).mean
        rating = f"{options.rate_scale}, as rated from the same answers"
    other = None
    if options.other_run is not None:
        frame = pl.concat([*open_table(options.other_run).batches(_BATCH)], how="diagonal_relaxed")
        other = other_run(frame, scores.codebook, cells, columns.text, options.other_run)
    return BesideAnswers(
        {name: group_names(rows, name) for name in columns.by},
        ratings,
        rating,
        other,
        options.other_run or "",
        columns.design_in(rows),
        columns.weight or "",
        columns.respondent or "",
        columns.strata or "",
    )
