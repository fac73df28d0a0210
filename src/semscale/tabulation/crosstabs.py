"""Crosstabs of a survey: the call, the run over a file or a data frame, and the result."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, Unpack

import narwhals as nw
import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.extras import require
from semscale.html_texts import has_html, html_text
from semscale.messages import unknown_name
from semscale.presentable import Presentable
from semscale.scales import load_scale
from semscale.settings import takes
from semscale.signature import Signature
from semscale.spelling import hint, notes_from
from semscale.store.atomic import check_writable, replacing
from semscale.store.column_profile import ColumnProfile, RespondentCount, is_respondent_name
from semscale.store.columns import (
    column_in,
    groups_in,
    join_spellings,
    spelling_note,
    storable,
    text_counts,
)
from semscale.store.missing_codes import code_key, missing_keys, unseen_codes, write_codes
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels, Table, frame_reader, rows_of_the_file
from semscale.store.writing import write_table
from semscale.survey.answer_values import BY_FREQUENCY
from semscale.survey.description import Question, Survey
from semscale.survey.groups import group_codes, groups_note, undescribed
from semscale.survey.respondents import leave_out_rows
from semscale.tabulation.answers import AnswerReader
from semscale.tabulation.banners import (
    Banner,
    count_people,
    id_columns,
    pair_notes,
    pairing_notes,
    read_banner,
)
from semscale.tabulation.crosstab_figures import (
    CellFigures,
    ColumnDifferences,
    Crosstab,
    WaveChanges,
    tabulate,
)
from semscale.tabulation.lines import difference_question
from semscale.tabulation.sample import read_sample, replicate_columns
from semscale.tabulation.settings import EVERY_QUESTION, CrosstabKeywords, CrosstabSettings
from semscale.tabulation.survey_questions import (
    QuestionColumns,
    columns_of_question,
    describe_question,
    find_columns,
)
from semscale.tabulation.table_look import arrange, notes_on_hidden
from semscale.tabulation.text_results import code_columns, unnamed_masses
from semscale.text_preparation import TextCounts, TextPreparation

ENDINGS = (".xlsx", ".pptx", ".html", ".md", ".csv", ".parquet", ".jsonl", ".json")
"""File extensions of the formats for crosstabs."""

_BATCH = 50_000
_LISTED = 5  # columns that a note lists
_DEVIATION = "standard deviation"
_OF_ANSWERS = "share of answers"
_STUDY_COLUMNS = {"persona", "concept", "question", "method", "pmf"}


@takes(CrosstabSettings)
def crosstabs(data: Any, **settings: Unpack[CrosstabKeywords]) -> "Crosstabs":
    """Tabulate questions of a survey by groups of respondents.

    Every cell has an estimate with its interval, the number of respondents, the sum of their weights, their
    effective number, and the letters of the banner's columns that have significantly lower values.

    Args:
        data: a file, or a data frame of polars, pandas or Arrow, with one row per respondent; with waves, one
            row per respondent and wave.
        settings: fields of ``CrosstabSettings``: ``questions`` (columns; short names of questions with
            several columns; patterns such as ``brand_*`` or lists such as ``Brands=brand_a,brand_b`` of
            options; ``Mentions=first+second`` for codes of one list), ``survey`` (the description of the
            questions, or the path of ``survey.yaml``; without it they are inferred), ``banners`` (columns of
            groups; without banners and waves, tables have only the total), and those of the sample and the
            tests.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: invalid settings or columns, margins that cannot be met, or a group whose weights sum
            to 0.

    Examples:
        >>> frame = pl.DataFrame({"like": [1, 2, 3, 3] * 10, "who": ["a", "b"] * 20})
        >>> result = crosstabs(frame, questions=["like"], banners=["who"], min_base=10)
        >>> result.tables[0].cells.values[-1].tolist()  # means of everybody, a (1, 3) and b (2, 3)
        [2.25, 2.0, 2.5]
    """
    chosen = CrosstabSettings(**settings)
    if isinstance(data, str | Path):
        return build_crosstabs(leave_out_rows(open_table(data), chosen.survey), chosen)
    frame = _respondents(nw.from_native(data, eager_only=True).to_polars(), chosen.survey)
    chosen = chosen.with_columns(frame.columns)
    for role, names in (("banner", chosen.banners), ("wave", chosen.wave_columns)):
        if unknown := next((name for name in names if name not in frame.columns), None):
            raise unknown_name(f"column for {role},", unknown, frame.columns)
    return _tabulate(frame, *_find_questions(chosen, frame.columns, {}), {})


def _respondents(frame: pl.DataFrame, survey: Survey | None) -> pl.DataFrame:
    """Return the rows of a data frame that count by the description, with the columns that it derives."""
    table = Table("the data", None, tuple(frame.columns), frame_reader(frame), n_rows=frame.height)
    respondents = leave_out_rows(table, survey)
    return frame if respondents is table else pl.concat(respondents.batches(_BATCH))


def build_crosstabs(table: Table, settings: CrosstabSettings) -> "Crosstabs":
    """Tabulate an open table; only the necessary columns are read.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: as for ``crosstabs``; or the table contains a study's answers, which mix methods and have
            no weights.
    """
    if {*table.columns} >= _STUDY_COLUMNS:
        raise InputError(
            f"{table.name} has a study's answers, a row for each persona, concept, question and method, so "
            "that methods would be pooled and weights left out: name the folder of the run "
            f"({Path(table.name).parent}) instead"
        )
    settings = settings.with_columns(table.columns)
    settings, questions = _find_questions(settings, table.columns, table.labels)
    titles = _columns_to_read(table, settings, questions.values())
    frame = pl.concat(_frames(table, titles), how="vertical_relaxed")
    with rows_of_the_file(table):
        profiles = _profiles_before_conditions(table, questions.values(), settings)
        result = _tabulate(frame, settings, questions, table.labels, profiles=profiles, export=table.export)
    return replace(result, source=table.file_name, input_notes=(*table.notes, *result.input_notes))


def _find_questions(
    settings: CrosstabSettings, columns: Sequence[str], labels: Mapping[str, ColumnLabels]
) -> tuple[CrosstabSettings, dict[str, QuestionColumns]]:
    """Find the columns of all questions, and return the settings with their names."""
    if not settings.all_questions:
        raise InputError("question", "must name at least one question of the table")
    questions = {
        name: find_columns(name, columns, labels, settings.survey) for name in settings.all_questions
    }
    return settings.with_names({name: question.name for name, question in questions.items()}), questions


def _tabulate(
    frame: pl.DataFrame,
    settings: CrosstabSettings,
    columns: Mapping[str, QuestionColumns],
    labels: Mapping[str, ColumnLabels],
    *,
    profiles: Mapping[str, ColumnProfile] | None = None,
    export: str = "",
) -> "Crosstabs":
    """Tabulate n rows.

    Args:
        frame: the necessary columns.
        settings: of the tables.
        columns: columns of each question, by the user's name for it.
        labels: of columns, from a survey tool or SPSS.
        profiles: counts of the columns' cells in the whole table, if a condition left rows out; by default
            those of the frame.
        export: the tool that wrote the file; empty if it is unknown.
    """
    if frame.is_empty():
        raise InputError("the table has no rows; there is nothing to tabulate")
    frame, html_notes = _prepare_html(frame, settings, columns.values())
    written = frame
    frame, spellings = _join_spellings(frame, settings, columns.values(), labels)
    described = _describe(frame, settings, columns, labels, profiles or {}, export)
    sample = read_sample(frame, settings, labels)
    rows = sample.select(frame)
    waves = [
        read_banner(*_groups(rows[name], labels, settings), is_wave=True, wave_order=settings.wave_order)
        for name in settings.wave_columns
    ]
    reader = AnswerReader(
        rows,
        labels,
        on_scale=settings.scales.keys(),
        numeric=settings.numeric,
        written=sample.select(written),
        spellings=spellings,
        texts=_open_columns(settings),
        waves=waves[0] if waves else None,
    )
    read = [question for name in settings.questions for question in reader.read_all(described[name])]
    questions = list({question.name: question for question in read}.values())
    questions += [
        difference_question(*(reader.read(described[name]) for name in pair)) for pair in settings.pairs
    ]
    codes = {
        name: _codes_among_groups(frame[name], labels, settings, (profiles or {}).get(name), export)
        for name in settings.banners
    }
    banners = [
        *waves,
        *(read_banner(*_groups(rows[name], labels, settings, codes[name])) for name in settings.banners),
    ]
    everybody = Banner("", "", (), np.full(rows.height, -1))
    tables = tuple(
        arrange(table, settings)
        for table in tabulate(questions, banners or [everybody], sample.design, settings)
    )
    return Crosstabs(
        source="",
        n=frame.height,
        left_out=sample.left_out,
        tables=tables,
        settings=settings,
        sample_notes=(*sample.notes, *_notes_on_people(rows, settings)),
        people=count_people(rows, settings.wave, settings.pair_by)
        if settings.wave and settings.pair_by
        else "",
        input_notes=(
            *html_notes,
            *(spellings[name] for name in (*settings.wave_columns, *settings.banners) if name in spellings),
            *_notes_on_codes(frame, settings, columns.values(), labels),
            *(_note_on_groups(rows[name], codes[name]) for name in settings.banners if codes[name]),
            *_hints_on_lists(described.values()),
            *notes_on_hidden(tables, settings.hide),
        ),
    )


def _describe(
    frame: pl.DataFrame,
    settings: CrosstabSettings,
    columns: Mapping[str, QuestionColumns],
    labels: Mapping[str, ColumnLabels],
    profiles: Mapping[str, ColumnProfile],
    export: str,
) -> dict[str, Question]:
    """Return the descriptions of all questions, by the user's names for them."""
    described = {}
    for name, question in columns.items():
        known = {}
        for column in question.columns if question.is_inferred else ():
            if column in profiles:
                known[column] = profiles[column]
            elif column in frame.columns:
                known[column] = ColumnProfile(column, labels.get(column, ColumnLabels()))
                known[column].add(frame[column])
        scale = settings.scales.get(question.name)
        described[name] = describe_question(
            question,
            known,
            export=export,
            missing=(*settings.missing.get(EVERY_QUESTION, ()), *settings.missing.get(question.name, ())),
            points=None if scale is None else {f"{p.value:g}": p.label for p in load_scale(scale).points},
            is_number=question.name in settings.numeric,
        )
    return described


