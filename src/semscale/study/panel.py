"""Synthetic panels: personas with attributes, read from a table or drawn, and raked to stated shares."""

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.errors import InputError
from semscale.messages import shorten
from semscale.stats.raking import rake
from semscale.stats.survey_estimates import kish_design_effect
from semscale.store.columns import as_names, column_in
from semscale.store.reading import open_table
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ID = "persona"
"""Column of personas' names."""

WEIGHT = "weight"
"""Column of personas' weights, if they have weights."""

MOST_PERSONAS = 100_000
_BATCH = 50_000
_NEAR = 1e-9
_ROUNDING = 0.005
_PERCENT = 100.0

Shares = Mapping[str, float]
"""Shares of an attribute's levels."""


@dataclass(frozen=True)
class SyntheticPanel:
    """Personas and their source.

    Attributes:
        ids: names of the n personas, all different.
        fields: n cells of each attribute, as text; ``None`` if a persona lacks it.
        source: a file, or a description of the draw.
        weights: weights of the personas, at least 0, with mean 1; ``None`` for equal weights.

    Raises:
        InputError: there is no persona, a name is repeated, or an attribute has the name of another column.
    """

    ids: tuple[str, ...]
    fields: Mapping[str, tuple[str | None, ...]]
    source: str
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not self.ids:
            raise InputError(f"the panel of {self.source} has no persona")
        reserved = (ID,) if self.weights is None else (ID, WEIGHT)
        if clash := next((name for name in reserved if name in self.fields), None):
            raise InputError(
                f"{self.source}: an attribute must not be called {clash!r}, as the column of each persona's "
                f"{'name' if clash == ID else 'weight'}: rename it"
            )
        seen: dict[str, int] = {}
        for row, name in enumerate(self.ids, start=1):
            if name in seen:
                raise InputError(
                    f"{self.source}: rows {seen[name]} and {row} have the same persona {shorten(name)}"
                )
            seen[name] = row

    def __len__(self) -> int:
        return len(self.ids)

    def cells(self, row: int, names: Sequence[str]) -> dict[str, str]:
        """Return attributes of a persona, which must have all of them; ``persona`` is its name."""
        return {name: str(self._column(name)[row]) for name in names}

    def _column(self, name: str) -> tuple[str | None, ...]:
        return self.ids if name == ID else self.fields[name]

    def check(self, names: Sequence[str]) -> None:
        """Check that every persona has these attributes.

        Raises:
            InputError: an attribute is missing; the message names the row.
        """
        for name in names:
            lacking = next((row for row, cell in enumerate(self._column(name)) if cell is None), None)
            if lacking is not None:
                raise InputError(
                    f"{self.source}, row {lacking + 1}: persona {self.ids[lacking]!r} has no {name!r}, which "
                    "the study needs: fill it in, or leave the row out"
                )

    @property
    def effective_n(self) -> float:
        """Kish's effective number of personas."""
        return len(self) / (1.0 if self.weights is None else kish_design_effect(self.weights))

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of all names, attributes and weights."""
        weights = [] if self.weights is None else [self.weights]
        content = json.dumps([self.ids, sorted(self.fields.items()), *weights])
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    @classmethod
    def from_frame(cls, rows: pl.DataFrame, source: str) -> Self:
        """Read personas from a table that ``to_frame`` built.

        Args:
            rows: the table.
            source: source of the personas.
        """
        has_weights = rows.schema.get(WEIGHT) == pl.Float64  # attributes are texts
        columns = {name: tuple(rows[name].to_list()) for name in rows.columns}
        ids, weights = columns.pop(ID), columns.pop(WEIGHT) if has_weights else None
        return cls(ids, columns, source, weights)

    def to_frame(self) -> pl.DataFrame:
        """Return a table with ``persona``, a text column per attribute, and ``weight`` if there are any."""
        columns = {ID: self.ids, **self.fields}
        frame = pl.DataFrame({name: pl.Series(cells, dtype=pl.String) for name, cells in columns.items()})
        if self.weights is None:
            return frame
        return frame.with_columns(pl.Series(WEIGHT, self.weights, dtype=pl.Float64))


def read_panel(path: Path, *, name_column: str | None = None) -> SyntheticPanel:
    """Read personas from a table, one per row.

    Args:
        path: CSV, TSV, JSON lines, Parquet or Excel.
        name_column: the column of names, which is also an attribute; by default ``persona`` if the table has
            that column, otherwise row numbers are the names.

    Raises:
        InputError: the file cannot be read, the column does not exist, or a persona has no name.
    """
    table = open_table(path)
    if name_column is not None:
        table.require(name_column, "id")
    rows = pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")
    if rows.height > MOST_PERSONAS:
        raise InputError(f"{table.name} has {rows.height:,} personas, and the maximum is {MOST_PERSONAS:,}")
    column = name_column or (ID if ID in rows.columns else None)
    fields = {name: _attribute(rows[name]) for name in rows.columns if name != column}
    if column is None:
        return SyntheticPanel(tuple(map(str, range(1, rows.height + 1))), fields, table.name)
    names = _attribute(column_in(rows, column))
    nameless = next((row for row, name in enumerate(names, start=1) if not name), None)
    if nameless is not None:
        raise InputError(f"{table.name}, row {nameless}: the persona has no name in column {column!r}")
    if column != ID:
        fields[column] = names
    return SyntheticPanel(tuple(map(str, names)), fields, table.name)


def _attribute(cells: pl.Series) -> tuple[str | None, ...]:
    """Read a column as texts; blank cells are missing."""
    return tuple(cell if cell and cell.strip() else None for cell in as_names(cells, cells.name))


# Stated shares


@dataclass(frozen=True)
class JointShares:
    """Shares of all combinations of some attributes' levels.

    Attributes:
        levels: levels of each of d attributes, in the order of the axes.
        shares: shape (k1, ..., kd), at least 0, sum 1.
    """

    levels: Mapping[str, tuple[str, ...]]
    shares: Floats

    def margin(self, attribute: str) -> dict[str, float]:
        """Return the shares of an attribute's levels."""
        axis = list(self.levels).index(attribute)
        other_axes = tuple(other for other in range(self.shares.ndim) if other != axis)
        return dict(zip(self.levels[attribute], self.shares.sum(axis=other_axes).tolist(), strict=True))


