"""Hand codes: cells with names of codes, and the sheet of answers to code by hand."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.codebook import NO_CODE, Codebook
from semscale.errors import RowError
from semscale.json_reading import parse_json
from semscale.messages import did_you_mean
from semscale.results.label_sheets import (
    HUMAN,
    INCLUSION,
    check_label_columns,
    with_label_columns,
    write_beside,
)
from semscale.stats.sampling import DrawnTexts, draw_texts
from semscale.store.columns import storable
from semscale.store.missing_codes import is_missing
from semscale.store.table import Table, pick_rows
from semscale.types import Floats, Integers, Mask

_BATCH = 50_000
_HALF = 0.5
_RARE = 2 / 3
"""Weight of rare codes in the variable part of a draw's probabilities; the rest is for uncertain codes."""

_CURVE = (0.86, 0.92)
_LEAST_SUM = _LEAST_ODDS = 1e-9
_TRIED = 200  # sizes of a sheet that are tried

ENOUGH_EXPECTED = 8
"""Expected number of answers with a code at which five or more are drawn with a probability of .9."""

_INSTRUCTIONS = f"""# Coding {{file}} by hand

The answers are in the column `{{column}}`; those to be coded are at the top. For each of them write all codes
that apply into the column `{HUMAN}`, separated by semicolons, such as
`{{example}}`.

{{codes}}

- Write `{NO_CODE}` where no code applies. An empty cell counts as not coded.
- Code the meaning of the answer, not your own opinion of it.
- Go through the answers in their order; do not leave out difficult ones.
- If a second person codes as well, each writes into a separate column without seeing the other's codes.
- Leave `{INCLUSION}` as it is: it is the probability with which the answer was drawn.

When the table is filled in:

    {{command}}
"""


@dataclass(frozen=True)
class HandCodes:
    """Codes that c people gave to n answers.

    Attributes:
        codes: shape (c, n, k), from ``hand_codes``.
        people: names of the people's columns.
        inclusion: shape (n,), probability with which each answer was drawn; ``None`` if all are equal.
    """

    codes: Floats
    people: tuple[str, ...]
    inclusion: Floats | None = None

    @property
    def coded(self) -> Mask:
        """Mask of answers that at least one person coded, shape (n,)."""
        return np.asarray(~np.isnan(self.codes).all(axis=(0, 2)))

    def align(self, positions: Integers) -> "HandCodes":
        """Rearrange the codes of n answers for m answers; NaN for uncoded answers.

        Args:
            positions: shape (m,), position of each answer among the n; -1 for others.
        """
        coded = positions >= 0
        codes: Floats = np.full((len(self.codes), len(positions), self.codes.shape[2]), np.nan)
        codes[:, coded] = self.codes[:, positions[coded]]
        inclusion: Floats | None = None
        if self.inclusion is not None:
            inclusion = np.full(len(positions), np.nan)
            inclusion[coded] = self.inclusion[positions[coded]]
        return HandCodes(codes, self.people, inclusion)


def hand_codes(columns: Sequence[Sequence[Any]], codebook: Codebook, names: Sequence[str]) -> Floats:
    """Read the codes that one or more people gave.

    A cell has names of codes separated by semicolons, a JSON list of names, or ``none`` if no code applies;
    an empty cell was not coded. A code implies the codes above it.

    Args:
        columns: for each of c people, n cells.
        codebook: k codes.
        names: names of the columns, for messages.

    Returns:
        Shape (c, n, k): 1 with the code, 0 without, NaN if the person did not code the answer.

    Raises:
        RowError: an unknown code; the message names column and row.

    Examples:
        >>> from semscale.coding.codebook import Code
        >>> book = Codebook("b", (Code("price", "d", ("x",)), Code("size", "e", ("y",))))
        >>> hand_codes([["price; size", "none", ""]], book, ["human"])[0].tolist()
        [[1.0, 1.0], [0.0, 0.0], [nan, nan]]
    """
    codes = np.full((len(columns), len(columns[0]) if columns else 0, len(codebook.codes)), np.nan)
    positions = {name.casefold(): position for position, name in enumerate(codebook.names)}
    with_ancestors = [
        [positions[related.casefold()] for related in (name, *codebook.ancestors(name))]
        for name in codebook.names
    ]
    for person, (cells, column) in enumerate(zip(columns, names, strict=True)):
        for row, cell in enumerate(cells):
            labels = _labels_in(cell)
            if labels is None:
                continue
            codes[person, row] = 0.0
            for label in labels:
                position = positions.get(label.casefold())
                if position is None:
                    raise RowError(_unknown(label, codebook, column), row)
                codes[person, row, with_ancestors[position]] = 1.0
    return codes


