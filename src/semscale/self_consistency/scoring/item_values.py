"""Averages the values of pairs into values of items."""

import numpy as np

from semscale.self_consistency.consistencies import Consistencies
from semscale.self_consistency.reasons import measuring_reasons
from semscale.self_consistency.scoring.contradictions import Contradiction
from semscale.self_consistency.scoring.floor import Floor
from semscale.self_consistency.scoring.length_baselines import length_nulls
from semscale.self_consistency.scoring.measures import item_means
from semscale.self_consistency.scoring.pair_blocks import PairValues
from semscale.self_consistency.scoring.samples import SampledAnswers
from semscale.signature import Signature


def collect(taken: SampledAnswers, floor: Floor, values: PairValues, signature: Signature) -> Consistencies:
    """Average the values of each item's pairs, and collect contradictions and counts.

    Args:
        taken: n answers with their samples, p pairs.
        floor: the floor that was applied.
        values: of the p pairs.
        signature: of the result.
    """
    pairs, n = taken.pairs, taken.pairs.n_items
    windows = np.zeros(n, np.int64)
    np.maximum.at(windows, pairs.item, values.windows)
    found: list[list[Contradiction]] = [[] for _ in range(n)]
    for item, place, findings in zip(pairs.item.tolist(), pairs.place.tolist(), values.findings, strict=True):
        found[item] += [Contradiction(place, finding) for finding in findings]
    measures = {name: item_means(column, pairs.item, n) for name, column in values.measures.items()}
    return Consistencies(
        measures=measures,
        status=taken.status,
        reasons=measuring_reasons(taken, next(iter(measures.values()))),
        n_samples=taken.n_samples,
        samples_left_out=taken.n_left_out,
        windows=windows,
        nulls=length_nulls(pairs),
        contradictions=tuple(map(tuple, found)),
        floor=floor.applied,
        floor_from=floor.origin,
        signature=signature,
    )
