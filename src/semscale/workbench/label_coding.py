"""Labels by a codebook: corrected shares, agreement, and the sheet that ``semscale code`` reads."""

import shlex
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from semscale.coding.code_shares import HandLabels, code_alphas
from semscale.coding.codebook import NO_CODE, Codebook
from semscale.coding.label_advice import advise
from semscale.coding.labels import draw_answers, hand_codes, mean_codes
from semscale.errors import InputError
from semscale.report.coding_labels import advice_sentences
from semscale.results.label_sheets import HUMAN, INCLUSION
from semscale.stats.agreement import AgreementEstimate
from semscale.stats.prediction_powered import CorrectedMean, estimate_corrected_mean
from semscale.stats.sampling import SampleDesign
from semscale.store.columns import floats_in_columns
from semscale.store.writing import PREFIX
from semscale.survey.description import Survey
from semscale.survey.survey_file import FILE_NAME
from semscale.tabulation.text_results import code_likeness
from semscale.types import Floats
from semscale.workbench.label_journals import journal_name
from semscale.workbench.label_measures import (
    Choice,
    Draw,
    FinalLabels,
    LabelFigure,
    LabelFigures,
    RaterLabels,
    Sampled,
    answer_keys,
    rows_with_labels,
    weight_option,
)


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
        words += ["--inclusion", INCLUSION, *weight_option(survey)]
        words += [] if survey is None else ["--survey", FILE_NAME]
        return [shlex.join(words)]

    def _values(self, table: pl.DataFrame) -> Floats:
        """Read the likeness of answers to codes, shape (n, k).

        Raises:
            InputError: the codes were learned from labels, which cannot correct them as well.
        """
        titles = [code_likeness(PREFIX + name) for name in self.codebook.names]
        lacking = [title for title in titles if title not in table.columns]
        if lacking:
            raise InputError(
                f"the table has no column '{lacking[0]}': code it by this codebook and without --human, as "
                "codes that have learned from labels cannot be corrected by these"
            )
        return floats_in_columns(table.select(titles))

    def _means(self, final: FinalLabels, n: int) -> Floats:
        """Return the share of people who gave each code, shape (n, k); NaN without a label."""
        means: Floats = np.full((n, len(self.codebook.names)), np.nan)
        rows = list(dict.fromkeys(row for cells in final.by_rater.values() for row in cells))
        if rows:
            columns = [[cells.get(row, "") for row in rows] for cells in final.by_rater.values()]
            codes = hand_codes(columns, self.codebook, list(final.by_rater))
            means[np.array(rows) - 1] = mean_codes(codes)
        return means


def _shares(hand: HandLabels) -> list[CorrectedMean | None]:
    """Correct the share of each code; ``None`` without labels."""
    if np.isnan(hand.labels).all():
        return [None] * hand.labels.shape[1]
    return [
        estimate_corrected_mean(scores, labels, bounds=(0, 1), design=hand.design)
        for scores, labels in zip(hand.scores.T, hand.labels.T, strict=True)
    ]


def _titles(final: FinalLabels) -> list[str]:
    """Name the columns of labels: by person, if several people label."""
    if len(final.by_rater) <= 1:
        return [HUMAN] * len(final.by_rater)
    return [f"{HUMAN}-{journal_name(name)}" for name in final.by_rater]
