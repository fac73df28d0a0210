"""Options of the commands ``semscale study run`` and ``semscale study compare``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import OUTPUT, option
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import RowOptions
from semscale.cli.outputs import Outputs
from semscale.study.settings import ComparisonSettings, RunSettings

if TYPE_CHECKING:
    from semscale.chat.runner import Running
    from semscale.study.questionnaire import Caps


@option_group
class StudyOutputs(Outputs):
    """The folder of a run, and what is printed.

    Attributes:
        folder: for personas, answers, summary and report; in the folder of the study's file unless given.
    """

    folder: Annotated[
        Path | None,
        option(
            OUTPUT,
            "Folder for personas, answers, summary and report; FILE's name with -results unless given.",
            "FOLDER",
            name="--out",
        ),
    ] = None

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The files in the folder, beside the report."""
        from semscale.study.result import ANSWERS, PANEL, SUMMARY

        if self.folder is None:
            return {}
        return {name.partition(".")[0]: self.folder / name for name in (PANEL, ANSWERS, SUMMARY)}

    def beside(self, file: Path) -> "StudyOutputs":
        """The same with a folder and a report, also where none is named."""
        folder = self.folder or file.with_name(f"{file.stem}-results")
        return replace(self, folder=folder, report=self.report or folder / "report.html")


@option_group
class StudyCalls:
    """Caps and ledger of calls; a cap overrides that of the file, whose pace holds."""

    calls: Annotated[CallOptions, without("concurrency", "per_minute")]

    def running(self, caps: "Caps") -> "Running":
        """Return limits and budget of calls.

        Args:
            caps: of the file.
        """
        stated = {name: getattr(self.calls, name) for name in ("max_cost", "max_calls", "max_total_tokens")}
        overriding = {name: cap for name, cap in stated.items() if cap is not None}
        caps = caps.model_copy(update=overriding)
        limits = replace(caps.limits, timeout=self.calls.timeout)
        return replace(self.calls.running(), limits=limits, budget=caps.budget)


@option_group
class StudyRunOptions:
    """All options of ``semscale study run``."""

    file: Annotated[Path, typer.Argument(metavar="FILE", help="A study's YAML file; study init starts one.")]
    settings: RunSettings
    asking: StudyCalls
    outputs: Annotated[StudyOutputs, without("out")]


@option_group
class StudyCompareOptions:
    """All options of ``semscale study compare``."""

    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS", help="The folder of a study's run, or its answers.parquet.")
    ]
    human: Annotated[
        str,
        typer.Argument(
            metavar="HUMAN", help="People's answers: a row for each person, or each person and concept."
        ),
    ]
    settings: ComparisonSettings
    outputs: Annotated[Outputs, without("out")]
    table: RowOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]
