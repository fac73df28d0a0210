"""The sample behind a table: weights, design, and the population margins for raking."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.messages import nearest_name, shorten, unknown_name
from semscale.results.weights import are_weights
from semscale.stats.raking import Raking, rake, raked_design
from semscale.stats.survey_designs import AnyDesign, SurveyDesign, replicate_design
from semscale.store.columns import groups_in, ids_in, numbers_among
from semscale.store.table import ColumnLabels
from semscale.tabulation.settings import Margins, SampleSettings, check_sum
from semscale.types import Floats, Mask

_MIN_REPLICATES = 2
_EXAMPLES = 5


@dataclass(frozen=True, eq=False)
class Sample:
    """Respondents who count, and the sample's design.

    Attributes:
        design: design of the m respondents who count.
        is_included: shape (n,), true for their rows of the table.
        left_out: number of excluded rows by reason, such as "no weight".
        notes: sentences on the weights.
    """

    design: AnyDesign
    is_included: Mask
    left_out: Mapping[str, int]
    notes: tuple[str, ...] = ()

    def select(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of the respondents who count, without a copy of a frame in which all do."""
        return frame.filter(self.is_included) if self.left_out else frame


def read_sample(
    frame: pl.DataFrame,
    settings: SampleSettings,
    labels: Mapping[str, ColumnLabels] | None = None,
) -> Sample:
    """Read the design and the weights of a table's rows; exclude incomplete rows.

    Args:
        frame: n rows.
        settings: settings of the sample; with waves, each wave is raked separately.
        labels: labels of columns; margins can name values by their labels.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: a weight that is not 0 and outside 1e-100 to 1e100, weights that sum to 0, no row left,
            margins that cannot be met, a design that is not consistent, or IDs of people without waves.
    """
    roles = settings.columns_by_role | (
        {"wave": settings.wave} if settings.wave and settings.raked_to else {}
    )
    for role, column in roles.items():
        if column not in frame.columns:
            raise unknown_name(f"column for {role},", column, frame.columns)
    all_weights = np.ones(frame.height)
    if settings.weight is not None:
        all_weights = _read_numbers(frame, "weight", settings.weight)
    replicates = None
    if settings.replicates is not None:
        names = replicate_columns(frame.columns, settings.replicates)
        cells = [numbers_among(frame[name]).to_numpy() for name in names]
        replicates = np.column_stack(cells).astype(np.float64)
    is_included, left_out = _complete_rows(frame, roles, all_weights, replicates)
    rows = frame.filter(is_included) if left_out else frame
    weights = all_weights[is_included]
    if not weights.sum() > 0:
        raise InputError("weight", f": the weights in column '{settings.weight}' sum to 0")
    notes = [f"the bases leave out rows whose weight is 0: {n:,}"] if (n := int((weights == 0).sum())) else []
    design: AnyDesign
    if replicates is not None and settings.replicate_type is not None:
        kind = "fay" if settings.rho and settings.replicate_type == "brr" else settings.replicate_type
        factors = _factors_of_replicates(settings, replicates.shape[1])
        design = replicate_design(weights, replicates[is_included], kind, rho=settings.rho, rscales=factors)
    else:
        design = _design_of_draw(rows, settings, weights)
    if settings.raked_to:
        margins = match_margins(settings.raked_to, rows, labels or {})
        raking = _rake(rows, margins, design, settings)
        design = raked_design(design, raking)
        notes.append(_raking_note(raking, settings))
    return Sample(design, is_included, left_out, tuple(notes))


def replicate_columns(columns: list[str], pattern: str) -> list[str]:
    """Return the columns of replicate weights.

    Raises:
        InputError: fewer than two columns fit the pattern.
    """
    matching = [column for column in columns if fnmatchcase(column, pattern)]
    if len(matching) < _MIN_REPLICATES:
        raise InputError(
            "replicates",
            f": {len(matching)} columns fit {pattern!r}, and at least {_MIN_REPLICATES} are "
            f"needed; columns: {', '.join(columns[:30])}",
        )
    return matching


def _read_numbers(frame: pl.DataFrame, role: str, column: str) -> Floats:
    """Read weights, which may be 0, or populations of strata, which may not; NaN where there is no number."""
    numbers = numbers_among(frame[column]).to_numpy().astype(np.float64)
    cells = frame[column].drop_nulls()
    if len(cells) and np.isnan(numbers).all():
        raise InputError(
            role,
            f": column '{column}' has no number; its first value is {shorten(cells[0])}: name a "
            "column of numbers",
        )
    is_right, right = (numbers > 0) & np.isfinite(numbers), "finite and > 0"
    if role == "weight":
        is_right, right = are_weights(numbers), "0 or from 1e-100 to 1e100"
    wrong = np.flatnonzero(~(is_right | np.isnan(numbers)))
    if len(wrong):
        row = int(wrong[0])
        raise RowError(
            f"`{role}` must be {right}, got {numbers[row]:g} in {{row}} of column '{column}' "
            "(rows are counted from 1, below the header)",
            row,
        )
    return numbers


