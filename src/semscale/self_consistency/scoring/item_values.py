"""Averages the values of pairs into values of items."""

import numpy as np

from semscale.self_consistency.consistencies import Consistencies
from semscale.self_consistency.meanings.meaning_measures import Meanings
from semscale.self_consistency.reasons import measuring_reasons
from semscale.self_consistency.scoring.contradictions import Contradiction
from semscale.self_consistency.scoring.floor import Floor
from semscale.self_consistency.scoring.length_baselines import length_nulls
from semscale.self_consistency.scoring.pair_blocks import PairValues
from semscale.self_consistency.scoring.pair_measures import item_means
from semscale.self_consistency.scoring.samples import SampledAnswers
from semscale.signature import Signature


def collect(
    taken: SampledAnswers,
    floor: Floor,
    values: PairValues,
    signature: Signature,
    *,
    measures: tuple[str, ...],
    meanings: Meanings | None,
) -> Consistencies:
    """Average the values of each item's pairs, and collect contradictions and counts.

    Args:
        taken: n answers with their samples, p pairs.
        floor: the floor that was applied.
        values: of the p pairs.
        signature: of the result.
        measures: names of the measures, in their order.
        meanings: of the n items, where a measure needs them.
    """
    pairs, n = taken.pairs, taken.pairs.n_items
    windows = np.zeros(n, np.int64)
    np.maximum.at(windows, pairs.item, values.windows)
    found: list[list[Contradiction]] = [[] for _ in range(n)]
    for item, place, findings in zip(pairs.item.tolist(), pairs.place.tolist(), values.findings, strict=True):
        found[item] += [Contradiction(place, finding) for finding in findings]
    named = {name: item_means(column, pairs.item, n) for name, column in values.measures.items()}
    named |= {} if meanings is None else meanings.measures
    return Consistencies(
        measures={name: named[name] for name in measures},
        status=taken.status,
        reasons=measuring_reasons(taken, named[measures[0]]),
        n_samples=taken.n_samples,
        samples_left_out=taken.n_left_out,
        windows=windows,
        nulls=length_nulls(pairs),
        contradictions=tuple(map(tuple, found)),
        floor=floor.applied,
        floor_from=floor.origin,
        signature=signature,
        n_meanings=np.zeros(n, np.int64) if meanings is None else meanings.n_meanings,
        same_by=np.full(n, None, dtype=object) if meanings is None else meanings.grounds,
    )
