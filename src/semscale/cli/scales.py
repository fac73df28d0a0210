"""The commands ``semscale scales``: list the library, show and check a scale, start one and add to it."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App
from pydantic import Field

from semscale.chat.settings import CHAT
from semscale.cli.options import Rare, Without, command, refuse_stated
from semscale.cli.outputs import OUTPUT, Outputs, present
from semscale.cli.process import echo, say
from semscale.cli.rate import LabelledColumns, ScaleName
from semscale.cli.shared import (
    ARGUMENTS,
    CallOptions,
    ChatOptions,
    EmbedderOptions,
    InputFile,
    RowOptions,
    RunOptions,
    SurveyOptions,
)
from semscale.cli.study import write_new_file
from semscale.errors import InputError
from semscale.input_files import read_input_text
from semscale.messages import unreadable
from semscale.rating.settings import DEFAULT_READOUT, RATING, RaterSettings, Readout
from semscale.settings import COLUMNS, RUN, Option, Settings

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.rating.expected import ExpectedCorrelation
    from semscale.scales import Scale
    from semscale.types import Progress

app = App(name="scales", help="List, show and check scales and their anchors; start one, add anchor sets.")

_GATE_FAILED = 1

_MOST_TEXTS = 5_000
"""Texts that probes are chosen from."""

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
        Field(description="Name of a scale, or a YAML file."),
        Option(ARGUMENTS, "[NAME|FILE]", positional=True),
    ] = None
    every: Annotated[bool, Field(description="All scales of the library."), Option(RUN, name="--all")] = False
    language: Language = None
    file: Annotated[
        str | None,
        Field(description="Table with texts of your own, to propose probes from."),
        Option(COLUMNS, "FILE"),
    ] = None
    text: Annotated[
        str | None, Field(description="Column of texts in --file."), Option(COLUMNS, "COLUMN")
    ] = None
    description: Annotated[SurveyOptions, Rare("survey")]
    readout: Annotated[
        Readout | None,
        Field(description=f"Formula that rates the probes (default: {DEFAULT_READOUT})."),
        Option(RATING, rare=True),
    ] = None
    outputs: Annotated[Outputs, Without("out", "escape")]
    embedder: EmbedderOptions

    def names(self) -> list[str]:
        """Return the names of the scales, and check that outputs can be written.

        Raises:
            InputError: neither one nor all, or a report of all.
        """
        from semscale.scales import scale_names

        if self.every == (self.scale is not None):
            raise InputError("lint takes one scale (a name or a file) or --all: give exactly one of them")
        single = [*(name for name, _ in self.outputs.named), *(["json"] if self.outputs.json_ else [])]
        single += ["file"] if self.file is not None else []
        if self.every and single:
            raise InputError(f"--{single[0]} is for one scale: name it instead of --all")
        if (self.file is None) != (self.text is None):
            raise InputError("--file and --text go together: name the table and its column of texts")
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
    """Show a scale: its points, its anchors, where they come from, and notes.

    [bold]semscale scales show satisfaction[/bold]
    """
    from semscale.report.lint import scale_document
    from semscale.report.terminal import print_document
    from semscale.scales import load_scale

    print_document(scale_document(load_scale(options.scale, language=options.language)))


@app.command(name="lint")
@command
def lint(options: LintOptions) -> int:
    """Check whether the model can tell a scale's anchors apart: a verdict with reasons.

    A verdict holds for one model, and for the engine and precision that it runs with. With --file and --text
    probes are proposed from texts of your own, and the correlation with people to expect on them is stated.

    Exit code 1 if a scale fails; a warning is no failure.
    """
    from semscale.cli.progress import progress_bars
    from semscale.rating.lint import lint as lint_scale
    from semscale.rating.lint import probe_lines
    from semscale.report.lint import lint_overview
    from semscale.report.terminal import print_document
    from semscale.scales import load_scale
    from semscale.weights.known import DEFAULT_RATING_MODEL

    scales = [load_scale(name, language=options.language) for name in options.names()]
    with progress_bars() as progress:
        embedder = options.embedder.load(progress, default=DEFAULT_RATING_MODEL)
        results = [
            lint_scale(scale, embedder=embedder, readout=options.readout, progress=progress)
            for scale in scales
        ]
        probes, expected = _rate_texts(options, scales[0], embedder, progress)
        results[0] = replace(results[0], expected=expected)
    if options.every:
        print_document(lint_overview(results))
    else:
        present(results[0], options.outputs, facts={"proposed_probes": probes})
    if probes and not options.outputs.json_:
        echo("\nProposed probes: fill in the level of each before you look at any rating.\n")
        echo(probe_lines(probes))
    return _GATE_FAILED if any(result.verdict == "fail" for result in results) else 0


def _rate_texts(
    options: LintOptions, scale: "Scale", embedder: "Embedder", progress: "Progress"
) -> "tuple[list[str] | None, ExpectedCorrelation | None]":
    """Rate texts of the file; ``None`` where no file is named.

    Returns:
        Texts to serve as probes, and the correlation with people to expect.
    """
    if options.file is None or options.text is None:
        return None, None
    from semscale.rating.lint import propose_probes
    from semscale.rating.rater import Rater
    from semscale.rating.settings import RatingColumns
    from semscale.store.reading import open_table

    table, columns = options.description.resolve(
        open_table(options.file), options.file, RatingColumns(text=options.text), is_reported=False
    )
    table.require_text(columns.text, "text")
    batch = next(table.batches_with([columns.text], _MOST_TEXTS))
    texts = list(dict.fromkeys(columns.cells_in(batch, columns.text).drop_nulls().to_list()))
    ratings = Rater(scale, embedder=embedder, readout=options.readout).rate(texts, progress=progress)
    return propose_probes(texts, ratings), ratings.summarize().expected


class GrowOutputs(Outputs):
    """Files that ``semscale scales grow`` writes."""

    grown: Annotated[
        Path | None,
        Field(description="New YAML file with the present and the proposed anchor sets."),
        Option(OUTPUT, "FILE", name="--out"),
    ] = None

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The scale with the proposed sets."""
        return {"scale": self.grown}


