"""Comparisons of drawn items, some of them damaged: made of losses that were measured once."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.drift.comparison import Comparison
from semscale.drift.measured import Measured
from semscale.history.runs import Run
from semscale.types import Integers


@dataclass(frozen=True)
class Draw:
    """Which items make up a made-up dataset.

    Attributes:
        items: shape (n,), positions of items in the run; the same one may occur again.
        are_damaged: shape (n,), which of these are damaged.
    """

    items: Integers
    are_damaged: npt.NDArray[np.bool_]


def draw_items(n: int, eligible: Integers, *, items: int, n_damaged: int, rng: np.random.Generator) -> Draw:
    """Draw items with replacement: those to be damaged from the eligible ones, the others from all.

    Args:
        n: items of the run, at least 1.
        eligible: positions of the items that can be damaged; at least one where any is to be damaged.
        items: how many to draw.
        n_damaged: how many of them are to be damaged.
        rng: where the randomness comes from.

    Example:
        >>> draw = draw_items(5, np.array([2]), items=3, n_damaged=1, rng=np.random.default_rng(0))
        >>> draw.items[0], draw.are_damaged.tolist()
        (np.int64(2), [True, False, False])
    """
    drawn = rng.integers(n, size=items)
    if n_damaged:
        drawn[:n_damaged] = eligible[rng.integers(len(eligible), size=n_damaged)]
    return Draw(drawn, np.arange(items) < n_damaged)


def compare_drawn(clean: Comparison, hurt: Comparison, draw: Draw) -> Comparison:
    """Make the comparison that the drawn items would have given, without measuring anything again.

    Args:
        clean: of the undamaged candidate.
        hurt: of the candidate with every eligible item damaged, against the same baseline and reruns.
        draw: which items to take, and from which of the two.

    Returns:
        Over ``len(draw.items)`` items with ids of their own; pairs are left out, as no test looks at them.
    """
    return replace(
        clean,
        baseline=_run_of(clean.baseline, clean.baseline, draw),
        candidate=_run_of(clean.candidate, hurt.candidate, draw),
        measured=_measured_of(clean.measured, hurt.measured, draw),
        reruns=tuple(_measured_of(rerun, rerun, draw) for rerun in clean.reruns),
    )


def _run_of(clean: Run, hurt: Run, draw: Draw) -> Run:
    picked = zip(draw.items.tolist(), draw.are_damaged.tolist(), strict=True)
    items = tuple(
        replace((hurt if is_damaged else clean).items[at], id=f"{place}")
        for place, (at, is_damaged) in enumerate(picked)
    )
    return replace(clean, items=items)


def _measured_of(clean: Measured, hurt: Measured, draw: Draw) -> Measured:
    losses = {
        name: np.where(draw.are_damaged, hurt.losses[name][draw.items], values[draw.items])
        for name, values in clean.losses.items()
    }
    status = np.where(draw.are_damaged, hurt.status[draw.items], clean.status[draw.items])
    return replace(clean, losses=losses, status=status, pairs=())
