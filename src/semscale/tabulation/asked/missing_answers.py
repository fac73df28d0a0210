"""Codes that a user names as missing answers: cells with them become null, and their labels no answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import groups_in
from semscale.store.missing_codes import code_key, missing_keys

EVERY_QUESTION = ""
"""Stands for all questions among those that have codes."""


def codes_of(missing: Mapping[str, Sequence[str]], question: str) -> tuple[str, ...]:
    """Give the codes that are missing answers to a question: its own, and those of every question."""
    return (*missing.get(EVERY_QUESTION, ()), *missing.get(question, ()))


def without_codes(
    cells: pl.Series, labels: ColumnLabels, codes: Sequence[str]
) -> tuple[pl.Series, ColumnLabels]:
    """Make cells with a code null, and take the code from the answers among the labels.

    Args:
        cells: n values.
        labels: what is known about the column.
        codes: values or their labels, such as ``9`` or ``refused``, whatever their case.

    Returns:
        The cells, and the labels.

    Raises:
        InputError: a code is blank.

    Example:
        >>> without_codes(pl.Series([1, 9, 2]), ColumnLabels(), ["9"])[0].to_list()
        [1, None, 2]
    """
    keys = missing_keys(codes)
    names = groups_in(cells)
    coded = [value for value, words in labels.values.items() if {code_key(value), code_key(words)} & keys]
    coded += [name for name in names.drop_nulls().unique().to_list() if code_key(name) in keys]
    found = names.is_in(list(dict.fromkeys(coded))).fill_null(value=False)
    # A null of its own type keeps lists and dates what they are.
    kept = pl.select(pl.when(~found).then(cells)).to_series().rename(cells.name)
    return kept, replace(labels, missing_values=[*labels.missing_values, *coded])
