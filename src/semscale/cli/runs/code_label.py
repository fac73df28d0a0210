"""Runs of ``semscale code label``: score the answers, draw some, write the table to fill in."""

import shlex

import typer

from semscale.cli.options.coding import CodeLabelOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.runs.label import check_unlabelled, given_options
from semscale.coding.codebook import load_codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers
from semscale.coding.labels import check_label_columns, draw_answers, label_batches, write_instructions
from semscale.coding.table_coding import score_table
from semscale.errors import InputError
from semscale.judging.human_labels import HUMAN, INCLUSION
from semscale.rating.labelling import instructions_path
from semscale.store.atomic import check_writable
from semscale.store.runs.batch_writing import write_batches
from semscale.store.writing import output_format
from semscale.weights.known import DEFAULT_MODEL


def draw_for_codes(options: CodeLabelOptions) -> None:
    """Draw answers of a file for people to code, and write instructions beside the table.

    Raises:
        InputError: a column, codebook, option or output that does not serve, or no answer that can be read.
        SemscaleError: the model cannot be run.
    """
    if options.n < 1:
        raise InputError(f"n must be at least 1, got {options.n}")
    codebook = load_codebook(options.codebook)
    output_format(options.out)
    check_writable(options.out, "out")
    check_writable(instructions_path(options.out), "out")
    check_input(options.file, options.out, "out")
    check_unlabelled(options.out)
    table = options.table.open(options.file)
    check_label_columns(table.columns)
    table.require_text(options.text, "text")
    with progress_bars() as progress:
        coder = Coder(codebook, embedder=options.model.load(progress))
        scores = score_table(table, options.text, coder, progress=progress)
    drawn = draw_answers(code_answers(scores).values, options.n, alike=options.alike, seed=options.seed)
    write_batches(label_batches(table, drawn), options.out)
    command = _command(options)
    beside = write_instructions(options.out, codebook, options.text, command)
    said = (
        f"{len(drawn.rows):,} of {drawn.n_scored:,} answers drawn",
        f"table: {options.out}",
        f"instructions: {beside}",
        f"code the answers at the top in the column {HUMAN!r}; {INCLUSION!r} stays as it is",
        f"then: {command}",
    )
    typer.echo("\n".join(said))


def _command(options: CodeLabelOptions) -> str:
    """Write the command that codes by the filled table, with the model of the draw."""
    words = [
        "semscale",
        "code",
        str(options.out),
        "--text",
        options.text,
        "--codebook",
        str(options.codebook),
    ]
    model = given_options(options.model)
    if options.model.name is None:
        model = ["--model", DEFAULT_MODEL, *model[2:]]
    return shlex.join([*words, *model, "--labels", HUMAN, "--inclusion", INCLUSION])
