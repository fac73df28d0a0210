"""Results of ``semscale rate`` and ``semscale code`` in a table: their columns, and the text they belong to.

The columns of several texts have the names of the texts. Those of a single text, or of the first one, do not
name their text. They belong to a text that is there wherever there is a result, if equal texts
have equal ratings.
"""

import re
from collections.abc import Collection, Sequence
from itertools import chain

import polars as pl

from semscale.stats.intervals import MASS_PREFIX
from semscale.store.writing import PREFIX
from semscale.survey.description import Option, Question, Survey
from semscale.survey.number_codes import parse_number

CODED = f"{PREFIX}outcome"
"""Status of a coded text; as a question, it stands for the codes of ``semscale code``."""

_MEAN = "mean"
_OUTCOME = f"_{CODED.removeprefix(PREFIX)}"
_TEXT = "\0text"
_PROBABILITY, _LIKENESS = "_p", "_likeness"
_KINDS = (_PROBABILITY, _LIKENESS)  # endings of a code's value
_ON = " on "
LINKS = {"ratings": "on", "codes": "by"}
"""Word between results and the title of their scale or codebook."""

_FEWEST_TEXTS = 3  # of which ratings can tell whether they are of these texts


def mass_columns(columns: Collection[str], name: str) -> dict[float, str]:
    """Return the columns of probabilities that ``semscale rate`` wrote for a text, by point.

    A text is named by its column, or by the column of its mean rating.
    """
    starts = [f"{PREFIX}{name}_{MASS_PREFIX}"]
    if name.startswith(PREFIX) and name.endswith(_MEAN):
        starts = [name.removesuffix(_MEAN) + MASS_PREFIX]
    for start in starts:
        points = {c: parse_number(c.removeprefix(start)) for c in columns if c.startswith(start)}
        masses = {point: c for c, point in points.items() if point is not None}
        if len(masses) > 1 and None not in points.values():
            return masses
    return {}


def unnamed_masses(columns: Collection[str]) -> dict[float, str]:
    """Return the columns of probabilities that do not name their text, by point."""
    return mass_columns(columns, f"{PREFIX}{_MEAN}")


def coded_text(name: str) -> str | None:
    """Return the text that a column of outcomes names; empty if it names none, ``None`` for other columns.

    Examples:
        >>> [coded_text(name) for name in ("semscale_outcome", "semscale_why_outcome", "why")]
        ['', 'why', None]
    """
    if name == CODED:
        return ""
    is_named = name.startswith(PREFIX) and name.endswith(_OUTCOME)
    return name.removeprefix(PREFIX).removesuffix(_OUTCOME) if is_named else None


def code_values(code: str, columns: Collection[str]) -> tuple[str, ...]:
    """Return the columns with the values that decide about a code; of waves, some may have probabilities.

    Examples:
        >>> code_values("semscale_price", ["semscale_price", "semscale_price_p"])
        ('semscale_price_p',)
    """
    return tuple(code + kind for kind in _KINDS if code + kind in columns)


def code_probability(code: str) -> str:
    """Return the name of the column with the probability of a code, which only codes with hand codes have."""
    return code + _PROBABILITY


def code_likeness(code: str) -> str:
    """Return the name of the column with the likeness of a code, which only codes without hand codes have."""
    return code + _LIKENESS


def code_columns(columns: Sequence[str], text: str = "") -> dict[str, tuple[str, ...]]:
    """Return the columns of decisions on codes that ``semscale code`` wrote, each with those of its values.

    Args:
        columns: of the table.
        text: the text that they name; by default those that name none.
    """
    names = set(columns)
    named = [results_start(other) for column in columns if (other := coded_text(column))]
    start = results_start(text)
    if text and start not in named:
        return {}
    others = () if text else tuple(named)
    values = {
        column: code_values(column, names)
        for column in columns
        if column.startswith(start) and not column.startswith(others)
    }
    return {column: of_code for column, of_code in values.items() if of_code}


def results_start(text: str) -> str:
    """Return how the columns of a text's results begin; those of no text begin with the prefix alone."""
    return f"{PREFIX}{text}_" if text else PREFIX


def name_on(text: str, title: str) -> str:
    """Return the name of a text with the title of a scale or a codebook, which tells its results apart."""
    return f"{text}{_ON}{title}"


def text_heading(text: str, survey: Survey | None) -> str:
    """Return the heading of a described text, which can have a title, too; empty for other texts."""
    heading, title = heading_and_title(text, survey)
    return name_on(heading, title) if title else heading


def codes_heading(text: str, survey: Survey | None) -> str:
    """Return the heading of the codes of a described text, which can have the name of a codebook, too."""
    heading, title = heading_and_title(text, survey)
    return f"{heading} (codes{f' by {title}' if title else ''})" if heading else ""


def heading_and_title(text: str, survey: Survey | None) -> tuple[str, str]:
    """Return the heading of a described text and the title that its name has; empty texts for others."""
    for end in [len(text), *(match.start() for match in re.finditer(_ON, text))]:
        if survey is not None and (question := survey.of_column(text[:end])):
            return question.heading, text[end:].removeprefix(_ON)
    return "", ""


def results_title(text: str, measured: str) -> str:
    """Return the name of the question that stands for the ratings or the codes of a text alone.

    Examples:
        >>> results_title("why", "ratings"), results_title("why", "codes")
        ('semscale_why_mean', 'semscale_why_outcome')
    """
    return results_start(text) + (_MEAN if measured == "ratings" else CODED.removeprefix(PREFIX))


def measured_text(name: str) -> tuple[str, str]:
    """Return the text that a question of results names, and what was measured; two empty texts otherwise.

    Examples:
        >>> measured_text("semscale_why_mean"), measured_text("why")
        (('why', 'ratings'), ('', ''))
    """
    if text := coded_text(name):
        return text, "codes"
    if name.startswith(PREFIX) and name.endswith(f"_{_MEAN}") and name != f"{PREFIX}{_MEAN}":
        return name.removeprefix(PREFIX).removesuffix(f"_{_MEAN}"), "ratings"
    return "", ""


def columns_of_results(columns: Sequence[str], name: str) -> list[str]:
    """Return all columns with results that a text may have, and those that tell which texts were coded."""
    codes = code_columns(columns, name) or code_columns(columns)
    outcomes = [column for column in columns if coded_text(column)]
    masses = [*mass_columns(columns, name).values(), *unnamed_masses(columns).values()]
    results = dict.fromkeys([*masses, *codes, *chain.from_iterable(codes.values()), *outcomes])
    return [column for column in results if column != name]


def describe_codes(columns: Collection[str], text: str = "", heading: str = "") -> Question:
    """Describe the columns of decisions on codes as a multiple choice.

    Args:
        columns: the columns.
        text: the text that they name; empty if they name none.
        heading: the heading of the codes; empty if that of the text's question is not known.
    """
    start = results_start(text)
    return Question(
        name=f"{start}{CODED.removeprefix(PREFIX)}",
        kind="multiple",
        title=heading or (f"Codes of {text}" if text else "Codes"),
        options=tuple(Option(label=column.removeprefix(start), column=column) for column in columns),
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
