"""Forecasts of ``semscale judge`` and its subcommands: how many calls asking would take."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from semscale.chat.costs.forecast import Forecast, forecast
from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Request
from semscale.cli.options.judging import AuditOptions, JudgeOptions
from semscale.cli.runs.judge import decides_and_writes, members_of, names_of, opened, read_cells
from semscale.judging.audit import CHECKS, apply_check, check_obstacle
from semscale.judging.judge import Judge
from semscale.judging.prompts import JudgedItem, read_items
from semscale.results.table_columns import Cells
from semscale.types import Status

NOTE = "Nothing was sent. A model that refuses parameters takes a few calls more, once."

_Parts = Callable[[], Iterator[Cells]]


def forecast_judges(options: JudgeOptions) -> ForecastSummary:
    """Forecast each judge's calls, without asking.

    Raises:
        SemscaleError: as ``judge_table``.
    """
    judge, table, columns = opened(options)
    columns.check(table)

    def parts() -> Iterator[Cells]:
        first_row = 0
        for batch in table.batches_with(columns.titles, options.run.part_rows):
            yield columns.read(batch, first_row)
            first_row += batch.height

    rows = Counter[Status]()
    for cells in parts():
        read = read_items(cells["question"], cells["answer"], cells.get("reference"))
        rows.update(row if isinstance(row, Status) else Status.SCORED for row in read)
    works = {
        each.name: partial(forecast_judge, each, partial(_requests, each, parts))
        for each in members_of(judge)
    }
    return row_forecast(table.name, options.calls.forecasts(works), rows, NOTE)


def forecast_audits(options: AuditOptions) -> ForecastSummary:
    """Forecast the calls of each round of an audit: of the rows as they are, and of each change.

    Raises:
        SemscaleError: as ``audit_judges``.
    """
    judge, table, columns = opened(options)
    cells = read_cells(table, columns, options.rows)
    rows = read_items(cells["question"], cells["answer"], cells.get("reference"))
    works = {}
    for name, each in zip(names_of(judge), members_of(judge), strict=True):
        ways = {name: each}
        if decides_and_writes(each):
            ways = {f"{name}, decision": each, f"{name}, prose": each.varied(method="prose")}
        for way, own in ways.items():
            for round_, (asked, items) in _rounds(own, rows, "reference" in cells.values).items():
                works[f"{way}, {round_}"] = partial(forecast_judge, asked, partial(_forms, asked, items))
    counts = Counter(row if isinstance(row, Status) else Status.SCORED for row in rows)
    note = f"{NOTE} An audit leaves prose out where the model decides in no form."
    return row_forecast(table.name, options.calls.forecasts(works), counts, note)


def row_forecast(
    source: str, forecasts: dict[str, Forecast], rows: Counter[Status], note: str
) -> ForecastSummary:
    """Sum forecasts up with the rows by status; ``scored`` would be asked about."""
    left_out = {str(status): n for status, n in rows.items() if status != Status.SCORED}
    return ForecastSummary(source, forecasts, rows[Status.SCORED], left_out, note=note)


async def forecast_items(judge: Judge, items: Sequence[JudgedItem], ledger: Ledger) -> Forecast:
    """Forecast what asking a judge about items would take.

    Args:
        judge: who would be asked.
        items: what it would be shown.
        ledger: of earlier replies, which cost nothing.
    """
    return await forecast_judge(judge, partial(_forms, judge, items), ledger)


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
    if judge.settings.method != "decision" or any(each.answered for each in found):
        return least
    return replace(least, stand_ins=dearest.less(least))


def _requests(judge: Judge, parts: _Parts, form: int) -> Iterator[Request]:
    for cells in parts():
        yield from judge.requests(cells["question"], cells["answer"], references=cells.get("reference"))[form]


def _forms(judge: Judge, rows: Sequence[JudgedItem | Status], form: int) -> list[Request]:
    return judge.requests_about(row for row in rows if isinstance(row, JudgedItem))[form]


def _rounds(
    judge: Judge, rows: Sequence[JudgedItem | Status], has_references: bool
) -> dict[str, tuple[Judge, Sequence[JudgedItem | Status]]]:
    """Give who is asked about what in each round of an audit, by its name."""
    made = (name for name in CHECKS if check_obstacle(name, judge, has_references=has_references) is None)
    return {"plain": (judge, rows), **{name: apply_check(name, judge, rows) for name in made}}
