"""What ``semscale judge`` does between its options and its output: check, load, ask, write."""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Unpack

import polars as pl

from semscale.chat.forecast import Forecast, forecast
from semscale.chat.forecast_summary import ForecastSummary
from semscale.chat.ledger.ledger import Ledger
from semscale.cli.options.calls import CallSettings
from semscale.cli.options.judges import JudgeChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.judging.audit import audit
from semscale.judging.audit_summary import AuditSummary
from semscale.judging.human_labels import beside_humans, label_table
from semscale.judging.items import read_items
from semscale.judging.judge import Judge
from semscale.judging.judge_columns import JudgeCells, JudgeColumns, read_judge_cells
from semscale.judging.judge_summary import JudgeSummary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.reading import TableSettings, open_table
from semscale.store.result_columns import PREFIX, check_output
from semscale.store.writing import write_table
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
    """

    columns: JudgeColumns
    choice: JudgeChoice
    calls: CallSettings
    plan: IntervalPlan
    outputs: Outputs = Outputs()

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: they do not, or cannot.
        """
        self.choice.check()
        self.outputs.check()

    def on(self, file: str, **settings: Unpack[TableSettings]) -> JudgeSummary:
        """Judge a file, write its table, and sum it up; where a cap is reached, as far as it went.

        Raises:
            SemscaleError: what the table, the model or the template cannot do.
        """
        with progress_bars() as progress:
            judge = self.choice.load(progress)
            name, cells = self._cells(file, **settings)
            template = judge.template if isinstance(judge, Judge) else judge.judges[0].template
            labels = None if cells.human is None else label_table(cells.human, template)
            result = judge.judge(
                cells.questions,
                cells.answers,
                references=cells.references,
                running=self.calls.running(),
                progress=progress,
            )
        summary = JudgeSummary(name, self.columns, cells, result, self.plan)
        if labels is not None:
            human = beside_humans(
                summary.expected, labels, template, interval=self.plan.interval, seed=self.plan.seed
            )
            summary = JudgeSummary(name, self.columns, cells, result, self.plan, human)
        if self.outputs.out is not None:
            found = result.to_frame().rename(lambda column: PREFIX + column)
            write_table(pl.concat([cells.rows, found], how="horizontal"), self.outputs.out)
        return summary

    def preflight(self, file: str, **settings: Unpack[TableSettings]) -> ForecastSummary:
        """Say for each judge what it would take, without asking."""
        members = _members(self.choice.load())
        name, cells = self._cells(file, **settings)
        rows = read_items(cells.questions, cells.answers, cells.references)
        left_out = Counter(str(row) for row in rows if isinstance(row, Status))
        return ForecastSummary(
            name,
            self.calls.forecasts({each.name: partial(self._forecast, each, cells) for each in members}),
            len(rows) - left_out.total(),
            left_out,
            note="Nothing was sent; replies that cannot be read are asked for again.",
        )

    def audited(self, file: str, *, rows: int, **settings: Unpack[TableSettings]) -> AuditSummary:
        """Audit each judge on the first rows of a file that can be judged."""
        with progress_bars() as progress:
            judge = self.choice.load(progress)
            name, cells = self._cells(file, **settings)
            members = _members(judge)
            part = self.calls.running().divided(len(members))
            audits = {
                each.name: audit(
                    each,
                    cells.questions[:rows],
                    cells.answers[:rows],
                    references=None if cells.references is None else cells.references[:rows],
                    running=part,
                    plan=self.plan,
                    progress=progress,
                )
                for each in members
            }
        return AuditSummary(name, audits)

    def _cells(self, file: str, **settings: Unpack[TableSettings]) -> tuple[str, JudgeCells]:
        self.outputs.check_input(file)
        table = open_table(file, **settings)
        self.columns.check(table)
        if self.outputs.out is not None:
            check_output(table, self.outputs.out)
        return table.name, read_judge_cells(table, self.columns)

    async def _forecast(self, judge: Judge, cells: JudgeCells, ledger: Ledger) -> Forecast:
        """Forecast the form whose replies the ledger has most of: the one that the model took before."""
        forms = judge.requests(cells.questions, cells.answers, references=cells.references)
        found = [await forecast(requests, judge.model, ledger=ledger) for requests in forms]
        return min(found, key=lambda each: each.calls)


def _members(judge: "Judge | Panel") -> tuple[Judge, ...]:
    return (judge,) if isinstance(judge, Judge) else judge.judges
