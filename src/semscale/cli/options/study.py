"""Options of the commands ``semscale study run`` and ``semscale study compare``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import COLUMNS, INPUT, OUTPUT, RUN, column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import RowOptions
from semscale.cli.outputs import Outputs
from semscale.errors import InputError

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
        from semscale.chat.calls.limits import Limits
        from semscale.chat.costs.budget import Budget

        calls = self.calls
        limits = Limits(caps.concurrency, caps.per_minute, timeout=calls.timeout)
        budget = Budget(
            _first(calls.max_calls, caps.max_calls),
            _first(calls.max_total_tokens, caps.max_total_tokens),
            _first(calls.max_cost, caps.max_cost),
        )
        return replace(calls.running(), limits=limits, budget=budget)


@option_group
class StudyRunOptions:
    """All options of ``semscale study run``."""

    file: StudyFile
    model: Annotated[
        list[str] | None,
        option(
            _MODEL,
            "The model that answers; overrides those of the file. Can be repeated.",
            "NAME",
        ),
    ] = None
    base_url: Annotated[str | None, option(_MODEL, "Address of their OpenAI-compatible endpoint.", "URL")] = (
        None
    )
    asking: StudyCalls
    outputs: Annotated[StudyOutputs, without("out")]
    interval: Annotated[float, setting(RUN, "Coverage of the simulation intervals.")] = 0.95


@option_group
class PeopleColumnOptions:
    """The columns of the people's table."""

    question: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "A question of the study and the column with its answers; those of the same name unless given. "
            "Can be repeated.",
            "NAME=COLUMN",
        ),
    ] = None
    concept: Annotated[str | None, column("Concept of each row.")] = None
    respondent: Annotated[
        str | None, column("IDs of respondents; a persona with the same ID is the same individual.")
    ] = None
    weight: Annotated[str | None, column("Weights of respondents.")] = None
    by: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "Compare differences between groups of an attribute that personas and people have; NAME=COLUMN "
            "where the column has another name. Can be repeated.",
            "NAME",
        ),
    ] = None
    human_range: Annotated[
        tuple[float, float] | None,
        option(COLUMNS, "Lowest and highest value that people could give.", "LOW HIGH"),
    ] = None

    @property
    def questions(self) -> dict[str, str]:
        """Columns by the question's name."""
        return _pairs(self.question or (), "question", needs_column=True)

    @property
    def attributes(self) -> dict[str, str]:
        """Columns by the attribute's name."""
        return _pairs(self.by or (), "by", needs_column=False)


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
    columns: PeopleColumnOptions
    method: Annotated[
        list[str] | None, option(INPUT, "A method to compare; all unless given. Can be repeated.", "NAME")
    ] = None
    splits: Annotated[int, setting(RUN, "Random halves of the people.")] = 2000
    outputs: Annotated[Outputs, without("out")]
    table: RowOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]


def _first(value: Number | None, default: Number | None) -> Number | None:
    return default if value is None else value


def _pairs(values: Sequence[str], parameter: str, *, needs_column: bool) -> dict[str, str]:
    """Read NAME=COLUMN.

    Raises:
        InputError: no column where one is needed, or one name twice.
    """
    columns: dict[str, str] = {}
    for value in values:
        name, separator, title = value.partition("=")
        if not name or (needs_column and not title) or (separator and not title):
            raise InputError(f"{parameter} must be NAME=COLUMN, got {value!r}")
        if name in columns:
            raise InputError(f"{parameter} must name each once, got {name!r} twice")
        columns[name] = title or name
    return columns