def _codes_among_groups(
    cells: pl.Series,
    labels: Mapping[str, ColumnLabels],
    settings: CrosstabSettings,
    profile: ColumnProfile | None,
    export: str,
) -> frozenset[str]:
    """Return the groups that are codes for no answer, as they are inferred without a description."""
    if not undescribed([cells.name], settings.survey):
        return frozenset()
    if profile is None:
        profile = ColumnProfile(cells.name, labels.get(cells.name, ColumnLabels()))
        profile.add(cells)
    codes = set(map(code_key, group_codes(profile, export)))
    return frozenset(name for name in groups_in(cells).drop_nulls().unique() if code_key(name) in codes)


def _note_on_groups(cells: pl.Series, codes: Collection[str]) -> str:
    """State which codes for no answer are no groups."""
    counts = groups_in(cells).value_counts(name="n").filter(pl.col(cells.name).is_in(list(codes)))
    return groups_note(cells.name, [f"‘{name}’ ({n:,})" for name, n in sorted(counts.iter_rows())])


def _groups(
    cells: pl.Series,
    labels: Mapping[str, ColumnLabels],
    settings: CrosstabSettings,
    codes: Collection[str] = (),
) -> tuple[pl.Series, ColumnLabels]:
    """Return groups without codes for no answer, and their labels in the order of the description."""
    known = labels.get(cells.name, ColumnLabels())
    question = None if settings.survey is None else settings.survey.of_column(cells.name)
    if codes:
        return groups_in(cells).replace(dict.fromkeys(codes)), known
    if question is None or len(question.all_columns) > 1:
        return cells, known
    names, reasons = groups_in(cells), question.missing_reasons
    values = {code_key(value.value): value for value in question.answers}
    groups = {
        name: None if reasons.keys() & {code_key(name), code_key(known.values.get(name, ""))}
        # A value may be spelled otherwise in its cells.
        else values[code_key(name)].value if code_key(name) in values else name
        for name in names.drop_nulls().unique().to_list()
    }  # fmt: skip
    described = {value.value: value.name for value in question.answers}
    if cells.name == settings.wave and question.reason == BY_FREQUENCY and question.source != "user":
        described = {}  # frequency is no order in time
    return names.replace(groups), ColumnLabels(label=question.heading, values=described or known.values)


