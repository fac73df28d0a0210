"""What labels of a task mean: drawn texts, the answers to choose from, figures, and sheets for commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal, Protocol, Self

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict

from semscale.report.document import Interval
from semscale.results.label_sheets import INCLUSION, check_label_columns
from semscale.stats.agreement import AgreementEstimate
from semscale.stats.sampling import DrawnTexts
from semscale.store.writing import PREFIX
from semscale.survey.description import Question, Survey
from semscale.types import Floats, Integers
from semscale.workbench.label_journals import Labels

Kind = Literal["rate", "code", "judge"]

OUTCOME = f"{PREFIX}outcome"
"""Column of coded tables."""

_DIGITS, _LETTERS = "1234567890", "qwertyiopadfghjklzvbm"
"""Keys of answers; c, n and s have other meanings, u and x on other pages."""


class DrawnText(BaseModel):
    """A text that was drawn.

    Attributes:
        row: its row in the table, from 1.
        text: the text, as people read it.
        inclusion: probability with which it was drawn.
        prompt: the question that a judged text answers.
        reference: the correct answer, if the judge had one.
    """

    model_config = ConfigDict(frozen=True)

    row: int
    text: str
    inclusion: float
    prompt: str = ""
    reference: str = ""


class Draw(BaseModel):
    """Texts of a measured table that were drawn for labels.

    Attributes:
        kind: whether texts are rated, coded or judged.
        table: name of the table in the project's folder ``results``.
        question: the texts, as commands name them: a question or a column.
        heading: the question in words.
        column: their column in the table.
        measure: scale, codebook or template, as commands name it in the project's folder.
        n_texts: number of texts that could be drawn.
        texts: the drawn texts, in random order.
        prompt: column with the questions that judged texts answer.
        reference: column with correct answers; empty without one.
    """

    model_config = ConfigDict(frozen=True)

    kind: Kind
    table: str
    question: str
    heading: str
    column: str
    measure: str
    n_texts: int
    texts: tuple[DrawnText, ...]
    prompt: str = ""
    reference: str = ""

    @property
    def n_further(self) -> int:
        """Number of texts that can be drawn besides these; 0 if these had different chances to be drawn."""
        has_equal_chances = len({text.inclusion for text in self.texts}) == 1
        return self.n_texts - len(self.texts) if has_equal_chances else 0

    def inclusion(self, rows: Integers, n: int) -> Floats:
        """Return the probabilities of the labelled ones among n rows, shape (n,); NaN for others."""
        drawn = {text.row - 1: text.inclusion for text in self.texts}
        inclusion: Floats = np.full(n, np.nan)
        inclusion[rows] = [drawn[row] for row in rows.tolist()]
        return inclusion


@dataclass(frozen=True)
class Choice:
    """An answer that a person may give.

    Attributes:
        value: the answer in a journal.
        label: what it means.
        key: key that gives it; empty if there are more answers than keys.
        number: its number, if it has one.
        meaning: when to choose it.
    """

    value: str
    label: str
    key: str
    number: str = ""
    meaning: str = ""


def answer_keys(values: Sequence[str]) -> str:
    """Return a key for each answer: from 1, or from 0 if the answers are numbers that begin with 0.

    Examples:
        >>> answer_keys(["Incorrect", "Correct"]), answer_keys(["0", "1", "2"])
        ('12', '012')
    """
    keys = f"0{_DIGITS[:9]}{_LETTERS}" if list(values[:2]) == ["0", "1"] else _DIGITS + _LETTERS
    return keys[: len(values)].ljust(len(values))


@dataclass(frozen=True)
class LabelFigure:
    """A figure that labels correct.

    Attributes:
        name: its name.
        n: number of labels that it rests on; of a code, number of texts that have it.
        estimate: the figure with its interval; ``None`` as long as there is none.
        note: what the figure means, or why there is none.
        uncorrected: the figure without the labels; ``None`` if there is none.
    """

    name: str
    n: int
    estimate: Interval | None
    note: str = ""
    uncorrected: Interval | None = None


@dataclass(frozen=True)
class LabelFigures:
    """What labels show so far.

    Attributes:
        figures: corrected figures.
        bounds: least and greatest value that these can have.
        advice: sentences on when to stop.
        agreement: agreement of people with what is measured, and with each other.
        weighting: sentence on the weight; empty if the survey has none.
        more: number of further labels that are expected to be enough; ``None`` if it is not known.
        so_far: sentence with the figures behind the advice; empty if the advice states them.
    """

    figures: tuple[LabelFigure, ...]
    bounds: tuple[float, float]
    advice: str
    agreement: tuple[LabelFigure, ...] = ()
    weighting: str = ""
    more: int | None = None
    so_far: str = ""


@dataclass(frozen=True)
class Sampled:
    """Texts of a table that were drawn for labels.

    Attributes:
        rows: shape (m,), their rows, from 0, in random order.
        probability: shape (m,), inclusion probability of each.
        n_texts: number of texts that could be drawn.
    """

    rows: Integers
    probability: Floats
    n_texts: int

    @classmethod
    def from_drawn(cls, drawn: DrawnTexts) -> Self:
        """Return the texts of a draw."""
        return cls(drawn.rows, drawn.probability, len(drawn.all_probabilities))


RaterLabels = Mapping[str, Mapping[int, str]]
"""Labels as in a journal, by the row of their text and by person."""


@dataclass(frozen=True)
class FinalLabels:
    """The labels of all people, as a sheet has them.

    As soon as a difference was decided, each text has one label: the decided one, or the one on which all
    agree. Differences without a decision are then left out.

    Attributes:
        by_rater: labels by person; of one nameless person if differences were decided.
        n_undecided: number of texts that are left out.
    """

    by_rater: RaterLabels
    n_undecided: int = 0

    @classmethod
    def join(cls, people: RaterLabels, decided: Labels) -> "FinalLabels":
        """Join the labels of people with decisions.

        Args:
            people: labels by person.
            decided: labels that were decided on.
        """
        if not decided.labelled:
            return cls(people)
        rows = dict.fromkeys(row for cells in people.values() for row in cells)
        different = {row: {cells[row] for cells in people.values() if row in cells} for row in rows}
        agreed = {row: next(iter(labels)) for row, labels in different.items() if len(labels) == 1}
        joined = {row: label for row, label in (agreed | decided.cells).items() if row in rows}
        return cls({"": joined}, len(rows) - len(joined))


def drawn_labels(people: Mapping[str, Labels], order: Sequence[int]) -> RaterLabels:
    """Return the labels of drawn texts that stand for all texts, by person.

    A picked text counts once people have come to it in the random order of the draw, where it would have been
    shown: before the first text that nobody has labelled or skipped.

    Args:
        people: labels by person.
        order: rows of the drawn texts, in random order.

    Examples:
        >>> from semscale.workbench.label_journals import Entry
        >>> ada = [Entry(id=f"{row}", rater="Ada", row=row, label="3", picked=row != 5) for row in (5, 2, 8)]
        >>> drawn_labels({"Ada": Labels.fold(ada)}, [2, 7, 8, 5])
        {'Ada': {5: '3', 2: '3'}}
    """
    done = {row for labels in people.values() for row in (*labels.labelled, *labels.skipped)}
    passed, drawn = set(takewhile(done.__contains__, order)), set(order)
    return {
        name: {
            row: entry.label
            for row, entry in labels.labelled.items()
            if row in passed or (row in drawn and not entry.picked)
        }
        for name, labels in people.items()
    }


class Measure(Protocol):
    """What labels of a task mean."""

    @property
    def question(self) -> str:
        """The question that a label answers."""
        ...

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The answers that a person may give."""
        ...

    @property
    def nothing(self) -> Choice:
        """The answer that a text says nothing on the question."""
        ...

    @property
    def ticks(self) -> tuple[float, ...]:
        """Values that mark the line of a corrected mean."""
        ...

    def draw(self, table: pl.DataFrame, n: int) -> Sampled:
        """Draw n texts of a table by its design."""
        ...

    def cell(self, chosen: list[str]) -> str:
        """Return the label for the chosen answers.

        Raises:
            InputError: there is no such answer.
        """
        ...

    def names(self, label: str) -> str:
        """Write a label for people."""
        ...

    @property
    def takes_weights(self) -> bool:
        """True if corrected figures are weighted."""
        ...

    def figures(
        self, table: pl.DataFrame, draw: Draw, final: FinalLabels, weights: Floats | None
    ) -> LabelFigures:
        """Correct figures by labels, weighted unless weights are ``None``, and advise on further labels."""
        ...

    def agreement(self, people: RaterLabels) -> dict[str, AgreementEstimate]:
        """Estimate the agreement of people, by its subject."""
        ...

    def sheet(
        self, table: pl.DataFrame, draw: Draw, final: FinalLabels, survey: Survey | None
    ) -> pl.DataFrame:
        """Return the sheet that commands read."""
        ...

    def commands(
        self, draw: Draw, sheet: str, file: str, final: FinalLabels, survey: Survey | None
    ) -> list[str]:
        """Return the commands that use the sheet."""
        ...


