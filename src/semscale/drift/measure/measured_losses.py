"""Collects what aligned items come to: losses by metric, and all pairs."""

from collections.abc import Iterable

import numpy as np

from semscale.drift.measure.indexed_baseline import ItemPairing, PreparedBaseline
from semscale.drift.measure.item_losses import AlignedItem, losses_of, pairs_of
from semscale.drift.measure.losses import mean_loss
from semscale.drift.measure.measured import AlignedPair, MeasuredRun
from semscale.drift.runs.run_texts import Spoken
from semscale.signature import Signature
from semscale.types import Integers, Progress, Status

_REPORTED = 16  # items between two reports of progress


def collect(  # noqa: PLR0913 - what was compared, and how
    prepared: PreparedBaseline,
    task: ItemPairing,
    aligned: Iterable[tuple[int, int, AlignedItem]],
    signature: Signature,
    windows: Integers,
    progress: Progress | None = None,
) -> list[MeasuredRun]:
    """Collect the losses and pairs of all items.

    Args:
        prepared: the baseline, whose metrics are wanted.
        task: what was compared.
        aligned: item, run and the outputs that were aligned, each once, in any order.
        signature: how it was measured.
        windows: shape (texts,), how many windows each text was read in.
        progress: called as items come.

    Returns:
        What was measured of each run.
    """
    n, runs = len(task.baseline), range(len(task.others))
    losses = [{name: np.full(n, np.nan) for name in prepared.metrics} for _ in runs]
    pairs: list[list[list[AlignedPair]]] = [[[] for _ in task.baseline] for _ in runs]
    for done, (item, run, outputs) in enumerate(aligned, 1):
        for name, loss in losses_of(outputs, prepared.metrics, prepared.spans).items():
            losses[run][name][item] = loss
        pairs[run][item] = pairs_of(item, outputs)
        if progress and (done % _REPORTED == 0 or done == n * len(runs)):
            progress("comparing items", done, n * len(runs))
    return [
        MeasuredRun(
            metrics=prepared.metrics,
            losses=losses[run],
            status=np.array([_status(*each) for each in zip(task.baseline, said, strict=True)], object),
            pairs=tuple(pair for each in pairs[run] for pair in each),
            signature=signature,
            windows=np.array(
                [_most(windows, *each) for each in zip(task.baseline, said, strict=True)], np.int64
            ),
        )
        for run, said in enumerate(task.others)
    ]


def mean_losses(measured: MeasuredRun) -> dict[str, float]:
    """Give the mean loss in every metric over the items that have one; NaN where none has."""
    return {name: mean_loss(losses) for name, losses in measured.losses.items()}


def _status(baseline: Spoken, candidate: Spoken) -> Status:
    return Status.SCORED if baseline or candidate else Status.EMPTY


def _most(windows: Integers, baseline: Spoken, candidate: Spoken) -> int:
    return int(windows[np.array([*baseline.texts, *candidate.texts], np.int64)].max(initial=0))
