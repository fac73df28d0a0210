"""The table for people who code by hand: answers drawn with known probabilities, and instructions."""

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from semscale.coding.codebook import OTHER, CodeFrame
from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import Coding
from semscale.errors import InputError
from semscale.judging.human_labels import HUMAN, INCLUSION, LabelDraw
from semscale.rating.labelling import instructions_path
from semscale.stats.calibration.drawing import draw_texts, worth_at_random
from semscale.store.atomic import replacing
from semscale.store.cells import storable
from semscale.store.columns import column_in
from semscale.store.row_picking import picked_rows
from semscale.store.table import Table
from semscale.types import Floats, Progress

_BATCH = 50_000


def score_answers(table: Table, column: str, coder: Coder, *, progress: Progress | None = None) -> CodeScores:
    """Score the answers of a table part by part; of each row its scores are kept, and nothing else.

    Args:
        table: the input.
        column: of the answers.
        coder: scores them.
        progress: called while texts are embedded.
    """
    parts = [
        coder.score(column_in(batch, column).to_list(), progress=progress)
        for batch in table.batches_with([column], _BATCH)
    ]
    return CodeScores(
        coder.codebook,
        np.concatenate([part.likeness for part in parts]),
        np.concatenate([part.text_status for part in parts]),
        coder.signature,
    )


def check_label_columns(table: Table) -> None:
    """Refuse a table that has the columns which the labels need.

    Raises:
        InputError: it has one of them.
    """
    _check_free(table.columns)


def label_batches(table: Table, drawn: LabelDraw) -> Iterator[pl.DataFrame]:
    """Lay a table out for coding by hand, part by part: drawn rows in the order of their draw, then others.

    Args:
        table: the input.
        drawn: rows of it, at least one.
    """
    places = np.sort(drawn.rows)
    first = pl.concat([storable(rows) for rows, _ in picked_rows(table, places)], how="diagonal_relaxed")
    yield _with_labels(first[np.searchsorted(places, drawn.rows).tolist()], drawn.probability)
    start = 0
    for batch in table.batches(_BATCH):
        others = np.setdiff1d(np.arange(start, start + batch.height), places) - start
        start += batch.height
        if len(others):
            yield _with_labels(batch[others.tolist()], np.full(len(others), np.nan))


def _check_free(columns: Collection[str]) -> None:
    taken = next((name for name in (HUMAN, INCLUSION) if name in columns), None)
    if taken is not None:
        raise InputError(f"the input has a column {taken!r}, which the labels need: rename it")


def _with_labels(rows: pl.DataFrame, inclusion: Floats) -> pl.DataFrame:
    """Add an empty column for codes, and the probabilities of the draw (n,), NaN for rows that were not."""
    _check_free(rows.columns)  # a column of JSON lines may appear late
    return rows.with_columns(
        pl.Series(HUMAN, [None] * rows.height, pl.String), pl.Series(INCLUSION, inclusion, nan_to_null=True)
    )


def draw_answers(coding: Coding, n: int, *, alike: bool = False, seed: int = 0) -> LabelDraw:
    """Draw answers for people to code.

    Half of each probability is the same for all answers, half goes with how unsure the codes are: the root of
    the mean over codes of v (1 - v), for values v within 0 to 1. So every answer that can be read may be
    drawn, and shares that are corrected by 1 / probability stay unbiased.

    Args:
        coding: of the answers; those that cannot be read are never drawn.
        n: answers to draw.
        alike: whether all are drawn with the same probability.
        seed: of the draw.

    Raises:
        InputError: fewer than one answer to draw, or none that can be read.

    References:
        As ``semscale.judging.human_labels.draw_rows``: Zrnic and Candes (2024), arXiv 2403.03208.
    """
    values = np.clip(coding.values, 0, 1)
    deviation: Floats = np.sqrt((values * (1 - values)).mean(axis=1))
    drawn = draw_texts(
        np.column_stack([1 - values.mean(axis=1), values.mean(axis=1)]),
        np.array([0.0, 1.0]),
        n,
        by_interest=not alike,
        deviation=deviation,
        seed=seed,
    )
    scored = ~np.isnan(deviation)
    return LabelDraw(
        drawn.rows,
        drawn.probability,
        int(scored.sum()),
        worth_at_random(deviation[scored], drawn.all_probabilities),
    )


def instructions(codebook: CodeFrame, file: str, column: str, command: str) -> str:
    """Write instructions for people who code, as Markdown.

    Args:
        codebook: the codes.
        file: name of the table.
        column: of the answers.
        command: that uses the filled table.
    """
    codes = "\n".join(
        f"- **{code.name}**: {code.definition} For example: {'; '.join(code.examples)}."
        + (f" Not: {'; '.join(code.negative_examples)}." if code.negative_examples else "")
        for code in codebook.codes
    )
    return f"""# Coding {file} by hand

The answers stand in the column `{column}`, those to be coded at the top. For each of them write all codes
that apply into the column `{HUMAN}`, with semicolons between them, such as
`{codebook.names[0]}; {codebook.names[1]}`.

{codes}

- Write `{OTHER}` where no code applies. An empty cell counts as not coded.
- Code what the answer says, not what you think of it yourself.
- Go through the answers in their order; do not leave out difficult ones.
- If a second person codes as well, each writes into a column of their own, without seeing the other's.
- Leave `{INCLUSION}` as it is: it is the probability with which the answer was drawn.

When the table is filled in:

    {command}
"""


def write_instructions(out: Path, written: str) -> Path:
    """Write the instructions beside a table.

    Returns:
        Where they are.
    """
    beside = instructions_path(out)
    with replacing(beside) as temporary:
        temporary.write_text(written, encoding="utf-8", newline="\n")
    return beside
