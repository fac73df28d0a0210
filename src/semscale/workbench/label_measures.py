"""Labels on a scale or by a codebook: the answers to choose from, corrected figures, agreement and sheets."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, Self

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict

from semscale.coding.code_shares import HandLabels, code_alphas
from semscale.coding.codebook import NO_CODE, Codebook
from semscale.coding.label_advice import advise
from semscale.coding.labels import draw_answers, hand_codes, mean_codes
from semscale.errors import InputError
from semscale.rating.fitting import FEWEST_LABELS
from semscale.rating.human import correct_readable_mean
from semscale.rating.label_progress import label_progress
from semscale.rating.labelling import ROW, TEXT, draw_for_labels
from semscale.rating.ratings import READABLE
from semscale.report.coding_labels import advice_sentences
from semscale.report.document import Interval
from semscale.results.label_sheets import HUMAN, INCLUSION, check_label_columns
from semscale.scales.scale import Scale
from semscale.stats.agreement import AgreementEstimate, krippendorff_alpha
from semscale.stats.intervals import mass_names
from semscale.stats.prediction_powered import CorrectedMean, estimate_corrected_mean
from semscale.stats.sampling import DrawnTexts, SampleDesign
from semscale.store.writing import PREFIX
from semscale.survey.description import Question, Survey
from semscale.survey.survey_file import FILE_NAME
from semscale.types import Floats, Integers, Mask, Status, Statuses
from semscale.workbench.label_journals import Labels, journal_name

Kind = Literal["rate", "code", "judge"]

OUTCOME = f"{PREFIX}outcome"
"""Column of coded tables."""

_DIGITS, _LETTERS = "1234567890", "qwertyiopadfghjklzvbnm"
"""Keys of answers; u, s, x and c have other meanings."""


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
    """

    name: str
    n: int
    estimate: Interval | None
    note: str = ""


@dataclass(frozen=True)
class LabelFigures:
    """What labels show so far.

    Attributes:
        figures: corrected figures.
        bounds: least and greatest value that these can have.
        advice: sentences on when to stop.
        agreement: agreement of people with what is measured, and with each other.
        weighting: sentence on the weight; empty if the survey has none.
    """

    figures: tuple[LabelFigure, ...]
    bounds: tuple[float, float]
    advice: str
    agreement: tuple[LabelFigure, ...] = ()
    weighting: str = ""


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
    def join(cls, people: Mapping[str, Labels], decided: Labels) -> "FinalLabels":
        """Join the labels of people with decisions.

        Args:
            people: labels by person.
            decided: labels that were decided on.
        """
        stated = {name: labels.cells for name, labels in people.items()}
        if not decided.labelled:
            return cls(stated)
        rows = dict.fromkeys(row for cells in stated.values() for row in cells)
        different = {row: {cells[row] for cells in stated.values() if row in cells} for row in rows}
        agreed = {row: next(iter(labels)) for row, labels in different.items() if len(labels) == 1}
        joined = {row: label for row, label in (agreed | decided.cells).items() if row in rows}
        return cls({"": joined}, len(rows) - len(joined))


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


@dataclass(frozen=True)
class StoredRatings:
    """Ratings of n texts, as a rated table has them; see ``rating.labelling.RatedTexts``."""

    scale: Scale
    pmf: Floats
    status: Statuses
    in_calibration: None = None

    @classmethod
    def from_table(cls, table: pl.DataFrame, scale: Scale) -> "StoredRatings":
        """Read the ratings of a table on a scale."""
        titles = [PREFIX + name for name in mass_names(scale.values)]
        masses = table.select(pl.col(titles).cast(pl.Float64).fill_null(float("nan"))).to_numpy()
        return cls(scale, masses, table[f"{PREFIX}status"].cast(pl.String).to_numpy().astype(object))

    @property
    def mean(self) -> Floats:
        """Shape (n,), means of the probabilities; NaN without a rating."""
        mean: Floats = self.pmf @ self.scale.values
        return mean

    @property
    def scored(self) -> Mask:
        """Shape (n,), true for texts with a rating."""
        return np.asarray(self.status == Status.SCORED, dtype=np.bool_)

    @property
    def readable(self) -> Mask:
        """Shape (n,), true for texts that people can rate."""
        return np.isin(self.status, [str(status) for status in READABLE])


