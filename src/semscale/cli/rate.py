"""The commands ``semscale rate``, ``calibrate`` and ``demo``: texts rated on a scale."""

import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from semscale.cli.options import As, Rare, Without, command, refuse_stated
from semscale.cli.outputs import OUTPUT, Outputs, check_input, present
from semscale.cli.process import echo
from semscale.cli.shared import (
    CallOptions,
    ChatOptions,
    EmbedderOptions,
    InputFile,
    RayOptions,
    RowOptions,
    RunOptions,
    SurveyOptions,
    TextColumn,
    model_recipe,
)
from semscale.errors import InputError
from semscale.messages import did_you_mean
from semscale.rating.settings import RATING, RaterSettings, RatingColumns
from semscale.settings import COLUMNS, Option, Settings

if TYPE_CHECKING:
    from semscale.distributed.datasets import RatingRecipe
    from semscale.rating.calibration import CalibrationSummary
    from semscale.rating.decisions import TableDecisions
    from semscale.rating.lint import LintReport
    from semscale.rating.rater import Rater
    from semscale.rating.summary import RatingSummaries, RatingSummary
    from semscale.store.table import Table
    from semscale.types import Progress

ScaleName = Annotated[
    str,
    Field(description="Scale: a name (semscale scales list) or a YAML file."),
    Option(RATING, "SCALE"),
]


class TextColumns(Settings):
    """Columns of the texts that are rated, one after the other."""

    text: Annotated[
        tuple[str, ...],
        Field(description="Column of texts (default: the only column of open answers)."),
        Option(COLUMNS, "COLUMN"),
    ] = ()


class OtherColumns(RatingColumns):
    """Columns of groups, weights, respondents and human ratings."""

    text: str = ""


class RateOptions(Settings):
    """All options of ``semscale rate``."""

    file: InputFile
    texts: TextColumns
    columns: OtherColumns
    labels: Annotated[
        Path | None,
        Field(description="A filled sheet of semscale label, instead of --human and --inclusion."),
        Option(COLUMNS, "FILE", rare=True),
    ] = None
    scale: Annotated[
        tuple[str, ...],
        Field(
            description="Scale: a name (semscale scales list) or a YAML file; COLUMN=SCALE for one column."
        ),
        Option(RATING, "SCALE"),
    ]
    rating: RaterSettings
    method: Annotated[
        Literal["ssr", "decision"],
        Field(description="Method: similarity to anchors (ssr), or also ask a chat model (decision)."),
        Option(RATING, rare=True),
    ] = "ssr"
    outputs: Outputs
    embedder: Annotated[EmbedderOptions, Rare("name")]
    chat: Annotated[ChatOptions, Rare("model")]
    calls: Annotated[CallOptions, Without("dry_run"), Rare("money")]
    description: SurveyOptions
    table: RowOptions
    run: RunOptions
    cluster: RayOptions

    def model_post_init(self, _context: object) -> None:
        """Refuse options that do not go together."""
        if self.method == "ssr":
            refuse_stated("--method decision", self.chat, self.calls)
        elif self.chat.model is None:
            raise InputError("--method decision needs --chat-model NAME")
        given = self.columns
        if self.labels is not None and (given.human is not None or given.inclusion is not None):
            raise InputError(
                "--labels has people's ratings and their probabilities: leave out --human and --inclusion"
            )
        if given.human_range is not None and given.human is None and self.labels is None:
            raise InputError("--human-range belongs to --human: name the column of human ratings as well")
        if len(self.texts.text) > 1:
            only_one = {
                "--ray": self.cluster.cluster,
                "--human": given.human,
                "--labels": self.labels,
                "--method decision": None if self.method == "ssr" else True,
            }
            for name, value in only_one.items():
                if value is not None:
                    raise InputError(
                        name, f"belongs to one --text, got {len(self.texts.text)}: rate each by itself"
                    )


@command
def rate(options: RateOptions) -> None:
    """Rate a column of texts on a scale, and estimate means and shares.

    [bold]semscale rate answers.csv --text comment --scale satisfaction --report rated.html[/bold]

    If it is stopped, run it again with the same --out to continue after the last finished part.

    """
    from semscale.rating.summary import RatingSummary

    summary = run_rate(options)
    with options.outputs.report_if_stopped():
        stopped = failed = None
        if isinstance(summary, RatingSummary) and (decisions := summary.decided or summary.undecided):
            stopped, failed = decisions.stopped, decisions.failed
        present(summary, options.outputs, stopped=stopped, failed=failed)


