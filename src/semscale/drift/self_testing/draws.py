"""Simulated comparisons of drawn items, some of them damaged, from losses that were measured once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.history.items import Item
from semscale.history.runs import Run
from semscale.types import Floats, Integers

FEWEST_RUNS = 3
"""Runs of one model that it takes to be candidate, baseline and rerun at once."""


@dataclass(frozen=True)
class Draw:
    """The items of a simulated dataset.

    Attributes:
        items: shape (n,), positions of items in the run; one may occur several times.
        roles: shape (n, v), which run is the candidate, the baseline, and each rerun, for each of these.
        are_damaged: shape (n,), for which of these the candidate is damaged.
    """

    items: Integers
    roles: Integers
    are_damaged: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Versions:
    """Unchanged and damaged versions of v runs of one model, measured against each other.

    Attributes:
        runs: v unchanged runs, the approved one first, and the same runs with every item damaged that can be.
        losses: for each metric, shape (2, v, v, n): of the unchanged and the damaged version of the second
            run against the unchanged first one. A run is not measured against itself, unless it is the only
            one.
        status: the same for statuses.
        can_be: shape (v, n), which items could be damaged.
        template: a measured run, for metrics and signature.
    """

    runs: tuple[tuple[Run, ...], tuple[Run, ...]]
    losses: Mapping[str, Floats]
    status: npt.NDArray[np.object_]
    can_be: npt.NDArray[np.bool_]
    template: MeasuredRun

    @property
    def n(self) -> int:
        """Number of unchanged runs."""
        return len(self.runs[0])


def draw_items(
    can_be: npt.NDArray[np.bool_], *, items: int, n_damaged: int, rng: np.random.Generator
) -> Draw:
    """Draw items with replacement: the damaged ones among those that can be damaged, the others among all.

    All runs are of one unchanged model. So at every item chance says which is the candidate, which the
    baseline, and which are reruns.

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
    v, n = can_be.shape
    drawn = rng.integers(can_be.size, size=items)
    if n_damaged:
        places = np.flatnonzero(can_be)
        drawn[:n_damaged] = places[rng.integers(len(places), size=n_damaged)]
    candidates, positions = np.divmod(drawn, n)
    others = rng.permuted(np.tile(np.arange(1, v), (items, 1)), axis=1)
    roles = np.column_stack([candidates, (candidates[:, None] + others) % v])
    return Draw(positions, roles, np.arange(items) < n_damaged)


def compare_drawn(versions: Versions, draw: Draw) -> Comparison:
    """Build the comparison of the drawn items from the measured losses.

    With at least three runs, one is the candidate, one the baseline, and all others are reruns: a gate with
    one rerun fewer than were recorded. Of two runs, the candidate's unchanged version is also the rerun,
    which hides the noise. A single run is candidate and baseline, and there is no rerun.

    Returns:
        A comparison of ``len(draw.items)`` items with new ids; it has no pairs, as no test uses them.
    """
    candidate = draw.roles[:, 0]
    references = draw.roles[:, 1:].T if versions.n > 1 else candidate[None]
    baseline, reruns = references[0], references[1:]
    reruns_from = reruns if versions.n != FEWEST_RUNS - 1 else candidate[None]
    if versions.n < FEWEST_RUNS:
        again = [_measured(versions, draw, baseline, candidate, damaged=False)] * (versions.n - 1)
        between: list[tuple[MeasuredRun, ...]] = []
    else:
        again = [_measured(versions, draw, baseline, rerun, damaged=False) for rerun in reruns]
        between = [
            (
                *(_measured(versions, draw, rerun, later, damaged=False) for later in reruns[place + 1 :]),
                _measured(versions, draw, rerun, candidate, damaged=True),
            )
            for place, rerun in enumerate(reruns)
        ]
    return Comparison(
        baseline=_drawn(versions.runs[0], draw.items, baseline),
        candidate=_drawn_candidate(versions, draw),
        measured=_measured(versions, draw, baseline, candidate, damaged=True),
        reruns=tuple(again),
        between=tuple(between),
        rerun_items=tuple(_drawn(versions.runs[0], draw.items, which).items for which in reruns_from),
    )


def _drawn_candidate(versions: Versions, draw: Draw) -> Run:
    unchanged = _drawn(versions.runs[0], draw.items, draw.roles[:, 0])
    changed = _drawn(versions.runs[1], draw.items, draw.roles[:, 0])
    both = zip(unchanged.items, changed.items, draw.are_damaged.tolist(), strict=True)
    return replace(changed, items=tuple(new if damaged else old for old, new, damaged in both))


def _drawn(runs: Sequence[Run], items: Integers, which: Integers) -> Run:
    """Take each drawn item from one of the runs, and number the items anew."""
    places = enumerate(zip(which.tolist(), items.tolist(), strict=True))
    given: list[Item] = [replace(runs[run].items[item], id=str(place)) for place, (run, item) in places]
    return replace(runs[0], items=tuple(given))


def _measured(
    versions: Versions, draw: Draw, first: Integers, second: Integers, *, damaged: bool
) -> MeasuredRun:
    """Take each drawn item's losses of the second run against the first; damaged ones if ``damaged``."""
    part = (draw.are_damaged & damaged).astype(int)
    place = (part, first, second, draw.items)
    losses = {name: values[place] for name, values in versions.losses.items()}
    return replace(versions.template, losses=losses, status=versions.status[place], pairs=(), windows=None)
