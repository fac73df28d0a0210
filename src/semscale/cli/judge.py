"""The commands ``semscale judge``, ``judge compare`` and ``judge audit``: answers judged by chat models."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

from cyclopts import App
from pydantic import Field

from semscale.cli.options import As, Rare, Without, command
from semscale.cli.outputs import Outputs, check_input, present
from semscale.cli.process import DONE, GATE_FAILED, UNDECIDED, message_if_stopped, say
from semscale.cli.shared import (
    ChatOptions,
    InputFile,
    JudgeCallOptions,
    RowOptions,
    RunOptions,
    SurveyOptions,
)
from semscale.cli.trust import require_trust
from semscale.errors import InputError
from semscale.input_files import read_input, read_input_text
from semscale.judging.score_gate import ScoreGate
from semscale.judging.settings import JUDGE, JudgeColumns, JudgeSettings
from semscale.messages import unreadable
from semscale.settings import COLUMNS, RUN, Option, Settings
from semscale.trust import recipients_in

if TYPE_CHECKING:
    from semscale.chat.budget import Forecast, ForecastSummary, PriceTable
    from semscale.chat.ledger import Ledger
    from semscale.chat.messages import Call
    from semscale.judging.audit import Audit, AuditSummary
    from semscale.judging.comparing import SystemComparison
    from semscale.judging.judge import Judge, Panel
    from semscale.judging.prompts import JudgedItem
    from semscale.judging.summary import JudgeSummary
    from semscale.results.table_columns import Cells
    from semscale.store.table import Table
    from semscale.types import Progress, Status

_MODEL_KEYS = ("model", "base_url", "engine", "key_variable")
_NOTE = "Nothing was sent. A model that refuses parameters needs a few more calls, once."
_BATCH = 50_000
_GATE_CODES = {"passed": DONE, "failed": GATE_FAILED, "undecided": UNDECIDED}

app = App(name="judge")


class JudgeChoice(Settings):
    """The judges: a chat model, or several in a file, whose settings override the options."""

    chat: ChatOptions
    panel: Annotated[
        Path | None,
        Field(description="YAML with judges: a list of models."),
        Option(JUDGE, "FILE", rare=True),
    ] = None

    def check(self, settings: JudgeSettings) -> None:
        """Check that either a model or a panel is named.

        Raises:
            InputError: neither a model nor a panel, or both; an address with a panel; or a template with
                criteria.
        """
        if settings.criteria is not None and (settings.rubric is not None or settings.template != "likert"):
            raise InputError("--criteria has its own questions and levels: leave --template and --rubric out")
        if self.panel is None:
            if self.chat.model is None:
                raise InputError("name a judge with --chat-model or several with --panel, got neither")
        elif self.chat.is_stated:
            raise InputError("name a judge with --chat-model or several with --panel, got both")
        elif "base_url" in self.chat.model_fields_set:
            # The address is not repeated: it may have a password in it.
            raise InputError(
                "--chat-url goes with --chat-model; write base_url for each model in the panel's file"
            )

    def load(self, settings: JudgeSettings, progress: "Progress | None" = None) -> "Judge | Panel":
        """Load the judges.

        Raises:
            InputError: the file cannot be read or names no judges, or a setting is wrong.
        """
        from semscale.judging.judge import Judge, Panel

        shared = dict(settings) | {"rubric": read_rubric(settings.rubric)}
        if self.panel is None:
            return Judge(self.chat.load(progress), **shared)
        entries = read_panel(self.panel)
        panel = Panel([_judge_from_entry(entry, shared, progress) for entry in entries])
        require_trust("prompts", recipients_in(entries), self.panel)
        return panel


class JudgeOptions(Settings):
    """All options of ``semscale judge``."""

    file: InputFile
    columns: Annotated[JudgeColumns, Rare("by")]
    judges: JudgeChoice
    settings: JudgeSettings
    gate: ScoreGate
    calls: Annotated[JudgeCallOptions, Rare("dry_run")]
    outputs: Outputs
    description: Annotated[SurveyOptions, Rare("survey")]
    table: Annotated[RowOptions, Rare("where")]
    run: RunOptions


class AuditOptions(Settings):
    """All options of ``semscale judge audit``."""

    file: InputFile
    columns: Annotated[JudgeColumns, Without("by", "inclusion")]
    judges: JudgeChoice
    settings: Annotated[JudgeSettings, Without("samples")]
    rows: Annotated[int, Field(ge=1, description="Number of rows to audit, from the first."), Option(RUN)] = (
        50
    )
    calls: JudgeCallOptions
    outputs: Annotated[Outputs, Without("out", "escape")]
    description: Annotated[SurveyOptions, Rare("survey")]
    table: Annotated[RowOptions, Rare("where")]
    run: Annotated[RunOptions, Without("part_rows", "restart")]


class SystemColumns(Settings):
    """Columns of a comparison: the questions, and the systems' answers."""

    question: Annotated[str, As(JudgeColumns, "question")]
    a: Annotated[str | None, Field(description="Answers of the first system."), Option(COLUMNS, "COLUMN")] = (
        None
    )
    b: Annotated[
        str | None, Field(description="Answers of the second system."), Option(COLUMNS, "COLUMN")
    ] = None
    system: Annotated[
        tuple[str, ...],
        Field(description="A further system and its column."),
        Option(COLUMNS, "NAME=COLUMN"),
    ] = ()
    reference: Annotated[tuple[str, ...], As(JudgeColumns, "reference")] = ()

    @property
    def systems(self) -> dict[str, str]:
        """The systems' names with their columns.

        Raises:
            InputError: fewer than two, or one name or column twice.
        """
        from semscale.judging.comparing import system_names

        return system_names(self.a, self.b, self.system)