def run_rate(options: RateOptions) -> "RatingSummary | RatingSummaries":
    """Rate the columns of texts, write the table, and sum it up, with the linter's verdict on each scale.

    Raises:
        InputError: an extension, folder or file that does not serve.
        SemscaleError: as ``rate_table``.
    """
    from semscale.cli.progress import progress_bars
    from semscale.rating.anchors import identifies
    from semscale.results.languages import load_identifier

    if identifies(options.rating.language):
        load_identifier()  # in a thread, while this one imports the engine
    options.outputs.check_run(options.file, restart=options.run.restart)
    if not options.texts.text:
        options, note = _with_open_text(options)
        summary = run_rate(options)
        return replace(summary, input_notes=(note, *summary.input_notes))
    with progress_bars() as progress:
        # Mistakes in a scale or a setting are reported before the file is opened, and mistakes in a column
        # before the model is loaded.
        raters = _raters(options, progress)
        if len(raters) > 1:
            return _rate_columns(options, raters, progress)
        return _rate_column(options, raters, progress)


def _with_open_text(options: RateOptions) -> tuple[RateOptions, str]:
    """Choose the only open text of the file, and report it."""
    from semscale.store.column_profile import open_text_column

    if options.file == "-":
        raise InputError("--text is needed with standard input: name the column with the texts")
    table = options.table.open(options.file, is_reported=True)
    _, survey = options.description.find(table, options.file)
    described = () if survey is None else survey.of_kind("open")
    if len(described) == 1:
        text, why = described[0].name, "question of the description that is open"
    else:
        text, why = open_text_column(table), "column that looks like open texts"
    note = f"text: '{text}' was rated, the only {why}"
    return options.with_values(texts=TextColumns(text=(text,))), note


def _raters(options: RateOptions, progress: "Progress") -> "dict[str, Rater]":
    """Build the rater of each column of texts; columns with one scale share a rater."""
    from semscale.rating.rater import Rater
    from semscale.weights.known import DEFAULT_RATING_MODEL

    embedder = cache(lambda: options.embedder.load(progress, default=DEFAULT_RATING_MODEL))
    settings = options.rating.with_values(embedder=embedder)
    scales = scales_of(options.texts.text, options.scale)
    raters = {scale: Rater.from_settings(scale, settings) for scale in dict.fromkeys(scales.values())}
    return {text: raters[scale] for text, scale in scales.items()}


def _open_table(
    options: RateOptions, raters: "Mapping[str, Rater]"
) -> "tuple[Table, RatingColumns, dict[str, Rater]]":
    """Open the table, and find its columns by the description of the survey.

    Returns:
        The table, its columns with the first text, and the rater of each column of texts.
    """
    from semscale.results.table_columns import resolve_columns
    from semscale.survey.finding import column_named

    table = options.table.open(options.file, is_reported=True)
    table, survey = options.description.find(table, options.file, weight=options.columns.weight)
    columns = table.columns
    by_column = {column_named(text, columns, survey, "text"): rater for text, rater in raters.items()}
    if len(by_column) < len(raters):
        raise InputError("text", f": two of {', '.join(raters)} name the same column; name it once")
    stated = RatingColumns(**(dict(options.columns) | {"text": next(iter(by_column))}))
    return *resolve_columns(stated, table, survey), by_column


def _rate_columns(
    options: RateOptions, raters: "dict[str, Rater]", progress: "Progress"
) -> "RatingSummaries":
    from semscale.rating.table import rate_columns

    run = options.run
    table, columns, raters = _open_table(options, raters)
    summaries = rate_columns(
        table,
        columns,
        raters,
        out=options.outputs.out,
        settings=run.parts_into(options.outputs),
        plan=run.plan,
        progress=progress,
    )
    with options.outputs.report_if_stopped():
        reports = {rater: _lint(rater) for rater in raters.values()}
        texts = {
            text: replace(summary, lint=reports[raters[text]]) for text, summary in summaries.texts.items()
        }
        return replace(summaries, texts=texts)