def _notes_on_codes(
    frame: pl.DataFrame,
    settings: CrosstabSettings,
    questions: Collection[QuestionColumns],
    labels: Mapping[str, ColumnLabels],
) -> Iterator[str]:
    """Yield a sentence for codes for no answer that the user states and no cell has."""
    for name, codes in settings.missing.items():
        columns = [
            column
            for question in questions
            if name in {EVERY_QUESTION, question.name}
            for column in question.columns
        ]
        seen = {key for column in columns for key in _code_keys(frame, column, labels)}
        if unseen := unseen_codes(codes, seen):
            listed = ", ".join(f"‘{code}’" for code in unseen)
            where = ", ".join(f"‘{column}’" for column in columns[:_LISTED])
            more = f" and {len(columns) - _LISTED:,} more columns" if len(columns) > _LISTED else ""
            yield (
                f"no cell of {where}{more} has the code {listed} for no answer: check its "
                "spelling" + hint(" (`missing`)")
            )


def _hints_on_lists(questions: Iterable[Question]) -> Iterator[str]:
    """Yield a hint for each grid whose answers have no labels, as its columns may be mentions of one list."""
    for question in questions:
        if question.kind == "grid" and not any(
            value.label or value.score is not None for value in question.values
        ):
            listed = "+".join(question.all_columns[:_LISTED])
            yield hint(f"columns with codes of one list are put together by --question 'Mentions={listed}'")


