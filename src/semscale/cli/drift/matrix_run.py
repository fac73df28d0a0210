"""Runs of ``semscale drift matrix``: read what is asked, ask all cells, sum up, write."""

from dataclasses import replace

from semscale.cli.drift.matrix_options import MatrixOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.drift.asking.items_to_ask import ItemToAsk, PromptColumns, read_items_to_ask
from semscale.drift.asking.prompt_template import PromptTemplate, is_template, read_template
from semscale.drift.matrix.asked_matrix import ask_matrix
from semscale.drift.matrix.matrix_summary import MatrixSummary
from semscale.errors import InputError
from semscale.matching.matcher import check_method
from semscale.matching.settings import MatchSettings
from semscale.store.writing import write_table


def compare_matrix(options: MatrixOptions) -> MatrixSummary:
    """Ask every model with every prompt, and compare what they gave.

    Raises:
        InputError: options that do not go together, or a file that cannot be read.
        InterruptedRunError: a cap was reached; replies are kept, and the same command goes on.
        ReplyError: all models are down, or the judge is.
    """
    templates, items, file = read_matrix(options)
    _ = options.request.settings  # a number out of range is refused before a model is loaded
    with progress_bars() as progress, options.calls.open_ledger() as ledger:
        model = options.embedder
        matrix = ask_matrix(
            items,
            options.load_models(progress),
            [one for one in templates if one is not None],
            reruns=options.reruns,
            settings=options.request.settings,
            judge=options.judge.load(options.request, progress),
            method=options.method,
            matching=MatchSettings(
                embedder=model.chosen_name,
                precision=model.precision,
                seed=options.run.seed,
                loading=model.loading(progress),
            ),
            running=options.calls.running(ledger),
            progress=progress,
        )
    matrix = replace(matrix, source=file)
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
