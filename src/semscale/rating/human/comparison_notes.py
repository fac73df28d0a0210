"""What a reader of a comparison with people should know: labels left out, intervals wide or missing."""

from collections.abc import Sequence

import numpy as np

from semscale.results.few_clusters import few_note
from semscale.stats.calibration.prediction_powered import FEWEST_LABELS
from semscale.stats.intervals.coefficients import Resampling
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS
from semscale.types import Floats, Integers

FEWEST_FOR_KS = 5


def interval_notes(
    off_scale: str, figures: Sequence[tuple[str, Estimate | None, tuple[Floats, ...]]], how: Resampling
) -> tuple[str, ...]:
    """Say why there are no distributions, and of which figures intervals are wide or missing.

    Args:
        off_scale: why there are no distributions.
        figures: names, estimates, and the columns of texts that must vary for them.
        how: what is resampled.
    """
    clusters, unit = how["clusters"], "text" if how["clusters"] is None else "respondent"
    n = len(figures[0][2][0])
    numbers = np.arange(n) if clusters is None else clusters
    m = len(np.unique(numbers))
    if not m:
        return (off_scale,) if off_scale else ()
    if m < 2:  # noqa: PLR2004
        return tuple(note for note in (off_scale, few_note(m, unit)) if note)
    is_few = m < FEWEST_CLUSTERS
    known = [one for one in figures if one[1] is not None and not np.isnan(one[1].value)]
    without = [(name, columns) for name, figure, columns in known if figure and np.isnan(figure.low)]
    undefined = [name for name, columns in without if is_few and _constant_without_one(columns, numbers)]
    fixed = [name for name, _ in without if name not in undefined]
    wide = f"agreement with people: wide intervals by a jackknife, from {m} {unit}s only"
    said = (
        off_scale,
        wide if is_few and len(without) < len(known) else "",
        f"no interval of {', '.join(fixed)}: every resample of the {unit}s gives the same" if fixed else "",
        f"no interval of {', '.join(undefined)}: not defined without one of the {m} {unit}s"
        if undefined
        else "",
    )
    return tuple(note for note in said if note)


def ks_gap(human: Floats | None, how: Resampling) -> str:
    """Say why the KS similarities have no interval; empty where they may have one.

    Args:
        human: shape (n, k), people's PMFs; ``None`` where there are none.
        how: what is resampled.

    Example:
        >>> how = Resampling(clusters=None, weights=None, interval=0.95, seed=0)
        >>> ks_gap(np.tile([0.0, 1.0], (9, 1)), how).rpartition(": ")[2]
        'all labels are equal, which does not show how others differ'
    """
    unit = "text" if how["clusters"] is None else "respondent"
    m = 0 if human is None else len(human) if how["clusters"] is None else len(np.unique(how["clusters"]))
    if human is None or m < 2:  # noqa: PLR2004 - no figure has an interval, which is said of all together
        return ""
    if m < FEWEST_FOR_KS:
        return f"no interval of KS similarities: it takes {FEWEST_FOR_KS} {unit}s, and there are {m}"
    if not np.ptp(human, axis=0).any():
        return "no interval of KS similarities: all labels are equal, which does not show how others differ"
    return ""


def notes_of_seen(n_seen: int, n: int) -> tuple[str, ...]:
    """Say how many labelled texts were left out because a calibration was fitted to them."""
    if not n_seen:
        return ()
    if not n:
        return (
            f"the calibration was fitted to all {n_seen:,} texts with human ratings, so nothing is left to "
            "compare it with: label other texts (semscale label with another --seed)",
        )
    left_out = (
        f"{n_seen:,} of {n_seen + n:,} texts with human ratings were left out of the agreement with people: "
        "the calibration was fitted to them"
    )
    if n >= FEWEST_LABELS:
        return (left_out,)
    return (f"{left_out}, and {n} are too few for a corrected mean: label other texts",)


def _constant_without_one(columns: tuple[Floats, ...], clusters: Integers) -> bool:
    """Tell whether a column no longer varies without one of the clusters."""
    kept = [clusters != left_out for left_out in np.unique(clusters)]
    return any(np.ptp(column[rows]) == 0 for column in columns for rows in kept)
