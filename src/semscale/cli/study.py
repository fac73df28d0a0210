"""The commands ``semscale study``: start a study, run it, and compare it with people."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

from cyclopts import App
from pydantic import Field

from semscale.cli.options import Rare, Without, command
from semscale.cli.outputs import OUTPUT, Outputs, check_input, present
from semscale.cli.process import echo, message_if_stopped
from semscale.cli.shared import ARGUMENTS, JudgeCallOptions, RowOptions, RunOptions, SurveyOptions
from semscale.cli.trust import require_trust
from semscale.errors import InputError
from semscale.settings import RUN, Option, Settings
from semscale.study.settings import ComparisonSettings, ModelSettings
from semscale.trust import Recipient

if TYPE_CHECKING:
    from semscale.chat.budget import ForecastSummary
    from semscale.study.people_comparison import StudyComparison
    from semscale.study.result import Study
    from semscale.study.summary import StudySummary

app = App(name="study", help="Ask a synthetic panel a questionnaire, and compare it with people.")


class StudyOutputs(Outputs):
    """The folder of a run, and what is printed."""

    folder: Annotated[
        Path | None,
        Field(description="Folder for personas, answers, summary and report (default: FILE-results)."),
        Option(OUTPUT, "FOLDER", name="--out"),
    ] = None

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The files in the folder other than the report."""
        from semscale.study.result import ANSWERS, PANEL, SUMMARY

        if self.folder is None:
            return {}
        return {name.partition(".")[0]: self.folder / name for name in (PANEL, ANSWERS, SUMMARY)}

    def for_file(self, file: Path) -> "StudyOutputs":
        """Return the same with a folder and a report, also where none is named."""
        folder = self.folder or file.with_name(f"{file.stem}-results")
        return self.with_values(folder=folder, report=self.report or (folder / "report.html",))


class StudyRunOptions(Settings):
    """All options of ``semscale study run``."""

    file: Annotated[
        Path,
        Field(description="A study's YAML file; study init starts one."),
        Option(ARGUMENTS, "FILE", positional=True),
    ]
    chat: ModelSettings
    interval: Annotated[
        float, Field(description="Coverage of the simulation intervals."), Option(RUN, "NUMBER")
    ] = 0.95
    calls: Annotated[JudgeCallOptions, Without("concurrency", "requests_per_minute")]
    outputs: Annotated[StudyOutputs, Without("out", "escape")]


class StudyCompareOptions(Settings):
    """All options of ``semscale study compare``."""

    answers: Annotated[
        Path,
        Field(description="The folder of a study's run, or its answers.parquet."),
        Option(ARGUMENTS, "ANSWERS", positional=True),
    ]
    human: Annotated[
        str,
        Field(description="People's answers: a row per person, or per person and concept."),
        Option(ARGUMENTS, "HUMAN", positional=True),
    ]
    settings: ComparisonSettings
    outputs: Annotated[Outputs, Without("out", "escape")]
    description: Annotated[SurveyOptions, Rare("survey")]
    table: RowOptions
    run: Annotated[RunOptions, Without("part_rows", "restart")]


class StudyInitOptions(Settings):
    """All options of ``semscale study init``."""

    file: Annotated[
        Path,
        Field(description="The YAML file to start (default: study.yaml); must not exist."),
        Option(ARGUMENTS, "[FILE]", positional=True),
    ] = Path("study.yaml")


@app.command(name="init")
@command
def init(options: StudyInitOptions) -> None:
    """Start a study: a commented file that runs as it is on a model of this machine."""
    file = options.file
    from semscale.study.study_file import new_study

    write_new_file(file, new_study(file.name))
    echo(f"wrote {file}; next: semscale study run {file} --dry-run, and then without --dry-run")


