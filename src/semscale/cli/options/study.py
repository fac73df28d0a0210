"""Options of the commands ``semscale study``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import OUTPUT, RUN, option, setting
from semscale.cli.outputs import Outputs

if TYPE_CHECKING:
    from semscale.judging.asking import Running
    from semscale.study.questionnaire import Caps

_MODEL = "Asking"

Number = TypeVar("Number", int, float)

StudyFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A study's YAML file; study init starts one.")
]


@option_group
class StudyOutputs(Outputs):
    """The folder of a run, and what is printed.

    Attributes:
        folder: for personas, answers, summary and report; beside the study's file unless given.
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
    """Caps and ledger of calls; a cap goes before that of the file, whose pace holds."""

    calls: Annotated[CallOptions, without("concurrency", "per_minute")]

    def running(self, caps: "Caps") -> "Running":
        """How calls are made.

        Args:
            caps: of the file.
        """
        from semscale.chat.calls.limits import Limits
        from semscale.chat.costs.budget import Budget

        given = self.calls
        limits = Limits(caps.concurrency, caps.per_minute, timeout=given.timeout)
        budget = Budget(
            _first(given.max_calls, caps.max_calls),
            _first(given.max_total_tokens, caps.max_total_tokens),
            _first(given.max_cost, caps.max_cost),
        )
        return replace(given.running(), limits=limits, budget=budget)


@option_group
class StudyRunOptions:
    """All options of ``semscale study run``."""

    file: StudyFile
    model: Annotated[
        list[str] | None,
        option(
            _MODEL,
            "The model that answers, in place of those of the file; repeat it for several.",
            "NAME",
        ),
    ] = None
    base_url: Annotated[str | None, option(_MODEL, "Address of their OpenAI-compatible endpoint.", "URL")] = (
        None
    )
    asking: StudyCalls
    outputs: Annotated[StudyOutputs, without("out")]
    interval: Annotated[float, setting(RUN, "Coverage of the simulation intervals.")] = 0.95


def _first(given: Number | None, otherwise: Number | None) -> Number | None:
    return otherwise if given is None else given