def _code_keys(frame: pl.DataFrame, column: str, labels: Mapping[str, ColumnLabels]) -> Iterator[str]:
    """Yield the normalised values of a column and their labels, and the codes that its file declares."""
    known = labels.get(column, ColumnLabels())
    names = groups_in(frame[column]).drop_nulls().unique().to_list() if column in frame.columns else []
    for name in (*names, *known.missing, *known.missing_values):
        yield code_key(name)
        yield code_key(known.values.get(name, ""))


def _frames(table: Table, titles: Collection[str]) -> Iterator[pl.DataFrame]:
    """Yield the rows of a table with some columns, batch by batch."""
    for batch in table.batches_with(titles, _BATCH):
        yield pl.DataFrame([storable(column_in(batch, title).to_frame()).to_series() for title in titles])


def _columns_together(
    settings: CrosstabSettings, questions: Collection[QuestionColumns]
) -> list[tuple[str, ...]]:
    """Return the columns of each question, and each column of groups."""
    groups = [(name,) for name in (*settings.wave_columns, *settings.banners)]
    return [*(question.columns for question in questions), *groups]


def _prepare_html(
    frame: pl.DataFrame, settings: CrosstabSettings, questions: Collection[QuestionColumns]
) -> tuple[pl.DataFrame, list[str]]:
    """Replace HTML in answers and groups by its text, if the settings say so.

    Returns:
        The frame, and a sentence for each column with HTML.
    """
    preparation, notes = TextPreparation(html=settings.html), list[str]()
    for name in dict.fromkeys(chain.from_iterable(_columns_together(settings, questions))):
        if name not in frame.columns or frame[name].dtype != pl.String:
            continue
        counts = text_counts(frame[name])
        marked = {cell: html_text(cell) or None for cell in counts if has_html(cell)}
        n_marked = sum(counts[cell] for cell in marked)
        notes += preparation.notes(TextCounts(counts.total(), html=n_marked), [name])
        if settings.html == "text":
            frame = frame.with_columns(frame[name].replace(marked))
    return frame, notes


