"""Columns of the criteria of a rubric in a judged table."""

from collections.abc import Sequence

import polars as pl

from semscale.judging.verdict import Verdict

CRITERION = "criterion_"
"""Prefix of the columns of criteria."""


def criterion_columns(verdicts: Sequence[Verdict], names: Sequence[str]) -> list[pl.Series]:
    """Lay out the verdicts by each criterion: the expected score, the likeliest level and the status.

    Args:
        verdicts: n verdicts; those on rows that cannot be judged have no criteria.
        names: of the criteria, in their order.
    """
    columns = []
    for place, name in enumerate(names):
        own = [verdict.criteria[place] if verdict.criteria else None for verdict in verdicts]
        title = CRITERION + name
        expected = [None if one is None else one.expected for one in own]
        score = [None if one is None else one.score for one in own]
        status = [None if one is None else str(one.status) for one in own]
        columns += [
            pl.Series(title, expected, pl.Float64).fill_nan(None),
            pl.Series(f"{title}_score", score, pl.Float64).fill_nan(None),
            pl.Series(f"{title}_status", status, pl.String),
        ]
    return columns
