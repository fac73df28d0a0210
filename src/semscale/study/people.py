"""Both sides of a comparison as arrays: answers of a panel, and answers of people from a table."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.messages import shorten, unknown_name
from semscale.rating.human import human_pmfs
from semscale.rating.settings import check_human_range
from semscale.results.table_columns import (
    CELL,
    GROUP,
    GROUPS,
    RESPONDENT,
    WEIGHT,
    Columns,
    resolve_columns,
)
from semscale.results.weights import weights_in
from semscale.stats.distances import PmfSample
from semscale.store.columns import column_in, floats_in, groups_in
from semscale.store.missing_codes import is_missing
from semscale.store.reading import open_table
from semscale.store.table import Table, rows_of_the_file
from semscale.study.result import ANSWERS, StudyResult, read_study
from semscale.study.settings import ComparisonSettings
from semscale.survey.description import Survey
from semscale.survey.finding import column_named
from semscale.types import Floats, Integers, Mask

_BATCH = 50_000
_LISTED = 8
_ROWS_PER_NAME = 1.5


@dataclass(frozen=True)
class ComparedQuestion:
    """A question that both sides answered.

    Attributes:
        name: name in the study.
        text: wording of the question.
        values: shape (k,), values of the scale's points.
        labels: labels of the points.
    """

    name: str
    text: str
    values: Floats
    labels: tuple[str, ...]

    @property
    def width(self) -> float:
        """Last value minus the first."""
        return float(self.values[-1] - self.values[0])


@dataclass(frozen=True, eq=False)
class ComparedSide:
    """Answers of n persons about c concepts to q questions; NaN for missing answers.

    Attributes:
        names: shape (n,), names of the persons; empty if they have none.
        masses: PMFs over k points for each question, shape (n, c, k).
        questions: the q questions.
        weights: shape (n,), above 0; by default equal.
        groups: for each attribute, the group of every person; ``None`` if unknown.
        repeats: values of repeated answers for each question, shape (n, c, samples); empty if each was asked
            once.
    """

    names: tuple[str, ...]
    masses: Mapping[str, Floats]
    questions: tuple[ComparedQuestion, ...]
    weights: Floats | None = None
    groups: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    repeats: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def positions(self) -> Floats:
        """Mean answers, shape (n, c, q), from 0 for the lowest point of the scale to 1 for the highest."""
        by_question = [
            (self.masses[question.name] @ question.values - question.values[0]) / question.width
            for question in self.questions
        ]
        return np.stack(by_question, axis=-1)

    @property
    def n(self) -> int:
        """Number of persons."""
        return len(next(iter(self.masses.values())))

    @property
    def person_weights(self) -> Floats:
        """Weights, shape (n,); ones if there are none."""
        return np.ones(self.n) if self.weights is None else self.weights

    def sample(self, question: str, concept: int) -> PmfSample:
        """Return the answers of all persons who answered about a concept."""
        masses = self.masses[question][:, concept]
        known = ~np.isnan(masses).any(axis=1)
        return PmfSample(masses[known], None if self.weights is None else self.weights[known])


# The panel


@dataclass(frozen=True, eq=False)
class PanelAnswers:
    """Answers of a study that have a rating.

    Attributes:
        result: result of the study.

    Raises:
        InputError: no answer has a rating.
    """

    result: StudyResult

    def __post_init__(self) -> None:
        if not self.rated.height:
            n, source = self.result.answers.height, self.result.design.source
            raise InputError("answers", f": none of the {n:,} answers in {source} has a rating")

    @cached_property
    def rated(self) -> pl.DataFrame:
        """Rows of answers with a rating on a scale."""
        return self.result.answers.filter(pl.col("value").is_not_null())

    @property
    def questions(self) -> tuple[ComparedQuestion, ...]:
        """Questions with a rating, in the order of the study."""
        names = set(self.rated["question"])
        return tuple(
            ComparedQuestion(question.name, question.text, question.scale.values, question.labels)
            for question in self.result.design.questionnaire.questions
            if question.scale is not None and question.name in names
        )

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods with a rating, in the order of the study."""
        return tuple(self.rated["method"].unique(maintain_order=True))

    @property
    def measured(self) -> tuple[tuple[str, str | None], ...]:
        """Pairs of a method with ratings and a model; the model is ``None`` if the study has one model."""
        pairs = self.rated.select("method", "asked_model").unique(maintain_order=True).rows()
        several = self.rated["asked_model"].n_unique() > 1
        return tuple((str(method), str(model) if several else None) for method, model in pairs)

    @property
    def concepts(self) -> tuple[str, ...]:
        """Concepts with a rating, in the order of the study."""
        return tuple(self.rated["concept"].unique(maintain_order=True))

    def n_without(self, method: str, model: str | None) -> int:
        """Return the number of answers without a rating by a method, and by a model if there are several."""
        scales = self.result.design.questionnaire.scales
        unrated = self.result.answers.filter(pl.col("value").is_null(), pl.col("question").is_in([*scales]))
        return _answers_by(unrated, method, model).height

    def side(
        self,
        method: str,
        questions: tuple[ComparedQuestion, ...],
        attributes: Iterable[str] = (),
        model: str | None = None,
    ) -> ComparedSide:
        """Return the answers by a method as arrays, averaged over a persona's samples.

        Personas with a weight of 0 are left out.

        Args:
            method: method that measured the answers.
            questions: that are compared.
            attributes: attributes of personas that define groups.
            model: model that answered; required if there are several.
        """
        rows, panel = _answers_by(self.rated, method, model), self.result.design.panel
        numbers = {name: number for number, name in enumerate(panel.ids)}
        if panel.weights is not None:
            rows = rows.filter(
                pl.col("persona").is_in([name for name in panel.ids if panel.weights[numbers[name]] > 0])
            )
        names = tuple(rows["persona"].unique(maintain_order=True))
        masses, repeats = {}, {}
        for question in questions:
            answers = rows.filter(pl.col("question") == question.name)
            arrays = _panel_arrays(answers, names, self.concepts, question)
            masses[question.name], repeats[question.name] = arrays
        personas = [numbers[name] for name in names]
        weights = None if panel.weights is None else np.array(panel.weights)[personas]
        groups = {}
        for attribute in attributes:
            if attribute not in panel.fields:
                raise unknown_name("attribute of the personas", attribute, tuple(panel.fields))
            groups[attribute] = [panel.fields[attribute][persona] for persona in personas]
        return ComparedSide(names, masses, questions, weights, groups, repeats)


