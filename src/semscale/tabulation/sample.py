"""The respondents of a table: which of them count, how they are weighted, and how they were drawn."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.messages import unknown_name
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.raked_designs import raked_design
from semscale.stats.survey.raking import Raking, rake
from semscale.stats.survey.replicate_design import given_replicates
from semscale.stats.survey.variances import AnyDesign
from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import groups_in
from semscale.store.numbers import numbers_among
from semscale.tabulation.matched_margins import Margins, matched_margins
from semscale.tabulation.sample_columns import SampleColumns
from semscale.types import Floats, Mask

_COUNTING = "(rows are counted from 1, below the header)"


@dataclass(frozen=True, eq=False)
class Sample:
    """The respondents who count, and how they were drawn.

    Attributes:
        design: of the m respondents who count.
        kept: shape (n,), which rows of the table these are.
        left_out: other rows by reason, such as "no weight".
        notes: on the weights, in sentences.
    """

    design: AnyDesign
    kept: Mask
    left_out: Mapping[str, int]
    notes: tuple[str, ...] = ()


def replicate_columns(columns: list[str], pattern: str) -> list[str]:
    """Find the columns of replicate weights.

    Raises:
        InputError: fewer than two columns fit the pattern.
    """
    found = [column for column in columns if fnmatchcase(column, pattern)]
    fewest = 2
    if len(found) < fewest:
        raise InputError(
            f"replicates: {len(found)} columns fit {pattern!r}, and at least {fewest} are needed; "
            f"columns: {', '.join(columns[:30])}"
        )
    return found


def read_sample(
    frame: pl.DataFrame,
    columns: SampleColumns,
    wave: str | None = None,
    labels: Mapping[str, ColumnLabels] | None = None,
) -> Sample:
    """Read how the rows of a table were drawn and weighted; rows that lack a part of it are left out.

    Args:
        frame: n rows.
        columns: which columns say so.
        wave: column of waves, if there is one: each wave is raked by itself.
        labels: what a file says about columns, by name; margins may name values by their labels.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: a negative or infinite weight, weights that sum to 0, no row left, margins that cannot be
            met, or a design that does not hold together.
    """
    roles = columns.named() | ({"wave": wave} if wave is not None and columns.margins else {})
    for role, column in roles.items():
        if column not in frame.columns:
            raise unknown_name(f"column for {role},", column, frame.columns)
    given = _weights(frame, columns.weight)
    replicates = _replicates(frame, columns)
    kept, left_out = _complete(_gaps(frame, roles, given, replicates), frame.height)
    rows, weights = frame.filter(kept), given[kept]
    notes = [f"in no base, as their weight is 0: {n:,} rows"] if (n := int((weights == 0).sum())) else []
    if not weights.sum() > 0:
        raise InputError(f"weight: the weights in column '{columns.weight}' sum to 0")
    design: AnyDesign
    if replicates is not None and columns.replicate_type is not None:
        kind = "fay" if columns.rho and columns.replicate_type == "brr" else columns.replicate_type
        factors = _rscales(columns, replicates.shape[1])
        design = given_replicates(weights, replicates[kept], kind, rho=columns.rho, rscales=factors)
    else:
        design = _drawn(rows, columns, weights)
    if columns.margins:
        margins = matched_margins(columns.margins, rows, labels or {})
        raking = _raking(rows, margins, design, wave, columns.weight_bounds)
        design = raked_design(design, raking)
        each = "" if wave is None else ", each wave by itself"
        notes.append(f"weights are raked to {', '.join(columns.margins)}{each} ({_effects(raking, columns)})")
    return Sample(design, kept, left_out, tuple(notes))


def _complete(gaps: Mapping[str, Mask], n: int) -> tuple[Mask, dict[str, int]]:
    """Tell which rows lack nothing, and count the others by the first thing that they lack."""
    kept: Mask = np.ones(n, dtype=np.bool_)
    left_out = {}
    for reason, missing in gaps.items():
        if lacking := int((missing & kept).sum()):
            left_out[reason] = lacking
        kept = kept & ~missing
    if not kept.any():
        reasons = ", ".join(f"{reason} ({lacking:,})" for reason, lacking in left_out.items())
        raise InputError(f"no respondent is left: {reasons}")
    return kept, left_out


def _weights(frame: pl.DataFrame, column: str | None) -> Floats:
    """Read weights, NaN where there is none; ones where no column is named."""
    if column is None:
        return np.ones(frame.height)
    weights = numbers_among(frame[column]).to_numpy().astype(np.float64)
    _check_range("weight must be finite and >= 0", column, weights, (weights < 0) | np.isinf(weights))
    return weights


def _populations(frame: pl.DataFrame, column: str) -> Floats:
    """Read how many clusters each row's stratum has in the population, NaN where there is no number."""
    sizes = numbers_among(frame[column]).to_numpy().astype(np.float64)
    _check_range("fpc must be finite and > 0", column, sizes, (sizes <= 0) | np.isinf(sizes))
    return sizes


