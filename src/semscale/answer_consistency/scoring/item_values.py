"""Averages the values of pairs into values of items."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.meanings.meaning_measures import Meanings
from semscale.answer_consistency.reasons import measuring_reasons
from semscale.answer_consistency.scoring.baselines import EXACT_MATCH, exact_match_null, length_nulls
from semscale.answer_consistency.scoring.contradictions import Contradiction
from semscale.answer_consistency.scoring.floor import Floor
from semscale.answer_consistency.scoring.pair_blocks import PairValues
from semscale.answer_consistency.scoring.pair_measures import item_means
from semscale.answer_consistency.scoring.samples import SampledAnswers
from semscale.answer_consistency.white_box.mixed_measures import MIXED_MEASURES
from semscale.answer_consistency.white_box.token_scores import NULL
from semscale.signature import Signature
from semscale.types import Floats, Mask, Status


@dataclass(frozen=True)
class ItemMeasures:
    """The measures that were asked for, and those of them that are no means over pairs.

    Attributes:
        names: of all measures, in their order.
        meanings: of the n items, where a measure needs them.
        tokens: measures of the answers' tokens, and P(True), each of shape (n,).
    """

    names: tuple[str, ...]
    meanings: Meanings | None
    tokens: Mapping[str, Floats]

    @property
    def token_null(self) -> dict[str, Floats]:
        """What the first token alone says, where tokens are known and no measure is that."""
        return {NULL: self.tokens[NULL]} if NULL in self.tokens and NULL not in self.names else {}

    def with_means(self, means: Mapping[str, Floats], is_scored: Mask) -> dict[str, Floats]:
        """Give all measures in their order; those of tokens for scored items alone.

        Args:
            means: of the pairs of each item.
            is_scored: shape (n,).
        """
        named = {**means, **({} if self.meanings is None else self.meanings.measures)}
        named |= {name: np.where(is_scored, column, np.nan) for name, column in self.tokens.items()}
        mixed = {name: MIXED_MEASURES[name].values(named) for name in self.names if name in MIXED_MEASURES}
        return {name: (named | mixed)[name] for name in self.names}


def collect(
    taken: SampledAnswers, floor: Floor, values: PairValues, signature: Signature, asked: ItemMeasures
) -> Consistencies:
    """Average the values of each item's pairs, and collect contradictions and counts.

    Args:
        taken: n answers with their samples, p pairs.
        floor: the floor that was applied.
        values: of the p pairs.
        signature: of the result.
        asked: the measures that were asked for.
    """
    pairs, n = taken.pairs, taken.pairs.n_items
    windows = np.zeros(n, np.int64)
    np.maximum.at(windows, pairs.item, values.windows)
    found: list[list[Contradiction]] = [[] for _ in range(n)]
    for item, place, findings in zip(pairs.item.tolist(), pairs.place.tolist(), values.findings, strict=True):
        found[item] += [Contradiction(place, finding) for finding in findings]
    means = {name: item_means(column, pairs.item, n) for name, column in values.measures.items()}
    measures = asked.with_means(means, np.asarray(taken.status == Status.SCORED, bool))
    meanings = asked.meanings
    same = {} if EXACT_MATCH in asked.names else exact_match_null(pairs)
    return Consistencies(
        measures=measures,
        status=taken.status,
        reasons=measuring_reasons(taken, measures[asked.names[0]], asked.names[0]),
        n_samples=taken.n_samples,
        samples_left_out=taken.n_left_out,
        windows=windows,
        nulls=length_nulls(pairs) | same | asked.token_null,
        contradictions=tuple(map(tuple, found)),
        floor=floor.applied,
        floor_from=floor.origin,
        signature=signature,
        n_meanings=np.zeros(n, np.int64) if meanings is None else meanings.n_meanings,
        same_by=np.full(n, None, dtype=object) if meanings is None else meanings.grounds,
    )
