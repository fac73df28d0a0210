"""Agreement of ratings with human ratings: ranking, distribution, a ceiling and a null baseline together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.checking import reject
from semscale.rating.columns import as_list, as_names, is_missing
from semscale.stats.agreement import ks_similarity_estimate, pearson_estimate, spearman_estimate
from semscale.stats.estimates import Estimate
from semscale.stats.reliability import split_half_reliability
from semscale.types import Floats, Integers

_MOST_POINTS = 2000


@dataclass(frozen=True)
class Comparison:
    """How far ratings agree with human ratings of the same texts.

    Attributes:
        n: texts that have both a rating and a human rating.
        pearson: correlation of the means.
        spearman: correlation of the means' ranks.
        ks_similarity: 1 - max |F_machine - F_human| over the points, 0 to 1, of the two average PMFs;
            ``None`` where human values could not be laid on the scale.
        human_pmf: shape (k,), the humans' average PMF on the scale's points; NaN likewise.
        machine_pmf: shape (k,), the ratings' average PMF over the same texts.
        ceiling: reliability of the human means (random halves of the raters, Spearman-Brown); ``None`` with a
            single human value per text.
        null_length: correlation of the texts' length with the human mean, which a useful rating must beat;
            ``None`` where no lengths were given.
        points: shape (at most 2000, 2), human mean and machine mean of a seeded sample, for a scatter.
        interval: coverage that the intervals aim at.
    """

    n: int
    pearson: Estimate
    spearman: Estimate
    ks_similarity: Estimate | None
    human_pmf: Floats
    machine_pmf: Floats
    ceiling: Estimate | None
    null_length: Estimate | None
    points: Floats
    interval: float = 0.95


def compare(  # noqa: PLR0913 - two measurements, and columns beside them
    pmf: Floats,
    human: object,
    *,
    values: Floats,
    lengths: npt.ArrayLike | None = None,
    human_range: tuple[float, float] | None = None,
    respondents: object = None,
    seed: int = 0,
) -> Comparison:
    """Compare ratings with human ratings of the same texts.

    Human values are mapped linearly from ``human_range`` onto the scale's values; a value between two points
    gives each of them a part of its mass, more to the nearer. Intervals are bootstrapped over texts, or
    over respondents where they are named; that of the ceiling over texts.

    Args:
        pmf: shape (n, k); rows without a rating are NaN and set aside.
        human: shape (n,): for each text a number, a list of numbers (one per rater), or missing.
        values: shape (k,), values of the scale's points.
        lengths: shape (n,), lengths of the texts.
        human_range: lowest and highest value that humans could give; the scale's own unless given, and no
            distributions are compared if human values then lie outside.
        respondents: shape (n,), who wrote each text; one person's texts are resampled together, and texts
            without a name are left out.
        seed: of all that is random.

    Returns:
        The comparison; correlations are NaN where they are not defined.

    Raises:
        InputError: lengths differ, a human value is not a number, or lies outside ``human_range`` (rows
            named).

    Example:
        >>> pmf = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
        >>> compared = compare(pmf, [1.0, [1.0, 2.0], 2.0], values=np.array([1.0, 2.0]))
        >>> compared.n, round(compared.pearson.value, 6), compared.human_pmf.tolist()
        (3, 1.0, [0.5, 0.5])
    """
    table = human_table(human)
    if len(table) != len(pmf):
        raise InputError(f"human must have {len(pmf)} rows, as many as there are ratings, got {len(table)}")
    human_masses = _laid_on(table, values, human_range)
    both = ~np.isnan(pmf).any(axis=1) & ~np.isnan(table).all(axis=1)
    clusters = None if respondents is None else _numbered(respondents, len(pmf))
    if clusters is not None:
        both &= clusters >= 0
        clusters = clusters[both]
    table, machine = table[both], pmf[both]
    human_means, machine_means = np.nanmean(table, axis=1) if both.any() else np.empty(0), machine @ values
    ks = null = None
    if human_masses is not None:
        ks = ks_similarity_estimate(machine, human_masses[both], clusters=clusters, seed=seed)
    if lengths is not None:
        known = _as_lengths(lengths, len(pmf))[both]
        null = _null_baseline(known, human_means, clusters, seed)
    return Comparison(
        n=int(both.sum()),
        pearson=pearson_estimate(human_means, machine_means, clusters=clusters, seed=seed),
        spearman=spearman_estimate(human_means, machine_means, clusters=clusters, seed=seed),
        ks_similarity=ks,
        human_pmf=_average(None if human_masses is None else human_masses[both], len(values)),
        machine_pmf=_average(machine, len(values)),
        ceiling=split_half_reliability(table, seed=seed) if table.shape[1] > 1 else None,
        null_length=null,
        points=_sampled(np.column_stack([human_means, machine_means]), seed),
    )


def human_table(human: object) -> Floats:
    """Lay human ratings out as a table, shape (n, raters), NaN where there is none.

    Args:
        human: for each text a number, a list of numbers, or missing.

    Raises:
        InputError: a value that is neither; the rows are named.

    Example:
        >>> human_table([1, [2, 3], None]).tolist()
        [[1.0, nan], [2.0, 3.0], [nan, nan]]
    """
    if isinstance(human, np.ndarray) and human.ndim == 2:  # noqa: PLR2004
        human = list(human)
    rows = [_numbers(cell) for cell in as_list(human, "human")]
    reject(
        np.array([row is None for row in rows], dtype=bool), "human ratings must be finite numbers: not so in"
    )
    filled = [row or [] for row in rows]
    table = np.full((len(filled), max(map(len, filled), default=0) or 1), np.nan)
    for place, row in enumerate(filled):
        table[place, : len(row)] = row
    return table


def text_lengths(texts: object) -> Floats:
    """Lengths of texts in characters, shape (n,); NaN for what is no text.

    Example:
        >>> text_lengths(["good", None]).tolist()
        [4.0, nan]
    """
    cells = as_list(texts, "texts")
    return np.array([len(cell) if isinstance(cell, str) else np.nan for cell in cells], dtype=np.float64)


def _as_lengths(lengths: npt.ArrayLike, n: int) -> Floats:
    column = np.asarray(lengths, dtype=np.float64)
    if column.shape != (n,):
        raise InputError(f"lengths must have shape ({n},), one per rating, got {column.shape}")
    return column


def _numbered(respondents: object, n: int) -> Integers:
    """Number respondents from 0, shape (n,), -1 where there is no name."""
    names = as_names(respondents, "respondents")
    if len(names) != n:
        raise InputError(f"respondents must have {n} rows, as many as there are ratings, got {len(names)}")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(filter(None, names)))}
    return np.array([numbers.get(name, -1) if name else -1 for name in names], dtype=np.int64)


def _null_baseline(lengths: Floats, human_means: Floats, clusters: Integers | None, seed: int) -> Estimate:
    known = ~np.isnan(lengths)
    together = None if clusters is None else clusters[known]
    return pearson_estimate(lengths[known], human_means[known], clusters=together, seed=seed)


def _numbers(cell: object) -> list[float] | None:
    """Ratings of one text, without missing ones; ``None`` if some are no finite numbers."""
    several: list[Any] = (
        list(cell) if isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str) else [cell]
    )
    found = [one for one in several if not is_missing(one)]
    if not all(isinstance(one, int | float | np.number) and np.isfinite(one) for one in found):
        return None
    return [float(one) for one in found]


def _laid_on(table: Floats, values: Floats, human_range: tuple[float, float] | None) -> Floats | None:
    """PMFs (n, k) of human ratings, averaged over the raters of each text; ``None`` where they do not fit."""
    low, high = human_range or (values[0], values[-1])
    if not low < high:
        raise InputError(f"human_range must be (lowest, highest), got {human_range}")
    outside = ((table < low) | (table > high)).any(axis=1)
    if human_range is None and outside.any():
        return None
    reject(outside, f"human ratings must lie in human_range {low:g} to {high:g}: not so in")
    mapped = values[0] + (np.nan_to_num(table, nan=low) - low) / (high - low) * (values[-1] - values[0])
    below = np.clip(np.searchsorted(values, mapped, side="right") - 1, 0, len(values) - 2)
    share = (mapped - values[below]) / (values[below + 1] - values[below])
    there = ~np.isnan(table)
    masses = np.zeros((len(table), len(values)))
    rows = np.broadcast_to(np.arange(len(table))[:, None], table.shape)
    np.add.at(masses, (rows[there], below[there]), 1 - share[there])
    np.add.at(masses, (rows[there], below[there] + 1), share[there])
    masses /= np.maximum(there.sum(axis=1, keepdims=True), 1)
    return masses


def _average(masses: Floats | None, k: int) -> Floats:
    return np.full(k, np.nan) if masses is None or not len(masses) else masses.mean(axis=0)


def _sampled(points: Floats, seed: int) -> Floats:
    if len(points) <= _MOST_POINTS:
        return points
    chosen = np.random.default_rng(seed).choice(len(points), _MOST_POINTS, replace=False)
    return points[np.sort(chosen)]
