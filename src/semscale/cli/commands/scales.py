"""The commands ``semscale scales``: list the library, show a scale, lint it, start a new one."""

from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.options.groups import grouped, option_group, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.outputs import Outputs, present
from semscale.cli.single_values import CommandGroup
from semscale.errors import InputError

app = CommandGroup(help="Scales and their anchors: list, show, lint, start a new one.", no_args_is_help=True)

_GATE_FAILED = 1
_NameOrFile = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="A scale of the library, or a YAML file of your own.")
]
_Language = Annotated[
    str | None, typer.Option(metavar="LANGUAGE", help="Translated anchors and probes, such as de.")
]


@app.command("list")
def list_scales() -> None:
    """List the scales that ship with Semscale."""
    from semscale.report.lint import library_document
    from semscale.report.terminal import print_document
    from semscale.scales import load_scale, scale_names

    print_document(library_document([load_scale(name) for name in scale_names()]))


@app.command()
def show(scale: _NameOrFile, language: _Language = None) -> None:
    """Show a scale: its points, its anchors, where they come from, and notes."""
    from semscale.report.lint import scale_document
    from semscale.report.terminal import print_document
    from semscale.scales import load_scale

    print_document(scale_document(load_scale(scale, language=language)))


@option_group
class LintOptions:
    """All options of ``semscale scales lint``."""

    scale: Annotated[
        str | None, typer.Argument(metavar="[NAME|FILE]", help="A scale of the library, or a YAML file.")
    ] = None
    every: Annotated[bool, typer.Option("--all", help="All scales of the library.")] = False
    language: _Language = None
    outputs: Annotated[Outputs, without("out")]
    model: ModelOptions

    def names(self) -> list[str]:
        """Say which scales are meant, and check that outputs can be written.

        Raises:
            InputError: neither one nor all, or a report of all.
        """
        from semscale.scales import scale_names

        if self.every == (self.scale is not None):
            raise InputError("lint takes one scale (a name or a file) or --all: give exactly one of them")
        single = [*self.outputs.named, *(["json"] if self.outputs.json else [])]
        if self.every and single:
            raise InputError(f"--{single[0]} is for one scale: name it instead of --all")
        self.outputs.check()
        return scale_names() if self.scale is None else [self.scale]


@app.command()
@grouped
def lint(options: LintOptions) -> None:
    """Measure whether a scale's anchors can be told apart, and give a verdict with reasons.

    A verdict holds for one model, and for the engine and precision that it runs with.

    Exit code 1 if a scale fails; a warning is no failure.
    """
    from semscale.cli.progress import progress_bars
    from semscale.rating.lint import lint as lint_scale
    from semscale.report.lint import lint_overview
    from semscale.report.terminal import print_document
    from semscale.scales import load_scale
    from semscale.weights.known import DEFAULT_RATING_MODEL

    scales = [load_scale(name, language=options.language) for name in options.names()]
    with progress_bars() as progress:
        embedder = options.model.load(progress, default=DEFAULT_RATING_MODEL)
        results = [lint_scale(each, embedder=embedder, progress=progress) for each in scales]
    if options.every:
        print_document(lint_overview(results))
    else:
        present(results[0], options.outputs)
    if any(result.verdict == "fail" for result in results):
        raise typer.Exit(_GATE_FAILED)


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The YAML file to start; must not exist.")],
) -> None:
    """Start a scale of your own: a commented file that works as it is, for you to rewrite."""
    from importlib import resources

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
