"""Options of ``semscale judge`` and ``semscale judge audit``."""

from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, without
from semscale.cli.options.judges import JudgeChoice
from semscale.cli.options.panels import RUN, column, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, TableOptions
from semscale.cli.outputs import Outputs, written_as

if TYPE_CHECKING:
    from semscale.judging.judge_columns import JudgeColumns


@option_group
class JudgeColumnOptions:
    """The columns, as ``JudgeColumns`` takes them."""

    question: Annotated[str, column("What was asked.")]
    answer: Annotated[str, column("What is judged.")]
    reference: Annotated[list[str] | None, column("Answers known to be right; can be repeated.")] = None
    human: Annotated[str | None, column("People's labels, as the judge gives them, or lists of them.")] = None
    by: Annotated[str | None, column("Names of groups to compare.")] = None

    @property
    def columns(self) -> "JudgeColumns":
        """The columns.

        Raises:
            InputError: one column is to be two things.
        """
        from semscale.judging.judge_columns import JudgeColumns

        return JudgeColumns(self.question, self.answer, tuple(self.reference or ()), self.human, self.by)


@option_group
class JudgeOptions:
    """All options of ``semscale judge``."""

    file: File
    columns: JudgeColumnOptions
    judges: JudgeChoice
    calls: CallOptions
    outputs: Annotated[Outputs, written_as("Judged table")]
    table: TableOptions
    run: RunOptions


@option_group
class AuditOptions:
    """All options of ``semscale judge audit``."""

    file: File
    columns: Annotated[JudgeColumnOptions, without("human", "by")]
    judges: Annotated[JudgeChoice, without("samples")]
    rows: Annotated[int, setting(RUN, "Rows to audit, from the first.")] = 50
    calls: Annotated[CallOptions, without("dry_run")]
    outputs: Annotated[Outputs, without("out")]
    table: TableOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]