class CompareOptions(Settings):
    """All options of ``semscale judge compare``."""

    file: InputFile
    columns: SystemColumns
    judges: Annotated[JudgeChoice, Without("panel")]
    settings: Annotated[JudgeSettings, Without("template", "criteria", "samples")]
    calls: JudgeCallOptions
    outputs: Outputs
    description: Annotated[SurveyOptions, Rare("survey")]
    table: Annotated[RowOptions, Rare("where")]
    run: Annotated[RunOptions, Without("part_rows", "restart")]


@app.default
@command
def judge(options: JudgeOptions) -> int:
    """Let a chat model, or a panel of them, score answers to questions.

    [bold]semscale judge answers.csv --prompt question --answer answer --chat-model gpt-4o-mini[/bold]

    If it is stopped, the same command continues and sends again only the calls that were in flight when it
    was killed; with --out it continues after the last finished part.

    With --fail-under .8: exit code 1 if the mean score is below .8, 4 if rows without a score could change
    that.
    """
    if options.calls.dry_run:
        present(forecast_judges(options), options.outputs.of_forecast)
        return DONE
    began = monotonic()
    summary = run_judge(options).with_gate(options.gate)
    seconds = monotonic() - began
    with options.outputs.report_if_stopped():
        present(summary, options.outputs, stopped=summary.stopped, failed=summary.failed, seconds=seconds)
    if summary.gate is None:
        return DONE
    code = _GATE_CODES[str(summary.gate.outcome)]
    if code != DONE:
        say(f"gate {summary.gate.reason}")
    return code


@app.command(name="audit")
@command
def audit(options: AuditOptions) -> None:
    """Test a judge for biases: change the form of rows, and compare the scores.

    [bold]semscale judge audit answers.csv --prompt question --answer answer --chat-model gpt-4o-mini[/bold]

    The changes reverse the scale, name its levels by letters, lengthen answers, add requests for the highest
    score, and move references. The scores of an unbiased judge stay the same.
    """
    _ask_and_present(options, audit_judges, forecast_audits)