@dataclass(frozen=True)
class RatingMeasure:
    """Labels on a scale.

    Attributes:
        scale: the scale.
    """

    scale: Scale
    nothing = Choice("", "not about this", "x")
    takes_weights = True

    @property
    def question(self) -> str:
        """The question of the scale."""
        return self.scale.question

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The points, with keys from 1, or from 0 on a scale that begins with 0."""
        values = [f"{point.value:g}" for point in self.scale.points]
        named = zip(values, self.scale.points, answer_keys(values), strict=True)
        return tuple(Choice(value, point.label, key.strip(), value) for value, point, key in named)

    @property
    def ticks(self) -> tuple[float, ...]:
        """The values of the points."""
        return tuple(point.value for point in self.scale.points)

    def draw(self, table: pl.DataFrame, n: int) -> Sampled:
        """Draw texts as ``semscale label`` does."""
        return Sampled.from_drawn(draw_for_labels(StoredRatings.from_table(table, self.scale), n))

    def cell(self, chosen: list[str]) -> str:
        """Return the value of the chosen point."""
        known = [choice.value for choice in self.choices]
        if len(chosen) != 1 or chosen[0] not in known:
            raise InputError("label", f"must be one of {', '.join(known)}, got {', '.join(chosen):.40}")
        return chosen[0]

    def names(self, label: str) -> str:
        """Write value and label of a point."""
        known = {choice.value: f"{choice.value} {choice.label}" for choice in self.choices}
        return known.get(label, self.nothing.label)

    def figures(
        self, table: pl.DataFrame, draw: Draw, final: FinalLabels, weights: Floats | None
    ) -> LabelFigures:
        """Correct the mean of all texts."""
        ratings, values = StoredRatings.from_table(table, self.scale), self.scale.values
        rows, labels = _numbers(final)
        inclusion = draw.inclusion(rows, table.height)
        human: list[list[float] | None] = [None] * table.height
        means: Floats = np.full(table.height, np.nan)
        for row, numbers in zip(rows.tolist(), labels, strict=True):
            human[row], means[row] = numbers, np.mean(numbers)
        mean = correct_readable_mean(
            ratings.pmf,
            human,
            values=values,
            readable=ratings.readable,
            inclusion=inclusion,
            weights=weights,
        )
        progress = label_progress(
            ratings.mean,
            means,
            n_texts=draw.n_texts,
            length=float(values[-1] - values[0]),
            inclusion=inclusion,
            weights=weights,
        )
        figure = LabelFigure("Mean of all texts", len(rows), mean)
        return LabelFigures((figure,), (float(values[0]), float(values[-1])), progress.advice)

    def agreement(self, people: RaterLabels) -> dict[str, AgreementEstimate]:
        """Estimate Krippendorff's alpha for ordered labels."""
        rows = dict.fromkeys(row for cells in people.values() for row in cells)
        table = [[float(cells.get(row) or "nan") for cells in people.values()] for row in rows]
        return {self.scale.title: krippendorff_alpha(np.array(table), metric="ordinal")}

    def sheet(self, _: pl.DataFrame, draw: Draw, final: FinalLabels, __: Survey | None) -> pl.DataFrame:
        """Return the sheet that ``semscale label`` draws, filled in; several labels of a text are a list."""
        rows, labels = _numbers(final)
        human = dict(zip(rows.tolist(), labels, strict=True))
        cells = [[f"{number:g}" for number in human.get(text.row - 1, [])] for text in draw.texts]
        return pl.DataFrame(
            {
                ROW: [text.row for text in draw.texts],
                TEXT: [text.text for text in draw.texts],
                HUMAN: [
                    f"[{', '.join(cell)}]" if len(cell) > 1 else next(iter(cell), None) for cell in cells
                ],
                INCLUSION: [text.inclusion for text in draw.texts],
            },
            schema_overrides={HUMAN: pl.String},
        )

    def commands(
        self, draw: Draw, sheet: str, file: str, final: FinalLabels, survey: Survey | None
    ) -> list[str]:
        """Return the commands that correct the mean, and that learn to rate like people."""
        scale = ["--scale", draw.measure]
        rate = ["semscale", "rate", file, "--text", draw.question, *scale, "--labels", sheet]
        rate += _weight_option(survey)
        calibrate = ["semscale", "calibrate", sheet, "--text", TEXT, "--human", HUMAN, *scale]
        calibrate += ["--out", f"{sheet.removesuffix('.csv')}-calibration.json"]
        commands = [rate, calibrate] if len(_numbers(final)[0]) >= FEWEST_LABELS else [rate]
        return [shlex.join(command) for command in commands]


