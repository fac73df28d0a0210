"""Runs of ``semscale calibrate``: read the labelled rows, rate them, choose and fit, write."""

from pathlib import Path
from typing import Any

from semscale.cli.options.calibrate import CalibrateOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.errors import InputError
from semscale.rating.calibration import CalibrationSummary, check_calibration_path
from semscale.rating.labelling import COLUMNS, ROW, check_human_range, check_once, humans_in, with_points
from semscale.rating.rater import Rater
from semscale.results.weights import numbers_in
from semscale.store.columns import column_in, floats_in
from semscale.store.filtering import rows_of_the_file
from semscale.store.table import Table
from semscale.weights.known import DEFAULT_RATING_MODEL

_BATCH = 50_000
_MOST_LABELLED = 20_000


def calibrate_table(options: CalibrateOptions) -> CalibrationSummary:
    """Fit a calibration to the labelled rows of a file, and write it.

    Raises:
        InputError: a column, option, label or output that does not serve.
        SemscaleError: the model cannot be run.
    """
    columns = options.columns
    check_human_range(columns.human_range)
    check_calibration_path(options.outputs.calibration)
    options.outputs.check()
    check_input(options.file, options.outputs.report)
    with progress_bars() as progress:
        settings = options.rating.changed(
            embedder=lambda: options.model.load(progress, default=DEFAULT_RATING_MODEL)
        )
        rater = Rater.from_settings(options.scale, settings)
        table = options.table.open(options.file)
        for parameter in ("text", "human", "by"):
            if (name := getattr(columns, parameter)) is not None:
                table.require(name, parameter)
        table.require_text(columns.text, "text")
        with rows_of_the_file(table):
            texts, ratings, groups = _labelled_rows(table, options)
            _check_sheet(table, options)
        summary = rater.calibrate(
            texts,
            ratings,
            by=groups,
            human_range=columns.human_range,
            interval=options.interval,
            seed=options.seed,
            source=Path(table.name).name,
            progress=progress,
        )
    summary.save(options.outputs.calibration)
    return summary


def _check_sheet(table: Table, options: CalibrateOptions) -> None:
    """Check that a sheet of ``semscale label`` has no row of its file twice; other tables pass.

    Raises:
        InputError: a row has two labels.
    """
    if not set(COLUMNS) <= set(table.columns):
        return
    rows: list[float] = []
    first_row = 0
    for batch in map(with_points, table.batches(_BATCH)):
        humans = humans_in(column_in(batch, options.columns.human), first_row)
        numbers = floats_in(numbers_in(column_in(batch, ROW), ROW, first_row)).tolist()
        first_row += batch.height
        rows += [row for row, human in zip(numbers, humans, strict=True) if human is not None]
    check_once(rows, "file", Path(table.name).name)


def _labelled_rows(table: Table, options: CalibrateOptions) -> tuple[list[Any], list[Any], list[Any] | None]:
    """Read texts, ratings and groups of the rows that have a rating."""
    columns, first_row = options.columns, 0
    texts: list[Any] = []
    ratings: list[Any] = []
    groups: list[Any] = []
    for batch in map(with_points, table.batches(_BATCH)):
        humans = humans_in(column_in(batch, columns.human), first_row, columns.human_range)
        kept = [row for row, human in enumerate(humans) if human is not None]
        ratings += [humans[row] for row in kept]
        texts += column_in(batch, columns.text)[kept].to_list()
        groups += [] if columns.by is None else column_in(batch, columns.by)[kept].to_list()
        first_row += batch.height
        if len(texts) > _MOST_LABELLED:
            raise InputError(
                f"human: column '{columns.human}' labels more than {_MOST_LABELLED:,} texts, and a "
                "calibration gains nothing from so many; leave some cells empty"
            )
    return texts, ratings, None if columns.by is None else groups