@app.command(name="compare")
@command
def compare(options: CompareOptions) -> int:
    """Let a chat model compare answers of two systems or more, each pair in both orders.

    [bold]semscale judge compare answers.csv --prompt question --a old --b new --chat-model gpt-4o[/bold]

    It reports wins, ties and losses, the win rate with its interval, how far the order of two answers moves
    the judge, and a ranking of several systems.

    Exit code 4: no verdict, as the order of the answers decides most pairs, the judge prefers no answer, or
    it gave no readable verdict on most pairs.
    """
    summary = _ask_and_present(options, compare_answers, forecast_comparison)
    if summary is None or summary.no_verdict is None:
        return DONE
    say(f"no verdict: {summary.no_verdict}")
    return UNDECIDED


_Options = TypeVar("_Options", AuditOptions, CompareOptions)
_Summary = TypeVar("_Summary", "AuditSummary", "SystemComparison")


def _ask_and_present(
    options: _Options,
    run: Callable[[_Options], _Summary],
    forecast: "Callable[[_Options], ForecastSummary]",
) -> _Summary | None:
    """Ask the judges, show the summary, and return it; with --dry-run, show a forecast of the calls."""
    if options.calls.dry_run:
        present(forecast(options), options.outputs.of_forecast)
        return None
    with message_if_stopped(
        "stopped; received replies stay in the ledger, and the same command continues from there"
    ):
        began = monotonic()
        summary = run(options)
        seconds = monotonic() - began
        present(summary, options.outputs, stopped=summary.stopped, failed=summary.failed, seconds=seconds)
    return summary


def run_judge(options: JudgeOptions) -> "JudgeSummary":
    """Judge the rows, write the table, and sum it up; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that exclude each other; what table, model or template cannot do.
    """
    from semscale.cli.progress import progress_bars
    from semscale.judging.table import judge_table

    with progress_bars() as progress:
        judges, table, columns = _open(options, progress, is_reported=True)
        return judge_table(
            table,
            columns,
            judge=judges,
            running=options.calls.running(),
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts_into(options.outputs),
            progress=progress,
        )


def forecast_judges(options: JudgeOptions) -> "ForecastSummary":
    """Forecast each judge's calls, without asking.

    Raises:
        SemscaleError: as ``run_judge``.
    """
    judges, table, columns = _open(options)
    columns.check(table)

    def parts() -> "Iterator[list[JudgedItem | Status]]":
        first_row = 0
        for batch in table.batches_with(columns.titles, options.run.part_rows):
            yield items_in(columns.read(batch, first_row), judges)
            first_row += batch.height

    def requests(member: "Judge", form: int) -> "Iterator[Call]":
        for items in parts():
            yield from requests_about(member, items, form)

    counts: Counter[Status] = Counter()
    for items in parts():
        counts.update(statuses(items))
    works = {
        name: partial(forecast_judge, member, partial(requests, member), retry=options.calls.retry_unparsable)
        for name, member in _members(judges).items()
    }
    return forecast_summary(table.file_name, options.calls.forecasts(works), counts)


def audit_judges(options: AuditOptions) -> "AuditSummary":
    """Audit each judge on the first rows of a file; one that decides in prose, too, unless it used prose.

    Raises:
        SemscaleError: as ``run_judge``.
    """
    from semscale.cli.progress import progress_bars
    from semscale.judging.audit import AuditSummary
    from semscale.judging.audit import audit as audit_judge
    from semscale.results.table_columns import left_out_note

    with progress_bars() as progress:
        judges, table, columns = _open(options, progress)
        cells, members = read_cells(table, columns, options.rows), _members(judges)
        n_audits = sum(1 + _decides_and_writes(member) for member in members.values())
        part = options.calls.running().divide(n_audits, "judges")

        def run_audit(member: "Judge") -> "Audit":
            return audit_judge(
                member,
                cells["question"],
                cells["answer"],
                references=cells.get("reference"),
                human=cells.get("human"),
                running=part,
                plan=options.run.plan,
                progress=progress,
            )

        audits: dict[str, Audit] = {}
        for name, member in members.items():
            first = run_audit(member)
            if _decides_and_writes(member) and first.method != "prose":
                audits[f"{name}, decision"] = first
                audits[f"{name}, prose"] = run_audit(member.with_settings(method="prose"))
            else:
                audits[name] = first
        notes = (
            note
            for role, counts in cells.text_counts.items()
            for note in judges.preparation.notes(counts, columns.titles_of(role))
        )
    return AuditSummary(table.file_name, audits, (*table.notes, *left_out_note(cells.left_out), *notes))


