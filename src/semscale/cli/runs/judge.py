"""Runs of ``semscale judge``: check the options, load the judges, ask them, write."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl

from semscale.cli.options.judging import AuditOptions, JudgeOptions
from semscale.cli.progress import progress_bars
from semscale.judging.audit import Audit, AuditSummary, audit
from semscale.judging.judge import Judge
from semscale.judging.settings import JudgeColumns
from semscale.judging.summary import JudgeSummary
from semscale.judging.tables import judge_file
from semscale.results.table_columns import Cells
from semscale.store.deriving.derived_columns import with_label
from semscale.store.table import Table
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.judging.judge import Panel

_BATCH = 50_000


def judge_table(options: JudgeOptions) -> JudgeSummary:
    """Judge a file, write its table, and sum it up; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that do not go together; what table, model or template cannot do.
    """
    with progress_bars() as progress:
        judge, table, columns = opened(options, progress, is_reported=True)
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


def audit_judges(options: AuditOptions) -> AuditSummary:
    """Audit each judge on the first rows of a file that can be judged.

    Raises:
        SemscaleError: as ``judge_table``.
    """
    with progress_bars() as progress:
        judge, table, columns = opened(options, progress)
        cells = read_cells(table, columns, options.rows)
        members = dict(zip(names_of(judge), members_of(judge), strict=True))
        n_audits = sum(1 + decides_and_writes(each) for each in members.values())
        part = options.calls.running().divided(n_audits, "judges")

        def audited(each: Judge) -> Audit:
            return audit(
                each,
                cells["question"],
                cells["answer"],
                references=cells.get("reference"),
                human=cells.get("human"),
                running=part,
                plan=options.run.plan,
                progress=progress,
            )

        audits: dict[str, Audit] = {}
        for name, each in members.items():
            audits |= _both_ways(name, each, audited)
    return AuditSummary(table.name, audits)


def opened(
    options: JudgeOptions | AuditOptions, progress: Progress | None = None, *, is_reported: bool = False
) -> "tuple[Judge | Panel, Table, JudgeColumns]":
    """Check that options go together and outputs can be written; then load the judges and open the table."""
    options.judges.check(options.settings)
    options.outputs.check_run(options.file, restart=options.run.restart)
    judges = options.judges.load(options.settings, progress)
    table, by = with_label(options.table.open(options.file, is_reported=is_reported), options.columns.by)
    return judges, table, options.columns.changed(by=by)


def read_cells(table: Table, columns: JudgeColumns, most: int | None = None) -> Cells:
    """Read the cells of the first rows of a table; of all rows by default.

    Raises:
        InputError: a column that does not exist, a row that cannot be read, or a broken list.
    """
    columns.check(table)
    if most is not None:
        return columns.read(next(table.batches(most)))
    return columns.read(pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed"))


def members_of(judge: "Judge | Panel") -> tuple[Judge, ...]:
    """Give the judges of a panel, or the judge alone."""
    return (judge,) if isinstance(judge, Judge) else judge.judges


def names_of(judge: "Judge | Panel") -> tuple[str, ...]:
    """Give the names of a panel's judges, all different, or that of the judge alone."""
    return (judge.name,) if isinstance(judge, Judge) else tuple(judge.names)


def decides_and_writes(judge: Judge) -> bool:
    """Tell whether a judge that decides has a model that can be asked in prose, too."""
    return judge.settings.method == "decision" and judge.answers_prose


def _both_ways(name: str, judge: Judge, audited: Callable[[Judge], Audit]) -> dict[str, Audit]:
    """Audit a judge; beside one that decides, the same model in prose, unless prose stood in anyway."""
    found = audited(judge)
    if not decides_and_writes(judge) or found.method == "prose":
        return {name: found}
    return {f"{name}, decision": found, f"{name}, prose": audited(judge.varied(method="prose"))}