def _complete_rows(
    frame: pl.DataFrame, roles: Mapping[str, str], weights: Floats, replicates: Floats | None
) -> tuple[Mask, dict[str, int]]:
    """Return a mask of complete rows, and the number of other rows by their first missing value."""
    gaps: dict[str, Mask] = {"no weight": np.isnan(weights)}
    for role, column in roles.items():
        name = column if role.startswith("raked_to") else role.replace("_", " ")
        if role == "fpc":
            gaps["no fpc"] = np.isnan(_read_numbers(frame, role, column))
        elif role != "weight":
            gaps[f"no {name}"] = groups_in(frame[column]).is_null().to_numpy()
    if replicates is not None:
        gaps["no replicate weights"] = np.asarray(~np.isfinite(replicates).all(axis=1))
    is_included: Mask = np.ones(frame.height, dtype=np.bool_)
    left_out = {}
    for reason, is_missing in gaps.items():
        if n := int((is_missing & is_included).sum()):
            left_out[reason] = n
        is_included = is_included & ~is_missing
    if not is_included.any():
        reasons = ", ".join(f"{reason} ({n:,})" for reason, n in left_out.items())
        raise InputError(f"no respondent is left: {reasons}")
    return is_included, left_out


def _design_of_draw(frame: pl.DataFrame, settings: SampleSettings, weights: Floats) -> SurveyDesign:
    """Return the design of the draw; people in several waves are clusters unless they are in larger ones."""
    if settings.pair_by is not None and settings.wave is None:
        # Settings are read before the files of earlier waves, which make a column of waves.
        raise InputError("pair_by", "belongs to `wave` or to files of earlier waves: name the waves as well")
    cluster = settings.cluster or settings.pair_by
    if settings.cluster is not None and settings.pair_by is not None:
        _check_nested(frame, settings.pair_by, settings.cluster)
    strata, clusters = (
        None if column is None else ids_in(frame[column]).to_numpy() for column in (settings.strata, cluster)
    )
    is_nested = settings.strata is not None and settings.cluster is not None
    fpc = None if settings.fpc is None else _read_numbers(frame, "fpc", settings.fpc)
    lonely = settings.lonely
    if settings.strata is None and lonely == "fail":
        if clusters is not None and fpc is None and len(set(clusters)) == 1:
            raise InputError(
                f"{'pair_by' if settings.cluster is None else 'cluster'}: all respondents are in the same "
                f"cluster, {cluster} '{clusters[0]}', so there is no standard error: name a column with "
                "several clusters, or leave it out"
            )
        if clusters is None and len(weights) == 1:
            lonely = "certainty"  # a single respondent leaves no degree of freedom, so there is no interval
    try:
        return SurveyDesign(weights, strata, clusters, fpc, lonely=lonely, nested=is_nested)
    except RowError as error:
        # Incomplete rows were excluded, so row numbers do not match the file.
        named = [name for name in (settings.strata, cluster, settings.fpc) if name is not None]
        cells = ", ".join(f"{name} '{frame[name][error.row]}'" for name in named)
        raise error.at(f"the row with {cells}") from None


def _check_nested(frame: pl.DataFrame, person: str, cluster: str) -> None:
    """Check that every person is in a single cluster, which then covers the dependence between waves."""
    pairs = pl.DataFrame({"person": ids_in(frame[person]), "cluster": ids_in(frame[cluster])})
    several = pairs.unique().group_by("person").len().filter(pl.col("len") > 1).sort("person")
    if several.height:
        name, n = several.row(0)
        raise InputError(
            "pair_by",
            f": '{name}' is in {n} clusters of '{cluster}', and a person must be in one: give the "
            "ids as cluster alone",
        )


def _factors_of_replicates(settings: SampleSettings, n: int) -> Floats | None:
    """Return the factor of each of n replicates; ``None`` without replicates."""
    if not settings.rscales:
        return None
    if len(settings.rscales) not in (1, n):
        raise InputError(
            "rscales",
            f"must be one number for all or one for each of the {n:,} columns of replicates, got "
            f"{len(settings.rscales):,}",
        )
    return np.broadcast_to(np.array(settings.rscales), (n,)).copy()