def _rate_column(options: RateOptions, raters: "dict[str, Rater]", progress: "Progress") -> "RatingSummary":
    from semscale.rating.labelling import read_sheet
    from semscale.rating.table import rate_table
    from semscale.store.reading import open_table

    run, labels = options.run, None
    if options.labels is not None:
        labels = read_sheet(open_table(options.labels), options.columns.human_range)
    table, columns, by_column = _open_table(options, raters)
    (rater,) = by_column.values()

    def recipe() -> "RatingRecipe":
        from semscale.distributed.datasets import RatingRecipe
        from semscale.rating.calibration import as_calibration
        from semscale.scales import load_scale
        from semscale.weights.known import DEFAULT_RATING_MODEL

        settings = options.rating.with_values(calibration=as_calibration(options.rating.calibration))
        (scale,) = scales_of(options.texts.text, options.scale).values()
        model = model_recipe(options.embedder, DEFAULT_RATING_MODEL)
        text = RatingColumns(text=columns.text).with_no_answer(columns.no_answer)
        return RatingRecipe(model, load_scale(scale), settings, text)

    with options.cluster.workers(options.embedder.engine, recipe) as workers:
        summary = rate_table(
            table,
            columns,
            rater=rater,
            out=options.outputs.out,
            settings=replace(run.parts_into(options.outputs), workers=workers),
            plan=run.plan,
            labels=labels,
            deciding=_decisions(options, rater, progress),
            progress=progress,
        )
    with options.outputs.report_if_stopped():
        return replace(summary, lint=_lint(rater))


def _lint(rater: "Rater") -> "LintReport":
    """Lint the scale that was used, with the model and the readout that rated."""
    from semscale.rating.lint import lint

    return lint(rater.scale, embedder=rater.embedder, readout=rater.settings.applied_readout)


def _decisions(options: RateOptions, rater: "Rater", progress: "Progress") -> "TableDecisions | None":
    """Return how a chat model rates the texts as well; ``None`` where none is to.

    Raises:
        InputError: the scale has more points than decisions take.
        SemscaleError: the chat model cannot be loaded.
    """
    if options.method != "decision":
        return None
    from semscale.rating.decisions import TableDecisions

    return TableDecisions(
        rater.scale, options.chat.load(), options.run.plan, options.calls.running(), progress
    )


def scales_of(texts: Sequence[str], scales: Sequence[str]) -> dict[str, str]:
    """Give each column of texts its scale.

    Args:
        texts: names of the columns.
        scales: one for all, or ``COLUMN=SCALE`` for each.

    Raises:
        InputError: a column is named twice, has two scales or none, or a scale is for another column.

    Examples:
        >>> scales_of(["why", "wish"], ["why=trust", "wish=quality"])
        {'why': 'trust', 'wish': 'quality'}
        >>> scales_of(["why", "wish"], ["trust"])
        {'why': 'trust', 'wish': 'trust'}
    """
    twice = [text for text in texts if texts.count(text) > 1]
    if twice:
        raise InputError("text", f": column '{twice[0]}' is named twice; name it once")
    by_text: dict[str, str] = {}
    common: list[str] = []
    for scale in scales:
        # Where one title begins another, as "a" and "a=b" do, the longer one is meant.
        column = max((text for text in texts if scale.startswith(f"{text}=")), key=len, default=None)
        if column is None:
            common.append(scale)
        elif column in by_text:
            raise InputError("scale", f": column '{column}' has two scales; give it one")
        else:
            by_text[column] = scale.removeprefix(f"{column}=")
    _check_columns_of_scales(common, texts)
    if len(common) > 1:
        raise InputError("scale", f": {', '.join(common)} are for all texts; give one, or write COLUMN=SCALE")
    without = [text for text in texts if text not in by_text]
    if without and not common:
        raise InputError("scale", f": column '{without[0]}' has no scale; add --scale {without[0]}=SCALE")
    if common and not without:
        raise InputError("scale", f": {common[0]} is for no text, as each has its own; leave it out")
    return {text: by_text.get(text) or common[0] for text in texts}


def _check_columns_of_scales(scales: Sequence[str], texts: Sequence[str]) -> None:
    """Refuse ``COLUMN=SCALE`` among the scales for all texts: its column is not rated."""
    for scale in scales:
        name, equals, _ = scale.partition("=")
        if equals and not Path(scale).exists():
            near = did_you_mean(name, texts) or f"; columns that are rated: {', '.join(texts)}"
            raise InputError("scale", f": '{name}' in {scale} is no column that is rated{near}")


class LabelledColumns(Settings):
    """Columns of labelled texts."""

    text: TextColumn
    human: Annotated[str, As(RatingColumns, "human")]
    by: Annotated[
        str | None,
        Field(description="Groups, such as surveys; the reported error holds for a new group."),
        Option(COLUMNS, "COLUMN"),
    ] = None
    human_range: Annotated[tuple[float, float] | None, As(RatingColumns, "human_range")] = None

    @property
    def columns(self) -> RatingColumns:
        """The columns."""
        by = () if self.by is None else (self.by,)
        return RatingColumns(text=self.text, human=self.human, by=by, human_range=self.human_range)