def _join_spellings(
    frame: pl.DataFrame,
    settings: CrosstabSettings,
    questions: Collection[QuestionColumns],
    labels: Mapping[str, ColumnLabels],
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Join answers and groups that differ only in case or blanks; columns of one question are joined alike.

    Columns with labelled values are left as they are.

    Returns:
        The frame, and a sentence for each column with joined names.
    """
    notes: dict[str, str] = {}
    for names in dict.fromkeys(_columns_together(settings, questions)):
        texts = [
            name
            for name in names
            if name in frame.columns
            and frame[name].dtype == pl.String
            and not labels.get(name, ColumnLabels()).values
        ]
        counts: Counter[str] = Counter()
        for name in texts:
            counts.update(text_counts(frame[name]))
        targets = (target for name in texts for target in settings.raked_to.get(name, ()))
        joined = join_spellings(counts, {*targets, *settings.wave_order})
        if joined:
            frame = frame.with_columns(frame[name].replace(joined) for name in texts)
            notes |= dict.fromkeys(texts, spelling_note(texts, counts, joined)[0])
    return frame, notes


def _columns_to_read(
    table: Table, settings: CrosstabSettings, questions: Collection[QuestionColumns]
) -> list[str]:
    """Return the columns to read, and refuse columns that do not exist."""
    titles = [name for question in questions for name in columns_of_question(question, table.columns)]
    if unnamed_masses(table.columns) or code_columns(table.columns):
        titles += [name for name in _open_columns(settings) if name in table.columns]
    roles = settings.columns_by_role
    for name in settings.banners:
        table.require(name, "banner")
    for role, name in [*(("wave", name) for name in settings.wave_columns), *roles.items()]:
        table.require(name, role)
    if settings.replicates is not None:
        titles += replicate_columns(list(table.columns), settings.replicates)
    ids = id_columns(table.columns) if settings.wave else filter(is_respondent_name, table.columns)
    return list(dict.fromkeys([*titles, *settings.banners, *settings.wave_columns, *roles.values(), *ids]))


def _open_columns(settings: CrosstabSettings) -> list[str]:
    """Return the columns of the open questions of the description."""
    opened = () if settings.survey is None else settings.survey.of_kind("open")
    return [column for question in opened for column in question.all_columns]


def _profiles_before_conditions(
    table: Table, questions: Collection[QuestionColumns], settings: CrosstabSettings
) -> dict[str, ColumnProfile]:
    """Count the cells of all rows, including those that a condition leaves out; they tell what cells mean."""
    inferred = [question for question in questions if question.is_inferred]
    titles = list(dict.fromkeys(name for question in inferred for name in question.columns))
    titles += undescribed(settings.banners, settings.survey)
    titles = [name for name in titles if name in table.columns]
    if table.whole is None or not titles:
        return {}
    profiles = {name: ColumnProfile(name, table.labels.get(name, ColumnLabels())) for name in titles}
    for frame in _frames(table.whole, titles):
        prepared, _ = _prepare_html(frame, settings, inferred)
        for name, profile in profiles.items():
            profile.add(prepared[name])
    return profiles


def _notes_on_people(frame: pl.DataFrame, settings: CrosstabSettings) -> list[str]:
    """Return notes on unusual respondents in waves."""
    if settings.wave is None:
        return _notes_on_repeats(frame, settings)
    if settings.pair_by is not None:
        return pair_notes(frame, settings.wave, settings.pair_by)
    has_design = settings.cluster is not None or settings.replicates is not None
    return [] if has_design else pairing_notes(frame, settings.wave)


def _notes_on_repeats(frame: pl.DataFrame, settings: CrosstabSettings) -> list[str]:
    """Return a hint if respondents have several rows, which no cluster joins."""
    if settings.cluster is not None or settings.replicates is not None:
        return []
    counts = [RespondentCount(column) for column in frame.columns if is_respondent_name(column)]
    for count in counts:
        count.add(frame)
    return [
        f"‘{count.column}’ has {count.n_respondents:,} respondents in {count.n_rows:,} rows, and each row "
        f"counts as a respondent: `cluster={count.column!r}` gives intervals for respondents with several "
        "rows"
        for count in counts
        if count.are_repeated and count.column not in settings.banners
    ][:1]


@dataclass(frozen=True, repr=False)
class Crosstabs(Presentable):
    """Tables of questions by banners.

    Attributes:
        source: name of the file; empty for a data frame.
        n: number of rows read from the file.
        left_out: number of excluded rows, by reason.
        tables: the tables, question by question, each by all banners.
        settings: of the tables.
        sample_notes: notes on the weights and the people of waves.
        input_notes: notes on how the file was read, such as the rows that a condition left out.
        measured: origin of answers that were not in the file, for the signature.
        created: time of the run.
        title: title of these tables among those of a basket; empty without one.
        report_title: title of the workbook, the deck and the page with these tables; empty for one that names
            the file.
        people: phrase that counts the people behind the answers of waves, such as "318 people, 126 of them in
            both waves"; empty unless waves are paired.
        only: sentence on the condition that the rows of these tables meet, among those of a basket; empty
            without one.
    """

    source: str
    n: int
    left_out: Mapping[str, int]
    tables: tuple[Crosstab, ...]
    settings: CrosstabSettings
    sample_notes: tuple[str, ...] = ()
    input_notes: tuple[str, ...] = ()
    measured: Mapping[str, str] = field(default_factory=dict)
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    title: str = ""
    report_title: str = ""
    people: str = ""
    only: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sample_notes", notes_from(self.sample_notes))

    def __repr__(self) -> str:
        return f"Crosstabs(source={self.source!r}, n={self.n:,}, tables={len(self.tables)})"

    @property
    def n_counting(self) -> int:
        """Number of rows that count."""
        return self.n - sum(self.left_out.values())

    @property
    def is_of_panel(self) -> bool:
        """True if personas of a synthetic panel answered, once for each concept and model."""
        return "panel" in self.measured

    @property
    def is_weighted(self) -> bool:
        """True if respondents have different weights."""
        return self.settings.weight is not None or bool(self.settings.raked_to)

    @property
    def signature(self) -> Signature:
        """Signature with all settings that the figures depend on."""
        signed = {name: _signature_value(value) for name, value in self.settings.signature_fields().items()}
        if "missing" in signed:
            keys = {name: write_codes(missing_keys(codes)) for name, codes in self.settings.missing.items()}
            signed["missing"] = ";".join(
                f"{name}={codes}" if name else str(codes) for name, codes in keys.items()
            )
        return Signature.of("tables", **signed, **self.measured)

    def questions(self) -> Iterator[tuple[Crosstab, ...]]:
        """Return the tables question by question."""
        for name in dict.fromkeys(table.question.name for table in self.tables):
            yield tuple(table for table in self.tables if table.question.name == name)

    def record(self) -> dict[str, Any]:
        """Return the tables by name, for JSON."""
        settings = self.settings
        return {
            "instrument": "tables",
            "source": self.source,
            "rows": self.n,
            "left_out": dict(self.left_out),
            "level": settings.level,
            "adjust": settings.adjust,
            "min_base": settings.min_base,
            "tables": [_record_of_table(table) for table in self.tables],
            "signature": str(self.signature),
            "created": self.created,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return all cells, one per row, followed by one row per pair of columns and line.

        Returns:
            The columns ``question``, ``question_text``, ``taken_for``, ``banner``, ``answered_by`` (model of
            a panel that several models played), ``column``, ``column_letter``, ``line``, ``statistic`` (share
            from 0 to 1, share of answers, mean, nps from -100 to 100, standard deviation, or the difference
            of two columns), ``value``, ``low``,
            ``high``, ``n``, ``n_missing``, ``weighted_base``, ``effective_n``, ``small_base``, ``letters``,
            ``n_ungrouped``, ``wave``, ``wave_before``, ``change``, ``change_low``, ``change_high``,
            ``change_p``, ``change_p_adjusted``, ``chi_square_p``; for differences ``first`` minus ``second``,
            with ``p`` and ``p_adjusted``.
        """
        cells = [row for table in self.tables for row in _cell_rows(table)]
        differences = [row for table in self.tables for row in _difference_rows(table)]
        return pl.DataFrame([*cells, *differences], schema=_SCHEMA)

    def report(
        self,
        path: str | PathLike[str],
        *,
        figures: str | PathLike[str] | None = None,
        template: str | PathLike[str] | None = None,
        escape: bool = True,
    ) -> None:
        """Write the tables to a file, in the format of its extension.

        Args:
            path: a page (``.html``), Markdown (``.md``), a workbook with one sheet per question (``.xlsx``),
                slides with one chart per question (``.pptx``, extra ``slides``), or ``.json``; one cell per
                row as ``.csv``, ``.parquet`` or ``.jsonl``.
            figures: has no effect, as tables have no pictures.
            template: PowerPoint file with the layouts, fonts and colours of slides.
            escape: true to put an apostrophe before texts in CSV that a spreadsheet would run as formulas.

        Raises:
            InputError: the extension is unknown, the file cannot be written, or the template cannot be used.
            MissingExtraError: slides need the extra ``slides``.
        """
        write_tables(self, [self], Path(path), None if template is None else Path(template), escape=escape)


class TablesSummary(Protocol):
    """Summary of tables, which has their cells as a frame and is a document."""

    def to_frame(self) -> pl.DataFrame:
        """Return all cells, one per row."""
        ...

    def to_json(self) -> str:
        """Return the numbers as JSON."""
        ...

    def document(self) -> Any:
        """Return the document."""
        ...


def write_tables(
    summary: TablesSummary, parts: Sequence[Crosstabs], path: Path, template: Path | None, *, escape: bool
) -> None:
    """Write tables to a file, in the format of its extension.

    Args:
        summary: all tables.
        parts: the same tables, by their settings.
        path: the file.
        template: PowerPoint file with the layouts, fonts and colours of slides.
        escape: true to put an apostrophe before texts in CSV that a spreadsheet would run as formulas.

    Raises:
        InputError: the extension is unknown, the file cannot be written, or the template cannot be used.
        MissingExtraError: slides need the extra ``slides``.
    """
    check_path(path)
    presenting = import_module("semscale.report.presenting")
    presenting.check_template(template, [path])
    ending = path.suffix.lower()
    if ending in (".csv", ".parquet", ".jsonl"):
        write_table(summary.to_frame(), path, escape=escape)
    elif ending in (".html", ".md"):
        presenting.write_files(summary.document(), [path], None)
    else:
        with replacing(path) as temporary:
            if ending == ".json":
                temporary.write_text(summary.to_json() + "\n", encoding="utf-8", newline="\n")
            elif ending == ".xlsx":
                import_module("semscale.report.tables_workbook").write(parts, temporary)
            else:
                import_module("semscale.report.tables_slides").write(parts, temporary, template)


def _signature_value(value: object) -> object:
    """Write a setting for the signature: lists and columns of margins joined; ``None`` if empty."""
    if isinstance(value, Survey):
        return value.content_hash
    if not isinstance(value, Mapping | tuple):
        return value
    return "+".join(f"{item:g}" if isinstance(item, float) else str(item) for item in value) or None


def check_path(path: Path) -> None:
    """Check that tables can be written to a file, before anything is read.

    Raises:
        InputError: the extension is unknown, or the file cannot be written.
        MissingExtraError: slides need the extra ``slides``.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError("out", f"must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, got {path.name!r}")
    if ending == ".pptx":
        require("slides")
    check_writable(path, "out")


def _cell_rows(table: Crosstab) -> Iterator[dict[str, Any]]:
    """Yield a row for each cell of a table; NaN becomes ``None``."""
    of_table = {
        **_head(table),
        "n_ungrouped": table.n_ungrouped,
        "wave": table.wave or None,
        "wave_before": table.before or None,
        "chi_square_p": None
        if table.association is None
        else _finite_or_none(np.float64(table.association.p_value)),
    }
    for line, column in np.ndindex(table.cells.values.shape):
        name, kind = table.question.lines[line].name, table.question.lines[line].kind
        cell = {
            **of_table,
            "column": table.columns[column],
            "column_letter": table.column_letters[column] or None,
            **_cell(table, line, column),
        }
        change = {}
        if table.changes is not None:
            change = {
                f"change_{name}": value for name, value in _figures(table.changes, line, column).items()
            }
            change["change"] = change.pop("change_value")
        yield {**cell, "line": name, "statistic": kind, **change}
        if table.answer_shares is not None and not np.isnan(table.answer_shares[line, column]):
            share = {"value": table.answer_shares[line, column], "low": None, "high": None, "letters": None}
            yield {**cell, "line": name, "statistic": _OF_ANSWERS, **share}
        if line == table.question.mean_line:
            deviation = {
                "value": _finite_or_none(table.deviations[column]),
                "low": None,
                "high": None,
                "letters": None,
            }
            yield {**cell, "line": _DEVIATION, "statistic": _DEVIATION, **deviation}


def _difference_rows(table: Crosstab) -> Iterator[dict[str, Any]]:
    """Yield a row for each line and pair of columns of a table; NaN becomes ``None``."""
    letters, differences = table.column_letters, table.differences
    for line, pair in np.ndindex(differences.values.shape):
        first, second = int(differences.first[pair]), int(differences.second[pair])
        row = _difference(table, line, pair)
        yield {
            **_head(table),
            **row,
            "statistic": "difference",
            "wave": table.wave or None,
            "column": f"{row['first']} minus {row['second']}",
            "column_letter": f"{letters[first]}-{letters[second]}",
            "small_base": bool(table.small[line, first] | table.small[line, second]),
        }


def _record_of_table(table: Crosstab) -> dict[str, Any]:
    """Return a table by name, for JSON."""
    n, weight, effective = table.bases
    missing = table.cells.n_missing.min(axis=0)
    association = table.association
    head = _head(table)
    text = head.pop("question_text")
    return {
        **head,
        "text": text,
        "ungrouped": table.n_ungrouped,
        "wave": table.wave or None,
        "wave_before": table.before or None,
        "columns": [
            {
                "name": name,
                "letter": table.column_letters[column] or None,
                "n": n[column],
                "missing": missing[column],
                "weighted_base": weight[column],
                "effective_n": effective[column],
                "small_base": bool(table.is_small[column]),
                "standard_deviation": table.deviations[column],
            }
            for column, name in enumerate(table.columns)
        ],
        "lines": [
            {
                "name": line.name,
                "statistic": line.kind,
                "is_net": line.is_net,
                "cells": [_record_of_cell(table, index, column) for column in range(len(table.columns))],
            }
            for index, line in enumerate(table.question.lines)
        ],
        "differences": [
            _difference(table, line, pair) for line, pair in np.ndindex(table.differences.values.shape)
        ],
        "association": None if association is None else {
            name: getattr(association, name) for name in ("chi_square", "f", "df", "df_below", "p_value", "n")
        },
        "notes": list(table.question.notes),
    }  # fmt: skip


def _record_of_cell(table: Crosstab, line: int, column: int) -> dict[str, Any]:
    change = None if table.changes is None else _figures(table.changes, line, column)
    has_change = change is not None and change["value"] is not None
    shares = {}
    if table.answer_shares is not None:
        shares["share_of_answers"] = _finite_or_none(table.answer_shares[line, column])
    return {**_cell(table, line, column), **shares, "change": change if has_change else None}


def _head(table: Crosstab) -> dict[str, str | None]:
    """Name the question and the banner of a table."""
    return {
        "question": table.question.name,
        "question_text": table.question.text,
        "taken_for": table.question.kind,
        "banner": table.banner.name or None,
        "answered_by": table.banner.answered_by or None,
    }


def _cell(table: Crosstab, line: int, column: int) -> dict[str, Any]:
    return {
        **_figures(table.cells, line, column),
        "small_base": bool(table.small[line, column]),
        "letters": str(table.letters[line, column]) or None,
    }


def _difference(table: Crosstab, line: int, pair: int) -> dict[str, Any]:
    return {
        "line": table.question.lines[line].name,
        "first": table.columns[table.differences.first[pair]],
        "second": table.columns[table.differences.second[pair]],
        **_figures(table.differences, line, pair),
    }


_NAMES = {"values": "value", "weight": "weighted_base", "p_values": "p", "adjusted": "p_adjusted"}


def _figures(
    figures: CellFigures | ColumnDifferences | WaveChanges, line: int, column: int
) -> dict[str, float | None]:
    """Return the figures of a line in a column, or in a pair of columns, by name; NaN becomes ``None``."""
    arrays = vars(figures).items()
    return {
        _NAMES.get(name, name): _finite_or_none(array[line, column])
        for name, array in arrays
        if array.ndim > 1 and array.dtype != np.bool_
    }


def _finite_or_none(value: Any) -> float | None:
    return value.item() if np.isfinite(value) else None


_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("question", "question_text", "taken_for", "banner", "answered_by"), pl.String),
    **dict.fromkeys(("column", "column_letter", "line", "statistic"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    **dict.fromkeys(("n", "n_missing"), pl.Int64),
    **dict.fromkeys(("weighted_base", "effective_n"), pl.Float64),
    "small_base": pl.Boolean,
    "letters": pl.String,
    "n_ungrouped": pl.Int64,
    **dict.fromkeys(("wave", "wave_before"), pl.String),
    **dict.fromkeys(("change", "change_low", "change_high", "change_p", "change_p_adjusted"), pl.Float64),
    "chi_square_p": pl.Float64,
    **dict.fromkeys(("first", "second"), pl.String),
    **dict.fromkeys(("p", "p_adjusted"), pl.Float64),
}
