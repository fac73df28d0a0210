"""Simulated comparisons of drawn items, some of them damaged, from losses that were measured once."""

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
    """The items of a simulated dataset.

    Attributes:
        items: shape (n,), positions of items in the run; one may occur several times.
        versions: shape (n,), number of the run that is the candidate for each of these.
        are_damaged: shape (n,), which of these are damaged.
    """

    items: Integers
    versions: Integers
    are_damaged: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Versions:
    """Unchanged and damaged versions of runs of one model, measured against the baseline.

    Attributes:
        baseline: the approved run.
        runs: v unchanged runs, and the same v runs with every item damaged that can be.
        measured: the losses of each of these, in the same layout.
        can_be: shape (v, n), which items could be damaged.
    """

    baseline: Run
    runs: tuple[tuple[Run, ...], tuple[Run, ...]]
    measured: tuple[tuple[MeasuredRun, ...], tuple[MeasuredRun, ...]]
    can_be: npt.NDArray[np.bool_]

    @property
    def n(self) -> int:
        """Number of unchanged runs."""
        return len(self.runs[0])

    @cached_property
    def losses(self) -> dict[str, Floats]:
        """Losses of each metric, shape (2, v, n): unchanged and damaged, by run, by item."""
        names = self.measured[0][0].losses
        return {
            name: np.array([[one.losses[name] for one in part] for part in self.measured]) for name in names
        }

    @cached_property
    def status(self) -> npt.NDArray[np.object_]:
        """Statuses, shape (2, v, n)."""
        return np.array([[one.status for one in part] for part in self.measured], dtype=object)


def draw_items(
    can_be: npt.NDArray[np.bool_], *, items: int, n_damaged: int, rng: np.random.Generator
) -> Draw:
    """Draw items with replacement: the damaged ones among those that can be damaged, the others among all.

    Args:
        can_be: shape (v, n), which items of each run can be damaged; at least one if ``n_damaged`` is not 0.
        items: number of items to draw.
        n_damaged: number of damaged items among them; they come first.
        rng: random generator.

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
    """Build the comparison of the drawn items from the measured losses.

    For each item one run is the candidate and the others are the reruns. The choice is random for every item,
    as all runs are of the same unchanged model. A single rerun is its own reference; if the baseline is the
    only run, there is no reference.

    Returns:
        A comparison of ``len(draw.items)`` items with new ids; it has no pairs, as no test uses them.
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
        rerun_items=tuple(_items_of(versions, draw, shift) for shift in shifts),
    )


def _renumbered(run: Run, items: Sequence[Item]) -> Run:
    return replace(run, items=tuple(replace(item, id=str(place)) for place, item in enumerate(items)))


def _items_of(versions: Versions, draw: Draw, shift: int) -> tuple[Item, ...]:
    """Take each drawn item's unchanged outputs from another run than the candidate's."""
    runs = ((draw.versions + shift) % versions.n).tolist()
    return tuple(versions.runs[0][run].items[at] for run, at in zip(runs, draw.items.tolist(), strict=True))


def _measured_of(versions: Versions, draw: Draw, *, damaged: bool) -> MeasuredRun:
    """Take each drawn item's losses from its run, unchanged, or damaged if ``damaged`` is true."""
    part = (draw.are_damaged & damaged).astype(int)
    place = (part, draw.versions, draw.items)
    losses = {name: values[place] for name, values in versions.losses.items()}
    return replace(versions.measured[0][0], losses=losses, status=versions.status[place], pairs=())
