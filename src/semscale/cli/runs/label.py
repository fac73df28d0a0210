"""Runs of ``semscale label``: rate the texts, draw some, write the sheet."""

import shlex
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import typer

from semscale.cli.options.label import LabelOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.errors import EmptyTableError, InputError
from semscale.rating.fitting import FEWEST_LABELS as FEWEST_TO_CALIBRATE
from semscale.rating.labelling import HUMAN, TEXT, instructions, instructions_path, label_sheet, write_sheet
from semscale.rating.rater import Rater
from semscale.settings import Settings, option_name, options_of
from semscale.signature import Signature
from semscale.stats.calibration.drawing import draw_texts
from semscale.store.atomic import check_writable
from semscale.store.columns import column_in, is_missing
from semscale.store.databases.address import is_on_server, shown_address
from semscale.store.reading import open_table
from semscale.store.writing import output_format
from semscale.weights.known import DEFAULT_RATING_MODEL

_BATCH = 50_000
_MOST_WIDE = 4
"""Labels whose corrected mean often has the whole scale as its interval."""


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
    check_input(options.file, options.out, "out")
    check_unlabelled(options.out)
    with progress_bars() as progress:
        settings = options.rating.changed(
            embedder=lambda: options.model.load(progress, default=DEFAULT_RATING_MODEL)
        )
        rater = Rater.from_settings(options.scale, settings)
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
    drawn_with = Signature.of(
        "label", texts=len(drawn.rows), by_interest=options.by_interest, draw_seed=options.seed
    ).extended(ratings.signature)
    calibrate = calibrate_command(options) if len(drawn.rows) >= FEWEST_TO_CALIBRATE else None
    said = instructions(rater.scale, options.out.name, drawn_with, calibrate, rate_command(options))
    beside = write_sheet(label_sheet(cells, drawn), options.out, said)
    of = f"{len(drawn.rows):,} of {ratings.n_scored:,} rated texts drawn"
    typer.echo(f"{of}\nsheet: {options.out}\ninstructions: {beside}")
    for note in number_notes(options.n, len(drawn.rows)):
        typer.echo(note)


def number_notes(asked: int, drawn: int) -> list[str]:
    """Say what a number of drawn texts does not serve for, and that fewer were there than asked for.

    Example:
        >>> number_notes(100, 100)
        []
    """
    notes = []
    if drawn < asked:
        notes.append(f"note: you asked for {asked:,} texts, and all {drawn:,} that have a rating were drawn")
    if drawn < FEWEST_TO_CALIBRATE:
        wide = ", and with 3 or 4 its interval is often the whole scale" if drawn <= _MOST_WIDE else ""
        notes.append(
            f"note: {drawn} labels are too few for `semscale calibrate`, which needs {FEWEST_TO_CALIBRATE}; "
            f"the mean of `rate --labels` needs 3{wide}"
        )
    return notes


def check_unlabelled(sheet: Path) -> None:
    """Refuse to draw over a sheet that people have begun to fill in.

    Raises:
        InputError: it has a label, or cannot be read, so that nobody knows.
    """
    if not sheet.exists() or not sheet.stat().st_size:
        return
    try:
        table = open_table(sheet)
    except EmptyTableError:
        return
    except InputError as error:
        raise InputError(
            f"out: {sheet} is there and cannot be read, so labels in it would be lost: name another file, or "
            "move this one away"
        ) from error
    if HUMAN not in table.columns:
        return
    cells = [cell for batch in table.batches(_BATCH) for cell in column_in(batch, HUMAN).to_list()]
    n = sum(not is_missing(cell) and str(cell).strip() != "" for cell in cells)
    if n:
        raise InputError(
            f"out: {sheet} has {n:,} label{'' if n == 1 else 's'}, which would be lost: name another file, "
            "or move this one away"
        )


def calibrate_command(options: LabelOptions) -> str:
    """Write the command that calibrates by the filled sheet, with the model and settings of the draw."""
    words = [
        "semscale",
        "calibrate",
        str(options.out),
        "--text",
        TEXT,
        "--human",
        HUMAN,
        "--scale",
        options.scale,
    ]
    return shlex.join([*words, *given_options(options.rating, options.model), "--out", "cal.json"])


def rate_command(options: LabelOptions) -> str:
    """Write the command that rates the file with the labels of the filled sheet, likewise."""
    words = ["semscale", "rate", str(options.file), "--text", options.text, "--scale", options.scale]
    settings = given_options(options.rating, options.model, options.table)
    return shlex.join([*words, *settings, "--labels", str(options.out)])


def given_options(*groups: Any) -> list[str]:  # noqa: ANN401 - groups of options
    """Write the options that were given, and the model in any case."""
    words: list[str] = []
    for group in groups:
        if isinstance(group, Settings):
            words += _given_settings(group)
            continue
        for field in fields(group):
            value = getattr(group, field.name)
            if is_dataclass(value):
                words += given_options(value)
            elif field.name == "name":
                words += ["--model", value or DEFAULT_RATING_MODEL]
            elif value != field.default:
                words += _option(f"--{field.name.replace('_', '-')}", value)
    return words


def _given_settings(settings: Settings) -> list[str]:
    words: list[str] = []
    for name, info, option in options_of(type(settings)):
        value = getattr(settings, name)
        if value == info.get_default():
            continue
        if isinstance(value, tuple):
            value = ",".join(value) if option.type is str else list(value)
        words += _option(option.name or option_name(name), "none" if value is None else value)
    return words


def _option(name: str, value: object) -> list[str]:
    """Write an option as it is given; one that holds a list is repeated, a switch stands alone."""
    if value is True:
        return [name]
    given = map(str, value if isinstance(value, list) else [value])
    return [word for each in given for word in (name, shown_address(each) if is_on_server(each) else each)]
