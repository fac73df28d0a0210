"""Differences between concepts, and between groups of personas, with intervals and tests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.stats.intervals.estimates import Estimate
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.differences import GroupDifferences, group_differences
from semscale.stats.survey.means import survey_means
from semscale.stats.testing.multiple_testing import adjusted
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.counts import attribute_column
from semscale.study.summary.measures import values_in, weights_in
from semscale.types import Floats, Integers

CONCEPT = "concept"
"""What differs where concepts are compared."""

MOST_LEVELS = 30
"""Concepts or groups beyond which they are not compared two by two: 30 make 435 differences."""

_FEWEST = 2
_ROUNDING = 1e-9


@dataclass(frozen=True)
class LevelDifference:
    """The means of two concepts, or of two groups of personas, first less second.

    Attributes:
        question: name of the question.
        method: how it was measured.
        by: ``"concept"``, or the attribute of personas.
        first: the concept or group whose mean counts up.
        second: the one whose mean is taken off.
        difference: with a simulation interval; ends are NaN where all personas differ alike.
        p_value: of a t test over personas; NaN likewise.
        p_adjusted: after Holm, over all differences of one question by one method in one attribute.
        model: that answered; ``None`` where the study has one alone.
    """

    question: str
    method: str
    by: str
    first: str
    second: str
    difference: Estimate
    p_value: float
    p_adjusted: float
    model: str | None = None


def level_differences(
    question: SurveyQuestion,
    method: str,
    rows: pl.DataFrame,
    *,
    concepts: Sequence[str],
    attributes: Sequence[str],
    interval: float,
) -> Iterator[LevelDifference]:
    """Compare every two concepts, then every two groups of each attribute with all concepts together.

    A persona's answers are drawn together, so that concepts are compared within personas. Each mean keeps its
    own base, and the variance of the difference is ``var_a + var_b - 2 cov_ab`` (Taylor linearisation), with
    a t interval.

    Args:
        question: what was asked.
        method: how it was measured.
        rows: its answers, with columns of attributes and any panel weights.
        concepts: names, in the order of the study.
        attributes: of personas.
        interval: coverage of the intervals.

    Returns:
        Nothing for fewer than two personas or levels with a rating, or for more than 30 levels.
    """
    weights = weights_in(rows)
    counts = pl.lit(value=True) if weights is None else pl.Series(weights > 0)
    scored = rows.filter(pl.col("value").is_not_null() & counts)
    if scored["persona"].n_unique() < _FEWEST:
        return
    there = set(scored["concept"])
    yield from _two_by_two(
        question, method, CONCEPT, [name for name in concepts if name in there], scored, interval
    )
    for attribute in attributes:
        own = scored.with_columns(pl.col(attribute_column(attribute)).cast(pl.String).alias(CONCEPT))
        levels = sorted(own[CONCEPT].drop_nulls().unique())
        yield from _two_by_two(question, method, attribute, levels, own, interval)


def _two_by_two(  # noqa: PLR0913, PLR0917 - whose differences these are
    question: SurveyQuestion, method: str, by: str, levels: list[str], rows: pl.DataFrame, interval: float
) -> Iterator[LevelDifference]:
    if not _FEWEST <= len(levels) <= MOST_LEVELS:
        return
    weights = weights_in(rows)
    design = SurveyDesign(np.ones(rows.height) if weights is None else weights, clusters=_numbered(rows))
    codes = rows[CONCEPT].replace_strict(levels, list(range(len(levels))), default=-1, return_dtype=pl.Int64)
    means = survey_means(values_in(rows), design, groups=codes.fill_null(-1).to_numpy(), n_groups=len(levels))
    found = group_differences(means)
    estimates, p_values = _tested(found, float(np.ptp(question.scale.values)), interval)
    p_adjusted = adjusted(p_values, "holm")
    for place, (first, second) in enumerate(zip(found.first, found.second, strict=True)):
        yield LevelDifference(
            question.name,
            method,
            by,
            levels[first],
            levels[second],
            estimates[place],
            float(p_values[place]),
            float(p_adjusted[place]),
        )


def _tested(found: GroupDifferences, width: float, interval: float) -> tuple[list[Estimate], Floats]:
    """Give differences with intervals, and p-values; neither where all personas differ alike."""
    low, high = found.interval(interval)
    spread = found.standard_errors[0] > _ROUNDING * width
    ends = [np.where(spread, end[0].clip(-width, width), np.nan).tolist() for end in (low, high)]
    estimates = [Estimate(*each) for each in zip(found.values[0].tolist(), *ends, strict=True)]
    return estimates, np.where(spread, found.p_values[0], np.nan)


def _numbered(rows: pl.DataFrame) -> Integers:
    return rows["persona"].rank("dense").to_numpy().astype(np.int64)
