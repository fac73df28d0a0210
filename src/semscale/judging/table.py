"""Judging of a table of any size, part by part; a stopped run resumes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from semscale.chat.runner import Running, run_to_end
from semscale.judging.human_labels import label_table
from semscale.judging.judge import AnyJudge
from semscale.judging.prompts import read_items
from semscale.judging.settings import JudgeColumns
from semscale.judging.summary import JudgeSummary
from semscale.judging.verdict import verdicts_from_json, verdicts_to_json
from semscale.judging.verdicts import JudgedResult, JudgeTally
from semscale.results.instrument import TableInstrument
from semscale.results.label_sheets import INCLUSION
from semscale.results.result import PRIVATE
from semscale.results.table_columns import Cells
from semscale.results.table_runs import PartSettings, measure_table
from semscale.stats.intervals import IntervalPlan
from semscale.stats.sampling import validate_inclusion
from semscale.store.places import Target
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Floats, Mask, Progress, Status

_VERDICTS = f"{PREFIX}{PRIVATE}verdicts"


def judge_table(
    table: Table,
    columns: JudgeColumns,
    *,
    judge: "AnyJudge[Any]",
    running: Running | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> JudgeSummary:
    """Judge the answers of a table, write the judged table, and summarize it.

    References and labels are checked before any call. Replies stay in the ledger, so that a resumed run sends
    again only the calls that were in flight when it was killed. If a cap is reached, the output is written
    with the remaining rows ``unfinished``, and the same call continues with the first part that has such a
    row. It also asks again about rows whose calls failed, and with ``retry_unreadable`` about unparsable
    rows. Without a ledger it does so only if the first run reached its end, and then about all rows.

    Args:
        table: the input.
        columns: names of the columns.
        judge: the judge or panel.
        running: how calls are made: concurrency, retries, budget, ledger.
        plan: how intervals are made.
        out: the output, see ``measure_table``.
        settings: how the table is divided into parts, see ``measure_table``.
        progress: called as rows are judged, and as replies come.

    Raises:
        InputError: as ``measure_table``, or a label that the template does not have.
        StoppedByUserError: stopped by the user; finished parts are stored.
        ReplyError: no call can succeed; finished parts are stored.
    """
    instrument = JudgeTable(columns, judge, running or Running(), plan or IntervalPlan(), progress)
    return measure_table(table, instrument, out=out, settings=settings, progress=progress)


class JudgeTable(TableInstrument[JudgedResult, JudgeSummary]):
    """Judging of a table, part by part, for ``measure_table``.

    Args:
        columns: names of the columns.
        judge: the judge or panel.
        running: how calls are made; a panel's judges get equal parts of the budget.
        plan: how intervals are made.
        progress: called as replies come.
    """

    stage = "judging"
    private = (_VERDICTS,)

    def __init__(
        self,
        columns: JudgeColumns,
        judge: "AnyJudge[Any]",
        running: Running,
        plan: IntervalPlan,
        progress: Progress | None = None,
    ) -> None:
        self.columns: JudgeColumns = columns.with_preparation(judge.members[0].settings)
        self._judge, self._progress = judge, progress
        self._has_ledger = running.ledger is not False
        self._retries_unreadable = running.retry_unreadable
        self._states = judge.start(running)
        empty = self._empty()
        self.result = type(empty)
        self._tally = JudgeTally(empty, columns, plan)

    @property
    def stored(self) -> str:
        """Clause on stored replies; empty without a ledger."""
        return "received replies stay in the ledger" if self._has_ledger else ""

    def key(self) -> dict[str, str]:
        """Return the fields of the signature."""
        return dict(self._judge.signature.fields)

    def inspect(self, cells: Cells) -> None:
        """Refuse labels that the template does not have, or that lack an inclusion probability."""
        labels = self._labels(cells)
        if labels is not None and "inclusion" in cells.values:
            has_label: Mask = np.asarray(~np.isnan(labels).all(axis=1))
            validate_inclusion(cells["inclusion"], has_label, first_row=cells.first_row)

    def start(self, table: Table) -> None:
        """Store the table, as the summary needs its name and columns."""
        self._table = table

    def measure(self, cells: Cells) -> JudgedResult:
        """Judge some rows."""
        items = read_items(cells["question"], cells["answer"], cells.get("reference"))
        result: JudgedResult
        result, self._states = run_to_end(self._judge.judge_part(items, self._states, self._progress))
        return result

    def is_finished(self, result: JudgedResult) -> bool:
        """Return whether no cap cut the part short."""
        return result.stopped is None

    def has_failed_calls(self, result: JudgedResult) -> bool:
        """Return whether calls failed, and the others can be repeated without cost."""
        # Without a ledger, repeating the part would repeat the paid calls that succeeded.
        has_failed = any(Status.FAILED in verdicts.counts for verdicts in result.by_judge.values())
        return self._has_ledger and has_failed

    def notes(self, result: JudgedResult) -> dict[str, Any]:
        """Return the state of each judge after the part, and whether a row was unparsable, for JSON."""
        has_unparsable = any(Status.UNPARSABLE in verdicts.counts for verdicts in result.by_judge.values())
        return {"judges": [state.notes() for state in self._states], "has_unparsable": has_unparsable}

    def is_repeated(self, notes: Mapping[str, Any]) -> bool:
        """Return whether a finished part has unparsable rows that are to be judged again."""
        return self._retries_unreadable and bool(notes["has_unparsable"])

    def further_columns(self, cells: Cells, result: JudgedResult) -> list[pl.Series]:
        """Return the verdicts of all judges as JSON, from which a part is read back."""
        rows = zip(*(verdicts.verdicts for verdicts in result.by_judge.values()), strict=True)
        texts = map(verdicts_to_json, rows)
        return [pl.Series(_VERDICTS, list(texts), pl.String)]

    def read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> JudgedResult:
        """Read the verdicts on a part back, and restore its judges' states after it."""
        self._states = tuple(
            state.resume(known) for state, known in zip(self._states, notes["judges"], strict=True)
        )
        if frame.is_empty():
            return self._empty()
        rows = map(verdicts_from_json, frame[_VERDICTS])
        result: JudgedResult = self._judge.result(list(zip(*rows, strict=True)), self._states)
        return result

    def add(self, cells: Cells, result: JudgedResult) -> None:
        """Add a part to the summary."""
        self._tally.add(
            result,
            cells["question"],
            cells["answer"],
            labels=self._labels(cells),
            inclusion=cells.get("inclusion"),
            groups=cells.get("by"),
        )

    def summary(self) -> JudgeSummary:
        """Return the summary of all parts."""
        unused = self.columns.human is not None and self.columns.inclusion is None
        return self._tally.summary(
            self._empty(),
            self._table.file_name,
            unused_inclusion=unused and INCLUSION in self._table.columns,
        )

    def _empty(self) -> JudgedResult:
        """Return a result without rows, with the settings that each judge has applied so far."""
        result: JudgedResult = self._judge.result([()] * len(self._states), self._states)
        return result

    def _labels(self, cells: Cells) -> Floats | None:
        human = cells.get("human")
        if human is None:
            return None
        return label_table(human, self._judge.members[0].template, cells.first_row)
