"""Meanings of an answer and its samples: texts with the same meaning, and entropies of meanings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from semscale.answer_consistency.pairs import Floor, compare_pairs
from semscale.answer_consistency.samples import PairReaders, distinct_entailments
from semscale.answer_consistency.short_answers import (
    is_same_short_answer,
    is_short_answer,
    same_answer_cosine,
)
from semscale.matching.entailment import CONTRADICTION, ENTAILMENT, EntailmentModel
from semscale.matching.pairs import Pairs
from semscale.types import Floats, Integers, Mask, Progress, Status


class Ground(StrEnum):
    """Methods of deciding whether two texts mean the same."""

    ENTAILMENT = "entailment"  # each entails the other
    COSINE = "cosine"  # the cosine of their vectors is high, and no guard finds a contradiction
    EXACT = "exact"  # short answers with the same words


@dataclass(frozen=True)
class Relations:
    """Relations of the m texts of one item; the first is the answer, the others are samples.

    Attributes:
        ground: method of ``same``.
        similarity: shape (m, m), 0 to 1, symmetric, 1 on the diagonal; NaN if the entailment model cannot
            read the two texts.
        same: shape (m, m), whether two texts mean the same; symmetric.
        noncontradictions: shape (m, m), 1 - the probability of a contradiction, averaged over both
            directions; ``None`` unless the ground is entailment.
    """

    ground: Ground
    similarity: Floats
    same: Mask
    noncontradictions: Floats | None = None

    @property
    def is_read(self) -> bool:
        """Return whether the relations of all texts are known."""
        return not np.isnan(self.similarity).any()

    @cached_property
    def counts(self) -> Integers:
        """Number of texts in each cluster of meanings, shape (k,)."""
        return np.bincount(meaning_clusters(self.same))

    @property
    def entailment(self) -> float:
        """Mean probability that the answer and a sample entail each other, 0 to 1."""
        return float(self.similarity[0, 1:].mean())

    @property
    def noncontradiction(self) -> float:
        """Mean probability that the answer and a sample do not contradict; NaN without entailment."""
        free = self.noncontradictions
        return np.nan if free is None else float(free[0, 1:].mean())


def relate_texts(
    pairs: Pairs,
    same_by: str,
    floor: Floor,
    readers: PairReaders,
    *,
    guards: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[int, Relations]:
    """Relate all texts of each item, by the method for the item.

    Args:
        pairs: pairs of an answer (``prediction``) and a sample (``reference``), of n items.
        same_by: ``auto``, or one method for all items.
        floor: cosine of unrelated answers.
        readers: cosines, required unless the method is entailment or exact for all items, and the entailment
            model, if any.
        guards: names of the guards that check for contradictions if cosines are used; the entailment model
            does both.
        progress: called while texts are embedded.

    Returns:
        Relations by item number, for items with samples.
    """
    item_pairs = ItemPairs.from_pairs(pairs)
    if readers.entailment is not None and same_by in {"auto", Ground.ENTAILMENT}:
        return entailment_relations(item_pairs, readers.entailment)
    if same_by == Ground.EXACT:
        return exact_relations(item_pairs)
    are_short = item_pairs.are_short & (same_by == "auto")
    related = exact_relations(item_pairs.select(are_short))
    longer = item_pairs.select(~are_short)
    if readers.cosines is None or not len(longer.item):
        return related
    compared = compare_pairs(longer.as_items(), floor.value, readers, guards=guards, progress=progress)
    is_close = compared.cosine >= same_answer_cosine(readers.cosines.signature, floor.value)
    return related | cosine_relations(longer, compared.consistency, is_close & ~compared.contradicted)


@dataclass(frozen=True)
class ItemPairs:
    """All pairs of texts within items: q pairs of n items.

    Attributes:
        texts: the distinct texts.
        members: text numbers of each item, the answer first; empty for an item without samples.
        first: shape (q,), number of a pair's first text.
        second: shape (q,), number of its second text.
        item: shape (q,), the item of each pair; ascending.
    """

    texts: Sequence[str]
    members: tuple[tuple[int, ...], ...]
    first: Integers
    second: Integers
    item: Integers

    @classmethod
    def from_pairs(cls, pairs: Pairs) -> "ItemPairs":
        """Pair all texts of each item.

        Args:
            pairs: pairs of an answer (``prediction``) and a sample (``reference``).
        """
        members: list[list[int]] = [[] for _ in range(pairs.n_items)]
        rows = zip(pairs.item.tolist(), pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
        for item, answer, sample in rows:
            members[item] += [sample] if members[item] else [answer, sample]
        first, second, items = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for item, numbers in enumerate(members):
            upper, lower = np.triu_indices(len(numbers), 1)
            column = np.array(numbers, np.int64)
            first.append(column[upper])
            second.append(column[lower])
            items.append(np.full(len(upper), item))
        columns = (np.concatenate(parts) for parts in (first, second, items))
        return cls(pairs.texts, tuple(map(tuple, members)), *columns)

    @property
    def are_short(self) -> Mask:
        """Mask of the items with only short answers, shape (n,); false for items without texts."""
        short = [is_short_answer(text) for text in self.texts]
        return np.array(
            [bool(numbers) and all(short[text] for text in numbers) for numbers in self.members], bool
        )

    @property
    def both_directions(self) -> tuple[list[str], list[str]]:
        """Premises and hypotheses of the pairs, in one direction and then in the other."""
        forward = [self.texts[text] for text in self.first.tolist()]
        backward = [self.texts[text] for text in self.second.tolist()]
        return forward + backward, backward + forward

    def select(self, chosen: Mask) -> "ItemPairs":
        """Return the pairs of some items.

        Args:
            chosen: shape (n,), mask of the items.
        """
        rows = chosen[self.item]
        members = tuple(
            numbers if is_chosen else ()
            for numbers, is_chosen in zip(self.members, chosen.tolist(), strict=True)
        )
        return ItemPairs(self.texts, members, self.first[rows], self.second[rows], self.item[rows])

    def as_items(self) -> Pairs:
        """Return each first text with the texts after it as a separate item, as guards compare languages."""
        numbers = np.stack([self.item, self.first])
        item = np.cumsum(np.any(np.diff(numbers, axis=1, prepend=-1) != 0, axis=0)) - 1
        used, positions = np.unique(np.concatenate([self.first, self.second]), return_inverse=True)
        first, second = positions.reshape(2, -1)
        status = np.full(int(item[-1]) + 1 if len(item) else 0, Status.SCORED, dtype=object)
        texts = [self.texts[text] for text in used.tolist()]
        return Pairs(texts, first, second, item, np.zeros_like(item), status)


def exact_relations(pairs: ItemPairs) -> dict[int, Relations]:
    """Relate short answers by equal words.

    Args:
        pairs: pairs of n items.

    Returns:
        Relations by item number, for items with texts.
    """
    rows = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    same = np.array(
        [is_same_short_answer(pairs.texts[first], pairs.texts[second]) for first, second in rows], bool
    )
    return _relations(pairs, Ground.EXACT, same.astype(np.float64), same)


def cosine_relations(pairs: ItemPairs, similarity: Floats, same: Mask) -> dict[int, Relations]:
    """Relate texts by the cosines of their vectors.

    Args:
        pairs: q pairs of n items.
        similarity: shape (q,), 0 to 1.
        same: shape (q,), whether the two texts mean the same.
    """
    equal = pairs.first == pairs.second
    return _relations(pairs, Ground.COSINE, np.where(equal, 1.0, similarity), same | equal)


def entailment_relations(pairs: ItemPairs, entailment: EntailmentModel) -> dict[int, Relations]:
    """Relate texts by an entailment model, in one call for all items.

    Two texts mean the same if entailment is the most probable relation in both directions. Their similarity
    is the probability of entailment, averaged over both directions; NaN if the model cannot read them.

    Args:
        pairs: pairs of n items.
        entailment: the model.

    References:
        Farquhar et al. (2024), doi 10.1038/s41586-024-07421-0: entailment in both directions.
    """
    both = np.stack(np.split(distinct_entailments(entailment, *pairs.both_directions), 2))
    equal = pairs.first == pairs.second
    is_read = ~np.isnan(both).any(axis=(0, 2))
    same = (is_read & (both.argmax(axis=2) == ENTAILMENT).all(axis=0)) | equal
    similarity = np.where(equal, 1.0, both[:, :, ENTAILMENT].mean(axis=0))
    free = np.where(equal, 1.0, 1 - both[:, :, CONTRADICTION].mean(axis=0))
    return _relations(pairs, Ground.ENTAILMENT, similarity, same, free)


def _relations(
    pairs: ItemPairs, ground: Ground, similarity: Floats, same: Mask, free: Floats | None = None
) -> dict[int, Relations]:
    related: dict[int, Relations] = {}
    bounds = np.searchsorted(pairs.item, np.arange(len(pairs.members) + 1))
    for item, members in enumerate(pairs.members):
        if members:
            rows, m = slice(bounds[item], bounds[item + 1]), len(members)
            related[item] = Relations(
                ground,
                _square(similarity[rows], m),
                _square(same[rows].astype(np.float64), m) > 0,
                None if free is None else _square(free[rows], m),
            )
    return related


def _square(values: Floats, m: int) -> Floats:
    square: Floats = np.eye(m)
    upper = np.triu_indices(m, 1)
    square[upper] = values
    square.T[upper] = values
    return square


def meaning_clusters(same: Mask) -> Integers:
    """Group texts by meaning: each joins the first cluster with a first text of the same meaning.

    Args:
        same: shape (m, m), whether two texts mean the same; symmetric.

    Returns:
        Shape (m,), the number of each text's cluster, counted from 0 by first appearance.

    References:
        Farquhar et al. (2024), doi 10.1038/s41586-024-07421-0.

    Examples:
        >>> same = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]], bool)
        >>> meaning_clusters(same).tolist()
        [0, 1, 0]
    """
    first: list[int] = []
    clusters: Integers = np.zeros(len(same), np.int64)
    for text in range(len(same)):
        matching = (number for number, other in enumerate(first) if same[other, text])
        clusters[text] = next(matching, len(first))
        if clusters[text] == len(first):
            first.append(text)
    return clusters


def best_text(texts: Sequence[str], clusters: Integers, weights: Floats | None = None) -> int:
    """Choose a text for the most probable meaning.

    The meaning is the cluster with the greatest sum of weights. Its text is the most frequent one, or the
    longest if no text occurs twice. The first of equals is chosen.

    Args:
        texts: m texts, the answer first.
        clusters: shape (m,), the number of each text's cluster, from 0.
        weights: shape (m,), probability of each text, at least 0; all equal by default.

    Returns:
        The number of the text, from 0.

    References:
        The "uncertainty-minimized response" of uqlm 0.6.

    Examples:
        >>> best_text(["Rome", "Paris", "It is Paris"], np.array([0, 1, 1]))
        2
        >>> best_text(["Rome", "Paris", "It is Paris", "Paris"], np.array([0, 1, 1, 1]))
        1
    """
    mass = np.bincount(clusters, weights=weights)
    members = np.flatnonzero(clusters == mass.argmax()).tolist()
    counts = Counter(texts[member] for member in members)
    text, n = counts.most_common(1)[0]
    if n > 1:
        return next(member for member in members if texts[member] == text)
    return max(members, key=lambda member: len(texts[member]))


def cluster_entropy(counts: Integers) -> float:
    """Compute the discrete semantic entropy: minus the sum of p log p over the clusters' shares p, in nats.

    Args:
        counts: shape (k,), number of texts in each cluster, at least 1.

    References:
        Farquhar et al. (2024), doi 10.1038/s41586-024-07421-0, discrete semantic entropy.

    Examples:
        >>> round(cluster_entropy(np.array([2, 2])), 3)  # log 2
        0.693
    """
    return share_entropy(counts / counts.sum())


def share_entropy(shares: Floats) -> float:
    """Return minus the sum of p log p over shares p that sum to 1, in nats; shares of 0 add nothing."""
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())


def meaning_entropy(same: Mask, mass: Floats | None = None) -> tuple[float, float, float]:
    """Return the semantic entropy of m texts in nats, 1 - entropy / log m, and the number of meanings.

    Args:
        same: shape (m, m), m >= 2, whether two texts mean the same; symmetric.
        mass: shape (m,), probability of each text, at least 0; all equal by default.

    Returns:
        The three numbers; all NaN if a probability is missing, or all are 0.

    References:
        Farquhar et al. (2024), doi 10.1038/s41586-024-07421-0.

    Examples:
        >>> same = np.eye(2, dtype=bool)
        >>> meaning_entropy(same, np.array([0.5, 0.5]))[1:], meaning_entropy(same, np.array([0.5, np.nan]))
        ((0.0, 2.0), (nan, nan, nan))
    """
    clusters = meaning_clusters(same)
    weights = np.ones(len(clusters)) if mass is None else mass
    total = weights.sum()
    if np.isnan(total) or not total:
        return np.nan, np.nan, np.nan
    shares = np.bincount(clusters, weights=weights) / total
    entropy = share_entropy(shares)
    return entropy, float(1 - entropy / np.log(len(clusters))), float(len(shares))


def item_entropies(
    related: Mapping[int, Relations], n_items: int, masses: Mapping[int, Floats] | None = None
) -> Floats:
    """Compute ``meaning_entropy`` of n items.

    Args:
        related: relations of the texts of each item, by item number.
        n_items: number of items.
        masses: probabilities of the texts of each item, by item number; all equal by default.

    Returns:
        Shape (3, n): entropy, 1 - entropy / log m, and the number of meanings; NaN for items with unknown
        relations or probabilities.
    """
    figures: Floats = np.full((3, n_items), np.nan)
    for item, relations in related.items():
        if relations.is_read:
            figures[:, item] = meaning_entropy(relations.same, None if masses is None else masses[item])
    return figures


def best_positions(
    pairs: Pairs, related: Mapping[int, Relations], masses: Mapping[int, Floats] | None = None
) -> list[int]:
    """Choose a text for the most probable meaning of each item, as ``best_text``.

    Args:
        pairs: pairs of an answer (``prediction``) and a sample (``reference``), of n items.
        related: relations of the texts of each item, the answer first, by item number.
        masses: probabilities of these texts, by item number; all equal by default.

    Returns:
        n positions: 0 for the answer, from 1 for its samples; 0 where relations or probabilities are unknown.
    """
    best = [0] * pairs.n_items
    for item, relations in related.items():
        rows = np.flatnonzero(pairs.item == item).tolist()
        mass = None if masses is None else masses.get(item)
        is_unknown = masses is not None and (mass is None or np.isnan(mass).any())
        if not rows or not relations.is_read or is_unknown:
            continue
        texts = [pairs.texts[number] for number in (pairs.prediction[rows[0]], *pairs.reference[rows])]
        chosen = best_text(texts, meaning_clusters(relations.same), mass)
        best[item] = 1 + int(pairs.place[rows[chosen - 1]]) if chosen else 0
    return best


def semantic_negentropy(counts: Integers) -> float:
    """Compute 1 - semantic entropy / log m: 1 if all m texts mean the same, 0 if all meanings differ.

    Args:
        counts: shape (k,), number of texts in each cluster, with sum m >= 2.

    References:
        Bouchard and Chauhan (2025), arXiv 2504.19254.

    Examples:
        >>> semantic_negentropy(np.array([2, 2]))  # log 2 / log 4 = 1/2
        0.5
    """
    return 1.0 - cluster_entropy(counts) / float(np.log(counts.sum()))


def sets_agreement(counts: Integers) -> float:
    """Compute (m - k) / (m - 1) for k meanings of m texts: 1 for one meaning, 0 for m.

    Args:
        counts: shape (k,), number of texts in each cluster, with sum m >= 2.

    References:
        Number of semantic sets: Lin, Trivedi and Sun (2024), arXiv 2305.19187.

    Examples:
        >>> sets_agreement(np.array([3, 1, 1]))  # (5 - 3) / 4
        0.5
    """
    return float((counts.sum() - len(counts)) / (counts.sum() - 1))
