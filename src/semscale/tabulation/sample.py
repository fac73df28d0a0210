"""The sample behind a table: its weights, its design, and the population that weights are raked to."""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.messages import nearest_name, unknown_name
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.raked_designs import raked_design
from semscale.stats.survey.raking import Raking, rake
from semscale.stats.survey.replicate_design import given_replicates
from semscale.stats.survey.variances import AnyDesign
from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import as_names, groups_in
from semscale.store.numbers import numbers_among
from semscale.tabulation.settings import Margins, SampleColumns
from semscale.types import Floats, Mask
from semscale.yaml_reading import line_of, parse_yaml

_FEWEST_REPLICATES = 2
_ROUNDING = 1e-6
_PERCENT = 100
_MOST, _LEAST = 110, 90  # sums of percentages that miss 100
_EXAMPLES = 5
_FORM = "write a column, and below it a number for each of its categories, such as 'sex: {f: 0.51, m: 0.49}'"


@dataclass(frozen=True, eq=False)
class Sample:
    """The respondents who count, and their design.

    Attributes:
        design: of the m respondents who count.
        is_included: shape (n,), true for their rows of the table.
        left_out: number of other rows by reason, such as "no weight".
        notes: on the weights, in sentences.
    """

    design: AnyDesign
    is_included: Mask
    left_out: Mapping[str, int]
    notes: tuple[str, ...] = ()


def read_sample(
    frame: pl.DataFrame,
    columns: SampleColumns,
    wave: str | None = None,
    labels: Mapping[str, ColumnLabels] | None = None,
) -> Sample:
    """Read the design and the weights of a table's rows; incomplete rows are left out.

    Args:
        frame: n rows.
        columns: that describe the sample.
        wave: column of waves, if there is one: every wave is raked by itself.
        labels: of columns; margins may name values by their labels.

    Raises:
        UnknownNameError: a column does not exist.
        InputError: a negative or infinite weight, weights that sum to 0, no row left, margins that cannot be
            met, or a design that is not consistent.
    """
    roles = columns.columns_by_role() | ({"wave": wave} if wave is not None and columns.margins else {})
    for role, column in roles.items():
        if column not in frame.columns:
            raise unknown_name(f"column for {role},", column, frame.columns)
    all_weights = np.ones(frame.height)
    if columns.weight is not None:
        all_weights = _read_numbers(frame, "weight", columns.weight)
    replicates = None
    if columns.replicates is not None:
        names = replicate_columns(frame.columns, columns.replicates)
        cells = [numbers_among(frame[name]).to_numpy() for name in names]
        replicates = np.column_stack(cells).astype(np.float64)
    is_included, left_out = _complete_rows(frame, roles, all_weights, replicates)
    rows, weights = frame.filter(is_included), all_weights[is_included]
    if not weights.sum() > 0:
        raise InputError(f"weight: the weights in column '{columns.weight}' sum to 0")
    notes = [f"in no base, as their weight is 0: {n:,} rows"] if (n := int((weights == 0).sum())) else []
    design: AnyDesign
    if replicates is not None and columns.replicate_type is not None:
        kind = "fay" if columns.rho and columns.replicate_type == "brr" else columns.replicate_type
        factors = _factors_of_replicates(columns, replicates.shape[1])
        design = given_replicates(weights, replicates[is_included], kind, rho=columns.rho, rscales=factors)
    else:
        design = _design_of_draw(rows, columns, weights)
    if columns.margins:
        raking = _raked(rows, matched_margins(columns.margins, rows, labels or {}), design, wave, columns)
        design = raked_design(design, raking)
        notes.append(_raking_note(raking, columns, wave))
    return Sample(design, is_included, left_out, tuple(notes))


def replicate_columns(columns: list[str], pattern: str) -> list[str]:
    """Find the columns of replicate weights.

    Raises:
        InputError: fewer than two columns fit the pattern.
    """
    matching = [column for column in columns if fnmatchcase(column, pattern)]
    if len(matching) < _FEWEST_REPLICATES:
        raise InputError(
            f"replicates: {len(matching)} columns fit {pattern!r}, and at least {_FEWEST_REPLICATES} are "
            f"needed; columns: {', '.join(columns[:30])}"
        )
    return matching


def _read_numbers(frame: pl.DataFrame, role: str, column: str) -> Floats:
    """Read weights, which may be 0, or populations of strata, which may not; NaN where there is no number."""
    numbers = numbers_among(frame[column]).to_numpy().astype(np.float64)
    is_low, least = (numbers < 0, ">= 0") if role == "weight" else (numbers <= 0, "> 0")
    wrong = np.flatnonzero(is_low | np.isinf(numbers))
    if len(wrong):
        row = int(wrong[0])
        raise RowError(
            f"{role} must be finite and {least}, got {numbers[row]:g} in {{row}} of column '{column}' (rows "
            "are counted from 1, below the header)",
            row,
        )
    return numbers