def _answers_by(answers: pl.DataFrame, method: str, model: str | None) -> pl.DataFrame:
    by_method = answers.filter(method=method)
    return by_method if model is None else by_method.filter(asked_model=model)


def read_panel_answers(source: StudyResult | str | Path) -> PanelAnswers:
    """Read the answers of a study from a result, its folder, or the table of answers in the folder.

    Args:
        source: a result or a path; a run that a cap stopped is accepted.

    Raises:
        InputError: the folder does not exist, a file was edited after the run, or there is no rating.
    """
    if isinstance(source, StudyResult):
        return PanelAnswers(source)
    path = Path(source)
    folder = path.parent if path.name == ANSWERS else path
    return PanelAnswers(read_study(folder, allow_unfinished=True))


def _panel_arrays(
    rows: pl.DataFrame, names: tuple[str, ...], concepts: tuple[str, ...], question: ComparedQuestion
) -> tuple[Floats, Floats]:
    """Return mean masses (n, c, k) over samples, and the values (n, c, samples) of each sample."""
    shape = (len(names), len(concepts))
    numbers = {name: row for row, name in enumerate(names)}
    persona = np.array([numbers[name] for name in rows["persona"]], dtype=np.int64)
    concept = np.array([concepts.index(name) for name in rows["concept"]], dtype=np.int64)
    answers = np.array(rows["pmf"].to_list(), dtype=np.float64).reshape(-1, len(question.values))
    sums, counts = np.zeros((*shape, len(question.values))), np.zeros(shape)
    np.add.at(sums, (persona, concept), answers)
    np.add.at(counts, (persona, concept), 1)
    masses = np.where(counts[..., None] > 0, sums / np.maximum(counts, 1)[..., None], np.nan)
    sample = rows["sample"].rank("dense").to_numpy().astype(np.int64) - 1
    repeats = np.full((*shape, int(sample.max()) + 1 if len(sample) else 1), np.nan)
    repeats[persona, concept, sample] = answers @ question.values
    return masses, repeats


