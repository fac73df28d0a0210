"""Totals, means, shares and ratios of many columns in many groups."""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.survey.domains import Domains, checked_domains
from semscale.stats.survey.estimates import SurveyEstimates
from semscale.stats.survey.figures_with_spread import FiguresWithSpread, ratio_figures, total_figures
from semscale.stats.survey.variances import AnyDesign, Variances
from semscale.types import Floats, Mask

_NUMBERS_AT_ONCE = 1_000_000
"""Numbers of a block of columns, so that memory stays flat however many columns there are."""


def survey_means(
    columns: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyEstimates:
    """Weighted means of columns in each group, all in one call.

    A column of zeros and ones gives a share; ``indicators`` makes such columns of a question's answers.

    Args:
        columns: shape (n,) or (n, v); NaN where a row has no value.
        design: how respondents were drawn.
        groups: shape (n,), each row's group, from 0; -1 for none. One group of all rows unless given.
        n_groups: how many groups there are; the highest number + 1 unless given.

    Raises:
        InputError: lengths or values that do not fit, or a group whose weights sum to 0.

    References:
        Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, section 5.6 (ratios) and
        chapter 10 (domains).

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> means = survey_means(np.array([1.0, 2.0, 3.0, np.nan]), SurveyDesign(np.ones(4)))
        >>> means.values.tolist(), means.n.tolist(), means.n_missing.tolist()
        ([[2.0]], [[3]], [[1]])
        >>> means.standard_errors.round(4).tolist()  # sqrt(4 / 3 * (1 + 1) / 9), one of four without a value
        [[0.5443]]
    """
    return estimated([columns], design, checked_domains(groups, n_groups, design.n), _mean)


def survey_totals(
    columns: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyEstimates:
    """Weighted totals of columns in each group; settings and errors as in ``survey_means``.

    Rows without a value add nothing, so a total is that of the rows with one.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> survey_totals(np.array([1.0, 2.0, 3.0]), SurveyDesign(np.full(3, 10.0))).values.tolist()
        [[60.0]]
    """
    return estimated([columns], design, checked_domains(groups, n_groups, design.n), _total)


def survey_ratios(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyEstimates:
    """Ratios of two columns' totals in each group; settings and errors as in ``survey_means``.

    Args:
        numerators: shape (n,) or (n, v); a row counts where both are there.
        denominators: of the same shape.
        design: how respondents were drawn.
        groups: as in ``survey_means``.
        n_groups: likewise.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> survey_ratios([1.0, 2.0], [2.0, 4.0], SurveyDesign(np.ones(2))).values.tolist()
        [[0.5]]
    """
    domains = checked_domains(groups, n_groups, design.n)
    return estimated([numerators, denominators], design, domains, _ratio)


def indicators(answers: npt.ArrayLike, n_answers: int) -> Floats:
    """Turn a question's answers into columns of zeros and ones, one for each possible answer.

    Args:
        answers: shape (n,), whole numbers from 0; -1 where there is no answer.
        n_answers: how many answers are possible.

    Returns:
        Shape (n, n_answers); NaN in rows without an answer.

    Raises:
        InputError: a number out of range; its row is named.

    Example:
        >>> indicators([1, -1], 2).tolist()
        [[0.0, 1.0], [nan, nan]]
    """
    codes = np.asarray(answers)
    domains = checked_domains(codes, n_answers, len(codes))
    columns: Floats = (domains.codes[:, None] == np.arange(n_answers)).astype(np.float64)
    columns[domains.codes < 0] = np.nan
    return columns


Figure = Callable[[list[Floats], Mask, AnyDesign, Domains], FiguresWithSpread]


def _mean(columns: list[Floats], valid: Mask, design: AnyDesign, domains: Domains) -> FiguresWithSpread:
    return ratio_figures(columns[0], valid.astype(np.float64), design, domains)


def _total(columns: list[Floats], valid: Mask, design: AnyDesign, domains: Domains) -> FiguresWithSpread:  # noqa: ARG001
    return total_figures(columns[0], design, domains)


def _ratio(columns: list[Floats], valid: Mask, design: AnyDesign, domains: Domains) -> FiguresWithSpread:  # noqa: ARG001
    return ratio_figures(columns[0], columns[1], design, domains)


def estimated(
    given: list[npt.ArrayLike], design: AnyDesign, domains: Domains, figure: Figure
) -> SurveyEstimates:
    """Estimate block by block of columns.

    Args:
        given: tables of one shape, (n,) or (n, v); a row counts where all of them have a value.
        design: how respondents were drawn.
        domains: the groups.
        figure: of a block of columns, with 0 in rows that do not count.

    Raises:
        InputError: tables of different shapes, or what ``checked_columns`` and ``check_groups`` refuse.
    """
    tables = [checked_columns(one, design.n) for one in given]
    if len({table.shape for table in tables}) > 1:
        raise InputError(
            f"columns must have the same shape, got {' and '.join(str(t.shape) for t in tables)}"
        )
    check_groups(design, domains)
    variances = Variances(design, domains)
    blocks = []
    for block in column_blocks(tables[0].shape[1], design.n):
        columns = [table[:, block].astype(np.float64) for table in tables]
        valid = ~np.isnan(sum(columns)) & (design.weights > 0)[:, None]
        present = [np.where(valid, column, 0.0) for column in columns]
        figures = figure(present, valid, design, domains)
        blocks.append(counted(figures.values, variances, figures.spread, valid, (design, domains)))
    return _joined(blocks)


def counted(
    values: Floats, variances: Variances, spread: Floats, valid: Mask, base: tuple[AnyDesign, Domains]
) -> SurveyEstimates:
    """Put figures together with their covariance and with the counts behind them."""
    design, domains = base
    counts = valid.astype(np.float64)
    n = domains.sums(counts)
    weight = domains.sums(counts * design.weights[:, None])
    squares = domains.sums(counts * design.weights[:, None] ** 2)
    rows = domains.sums((design.weights > 0)[:, None].astype(np.float64))
    return SurveyEstimates(
        values=np.where(n > 0, values, np.nan),
        covariance=variances.covariance(values, spread),
        pair_df=variances.pair_degrees(valid),
        n=n.astype(np.int64),
        n_missing=(rows - n).astype(np.int64),
        weight=weight,
        effective_n=np.divide(weight**2, squares, out=np.zeros_like(weight), where=squares > 0),
    )


def checked_columns(columns: npt.ArrayLike, n: int) -> Floats:
    """Take columns, shape (n, v): numbers, NaN where a value is missing.

    Raises:
        InputError: another length, no column, something else than numbers, or an infinite value.
    """
    try:
        table = np.asarray(columns)
        table = table if table.dtype.kind == "f" else table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"columns must be numbers: {error}") from error
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != n or not table.shape[1]:  # noqa: PLR2004
        raise InputError(f"columns must have {n} rows as the design has, got shape {table.shape}")
    if np.isinf(table).any():
        row = int(np.flatnonzero(np.isinf(table).any(axis=1))[0])
        raise InputError(f"columns must be finite, but row {row + 1:,} has an infinite value")
    return table


def check_groups(design: AnyDesign, domains: Domains) -> None:
    """Refuse groups that have rows, but no weight.

    Raises:
        InputError: the weights of a group sum to 0; the group is named.
    """
    rows = np.bincount(domains.codes[domains.rows], minlength=domains.count)
    weights = np.bincount(domains.codes[domains.rows], design.weights[domains.rows], minlength=domains.count)
    empty = np.flatnonzero((rows > 0) & (weights == 0))
    if len(empty):
        raise InputError(f"the weights of group {empty[0]} sum to 0 over {rows[empty[0]]} rows")


def column_blocks(n_columns: int, n: int) -> Iterator[slice]:
    """Split columns of n rows into blocks that memory holds."""
    step = max(1, _NUMBERS_AT_ONCE // n)
    return (slice(start, start + step) for start in range(0, n_columns, step))


def _joined(blocks: list[SurveyEstimates]) -> SurveyEstimates:
    names = SurveyEstimates.__dataclass_fields__
    return SurveyEstimates(*(np.concatenate([getattr(one, name) for one in blocks]) for name in names))