def forecast_audits(options: AuditOptions) -> "ForecastSummary":
    """Forecast the calls of each round of an audit: of the unchanged rows, and of each change.

    Raises:
        SemscaleError: as ``audit_judges``.
    """
    from semscale.judging.audit import CHECKS, apply_check, check_obstacle

    judges, table, columns = _open(options)
    cells = read_cells(table, columns, options.rows)
    items, has_references = items_in(cells, judges), "reference" in cells.values
    works, note, retry = {}, _NOTE, options.calls.retry_unparsable
    for name, member in _members(judges).items():
        forms = {name: member}
        if _decides_and_writes(member):
            forms = {f"{name}, decision": member, f"{name}, prose": member.with_settings(method="prose")}
            note = f"{_NOTE} If the model takes no decisions, prose is not audited a second time."
        for title, asked in forms.items():
            works[f"{title}, plain"] = partial(
                forecast_judge, asked, partial(requests_about, asked, items), retry=retry
            )
            for check in CHECKS:
                if check_obstacle(check, asked, has_references=has_references) is None:
                    changed, changed_items = apply_check(check, asked, items)
                    requests = partial(requests_about, changed, changed_items)
                    works[f"{title}, {check}"] = partial(forecast_judge, changed, requests, retry=retry)
    counts = Counter(statuses(items))
    return forecast_summary(table.file_name, options.calls.forecasts(works), counts, note)


def compare_answers(options: CompareOptions) -> "SystemComparison":
    """Compare the systems of a file, and write the table of pairs; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that exclude each other, a column that does not exist; no call can succeed.
    """
    from semscale.cli.progress import progress_bars
    from semscale.judging.comparing import compare_systems

    with progress_bars() as progress:
        member, table, texts = _read_systems(options, progress)
        summary, pairs = compare_systems(
            member,
            texts.questions,
            texts.answers,
            references=texts.references,
            columns=options.columns.systems,
            source=table.file_name,
            running=options.calls.running(),
            plan=options.run.plan,
            progress=progress,
        )
    options.outputs.write_table(pairs)
    return replace(summary, input_notes=(*table.notes, *summary.input_notes))


def forecast_comparison(options: CompareOptions) -> "ForecastSummary":
    """Forecast the judge's calls, without asking.

    Raises:
        SemscaleError: as ``compare_answers``.
    """
    from semscale.judging.comparing import pair_items
    from semscale.types import Status

    member, table, texts = _read_systems(options)
    items, counts = pair_items(member, texts.questions, texts.answers, references=texts.references)
    requests, retry = partial(requests_about, member, items), options.calls.retry_unparsable
    works = {member.name: partial(forecast_judge, member, requests, retry=retry)}
    rows = Counter({Status(status): n for status, n in counts.items()})
    note = f"{_NOTE} Each pair is sent in both orders, unless its answers are equal or one is empty."
    return forecast_summary(table.file_name, options.calls.forecasts(works), rows, note)


