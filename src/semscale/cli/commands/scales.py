"""``semscale scales``: list the library, show a scale, lint it, and start one of your own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semscale.cli.options.model import BaseUrl, Engine, Model, NoCache, Precision, PrecisionName
from semscale.cli.options.table import Figures, Report

if TYPE_CHECKING:
    from semscale.cli.outputs import Outputs

app = typer.Typer(help="Scales and their anchors: list, show, lint, start a new one.", no_args_is_help=True)

_GATE_FAILED = 1
_NameOrFile = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="A scale of the library, or a YAML file of your own.")
]


@app.command("list")
def list_scales() -> None:
    """List the scales that ship with Semscale."""
    from semscale.report.lint.library import library_document
    from semscale.report.render.terminal import print_document
    from semscale.scales import load_scale, scale_names

    print_document(library_document([load_scale(name) for name in scale_names()]))


@app.command()
def show(scale: _NameOrFile) -> None:
    """Show a scale: its points, all anchors, where they come from, and what to know about it."""
    from semscale.report.lint.library import scale_document
    from semscale.report.render.terminal import print_document
    from semscale.scales import load_scale

    print_document(scale_document(load_scale(scale)))


@app.command()
def lint(  # noqa: PLR0913, PLR0917 - each is an option of the command
    scale: Annotated[
        str | None, typer.Argument(metavar="[NAME|FILE]", help="A scale of the library, or a YAML file.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All scales of the library.")] = False,
    report: Report = None,
    figures: Figures = None,
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
    from semscale.cli.outputs import Outputs, present
    from semscale.cli.progress import progress_bars
    from semscale.rating.lint.linter import lint as lint_scale
    from semscale.report.lint.document import lint_overview
    from semscale.report.render.terminal import print_document
    from semscale.scales import load_scale

    outputs = Outputs(None, report, figures)
    scales = [load_scale(name) for name in _wanted(scale, outputs, every=every)]
    choice = ModelChoice(model, precision.value, engine, base_url, cache=not no_cache)
    with progress_bars() as progress:
        embedder = choice.load(progress)
        results = [lint_scale(each, embedder=embedder, progress=progress) for each in scales]
    if every:
        print_document(lint_overview(results))
    else:
        present(results[0], outputs, json=False)
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


def _wanted(scale: str | None, outputs: "Outputs", *, every: bool) -> list[str]:
    from semscale.errors import InputError
    from semscale.scales import scale_names

    if every == (scale is not None):
        raise InputError("lint takes one scale (a name or a file) or --all: give exactly one of them")
    if every and outputs.named:
        raise InputError(f"--{next(iter(outputs.named))} is for one scale: name it instead of --all")
    outputs.check()
    return scale_names() if scale is None else [scale]
