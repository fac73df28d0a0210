"""Cells side by side: every pair of cells, judged item by item in both orders."""

from collections.abc import Sequence

from semscale.chat.runner import Running
from semscale.drift.asking import ItemToAsk
from semscale.drift.matrix.cells import CellAnswers, gives_nothing, text_of
from semscale.judging.comparing import SystemPairs, judge_systems
from semscale.judging.judge import Judge
from semscale.types import Progress


async def judge_cells(
    found: Sequence[CellAnswers],
    items: Sequence[ItemToAsk],
    judge: Judge,
    *,
    running: Running,
    progress: Progress | None = None,
) -> SystemPairs:
    """Let a judge compare the first answers of every pair of cells.

    A refusal and an empty answer lose to any other answer, and the judge is not asked.

    Args:
        found: cells' answers; pairs of which one failed are left out.
        items: what was asked about.
        judge: with the template of ``side_by_side_template``.
        running: how calls are made.
        progress: called as replies come.

    Raises:
        InterruptedRunError: a cap was reached or no reply came for too long; replies are kept.
        ReplyError: no call can succeed.
    """
    judged = await judge_systems(
        [item.input for item in items],
        [[_first_text(cell, n, item.reference) for n, item in enumerate(items)] for cell in found],
        judge,
        references=[item.reference for item in items],
        running=running,
        progress=progress,
    )
    judged.judged.whole()
    return judged


def _first_text(cell: CellAnswers, item: int, reference: str | None) -> str | None:
    """The text of the first asking; empty where it gives nothing, ``None`` where the call failed."""
    if cell.answers is None:
        return None
    answer = cell.answers.asked[0][item]
    return "" if gives_nothing(answer, reference) else text_of(answer)