def _numbers(final: FinalLabels) -> tuple[Integers, list[list[float]]]:
    """Return the rows with a label on a scale, from 0, and the labels of each."""
    numbers: dict[int, list[float]] = {}
    for cells in final.by_rater.values():
        for row, label in cells.items():
            if label:
                numbers.setdefault(row - 1, []).append(float(label))
    return np.array(list(numbers), dtype=np.int64), list(numbers.values())


@dataclass(frozen=True)
class CodeMeasure:
    """Labels by a codebook.

    Attributes:
        codebook: the codes.
    """

    codebook: Codebook
    question = "Which codes apply?"
    nothing = Choice(NO_CODE, "none of these", "x")
    takes_weights = True

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The codes, without nets, which follow from them."""
        codes = [code for code in self.codebook.codes if not code.is_net]
        named = zip(codes, answer_keys([code.name for code in codes]), strict=True)
        return tuple(
            Choice(code.name, code.name, key.strip(), meaning=code.definition) for code, key in named
        )

    @property
    def ticks(self) -> tuple[float, ...]:
        """The ends of a share."""
        return (0.0, 1.0)

    def draw(self, table: pl.DataFrame, n: int) -> Sampled:
        """Draw answers as ``semscale label`` does, which favours rare and unsure codes."""
        return Sampled.from_drawn(draw_answers(self._values(table), n))

    def cell(self, chosen: list[str]) -> str:
        """Return the chosen codes, in the codebook's order."""
        known = [choice.value for choice in self.choices]
        wrong = [name for name in chosen if name not in known]
        if wrong or not chosen:
            raise InputError("label", f"must name codes of the codebook, got {', '.join(wrong):.60}")
        return "; ".join(name for name in known if name in chosen)

    def names(self, label: str) -> str:
        """Write the names of codes."""
        return self.nothing.label if label == NO_CODE else label

    def figures(
        self, table: pl.DataFrame, draw: Draw, final: FinalLabels, weights: Floats | None
    ) -> LabelFigures:
        """Correct the shares of codes, with the scores of the table.

        ``semscale code`` also learns from the labels, so its shares are a little different.
        """
        means = self._means(final, table.height)
        rows = np.flatnonzero(~np.isnan(means).all(axis=1))
        design = SampleDesign(weights=weights, inclusion=draw.inclusion(rows, table.height))
        hand = HandLabels(self._values(table), means, design)
        figures = [
            LabelFigure(name, int((labels > 0).sum()), estimate)
            for name, labels, estimate in zip(self.codebook.names, means.T, _shares(hand), strict=True)
        ]
        advice = advise(hand, self.codebook.names) if len(rows) else None
        sentences = [] if advice is None else advice_sentences(advice)
        return LabelFigures(tuple(figures), (0.0, 1.0), " ".join(sentences))

    def agreement(self, people: RaterLabels) -> dict[str, AgreementEstimate]:
        """Estimate Krippendorff's alpha of each code."""
        rows = list(dict.fromkeys(row for cells in people.values() for row in cells))
        columns = [[cells.get(row, "") for row in rows] for cells in people.values()]
        alphas = code_alphas(hand_codes(columns, self.codebook, list(people)))
        return dict(zip(self.codebook.names, alphas, strict=True))

    def sheet(
        self, table: pl.DataFrame, draw: Draw, final: FinalLabels, survey: Survey | None
    ) -> pl.DataFrame:
        """Return the coded table without its codes, with a column for each person's labels."""
        labels = [
            pl.Series(title, [cells.get(row) for row in range(1, table.height + 1)], pl.String)
            for title, cells in zip(_titles(final), final.by_rater.values(), strict=True)
        ]
        return rows_with_labels(table, draw, labels, survey)

    def commands(
        self, draw: Draw, sheet: str, _: str, final: FinalLabels, survey: Survey | None
    ) -> list[str]:
        """Return the command that codes the sheet, learns from the labels and corrects the shares."""
        words = ["semscale", "code", sheet, "--text", draw.column, "--codebook", draw.measure]
        for title in _titles(final):
            words += ["--human", title]
        words += ["--inclusion", INCLUSION, *_weight_option(survey)]
        words += [] if survey is None else ["--survey", FILE_NAME]
        return [shlex.join(words)]

    def _values(self, table: pl.DataFrame) -> Floats:
        """Read the likeness of answers to codes, shape (n, k).

        Raises:
            InputError: the codes were learned from labels, which cannot correct them as well.
        """
        titles = [f"{PREFIX}{name}_likeness" for name in self.codebook.names]
        lacking = [title for title in titles if title not in table.columns]
        if lacking:
            raise InputError(
                f"the table has no column '{lacking[0]}': code it by this codebook and without --human, as "
                "codes that have learned from labels cannot be corrected by these"
            )
        return table.select(pl.col(titles).cast(pl.Float64).fill_null(float("nan"))).to_numpy()

    def _means(self, final: FinalLabels, n: int) -> Floats:
        """Return the share of people who gave each code, shape (n, k); NaN without a label."""
        means: Floats = np.full((n, len(self.codebook.names)), np.nan)
        rows = list(dict.fromkeys(row for cells in final.by_rater.values() for row in cells))
        if rows:
            columns = [[cells.get(row, "") for row in rows] for cells in final.by_rater.values()]
            codes = hand_codes(columns, self.codebook, list(final.by_rater))
            means[np.array(rows) - 1] = mean_codes(codes)
        return means


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
    rows = table.select(
        name for name in table.columns if not name.startswith(PREFIX) and name not in derived
    )
    check_label_columns(rows.columns)
    drawn = np.array([text.row - 1 for text in draw.texts], dtype=np.int64)
    inclusion = pl.Series(INCLUSION, draw.inclusion(drawn, table.height), nan_to_null=True)
    return rows.with_columns(*labels, inclusion)


def _shares(hand: HandLabels) -> list[CorrectedMean | None]:
    """Correct the share of each code; ``None`` without labels."""
    if np.isnan(hand.labels).all():
        return [None] * hand.labels.shape[1]
    return [
        estimate_corrected_mean(scores, labels, bounds=(0, 1), design=hand.design)
        for scores, labels in zip(hand.scores.T, hand.labels.T, strict=True)
    ]


def only_weight(survey: Survey | None) -> Question | None:
    """Return the weight of a survey that has exactly one."""
    weights = [] if survey is None else survey.of_kind("weight")
    return weights[0] if len(weights) == 1 else None


def _weight_option(survey: Survey | None) -> list[str]:
    weight = only_weight(survey)
    return [] if weight is None else ["--weight", weight.name]


def _titles(final: FinalLabels) -> list[str]:
    """Name the columns of labels: by person, if several people label."""
    if len(final.by_rater) <= 1:
        return [HUMAN] * len(final.by_rater)
    return [f"{HUMAN}-{journal_name(name)}" for name in final.by_rater]
