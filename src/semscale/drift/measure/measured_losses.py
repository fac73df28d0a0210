"""Losses and pairs of all items, collected for each run."""

from collections.abc import Iterable

import numpy as np

from semscale.drift.measure.indexed_baseline import IndexedBaseline, ItemPairing
from semscale.drift.measure.item_losses import losses_of, pairs_of
from semscale.drift.measure.measured import AlignedPair, MeasuredRun
from semscale.drift.metrics import AlignedItem, ItemTexts, mean_loss
from semscale.signature import Signature
from semscale.types import Integers, Progress, Status

_REPORTED = 16  # items between two reports of progress


def collect(  # noqa: PLR0913 - what was compared, and how
    indexed: IndexedBaseline,
    items: ItemPairing,
    aligned: Iterable[tuple[int, int, AlignedItem]],
    signature: Signature,
    windows: Integers,
    progress: Progress | None = None,
) -> list[MeasuredRun]:
    """Collect the losses and pairs of all items.

    Args:
        indexed: the baseline with the metrics.
        items: the items that were compared.
        aligned: number of the item, number of the run, and aligned outputs, each once, in any order.
        signature: settings of the measurement.
        windows: shape (texts,), number of windows that each text was read in.
        progress: called while items are compared.

    Returns:
        The losses and pairs of each run, then those of the further pairs of runs.
    """
    n, runs = len(items.baseline), range(len(items.pairs))
    losses = [{name: np.full(n, np.nan) for name in indexed.metrics} for _ in runs]
    pairs: list[list[list[AlignedPair]]] = [[[] for _ in items.baseline] for _ in runs]
    for done, (item, run, outputs) in enumerate(aligned, 1):
        for name, loss in losses_of(outputs, indexed.metrics).items():
            losses[run][name][item] = loss
        pairs[run][item] = pairs_of(item, outputs)
        if progress and (done % _REPORTED == 0 or done == n * len(runs)):
            progress("comparing items", done, n * len(runs))
    return [
        MeasuredRun(
            metrics=indexed.metrics,
            losses=losses[run],
            status=np.array([_status(*each) for each in zip(*both, strict=True)], object),
            pairs=tuple(pair for each in pairs[run] for pair in each),
            signature=signature,
            windows=np.array([_most(windows, *each) for each in zip(*both, strict=True)], np.int64),
        )
        for run, both in enumerate(items.pairs)
    ]


def mean_losses(measured: MeasuredRun) -> dict[str, float]:
    """Return the mean loss in every metric over the items that have one; NaN if none has."""
    return {name: mean_loss(losses) for name, losses in measured.losses.items()}


def _status(baseline: ItemTexts, candidate: ItemTexts) -> Status:
    return Status.SCORED if baseline or candidate else Status.EMPTY


def _most(windows: Integers, baseline: ItemTexts, candidate: ItemTexts) -> int:
    return int(windows[np.array([*baseline.texts, *candidate.texts], np.int64)].max(initial=0))
