"""``use_best`` of ``uqlm``: the response of the most probable meaning takes the place of the first one."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.meanings import Relations, best_text, meaning_clusters
from semscale.answer_consistency.samples import PairReaders, SampledAnswers, pair_samples
from semscale.types import Floats

T = TypeVar("T")

Order = list[int]
"""Numbers of a response (0) and its samples (from 1), the best one first, the others as they were."""


def meaning_scorer(embedder: str, nli: Any) -> Consistency:  # noqa: ANN401 - a model of entailment or None
    """Make what relates a response and its samples.

    Args:
        embedder: the model of cosines.
        nli: a model of entailment, or ``None``.
    """
    return Consistency(measures=["semantic_negentropy"], embedder=embedder, nli=nli, by_sentence=False)


def related_samples(
    scorer: Consistency,
    responses: Sequence[Any],
    samples: Sequence[Sequence[Any]],
    readers: PairReaders | None = None,
) -> tuple[SampledAnswers, dict[int, Relations]]:
    """Pair responses with their samples, and relate their meanings by the number of the response.

    Args:
        scorer: as ``meaning_scorer`` makes it.
        responses: n texts.
        samples: n lists of texts.
        readers: models that keep what they read for later calls; new ones unless given.
    """
    taken = pair_samples(list(responses), [list(each) for each in samples])
    used, pairs = readers or scorer.readers(), taken.pairs
    own = [pairs.texts[place] for place in np.unique(pairs.prediction).tolist()]
    floor = scorer.applied_floor(own, cosines=used.cosines)
    return taken, scorer.relate(taken, floor, used)


def best_orders(
    taken: SampledAnswers,
    related: Mapping[int, Relations],
    n_samples: Sequence[int],
    weights: Mapping[int, Floats] | None = None,
) -> list[Order]:
    """Order each response and its samples so that the best comes first.

    Args:
        taken: n responses with their samples.
        related: how the texts of a response relate, the response first.
        n_samples: how many samples each response has, those that do not count included.
        weights: probabilities of the texts that are related; all alike unless given.

    Returns:
        For each response its order; as it was where nothing can be compared.
    """
    pairs, orders = taken.pairs, [list(range(n + 1)) for n in n_samples]
    bounds = np.searchsorted(pairs.item, np.arange(pairs.n_items + 1)).tolist()
    for item, relations in related.items():
        rows = range(bounds[item], bounds[item + 1])
        mass = None if weights is None else weights.get(item)
        if not rows or not relations.is_read or (weights is not None and mass is None):
            continue
        numbers = [int(pairs.prediction[rows[0]]), *(int(pairs.reference[row]) for row in rows)]
        texts = [pairs.texts[number] for number in numbers]
        best = best_text(texts, meaning_clusters(relations.same), mass)
        place = 1 + int(pairs.place[rows[best - 1]]) if best else 0
        orders[item].remove(place)
        orders[item].insert(0, place)
    return orders


def reordered(
    own: Sequence[T], others: Sequence[Sequence[T]], orders: Sequence[Order]
) -> tuple[list[T], list[list[T]]]:
    """Put the best of each response and its samples into the response's place.

    Args:
        own: n values, one for each response.
        others: n lists of values, one for each sample.
        orders: n orders.

    Example:
        >>> reordered(["Rome"], [["Paris", "Oslo"]], [[1, 0, 2]])
        (['Paris'], [['Rome', 'Oslo']])
    """
    every = [[one, *rest] for one, rest in zip(own, others, strict=True)]
    sorted_rows = [[row[at] for at in order] for row, order in zip(every, orders, strict=True)]
    return [row[0] for row in sorted_rows], [row[1:] for row in sorted_rows]