def _rake(frame: pl.DataFrame, margins: Margins, design: AnyDesign, settings: SampleSettings) -> Raking:
    """Rake to the margins within the bounds, each wave separately."""
    answers = {column: groups_in(frame[column]) for column in margins}
    targets: dict[str, dict[Hashable, float]] = {
        column: dict(goals.items()) for column, goals in margins.items()
    }
    if settings.wave is not None:
        # Each category of a wave is a separate category; its target is its share of the wave's respondents.
        waves = groups_in(frame[settings.wave])
        sizes = dict(waves.filter(design.weights > 0).value_counts().iter_rows())
        answers = {column: waves + ": " + cells for column, cells in answers.items()}
        targets = {
            column: {
                f"{name}: {category}": goal / sum(goals.values()) * n
                for name, n in sizes.items()
                for category, goal in goals.items()
            }
            for column, goals in margins.items()
        }
    return rake(
        {column: cells.to_list() for column, cells in answers.items()},
        targets,
        weights=design.weights,
        bounds=settings.weight_bounds or (0.0, np.inf),
    )


def _raking_note(raking: Raking, settings: SampleSettings) -> str:
    effects = f"design effect {raking.design_effect:.2f}"
    if settings.weight_bounds is not None:
        low, high = settings.weight_bounds
        n = raking.n_trimmed
        effects += (
            f"; within {low:g} and {high:g} of the mean weight, {n:,} {'row is' if n == 1 else 'rows are'} "
            "at a bound"
        )
    by_wave = "" if settings.wave is None else ", each wave by itself"
    return f"weights are raked to {', '.join(settings.raked_to)}{by_wave} ({effects})"


def match_margins(margins: Margins, frame: pl.DataFrame, labels: Mapping[str, ColumnLabels]) -> Margins:
    """Convert the categories of margins to values of a table, and check that all values have one.

    Args:
        margins: categories are values, or labels of values.
        frame: n rows, each with a value in every column of the margins.
        labels: labels of columns.

    Returns:
        The margins, with the value of each category.

    Raises:
        InputError: shares that sum to neither 1 nor 100, a category given twice, or a value in the table
            without a category.

    Examples:
        >>> labels = {"sex": ColumnLabels(values={"1": "men", "2": "women"})}
        >>> match_margins({"sex": {"men": 0.5, "women": 0.5}}, pl.DataFrame({"sex": [1.0, 2.0]}), labels)
        {'sex': {'1': 0.5, '2': 0.5}}
    """
    matched = {}
    for column, goals in margins.items():
        check_sum(column, goals)
        names = labels.get(column, ColumnLabels()).values
        counts = dict(groups_in(frame[column]).value_counts(sort=True).iter_rows())
        matched[column] = _goals_by_value(column, goals, names, counts)
        _check_complete(column, matched[column], names, counts)
    return matched


def _goals_by_value(
    column: str, goals: Mapping[str, float], labels: Mapping[str, str], counts: Mapping[str, int]
) -> dict[str, float]:
    by_label = {label: value for value, label in labels.items()}
    by_value: dict[str, float] = {}
    for category, goal in goals.items():
        is_value = category in counts or category in labels
        value = category if is_value else by_label.get(category, category)
        if value in by_value:
            raise InputError(
                "raked_to",
                f": '{column}' has the category '{labels[value]}' twice, by its value '{value}' and "
                "by its label; leave one out",
            )
        by_value[value] = goal
    return by_value


def _check_complete(
    column: str, goals: Mapping[str, float], labels: Mapping[str, str], counts: Mapping[str, int]
) -> None:
    """Refuse values without a target; one message lists them all."""
    lacking = {value: n for value, n in counts.items() if value not in goals}
    if not lacking:
        return

    def name(value: str) -> str:
        return f"'{value}' ({labels[value]})" if value in labels else f"'{value}'"

    listed = [f"{name(value)} ({n:,} {'row' if n == 1 else 'rows'})" for value, n in lacking.items()]
    examples = ", ".join(listed[:_EXAMPLES]) + (", ..." if len(listed) > _EXAMPLES else "")
    # A category that is not a value may be misspelt.
    names = [text for value in lacking for text in (value, labels.get(value, "")) if text]
    unknown = [category for category in goals if category not in counts and category not in labels]
    nearest = ((category, nearest_name(category, names, alike=0.5)) for category in unknown)
    hint = next((f"; '{wrong}' is no value: did you mean '{near}'?" for wrong, near in nearest if near), "")
    raise InputError(
        "raked_to",
        f": '{column}' has no target for {examples}; it has targets for "
        f"{', '.join(map(name, list(goals)[:_EXAMPLES]))}: add the missing targets, or leave its rows out "
        f"(`where`){hint}",
    )