# People


@dataclass(frozen=True)
class People:
    """People's answers, and the excluded rows.

    Attributes:
        side: the answers.
        n_rows: number of rows of the table.
        left_out: number of unused rows, by reason.
        source: name of the table.
        shared_name: a column that looks like names of people with several rows, if no column of names was
            stated.
    """

    side: ComparedSide
    n_rows: int
    left_out: Mapping[str, int]
    source: str
    shared_name: str | None = None


def people_table(source: str | Path | pl.DataFrame | Table) -> Table:
    """Open a table of people's answers; return an open table unchanged.

    Raises:
        InputError: the table cannot be read.
    """
    if isinstance(source, Table):
        return source
    if not isinstance(source, pl.DataFrame):
        return open_table(source)
    rows = source
    return Table(
        "the table of people", Path(), tuple(rows.columns), lambda size, skip: rows[skip:].iter_slices(size)
    )


class PeopleColumns(Columns):
    """Columns of a table of people's answers."""

    questions: Annotated[tuple[str, ...], CELL]
    by: Annotated[tuple[str, ...], GROUPS] = ()
    concept: Annotated[str | None, GROUP] = None
    respondent: Annotated[str | None, RESPONDENT] = None
    weight: Annotated[str | None, WEIGHT] = None


def resolve_people(
    table: Table, settings: ComparisonSettings, survey: Survey | None
) -> tuple[Table, ComparisonSettings, PeopleColumns]:
    """Return a table of people's answers, and its columns, by the description of its survey.

    Args:
        table: table from ``people_table``.
        settings: columns and questions of the table as the user names them.
        survey: its description; ``None`` without one.

    Returns:
        The table, the settings with columns in place of questions, and the columns with their codes for no
        answer.

    Raises:
        InputError: a question with several columns is named.
    """
    questions = {
        name: column_named(column, table.columns, survey, "question")
        for name, column in settings.questions.items()
    }
    columns = PeopleColumns(
        questions=tuple(dict.fromkeys(questions.values())),
        by=tuple(settings.by.values()),
        concept=settings.concept,
        respondent=settings.respondent,
        weight=settings.weight,
    )
    table, columns = resolve_columns(columns, table, survey)
    resolved = settings.with_values(
        questions=questions,
        by=dict(zip(settings.by, columns.by, strict=True)),
        concept=columns.concept,
        respondent=columns.respondent,
        weight=columns.weight,
    )
    return table, resolved, columns


