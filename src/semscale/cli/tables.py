"""The commands ``semscale tables`` and ``semscale columns``: what a table of a survey holds."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from semscale.cli.options import Without, command, list_changed_options
from semscale.cli.outputs import OUTPUT, Outputs, ResultsFile, check_input, present
from semscale.cli.shared import ARGUMENTS, InputFile, RowOptions, SurveyOptions
from semscale.errors import InputError
from semscale.settings import COLUMNS, Option, Settings
from semscale.tabulation.settings import CrosstabSettings

if TYPE_CHECKING:
    from semscale.store.table import Table
    from semscale.survey.description import Survey
    from semscale.tabulation.basket import BasketTables
    from semscale.tabulation.crosstabs import Crosstabs

_OF_STUDY = ("questions", "banners", "min_base", "adjust", "level")
"""Settings that serve with the folder of a study's run, too."""

_YAML = frozenset({".yaml", ".yml"})


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
            description="Table (CSV, Excel, Parquet, JSONL, SPSS, Stata, SAS), or folder of a study's run; "
            "- is standard input."
        ),
        Option(ARGUMENTS, "FILE", positional=True),
    ]
    tables: CrosstabSettings
    basket: Annotated[
        Path | None,
        Field(description="File that lists tables with their settings: they make one workbook and one deck."),
        Option(COLUMNS, "FILE"),
    ] = None
    results: Annotated[
        tuple[str, ...],
        Field(
            description="Ratings or codes of the same rows, from semscale rate or code (or QUESTION=FILE)."
        ),
        Option(COLUMNS, "FILE"),
    ] = ()
    earlier: Annotated[
        tuple[str, ...],
        Field(
            description="File of an earlier wave, the oldest first, for the change since (default: as the "
            "basket names)."
        ),
        Option(COLUMNS, "FILE"),
    ] = ()
    wave_names: Annotated[
        tuple[str, ...],
        Field(description="Name of a wave in a file, such as may.csv=Summer (default: the file's name)."),
        Option(COLUMNS, "FILE=NAME", name="--wave-name", rare=True),
    ] = ()
    title: Annotated[
        str,
        Field(description="Title of the workbook, the slides and the page (default: as the basket has it)."),
        Option(OUTPUT, "TEXT", rare=True),
    ] = ""
    missing: Annotated[
        tuple[str, ...],
        Field(description="Codes for a missing answer: 9,99 for all questions, or QUESTION=9,refused."),
        Option(COLUMNS, "CODES", rare=True),
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
    description: SurveyOptions
    table: RowOptions
    outputs: Annotated[TablesOutputs, Without("out", "report", "figures")]


@command
def tables(options: TablesOptions) -> None:
    """Tabulate the questions of a survey by groups, with intervals, bases, letters and tests.

    [bold]semscale tables answers.sav --question q1 --question "brand_*" --banner adult
    --derive "adult=age >= 18" --weight w --out tables.xlsx[/bold]

    A letter marks a cell that lies significantly above the column of that letter. Rows, cells and groups that
    are left out or too small are counted and named. --basket makes tables with several settings at once.
    """
    crosstabs: Crosstabs | BasketTables
    if options.basket is not None:
        crosstabs = _of_basket(options, options.basket)
    else:
        tables = _of_study(options) if Path(options.file).is_dir() else _of_file(options)
        crosstabs = replace(tables, report_title=options.title.strip())
    for path in options.outputs.files:
        crosstabs.report(
            path,
            template=options.outputs.template if path.suffix.lower() == ".pptx" else None,
            escape=options.outputs.escape,
        )
    present(crosstabs, options.outputs)


def _of_file(options: TablesOptions) -> "Crosstabs":
    """Tabulate a file.

    Raises:
        InputError: an option that belongs to the folder of a study's run, or a column that cannot be used.
    """
    from semscale.survey.wave_files import WAVE
    from semscale.tabulation.crosstabs import build_crosstabs

    for name, value in (("method", options.method), ("model", options.model)):
        if value:
            raise InputError(
                name, "goes with the folder of a study's run alone: name that folder, or leave it out"
            )
    settings = options.tables.with_values(missing=_codes_by_question(options.missing))
    if options.earlier and settings.wave is not None:
        raise InputError("wave", "does not go with `earlier`, which makes waves of files: leave one out")
    waves = _name_waves(options)
    table, survey = _open(
        options,
        waves,
        settings.all_questions,
        [*settings.columns_by_role.values()],
        weight=settings.weight,
        wave=WAVE if waves else settings.wave,
        groups=settings.banners,
    )
    if waves:
        settings = settings.with_values(wave=WAVE, wave_order=waves)
    return build_crosstabs(table, settings.with_values(survey=survey))


def _name_waves(options: TablesOptions, names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the names of waves in several files, from the first to the last; none without earlier files.

    Args:
        options: the options.
        names: names of waves by the paths of their files, which those of the command replace.

    Raises:
        InputError: a name is not stated as FILE=NAME or is of another file, or two waves have the same name.
    """
    from semscale.survey.wave_files import name_waves

    if options.wave_names and not options.earlier:
        raise InputError("wave_name", "belongs to `earlier`: name the files of earlier waves as well")
    paths = {Path(file).resolve(): file for file in (*options.earlier, options.file)}
    stated = dict(names or {})
    for text in options.wave_names:
        file, _, name = text.rpartition("=")
        if not file or not name.strip():
            raise InputError("wave_name", f"must read FILE=NAME, such as may.csv=Summer, got {text!r}")
        if Path(file).resolve() not in paths:
            listed = ", ".join(paths.values())
            raise InputError("wave_name", f": {file} is none of the files of waves: {listed}")
        stated[paths[Path(file).resolve()]] = name.strip()
    return name_waves(options.file, options.earlier, stated) if options.earlier else ()


def _open(
    options: TablesOptions,
    waves: Sequence[str],
    questions: Sequence[str],
    required: Sequence[str],
    **roles: Any,
) -> "tuple[Table, Survey | None]":
    """Open a file with its description, the results of its texts, and earlier waves.

    Args:
        options: the options.
        waves: names of waves in several files, from the first to the last.
        questions: names of the questions that are tabulated.
        required: columns that each wave needs.
        roles: weight, waves and groups, as for ``SurveyOptions.find``.

    Raises:
        InputError: a file, an option or an output that cannot be used.
    """
    from semscale.survey.respondents import keep_rows
    from semscale.survey.wave_files import open_wave, stack_waves
    from semscale.tabulation.joined_results import join_to_waves

    options.outputs.check()
    for file in (options.file, *options.results, *options.earlier):
        check_input(file)
        for path in options.outputs.files:
            check_input(file, path, name="out")
    # Results are of all rows that the description keeps.
    rows = options.table.with_values(where=None) if options.results else options.table
    latest, survey = options.description.find(
        rows.open(options.file, is_reported=True), options.file, **roles
    )
    earlier = [open_wave(rows.open(file, is_reported=True), survey) for file in options.earlier]
    tables = join_to_waves([*earlier, latest], options.results, survey, questions)
    if options.results:
        tables = [keep_rows(table, options.table.where) for table in tables]
    if not earlier:
        return tables[0], survey
    return stack_waves(dict(zip(waves, tables, strict=True)), survey, required), survey


def _of_basket(options: TablesOptions, path: Path) -> "BasketTables":
    """Tabulate a file by a basket.

    Raises:
        InputError: an option that the basket states for each of its tables, or a basket or column that cannot
            be used.
    """
    from semscale.store.table_in_memory import table_in_memory
    from semscale.survey.wave_files import WAVE
    from semscale.tabulation.basket import read_basket, tabulate_basket

    used = list_changed_options(options.tables) + ["--missing"] * bool(options.missing)
    used += [name for name, value in (("--method", options.method), ("--chat-model", options.model)) if value]
    if used:
        raise InputError(
            f"{used[0]} does not go with --basket: {path} has the settings of each of its tables"
        )
    basket = read_basket(path)
    if not options.earlier:
        earlier = basket.earlier_than(Path(options.file), path.parent)
        options = options.with_values(earlier=tuple(map(str, earlier)))
    waves = _name_waves(options, basket.names_from(path.parent))
    if waves:
        basket = basket.with_waves(WAVE, waves)
    basket = replace(basket, title=options.title.strip() or basket.title)
    questions = [name for entry in basket.entries for name in entry.all_questions]
    required = [name for entry in basket.entries for name in entry.columns_by_role.values()]
    table, survey = _open(options, waves, questions, required)
    return tabulate_basket(table_in_memory(table, lambda *_: None), basket, survey)


def _of_study(options: TablesOptions) -> "Crosstabs":
    """Tabulate the answers of a study's run.

    Raises:
        InputError: an option that does not apply to a study's run, whose folder has the same information.
    """
    from semscale.study.panel_crosstabs import panel_tables
    from semscale.study.result import read_study

    used = list_changed_options(options.tables, but=_OF_STUDY) + ["--missing"] * bool(options.missing)
    used += list_changed_options(options.description, options.table, but=("source",))
    used += ["--results"] * bool(options.results) + ["--earlier"] * bool(options.earlier)
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


class ColumnsOutputs(Outputs):
    """Files with columns, or with the description of their questions."""

    out: Annotated[
        ResultsFile,
        Field(
            description="Description of the questions (.yaml), or a table of the columns (.parquet, .csv, "
            ".jsonl, .xlsx, .sav), or a URL."
        ),
    ] = None

    @property
    def description(self) -> Path | None:
        """The file for the description of the questions."""
        return self.out if isinstance(self.out, Path) and self.out.suffix.lower() in _YAML else None

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The description."""
        return {} if self.description is None else {"description": self.description}

    @property
    def named(self) -> list[tuple[str, Path | str]]:
        """The files that were asked for, each after its kind; a description is no table."""
        is_table = self.description is None
        return [(name, path) for name, path in super().named if is_table or name != "table"]

    def _check(self) -> None:
        if self.description is None:
            super()._check()
            return
        from semscale.store.atomic import check_writable

        check_writable(self.description, "out")
        self.with_values(out=None)._check()


class ColumnsOptions(Settings):
    """All options of ``semscale columns``."""

    file: InputFile
    description: SurveyOptions
    outputs: Annotated[ColumnsOutputs, Without("figures")]
    table: RowOptions


@command
def columns(options: ColumnsOptions) -> None:
    """Describe each column and question as Semscale reads it.

    [bold]semscale columns answers.sav --out survey.yaml[/bold]

    The file survey.yaml describes kinds, labels, marks of multiple choice and codes for no answer. Correct
    it, and other commands read it. Where it exists, its entries and comments stay, and new columns are added.

    The report shows values, labels, counts, missing cells and example texts. Without --text, rate uses the
    open text if there is only one.
    """
    from semscale.store.writing import check_output
    from semscale.survey.respondents import derive_columns
    from semscale.survey.survey_file import write_survey
    from semscale.tabulation.column_summaries import summarize_columns

    outputs = options.outputs
    outputs.check()
    check_input(options.file, *outputs.report)
    check_input(options.file, outputs.description, name="out")
    table = options.table.open(options.file, is_reported=True)
    if outputs.description is not None and not _is_empty(outputs.description):
        survey: Survey | None = _survey_to_update(options, outputs.description, table)
        table = derive_columns(table, survey)
    else:
        table, survey = options.description.find(table, options.file)
    if outputs.out is not None and outputs.description is None:
        check_output(table, outputs.out)
    summary = summarize_columns(table, survey)
    if outputs.description is None:
        outputs.write_table(summary.to_frame())
    else:
        write_survey(summary.survey, outputs.description)
    present(summary, outputs)


def _is_empty(path: Path) -> bool:
    """Return whether a description is to be written to a new file, or to one without content."""
    return not path.exists() or (path.is_file() and not path.read_bytes().strip())


def _survey_to_update(options: ColumnsOptions, path: Path, table: "Table") -> "Survey":
    """Read the description that is written anew.

    Raises:
        InputError: it cannot be read, describes another table, or another description is named as well.
    """
    from semscale.survey.survey_file import read_survey

    if list_changed_options(options.description):
        raise InputError("survey", f"must be left out: {path} exists, and its entries stay")
    survey = read_survey(path)
    if survey.columns and not any(map(table.has, survey.columns)):
        raise InputError(
            "out",
            f": {path} describes none of the columns of {table.name}: name another file, or move it away",
        )
    return survey
