"""Runs of ``semscale drift matrix``: ask all cells, match, judge, sum up, write."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.chat.runner import run_apart
from semscale.cli.drift.matrix_options import MatrixOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.drift.asking.items_to_ask import ItemToAsk, PromptColumns, read_items_to_ask
from semscale.drift.asking.prompt_template import PromptTemplate, is_template, read_template
from semscale.drift.matrix.cells import AskedCell, ask_cells, cells_of
from semscale.drift.matrix.matrix import AskedMatrix
from semscale.drift.matrix.matrix_signature import matrix_signature
from semscale.drift.matrix.matrix_summary import MatrixSummary
from semscale.drift.matrix.scores import ReferenceScores, reference_scores
from semscale.drift.matrix.sides import judge_cells
from semscale.errors import InputError
from semscale.matching.methods import MethodSettings, build_method, check_method, guards_for
from semscale.store.writing import write_table

if TYPE_CHECKING:
    from semscale.drift.matrix.cells import CellAnswers
    from semscale.judging.judge import Judge
    from semscale.types import Progress


def compare_matrix(options: MatrixOptions) -> MatrixSummary:
    """Ask every model with every prompt, and compare what they gave.

    Raises:
        InputError: options that do not go together, or a file that cannot be read.
        InterruptedRunError: a cap was reached; replies are kept, and the same command goes on.
        ReplyError: all models are down, or the judge is.
    """
    templates, items, file = read_matrix(options)
    _ = options.request.settings  # a number out of range is refused before a model is loaded
    with progress_bars() as progress:
        cells = cells_of(options.load_models(progress), templates)
        judge = options.judge.load(options.request, progress)
        matrix = run_apart(_asked(options, cells, items, judge, progress))
        matrix = replace(matrix, source=file)
        if options.columns.reference is not None:
            matrix = replace(matrix, scores=_scores(options, matrix.cells, items, progress))
    if options.outputs.out is not None:
        write_table(matrix.to_frame(), options.outputs.out)
    return matrix.summarize(options.run.plan)


def read_matrix(
    options: MatrixOptions,
) -> tuple[list[PromptTemplate | None], tuple[ItemToAsk, ...], str]:
    """Check the options, and read templates and items; the last is the name of the items' file.

    Raises:
        InputError: options that do not go together, or a file that cannot be read.
    """
    check_method(options.method, options.embedder.engine)
    options.outputs.check()
    templates, file = _prompts(options)
    columns = PromptColumns(
        options.columns.id or "id", options.columns.input, reference=options.columns.reference
    )
    check_input(file, options.outputs.report)
    items = read_items_to_ask(options.table.open(file), columns, [one for one in templates if one])
    return templates, items, file


def _prompts(options: MatrixOptions) -> tuple[list[PromptTemplate | None], str]:
    """Tell templates from a table of items; ``None`` stands for the items' own inputs."""
    named = options.prompts or []
    tables = [name for name in named if not is_template(name)]
    if options.items is not None and not tables:
        return [read_template(name) for name in named] or [None], options.items
    if options.items is None and len(tables) == len(named) == 1:
        return [None], tables[0]
    if tables:
        raise InputError(
            f"--prompts {tables[0]} is a table: name it with --items, and templates (.txt or .md) with "
            "--prompts"
        )
    raise InputError(f"--prompts {named[0]} is a template: name the table that fills it with --items")


async def _asked(
    options: MatrixOptions,
    cells: Sequence[AskedCell],
    items: Sequence[ItemToAsk],
    judge: "Judge | None",
    progress: "Progress | None",
) -> AskedMatrix:
    """Ask the cells, and the judge about what they gave."""
    settings, times = options.request.settings, options.reruns + 1
    with options.calls.open_ledger() as ledger:
        running = options.calls.running(ledger)
        found, left = await ask_cells(
            cells, items, settings=settings, running=running, times=times, progress=progress
        )
        pairs = None
        if judge is not None:
            pairs = await judge_cells(found, items, judge, running=left, progress=progress)
    return AskedMatrix("", items, found, matrix_signature(cells, items, settings, times), pairs=pairs)


def _scores(
    options: MatrixOptions,
    found: "Sequence[CellAnswers]",
    items: Sequence[ItemToAsk],
    progress: "Progress | None",
) -> ReferenceScores:
    guards, model = guards_for(options.method, None), options.embedder
    recipe = MethodSettings(
        model.chosen_name, model.precision, None, options.run.seed, model.loading(progress), guards
    )
    return reference_scores(
        found, items, build_method(options.method, recipe), guards=guards, progress=progress
    )