def read_people(
    table: Table,
    columns: ComparisonSettings,
    questions: Sequence[ComparedQuestion],
    concepts: tuple[str, ...],
    survey: Survey | None = None,
) -> People:
    """Read people's answers from a table with one row per person, or per person and concept.

    Args:
        table: table from ``people_table``.
        columns: columns and questions of the table, and the range of possible values.
        questions: questions to compare; a cell is a number or the label of a point.
        concepts: concepts of the study with a rating.
        survey: description of the table; ``None`` without one.

    Raises:
        InputError: a column does not exist, a cell is not an answer, values are outside the range, the table
            has no concept of the study, or all weights of a group are 0 or missing.
    """
    check_human_range(columns.human_range)
    table, columns, titles = resolve_people(table, columns, survey)
    for parameter, column in columns.named:
        table.require(column, parameter)
    rows, name = pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed"), table.name
    rows = rows.with_columns([titles.cells_in(rows, title) for title in titles.no_answer])
    concept = _concept_numbers(rows, columns, concepts, name)
    with rows_of_the_file(table):
        persons = (
            [str(row) for row in range(rows.height)]
            if columns.respondent is None
            else groups_in(column_in(rows, columns.respondent)).to_list()
        )
        weights = None if columns.weight is None else floats_in(weights_in(column_in(rows, columns.weight)))
    is_used, left_out = _used_rows(concept, persons, weights)
    _refuse_weightless_groups(rows, columns, concept, is_used)
    used = np.flatnonzero(is_used)
    if not len(used):
        reasons = ", ".join(f"{reason}: {n:,}" for reason, n in left_out.items())
        raise InputError("human", f": none of {rows.height:,} rows of {name} can be used ({reasons})")
    names = [str(persons[row]) for row in used]
    _refuse_twice(names, concept[used], concepts, name)
    numbers = {person: number for number, person in enumerate(dict.fromkeys(names))}
    person = np.array([numbers[respondent] for respondent in names])
    first_rows = used[np.unique(person, return_index=True)[1]]
    masses = {}
    with rows_of_the_file(table):
        for question in questions:
            cells = column_in(rows, columns.questions[question.name])
            masses[question.name] = np.full((len(numbers), len(concepts), len(question.values)), np.nan)
            masses[question.name][person, concept[used]] = _masses(cells, used, question, columns.human_range)
    side = ComparedSide(
        tuple(numbers) if columns.respondent is not None else (),
        masses,
        tuple(questions),
        None if weights is None else weights[first_rows],
        {
            attribute: groups_in(column_in(rows, column))[first_rows.tolist()].to_list()
            for attribute, column in columns.by.items()
        },
    )
    shared = None
    if columns.concept and not columns.respondent:
        shared = find_shared_name(rows, {column for _, column in columns.named}, concept)
    return People(side, rows.height, left_out, name, shared)


def _concept_numbers(
    rows: pl.DataFrame, columns: ComparisonSettings, concepts: tuple[str, ...], name: str
) -> Integers:
    """Return the index of each row's concept, shape (n,); -1 for concepts that the study lacks."""
    if columns.concept is None:
        if len(concepts) > 1:
            raise InputError(
                "concept",
                f": the study has {len(concepts)} concepts ({_list_names(concepts)}): "
                "name the column of the people's table that has the concept of each row",
            )
        return np.zeros(rows.height, dtype=np.int64)
    cells = groups_in(column_in(rows, columns.concept)).to_list()
    numbers = {_plain(concept): number for number, concept in enumerate(concepts)}
    by_row = np.array([numbers.get(_plain(cell or ""), -1) for cell in cells], dtype=np.int64)
    if (by_row < 0).all():
        present = tuple(dict.fromkeys(cell for cell in cells if cell))
        raise InputError(
            "concept",
            f": column {columns.concept!r} of {name} has none of the study's concepts "
            f"({_list_names(concepts)}); it has {_list_names(present)}",
        )
    return by_row


def _used_rows(
    concept: Integers, persons: list[str | None], weights: Floats | None
) -> tuple[Mask, dict[str, int]]:
    """Return a mask of used rows, and the number of other rows by reason."""
    is_used = concept >= 0
    checks = {"no respondent": np.array([person is not None for person in persons])}
    if weights is not None:
        checks["no weight above 0"] = weights > 0
    left_out = {"another concept": int((~is_used).sum())}
    for reason, passes in checks.items():
        left_out[reason] = int((is_used & ~passes).sum())
        is_used &= passes
    return is_used, {reason: n for reason, n in left_out.items() if n}