def mean_codes(hand: Floats) -> Floats:
    """Average the codes of c people (c, n, k) for each answer, shape (n, k); NaN for uncoded answers."""
    coded = (~np.isnan(hand)).sum(axis=0)
    means: Floats = np.full(hand.shape[1:], np.nan)
    np.divide(np.nansum(hand, axis=0), coded, out=means, where=coded > 0)
    return means


def majority(means: Floats) -> Floats:
    """Round means of hand codes to the majority: 1, 0, or NaN for a tie or an uncoded answer."""
    return np.where(means > _HALF, 1.0, np.where(means < _HALF, 0.0, np.nan))


def draw_answers(likeness: Floats, n: int, *, alike: bool = False, seed: int = 0) -> DrawnTexts:
    """Draw answers for people to code.

    Half of each probability is the same for all answers. A third is proportional to the rarity of the
    answer's probable codes: the sum over codes of its probability of the code, divided by the sum over all
    answers. A sixth is proportional to the uncertainty of its codes: the root of the mean over codes of v (1
    - v), for likenesses v clipped to 0 to 1. So every readable answer can be drawn, and shares weighted by 1
    / probability are unbiased.

    Args:
        likeness: shape (m, k), to each code; answers with NaN are never drawn.
        n: number of answers to draw.
        alike: whether all answers are drawn with the same probability.
        seed: seed of the draw.

    Raises:
        InputError: n is below 1, or no answer can be read.

    References:
        Zrnic and Candes (2024), Active statistical inference, arXiv 2403.03208.
    """
    clipped, probability = np.clip(likeness, 0, 1), probable_codes(likeness)
    unsure: Floats = np.sqrt((clipped * (1 - clipped)).mean(axis=1))
    rare: Floats = (probability / np.maximum(np.nansum(probability, axis=0), _LEAST_SUM)).sum(axis=1)
    interest = _RARE * _in_mean_units(rare) + (1 - _RARE) * _in_mean_units(unsure)
    return draw_texts(
        np.column_stack([1 - clipped.mean(axis=1), clipped.mean(axis=1)]),
        np.array([0.0, 1.0]),
        n,
        by_interest=not alike,
        deviation=interest,
        seed=seed,
    )


def _in_mean_units(sizes: Floats) -> Floats:
    """Divide sizes by their mean; return ones if the mean is 0."""
    average = np.nanmean(sizes) if not np.isnan(sizes).all() else 0.0
    units: Floats = sizes / average if average > 0 else np.ones_like(sizes)
    return units


def probable_codes(likeness: Floats) -> Floats:
    """Guess the probability of each code from likeness, without hand codes, shape (m, k).

    The curve was fitted to the domains from which the weights of the evidence were learned
    (``bench/code_weights.py``). It is accurate enough for planning a sheet.

    Examples:
        >>> probable_codes(np.array([[0.1, 0.5, 0.9]])).round(2).tolist()
        [[0.05, 0.3, 0.76]]
    """
    clipped = np.clip(likeness, _LEAST_ODDS, 1 - _LEAST_ODDS)
    probability: Floats = 1 / (1 + np.exp(_CURVE[0]) * (1 / clipped - 1) ** _CURVE[1])
    return probability


@dataclass(frozen=True)
class ExpectedCodes:
    """Expected number of answers with a code in a sheet.

    Attributes:
        code: its name.
        n: expected number of drawn answers with it.
        needed: number of answers to draw so that five with it are probable; ``None`` if all answers together
            have too few.
    """

    code: str
    n: float
    needed: int | None


