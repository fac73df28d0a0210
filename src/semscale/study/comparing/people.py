"""Answers of people, read from a table and laid out beside a panel's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.messages import shortened
from semscale.rating.cells import weights_in
from semscale.rating.human import check_human_range, laid_on
from semscale.store.columns import column_in, floats_in, groups_in, is_missing
from semscale.store.filtering import rows_of_the_file
from semscale.store.reading import open_table
from semscale.store.table import Table
from semscale.study.comparing.shared_names import shared_name
from semscale.study.comparing.sides import ComparedQuestion, ComparedSide
from semscale.types import Floats, Integers, Mask

_BATCH = 50_000
_LISTED = 8


@dataclass(frozen=True)
class PeopleColumns:
    """Where a table has what people said.

    Attributes:
        questions: the column of each question that is compared, by the question's name.
        concept: names of concepts, one a row; ``None`` where all rows are about a single one.
        respondent: names of respondents, which a persona may share; ``None``: each row is a person.
        weight: weights of respondents; ``None``: all alike.
        by: the column of each attribute by which groups are compared, by the attribute's name.
    """

    questions: Mapping[str, str]
    concept: str | None = None
    respondent: str | None = None
    weight: str | None = None
    by: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> frozenset[str]:
        """All columns that were named."""
        others = {self.concept, self.respondent, self.weight} - {None}
        return frozenset(map(str, {*self.questions.values(), *self.by.values(), *others}))


@dataclass(frozen=True)
class People:
    """People's answers, and the rows that do not count.

    Attributes:
        side: the answers.
        n_rows: rows of the table.
        left_out: rows without any use, by reason.
        source: name of the table.
        shared_name: a column that looks like names of people with several rows, where none was named.
    """

    side: ComparedSide
    n_rows: int
    left_out: Mapping[str, int]
    source: str
    shared_name: str | None = None


@dataclass(frozen=True, eq=False)
class _Placed:
    """Rows that count, and where their answers belong.

    Attributes:
        rows: shape (m,), their numbers in the table.
        persons: shape (m,), numbers of the persons.
        concepts: shape (m,), numbers of the concepts.
        shape: how many persons and concepts there are.
    """

    rows: Integers
    persons: Integers
    concepts: Integers
    shape: tuple[int, int]


def read_people(
    table: Table,
    columns: PeopleColumns,
    questions: Sequence[ComparedQuestion],
    concepts: tuple[str, ...],
    *,
    human_range: tuple[float, float] | None = None,
) -> People:
    """Read people's answers from a table with a row for each person, or for each person and concept.

    Args:
        table: as ``people_table`` opens it.
        columns: where it has what.
        questions: that are compared; a cell is a number, or the label of a point.
        concepts: of the study that have a rating.
        human_range: lowest and highest value that people could give; the scale's own unless given.

    Raises:
        InputError: a column that does not exist, a cell that is no answer, values outside the range, no
            concept of the study in the table, or a group whose weights are all 0 or missing.
    """
    check_human_range(human_range)
    rows, name = _rows(table, columns), table.name
    concept = _concepts(rows, columns, concepts, name)
    with rows_of_the_file(table):
        persons, weights = _persons(rows, columns), _weights(rows, columns)
    kept, left_out = _kept(concept, persons, weights)
    _refuse_weightless_groups(rows, columns, concept, kept)
    places = np.flatnonzero(kept)
    if not len(places):
        said = ", ".join(f"{reason}: {n:,}" for reason, n in left_out.items() if n)
        raise InputError(f"human: none of {rows.height:,} rows of {name} counts ({said})")
    named = [str(persons[row]) for row in places]
    first = dict(zip(reversed(named), reversed(places.tolist()), strict=True))
    order = {person: row for row, person in enumerate(dict.fromkeys(named))}
    persons_there = np.array([order[each] for each in named])
    placed = _Placed(places, persons_there, concept[places], (len(order), len(concepts)))
    _refuse_twice(named, placed.concepts, concepts, name)
    asked_rows = np.array([first[person] for person in order])
    with rows_of_the_file(table):
        masses = {
            each.name: _laid_out(column_in(rows, columns.questions[each.name]), each, human_range, placed)
            for each in questions
        }
    side = ComparedSide(
        tuple(order) if columns.respondent is not None else (),
        masses,
        tuple(questions),
        None if weights is None else weights[asked_rows],
        {
            attribute: groups_in(column_in(rows, column))[asked_rows.tolist()].to_list()
            for attribute, column in columns.by.items()
        },
    )
    return People(
        side,
        rows.height,
        {reason: n for reason, n in left_out.items() if n},
        name,
        None if columns.respondent or not columns.concept else shared_name(rows, columns.named, concept),
    )


def people_table(source: str | Path | pl.DataFrame | Table) -> Table:
    """Open a table of people's answers, or take one that is there.

    Raises:
        InputError: it cannot be read.
    """
    if isinstance(source, Table):
        return source
    if not isinstance(source, pl.DataFrame):
        return open_table(source)
    rows = source
    return Table(
        "the table of people", Path(), tuple(rows.columns), lambda size, skip: rows[skip:].iter_slices(size)
    )


def _rows(table: Table, columns: PeopleColumns) -> pl.DataFrame:
    parameters = [("question", each) for each in columns.questions.values()]
    parameters += [("by", each) for each in columns.by.values()]
    parameters += [
        (parameter, column)
        for parameter in ("concept", "respondent", "weight")
        if (column := getattr(columns, parameter)) is not None
    ]
    for parameter, column in parameters:
        table.require(column, parameter)
    return pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")


def _concepts(rows: pl.DataFrame, columns: PeopleColumns, concepts: tuple[str, ...], name: str) -> Integers:
    """Number the concept of each row, shape (n,); -1 for another one than the study's."""
    if columns.concept is None:
        if len(concepts) > 1:
            raise InputError(
                f"concept: the study has {len(concepts)} concepts ({_listed(concepts)}): "
                "name the column of the people's table that says which one a row is about"
            )
        return np.zeros(rows.height, dtype=np.int64)
    said = groups_in(column_in(rows, columns.concept)).to_list()
    place = {_plain(concept): number for number, concept in enumerate(concepts)}
    found = np.array([place.get(_plain(cell or ""), -1) for cell in said], dtype=np.int64)
    if (found < 0).all():
        there = tuple(dict.fromkeys(cell for cell in said if cell))
        raise InputError(
            f"concept: column {columns.concept!r} of {name} has none of the study's concepts "
            f"({_listed(concepts)}); it has {_listed(there)}"
        )
    return found


