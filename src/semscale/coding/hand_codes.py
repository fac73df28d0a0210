"""Codes that people gave by hand: names in a cell, separated by semicolons, or none."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from semscale.coding.codebook import OTHER, CodeFrame
from semscale.errors import RowError
from semscale.messages import did_you_mean
from semscale.store.columns import is_missing
from semscale.types import Floats

Cells = Sequence[Any]


def hand_codes(columns: Sequence[Cells], codebook: CodeFrame, names: Sequence[str]) -> Floats:
    """Read what one or more people coded.

    A cell has names of codes with semicolons between them, a JSON list of them, or ``none`` where no code
    applies; an empty cell was not coded. A code that is given also gives the codes above it.

    Args:
        columns: for each of c people, n cells.
        codebook: k codes.
        names: of the columns, for messages.

    Returns:
        Shape (c, n, k): 1 given, 0 not given, NaN where the person coded nothing.

    Raises:
        RowError: an unknown code; the message names column and row.

    Example:
        >>> from semscale.coding.codebook import Code
        >>> book = CodeFrame("b", (Code("price", "d", ("x",)), Code("size", "e", ("y",))))
        >>> hand_codes([["price; size", "none", ""]], book, ["human"])[0].tolist()
        [[1.0, 1.0], [0.0, 0.0], [nan, nan]]
    """
    found = np.full((len(columns), len(columns[0]) if columns else 0, len(codebook.codes)), np.nan)
    places = {name.casefold(): place for place, name in enumerate(codebook.names)}
    for person, (cells, column) in enumerate(zip(columns, names, strict=True)):
        for row, cell in enumerate(cells):
            given = _given(cell)
            if given is None:
                continue
            found[person, row] = 0.0
            for name in given:
                if name.casefold() not in places:
                    raise RowError(_unknown(name, codebook, column), row)
                place = places[name.casefold()]
                for each in (codebook.names[place], *codebook.ancestors(codebook.names[place])):
                    found[person, row, places[each.casefold()]] = 1.0
    return found


def mean_codes(hand: Floats) -> Floats:
    """Share of people who gave each code to each answer, shape (n, k); NaN where nobody coded."""
    coded = (~np.isnan(hand)).sum(axis=0)
    means: Floats = np.full(hand.shape[1:], np.nan)
    np.divide(np.nansum(hand, axis=0), coded, out=means, where=coded > 0)
    return means


def _given(cell: object) -> list[str] | None:
    """List the names in a cell; ``None`` where nobody coded, an empty list where no code applies."""
    if isinstance(cell, list | tuple):
        return [str(name).strip() for name in cell]
    if is_missing(cell) or not str(cell).strip():
        return None
    text = str(cell).strip()
    if text.startswith("["):
        try:
            listed = json.loads(text)
        except json.JSONDecodeError:
            listed = None
        if isinstance(listed, list):
            return [str(name).strip() for name in listed]
    names = [name.strip() for name in text.split(";")]
    return [] if [name.casefold() for name in names] == [OTHER] else [name for name in names if name]


def _unknown(name: str, codebook: CodeFrame, column: str) -> str:
    mixed = f"; {OTHER!r} stands alone" if name.casefold() == OTHER else did_you_mean(name, codebook.names)
    known = ", ".join(codebook.names)
    return f"labels: column '{column}', {{row}}: no code {name!r:.60}{mixed} (codes: {known}, or {OTHER})"
