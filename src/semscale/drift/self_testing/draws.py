"""Comparisons of drawn items, some of them damaged: made of losses that were measured once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.history.items import Item
from semscale.history.runs import Run
from semscale.types import Floats, Integers


@dataclass(frozen=True)
class Draw:
    """Which items make up a made-up dataset.

    Attributes:
        items: shape (n,), positions of items in the run; the same one may occur again.
        versions: shape (n,), which of the model's runs stands for the candidate at each of these.
        are_damaged: shape (n,), which of these are damaged.
    """

    items: Integers
    versions: Integers
    are_damaged: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Versions:
    """Runs of one model, unchanged, each as it is and damaged, measured against the baseline.

    Attributes:
        baseline: the approved run.
        runs: v runs as they are, and the same v with every item damaged that can be.
        measured: of each of these, in the same way.
        can_be: shape (v, n), which items were damaged.
    """

    baseline: Run
    runs: tuple[tuple[Run, ...], tuple[Run, ...]]
    measured: tuple[tuple[MeasuredRun, ...], tuple[MeasuredRun, ...]]
    can_be: npt.NDArray[np.bool_]

    @property
    def n(self) -> int:
        """How many runs there are, undamaged."""
        return len(self.runs[0])

    @cached_property
    def losses(self) -> dict[str, Floats]:
        """Losses of each metric, shape (2, v, n): as they are, damaged; by version; by item."""
        names = self.measured[0][0].losses
        return {
            name: np.array([[one.losses[name] for one in part] for part in self.measured]) for name in names
        }

    @cached_property
    def status(self) -> npt.NDArray[np.object_]:
        """Statuses, in the same shape."""
        return np.array([[one.status for one in part] for part in self.measured], dtype=object)


def draw_items(
    can_be: npt.NDArray[np.bool_], *, items: int, n_damaged: int, rng: np.random.Generator
) -> Draw:
    """Draw items with replacement: those to be damaged from those that can be, the others from all.

    Args:
        can_be: shape (v, n), which items of which version can be damaged; at least one where any is to be.
        items: how many to draw.
        n_damaged: how many of them are to be damaged; they come first.
        rng: where the randomness comes from.

    Example:
        >>> can_be = np.array([[False, True, False]])
        >>> draw = draw_items(can_be, items=3, n_damaged=1, rng=np.random.default_rng(0))
        >>> draw.items[0], draw.are_damaged.tolist()
        (np.int64(1), [True, False, False])
    """
    drawn = rng.integers(can_be.size, size=items)
    if n_damaged:
        places = np.flatnonzero(can_be)
        drawn[:n_damaged] = places[rng.integers(len(places), size=n_damaged)]
    versions, positions = np.divmod(drawn, can_be.shape[1])
    return Draw(positions, versions, np.arange(items) < n_damaged)


def compare_drawn(versions: Versions, draw: Draw) -> Comparison:
    """Make the comparison that the drawn items would have given, without measuring anything again.

    At each item one version is the candidate and the others are the reruns: as the model is unchanged, which
    of them came last is chance, at every item anew. A single rerun is its own reference; the baseline as the
    only version has none.

    Returns:
        Over ``len(draw.items)`` items with ids of their own; pairs are left out, as no test looks at them.
    """
    shifts = list(range(1, versions.n))
    if not shifts and versions.runs[0][0].id != versions.baseline.id:
        shifts = [0]
    reruns = tuple(
        _measured_of(versions, replace(draw, versions=(draw.versions + shift) % versions.n), damaged=False)
        for shift in shifts
    )
    places = zip(
        draw.are_damaged.astype(int).tolist(), draw.versions.tolist(), draw.items.tolist(), strict=True
    )
    given = [versions.runs[part][version].items[at] for part, version, at in places]
    asked = [versions.baseline.items[at] for at in draw.items.tolist()]
    return Comparison(
        baseline=_renumbered(versions.baseline, asked),
        candidate=_renumbered(versions.runs[0][0], given),
        measured=_measured_of(versions, draw, damaged=True),
        reruns=reruns,
    )


def _renumbered(run: Run, items: Sequence[Item]) -> Run:
    return replace(run, items=tuple(replace(item, id=str(place)) for place, item in enumerate(items)))


def _measured_of(versions: Versions, draw: Draw, *, damaged: bool) -> MeasuredRun:
    """Take each drawn item's losses from its version, as it is or, where asked for, damaged."""
    part = (draw.are_damaged & damaged).astype(int)
    place = (part, draw.versions, draw.items)
    losses = {name: values[place] for name, values in versions.losses.items()}
    return replace(versions.measured[0][0], losses=losses, status=versions.status[place], pairs=())
