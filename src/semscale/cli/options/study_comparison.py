"""Options of ``semscale study compare``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import COLUMNS, INPUT, RUN, column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import RowOptions
from semscale.cli.outputs import Outputs
from semscale.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    concept: Annotated[str | None, column("The concept that a row is about.")] = None
    respondent: Annotated[
        str | None, column("Names of respondents; a persona of the same name is the same individual.")
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
        tuple[float, float] | None, option(COLUMNS, "Lowest and highest value people could give.", "LOW HIGH")
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
        list[str] | None, option(INPUT, "A method that is compared; all unless given.", "NAME")
    ] = None
    splits: Annotated[int, setting(RUN, "Random halves of the people.")] = 2000
    outputs: Annotated[Outputs, without("out")]
    table: RowOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]


def _pairs(given: "Sequence[str]", parameter: str, *, needs_column: bool) -> dict[str, str]:
    """Read NAME=COLUMN.

    Raises:
        InputError: no column where one is needed, or one name twice.
    """
    found: dict[str, str] = {}
    for each in given:
        name, separator, title = each.partition("=")
        if not name or (needs_column and not title) or (separator and not title):
            raise InputError(f"{parameter} must be NAME=COLUMN, got {each!r}")
        if name in found:
            raise InputError(f"{parameter} must name each once, got {name!r} twice")
        found[name] = title or name
    return found