async def forecast_judge(
    member: "Judge",
    requests: "Callable[[int], Iterable[Call]]",
    ledger: "Ledger",
    prices: "PriceTable | None",
    *,
    retry: bool = False,
) -> "Forecast":
    """Forecast the form of requests that the model took before, or else the first that it is asked in.

    Args:
        member: the judge that would be asked.
        requests: returns the requests of a form, by its number, as ``judge.requests`` orders them.
        ledger: of earlier replies, which cost nothing.
        prices: of models; ``None`` for the user's own table.
        retry: whether calls with an unreadable reply are repeated.
    """
    from semscale.chat.budget import forecast, forecast_of_forms

    forecasts = [
        await forecast(
            requests(form),
            member.model,
            prices=prices,
            ledger=ledger,
            follow_ups=member.corrections_after,
            is_repeated=member.is_unread if retry else None,
        )
        for form in range(len(member.requests_about([])))
    ]
    return forecast_of_forms(forecasts, decides=member.settings.method == "decision")


def forecast_summary(
    source: str, forecasts: "dict[str, Forecast]", rows: "Counter[Status]", note: str = _NOTE
) -> "ForecastSummary":
    """Return the forecasts of a table with the number of rows by status."""
    from semscale.chat.budget import ForecastSummary
    from semscale.types import Status

    left_out = {str(status): n for status, n in rows.items() if status != Status.SCORED}
    return ForecastSummary(source, forecasts, rows[Status.SCORED], left_out, note=note)


def _open(
    options: JudgeOptions | AuditOptions, progress: "Progress | None" = None, *, is_reported: bool = False
) -> "tuple[Judge | Panel, Table, JudgeColumns]":
    """Check that options go together and outputs can be written; then load the judges and open the table."""
    options.judges.check(options.settings)
    options.outputs.check_run(options.file, restart=options.run.restart)
    judges = options.judges.load(options.settings, progress)
    table = options.table.open(options.file, is_reported=is_reported)
    resolve = options.description.resolve
    return judges, *resolve(table, options.file, options.columns, is_reported=is_reported)