class GrowOptions(Settings):
    """All options of ``semscale scales grow``."""

    file: Annotated[
        Path, Field(description="The YAML file of a scale."), Option(ARGUMENTS, "FILE", positional=True)
    ]
    n: Annotated[int, Field(ge=1, le=50, description="Number of anchor sets to ask for."), Option(CHAT)] = 10
    reply: Annotated[
        Path | None,
        Field(description="File with the reply to the printed prompt; - is standard input."),
        Option(CHAT, "FILE"),
    ] = None
    chat: ChatOptions
    calls: Annotated[CallOptions, Without("dry_run")]
    outputs: Annotated[GrowOutputs, Without("out", "escape")]
    embedder: EmbedderOptions

    def model_post_init(self, _context: object) -> None:
        """Refuse options that do not go together."""
        if self.chat.is_stated and self.reply is not None:
            raise InputError("--reply holds the reply already: leave out --chat-model")
        if not self.chat.is_stated:
            refuse_stated("--chat-model NAME", self.chat, self.calls)


@app.command(name="grow")
@command
def grow(options: GrowOptions) -> None:
    """Propose further anchor sets, each on another topic, and check them with the linter.

    [bold]semscale scales grow my-scale.yaml --chat-model NAME --n 10 --out grown.yaml[/bold]

    Without a chat model, the command prints the prompt. Paste it into any chat model, save the reply, and
    pass it with --reply. The scale's own file does not change.
    """
    from semscale.cli.progress import progress_bars
    from semscale.rating.growing import grow as grow_scale
    from semscale.rating.growing import grow_file, growing_prompt
    from semscale.scales import load_scale
    from semscale.store.atomic import replacing
    from semscale.weights.known import DEFAULT_RATING_MODEL

    scale, grown = load_scale(options.file), options.outputs.grown
    options.outputs.check()
    if grown is not None and grown.exists():
        raise InputError("out", f": {grown} exists: name another file, or move it away")
    if not options.chat.is_stated and options.reply is None:
        echo(growing_prompt(scale, options.n))
        say(f"next: save the reply, then semscale scales grow {options.file} --reply FILE")
        return
    with progress_bars() as progress:
        reply, author = _reply(options, scale, progress)
        growth = grow_scale(
            scale,
            reply,
            source=f"{author}, {datetime.now(UTC).date()}",
            embedder=options.embedder.load(progress, default=DEFAULT_RATING_MODEL),
            progress=progress,
        )
    if grown is not None:
        content = grow_file(read_input_text(options.file), growth)
        with replacing(grown) as temporary:
            temporary.write_text(content, encoding="utf-8")
    present(growth, options.outputs)