def _complete_rows(
    frame: pl.DataFrame, roles: Mapping[str, str], weights: Floats, replicates: Floats | None
) -> tuple[Mask, dict[str, int]]:
    """Mark the rows that lack nothing, and count the others by the first gap."""
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


def _design_of_draw(frame: pl.DataFrame, columns: SampleColumns, weights: Floats) -> SurveyDesign:
    """Describe a draw; people of several waves are clusters unless larger ones contain them."""
    cluster = columns.cluster or columns.pair_by
    if columns.cluster is not None and columns.pair_by is not None:
        _check_nested(frame, columns.pair_by, columns.cluster)
    strata, clusters = (
        None if column is None else groups_in(frame[column]).to_numpy()
        for column in (columns.strata, cluster)
    )
    is_nested = columns.strata is not None and columns.cluster is not None
    fpc = None if columns.fpc is None else _read_numbers(frame, "fpc", columns.fpc)
    try:
        return SurveyDesign(weights, strata, clusters, fpc, lonely=columns.lonely, nested=is_nested)
    except RowError as error:
        # Incomplete rows were left out, so that the number of a row means nothing in the file.
        named = [name for name in (columns.strata, cluster, columns.fpc) if name is not None]
        cells = ", ".join(f"{name} '{frame[name][error.row]}'" for name in named)
        raise error.at(f"the row with {cells}") from None


def _check_nested(frame: pl.DataFrame, person: str, cluster: str) -> None:
    """Check that every person is in a single cluster, which then holds what the waves have in common."""
    pairs = pl.DataFrame({"person": groups_in(frame[person]), "cluster": groups_in(frame[cluster])})
    several = pairs.unique().group_by("person").len().filter(pl.col("len") > 1).sort("person")
    if several.height:
        name, n = several.row(0)
        raise InputError(
            f"pair_by: '{name}' is in {n} clusters of '{cluster}', and a person must be in one: give the "
            "ids as cluster alone"
        )


def _factors_of_replicates(columns: SampleColumns, n: int) -> Floats | None:
    """Return a factor for each of n replicates; ``None`` without any."""
    if not columns.rscales:
        return None
    if len(columns.rscales) not in (1, n):
        raise InputError(
            f"rscales must be one number for all or one for each of the {n:,} columns of replicates, got "
            f"{len(columns.rscales):,}"
        )
    return np.broadcast_to(np.array(columns.rscales), (n,)).copy()


def _raked(
    frame: pl.DataFrame, margins: Margins, design: AnyDesign, wave: str | None, columns: SampleColumns
) -> Raking:
    """Rake to the margins within the bounds, every wave by itself."""
    answers = {column: groups_in(frame[column]) for column in margins}
    targets: dict[str, dict[Hashable, float]] = {
        column: dict(goals.items()) for column, goals in margins.items()
    }
    if wave is not None:
        # A category of a wave is a category by itself, whose target is its share of the wave's respondents.
        waves = groups_in(frame[wave])
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
        bounds=columns.weight_bounds or (0.0, np.inf),
    )


def _raking_note(raking: Raking, columns: SampleColumns, wave: str | None) -> str:
    effects = f"design effect {raking.design_effect:.2f}"
    if columns.weight_bounds is not None:
        low, high = columns.weight_bounds
        n = raking.n_trimmed
        effects += (
            f"; within {low:g} and {high:g} of the mean weight, {n:,} {'row is' if n == 1 else 'rows are'} "
            "at a bound"
        )
    by_wave = "" if wave is None else ", each wave by itself"
    return f"weights are raked to {', '.join(columns.margins)}{by_wave} ({effects})"


def matched_margins(margins: Margins, frame: pl.DataFrame, labels: Mapping[str, ColumnLabels]) -> Margins:
    """Name the categories of margins by the values of a table, and check that none is lacking.

    Args:
        margins: categories are values, or labels of values.
        frame: n rows, each with a value in every column of the margins.
        labels: of columns.

    Returns:
        The margins, with the value of each category.

    Raises:
        InputError: shares that sum to neither 1 nor 100, a category given twice, or a value in the table
            without a category.

    Example:
        >>> labels = {"sex": ColumnLabels(values={"1": "men", "2": "women"})}
        >>> matched_margins({"sex": {"men": 0.5, "women": 0.5}}, pl.DataFrame({"sex": [1.0, 2.0]}), labels)
        {'sex': {'1': 0.5, '2': 0.5}}
    """
    matched = {}
    for column, goals in margins.items():
        _check_sum(column, goals)
        names = labels.get(column, ColumnLabels()).values
        counts = dict(groups_in(frame[column]).value_counts(sort=True).iter_rows())
        matched[column] = _goals_by_value(column, goals, names, counts)
        _check_complete(column, matched[column], names, counts)
    return matched


