"""Options of ``semscale judge`` and of ``judge audit``, ``compare`` and ``label``."""

from pathlib import Path
from typing import Annotated

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, without
from semscale.cli.options.judges import JudgeChoice
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.judging.settings import JudgeColumns, JudgeSettings


@option_group
class JudgeOptions:
    """All options of ``semscale judge``."""

    file: File
    columns: JudgeColumns
    judges: JudgeChoice
    settings: JudgeSettings
    calls: CallOptions
    outputs: Annotated[Outputs, written_as("Judged table")]
    table: RowOptions
    run: RunOptions


@option_group
class AuditOptions:
    """All options of ``semscale judge audit``."""

    file: File
    columns: Annotated[JudgeColumns, without("by", "inclusion")]
    judges: JudgeChoice
    settings: Annotated[JudgeSettings, without("samples")]
    rows: Annotated[int, setting(RUN, "Rows to audit, from the first.")] = 50
    calls: CallOptions
    outputs: Annotated[Outputs, without("out")]
    table: RowOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]


@option_group
class SystemColumnOptions:
    """The columns of a comparison: what was asked, and the systems' answers."""

    question: Annotated[str, column("What was asked.")]
    a: Annotated[str | None, column("Answers of the first system.")] = None
    b: Annotated[str | None, column("Answers of the second system.")] = None
    system: Annotated[
        list[str] | None,
        option(COLUMNS, "A further system and its column; can be repeated.", "NAME=COLUMN"),
    ] = None
    reference: Annotated[list[str] | None, column("Answers known to be right; can be repeated.")] = None

    @property
    def systems(self) -> dict[str, str]:
        """The systems' names with their columns.

        Raises:
            InputError: fewer than two, or one name or column twice.
        """
        from semscale.judging.comparing import system_names

        return system_names(self.a, self.b, self.system or ())


@option_group
class SystemCompareOptions:
    """All options of ``semscale judge compare``."""

    file: File
    columns: SystemColumnOptions
    judges: Annotated[JudgeChoice, without("panel")]
    settings: Annotated[JudgeSettings, without("template", "criteria", "samples")]
    calls: CallOptions
    outputs: Annotated[Outputs, written_as("Table of all pairs")]
    table: RowOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]


@option_group
class JudgeLabelOptions:
    """All options of ``semscale judge label``."""

    file: File
    columns: Annotated[JudgeColumns, without("human", "by", "inclusion")]
    judges: Annotated[JudgeChoice, without("panel")]
    settings: JudgeSettings
    n: Annotated[int, setting(RUN, "Rows to label.")] = 50
    alike: Annotated[bool, option(RUN, "Draw all rows alike, whatever the judge is unsure of.")] = False
    out: Annotated[Path, option(OUTPUT, "The table to fill in: .csv, .xlsx, .jsonl or .parquet.", "FILE")]
    calls: CallOptions
    table: RowOptions
    seed: Annotated[int, setting(RUN, "Seed of the draw.")] = 0