def _reply(options: GrowOptions, scale: "Scale", progress: "Progress") -> tuple[str, str]:
    """Ask the chat model, or read the reply that the user has; return it with its author."""
    if options.reply is not None:
        if str(options.reply) == "-":
            return sys.stdin.read(), "a reply on standard input"
        try:
            return read_input_text(options.reply), f"the reply in {options.reply.name}"
        except OSError as error:
            raise unreadable(f"`reply`: {options.reply}", error) from None
        except UnicodeDecodeError as error:
            raise InputError(
                "reply", f": {options.reply} is not UTF-8 text ({error.reason}); save the reply as UTF-8"
            ) from None
    from semscale.chat.messages import Request
    from semscale.rating.growing import growing_prompt

    model = options.chat.load(progress)
    request = Request.of(growing_prompt(scale, options.n), temperature=1.0, max_tokens=8_000)
    (outcome,) = options.calls.runner(model).run([request], progress=progress)
    if outcome.reply is None:
        raise InputError(f"{model.name} gave no reply: {outcome.failure}")
    return outcome.reply.text, model.name


class ValidateOptions(Settings):
    """All options of ``semscale scales validate``."""

    file: InputFile
    columns: Annotated[LabelledColumns, Without("by")]
    scale: ScaleName
    rating: RaterSettings
    outputs: Annotated[Outputs, Without("out", "escape")]
    embedder: Annotated[EmbedderOptions, Without("name")]
    description: SurveyOptions
    table: RowOptions
    run: Annotated[RunOptions, Without("part_rows", "restart")]


@app.command(name="validate")
@command
def validate(options: ValidateOptions) -> None:
    """Compare a scale's ratings with people's, with plain sentiment and with text length.

    [bold]semscale scales validate labelled.csv --text comment --human rating --scale my-scale.yaml[/bold]

    If a scale's correlation with people is clearly above those of sentiment and text length, it measures more
    than these.
    """
    from semscale.cli.progress import progress_bars
    from semscale.rating.labelling import read_labelled
    from semscale.rating.rater import Rater
    from semscale.rating.settings import check_human_range
    from semscale.rating.validity import validate as validate_scale
    from semscale.weights.known import DEFAULT_RATING_MODEL

    columns = options.columns.columns
    check_human_range(columns.human_range)
    options.outputs.check()
    table = options.table.open(options.file)
    table, columns = options.description.resolve(table, options.file, columns, is_reported=False)
    table.require(options.columns.human, "human")
    table.require_text(columns.text, "text")
    texts, ratings, _ = read_labelled(table, columns)
    with progress_bars() as progress:
        settings = options.rating.with_values(
            embedder=lambda: options.embedder.load(progress, default=DEFAULT_RATING_MODEL)
        )
        validity = validate_scale(
            Rater.from_settings(options.scale, settings),
            texts,
            ratings,
            human_range=columns.human_range,
            interval=options.run.interval,
            seed=options.run.seed,
            source=table.file_name,
            progress=progress,
        )
    present(validity, options.outputs)


@app.command(name="new")
@command
def new(options: NewOptions) -> None:
    """Write a commented example of a scale, to change into your own.

    [bold]semscale scales new my-scale.yaml[/bold]
    """
    name = re.sub(r"[^a-z0-9]+", "-", options.file.stem.lower()).strip("-")
    text = (resources.files("semscale.cli") / "new_scale.yaml.txt").read_text(encoding="utf-8")
    write_new_file(options.file, text.replace("name: my-scale ", f"name: {name or 'my-scale'} "))
    echo(f"wrote {options.file}; next: edit it, then semscale scales lint {options.file}")