def validate_shares(name: str, levels: Shares) -> dict[str, float]:
    """Check the shares of an attribute's levels, and make them sum to exactly 1.

    Args:
        name: name of the attribute, for messages.
        levels: shares by level, which sum to 1, or to 100 for percentages, within a rounding of 0.005.

    Raises:
        InputError: there is no level, a share is below 0, or the sum differs.

    Examples:
        >>> validate_shares("age", {"young": 40, "old": 60})
        {'young': 0.4, 'old': 0.6}
    """
    if not levels:
        raise InputError(f"margin {name!r} has no levels: write each level with its share")
    wrong = next((level for level, share in levels.items() if not 0 <= share < float("inf")), None)
    if wrong is not None:
        raise InputError(f"margin {name!r}: the share of {wrong!r} must be >= 0, got {levels[wrong]:g}")
    total = float(np.sum(list(levels.values())))
    if not any(abs(total - whole) <= _ROUNDING * whole for whole in (1.0, _PERCENT)):
        raise InputError(f"the shares of margin {name!r} must sum to 1, or to 100, got {total:g}")
    return {level: share / total for level, share in levels.items()}


def joint_shares(rows: Sequence[Mapping[str, Any]]) -> JointShares:
    """Read a joint distribution from its rows.

    Args:
        rows: rows with a level for every attribute, and ``share``; missing combinations have a share of 0.

    Raises:
        InputError: rows have different attributes, a combination is repeated, or shares do not sum to 1 or
            100.

    Examples:
        >>> rows = [{"sex": "f", "age": "old", "share": 60}, {"sex": "m", "age": "old", "share": 40}]
        >>> joint_shares(rows).margin("sex")
        {'f': 0.6, 'm': 0.4}
    """
    names = [name for name in rows[0] if name != "share"]
    if not names:
        raise InputError("a row of joint needs attributes in addition to its share, such as age: 18-34")
    levels: dict[str, dict[str, int]] = {name: {} for name in names}
    cells: dict[tuple[int, ...], float] = {}
    for number, row in enumerate(rows, start=1):
        _check_joint_row(row, number, names)
        cell = tuple(levels[name].setdefault(row[name], len(levels[name])) for name in names)
        if cell in cells:
            raise InputError(f"row {number} of joint repeats {', '.join(str(row[name]) for name in names)}")
        cells[cell] = float(row["share"])
    checked = validate_shares("joint", {str(cell): share for cell, share in cells.items()})
    shares = np.zeros([len(numbers) for numbers in levels.values()])
    for cell, share in zip(cells, checked.values(), strict=True):
        shares[cell] = share
    return JointShares({name: tuple(numbers) for name, numbers in levels.items()}, shares)


