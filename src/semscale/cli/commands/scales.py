"""``semscale scales``: list the library, show a scale, lint it, and start one of your own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semscale.cli.options.model import BaseUrl, Engine, Model, NoCache, Precision, PrecisionName
from semscale.report.render.grids import print_table

if TYPE_CHECKING:
    from semscale.rating.lint.report import LintReport

app = typer.Typer(help="Scales and their anchors: list, show, lint, start a new one.", no_args_is_help=True)

_GATE_FAILED = 1
_COLOURS = {"pass": "green", "warn": "yellow", "fail": "red"}
_NameOrFile = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="A scale of the library, or a YAML file of your own.")
]


@app.command("list")
def list_scales() -> None:
    """List the scales that ship with Semscale."""
    from rich.table import Table

    from semscale.scales import load_scale, scale_names

    table = Table("scale", "points", "from", "to", "sets", "hash", box=None, header_style="bold")
    for scale in map(load_scale, scale_names()):
        ends = scale.labels[0], scale.labels[-1]
        table.add_row(scale.name, str(scale.n_points), *ends, str(len(scale.anchor_sets)), scale.content_hash)
    print_table(table)


@app.command()
def show(scale: _NameOrFile) -> None:
    """Show a scale: its points, all anchors, where they come from, and what to know about it."""
    from rich.table import Table
    from rich.text import Text

    from semscale.scales import load_scale

    loaded = load_scale(scale)
    typer.echo(f"{loaded.title} ({loaded.name}, {loaded.language}, hash {loaded.content_hash})")
    typer.echo(f"Question: {loaded.question}")
    for name, anchors in loaded.anchor_sets.items():
        table = Table("value", "label", "anchor", box=None, header_style="bold", title_justify="left")
        table.title = Text(f"\n{name}")
        for point, anchor in zip(loaded.points, anchors, strict=True):
            table.add_row(f"{point.value:g}", Text(point.label), Text(anchor))
        print_table(table)
    typer.echo(f"\n{loaded.provenance}")
    if loaded.notes:
        typer.echo(loaded.notes)


@app.command()
def lint(  # noqa: PLR0913, PLR0917 - each is an option of the command
    scale: Annotated[
        str | None, typer.Argument(metavar="[NAME|FILE]", help="A scale of the library, or a YAML file.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All scales of the library.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write a page with pictures here (.html).")] = None,
    model: Model = None,
    precision: PrecisionName = Precision.EXACT,
    engine: Engine = "openvino",
    base_url: BaseUrl = None,
    no_cache: NoCache = False,  # noqa: FBT002
) -> None:
    """Measure whether a scale's anchors can be told apart, and give a verdict with reasons.

    A verdict holds for one model, and for the engine and precision that it runs with.

    Exit code 1 if a scale fails; a warning is no failure.
    """
    from semscale.cli.options.model_choice import ModelChoice
    from semscale.cli.progress import progress_bars
    from semscale.rating.lint.linter import lint as lint_scale
    from semscale.scales import load_scale

    names = _wanted(scale, every=every, report=report)
    scales = [load_scale(name) for name in names]
    choice = ModelChoice(model, precision.value, engine, base_url, cache=not no_cache)
    with progress_bars() as progress:
        embedder = choice.load(progress)
        results = [lint_scale(each, embedder=embedder, progress=progress) for each in scales]
    for result in results:
        _print_verdict(result)
    if report is not None:
        _write_page(report, results[0])
    if any(result.verdict == "fail" for result in results):
        raise typer.Exit(_GATE_FAILED)


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The YAML file to start; must not exist.")],
) -> None:
    """Start a scale of your own: a commented file that can be used as it is and wants to be rewritten."""
    from importlib import resources

    from semscale.errors import InputError

    if file.suffix.lower() not in {".yaml", ".yml"}:
        raise InputError(f"FILE must end in .yaml, got {file.name!r}")
    template = (resources.files("semscale.cli") / "new_scale.yaml.txt").read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8", newline="\n") as output:
            output.write(template)
    except FileExistsError:
        raise InputError(f"FILE must not exist, but {file} does: choose another name") from None
    except OSError as error:
        raise InputError(f"FILE cannot be written: {file}: {error.strerror or error}") from None
    typer.echo(f"wrote {file}; next: edit it, then semscale scales lint {file}")


def _wanted(scale: str | None, *, every: bool, report: Path | None) -> list[str]:
    from semscale.errors import InputError
    from semscale.scales import scale_names
    from semscale.store.atomic import check_writable

    if every == (scale is not None):
        raise InputError("lint takes one scale (a name or a file) or --all: give exactly one of them")
    if report is not None:
        if every:
            raise InputError("report shows one scale: name it instead of --all")
        if report.suffix.lower() not in {".html", ".htm"}:
            raise InputError(f"report must end in .html, got {report.name!r}")
        check_writable(report, "report")
    return scale_names() if scale is None else [scale]


def _print_verdict(result: "LintReport") -> None:
    from semscale.report.lint_words import measured

    verdict = typer.style(result.verdict, fg=_COLOURS[result.verdict], bold=True)
    typer.echo(f"{verdict}  {result.scale.name}  ({measured(result)})")
    for reason in result.reasons:
        typer.echo(f"      {reason}")


def _write_page(path: Path, result: "LintReport") -> None:
    from semscale.report.lint_page import lint_page
    from semscale.store.atomic import replacing

    page = lint_page(result)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    typer.echo(f"wrote {path}")