def read_cells(table: "Table", columns: JudgeColumns, most: int | None = None) -> "Cells":
    """Read the cells of the first rows of a table; of all rows by default."""
    import polars as pl

    columns.check(table)
    if most is not None:
        return columns.read(next(table.batches(most)))
    return columns.read(pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed"))


def _members(judges: "Judge | Panel") -> "dict[str, Judge]":
    from semscale.judging.judge import Judge

    if isinstance(judges, Judge):
        return {judges.name: judges}
    return dict(zip(judges.names, judges.judges, strict=True))


def _decides_and_writes(member: "Judge") -> bool:
    """Return whether a judge that decides has a model that can be asked in prose as well."""
    return member.settings.method == "decision" and member.answers_prose


def items_in(cells: "Cells", judges: "Judge | Panel") -> "list[JudgedItem | Status]":
    """Return the items of a table's rows for judges, or the status of a row that is not judged."""
    from semscale.judging.prompts import read_items

    return read_items(cells["question"], cells["answer"], cells.get("reference"), judges.preparation)


def statuses(items: "Iterable[JudgedItem | Status]") -> "Iterator[Status]":
    """Yield the status of each item."""
    from semscale.types import Status

    return (item if isinstance(item, Status) else Status.SCORED for item in items)


def requests_about(member: "Judge", items: "Sequence[JudgedItem | Status]", form: int) -> "list[Call]":
    """Return a judge's requests about items, in one of its forms."""
    from semscale.judging.prompts import JudgedItem

    return member.requests_about(item for item in items if isinstance(item, JudgedItem))[form]


class _SystemTexts(NamedTuple):
    questions: list[Any]
    answers: dict[str, list[Any]]
    references: list[list[Any]] | None


def _read_systems(
    options: CompareOptions, progress: "Progress | None" = None
) -> "tuple[Judge, Table, _SystemTexts]":
    """Check the options, load the judge, and read the answers of the systems."""
    import polars as pl

    from semscale.judging.judge import Judge
    from semscale.judging.templates import side_by_side_template
    from semscale.results.table_columns import list_texts

    options.judges.check(options.settings)
    options.outputs.check()
    check_input(options.file, *options.outputs.report)
    table, columns, systems = _find_systems(options)
    for option, titles in (
        ("question", [columns.question]),
        ("system", systems.values()),
        ("reference", columns.reference),
    ):
        for title in titles:
            table.require(title, option)
    member = options.judges.load(options.settings, progress)
    if not isinstance(member, Judge):
        raise InputError("a comparison has one judge")
    rows = pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")
    references = [columns.cells_in(rows, title) for title in columns.reference]
    texts = _SystemTexts(
        columns.cells_in(rows, columns.question).to_list(),
        {name: columns.cells_in(rows, title).to_list() for name, title in systems.items()},
        list_texts(references, "reference", 0) if references else None,
    )
    # The rubric of the options goes into the template of a comparison.
    template = side_by_side_template(read_rubric(options.settings.rubric) or "")
    return member.with_settings(template=template), table, texts


def _find_systems(options: CompareOptions) -> "tuple[Table, JudgeColumns, dict[str, str]]":
    """Open the table, and find the columns of questions, references and systems by its description."""
    from semscale.results.table_columns import resolve_columns
    from semscale.survey.finding import column_named

    table = options.table.open(options.file)
    named, systems = options.columns, options.columns.systems
    first = next(iter(systems.values()))
    columns = JudgeColumns(question=named.question, answer=first, reference=named.reference)
    table, survey = options.description.find(table, options.file, is_reported=False)
    table, columns = resolve_columns(columns, table, survey)
    found = {name: column_named(title, table.columns, survey, "system") for name, title in systems.items()}
    return table, columns, found


def read_rubric(text: str | None) -> str | None:
    """Return the rubric; ``@FILE`` reads it from a file.

    Raises:
        InputError: the file cannot be read.
    """
    if text is None or not text.startswith("@"):
        return text
    try:
        return read_input_text(text[1:])
    except OSError as error:
        raise unreadable(f"`rubric`: file {text[1:]!r}", error) from None
    except UnicodeDecodeError:
        raise InputError("rubric", f": file {text[1:]!r} is not UTF-8 text; save it as UTF-8") from None


def read_panel(path: Path) -> list[dict[str, Any]]:
    """Read a panel's file.

    Raises:
        InputError: it cannot be read, is no YAML, or does not list two judges with a model each.
    """
    from semscale.yaml_reading import parse_yaml

    try:
        file = read_input(path)
    except OSError as error:
        raise unreadable(f"panel file {str(path)!r}", error) from None
    content = parse_yaml(file, source=str(path))
    judges = content.get("judges") if isinstance(content, dict) else None
    fits = isinstance(judges, list) and all(isinstance(j, dict) and j.get("model") for j in judges)
    if not fits or len(judges or []) < 2:
        raise InputError(
            f"panel file {str(path)!r} must hold judges: a list of two or more, each with a model, such as "
            "judges: [{model: one}, {model: other, template: likert}]"
        )
    return [{str(name): value for name, value in judge.items()} for judge in judges or []]


def _judge_from_entry(
    entry: Mapping[str, Any], shared: Mapping[str, Any], progress: "Progress | None"
) -> "Judge":
    from semscale.chat.loading import load_chat_model
    from semscale.judging.judge import Judge
    from semscale.messages import unknown_name

    settings = {name: value for name, value in entry.items() if name not in _MODEL_KEYS}
    for name in settings:
        if name not in JudgeSettings.model_fields:
            raise unknown_name("setting of a judge", name, [*_MODEL_KEYS, *JudgeSettings.model_fields])
    options = {name: entry[name] for name in _MODEL_KEYS[1:] if entry.get(name) is not None}
    if "base_url" in options:
        # The endpoint of a file that somebody else may have written gets no key unless that file names it.
        options.setdefault("key_variable", None)
    elif "key_variable" in options:
        raise InputError(
            f"key_variable of the judge {entry['model']!r} belongs to base_url: name the endpoint that gets "
            "the key as well"
        )
    model = load_chat_model(entry["model"], progress=progress, **options)
    return Judge(model, **{**shared, **settings})
