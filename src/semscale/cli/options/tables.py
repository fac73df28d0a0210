"""Options of ``semscale study tables``."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import COLUMNS, OUTPUT, option
from semscale.cli.options.table import RowOptions
from semscale.cli.outputs import Outputs
from semscale.errors import InputError
from semscale.settings import options_of
from semscale.tabulation.settings import CrosstabSettings

FileOrFolder = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSONL, Parquet, Excel or SPSS; - is standard input. Or the folder of a study's run.",
    ),
]

_OF_PANEL = ("questions", "banners", "min_base", "adjust", "level")
"""Settings that serve with the folder of a study's run, too."""


@option_group
class TablesOutputs(Outputs):
    """Files with tables, and the format of the screen.

    Attributes:
        files: paths of tables, each in the form that its ending names.
    """

    files: Annotated[
        list[Path] | None,
        option(
            OUTPUT,
            "Tables: .xlsx, .pptx (extra slides), .html, .md, .json, or cells as .csv, .parquet or .jsonl; "
            "can be repeated.",
            "FILE",
            name="--out",
        ),
    ] = None

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The files by their endings."""
        return {path.suffix.lower().removeprefix("."): path for path in self.files or ()}

    def check(self) -> None:
        """Check, before anything is read, that all can be written.

        Raises:
            InputError: another ending, a file that cannot be written, or two files with one ending.
        """
        from semscale.tabulation.crosstabs import check_path

        for path in self.files or ():
            check_path(path)
        endings = Counter(path.suffix.lower() for path in self.files or ())
        repeated = next((ending for ending, n in endings.items() if n > 1), None)
        if repeated is not None:
            raise InputError(f"out: two files end in {repeated}; one of each kind is enough")
        super().check()


@option_group
class TablesOptions:
    """All options of ``semscale study tables``."""

    file: FileOrFolder
    tables: CrosstabSettings
    missing: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "Codes that are no answer: 9,99 to any question, or QUESTION=9,refused to one; can be repeated.",
            "CODES",
        ),
    ] = None
    method: Annotated[
        str | None,
        option(COLUMNS, "Of a study's run: ssr, flr, dlr or decision; the first one unless given.", "METHOD"),
    ] = None
    model: Annotated[
        list[str] | None,
        option(COLUMNS, "Of a study's run with several models; all unless given; can be repeated.", "NAME"),
    ] = None
    table: RowOptions
    outputs: Annotated[TablesOutputs, without("out", "report", "figures")]

    @property
    def settings(self) -> CrosstabSettings:
        """The settings of the tables of a file.

        Raises:
            InputError: an option that belongs to the folder of a study's run, or codes for no question.
        """
        for name in ("method", "model"):
            if getattr(self, name):
                raise InputError(
                    f"{name} goes with the folder of a study's run alone: name that folder, or leave it out"
                )
        return self.tables.changed(missing=_codes_by_question(self.missing or ()))

    def check_of_panel(self) -> None:
        """Refuse options that do not apply to a study's run, whose folder has the same information.

        Raises:
            InputError: there is such an option.
        """
        used = [
            name
            for name, info, _ in options_of(CrosstabSettings)
            if name not in _OF_PANEL and getattr(self.tables, name) != info.get_default()
        ]
        used += ["missing"] if self.missing else []
        of_rows = {field.name: field.default for field in fields(self.table) if field.name != "source"}
        used += [name for name in of_rows if getattr(self.table, name) not in (None, [], of_rows[name])]
        if used:
            raise InputError(
                f"{used[0]} does not go with the folder of a study's run, which has scales, weights and "
                "personas: leave it out"
            )


def _codes_by_question(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Read codes by question; those without a question are for all of them."""
    codes: dict[str, tuple[str, ...]] = {}
    for text in texts:
        question, _, listed = text.rpartition("=")
        codes[question] = (*codes.get(question, ()), *(code.strip() for code in listed.split(",")))
    return codes
