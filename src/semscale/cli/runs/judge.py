"""What ``semscale judge`` does between its options and its output: check, load, ask, write."""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Unpack

from semscale.chat.forecast import Forecast, forecast
from semscale.chat.forecast_summary import ForecastSummary
from semscale.chat.ledger.ledger import Ledger
from semscale.cli.options.calls import CallSettings
from semscale.cli.options.judges import JudgeChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.judging.audit.audit import audit
from semscale.judging.audit.audit_summary import AuditSummary
from semscale.judging.file_judging import judge_file
from semscale.judging.items import read_items
from semscale.judging.judge import Judge
from semscale.judging.judge_columns import JudgeCells, JudgeColumns, read_judge_cells
from semscale.judging.summary.judge_summary import JudgeSummary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.reading import TableSettings, open_table
from semscale.store.table import Table
from semscale.store.table_run import PartSettings
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.judging.panel import Panel


@dataclass(frozen=True)
class JudgeRun:
    """One call of ``semscale judge``.

    Attributes:
        columns: which column is what.
        choice: who judges.
        calls: how fast, and how much at most.
        plan: how intervals are made.
        outputs: files to write.
        parts: how the file is cut into parts.
    """

    columns: JudgeColumns
    choice: JudgeChoice
    calls: CallSettings
    plan: IntervalPlan
    outputs: Outputs = Outputs()
    parts: PartSettings = PartSettings()

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: they do not, or cannot.
        """
        self.choice.check()
        self.outputs.check()
        self.outputs.check_restart(restart=self.parts.restart)

    def on(self, file: str, **settings: Unpack[TableSettings]) -> JudgeSummary:
        """Judge a file, write its table, and sum it up; where a cap is reached, as far as it went.

        Raises:
            SemscaleError: what the table, the model or the template cannot do.
        """
        with progress_bars() as progress:
            judge = self.choice.load(progress)
            return judge_file(
                self._table(file, **settings),
                self.columns,
                judge=judge,
                running=self.calls.running(),
                plan=self.plan,
                out=self.outputs.out,
                settings=self.parts,
                progress=progress,
            )

    def preflight(self, file: str, **settings: Unpack[TableSettings]) -> ForecastSummary:
        """Say for each judge what it would take, without asking."""
        members = _members(self.choice.load())
        table = self._table(file, **settings)
        cells = read_judge_cells(table, self.columns)
        rows = read_items(cells.questions, cells.answers, cells.references)
        left_out = Counter(str(row) for row in rows if isinstance(row, Status))
        return ForecastSummary(
            table.name,
            self.calls.forecasts({each.name: partial(self._forecast, each, cells) for each in members}),
            len(rows) - left_out.total(),
            left_out,
            note="Nothing was sent; replies that cannot be read are asked for again.",
        )

    def audited(self, file: str, *, rows: int, **settings: Unpack[TableSettings]) -> AuditSummary:
        """Audit each judge on the first rows of a file that can be judged."""
        with progress_bars() as progress:
            judge = self.choice.load(progress)
            table = self._table(file, **settings)
            cells = read_judge_cells(table, self.columns, rows)
            members = _members(judge)
            part = self.calls.running().divided(len(members))
            audits = {
                each.name: audit(
                    each,
                    cells.questions,
                    cells.answers,
                    references=cells.references,
                    running=part,
                    plan=self.plan,
                    progress=progress,
                )
                for each in members
            }
        return AuditSummary(table.name, audits)

    def _table(self, file: str, **settings: Unpack[TableSettings]) -> Table:
        self.outputs.check_input(file)
        return open_table(file, **settings)

    async def _forecast(self, judge: Judge, cells: JudgeCells, ledger: Ledger) -> Forecast:
        """Forecast the form whose replies the ledger has most of: the one that the model took before."""
        forms = judge.requests(cells.questions, cells.answers, references=cells.references)
        found = [await forecast(requests, judge.model, ledger=ledger) for requests in forms]
        return min(found, key=lambda each: each.calls)


def _members(judge: "Judge | Panel") -> tuple[Judge, ...]:
    return (judge,) if isinstance(judge, Judge) else judge.judges
