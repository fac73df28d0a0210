"""Runs of ``semscale judge label``: judge the rows, draw some, write the table to fill in."""

import shlex
from collections import Counter
from functools import partial

import numpy as np
import polars as pl
import typer

from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.cli.options.judging import JudgeLabelOptions
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.runs.judge import read_cells
from semscale.cli.runs.judge_forecasts import NOTE, forecast_items, row_forecast
from semscale.cli.runs.label import check_unlabelled, given_options
from semscale.errors import InputError, InterruptedRunError
from semscale.judging.human_labels import HUMAN, INCLUSION, LabelDraw, earlier_draws, label_table
from semscale.judging.judge import Judge
from semscale.judging.prompts import JudgedItem, read_items
from semscale.judging.templates import Template
from semscale.judging.verdicts import draw_rows
from semscale.results.table_columns import Cells
from semscale.store.atomic import check_writable
from semscale.store.columns import floats_in
from semscale.store.writing import output_format, write_table
from semscale.types import Floats, Progress, Status


def draw_for_labels(options: JudgeLabelOptions) -> None:
    """Judge the rows of a file, from the ledger where they were judged before, and draw some for labels.

    Raises:
        InputError: a column, option or output that does not serve, or no row with a score.
        InterruptedRunError: a cap was reached; replies are kept, and nothing is drawn.
        ReplyError: no call can succeed.
    """
    with progress_bars() as progress:
        judge, cells, _ = _read(options, progress)
        earlier = None if cells.get("human") is None else _earlier(cells, judge.template)
        verdicts = judge.judge(
            cells["question"],
            cells["answer"],
            references=cells.get("reference"),
            running=options.calls.running(),
            progress=progress,
        )
    if verdicts.stopped is not None:
        raise InterruptedRunError(verdicts.stopped)
    drawn = draw_rows(verdicts, options.n, alike=options.alike, seed=options.seed, earlier=earlier)
    write_table(drawn.table(cells.rows), options.out)
    typer.echo(
        "\n".join(
            [
                *_told(options, drawn, decides=judge.settings.method == "decision"),
                f"then: {_command(options)}",
            ]
        )
    )


def forecast_draw(options: JudgeLabelOptions) -> ForecastSummary:
    """Forecast the calls that judging the rows would take, without asking.

    Raises:
        InputError: a column or option that does not serve.
    """
    judge, cells, source = _read(options)
    rows = read_items(cells["question"], cells["answer"], cells.get("reference"))
    counts = Counter(row if isinstance(row, Status) else Status.SCORED for row in rows)
    items = [row for row in rows if isinstance(row, JudgedItem)]
    works = {judge.name: partial(forecast_items, judge, items)}
    return row_forecast(source, options.calls.forecasts(works), counts, NOTE)


def _read(options: JudgeLabelOptions, progress: Progress | None = None) -> tuple[Judge, Cells, str]:
    """Check the options, load the judge, and read the rows with labels of an earlier draw; name the table."""
    if options.n < 1:
        raise InputError(f"n must be at least 1, got {options.n}")
    options.judges.check(options.settings)
    output_format(options.out)
    check_writable(options.out, "out")
    check_input(options.file, options.out, "out")
    check_unlabelled(options.out)
    judge = options.judges.load(options.settings, progress)
    if not isinstance(judge, Judge):
        raise InputError("rows are drawn by one judge: name it with --model")
    table = options.table.open(options.file)
    earlier_labels = HUMAN if HUMAN in table.columns else None
    return judge, read_cells(table, options.columns.changed(human=earlier_labels)), table.name


def _earlier(cells: Cells, template: Template) -> Floats:
    """Read which rows were drawn before, or have a label from elsewhere."""
    inclusion = None
    if INCLUSION in cells.rows.columns:
        inclusion = floats_in(cells.rows[INCLUSION].cast(pl.Float64))
    return earlier_draws(label_table(cells.get("human"), template), inclusion)


def _told(options: JudgeLabelOptions, drawn: LabelDraw, *, decides: bool) -> list[str]:
    n = len(drawn.rows)
    said = [f"{n:,} of {drawn.n_scored:,} judged rows drawn", f"table: {options.out}"]
    if drawn.earlier is not None:
        before = int((~np.isnan(drawn.earlier)).sum())
        said.append(
            f"{before:,} earlier rows are kept with their labels; {INCLUSION!r} joins their draw and this one"
        )
    if n == drawn.n_scored:
        said.append("gain: none, as every row that could be drawn was")
    elif round(drawn.worth) > n:
        said.append(
            f"gain: as good as {drawn.worth:,.0f} labels drawn alike, if the judge's distributions say how "
            "far it may be off; a judge who is sure and wrong makes the mean worse instead (see --alike)"
        )
    elif not options.alike:
        said.append(
            "gain: less than one label, as the judge is about equally sure of all rows"
            + ("" if decides else "; --method decision asks for a probability of each level")
        )
    said.append(f"label the rows at the top in the column {HUMAN!r}; {INCLUSION!r} stays as it is")
    return said


def _command(options: JudgeLabelOptions) -> str:
    """Write the command that corrects the mean by the filled table; replies come from the ledger."""
    given = given_options(options.columns, options.judges, options.settings, options.calls)
    return shlex.join(
        ["semscale", "judge", str(options.out), *given, "--human", HUMAN, "--inclusion", INCLUSION]
    )