def _refuse_weightless_groups(
    rows: pl.DataFrame, columns: ComparisonSettings, concept: Integers, is_used: Mask
) -> None:
    if columns.weight is None or not is_used.any():
        return
    for attribute, column in columns.by.items():
        cells = groups_in(column_in(rows, column)).to_list()
        asked = {cells[row] for row in np.flatnonzero(concept >= 0)} - {None}
        lost = asked - {cells[row] for row in np.flatnonzero(is_used)}
        if lost:
            raise InputError(
                "weight",
                f": no row with {attribute} {_list_names(sorted(lost))} has a weight above 0 in column "
                f"{columns.weight!r}: leave these rows out (`where`), or correct the weights",
            )


def _refuse_twice(names: list[str], concept: Integers, concepts: tuple[str, ...], table: str) -> None:
    seen: set[tuple[str, int]] = set()
    for pair in zip(names, concept.tolist(), strict=True):
        if pair in seen:
            raise InputError(
                "respondent",
                f": {table} has two rows of respondent {shorten(pair[0])} "
                f"about {concepts[pair[1]]!r}: keep one",
            )
        seen.add(pair)


def _masses(
    column: pl.Series, rows: Integers, question: ComparedQuestion, human_range: tuple[float, float] | None
) -> Floats:
    """Return masses (m, k) of the answers in m rows; NaN for missing answers."""
    labels: dict[str, float] = {}
    if human_range is None:
        labels = dict(zip(map(_plain, question.labels), question.values.tolist(), strict=True))
    numbers = _numbers(column, rows, labels)
    masses = human_pmfs(numbers[:, None], question.values, human_range)
    if masses is None:
        known = numbers[~np.isnan(numbers)]
        raise InputError(
            "question",
            f": people's values in column {column.name!r} go from {known.min():g} to "
            f"{known.max():g}, the scale of {question.name!r} from {question.values[0]:g} to "
            f"{question.values[-1]:g}: state the lowest and the highest value of the human scale "
            "(`human_range`)",
        )
    masses[np.isnan(numbers)] = np.nan
    return masses


def _numbers(column: pl.Series, rows: Integers, labels: Mapping[str, float]) -> Floats:
    """Read answers in rows: numbers, texts of numbers, or labels of points; NaN if missing."""
    numbers = np.full(len(rows), np.nan)
    for index, row in enumerate(rows.tolist()):
        cell = column[row]
        if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
            continue
        value = labels.get(_plain(cell)) if isinstance(cell, str) else None
        numbers[index] = _number(cell) if value is None else value
        if not np.isfinite(numbers[index]):
            raise RowError(
                f"`question`: column {column.name!r} has {shorten(cell)} in data {{row}}: neither a "
                "number nor the label of a point",
                row,
            )
    return numbers


def _number(cell: object) -> float:
    try:
        return float(cell)  # type: ignore[arg-type]  # the caller refuses the NaN of other types
    except (TypeError, ValueError):
        return float("nan")


def find_shared_name(rows: pl.DataFrame, used: Collection[str], concept: Integers) -> str | None:
    """Return the first column that looks like names of people with one row for each of several concepts.

    Such a column has no empty cells, different names in all rows about one concept, and at least 1.5 rows per
    name on average.

    Args:
        rows: rows of people.
        used: columns with another role.
        concept: shape (n,), index of each row's concept; below 0 for unused rows.
    """
    asked = np.flatnonzero(concept >= 0)
    for column in rows.columns:
        if column in used:
            continue
        names = groups_in(column_in(rows, column)).to_list()
        pairs = [(names[row], int(concept[row])) for row in asked]
        people = {name for name, _ in pairs}
        if None not in people and len(set(pairs)) == len(pairs) >= _ROWS_PER_NAME * len(people):
            return column
    return None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_LISTED])
    return f"{shown}, ..." if len(names) > _LISTED else shown
