"""Runs of ``semscale label``: rate the texts, draw some, write the sheet."""

from typing import Any

import typer

from semscale.cli.options.label import LabelOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.rating.labelling.drawing import draw_texts
from semscale.rating.labelling.sheet import instructions_path, label_sheet, write_sheet
from semscale.rating.rater import Rater
from semscale.rating.rater_settings import RaterSettings
from semscale.store.atomic import check_writable
from semscale.store.columns import column_in
from semscale.store.writing import output_format

_BATCH = 50_000


def draw_sheet(options: LabelOptions) -> None:
    """Draw texts of a file, and write them into a sheet with instructions beside it.

    Raises:
        InputError: a column, option or output that does not serve, or no text with a rating.
        SemscaleError: the model cannot be run.
    """
    if options.n < 1:
        raise InputError(f"n must be at least 1, got {options.n}")
    output_format(options.out)
    check_writable(options.out, "out")
    check_writable(instructions_path(options.out), "out")
    check_input(options.file, options.out)
    with progress_bars() as progress:
        settings: RaterSettings = {
            **options.rating.settings(),
            "embedder": lambda: options.model.load(progress),
        }
        rater = Rater(options.rating.scale, **settings)
        table = options.table.open(options.file)
        table.require(options.text, "text")
        table.require_text(options.text, "text")
        cells: list[Any] = []
        for batch in table.batches(_BATCH):
            cells += column_in(batch, options.text).to_list()
        ratings = rater.rate(cells, progress=progress)
    drawn = draw_texts(
        ratings.pmf, rater.scale.values, options.n, by_interest=options.by_interest, seed=options.seed
    )
    beside = write_sheet(label_sheet(cells, drawn), rater.scale, options.out)
    of = f"{len(drawn.rows):,} of {ratings.n_scored:,} rated texts drawn"
    typer.echo(f"{of}\nsheet: {options.out}\ninstructions: {beside}")
