"""The table for people who code by hand: answers drawn with known probabilities, and instructions."""

from pathlib import Path

import numpy as np

from semscale.coding.codebook import OTHER, CodeFrame
from semscale.coding.coding import Coding
from semscale.judging.label_draw import HUMAN, INCLUSION, LabelDraw
from semscale.rating.labelling.sheet import instructions_path
from semscale.stats.calibration.drawing import draw_texts, worth_at_random
from semscale.store.atomic import replacing
from semscale.types import Floats


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
        As ``semscale.judging.label_draw.draw_rows``: Zrnic and Candes (2024), arXiv 2403.03208.
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
