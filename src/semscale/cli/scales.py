"""The commands ``semscale scales``: list the library, show a scale, lint it, start a new one."""

from pathlib import Path
from typing import Annotated

from cyclopts import App
from pydantic import Field

from semscale.cli.options import Without, command
from semscale.cli.outputs import Outputs, present
from semscale.cli.process import echo
from semscale.cli.shared import ARGUMENTS, RUN, EmbedderOptions
from semscale.cli.study import write_template
from semscale.errors import InputError
from semscale.settings import Option, Settings

app = App(name="scales", help="List, show and check scales and their anchors; start a new one.")

_GATE_FAILED = 1

Language = Annotated[
    str | None,
    Field(description="Translated anchors and probes, such as de."),
    Option(RUN, "LANGUAGE"),
]


class ListOptions(Settings):
    """All options of ``semscale scales list``: none."""


class ShowOptions(Settings):
    """All options of ``semscale scales show``."""

    scale: Annotated[
        str,
        Field(description="A scale of the library, or a YAML file of your own."),
        Option(ARGUMENTS, "NAME|FILE", positional=True),
    ]
    language: Language = None


class LintOptions(Settings):
    """All options of ``semscale scales lint``."""

    scale: Annotated[
        str | None,
        Field(description="A scale of the library, or a YAML file."),
        Option(ARGUMENTS, "[NAME|FILE]", positional=True),
    ] = None
    every: Annotated[bool, Field(description="All scales of the library."), Option(RUN, name="--all")] = False
    language: Language = None
    outputs: Annotated[Outputs, Without("out", "escape")]
    model: EmbedderOptions

    def names(self) -> list[str]:
        """Return the names of the scales, and check that outputs can be written.

        Raises:
            InputError: neither one nor all, or a report of all.
        """
        from semscale.scales import scale_names

        if self.every == (self.scale is not None):
            raise InputError("lint takes one scale (a name or a file) or --all: give exactly one of them")
        single = [*self.outputs.named, *(["json"] if self.outputs.json_ else [])]
        if self.every and single:
            raise InputError(f"--{single[0]} is for one scale: name it instead of --all")
        self.outputs.check()
        return scale_names() if self.scale is None else [self.scale]


class NewOptions(Settings):
    """All options of ``semscale scales new``."""

    file: Annotated[
        Path,
        Field(description="The YAML file to start; must not exist."),
        Option(ARGUMENTS, "FILE", positional=True),
    ]


@app.command(name="list")
@command
def list_scales(_options: ListOptions) -> None:
    """List the scales that ship with Semscale."""
    from semscale.report.lint import library_document
    from semscale.report.terminal import print_document
    from semscale.scales import load_scale, scale_names

    print_document(library_document([load_scale(name) for name in scale_names()]))


@app.command(name="show")
@command
def show(options: ShowOptions) -> None:
    """Show a scale: its points, its anchors, where they come from, and notes."""
    from semscale.report.lint import scale_document
    from semscale.report.terminal import print_document
    from semscale.scales import load_scale

    print_document(scale_document(load_scale(options.scale, language=options.language)))


@app.command(name="lint")
@command
def lint(options: LintOptions) -> int:
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
        results = [lint_scale(scale, embedder=embedder, progress=progress) for scale in scales]
    if options.every:
        print_document(lint_overview(results))
    else:
        present(results[0], options.outputs)
    return _GATE_FAILED if any(result.verdict == "fail" for result in results) else 0


@app.command(name="new")
@command
def new(options: NewOptions) -> None:
    """Start a scale of your own: a commented file that works as it is, for you to rewrite."""
    write_template(options.file, "new_scale.yaml.txt")
    echo(f"wrote {options.file}; next: edit it, then semscale scales lint {options.file}")
