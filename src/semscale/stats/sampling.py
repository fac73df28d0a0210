"""Samples of rows: uniform samples of a stream, and texts drawn for labels."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.intervals import check_seed
from semscale.types import Floats, Integers, Mask

T = TypeVar("T")


class RowSample(Generic[T]):
    """Stores a uniform sample of rows, drawn without replacement, each with an object that belongs to it.

    Args:
        most: size of the sample; all rows of a shorter stream are stored.
        seed: seed of the draw.

    Attributes:
        n: number of rows so far.

    Examples:
        >>> sample = RowSample[str](2, seed=0)
        >>> sample.add([(0, "first"), (1, "second")])
        >>> sample.items, sample.n
        (['first', 'second'], 2)
    """

    def __init__(self, most: int, seed: int) -> None:
        self.n = 0
        self._most, self._seed = most, seed
        self._sampled: list[tuple[int, int, T]] = []

    def add(self, rows: Iterable[tuple[int, T]]) -> None:
        """Add rows: their positions in the file, from 0, and their objects."""
        added = list(rows)
        drawn = priorities(np.array([row for row, _ in added], np.int64), self._seed).tolist()
        new = [(order, row, item) for order, (row, item) in zip(drawn, added, strict=True)]
        self.n += len(new)
        self._sampled += new
        if len(self._sampled) > self._most:
            self._sampled = sorted(self._sampled, key=lambda row: row[:2])[: self._most]

    @property
    def items(self) -> list[T]:
        """The objects of the sampled rows, in the order of the rows."""
        return [item for _, _, item in sorted(self._sampled, key=lambda row: row[1])]


def priorities(rows: Integers, seed: int) -> npt.NDArray[np.uint64]:
    """Compute a random number for each row that depends only on the row and the seed.

    The rows with the smallest numbers are a uniform sample without replacement, however the rows are divided
    into parts.

    Args:
        rows: shape (n,), positions in the file, from 0.
        seed: any integer.

    Returns:
        Shape (n,), uniform over 64 bits.

    References:
        Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators, OOPSLA,
        doi 10.1145/2660193.2660195 (SplitMix64's mixing function).

    Examples:
        >>> whole = priorities(np.arange(4), seed=1)
        >>> bool((whole[2:] == priorities(np.array([2, 3]), seed=1)).all())
        True
    """
    with np.errstate(over="ignore"):
        mixed = _mix(np.asarray([seed & 0xFFFF_FFFF_FFFF_FFFF], dtype=np.uint64) + _GAMMA)
        return _mix((rows.astype(np.uint64) + np.uint64(1)) * _GAMMA ^ mixed)


_GAMMA = np.uint64(0x9E37_79B9_7F4A_7C15)


def _mix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return numbers ^ (numbers >> np.uint64(31))


SAMPLED_ROWS = 100_000
"""Size of samples for histograms and the like; of fewer rows all are stored."""

Column = npt.NDArray[Any]


class ColumnSample:
    """Stores the columns of a uniform sample of rows, drawn without replacement.

    Args:
        most: size of the sample; of fewer rows all are stored.
        seed: seed of the draw.

    Examples:
        >>> sample = ColumnSample(2)
        >>> sample.add({"score": np.array([0.5])})
        >>> sample.add({"score": np.array([0.7])})
        >>> sample.rows.tolist(), sample.columns["score"].tolist()
        ([0, 1], [0.5, 0.7])
    """

    def __init__(self, most: int = SAMPLED_ROWS, seed: int = 0) -> None:
        self._most, self._seed = most, seed
        self._n = 0
        self._rows: list[Integers] = []
        self._columns: dict[str, list[Column]] = {}
        self._n_stored = 0

    def add(self, columns: Mapping[str, Column]) -> None:
        """Take the next rows.

        Args:
            columns: at least one, each of shape (m,); the same names in every call.
        """
        m = len(next(iter(columns.values())))
        self._rows.append(np.arange(self._n, self._n + m))
        for name, values in columns.items():
            self._columns.setdefault(name, []).append(values)
        self._n += m
        self._n_stored += m
        if self._n_stored > 2 * self._most:
            self._choose()

    @property
    def rows(self) -> Integers:
        """Positions of the sampled rows among all rows, from 0, ascending."""
        self._choose()
        return self._rows[0] if self._rows else np.zeros(0, np.int64)

    @property
    def columns(self) -> dict[str, Column]:
        """Columns of the sampled rows, in the order of the rows."""
        self._choose()
        return {name: parts[0] for name, parts in self._columns.items()}

    def _choose(self) -> None:
        """Join the parts, and drop rows that are not in the sample."""
        if not self._rows:
            return
        rows = np.concatenate(self._rows)
        chosen = np.arange(len(rows))
        if len(rows) > self._most:
            chosen = np.sort(np.argpartition(priorities(rows, self._seed), self._most)[: self._most])
        self._rows, self._n_stored = [rows[chosen]], len(chosen)
        self._columns = {name: [np.concatenate(parts)[chosen]] for name, parts in self._columns.items()}


_ROW = " row"  # no name of a column


class SampledRows(NamedTuple):
    """Stored rows, in their order.

    Attributes:
        rows: shape (m,), their positions among all rows, from 0.
        columns: of these rows, each of shape (m, ...).
        drawn: shape (m,), mask of the rows of a random sample; the others are stored for their labels.
            ``None`` if all rows are stored.
        n: number of all rows.
    """

    rows: Integers
    columns: dict[str, Column]
    drawn: Mask | None
    n: int

    @property
    def in_draw(self) -> Mask:
        """Mask of the rows of the random sample, shape (m,)."""
        return np.ones(len(self.rows), dtype=np.bool_) if self.drawn is None else self.drawn

    @property
    def n_drawn(self) -> int | None:
        """Number of rows in the random sample; ``None`` if all are stored."""
        return None if self.drawn is None else int(self.drawn.sum())

    def standing_for(self, labelled: Mask) -> Floats:
        """Return the number of rows that each row represents, shape (m,); 1 for labelled rows.

        Args:
            labelled: shape (m,), mask of rows with a label; all such rows are stored.
        """
        n_unlabelled = max(1, int((~labelled).sum()))
        return np.where(labelled, 1.0, (self.n - labelled.sum()) / n_unlabelled)


class LabelledSample:
    """Stores a uniform sample of rows, drawn without replacement, and all rows with a label.

    Args:
        most: size of the sample; of fewer rows all are stored.
        seed: seed of the draw.

    Examples:
        >>> sample = LabelledSample(2)
        >>> sample.add({"score": np.arange(5.0)}, np.array([True, False, False, False, True]))
        >>> stored = sample.rows()
        >>> {0, 4} <= set(stored.rows.tolist()), stored.n_drawn
        (True, 2)
    """

    def __init__(self, most: int = SAMPLED_ROWS, seed: int = 0) -> None:
        self._n, self._most = 0, most
        self._sample = ColumnSample(most, seed)
        self._labelled: list[dict[str, Column]] = []

    def add(self, columns: Mapping[str, Column], labelled: Mask) -> None:
        """Take the next rows.

        Args:
            columns: at least one, each of shape (m, ...); the same names in every call.
            labelled: shape (m,), mask of rows to store in any case.
        """
        numbered = {**columns, _ROW: np.arange(self._n, self._n + len(labelled))}
        self._sample.add(numbered)
        self._labelled.append({name: values[labelled] for name, values in numbered.items()})
        self._n += len(labelled)

    def rows(self) -> SampledRows:
        """Return the stored rows."""
        columns, drawn = self._sample.columns, None
        if self._n > self._most:
            labelled = {name: np.concatenate([part[name] for part in self._labelled]) for name in columns}
            columns, drawn = _join_samples(columns, labelled)
        rows = columns.pop(_ROW, np.zeros(0, np.int64))
        return SampledRows(rows, columns, drawn, self._n)


def _join_samples(sample: dict[str, Column], labelled: dict[str, Column]) -> tuple[dict[str, Column], Mask]:
    """Join sampled and labelled rows in their order, and mark those in the sample."""
    beyond = ~np.isin(labelled[_ROW], sample[_ROW])
    both = {name: np.concatenate([sample[name], labelled[name][beyond]]) for name in sample}
    order = np.argsort(both[_ROW])
    drawn = np.repeat([True, False], [len(sample[_ROW]), int(beyond.sum())])
    return {name: values[order] for name, values in both.items()}, drawn[order]


_LEAST_SHARE = 0.5  # least probability of a text, as a share of the average


class DrawnTexts(NamedTuple):
    """Texts that were drawn.

    Attributes:
        rows: shape (m,), positions of the texts, in random order.
        probability: shape (m,), inclusion probability of each, above 0 to 1.
        all_probabilities: inclusion probability of every text with a rating, in their order.
    """

    rows: Integers
    probability: Floats
    all_probabilities: Floats


def draw_texts(
    pmf: Floats,
    values: Floats,
    n: int,
    *,
    by_interest: bool = False,
    deviation: Floats | None = None,
    most: float = 1.0,
    seed: int = 0,
) -> DrawnTexts:
    """Draw texts by a systematic sample along their ratings.

    Texts are sorted by mean, and drawn at a fixed step from a random start, so each part of the scale gets
    its share (implicit stratification). With ``by_interest``, texts with wide ratings are drawn more often:
    half of a probability is the same for all, half is proportional to the standard deviation, by default of
    the text's PMF. A mean weighted by 1 / probability stays unbiased.

    Args:
        pmf: shape (m, k), ratings; rows of NaN are never drawn.
        values: shape (k,), of the scale's points.
        n: texts to draw, at least 1.
        by_interest: whether texts with uncertain ratings are drawn more often.
        deviation: shape (n,), standard deviations of the ratings, to replace those of the PMFs.
        most: greatest probability, at least n / (number of texts with a rating).
        seed: seed of the draw.

    Returns:
        n texts, or all texts with a rating if these are fewer.

    Raises:
        InputError: fewer than one text to draw, or none with a rating.

    References:
        Madow (1949), doi 10.1214/aoms/1177729988. Sizes: Sarndal, Swensson and Wretman (1992), Model Assisted
        Survey Sampling, section 12.2.

    Examples:
        >>> drawn = draw_texts(np.eye(4), np.arange(4.0), 2)
        >>> len(drawn.rows), drawn.probability.tolist()
        (2, [0.5, 0.5])
    """
    check_seed(seed)
    if n < 1:
        raise InputError("n", f"must be at least 1, got {n}")
    scored = np.flatnonzero(~np.isnan(pmf).any(axis=1))
    if not len(scored):
        raise InputError("no text has a rating or a score, so none can be drawn")
    rng = np.random.default_rng(seed)
    means = pmf[scored] @ values
    sizes = np.ones(len(scored))
    if by_interest:
        widths = np.sqrt(np.maximum(pmf[scored] @ values**2 - means**2, 0))
        widths = widths if deviation is None else deviation[scored]
        average = float(widths.mean())
        sizes = _LEAST_SHARE + (1 - _LEAST_SHARE) * (widths / average if average > 0 else sizes)
    probability = most * inclusion_probabilities(sizes, min(n, len(scored)) / most)
    order = np.lexsort((rng.permutation(len(scored)), means))
    steps = np.cumsum(probability[order])
    # The sum is a whole number up to rounding, which must not change the number of texts.
    starts = rng.uniform() + np.arange(round(steps[-1]))
    numbers = np.minimum(np.searchsorted(steps, starts, side="right"), len(order) - 1)
    drawn = rng.permutation(order[np.unique(numbers)])
    return DrawnTexts(scored[drawn], probability[drawn], probability)


def worth_at_random(deviation: Floats, probability: Floats) -> float:
    """Compute how many uniformly drawn labels correct a mean as well as labels with these probabilities.

    The error of a corrected mean has a variance of about ``sum s^2 (1 / p - 1)``, for the deviations s of
    people's answers from the scores. With the same p = m / n for all, it is equal for ``m = n sum s^2 / sum
    (s^2 / p)``.

    Args:
        deviation: shape (n,), likely deviation of people's answers from the scores, at least 0.
        probability: shape (n,), inclusion probability, above 0 to 1.

    Returns:
        m; ``sum p``, the number of labels, if all deviations are 0.

    Examples:
        >>> worth_at_random(np.array([1.0, 1.0]), np.array([0.5, 0.5]))
        1.0
        >>> round(worth_at_random(np.array([3.0, 1.0]), np.array([0.75, 0.25])), 6)
        1.25
    """
    squares = deviation**2
    total = float((squares / probability).sum())
    return len(deviation) * float(squares.sum()) / total if total > 0 else float(probability.sum())


def inclusion_probabilities(sizes: Floats, n: float) -> Floats:
    """Compute probabilities proportional to sizes, with sum n; those above 1 become 1.

    Args:
        sizes: shape (m,), above 0.
        n: at most m.

    Examples:
        >>> inclusion_probabilities(np.array([1.0, 1.0, 8.0]), 2).tolist()
        [0.5, 0.5, 1.0]
    """
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        rest = n - certain.sum()
        open_sizes = np.where(certain, 0.0, sizes)
        total = float(open_sizes.sum())
        probability = np.where(certain, 1.0, rest * open_sizes / total if total > 0 else 0.0)
        beyond = (probability > 1 + 1e-12) & ~certain
        if not beyond.any():
            return np.minimum(probability, 1.0)
        certain |= beyond


class NextDraw(NamedTuple):
    """A further draw among the rows not drawn before, combined with the earlier draws.

    Rows drawn before, with probabilities q, estimate a total by ``sum y / q``. With rows drawn from the rest
    with probabilities p it is also ``sum (before) y + sum (now) y / p``. A weighted mean of both is unbiased
    too, if its ``share`` of the first estimate does not depend on the draws. The resulting probabilities are
    those of ``combine_before`` and ``combine_now``.

    Attributes:
        share: weight of the first estimate, at least 0 and below 1.

    References:
        Raj (1956), Some estimators in sampling with varying probabilities without replacement, Journal of the
        American Statistical Association 51, 269-284: totals of successive draws, and their mean.
    """

    share: float

    @property
    def most(self) -> float:
        """Greatest probability of the new draw for which combined ones do not exceed 1."""
        return 1 - self.share

    @classmethod
    def after(cls, before: Floats, n: int) -> "NextDraw":
        """Plan a further draw; the share of earlier draws is their share of all drawn rows.

        Args:
            before: shape (m,), probability with which each row was drawn; NaN where it was not, and 0 where
                the row was drawn with an unknown probability.
            n: rows to draw, at least 1 and at most those with NaN.

        Examples:
            >>> NextDraw.after(np.r_[np.full(10, 0.1), np.full(90, np.nan)], 30).share
            0.25
        """
        n_before, n_left = int((~np.isnan(before)).sum()), int(np.isnan(before).sum())
        if (before == 0).any() or not n_before:
            return cls(0.0)
        return cls(min(n_before / (n_before + n), 1 - n / n_left))

    def combine_before(self, before: Floats) -> Floats:
        """Return combined probabilities of the rows drawn before; NaN stays NaN.

        Examples:
            >>> NextDraw(0.25).combine_before(np.array([0.2, np.nan])).tolist()
            [0.5, nan]
            >>> NextDraw(0.0).combine_before(np.array([0.2, 0.0])).tolist()
            [1.0, 1.0]
        """
        known = np.where(before == 0, 1.0, before)
        return 1 / (self.share / known + 1 - self.share)

    def combine_now(self, drawn: Floats) -> Floats:
        """Return combined probabilities of the rows drawn now.

        Examples:
            >>> NextDraw(0.25).combine_now(np.array([0.375])).tolist()
            [0.5]
        """
        return np.minimum(drawn / (1 - self.share), 1.0)


@dataclass(frozen=True)
class SampleDesign:
    """Weights, clusters and strata of items, and the probabilities of drawing them for a label.

    Attributes:
        weights: shape (n,), finite and not negative; items with 0 or NaN are left out. All equal by default.
        inclusion: shape (n,), probability with which each item was drawn for a label, above 0 to 1; NaN if
            unknown, for items without a label. All equal by default.
        clusters: shape (n,), cluster number of each item, such as its respondent. By default each item is its
            own cluster.
        strata: shape (n,), stratum number of each item, from 0; a cluster is in one stratum. No strata by
            default.
    """

    weights: Floats | None = None
    inclusion: Floats | None = None
    clusters: Integers | None = None
    strata: Integers | None = None

    @property
    def is_plain(self) -> bool:
        """True if all items have equal weights and probabilities, without clusters."""
        parts = (self.weights, self.inclusion, self.clusters, self.strata)
        return all(part is None for part in parts)

    @property
    def expanded(self) -> Floats | None:
        """Weights / probabilities, shape (n,); ``None`` with neither.

        Examples:
            >>> SampleDesign(inclusion=np.array([0.25, 1.0])).expanded.tolist()
            [4.0, 1.0]
        """
        if self.inclusion is None:
            return self.weights
        return (1.0 if self.weights is None else self.weights) / self.inclusion

    def some(self, rows: Mask | Integers) -> "SampleDesign":
        """Choose some of the items.

        Examples:
            >>> SampleDesign(weights=np.array([1.0, 2.0])).some(np.array([False, True])).weights.tolist()
            [2.0]
        """
        return SampleDesign(
            None if self.weights is None else self.weights[rows],
            None if self.inclusion is None else self.inclusion[rows],
            None if self.clusters is None else self.clusters[rows],
            None if self.strata is None else self.strata[rows],
        )


def join_designs(parts: Sequence[SampleDesign]) -> SampleDesign:
    """Join the designs of successive items; all parts have the same columns.

    Examples:
        >>> join_designs([SampleDesign(np.array([1.0])), SampleDesign(np.array([2.0]))]).weights.tolist()
        [1.0, 2.0]
    """
    columns = {name: [getattr(part, name) for part in parts] for name in SampleDesign.__dataclass_fields__}
    return SampleDesign(
        **{name: np.concatenate(column) for name, column in columns.items() if column[0] is not None}
    )


def validate_inclusion(inclusion: object, labelled: Mask, *, first_row: int = 0) -> Floats:
    """Check inclusion probabilities and return them as floats, shape (n,); NaN where missing.

    Args:
        inclusion: shape (n,), numbers above 0 to 1; NaN or ``None`` where missing.
        labelled: shape (n,), mask of items with a label, which need a probability.
        first_row: number of items before the first one, for messages.

    Raises:
        InputError: another length, a probability out of range, or a label without one; the first row is
            named.

    Examples:
        >>> validate_inclusion([0.5, None], np.array([True, False])).tolist()
        [0.5, nan]
    """
    try:
        known = np.asarray(inclusion, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("inclusion", f"must be a list of numbers: {error}") from error
    if known.shape != labelled.shape:
        raise InputError("inclusion", f"must have {len(labelled)} rows, one for each item, got {known.shape}")
    wrong = np.flatnonzero((known <= 0) | (known > 1))
    if len(wrong):
        row = wrong[0]
        raise InputError(
            "inclusion",
            f"must be probabilities above 0 to 1, got {known[row]:g} in row {first_row + row + 1}",
        )
    missing = np.flatnonzero(labelled & np.isnan(known))
    if len(missing):
        raise InputError(
            "inclusion",
            f"must have a value in each row with a label, but row {first_row + missing[0] + 1} "
            "has only a label",
        )
    return known


def labels_hash(rows: Integers, table: Floats, inclusion: Floats | None = None) -> str:
    """Hash labels with their positions and the probabilities of their draw: 8 hexadecimal digits.

    Args:
        rows: shape (n,), positions of the labelled texts, from 0.
        table: shape (n, raters), their human ratings; NaN where missing.
        inclusion: shape (n,), probabilities; ``None`` if all are equal.

    Examples:
        >>> one, wider = (np.array([[4.0, *gap]]) for gap in ([], [np.nan]))
        >>> row = np.array([7])
        >>> labels_hash(row, one) == labels_hash(row, wider) != labels_hash(row, one + 1)
        True
    """
    drawn = [None] * len(rows) if inclusion is None else inclusion.tolist()
    labels = [cells[~np.isnan(cells)].tolist() for cells in table]
    content = list(zip(rows.tolist(), labels, drawn, strict=True))
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]