@app.command(name="run")
@command
def run(options: StudyRunOptions) -> None:
    """Ask every synthetic respondent (persona), and measure the answers by the methods in the file.

    [bold]semscale study run study.yaml --dry-run[/bold]

    If it is stopped, the same command continues and sends again only the calls that were in flight when it
    was killed.

    The intervals show how much figures would change with other personas drawn in the same way. They do not
    show how far figures are from those of people.
    """
    if options.calls.dry_run:
        present(forecast_run(options), options.outputs.of_forecast)
        return
    outputs = options.outputs.for_file(options.file)
    with message_if_stopped("stopped; replies are in the ledger, and the same command continues from there"):
        began = monotonic()
        summary = run_study(options, outputs)
        seconds = monotonic() - began
        present(summary, outputs, stopped=summary.facts.stopped, failed=summary.failed, seconds=seconds)


@app.command(name="compare")
@command
def compare(options: StudyCompareOptions) -> None:
    """Compare synthetic answers with people's: concepts, distributions, relations, groups and individuals.

    [bold]semscale study compare study-results people.csv --concept concept --by age[/bold]

    Each figure appears with two limits: the agreement of random halves of the people, and that of a panel
    that knows nothing about them. The first line states what can be concluded, and what cannot.
    """
    with message_if_stopped("stopped; nothing was written"):
        began = monotonic()
        present(compare_study(options), options.outputs, seconds=monotonic() - began)


def run_study(options: StudyRunOptions, outputs: StudyOutputs) -> "StudySummary":
    """Ask the panel of a study, and store personas, answers and summary in a folder.

    Raises:
        InputError: the file or the folder cannot be used.
        ReplyError: no call can succeed.
    """
    from semscale.cli.progress import progress_bars
    from semscale.stats.intervals import IntervalPlan
    from semscale.store.atomic import check_folder

    study = _read(options)
    plan = IntervalPlan(options.interval, seed=study.design.seed)
    folder = Path(str(outputs.folder))
    check_folder(folder, "out")
    folder.mkdir(parents=True, exist_ok=True)
    outputs.check()
    with progress_bars() as progress:
        running = study.design.running_with(options.calls.running())
        result = study.run(running=running, progress=progress)
    result.save(folder, plan=plan)
    return result.summary(plan=plan)


def forecast_run(options: StudyRunOptions) -> "ForecastSummary":
    """Forecast the calls of a run, without asking.

    Raises:
        InputError: the file cannot be used.
    """
    return _read(options).forecast_summary(options.calls.running())


def compare_study(options: StudyCompareOptions) -> "StudyComparison":
    """Compare the answers of a study with those of people.

    Raises:
        InputError: a file, a name or a value that cannot be used.
    """
    from semscale.study.people_comparison import compare as compare_answers

    options.outputs.check()
    check_input(options.human, *options.outputs.report)
    table, survey = options.description.find(
        options.table.open(options.human),
        options.human,
        weight=options.settings.weight,
        groups=tuple(options.settings.by.values()),
        is_reported=False,
    )
    settings = dict(options.settings)
    return compare_answers(options.answers, table, plan=options.run.plan, survey=survey, **settings)


def _read(options: StudyRunOptions) -> "Study":
    from semscale.study.result import load

    check_input(str(options.file))
    study = load(options.file)
    named = options.chat
    if not named.model and named.base_url is None:
        models = [model for model in study.design.models if model.base_url]
        recipients = [Recipient(str(model.base_url), model.key_variable) for model in models]
        require_trust("prompts", recipients, options.file)
    return replace(study, design=study.design.with_models(named.model, named.base_url))


def write_new_file(file: Path, text: str) -> None:
    """Write a commented YAML file for a user to change.

    Args:
        file: where; must not exist.
        text: its content.

    Raises:
        InputError: the file exists, cannot be written, or has another ending.
    """
    if file.suffix.lower() not in {".yaml", ".yml"}:
        raise InputError(f"FILE must end in .yaml, got {file.name!r}")
    try:
        with file.open("x", encoding="utf-8", newline="\n") as output:
            output.write(text)
    except FileExistsError:
        raise InputError(f"FILE must not exist, but {file} does: choose another name") from None
    except OSError as error:
        raise InputError(f"FILE cannot be written: {file}: {error.strerror or error}") from None
