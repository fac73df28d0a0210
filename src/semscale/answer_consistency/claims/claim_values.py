"""Values of claims beside samples: a sample's best unit counts, and a claim's mean over samples."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from semscale.answer_consistency.meanings.relations import distinct_entailments
from semscale.matching.entailment.probabilities import CONTRADICTION, ENTAILMENT, EntailmentModel
from semscale.types import Floats, Integers

PairValues = Callable[[list[str], list[str]], Mapping[str, Floats]]
"""Gives p units (premises) and p claims their values by each scorer, each of shape (p,), NaN where unread."""
ENTAILMENT_VALUES = ("entailment", "noncontradiction", "contrasted_entailment")
"""What a model of entailment gives: p(entailment), 1 - p(contradiction), and their share of both."""


def claim_values(
    claims: Sequence[Sequence[str]], units: Sequence[Sequence[Sequence[str]]], pair_values: PairValues
) -> list[dict[str, Floats]]:
    """Give each claim its values: the greatest over the units of a sample, averaged over samples.

    Args:
        claims: n lists of claims.
        units: for each of them a list of samples, each a list of units: the whole sample, or its sentences or
            claims. A sample without units, or with none that can be read, does not count.
        pair_values: gives the values of pairs, in one call for all.

    Returns:
        For each list of claims the values by scorer, each of shape (claims,); NaN without samples.

    References:
        Whole samples are LUQ, units are LUQ-pair: Zhang et al. (2024), arXiv 2403.20279.
    """
    premises: list[str] = []
    hypotheses: list[str] = []
    cell_of_pair: list[int] = []
    claim_of_cell: list[int] = []
    listed = [(claim, texts) for each, texts in zip(claims, units, strict=True) for claim in each]
    for number, (claim, samples) in enumerate(listed):
        for sample in samples:
            premises += sample
            hypotheses += [claim] * len(sample)
            cell_of_pair += [len(claim_of_cell)] * len(sample)
            claim_of_cell.append(number)
    values = pair_values(premises, hypotheses)
    cells, owners = np.array(cell_of_pair, np.int64), np.array(claim_of_cell, np.int64)
    means = {name: _mean_of_best(column, cells, owners, len(listed)) for name, column in values.items()}
    bounds = np.cumsum([0, *map(len, claims)])
    return [
        {name: column[start:stop] for name, column in means.items()}
        for start, stop in zip(bounds, bounds[1:], strict=False)
    ]


def entailment_values(
    model: EntailmentModel, premises: list[str], hypotheses: list[str]
) -> dict[str, Floats]:
    """Give pairs their values by a model of entailment, named as in ``ENTAILMENT_VALUES``.

    Args:
        model: of entailment.
        premises: p texts.
        hypotheses: p texts.
    """
    found = distinct_entailments(model, premises, hypotheses) if premises else np.zeros((0, 3))
    entailed, denied = found[:, ENTAILMENT], found[:, CONTRADICTION]
    both = entailed + denied
    contrasted = np.divide(entailed, both, out=np.full(len(both), 0.5), where=~(both <= 0))
    return dict(zip(ENTAILMENT_VALUES, (entailed, 1 - denied, contrasted), strict=True))


def _mean_of_best(values: Floats, cells: Integers, owners: Integers, n: int) -> Floats:
    best: Floats = np.full(len(owners), np.nan)
    np.fmax.at(best, cells, values)
    known = ~np.isnan(best)
    counts = np.bincount(owners[known], minlength=n)
    sums = np.bincount(owners[known], weights=best[known], minlength=n)
    means: Floats = np.full(n, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means
