"""The commands ``semscale study``: start a study, run it, compare it with people, make tables."""

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from semscale.cli.interrupts import said_if_stopped
from semscale.cli.options.groups import grouped
from semscale.cli.options.study import StudyCompareOptions, StudyRunOptions
from semscale.cli.options.tables import TablesOptions
from semscale.cli.single_values import CommandGroup

app = CommandGroup(
    help="Studies: questionnaires put to a synthetic panel and compared with people, and tables of a survey.",
    no_args_is_help=True,
)


@app.command()
def init(
    file: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="The YAML file to start; must not exist.")
    ] = Path("study.yaml"),
) -> None:
    """Start a study: a commented file that runs as it is on a model of this machine."""
    from semscale.cli.runs.study import start_study

    start_study(file)
    typer.echo(f"wrote {file}; next: semscale study run {file} --dry-run, and then without --dry-run")


@app.command()
@grouped
def run(options: StudyRunOptions) -> None:
    """Ask every persona of a panel, and measure every answer by the methods that the file names.

    [bold]semscale study run study.yaml --dry-run[/bold]

    If it is stopped, the same command continues and never repeats a paid call.

    The intervals are simulation intervals: how far figures would move with other personas drawn alike. They
    say nothing about people.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.study import forecast_run, run_study

    if options.asking.calls.dry_run:
        present(forecast_run(options), options.outputs.of_forecast)
        return
    outputs = options.outputs.beside(options.file)
    with said_if_stopped("stopped; replies are in the ledger, and the same command goes on from there"):
        began = monotonic()
        summary = run_study(options, outputs)
        seconds = monotonic() - began
        present(summary, outputs, stopped=summary.facts.stopped, failed=summary.failed, seconds=seconds)


@app.command()
@grouped
def compare(options: StudyCompareOptions) -> None:
    """Compare the answers of a panel with those of people: structure, marginals and individuals.

    [bold]semscale study compare study-results people.csv --concept concept --by age[/bold]

    Every figure is shown with the ceiling that people among themselves reach, and with panels that know
    nothing. The first line states what can be concluded, and what cannot.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.study import compare_study

    with said_if_stopped("stopped; nothing was written"):
        began = monotonic()
        present(compare_study(options), options.outputs, seconds=monotonic() - began)


@app.command()
@grouped
def tables(options: TablesOptions) -> None:
    """Tabulate the questions of a survey by groups, with intervals, bases, letters and tests.

    [bold]semscale study tables answers.sav --question q1 --question "brand_*" --banner age_band
    --band age=18,35,55 --weight w --out tables.xlsx[/bold]

    A letter says that a cell lies significantly above the column of that letter. Rows, cells and groups that
    are left out or too small are counted and named.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.tables import make_tables

    present(make_tables(options), options.outputs)