def _check_range(rule: str, column: str, numbers: Floats, wrong: Mask) -> None:
    rows = np.flatnonzero(wrong)
    if len(rows):
        row = int(rows[0])
        raise RowError(f"{rule}, got {numbers[row]:g} in {{row}} of column '{column}' {_COUNTING}", row)


def _rscales(columns: SampleColumns, n: int) -> Floats | None:
    """Give each of n replicates its factor."""
    if not columns.rscales:
        return None
    if len(columns.rscales) not in (1, n):
        raise InputError(
            f"rscales must be one number for all or one for each of the {n:,} columns of replicates, got "
            f"{len(columns.rscales):,}"
        )
    return np.broadcast_to(np.array(columns.rscales), (n,)).copy()


def _effects(raking: Raking, columns: SampleColumns) -> str:
    """Say what raking did to the weights."""
    effect = f"design effect {raking.design_effect:.2f}"
    if columns.weight_bounds is None:
        return effect
    low, high = columns.weight_bounds
    n = raking.n_trimmed
    trimmed = f"{n:,} {'row is' if n == 1 else 'rows are'} at a bound"
    return f"{effect}; within {low:g} and {high:g} of the mean weight, {trimmed}"


def _replicates(frame: pl.DataFrame, columns: SampleColumns) -> Floats | None:
    if columns.replicates is None:
        return None
    found = replicate_columns(frame.columns, columns.replicates)
    return np.column_stack([numbers_among(frame[column]).to_numpy() for column in found]).astype(np.float64)


def _gaps(
    frame: pl.DataFrame, roles: Mapping[str, str], weights: Floats, replicates: Floats | None
) -> dict[str, Mask]:
    """Tell which rows lack something, by what they lack."""
    gaps: dict[str, Mask] = {"no weight": np.isnan(weights)}
    for role, column in roles.items():
        if role != "weight":
            words = column if role.startswith("raked_to") else role.replace("_", " ")
            missing = groups_in(frame[column]).is_null().to_numpy()
            gaps[f"no {words}"] = np.isnan(_populations(frame, column)) if role == "fpc" else missing
    if replicates is not None:
        gaps["no replicate weights"] = np.asarray(~np.isfinite(replicates).all(axis=1))
    return gaps


def _raking(
    frame: pl.DataFrame,
    margins: Margins,
    design: AnyDesign,
    wave: str | None,
    given_bounds: tuple[float, float] | None,
) -> Raking:
    """Rake to the margins within the bounds, each wave by itself."""
    bounds = given_bounds or (0.0, np.inf)
    if wave is None:
        answers = {column: groups_in(frame[column]).to_list() for column in margins}
        targets: dict[str, dict[Hashable, float]] = {
            column: {category: goal for category, goal in goals.items()}  # noqa: C416 - another type of key
            for column, goals in margins.items()
        }
        return rake(answers, targets, weights=design.weights, bounds=bounds)
    waves = groups_in(frame[wave])
    sizes = dict(waves.filter(design.weights > 0).value_counts().iter_rows())
    answers = {column: (waves + ": " + groups_in(frame[column])).to_list() for column in margins}
    targets = {
        column: {
            f"{one}: {category}": goal / sum(goals.values()) * n
            for one, n in sizes.items()
            for category, goal in goals.items()
        }
        for column, goals in margins.items()
    }
    return rake(answers, targets, weights=design.weights, bounds=bounds)


def _drawn(frame: pl.DataFrame, columns: SampleColumns, weights: Floats) -> SurveyDesign:
    """Describe the draw; people of several waves are clusters unless they lie in larger ones."""
    cluster = columns.cluster or columns.pair_by
    if columns.cluster is not None and columns.pair_by is not None:
        _check_nested(frame, columns.pair_by, columns.cluster)
    strata, clusters = (
        None if column is None else groups_in(frame[column]).to_numpy()
        for column in (columns.strata, cluster)
    )
    is_nested = columns.strata is not None and columns.cluster is not None
    fpc = None if columns.fpc is None else _populations(frame, columns.fpc)
    try:
        return SurveyDesign(weights, strata, clusters, fpc, lonely=columns.lonely, nested=is_nested)
    except RowError as error:
        # Rows that lack something were left out, so that the number of a row says nothing in the file.
        named = [name for name in (columns.strata, cluster, columns.fpc) if name is not None]
        cells = ", ".join(f"{name} '{frame[name][error.row]}'" for name in named)
        raise error.at(f"the row with {cells}") from None


def _check_nested(frame: pl.DataFrame, person: str, cluster: str) -> None:
    """Make sure that every person is in one cluster, which then holds what the waves have in common."""
    pairs = pl.DataFrame({"person": groups_in(frame[person]), "cluster": groups_in(frame[cluster])})
    several = pairs.unique().group_by("person").len().filter(pl.col("len") > 1)
    if several.height:
        raise InputError(
            f"pair_by: '{several['person'].sort()[0]}' is in {several['len'][0]} clusters of '{cluster}', "
            "and a person must be in one: give the ids as cluster alone"
        )
