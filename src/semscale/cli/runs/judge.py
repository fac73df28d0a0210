"""Runs of ``semscale judge``: check the options, load the judges, ask them, write."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from semscale.chat.costs.forecast import Forecast, forecast
from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Request
from semscale.cli.options.judging import AuditOptions, JudgeOptions
from semscale.cli.progress import progress_bars
from semscale.judging.audit.audit import Audit, audit
from semscale.judging.audit.audit_summary import AuditSummary
from semscale.judging.file_judging import judge_file
from semscale.judging.items import read_items
from semscale.judging.judge import Judge
from semscale.judging.judge_columns import JudgeCells, JudgeColumns, judge_cells, read_judge_cells
from semscale.judging.summary.judge_summary import JudgeSummary
from semscale.store.deriving.derived_columns import with_label
from semscale.store.table import Table
from semscale.types import Progress, Status

if TYPE_CHECKING:
    from semscale.judging.panel import Panel

_Parts = Callable[[], Iterator[JudgeCells]]


def judge_table(options: JudgeOptions) -> JudgeSummary:
    """Judge a file, write its table, and sum it up; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that do not go together; what table, model or template cannot do.
    """
    with progress_bars() as progress:
        judge, table, columns = _opened(options, progress, is_reported=True)
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
    judge, table, columns = _opened(options)
    columns.check(table)

    def parts() -> Iterator[JudgeCells]:
        first_row = 0
        for batch in table.batches_with(set(columns.names), options.run.part_rows):
            yield judge_cells(batch, columns, first_row)
            first_row += batch.height

    rows = Counter[Status]()
    for cells in parts():
        read = read_items(cells.questions, cells.answers, cells.references)
        rows.update(row if isinstance(row, Status) else Status.SCORED for row in read)
    n = rows.pop(Status.SCORED, 0)
    works = {
        each.name: partial(forecast_judge, each, partial(_requests, each, parts)) for each in _members(judge)
    }
    return ForecastSummary(
        table.name,
        options.calls.forecasts(works),
        n,
        {str(status): count for status, count in rows.items()},
        note="Nothing was sent. A model that refuses parameters takes a few calls more, once.",
    )


def audit_judges(options: AuditOptions) -> AuditSummary:
    """Audit each judge on the first rows of a file that can be judged.

    Raises:
        SemscaleError: as ``judge_table``.
    """
    with progress_bars() as progress:
        judge, table, columns = _opened(options, progress)
        cells = read_judge_cells(table, columns, options.rows)
        members = dict(zip(_names(judge), _members(judge), strict=True))
        n_audits = sum(1 + _decides_and_writes(each) for each in members.values())
        part = options.calls.running().divided(n_audits, "judges")

        def audited(each: Judge) -> Audit:
            return audit(
                each,
                cells.questions,
                cells.answers,
                references=cells.references,
                human=cells.human,
                running=part,
                plan=options.run.plan,
                progress=progress,
            )

        audits: dict[str, Audit] = {}
        for name, each in members.items():
            audits |= _both_ways(name, each, audited)
    return AuditSummary(table.name, audits)


def _opened(
    options: JudgeOptions | AuditOptions, progress: Progress | None = None, *, is_reported: bool = False
) -> "tuple[Judge | Panel, Table, JudgeColumns]":
    """Check that options go together and outputs can be written; then load the judges and open the table."""
    columns = options.columns.columns
    options.judges.check()
    options.outputs.check_run(options.file, restart=options.run.restart)
    judges = options.judges.load(progress)
    table, by = with_label(options.table.open(options.file, is_reported=is_reported), columns.by)
    return judges, table, replace(columns, by=by)


async def forecast_judge(
    judge: Judge, requests: Callable[[int], Iterable[Request]], ledger: Ledger
) -> Forecast:
    """Forecast the form of requests that needs the fewest calls: the one that the model took before.

    Of a judge that decides, and that the ledger has no reply of, the dearest form is what may come on top.

    Args:
        judge: who would be asked.
        requests: gives the requests of a form, by its number, as ``judge.requests`` orders them.
        ledger: of earlier replies, which cost nothing.
    """
    n_forms = len(judge.requests([], []))
    found = [
        await forecast(requests(form), judge.model, ledger=ledger, follow_ups=judge.corrections_after)
        for form in range(n_forms)
    ]
    least, dearest = min(found, key=lambda each: each.calls), max(found, key=lambda each: each.calls)
    if judge.method != "decision" or any(each.answered for each in found):
        return least
    return replace(least, stand_ins=dearest.less(least))


def _requests(judge: Judge, parts: _Parts, form: int) -> Iterator[Request]:
    for cells in parts():
        yield from judge.requests(cells.questions, cells.answers, references=cells.references)[form]


def _members(judge: "Judge | Panel") -> tuple[Judge, ...]:
    return (judge,) if isinstance(judge, Judge) else judge.judges


def _names(judge: "Judge | Panel") -> tuple[str, ...]:
    return (judge.name,) if isinstance(judge, Judge) else tuple(judge.names)


def _decides_and_writes(judge: Judge) -> bool:
    return judge.method == "decision" and judge.answers_prose


def _both_ways(name: str, judge: Judge, audited: Callable[[Judge], Audit]) -> dict[str, Audit]:
    """Audit a judge; beside one that decides, the same model in prose, unless prose stood in anyway."""
    found = audited(judge)
    if not _decides_and_writes(judge) or found.reads_prose:
        return {name: found}
    return {f"{name}, decision": found, f"{name}, prose": audited(judge.varied(method="prose"))}
