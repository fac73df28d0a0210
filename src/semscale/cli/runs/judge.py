"""Runs of ``semscale judge`` and its subcommands: load the judges, ask them or forecast their calls."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import typer

from semscale.chat.forecast import Forecast, ForecastSummary, forecast
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Request
from semscale.cli.options.judging import (
    AuditOptions,
    JudgeLabelOptions,
    JudgeOptions,
    SystemCompareOptions,
    read_rubric,
)
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.runs.label import check_unlabelled, given_options
from semscale.errors import InputError, InterruptedRunError
from semscale.judging.audit import CHECKS, Audit, AuditSummary, apply_check, audit, check_obstacle
from semscale.judging.comparing import SystemComparison, compare_systems, pair_items
from semscale.judging.human_labels import HUMAN, INCLUSION, LabelDraw, earlier_draws, label_table
from semscale.judging.judge import Judge, Panel
from semscale.judging.prompts import JudgedItem, read_items
from semscale.judging.settings import JudgeColumns
from semscale.judging.summary import JudgeSummary
from semscale.judging.tables import judge_file
from semscale.judging.templates import Template, side_by_side_template
from semscale.judging.verdicts import draw_rows
from semscale.results.table_columns import Cells, listed_texts
from semscale.store.atomic import check_writable
from semscale.store.columns import column_in, floats_in
from semscale.store.deriving.derived_columns import with_label
from semscale.store.table import Table
from semscale.store.writing import output_format, write_table
from semscale.types import Floats, Progress, Status

_NOTE = "Nothing was sent. A model that refuses parameters takes a few calls more, once."
_BATCH = 50_000


def judge_table(options: JudgeOptions) -> JudgeSummary:
    """Judge a file, write its table, and sum it up; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that exclude each other; what table, model or template cannot do.
    """
    with progress_bars() as progress:
        judge, table, columns = _open(options, progress, is_reported=True)
        return judge_file(
            table,
            columns,
            judge=judge,
            running=options.calls.running(),
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts,
            progress=progress,
        )


def forecast_judges(options: JudgeOptions) -> ForecastSummary:
    """Forecast each judge's calls, without asking.

    Raises:
        SemscaleError: as ``judge_table``.
    """
    judge, table, columns = _open(options)
    columns.check(table)

    def parts() -> Iterator[list[JudgedItem | Status]]:
        first_row = 0
        for batch in table.batches_with(columns.titles, options.run.part_rows):
            yield _items(columns.read(batch, first_row))
            first_row += batch.height

    def requests(member: Judge, form: int) -> Iterator[Request]:
        for items in parts():
            yield from _requests(member, items, form)

    counts = Counter[Status]()
    for items in parts():
        counts.update(_statuses(items))
    works = {
        name: partial(forecast_judge, member, partial(requests, member))
        for name, member in _members(judge).items()
    }
    return _forecast_summary(table.name, options.calls.forecasts(works), counts)


def audit_judges(options: AuditOptions) -> AuditSummary:
    """Audit each judge on the first rows of a file; one that decides in prose, too, unless prose stood in.

    Raises:
        SemscaleError: as ``judge_table``.
    """
    with progress_bars() as progress:
        judge, table, columns = _open(options, progress)
        cells, members = _read_cells(table, columns, options.rows), _members(judge)
        n_audits = sum(1 + _decides_and_writes(member) for member in members.values())
        part = options.calls.running().divided(n_audits, "judges")

        def audited(member: Judge) -> Audit:
            return audit(
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
            first = audited(member)
            if _decides_and_writes(member) and first.method != "prose":
                audits[f"{name}, decision"] = first
                audits[f"{name}, prose"] = audited(member.varied(method="prose"))
            else:
                audits[name] = first
    return AuditSummary(table.name, audits)


def forecast_audits(options: AuditOptions) -> ForecastSummary:
    """Forecast the calls of each round of an audit: of the rows as they are, and of each change.

    Raises:
        SemscaleError: as ``audit_judges``.
    """
    judge, table, columns = _open(options)
    cells = _read_cells(table, columns, options.rows)
    items, has_references = _items(cells), "reference" in cells.values
    works = {}
    for name, member in _members(judge).items():
        forms = {name: member}
        if _decides_and_writes(member):
            forms = {f"{name}, decision": member, f"{name}, prose": member.varied(method="prose")}
        for title, asked in forms.items():
            works[f"{title}, plain"] = partial(forecast_judge, asked, partial(_requests, asked, items))
            for check in CHECKS:
                if check_obstacle(check, asked, has_references=has_references) is None:
                    changed, changed_items = apply_check(check, asked, items)
                    requests = partial(_requests, changed, changed_items)
                    works[f"{title}, {check}"] = partial(forecast_judge, changed, requests)
    note = f"{_NOTE} An audit leaves prose out where the model decides in no form."
    counts = Counter(_statuses(items))
    return _forecast_summary(table.name, options.calls.forecasts(works), counts, note)


def compare_answers(options: SystemCompareOptions) -> SystemComparison:
    """Compare the systems of a file, and write the table of pairs; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that exclude each other, a column that does not exist; no call can succeed.
    """
    with progress_bars() as progress:
        judge, table, texts = _read_systems(options, progress)
        summary, pairs = compare_systems(
            judge,
            texts.questions,
            texts.answers,
            references=texts.references,
            columns=options.columns.systems,
            source=table.name,
            running=options.calls.running(),
            plan=options.run.plan,
            progress=progress,
        )
    if options.outputs.out is not None:
        write_table(pairs, options.outputs.out)
    return summary


def forecast_comparison(options: SystemCompareOptions) -> ForecastSummary:
    """Forecast the judge's calls, without asking.

    Raises:
        SemscaleError: as ``compare_answers``.
    """
    judge, table, texts = _read_systems(options)
    items, counts = pair_items(texts.questions, texts.answers, references=texts.references)
    works = {judge.name: partial(forecast_judge, judge, partial(_requests, judge, items))}
    rows = Counter({Status(status): n for status, n in counts.items()})
    note = f"{_NOTE} Each pair is asked about in both orders, save where answers are alike or one is empty."
    return _forecast_summary(table.name, options.calls.forecasts(works), rows, note)


def draw_for_labels(options: JudgeLabelOptions) -> None:
    """Judge the rows of a file, from the ledger where they were judged before, and draw some for labels.

    Raises:
        InputError: a column, option or output that does not serve, or no row with a score.
        InterruptedRunError: a cap was reached; replies are stored, and nothing is drawn.
        ReplyError: no call can succeed.
    """
    with progress_bars() as progress:
        judge, cells, _ = _read_unlabelled(options, progress)
        earlier = None if "human" not in cells.values else _earlier_draws(cells, judge.template)
        verdicts = judge.judge(
            cells["question"],
            cells["answer"],
            references=cells.get("reference"),
            running=options.calls.running(),
            progress=progress,
        )
    if verdicts.stopped is not None:
        raise InterruptedRunError(verdicts.stopped)
    draw = draw_rows(verdicts, options.n, alike=options.alike, seed=options.seed, earlier=earlier)
    write_table(draw.table(cells.rows), options.out)
    # The command that corrects the mean by the labels; its replies come from the ledger.
    named = given_options(options.columns, options.judges, options.settings, options.calls)
    command = ["semscale", "judge", str(options.out), *named, "--human", HUMAN, "--inclusion", INCLUSION]
    decides = judge.settings.method == "decision"
    typer.echo("\n".join([*_draw_report(options, draw, decides=decides), f"then: {shlex.join(command)}"]))


def forecast_draw(options: JudgeLabelOptions) -> ForecastSummary:
    """Forecast the calls that judging the rows would take, without asking.

    Raises:
        InputError: a column or option that does not serve.
    """
    judge, cells, source = _read_unlabelled(options)
    items = _items(cells)
    works = {judge.name: partial(forecast_judge, judge, partial(_requests, judge, items))}
    return _forecast_summary(source, options.calls.forecasts(works), Counter(_statuses(items)))


async def forecast_judge(
    judge: Judge, requests: Callable[[int], Iterable[Request]], ledger: Ledger
) -> Forecast:
    """Forecast the form of requests that needs the fewest calls: the one that the model took before.

    Of a judge that decides, and of which the ledger has no reply, the dearest form is the possible surcharge.

    Args:
        judge: who would be asked.
        requests: returns the requests of a form, by its number, as ``judge.requests`` orders them.
        ledger: of earlier replies, which cost nothing.
    """
    forecasts = [
        await forecast(requests(form), judge.model, ledger=ledger, follow_ups=judge.corrections_after)
        for form in range(len(judge.requests_about([])))
    ]
    least = min(forecasts, key=lambda forecast: forecast.calls)
    dearest = max(forecasts, key=lambda forecast: forecast.calls)
    if judge.settings.method != "decision" or any(forecast.answered for forecast in forecasts):
        return least
    return replace(least, stand_ins=dearest.less(least))


def _open(
    options: JudgeOptions | AuditOptions, progress: Progress | None = None, *, is_reported: bool = False
) -> tuple[Judge | Panel, Table, JudgeColumns]:
    """Check that options go together and outputs can be written; then load the judges and open the table."""
    options.judges.check(options.settings)
    options.outputs.check_run(options.file, restart=options.run.restart)
    judges = options.judges.load(options.settings, progress)
    table, by = with_label(options.table.open(options.file, is_reported=is_reported), options.columns.by)
    return judges, table, options.columns.changed(by=by)


def _read_cells(table: Table, columns: JudgeColumns, most: int | None = None) -> Cells:
    """Read the cells of the first rows of a table; of all rows by default."""
    columns.check(table)
    if most is not None:
        return columns.read(next(table.batches(most)))
    return columns.read(pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed"))


def _members(judge: Judge | Panel) -> dict[str, Judge]:
    if isinstance(judge, Judge):
        return {judge.name: judge}
    return dict(zip(judge.names, judge.judges, strict=True))


def _decides_and_writes(judge: Judge) -> bool:
    """True if a judge that decides has a model that can be asked in prose, too."""
    return judge.settings.method == "decision" and judge.answers_prose


def _items(cells: Cells) -> list[JudgedItem | Status]:
    return read_items(cells["question"], cells["answer"], cells.get("reference"))


def _statuses(items: Iterable[JudgedItem | Status]) -> Iterator[Status]:
    return (item if isinstance(item, Status) else Status.SCORED for item in items)


def _requests(judge: Judge, items: Sequence[JudgedItem | Status], form: int) -> list[Request]:
    return judge.requests_about(item for item in items if isinstance(item, JudgedItem))[form]


def _forecast_summary(
    source: str, forecasts: dict[str, Forecast], rows: Counter[Status], note: str = _NOTE
) -> ForecastSummary:
    left_out = {str(status): n for status, n in rows.items() if status != Status.SCORED}
    return ForecastSummary(source, forecasts, rows[Status.SCORED], left_out, note=note)


class _SystemTexts(NamedTuple):
    questions: list[Any]
    answers: dict[str, list[Any]]
    references: list[list[Any]] | None


def _read_systems(
    options: SystemCompareOptions, progress: Progress | None = None
) -> tuple[Judge, Table, _SystemTexts]:
    """Check the options, load the judge, and read the answers of the systems."""
    named = options.columns
    options.judges.check(options.settings)
    options.outputs.check()
    check_input(options.file, options.outputs.report)
    table = options.table.open(options.file)
    known, systems = named.reference or [], named.systems
    table.require(named.question, "question")
    for option, titles in (("system", systems.values()), ("reference", known)):
        for title in titles:
            table.require(title, option)
    judge = options.judges.load(options.settings, progress)
    if not isinstance(judge, Judge):
        raise InputError("a comparison has one judge")
    rows = pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")
    texts = _SystemTexts(
        column_in(rows, named.question).to_list(),
        {name: column_in(rows, title).to_list() for name, title in systems.items()},
        listed_texts([column_in(rows, title) for title in known], "reference", 0) if known else None,
    )
    # The rubric of the options goes into the template of a comparison.
    template = side_by_side_template(read_rubric(options.settings.rubric) or "")
    return judge.varied(template=template), table, texts


def _read_unlabelled(
    options: JudgeLabelOptions, progress: Progress | None = None
) -> tuple[Judge, Cells, str]:
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
    return judge, _read_cells(table, options.columns.changed(human=earlier_labels)), table.name


def _earlier_draws(cells: Cells, template: Template) -> Floats:
    """Read which rows were drawn before, or have a label from elsewhere."""
    inclusion = None
    if INCLUSION in cells.rows.columns:
        inclusion = floats_in(cells.rows[INCLUSION].cast(pl.Float64))
    return earlier_draws(label_table(cells["human"], template), inclusion)


def _draw_report(options: JudgeLabelOptions, draw: LabelDraw, *, decides: bool) -> list[str]:
    n = len(draw.rows)
    lines = [f"{n:,} of {draw.n_scored:,} judged rows drawn", f"table: {options.out}"]
    if draw.earlier is not None:
        before = int((~np.isnan(draw.earlier)).sum())
        lines.append(
            f"{before:,} earlier rows are kept with their labels; {INCLUSION!r} joins their draw and this one"
        )
    if n == draw.n_scored:
        lines.append("gain: none, as every row that could be drawn was")
    elif round(draw.worth) > n:
        lines.append(
            f"gain: as good as {draw.worth:,.0f} labels drawn alike, if the judge's distributions say how "
            "far it may be off; a judge who is sure and wrong makes the mean worse instead (see --alike)"
        )
    elif not options.alike:
        lines.append(
            "gain: less than one label, as the judge is about equally sure of all rows"
            + ("" if decides else "; --method decision asks for a probability of each level")
        )
    lines.append(f"label the rows at the top in the column {HUMAN!r}; {INCLUSION!r} stays as it is")
    return lines
