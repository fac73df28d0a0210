"""Results of ``semscale rate`` and ``semscale code`` in a table: their columns, and the text they belong to.

The columns of several rated texts have the names of the texts. Those of a single rated text, and those of
codes, do not name their text. They belong to a text that is there wherever there is a result, if equal texts
have equal ratings.
"""

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from semscale.stats.intervals import MASS_PREFIX
from semscale.store.writing import PREFIX
from semscale.survey.description import Option, Question

CODED = f"{PREFIX}outcome"
"""Status of a coded text; as a question, it stands for the codes of ``semscale code``."""

_MEAN = "mean"
_TEXT = "\0text"
_KINDS = ("_p", "_likeness")  # endings of a code's value
_FEWEST_TEXTS = 3  # of which ratings can tell whether they are of these texts


def as_number(text: str) -> float:
    """Parse a number; return NaN if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def mass_columns(columns: Collection[str], name: str) -> dict[float, str]:
    """Return the columns of probabilities that ``semscale rate`` wrote for a text, by point.

    A text is named by its column, or by the column of its mean rating.
    """
    starts = [f"{PREFIX}{name}_{MASS_PREFIX}"]
    if name.startswith(PREFIX) and name.endswith(_MEAN):
        starts = [name.removesuffix(_MEAN) + MASS_PREFIX]
    for start in starts:
        masses = {as_number(c.removeprefix(start)): c for c in columns if c.startswith(start)}
        if len(masses) > 1 and not any(np.isnan(value) for value in masses):
            return masses
    return {}


def unnamed_masses(columns: Collection[str]) -> dict[float, str]:
    """Return the columns of probabilities that do not name their text, by point."""
    return mass_columns(columns, f"{PREFIX}{_MEAN}")


def code_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of decisions on codes that ``semscale code`` wrote, each with that of its value."""
    names = set(columns)
    values = {
        column: next((column + kind for kind in _KINDS if column + kind in names), "") for column in columns
    }
    return {column: value for column, value in values.items() if value and column.startswith(PREFIX)}


def columns_of_results(columns: Sequence[str], name: str) -> list[str]:
    """Return all columns with results that a text may have."""
    codes = code_columns(columns)
    masses = [*mass_columns(columns, name).values(), *unnamed_masses(columns).values()]
    return [column for column in dict.fromkeys([*masses, *codes, *codes.values()]) if column != name]


def describe_codes(columns: Collection[str]) -> Question:
    """Describe the columns of decisions on codes as a multiple choice."""
    return Question(
        name=CODED,
        kind="multiple",
        title="Codes",
        options=tuple(Option(label=column.removeprefix(PREFIX), column=column) for column in columns),
        chosen=("1", "true"),
        not_chosen=("0", "false"),
        source="file",
    )


def are_of_text(texts: pl.Series, results: pl.DataFrame, *, is_open: bool, is_exact: bool = True) -> bool:
    """Return whether results can be those of a column of texts.

    Args:
        texts: n cells; a blank one is null.
        results: the n rows of results; rows without a result are null.
        is_open: whether the column is known to hold open texts. Otherwise it must repeat some texts, and most
            of its texts must have results of their own, which is true of no column of groups.
        is_exact: whether equal texts have equal results; those of answers coded by hand can differ.
    """
    results = results.fill_nan(None)
    has_result = ~results.select(pl.all_horizontal(pl.all().is_null())).to_series()
    if texts.dtype != pl.String or not has_result.any() or (has_result & texts.is_null()).any():
        return False
    pairs = results.with_columns(texts.alias(_TEXT)).filter(has_result)
    n, pairs = pairs.height, pairs.unique()
    n_texts = pairs[_TEXT].n_unique()
    if is_open:
        return not is_exact or pairs.height == n_texts
    n_results = pairs.drop(_TEXT).unique().height
    return n > n_texts >= _FEWEST_TEXTS and pairs.height == n_texts and n_results > n_texts / 2
