"""Labels on a scale: the corrected mean, agreement, and the sheet that ``semscale rate`` reads."""

import shlex
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.rating.fitting import FEWEST_LABELS
from semscale.rating.human import correct_readable_mean
from semscale.rating.label_progress import label_progress
from semscale.rating.labelling import ROW, TEXT, draw_for_labels
from semscale.rating.ratings import READABLE
from semscale.results.label_sheets import HUMAN, INCLUSION
from semscale.scales.scale import Scale
from semscale.stats.agreement import AgreementEstimate, krippendorff_alpha
from semscale.stats.intervals import mass_names
from semscale.store.columns import floats_in_columns
from semscale.store.writing import PREFIX
from semscale.survey.description import Survey
from semscale.types import Floats, Integers, Mask, Status, Statuses
from semscale.workbench.label_measures import (
    Choice,
    Draw,
    FinalLabels,
    LabelFigure,
    LabelFigures,
    RaterLabels,
    Sampled,
    answer_keys,
    weight_option,
)


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
        masses = floats_in_columns(table.select(titles))
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
    nothing = Choice("", "cannot be rated", "x", meaning="The text says nothing about the question")
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
        uncorrected = None if mean is None else mean.naive
        figure = LabelFigure("Mean of all texts", len(rows), mean, uncorrected=uncorrected)
        return LabelFigures(
            (figure,),
            (float(values[0]), float(values[-1])),
            progress.next_step,
            more=progress.more if progress.has_figures else None,
            so_far=progress.so_far,
        )

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
        rate += weight_option(survey)
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