def predict_code_counts(
    likeness: Floats, drawn: DrawnTexts, names: Sequence[str]
) -> tuple[ExpectedCodes, ...]:
    """Forecast the number of drawn answers with each code, and the number of draws that would be enough.

    A code needs five answers with it to be calibrated. With eight expected, five or more are drawn with a
    probability of about .9 (Poisson).

    Args:
        likeness: shape (m, k), likeness behind the draw.
        drawn: the draw.
        names: names of the k codes.
    """
    probability = probable_codes(likeness[~np.isnan(likeness).any(axis=1)])
    chance, n = drawn.all_probabilities, len(drawn.rows)

    def forecast(times: float) -> Floats:
        return np.asarray(np.minimum(chance * times, 1.0) @ probability)

    sizes = np.unique(np.geomspace(n, len(chance), _TRIED).round())
    at_each = np.array([forecast(size / n) for size in sizes])
    found = []
    for number, name in enumerate(names):
        enough = np.flatnonzero(at_each[:, number] >= ENOUGH_EXPECTED)
        needed = int(sizes[enough[0]]) if len(enough) else None
        found.append(ExpectedCodes(name, float(at_each[0, number]), needed))
    return tuple(found)


def label_batches(table: Table, drawn: DrawnTexts) -> Iterator[pl.DataFrame]:
    """Yield a table as a sheet for hand coding, in parts: drawn rows in the order of the draw, then others.

    Args:
        table: the input.
        drawn: the drawn rows, at least one.
    """
    ascending = np.sort(drawn.rows)
    first = pl.concat([storable(rows) for rows, _ in pick_rows(table, ascending)], how="diagonal_relaxed")
    yield _with_labels(first[np.searchsorted(ascending, drawn.rows).tolist()], drawn.probability)
    start = 0
    for batch in table.batches(_BATCH):
        rest = np.setdiff1d(np.arange(start, start + batch.height), ascending) - start
        start += batch.height
        if len(rest):
            yield _with_labels(batch[rest.tolist()], np.full(len(rest), np.nan))


def write_instructions(out: Path, codebook: Codebook, column: str, command: str) -> Path:
    """Write instructions for human coders, as a Markdown file next to the sheet.

    Args:
        out: path of the sheet.
        codebook: the codes.
        column: name of the column of answers.
        command: command that uses the completed sheet.

    Returns:
        The path of the instructions.
    """
    codes = [code for code in codebook.codes if not code.is_net]
    listed = "\n".join(
        f"- **{code.name}**: {code.definition} For example: {'; '.join(code.examples)}."
        + (f" Not: {'; '.join(code.negative_examples)}." if code.negative_examples else "")
        for code in codes
    )
    example = "; ".join(code.name for code in codes[:2])
    text = _INSTRUCTIONS.format(file=out.name, column=column, codes=listed, example=example, command=command)
    return write_beside(out, text)


def _labels_in(cell: object) -> list[str] | None:
    """List the names in a cell; ``None`` for an uncoded cell, an empty list if no code applies."""
    if isinstance(cell, list | tuple):
        return [str(name).strip() for name in cell]
    if is_missing(cell) or not str(cell).strip():
        return None
    text = str(cell).strip()
    if text.startswith("["):
        with suppress(ValueError):  # a name may begin with a bracket
            return _labels_in(parse_json(text))
    if text.casefold() == NO_CODE:
        return []
    return [name.strip() for name in text.split(";") if name.strip()]


def _unknown(name: str, codebook: Codebook, column: str) -> str:
    hint = (
        f"; {NO_CODE!r} cannot be combined with a code"
        if name.casefold() == NO_CODE
        else did_you_mean(name, codebook.names)
    )
    known = ", ".join(codebook.names)
    return f"labels: column '{column}', {{row}}: no code {name!r:.60}{hint} (codes: {known}, or {NO_CODE})"


def _with_labels(rows: pl.DataFrame, inclusion: Floats) -> pl.DataFrame:
    """Add an empty column for codes, and the inclusion probabilities (n,), NaN for rows not drawn."""
    check_label_columns(rows.columns)  # a column of JSON lines may appear late
    return with_label_columns(rows, inclusion)
