"""Judges a table of any size part by part; a stopped run can be resumed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from semscale.chat.connections import held_open
from semscale.chat.runner import run_apart
from semscale.judging.asking import Running
from semscale.judging.human_labels import INCLUSION
from semscale.judging.judge import Judge, JudgeState
from semscale.judging.judge_columns import JudgeColumns, check_judge_cells, judge_cells
from semscale.judging.panel import Panel, join_signatures
from semscale.judging.prompts import JudgedItem, read_items
from semscale.judging.summary import JudgeCollector, JudgeSummary, private_columns
from semscale.judging.verdicts import PanelVerdicts, Verdicts
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.first_look import needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_free, check_output
from semscale.store.runs.table_run import PartSettings, TableRun, WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress, Status


def judge_file(  # noqa: PLR0913 - what, by whom, how, where to, and who is told
    table: Table,
    columns: JudgeColumns,
    *,
    judge: Judge | Panel,
    running: Running | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> JudgeSummary:
    """Judge the answers of a table, write the judged table, and sum it up.

    The judged table has the input's columns and rows in their order, then those of ``Verdicts.to_frame`` or
    ``PanelVerdicts.to_frame`` with the prefix ``semscale_``.

    References and labels are checked in a reading of their own, before anything is asked. Finished parts are
    kept as ``TableRun`` says, and replies in the ledger, so that a run that goes on pays for nothing twice.
    Where a cap is reached, the rows that were not asked about are ``unfinished``: the output is written, and
    the same call goes on after the last part before the first such row. It also asks again about rows whose
    calls failed; without a ledger only if the first run reached its end, and then about all rows.

    Args:
        table: the input.
        columns: which column is what.
        judge: who judges.
        running: how calls are made: at once, repeated, paid, kept.
        plan: how intervals are made.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts.
        progress: called as rows are judged, and as replies come.

    Returns:
        Numbers of all rows, and the items to look at; texts of other rows are not kept in memory.

    Raises:
        InputError: a column that does not exist, a name that is taken, a cell that cannot be used, an output
            that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ReplyError: no call can succeed; finished parts are kept.
    """
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if out is not None:
        check_output(table, out)
    members = _members(judge)
    template = next(iter(members.values())).template
    counting = needs_counting(table, out)
    table = check_judge_cells(table, columns, template, settings.part_rows, counting=counting)
    work = JudgeWork(table, columns, judge, running or Running(), plan, progress)
    summary = TableRun(table, settings, progress).of(work, out)
    unused = columns.human is not None and columns.inclusion is None and INCLUSION in table.columns
    return replace(summary, input_notes=table.notes, unused_inclusion=unused)


class JudgeWork:
    """Judges the rows of a table part by part, and sums the parts up.

    Args:
        table: the input.
        columns: which column is what.
        judge: who judges.
        running: how calls are made; a panel's judges get equal parts of the budget.
        plan: how intervals are made.
        progress: called as replies come.
    """

    stage = "judging"

    def __init__(  # noqa: PLR0913, PLR0917 - what, by whom, how, and who is told
        self,
        table: Table,
        columns: JudgeColumns,
        judge: Judge | Panel,
        running: Running,
        plan: IntervalPlan,
        progress: Progress | None = None,
    ) -> None:
        self._table, self._columns, self._judge, self._progress = table, columns, judge, progress
        self._members = _members(judge)
        self._keeps_replies = running.ledger is not False
        own = running if len(self._members) == 1 else running.divided(len(self._members), "judges")
        self._states: Sequence[JudgeState] = [JudgeState(own)] * len(self._members)
        templates = {name: member.template for name, member in self._members.items()}
        criteria = judge.criteria if isinstance(judge, Judge) else None
        self._collector = JudgeCollector(templates, columns, plan, criteria)

    @property
    def kept(self) -> str:
        """Replies, where there is a ledger."""
        return "replies that came stay in the ledger" if self._keeps_replies else ""

    @property
    def private(self) -> tuple[str, ...]:
        """Columns that only the summary needs."""
        return private_columns(len(self._members))

    def key(self) -> dict[str, str]:
        """Give the names of the columns, and the fields of the signature."""
        columns = self._columns
        return {
            "question": columns.question,
            "answer": columns.answer,
            "reference": ", ".join(columns.references),
            **dict(self._judge.signature.fields),
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Judge the rows after the first ``skip`` ones."""
        first_row = skip
        for batch in self._table.batches(size, skip):
            check_free(batch.columns, self._table.name)
            cells = judge_cells(batch, self._columns, first_row)
            items = read_items(cells.questions, cells.answers, cells.references)
            verdicts, self._states = run_apart(self._judged(items))
            found = verdicts.part_frame().rename(lambda name: PREFIX + name)
            notes = {"judges": [state.notes() for state in self._states]}
            each = verdicts.judges if isinstance(verdicts, PanelVerdicts) else (verdicts,)
            yield WorkedPart(
                pl.concat([cells.rows, found], how="horizontal"),
                notes,
                is_finished=not any(state.stopped for state in self._states),
                # Without a ledger, making the part again would pay again for the replies that came.
                has_failed_calls=self._keeps_replies and any(Status.FAILED in own.counts for own in each),
            )
            first_row += batch.height

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part, and go on with the state that its judges had after it."""
        self._collector.add(frame)
        self._states = [state.resumed(own) for state, own in zip(self._states, notes["judges"], strict=True)]

    def summary(self) -> JudgeSummary:
        """Sum all parts up."""
        applied = [
            member.applied(state) for member, state in zip(self._members.values(), self._states, strict=True)
        ]
        stopped = next((state.stopped for state in self._states if state.stopped), None)
        signature = join_signatures(applied) if isinstance(self._judge, Panel) else applied[0]
        not_taken = [state.not_taken for state in self._states]
        return self._collector.summary(self._table.name, applied, signature, stopped, not_taken)

    def late(self, start: int, stop: int) -> None:
        """No column depends on the whole table."""

    async def _judged(
        self, items: Sequence[JudgedItem | Status]
    ) -> tuple[Verdicts | PanelVerdicts, Sequence[JudgeState]]:
        if isinstance(self._judge, Panel):
            return await self._judge.judge_part(items, self._states, self._progress)
        async with held_open(self._judge.model):
            verdicts, state = await self._judge.judge_part(items, self._states[0], self._progress)
        return verdicts, [state]


def _members(judge: Judge | Panel) -> dict[str, Judge]:
    if isinstance(judge, Judge):
        return {judge.name: judge}
    return dict(zip(judge.names, judge.judges, strict=True))
