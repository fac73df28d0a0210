"""Runs of ``semscale code``: check the columns, score the answers part by part, calibrate, write."""

from dataclasses import replace

import numpy as np
import polars as pl

from semscale.cli.options.coding import CodeOptions
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
from semscale.coding.table_coding import CodingWork
from semscale.scales import load_scale
from semscale.store.columns import column_in
from semscale.store.deriving.derived_columns import by_label
from semscale.store.filtering import rows_of_the_file
from semscale.store.first_look import needs_counting
from semscale.store.reading import open_table
from semscale.store.result_columns import check_free, check_output
from semscale.store.runs.table_run import TableRun
from semscale.types import Progress, Status, are_scored

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
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = by_label(options.table.open(options.file, is_reported=True), columns.by)
    columns = replace(columns, by=tuple(by))
    check_free(table.columns, table.name)
    if options.outputs.out is not None:
        check_output(table, options.outputs.out)
    columns.check(table)
    _check_further(options)
    size, out = options.run.parts.part_rows, options.outputs.out
    table, rows = columns.read_beside(table, size, counting=needs_counting(table, out))
    with rows_of_the_file(table):
        hand = _hand_codes(columns, rows, options)
        beside = replace(_beside(options, columns, rows), notes=table.notes)
    with progress_bars() as progress:
        coder = Coder(codebook, embedder=options.model.load(progress))

        def finish(scores: CodeScores, cells: list[str | None]) -> tuple[CodingSummary, pl.DataFrame]:
            coding = code_answers(
                scores,
                hand=hand,
                asked=_asked(options, scores, cells, progress),
                thresholds=thresholds,
                plan=options.run.plan,
            )
            summary = summarize_coding(
                coding,
                cells,
                beside=_with_scores(options, beside, scores, cells, progress),
                source=table.name,
                column=columns.text,
                plan=options.run.plan,
                min_base=options.min_base,
            )
            return summary, coding.to_frame()

        work = CodingWork(table, columns.text, coder, finish, _settings(options, columns), progress)
        return TableRun(table, options.run.parts, progress).of(work, out)


def _check_further(options: CodeOptions) -> None:
    """Check the scale and the other run now, as they are needed when all answers are scored."""
    if options.rate_scale is not None:
        load_scale(options.rate_scale)
    if options.other_run is not None:
        open_table(options.other_run).require(options.columns.text, "other_run")


def _settings(options: CodeOptions, columns: CodingColumns) -> dict[str, str]:
    """Name what decides the codes beside the scores; groups, ratings and weights do not."""
    thresholds, chat = options.thresholds.thresholds, options.chat
    found = {
        "labels": ", ".join(columns.labels),
        "inclusion": columns.inclusion or "",
        "given_from": f"{thresholds.given:.12g}",
        "unsure_from": f"{thresholds.unsure:.12g}",
        "seed": str(options.run.plan.seed) if columns.labels else "",
        "chat_model": chat.chat_model or "",
        "method": "" if chat.chat_model is None else chat.method,
        "question": chat.question or "",
    }
    return {name: value for name, value in found.items() if value}


def _hand_codes(columns: CodingColumns, rows: pl.DataFrame, options: CodeOptions) -> HandCodes | None:
    if not columns.labels:
        return None
    read = [column_in(rows, column).to_list() for column in columns.labels]
    codes = hand_codes(read, load_codebook(options.codebook), columns.labels)
    drawn = None if columns.inclusion is None else numbers_in(rows, columns.inclusion, "inclusion")
    return HandCodes(codes, columns.labels, drawn)


def _asked(
    options: CodeOptions, scores: CodeScores, cells: list[str | None], progress: Progress | None
) -> AskedCodes | None:
    """Ask the chat model about the answers that can be read, if one is named."""
    chat = options.chat.load(progress)
    if chat is None:
        return None
    readable = np.flatnonzero(are_scored(scores.text_status))
    found = ask_about_codes(
        chat,
        scores.codebook,
        [str(cells[row]) for row in readable.tolist()],
        question=options.chat.question,
        method=options.chat.checked_method,
        running=options.calls.running(),
        progress=progress,
    )
    return found.placed(readable, len(cells))


def _beside(options: CodeOptions, columns: CodingColumns, rows: pl.DataFrame) -> BesideAnswers:
    """Take what the table has beside the answers."""
    return BesideAnswers(
        {name: group_names(rows, name) for name in columns.by},
        None if columns.rating is None else numbers_in(rows, columns.rating, "rating"),
        columns.rating or "",
        None,
        options.other_run or "",
        columns.design_in(rows),
        columns.weight or "",
        columns.respondent or "",
        columns.strata or "",
    )


def _with_scores(
    options: CodeOptions,
    beside: BesideAnswers,
    scores: CodeScores,
    cells: list[str | None],
    progress: Progress | None,
) -> BesideAnswers:
    """Add what is made of the answers: ratings of their own, and the same answers in another run."""
    if options.rate_scale is not None:
        from semscale.rating.rater import Rater

        ratings = Rater(options.rate_scale).rate(cells, progress=progress).mean
        name = f"{options.rate_scale}, as rated from the same answers"
        beside = replace(beside, ratings=ratings, rating_name=name)
    if options.other_run is not None:
        frame = pl.concat([*open_table(options.other_run).batches(_BATCH)], how="diagonal_relaxed")
        other = other_run(
            frame,
            scores.codebook,
            cells,
            options.columns.text,
            options.other_run,
            no_text=scores.text_status == Status.NOT_TEXT,
        )
        beside = replace(beside, other=other)
    return beside