def _persons(rows: pl.DataFrame, columns: PeopleColumns) -> list[str | None]:
    if columns.respondent is None:
        return [str(row) for row in range(rows.height)]
    return groups_in(column_in(rows, columns.respondent)).to_list()


def _weights(rows: pl.DataFrame, columns: PeopleColumns) -> Floats | None:
    if columns.weight is None:
        return None
    return floats_in(weights_in(column_in(rows, columns.weight)))


def _kept(
    concept: Integers, persons: list[str | None], weights: Floats | None
) -> tuple[Mask, dict[str, int]]:
    """Tell which rows count, and count the others by reason."""
    kept = concept >= 0
    left_out = {"another concept": int((~kept).sum())}
    nameless = np.array([person is None for person in persons])
    left_out["no respondent"] = int((kept & nameless).sum())
    kept &= ~nameless
    if weights is not None:
        weightless = ~(weights > 0)
        left_out["no weight above 0"] = int((kept & weightless).sum())
        kept &= ~weightless
    return kept, left_out


def _refuse_weightless_groups(
    rows: pl.DataFrame, columns: PeopleColumns, concept: Integers, kept: Mask
) -> None:
    if columns.weight is None or not kept.any():
        return
    for attribute, column in columns.by.items():
        cells = groups_in(column_in(rows, column)).to_list()
        asked = {cells[row] for row in np.flatnonzero(concept >= 0)} - {None}
        lost = asked - {cells[row] for row in np.flatnonzero(kept)}
        if lost:
            raise InputError(
                f"weight: no row with {attribute} {_listed(sorted(lost))} has a weight above 0 in column "
                f"{columns.weight!r}: leave these rows out (--where), or mend the weights"
            )


def _refuse_twice(named: list[str], concept: Integers, concepts: tuple[str, ...], name: str) -> None:
    seen: set[tuple[str, int]] = set()
    for person, number in zip(named, concept.tolist(), strict=True):
        if (person, number) in seen:
            raise InputError(
                f"respondent: {name} has two rows of respondent {shortened(person)} "
                f"about {concepts[number]!r}: keep one"
            )
        seen.add((person, number))


def _laid_out(
    column: pl.Series,
    question: ComparedQuestion,
    human_range: tuple[float, float] | None,
    placed: _Placed,
) -> Floats:
    """Masses (n, c, k) of the answers to a question; NaN where there is none."""
    labels = question.labels if human_range is None else ()
    numbers = _numbers(column, placed.rows, dict(zip(map(_plain, labels), question.values, strict=False)))
    masses = laid_on(numbers[:, None], question.values, human_range)
    if masses is None:
        given = numbers[~np.isnan(numbers)]
        raise InputError(
            f"question: people's values in column {column.name!r} go from {given.min():g} to "
            f"{given.max():g}, the scale of {question.name!r} from {question.values[0]:g} to "
            f"{question.values[-1]:g}: say the lowest and the highest value that people could give "
            "(--human-range LOW HIGH)"
        )
    masses[np.isnan(numbers)] = np.nan
    full = np.full((*placed.shape, len(question.values)), np.nan)
    full[placed.persons, placed.concepts] = masses
    return full


def _numbers(column: pl.Series, rows: Integers, labels: Mapping[str, float]) -> Floats:
    """Read answers in some rows: numbers, texts of numbers, or labels of points; NaN where missing."""
    found = np.full(len(rows), np.nan)
    for place, row in enumerate(rows.tolist()):
        cell = column[row]
        if is_missing(cell) or (isinstance(cell, str) and not cell.strip()):
            continue
        value = labels.get(_plain(cell)) if isinstance(cell, str) else None
        found[place] = _number(cell) if value is None else value
        if not np.isfinite(found[place]):
            raise RowError(
                f"question: column {column.name!r} has {shortened(cell)} in data {{row}}: neither a "
                "number nor the label of a point",
                row,
            )
    return found


def _number(cell: object) -> float:
    try:
        return float(cell)  # type: ignore[arg-type]  # what is no number is refused by the caller
    except (TypeError, ValueError):
        return float("nan")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_LISTED])
    return f"{shown}, ..." if len(names) > _LISTED else shown