def _check_sum(column: str, goals: Mapping[str, float], place: str = "") -> None:
    """Refuse shares that do not sum to a whole; numbers of people may sum to anything."""
    total = sum(goals.values())
    is_whole = any(abs(total - whole) <= _ROUNDING * whole for whole in (1, _PERCENT))
    are_shares = total < _MOST and any(not float(goal).is_integer() for goal in goals.values())
    if not is_whole and (are_shares or _LEAST < total < _MOST):
        raise InputError(
            f"raked_to: the shares of '{column}'{place} sum to {total:g}; they must sum to 1 or 100 "
            "(numbers of people are whole, and may have any sum)"
        )


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
                f"raked_to: '{column}' has the category '{labels[value]}' twice, by its value '{value}' and "
                "by its label; leave one out"
            )
        by_value[value] = goal
    return by_value


def _check_complete(
    column: str, goals: Mapping[str, float], labels: Mapping[str, str], counts: Mapping[str, int]
) -> None:
    """Refuse values that have no target, all in one message."""
    lacking = {value: n for value, n in counts.items() if value not in goals}
    if not lacking:
        return

    def name(value: str) -> str:
        return f"'{value}' ({labels[value]})" if value in labels else f"'{value}'"

    listed = [f"{name(value)} ({n:,} {'row' if n == 1 else 'rows'})" for value, n in lacking.items()]
    examples = ", ".join(listed[:_EXAMPLES]) + (", ..." if len(listed) > _EXAMPLES else "")
    # A category that is no value may be a misspelt one.
    names = [text for value in lacking for text in (value, labels.get(value, "")) if text]
    unknown = [category for category in goals if category not in counts and category not in labels]
    nearest = ((category, nearest_name(category, names, alike=0.5)) for category in unknown)
    hint = next((f"; '{wrong}' is no value: did you mean '{near}'?" for wrong, near in nearest if near), "")
    raise InputError(
        f"raked_to: '{column}' has no target for {examples}; it has targets for "
        f"{', '.join(map(name, list(goals)[:_EXAMPLES]))}: add what is lacking, or leave its rows out "
        f"(--where){hint}"
    )


def read_margins(path: Path) -> Margins:
    """Read margins: columns, each with the share or number of people in its categories.

    Args:
        path: a YAML file, such as ``sex: {f: 0.51, m: 0.49}``. Categories are values as the
            table has them, or their labels.

    Raises:
        InputError: the file cannot be read, has another form, or has shares that sum to neither 1 nor 100;
            the line is named.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"raked_to: {path} cannot be read ({error.strerror}); check its name") from error
    columns = parse_yaml(content, source=path.name)
    if not isinstance(columns, dict) or not columns:
        raise InputError(f"raked_to: {path.name} has no margins; {_FORM}")

    def position(*keys: str | int) -> str:
        return f"{path.name}, line {line_of(content, keys)}"

    margins = {str(column): _categories(str(column), goals, position) for column, goals in columns.items()}
    for column, goals in margins.items():
        _check_sum(column, goals, f" in {position(column)},")
    return margins


def _categories(column: str, goals: object, position: Callable[..., str]) -> dict[str, float]:
    if not isinstance(goals, dict) or not goals:
        raise InputError(f"raked_to: '{column}' in {position(column)} has no categories; {_FORM}")
    if any(isinstance(goal, dict) for goal in goals.values()):
        raise InputError(
            f"raked_to: '{column}' in {position(column)} has no categories, but lists of its own: write "
            f"columns at the start of lines; {_FORM}"
        )
    by_category = {}
    for key, category, goal in zip(goals, as_names(list(goals), column), goals.values(), strict=True):
        is_number = isinstance(goal, int | float) and not isinstance(goal, bool)
        if category is None or not is_number or not (math.isfinite(goal) and goal >= 0):
            raise InputError(
                f"raked_to: '{column}', category '{category}' in {position(column, key)} must be a number "
                f">= 0, got {goal!r}"
            )
        by_category[category] = float(goal)
    return by_category


def read_rscales(text: str) -> tuple[float, ...]:
    """Read the factors of replicates.

    Args:
        text: a single number for all replicates; numbers with commas between, in the order of the columns;
            or a file with one number per line.

    Raises:
        InputError: a part or line that is no number, or a file that cannot be read.

    Example:
        >>> read_rscales("0.5, 0.75")
        (0.5, 0.75)
    """
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        path = Path(text)
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"rscales must be numbers with commas between, or a text file with one a line, got '{path}'"
        ) from error
    factors = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            factors.append(float(line))
        except ValueError as error:
            raise InputError(
                f"rscales: line {number:,} of {path.name} is no number: {line.strip()!r:.60}"
            ) from error
    if not factors:
        raise InputError(f"rscales: {path.name} has no numbers; write one a line")
    return tuple(factors)