def _check_joint_row(row: Mapping[str, Any], number: int, names: Sequence[str]) -> None:
    if set(row) != {*names, "share"}:
        raise InputError(
            f"row {number} of joint must have {', '.join(names)} and share, got {', '.join(map(str, row))}"
        )
    for name in names:
        if not isinstance(row[name], str):
            raise InputError(
                f"{name} in row {number} of joint must be text, in quotes if it reads like a number or "
                f"like yes and no, got {shorten(row[name])}"
            )
    share = row["share"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < float("inf"):
        raise InputError(f"the share in row {number} of joint must be a number >= 0, got {shorten(share)}")


# Raking


def rake_joint(joint: JointShares, margins: Mapping[str, Shares]) -> JointShares:
    """Rake a joint distribution to stated margins by iterative proportional fitting.

    Combinations with a share of 0 keep that share.

    Args:
        joint: joint distribution to start from.
        margins: shares of levels by attribute; each attribute is one of the joint distribution's.

    Raises:
        InputError: the margins cannot be met; the message names the attribute and the level.

    References:
        Deming and Stephan (1940), Annals of Mathematical Statistics 11, 427-444,
        doi:10.1214/aoms/1177731829.

    Examples:
        >>> rows = [{"sex": sex, "age": age, "share": 25} for sex in "fm" for age in ("young", "old")]
        >>> rake_joint(joint_shares(rows), {"sex": {"f": 0.6, "m": 0.4}}).shares.round(6).tolist()
        [[0.3, 0.3], [0.2, 0.2]]
    """
    if not margins:
        return joint
    cells = np.nonzero(joint.shares)
    columns = {
        name: np.array(levels, dtype=object)[positions]
        for (name, levels), positions in zip(joint.levels.items(), cells, strict=True)
    }
    targets: dict[str, dict[Hashable, float]] = {}
    for name, levels in margins.items():
        margin = {level: share for level, share in joint.margin(name).items() if share > 0}
        _check_reachable(name, levels, margin, "no row of joint with a share above 0 has it")
        targets[name] = {level: levels.get(level, 0.0) for level in margin}
    shares = np.zeros_like(joint.shares)
    shares[cells] = _rake_weights(columns, targets, 1.0, "joint has no people", joint.shares[cells])
    return JointShares(joint.levels, shares)


def rake_panel(panel: SyntheticPanel, margins: Mapping[str, Shares]) -> SyntheticPanel:
    """Weight personas by raking, so that the levels of attributes have stated shares.

    Args:
        panel: personas that all have these attributes.
        margins: shares of levels by attribute, which sum to 1 or 100.

    Returns:
        The same personas with weights of mean 1.

    Raises:
        InputError: an attribute that the panel lacks, a persona without it, a level without a share or
            without personas, or margins that cannot be met together.

    References:
        As ``semscale.stats.raking.rake``.

    Examples:
        >>> panel = SyntheticPanel(("a", "b", "c"), {"sex": ("f", "f", "m")}, "p.csv")
        >>> rake_panel(panel, {"sex": {"f": 0.5, "m": 0.5}}).weights
        (0.75, 0.75, 1.5)
    """
    panel.check([*margins])
    targets: dict[str, dict[Hashable, float]] = {}
    for name, levels in margins.items():
        shares, cells = validate_shares(name, levels), panel.fields[name]
        row = next((row for row, cell in enumerate(cells) if not shares.get(str(cell))), None)
        if row is not None:
            raise InputError(
                f"margin {name!r} has no share for {shorten(cells[row])}, which {panel.source} has in row "
                f"{row + 1}: give it one above 0, or leave such personas out"
            )
        _check_reachable(name, shares, cells, f"no persona of {panel.source} has it")
        targets[name] = dict(shares.items())
    columns = {name: np.array(panel.fields[name], dtype=object) for name in targets}
    lacking = f"{panel.source} has no personas"
    weights = _rake_weights(columns, targets, float(len(panel)), lacking)
    return replace(panel, weights=tuple(weights.tolist()))


def _check_reachable(
    name: str, levels: Shares, present: Mapping[str, float] | Sequence[object], why: str
) -> None:
    lacking = next((level for level, share in levels.items() if share > 0 and level not in present), None)
    if lacking is not None:
        raise InputError(
            f"margin {name!r} cannot be met: {lacking!r} should have {levels[lacking]:.3g} of the panel, but "
            f"{why}"
        )


def _rake_weights(
    columns: Mapping[str, npt.NDArray[np.object_]],
    targets: Mapping[str, Mapping[Hashable, float]],
    total: float,
    lacking: str,
    weights: Floats | None = None,
) -> Floats:
    columns = {name: columns[name] for name in targets}
    result = rake(columns, targets, weights=weights, total=total, allow_unmet=True)
    if result.unmet:
        worst = result.unmet[0]
        raise InputError(
            f"margin {worst.margin!r} cannot be met with the other margins: {worst.category!r} should have "
            f"{worst.target / total:.3g} of the panel and comes to {worst.reached / total:.3g}; {lacking} "
            "for some combinations that the margins need"
        )
    return result.weights


# Draws whose counts meet stated shares within one person


def draw_panel(
    size: int, *, margins: Mapping[str, Shares], joint: JointShares | None, seed: int
) -> SyntheticPanel:
    """Draw personas so that each count is within one persona of its stated share.

    Attributes of the joint distribution are drawn together, after it is raked to their margins. Every other
    attribute is drawn independently.

    Args:
        size: number of personas.
        margins: shares of levels by attribute.
        joint: shares of combinations, if any.
        seed: seed of the draw.

    Raises:
        InputError: shares do not sum to 1, or the margins cannot be met.
    """
    checked = {name: validate_shares(name, levels) for name, levels in margins.items()}
    rng = np.random.default_rng(seed)
    fields: dict[str, list[str]] = {}
    if joint is not None:
        within = {name: levels for name, levels in checked.items() if name in joint.levels}
        fields = draw_attributes(rake_joint(joint, within), size, rng)
    for name, levels in checked.items():
        if name not in fields:
            fields[name] = draw_attribute(levels, size, rng)
    width = len(str(size))
    ids = tuple(f"p{number:0{width}}" for number in range(1, size + 1))
    return SyntheticPanel(ids, {name: tuple(cells) for name, cells in fields.items()}, f"a draw, seed {seed}")


def draw_attribute(levels: Shares, n: int, rng: np.random.Generator) -> list[str]:
    """Draw an attribute of n people by quota, in random order.

    Args:
        levels: shares by level, which sum to 1.
        n: number of people.
        rng: random generator for the order.
    """
    counts = quota_counts(np.array(list(levels.values())), n)
    listed = [level for level, count in zip(levels, counts, strict=True) for _ in range(count)]
    return [listed[position] for position in rng.permutation(n)]


def draw_attributes(joint: JointShares, n: int, rng: np.random.Generator) -> dict[str, list[str]]:
    """Draw several attributes of n people from their joint distribution, in random order.

    The count of every combination, and that of every level, is within one of n times its share.

    Args:
        joint: the distribution.
        n: number of people.
        rng: random generator for the rounding and the order.

    Raises:
        InputError: no such draw of n people exists.
    """
    counts = round_counts(joint.shares * n, rng)
    cells = np.repeat(np.arange(counts.size), counts.reshape(-1))[rng.permutation(n)]
    by_axis = np.unravel_index(cells, counts.shape)
    return {
        name: [levels[position] for position in positions]
        for (name, levels), positions in zip(joint.levels.items(), by_axis, strict=True)
    }


def quota_counts(shares: Floats, n: int) -> Integers:
    """Divide n people among levels by the largest remainders; each count is within one of n times its share.

    Args:
        shares: shape (k,), at least 0, sum 1.
        n: number of people.

    Returns:
        Shape (k,), sum n.

    Examples:
        >>> quota_counts(np.array([0.5, 0.3, 0.2]), 7).tolist()
        [4, 2, 1]
    """
    expected = shares * n
    counts = np.floor(expected + _NEAR).astype(np.int64)
    rest = np.argsort(counts - expected, kind="stable")[: n - int(counts.sum())]
    counts[rest] += 1
    return counts


def round_counts(expected: Floats, rng: np.random.Generator) -> Integers:
    """Round a table of expected counts so that every margin is also rounded to a neighbouring integer.

    Of these roundings, it returns the one with the least sum of ``logit(u) - logit(f)`` over the cells
    rounded up, where u is random and f is the fraction of a cell. Without margins this is Pareto sampling,
    with inclusion probabilities close to f.

    Args:
        expected: shape (k1, ..., kd), at least 0, with a whole sum.
        rng: random generator for u.

    Returns:
        Whole numbers of the same shape and the same sum.

    Raises:
        InputError: no such rounding exists.

    References:
        Cox (1987), JASA 82, 520-524, doi:10.1080/01621459.1987.10478456 (controlled rounding); Rosen (1997),
        Journal of Statistical Planning and Inference 62, 159-191, doi:10.1016/S0378-3758(96)00186-3.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.special import logit

    counts = np.floor(expected + _NEAR)
    fractions = expected - counts
    rounded = np.flatnonzero(fractions.reshape(-1) > _NEAR)
    if not len(rounded):
        return counts.astype(np.int64)
    cost = logit(rng.uniform(_NEAR, 1 - _NEAR, len(rounded))) - logit(fractions.reshape(-1)[rounded])
    matrix, needed = _margin_sums(fractions, rounded)
    solution = milp(
        cost,
        integrality=np.ones(len(rounded), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, np.floor(needed + _NEAR), np.ceil(needed - _NEAR)),
    )
    if solution.x is None:
        raise InputError(
            f"no panel of {expected.sum():.0f} personas meets all margins within one person: give another "
            "size"
        )
    flat = counts.reshape(-1)
    flat[rounded] += np.round(solution.x)
    return counts.astype(np.int64)


def _margin_sums(fractions: Floats, rounded: Integers) -> "tuple[csr_array, Floats]":
    """Return the sums that must be rounded with the cells: the total, and each level of each attribute.

    Returns:
        A matrix of 0 and 1, one row per sum and one column per cell, and the expected sums.
    """
    from scipy.sparse import csr_array

    by_axis = np.unravel_index(rounded, fractions.shape)
    levels, first = [np.zeros(len(rounded), dtype=np.int64)], 1
    for size, positions in zip(fractions.shape, by_axis, strict=True):
        levels.append(first + positions)
        first += size
    rows = np.concatenate(levels)
    columns = np.tile(np.arange(len(rounded)), len(levels))
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(first, len(rounded)))
    return matrix, np.asarray(matrix @ fractions.reshape(-1)[rounded], dtype=np.float64)
