"""Estimation of the means of a result's values, with intervals, for every instrument."""

from collections.abc import Mapping
from typing import TypedDict, Unpack

import numpy as np

from semscale.results.estimates import Estimates
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import Method
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.types import Floats, Refits


class IntervalSettings(TypedDict, total=False):
    """Keyword arguments that decide how intervals are made; all are optional.

    Attributes:
        interval: coverage that the intervals aim at, between 0 and 1; .95 unless given.
        method: ``bootstrap``, or ``linearized`` for intervals that draw nothing at random.
        seed: seed of the bootstrap; 0 unless given.
        replicates: resamples of the bootstrap, at least 100; 2,000 unless given.
    """

    interval: float
    method: Method
    seed: int
    replicates: int


class EstimateSettings(IntervalSettings, total=False):
    """Keyword arguments of every result's ``estimate``, those of intervals included; all are optional.

    Attributes:
        by: shape (n,), names of groups; rows without one form the group ``None``.
        weights: shape (n,), finite and not negative; rows without one, or with 0, are left out and counted.
        respondents: shape (n,), whose row it is; the rows of one are resampled together, and rows without a
            name are left out and counted.
    """

    by: object
    weights: object
    respondents: object


def estimate_values(
    values: Mapping[str, Floats],
    status: object,
    *,
    bounds: Mapping[str, tuple[float, float]],
    signature: Signature,
    main: str | None = None,
    **settings: Unpack[EstimateSettings],
) -> Estimates:
    """Estimate the mean of each of k values of n rows, of all rows and of each group.

    Rows that are not scored are left out, and counted by their status.

    Args:
        values: k names, each with an array of shape (n,); NaN where a row has no value.
        status: shape (n,), of each row.
        bounds: for each name the least and the greatest value that a row can have.
        signature: signature of the result.
        main: name of the main figure; the first one unless given.
        settings: ``by``, ``weights``, ``respondents``, and how intervals are made.

    Raises:
        InputError: a column of the wrong length, a wrong weight (rows named), weights that sum to 0, more
            than 100,000 groups, or a setting out of range.

    Example:
        >>> from semscale.types import Status
        >>> found = estimate_values(
        ...     {"score": np.array([0.2, np.nan, 0.4])},
        ...     [Status.SCORED, Status.EMPTY, Status.SCORED],
        ...     bounds={"score": (0, 1)},
        ...     signature=Signature.of("match"),
        ... ).overall
        >>> round(found.mean.value, 6), found.n, found.left_out
        (0.3, 2, {'empty': 1})
    """
    names = list(values)
    tallies = Tallies(
        [value_figure(name, bounds[name]) for name in names],
        signature,
        main=names.index(main or names[0]),
    )
    columns = np.column_stack([values[name] for name in names])
    return estimate_rows(tallies, columns, status, **settings)


def estimate_rows(  # noqa: PLR0913 - columns of the rows
    tallies: Tallies,
    values: Floats,
    status: object,
    *,
    by: object = None,
    weights: object = None,
    respondents: object = None,
    refits: Refits | None = None,
    **settings: Unpack[IntervalSettings],
) -> Estimates:
    """Estimate from n rows at once, as ``estimate_values`` does, whatever figures the tallies have.

    Args:
        tallies: without any row so far.
        values: shape (n, k), as ``Tallies.add`` takes them.
        status: shape (n,), of each row.
        by: as ``EstimateSettings`` has it, and so are ``weights`` and ``respondents``.
        weights: weights of rows, shape (n,).
        respondents: shape (n,); rows of one respondent are resampled together.
        refits: shape (n, b, k), as ``Tallies.add`` takes them.
        settings: how intervals are made.
    """
    tallies.add(values, status, by=by, weights=weights, respondents=respondents, refits=refits)
    return tallies.estimates(**settings)