class CalibrationOutputs(Outputs):
    """Files that ``semscale calibrate`` writes."""

    calibration: Annotated[
        Path,
        Field(description="File for the calibration: .json."),
        Option(OUTPUT, "FILE", name="--out"),
    ]

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The calibration."""
        return {"calibration": self.calibration}


class CalibrateOptions(Settings):
    """All options of ``semscale calibrate``."""

    file: InputFile
    columns: LabelledColumns
    scale: ScaleName
    rating: Annotated[RaterSettings, Without("calibration")]
    outputs: Annotated[CalibrationOutputs, Without("out", "escape")]
    embedder: EmbedderOptions
    description: SurveyOptions
    table: RowOptions
    run: Annotated[RunOptions, Without("part_rows", "restart")]


@command
def calibrate(options: CalibrateOptions) -> None:
    """Learn from texts that people rated, to rate similar texts more as people do.

    [bold]semscale calibrate labelled.csv --text comment --human rating --scale quality --out cal.json[/bold]

    Use the file in [bold]semscale rate answers.csv ... --calibration cal.json[/bold]. The printed figures
    come from cross-validation: each text is rated without its own label.
    """
    present(_calibrate_table(options), options.outputs)


def _calibrate_table(options: CalibrateOptions) -> "CalibrationSummary":
    """Fit a calibration to the labelled rows of a file, and write it.

    Raises:
        InputError: a column, option, label or output that does not serve.
        SemscaleError: the model cannot be run.
    """
    from semscale.cli.progress import progress_bars
    from semscale.rating.calibration import check_calibration_path
    from semscale.rating.labelling import read_labelled
    from semscale.rating.rater import Rater
    from semscale.rating.settings import check_human_range
    from semscale.store.table import rows_of_the_file
    from semscale.weights.known import DEFAULT_RATING_MODEL

    columns = options.columns.columns
    check_human_range(columns.human_range)
    check_calibration_path(options.outputs.calibration)
    options.outputs.check()
    check_input(options.file, *options.outputs.report)
    with progress_bars() as progress:
        settings = options.rating.with_values(
            embedder=lambda: options.embedder.load(progress, default=DEFAULT_RATING_MODEL)
        )
        rater = Rater.from_settings(options.scale, settings)
        table = options.table.open(options.file)
        table, columns = options.description.resolve(table, options.file, columns, is_reported=False)
        for parameter, name in columns.field_columns():
            table.require(name, parameter)
        table.require_text(columns.text, "text")
        with rows_of_the_file(table):
            texts, ratings, groups = read_labelled(table, columns)
        summary = rater.calibrate(
            texts,
            ratings,
            progress=progress,
            human_range=columns.human_range,
            by=groups,
            interval=options.run.interval,
            seed=options.run.seed,
            source=table.file_name,
        )
    summary.save(options.outputs.calibration)
    return summary


class DemoOptions(Settings):
    """All options of ``semscale demo``."""

    folder: Annotated[
        Path,
        Field(description="Folder for the ratings and the report (default: semscale-demo)."),
        Option(OUTPUT, "FOLDER", name="--out"),
    ] = Path("semscale-demo")
    open: Annotated[bool, Field(description="Do not open the report in the browser."), Option(OUTPUT)] = True


@command
def demo(options: DemoOptions) -> None:
    """Rate 300 sentences of product reviews, compare them with people's ratings, and open the report.

    The sentences come with Semscale, each rated by 20 people. The first run pulls the model (89 MB) once.
    """
    from importlib import resources

    from semscale.store.atomic import check_folder

    folder = options.folder
    check_folder(folder, "out")
    folder.mkdir(parents=True, exist_ok=True)
    reviews, report = folder / "reviews.csv", folder / "report.html"
    reviews.write_bytes((resources.files("semscale.cli") / "sample" / "reviews.csv").read_bytes())
    arguments = [
        *("rate", str(reviews), "--text", "text", "--scale", "quality", "--respondent", "review"),
        *("--human", "human_ratings", "--human-range", "-4", "4"),
        *("--out", str(folder / "ratings.csv"), "--report", str(report)),
    ]
    rate(
        str(reviews),
        texts__text=["text"],
        scale=["quality"],
        columns__respondent="review",
        columns__human="human_ratings",
        columns__human_range=("-4", "4"),
        outputs__out=str(folder / "ratings.csv"),
        outputs__report=[str(report)],
    )
    echo(f"\nThe same with your own file: semscale {' '.join(arguments)}")
    echo(f"In the browser: semscale open {reviews}")
    if options.open:
        webbrowser.open(report.resolve().as_uri())