def rows_with_labels(
    table: pl.DataFrame, draw: Draw, labels: Sequence[pl.Series], survey: Survey | None
) -> pl.DataFrame:
    """Return the rows of a measured table without what was measured, with labels and their probabilities.

    Columns that the description derives are left out, as commands derive them again.

    Args:
        table: the measured table.
        draw: the texts that were drawn of it.
        labels: columns of labels, one or more.
        survey: the description of the project's file; ``None`` without one.

    Raises:
        InputError: the table has a column of such a name.
    """
    derived = () if survey is None else tuple(survey.derive)
    rows = table.select(name for name in table.columns if not name.startswith(PREFIX) and name not in derived)
    check_label_columns(rows.columns)
    drawn = np.array([text.row - 1 for text in draw.texts], dtype=np.int64)
    inclusion = pl.Series(INCLUSION, draw.inclusion(drawn, table.height), nan_to_null=True)
    return rows.with_columns(*labels, inclusion)


def only_weight(survey: Survey | None) -> Question | None:
    """Return the weight of a survey that has exactly one."""
    weights = [] if survey is None else survey.of_kind("weight")
    return weights[0] if len(weights) == 1 else None


def weight_option(survey: Survey | None) -> list[str]:
    """Return the option of commands that names the only weight of a survey."""
    weight = only_weight(survey)
    return [] if weight is None else ["--weight", weight.name]
