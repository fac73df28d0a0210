"""Runs of ``semscale code suggest``: cluster the answers, name the clusters, write the codebook."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from semscale.cli.options.coding import CodeSuggestOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.runs.code import chat_model_of
from semscale.coding.coder import Coder
from semscale.coding.suggesting import (
    AnswerSample,
    SuggestionSummary,
    name_codes,
    suggest,
    suggested_codebook,
    write_suggestion,
)
from semscale.embedding.embedder import Embedder
from semscale.errors import InputError
from semscale.store.atomic import check_writable
from semscale.store.columns import column_in
from semscale.store.result_columns import check_free, check_output
from semscale.store.runs.batch_writing import write_batches
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress

_BATCH = 50_000


def suggest_codes(options: CodeSuggestOptions) -> SuggestionSummary:
    """Propose a codebook for a file, and write it.

    Raises:
        SemscaleError: a column, option or output that does not serve, too few answers, or a model that cannot
            be run.
    """
    options.outputs.check()
    check_input(options.file, options.codebook, "codebook")
    _check_codebook(options)
    table = options.table.open(options.file)
    check_free(table.columns, table.name)
    if options.outputs.out is not None:
        check_output(table, options.outputs.out)
    table.require_text(options.text, "text")
    sample = AnswerSample(options.sample, seed=options.seed)
    for batch in table.batches_with([options.text], _BATCH):
        sample.add(column_in(batch, options.text).to_list())
    with progress_bars() as progress:
        embedder = options.model.load(progress)
        found = suggest(
            sample,
            embedder,
            codes=options.codes,
            most=options.most,
            source=table.name,
            column=options.text,
            codebook=str(options.codebook),
            seed=options.seed,
            progress=progress,
        )
        found = _checked(_named(options, found, progress), embedder)
        if options.outputs.out is not None:
            write_batches(_with_codes(table, options.text, found, embedder, progress), options.outputs.out)
        # Last of all, as a run is refused where the codebook is there already.
        write_suggestion(found, options.codebook)
    return found


def _check_codebook(options: CodeSuggestOptions) -> None:
    """Refuse to write over a codebook, which somebody may have worked on."""
    check_writable(options.codebook, "codebook")
    if options.codebook.exists() and options.codebook.stat().st_size:
        raise InputError(f"codebook: {options.codebook} is there already: name another file, or move it away")


def _named(
    options: CodeSuggestOptions, found: SuggestionSummary, progress: Progress | None
) -> SuggestionSummary:
    chat = chat_model_of(options.chat, progress)
    if chat is None:
        return found
    names = name_codes(found.codes, options.calls.runner(chat), progress=progress)
    return found.renamed(names, chat.name)


def _checked(found: SuggestionSummary, embedder: Embedder) -> SuggestionSummary:
    """Say of a proposal why ``semscale code`` would refuse it, so that its author mends it."""
    try:
        Coder(suggested_codebook(found), embedder=embedder)
    except InputError as error:
        return replace(found, problem=str(error))
    return found


def _with_codes(
    table: Table, text: str, found: SuggestionSummary, embedder: Embedder, progress: Progress | None
) -> Iterator[pl.DataFrame]:
    """Put the code of each answer beside it, part by part; answers outside the sample are embedded."""
    for batch in table.batches(_BATCH):
        cells = column_in(batch, text).to_list()
        clusters, nearness = found.clusters.assign(cells, embedder, progress=progress)
        names = [None if cluster < 0 else found.codes[cluster].name for cluster in clusters.tolist()]
        yield batch.with_columns(
            pl.Series(f"{PREFIX}suggested", names, pl.String),
            pl.Series(f"{PREFIX}nearness", nearness, nan_to_null=True),
        )
