"""Outputs of two runs before a judge, item by item, in both orders."""

import numpy as np

from semscale.chat.runner import Running
from semscale.drift.quality.judged_runs import LOST, WON, JudgedRuns
from semscale.drift.quality.references import references_of
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, named
from semscale.judging.comparing import AnswerPair, judge_pairs
from semscale.judging.judge import Judge
from semscale.types import Progress


def check_inputs(run: Run) -> None:
    """Check that a judge can be told what was asked.

    Raises:
        InputError: an item has no input.
    """
    without = [item.id for item in run.items if not (item.input or "").strip()]
    if without:
        raise InputError(
            f"a judge must know what was asked, and {named(without)} of the baseline have no input: record "
            "runs with inputs (--input COLUMN)"
        )


async def judge_runs(
    baseline: Run, candidate: Run, judge: Judge, *, running: Running, progress: Progress | None = None
) -> JudgedRuns:
    """Let a judge compare the outputs of two runs, in each item in both orders.

    Several outputs of an item are shown as one answer. If only one run has an output for an item, it wins,
    and nobody is asked.

    Args:
        baseline: the approved run, with inputs.
        candidate: a run of the same items in the same order.
        judge: with the template of ``side_by_side_template``.
        running: how calls are made.
        progress: called as replies come.

    Raises:
        InputError: an item has no input.
        InterruptedRunError: a cap was reached or no reply came for too long; replies are kept.
        ReplyError: no call can succeed.
    """
    check_inputs(baseline)
    references = references_of(baseline, candidate).texts
    points = np.full(len(baseline.items), np.nan)
    pairs, places = [], []
    for place, (ours, theirs) in enumerate(zip(baseline.items, candidate.items, strict=True)):
        before, after = _answer(ours), _answer(theirs)
        if before is not None and after is not None:
            pairs.append(AnswerPair(ours.input or "", after, before, references[place]))
            places.append(place)
        elif before is not None or after is not None:
            points[place] = LOST if after is None else WON
    verdicts = (await judge_pairs(judge, pairs, running=running, progress=progress)).whole()
    points[places] = verdicts.points
    return JudgedRuns(points, verdicts)


def _answer(item: Item) -> str | None:
    """Join an item's outputs; ``None`` without one."""
    return "\n\n".join(output.text or "" for output in item.outputs_with_text) or None
