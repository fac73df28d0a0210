"""Where the spread of a panel's answers comes from: personas, repeated samples, anchor sets."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.variance_components.components import VarianceComponents, variance_components
from semscale.stats.variance_components.effects import FacetTable
from semscale.types import Integers

PERSONA, SAMPLE, SETS, MODEL = "persona", "repeated sample", "anchor set", "model"
"""What answers to one question about one concept differ in."""

_FEWEST_FACETS = 2


@dataclass(frozen=True)
class AnswerSpread:
    """Variances of the answers to one question by one method, within concepts.

    Attributes:
        question: name of the question.
        method: how it was measured.
        variances: of personas, samples, anchor sets and models, as far as there are several of them; where
            one model was asked, of its versions, if the endpoint names several.
    """

    question: str
    method: str
    variances: VarianceComponents


def answer_spreads(
    question: str, method: str, rows: pl.DataFrame, plan: IntervalPlan
) -> Iterator[AnswerSpread]:
    """Split the variance of answers; nothing where they differ in personas alone, which cannot be split.

    Args:
        question: name of the question.
        method: how it was measured.
        rows: its answers.
        plan: how intervals are made; personas are resampled as a whole.
    """
    scored = rows.filter(pl.col("value").is_not_null())
    several = scored["set_values"].list.len().max() if scored["set_values"].null_count() == 0 else None
    if several is not None and int(str(several)) > 1:
        places = pl.int_ranges(pl.col("set_values").list.len()).alias(SETS)
        scored = scored.with_columns(places, value="set_values").explode("value", SETS)
    else:
        scored = scored.with_columns(pl.lit(0).alias(SETS))
    found = {
        PERSONA: _codes(scored["persona"]),
        MODEL: _codes(scored["asked_model" if scored["asked_model"].n_unique() > 1 else "model"]),
        SAMPLE: _codes(scored["sample"]),
        SETS: _codes(scored[SETS]),
    }
    facets = {name: codes for name, codes in found.items() if codes.any()}
    if PERSONA not in facets or len(facets) < _FEWEST_FACETS:
        return
    nested = {SAMPLE: tuple(name for name in (PERSONA, MODEL) if name in facets)} if SAMPLE in facets else {}
    table = FacetTable(
        scored["value"].to_numpy().astype(np.float64), facets, PERSONA, nested, _codes(scored["concept"])
    )
    yield AnswerSpread(question, method, variance_components(table, plan=plan))


def _codes(cells: pl.Series) -> Integers:
    """Number the values of a column from 0; what is missing is a value of its own."""
    return (
        cells.fill_null("" if cells.dtype == pl.String else -1).rank("dense").to_numpy().astype(np.int64) - 1
    )
