"""The commands ``semscale tables`` and ``semscale columns``: what a table of a survey holds."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from semscale.cli.options import Without, command, list_changed_options
from semscale.cli.outputs import OUTPUT, Outputs, check_input, present
from semscale.cli.shared import ARGUMENTS, InputFile, RowOptions
from semscale.errors import InputError
from semscale.settings import COLUMNS, Option, Settings
from semscale.tabulation.settings import CrosstabSettings

if TYPE_CHECKING:
    from semscale.tabulation.crosstabs import Crosstabs

_OF_STUDY = ("questions", "banners", "min_base", "adjust", "level")
"""Settings that serve with the folder of a study's run, too."""


class TablesOutputs(Outputs):
    """Files with tables, and the format of the screen."""

    files: Annotated[
        tuple[Path, ...],
        Field(
            description="Tables (.xlsx, .pptx, .html, .md, .json) or their cells (.csv, .parquet, .jsonl)."
        ),
        Option(OUTPUT, "FILE", name="--out"),
    ] = ()

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The files by their endings."""
        return {path.suffix.lower().removeprefix("."): path for path in self.files}

    def check(self) -> None:
        """Check, before anything is read, that all can be written.

        Raises:
            InputError: another ending, a file that cannot be written, or two files with one ending.
        """
        from semscale.tabulation.crosstabs import check_path

        for path in self.files:
            check_path(path)
        endings = Counter(path.suffix.lower() for path in self.files)
        repeated = next((ending for ending, n in endings.items() if n > 1), None)
        if repeated is not None:
            raise InputError("out", f": two files end in {repeated}; one of each kind is enough")
        super().check()


class TablesOptions(Settings):
    """All options of ``semscale tables``."""

    file: Annotated[
        str,
        Field(
            description="Table (CSV, Excel, Parquet, JSONL, SPSS), or folder of a study's run; - is "
            "standard input."
        ),
        Option(ARGUMENTS, "FILE", positional=True),
    ]
    tables: CrosstabSettings
    missing: Annotated[
        tuple[str, ...],
        Field(description="Codes for a missing answer: 9,99 for all questions, or QUESTION=9,refused."),
        Option(COLUMNS, "CODES"),
    ] = ()
    method: Annotated[
        str | None,
        Field(description="A study's method: ssr, flr, dlr or decision (default: the first)."),
        Option(COLUMNS, "METHOD", rare=True),
    ] = None
    model: Annotated[
        tuple[str, ...],
        Field(description="A study's chat model, of several (default: all)."),
        Option(COLUMNS, "NAME", name="--chat-model", rare=True),
    ] = ()
    table: RowOptions
    outputs: Annotated[TablesOutputs, Without("out", "report", "figures")]


@command
def tables(options: TablesOptions) -> None:
    """Tabulate the questions of a survey by groups, with intervals, bases, letters and tests.

    [bold]semscale tables answers.sav --question q1 --question "brand_*" --banner adult
    --derive "adult=age >= 18" --weight w --out tables.xlsx[/bold]

    A letter marks a cell that lies significantly above the column of that letter. Rows, cells and groups that
    are left out or too small are counted and named.
    """
    crosstabs = _of_study(options) if Path(options.file).is_dir() else _of_file(options)
    for path in options.outputs.files:
        crosstabs.report(path, escape=options.outputs.escape)
    present(crosstabs, options.outputs)


def _of_file(options: TablesOptions) -> "Crosstabs":
    """Tabulate a file.

    Raises:
        InputError: an option that belongs to the folder of a study's run, or a column that cannot be used.
    """
    from semscale.tabulation.crosstabs import build_crosstabs

    for name, value in (("method", options.method), ("model", options.model)):
        if value:
            raise InputError(
                name, "goes with the folder of a study's run alone: name that folder, or leave it out"
            )
    settings = options.tables.with_values(missing=_codes_by_question(options.missing))
    options.outputs.check()
    check_input(options.file)
    for path in options.outputs.files:
        check_input(options.file, path, "out")
    return build_crosstabs(options.table.open(options.file, is_reported=True), settings)


def _of_study(options: TablesOptions) -> "Crosstabs":
    """Tabulate the answers of a study's run.

    Raises:
        InputError: an option that does not apply to a study's run, whose folder has the same information.
    """
    from semscale.study.panel_crosstabs import panel_tables
    from semscale.study.result import read_study

    used = list_changed_options(options.tables, but=_OF_STUDY) + ["--missing"] * bool(options.missing)
    used += list_changed_options(options.table, but=("source",))
    if used:
        raise InputError(
            f"{used[0]} does not go with the folder of a study's run, which has scales, weights and "
            "personas: leave it out"
        )
    options.outputs.check()
    return panel_tables(
        read_study(options.file, allow_unfinished=True),
        questions=options.tables.questions,
        banners=options.tables.banners,
        method=options.method,
        model=list(options.model) or None,
        tests=options.tables,
    )


def _codes_by_question(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Read codes by question; those without a question are for all of them."""
    codes: dict[str, tuple[str, ...]] = {}
    for text in texts:
        question, _, listed = text.rpartition("=")
        codes[question] = (*codes.get(question, ()), *(code.strip() for code in listed.split(",")))
    return codes


class ColumnsOptions(Settings):
    """All options of ``semscale columns``."""

    file: InputFile
    outputs: Annotated[Outputs, Without("figures")]
    table: RowOptions


@command
def columns(options: ColumnsOptions) -> None:
    """Describe each column and its inferred type.

    [bold]semscale columns answers.sav --report columns.html --out columns.xlsx[/bold]

    Types are id, open text, single or multiple choice, ordinal, number, date and weight. The report shows
    values, labels, counts, missing cells and example texts. Without --text, rate uses the open text if
    there is only one.
    """
    from semscale.store.writing import check_output
    from semscale.tabulation.column_summaries import summarize_columns

    outputs = options.outputs
    outputs.check()
    check_input(options.file, outputs.report)
    table = options.table.open(options.file, is_reported=True)
    if outputs.out is not None:
        check_output(table, outputs.out)
    summary = summarize_columns(table)
    outputs.write_table(summary.to_frame())
    present(summary, outputs)
