"""Topics of answers: directions that come back among their units' vectors, and the words of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from semscale.coding.typical_words import Vocabulary, overlaps
from semscale.embedding.embedder import anchor_embedder
from semscale.errors import InputError
from semscale.results.languages import language_of
from semscale.scales import load_scale
from semscale.stats.clustering import (
    STABLE,
    RecurringDirections,
    best_jaccard,
    of_length_1,
    principal_axes,
    recurring_directions,
)
from semscale.types import Floats, Integers, Mask, Progress, Vectors

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

CLUSTERS = 40
"""Most clusters of one half of the units; like ones are joined."""

JOINED = (0.4, 0.35, 0.3, 0.25, 0.2)
"""Mean cosines from which directions of several halves may be joined; the one with most stable topics is."""

ENOUGH_UNITS = 250
"""Number of different sentences and clauses that usually show topics: 60 answers of four, for instance."""

USUAL_CODES = 8
"""Number of codes to ask for where answers are too few to show topics by themselves."""

SENTIMENT_AXES = 8
"""Number of directions of sentiment that are taken out of the vectors."""

KEYWORDS = 8
"""Most keywords of a topic."""

_GENERAL_SETS = (
    "verdict", "fails", "nobody-helped", "poor-great", "well-made", "dislike", "complain-praise", "parts",
    "pleased", "worthless", "wrong-right",
)  # fmt: skip
"""Anchor sets of the scale ``quality`` that name no thing."""

_REMARKS = (
    "I will be back.", "We will come again.", "I would not return.", "I won't go back.",
    "I would use it again.", "I will never buy it again.", "I recommend it.",
    "I highly recommend it to everyone.", "I would not recommend it.", "Give it a try.", "Avoid it.",
    "I love it.", "We really liked it.", "I was very disappointed.", "I am happy with it.", "I hated it.",
    "Nothing special.", "It was okay overall.", "A great experience.", "A terrible experience.",
    "The best ever.", "The worst ever.", "I have nothing to add.", "No comment.", "Thank you.",
    "Everything was fine.", "That is all.",
)  # fmt: skip
"""Remarks that fit any subject and have no topic."""

_MOST_REMARKS = 2

_LEVELS = tuple(level / 20 for level in range(1, 20))
_LEAST_PROJECTION, _LEAST_OF_BEST = 0.25, 0.7
_LEAST_PROJECTION_OF_WORD = 0.2
_LEAST_SCORE = 1.0  # standard errors; few answers give no more
_LEAST_GAIN = 0.2
_SUBJECT = 0.75
_DISSOLVED, _LEAST_JACCARD = 0.5, 0.3
_STABILITY_HALVES, _RUNS_OF_HALF = 10, 10
_MOST_OF_SPACE, _BATCH = 10_000, 8_192  # units
_SOME = 200  # texts that show the language
_NO_SIZE = 1e-6  # of single-precision vectors


def sentiment_axes(embedder: "Embedder") -> Floats:
    """Return orthonormal directions in which general praise and blame differ, shape (a, d).

    They are the principal directions of the anchors of the scale ``quality``, each set centred on its mean.

    Args:
        embedder: turns the anchors into vectors.
    """
    sets = load_scale("quality").anchor_sets
    anchors = [list(sets[name]) for name in _GENERAL_SETS]
    vectors = anchor_embedder(embedder).embed([text for some in anchors for text in some]).vectors
    by_set = vectors.astype(np.float64).reshape(len(anchors), -1, vectors.shape[1])
    centred = (by_set - by_set.mean(axis=1, keepdims=True)).reshape(-1, vectors.shape[1])
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    return axes[:SENTIMENT_AXES][sizes[:SENTIMENT_AXES] > _NO_SIZE]


class NoTopicsError(InputError):
    """The answers show no two topics that surely come back; a stated number of codes can be suggested.

    Args:
        n: number of different sentences and clauses.
    """

    def __init__(self, n: int) -> None:
        reason = f"the {n:,} different sentences and clauses show no two topics that surely come back"
        if n < ENOUGH_UNITS:
            reason = (
                f"{n:,} different sentences and clauses are too few to find out how many topics there are: "
                f"about {ENOUGH_UNITS} are needed"
            )
        super().__init__(f"{reason}. State a number of `codes`, such as {USUAL_CODES}; some may be chance")


@dataclass(frozen=True, eq=False)
class TopicSpace:
    """The main directions of units' vectors, without sentiment and without what all units share.

    Attributes:
        removed: orthonormal directions that are taken out, shape (a, d).
        middle: mean of what is left, shape (d,).
        axes: its main directions, shape (d, q).
    """

    removed: Floats
    middle: Floats
    axes: Floats

    @classmethod
    def from_vectors(cls, vectors: Vectors, sentiment: Floats) -> "TopicSpace":
        """Find the space of n vectors (n, d), without the directions of sentiment (a, d)."""
        shared = of_length_1(_without(vectors, sentiment).mean(axis=0))
        removed = np.concatenate([sentiment, shared[None]])
        middle, axes = principal_axes(_directions_without(vectors, removed))
        return cls(removed, middle, axes)

    def project(self, vectors: Vectors) -> Floats:
        """Return the points of vectors (n, d), shape (n, q).

        A point is long, at most about 1, if the text is about what many texts are about.
        """
        points: Floats = np.empty((len(vectors), self.axes.shape[1]))
        for start in range(0, len(vectors), _BATCH):
            rows = slice(start, start + _BATCH)
            points[rows] = (_directions_without(vectors[rows], self.removed) - self.middle) @ self.axes
        return points


def _without(vectors: Vectors | Floats, directions: Floats) -> Floats:
    exact = vectors.astype(np.float64)
    rest: Floats = exact - (exact @ directions.T) @ directions
    return rest


def _directions_without(vectors: Vectors | Floats, directions: Floats) -> Floats:
    """Return what is left of vectors, of length 1, or of length 0 where nothing is left."""
    rest = _without(vectors, directions)
    rest[np.linalg.norm(rest, axis=1) < _NO_SIZE] = 0.0
    return of_length_1(rest)


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics of units, and the directions of units without a topic, such as "we loved it".

    Attributes:
        space: where the units' vectors are compared.
        centres: shape (g, q), of length 1: k topics, then directions that are no topic.
        keywords: for each topic its words as people write them, the most typical first.
        scores: how typical each keyword is.
        jaccard: shape (k,), stability of each topic, 0 to 1.
    """

    space: TopicSpace
    centres: Floats
    keywords: tuple[tuple[str, ...], ...]
    scores: tuple[tuple[float, ...], ...]
    jaccard: Floats

    def __len__(self) -> int:
        return len(self.keywords)

    def projections(self, vectors: Vectors) -> Floats:
        """Return the projections of units' vectors (n, d) on all directions, shape (n, g)."""
        return self.space.project(vectors) @ self.centres.T

    def assign(self, projections: Floats) -> Mask:
        """Return which of the k topics each of n units has, shape (n, k), from ``projections``."""
        return has_topic(projections)[:, : len(self)]

    def in_order(self, order: Sequence[int]) -> "Topics":
        """Put the k topics into another order."""
        rest = range(len(self), len(self.centres))
        return replace(
            self,
            centres=self.centres[[*order, *rest]],
            keywords=tuple(self.keywords[topic] for topic in order),
            scores=tuple(self.scores[topic] for topic in order),
            jaccard=self.jaccard[list(order)],
        )


def has_topic(projections: Floats, least: float = _LEAST_PROJECTION) -> Mask:
    """Return which units are near enough to each direction: above a bound, and to 70 % of the nearest one.

    Args:
        projections: of n units on g directions, shape (n, g).
        least: the bound.

    Examples:
        >>> has_topic(np.array([[0.5, 0.4, 0.1], [0.2, 0.1, 0.1]])).tolist()
        [[True, True, False], [False, False, False]]
    """
    highest = projections.max(axis=1, keepdims=True)
    near: Mask = (projections >= least) & (projections >= _LEAST_OF_BEST * highest)
    return near


@dataclass(frozen=True, eq=False)
class _Units:
    """Units in the topics' space, with their words, the words' points, and the points of general remarks."""

    points: Floats
    answers: Integers
    n_answers: int
    vocabulary: Vocabulary
    word_points: Floats
    remark_points: Floats


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Directions that came back, their keywords, and which of them are topics."""

    centres: Floats
    keywords: list[list[int]]
    scores: Floats
    is_topic: Mask
    sizes: Integers


def find_topics(
    texts: Sequence[str],
    answers: Integers,
    vectors: Vectors,
    embedder: "Embedder",
    *,
    codes: int | None,
    most: int,
    seed: int,
    progress: Progress | None = None,
) -> Topics:
    """Find the topics of units.

    Units are clustered in 20 random halves, and clusters of different halves with like directions are joined.
    A group is a topic if three of four halves have it and if it has keywords: words that are typical of its
    units and whose own vectors lie in its direction. At least 20 % more of its units than of the others must
    have one of them, on units that did not choose them. A group whose first keyword is in three of four
    answers is the survey's subject and no topic, and neither is a group that is nearest to three general
    remarks, such as "I will be back", or that hardly comes back when halves are clustered in the same way.

    Args:
        texts: n units.
        answers: shape (n,), the answer of each unit, from 0.
        vectors: shape (n, d), of length 1.
        embedder: the units' embedder, for anchors and single words.
        codes: number of topics; ``None`` for the number with most stable topics.
        most: most topics.
        seed: seed of all random steps.
        progress: called while words are embedded.

    Returns:
        The topics.

    Raises:
        InputError: fewer clusters than ``codes``, or not 2 to ``most`` topics.
    """
    rng = np.random.default_rng(seed)
    some = vectors
    if len(vectors) > _MOST_OF_SPACE:
        some = vectors[np.sort(rng.choice(len(vectors), _MOST_OF_SPACE, replace=False))]
    space = TopicSpace.from_vectors(some, sentiment_axes(embedder))
    points = space.project(vectors)
    if not (np.linalg.norm(points, axis=1) > _NO_SIZE).any():
        raise InputError("the answers do not differ enough for clusters")
    vocabulary = Vocabulary.from_texts(texts, language_of(" ".join(texts[:_SOME])) or "en")
    word_points = np.zeros((len(vocabulary.words), points.shape[1]))
    if vocabulary.words:
        word_vectors = embedder.embed(list(vocabulary.words), progress=progress).vectors
        word_points = space.project(word_vectors)
        word_points -= word_points.mean(axis=0)
    remarks = space.project(embedder.embed(list(_REMARKS)).vectors)
    units = _Units(points, answers, int(answers.max()) + 1, vocabulary, word_points, remarks)
    found = recurring_directions(points, CLUSTERS, rng)
    halves = _HalvesOfUnits.draw(points, rng)
    if codes is None:
        candidates, jaccard = _most_stable_topics(found, units, halves, most)
        chosen = np.flatnonzero(candidates.is_topic)
    else:
        level, candidates = _so_many_topics(found, units, codes)
        jaccard = halves.stability(candidates.centres, level)
        rank = np.lexsort((-candidates.sizes, ~candidates.is_topic))
        chosen = np.sort(rank[:codes])
    rest = np.setdiff1d(np.arange(len(candidates.centres)), chosen)
    forms = vocabulary.forms
    return Topics(
        space,
        candidates.centres[[*chosen, *rest]],
        tuple(tuple(forms[word] for word in candidates.keywords[topic]) for topic in chosen),
        tuple(tuple(candidates.scores[topic, candidates.keywords[topic]].tolist()) for topic in chosen),
        jaccard[chosen],
    )


@dataclass(frozen=True, eq=False)
class _HalvesOfUnits:
    """Random halves of the units, each clustered as all units are: in random halves of its own."""

    points: Floats
    found: tuple[RecurringDirections, ...]

    @classmethod
    def draw(cls, points: Floats, rng: np.random.Generator) -> "_HalvesOfUnits":
        n = max(len(points) // 2, 1)
        drawn = (np.sort(rng.choice(len(points), n, replace=False)) for _ in range(_STABILITY_HALVES))
        found = (recurring_directions(points[rows], CLUSTERS, rng, halves=_RUNS_OF_HALF) for rows in drawn)
        return cls(points, tuple(found))

    def stability(self, centres: Floats, level: float) -> Floats:
        """Return the mean Jaccard similarity of each direction's units with those of the nearest of a half.

        Args:
            centres: shape (g, q).
            level: mean cosine from which directions are joined.
        """
        members = has_topic(self.points @ centres.T)
        similar = []
        for half in self.found:
            others = half.recurring(level)
            if len(others):
                similar.append(best_jaccard(members, has_topic(self.points @ others.T)))
            else:
                similar.append(np.zeros(len(centres)))
        stability: Floats = np.mean(similar, axis=0)
        return stability


def _most_stable_topics(
    found: RecurringDirections, units: _Units, halves: _HalvesOfUnits, most: int
) -> tuple[_Candidates, Floats]:
    """Return the level with most stable topics, and all directions' stability.

    Of levels with as many, the one is chosen whose topics' similarities exceed .5 by most in all: a cluster
    below it is called dissolved by Hennig.
    """
    best: tuple[tuple[int, float], _Candidates, Floats] | None = None
    has_too_many = False
    for level in JOINED:
        candidates = _candidates(found.recurring(level), units)
        if candidates.is_topic.sum() < 2:
            continue
        jaccard = halves.stability(candidates.centres, level)
        candidates = _without_chance(candidates, jaccard)
        if candidates.is_topic.sum() > most:
            has_too_many = True
            continue
        of_topics = jaccard[candidates.is_topic]
        rank = (int((of_topics >= STABLE).sum()), float((of_topics - _DISSOLVED).sum()))
        if best is None or rank > best[0]:
            best = rank, candidates, jaccard
    if best is None and has_too_many:
        raise InputError("most", f"must be higher, as the answers show more than {most} topics")
    if best is None:
        raise NoTopicsError(len(units.points))
    return best[1:]


def _without_chance(candidates: _Candidates, jaccard: Floats) -> _Candidates:
    """Leave out topics that hardly come back, unless fewer than two would remain."""
    is_topic: Mask = candidates.is_topic & (jaccard >= _LEAST_JACCARD)
    return replace(candidates, is_topic=is_topic) if is_topic.sum() >= 2 else candidates


def _so_many_topics(found: RecurringDirections, units: _Units, codes: int) -> tuple[float, _Candidates]:
    """Return the topics at the lowest level with at least ``codes`` of them.

    Where no level has so many, directions that are no topic or come back in few halves are taken as well.
    """
    for level in _LEVELS:
        centres = found.recurring(level)
        if len(centres) >= codes:
            candidates = _candidates(centres, units)
            if candidates.is_topic.sum() >= codes:
                return level, candidates
    for level in _LEVELS:
        centres, _ = found.groups(level)
        if len(centres) >= codes:
            return level, _candidates(centres, units)
    raise InputError("codes", f"must be at most the {len(centres)} clusters that there are, got {codes}")


def _candidates(centres: Floats, units: _Units) -> _Candidates:
    if not len(centres):
        none = np.zeros(0)
        return _Candidates(centres, [], none, none.astype(bool), none.astype(np.int64))
    labels: Integers = (units.points @ centres.T).argmax(axis=1)
    scores = units.vocabulary.scores(labels, len(centres))
    is_near = has_topic(units.word_points @ centres.T, _LEAST_PROJECTION_OF_WORD).T
    keywords = _keywords(scores, is_near, units.vocabulary)
    gains = _gains(labels, is_near, units.vocabulary)
    remarks = _count_remarks(units.remark_points @ centres.T)
    is_topic = [
        bool(words) and gain >= _LEAST_GAIN and n <= _MOST_REMARKS and not _is_subject(words[0], units)
        for words, gain, n in zip(keywords, gains, remarks, strict=True)
    ]
    sizes = np.bincount(labels, minlength=len(centres))
    return _Candidates(centres, keywords, scores, np.array(is_topic), sizes)


def _keywords(scores: Floats, is_near: Mask, vocabulary: Vocabulary) -> list[list[int]]:
    """Choose the keywords of each group: typical words that lie in its direction, praise last."""
    chosen = []
    for row, near in zip(scores, is_near, strict=True):
        words = np.flatnonzero(near & (row >= _LEAST_SCORE))
        keywords: list[int] = []
        for word in words[np.lexsort((-row[words], vocabulary.evaluations[words]))].tolist():
            if len(keywords) < KEYWORDS and not overlaps(
                vocabulary.words[word], [vocabulary.words[other] for other in keywords]
            ):
                keywords.append(word)
        chosen.append(keywords)
    return chosen


def _gains(labels: Integers, is_near: Mask, vocabulary: Vocabulary) -> list[float]:
    """Return the share of a group's units with a keyword less that of other units.

    The even units choose the keywords, and the shares are of the odd ones.
    """
    is_even = np.arange(len(labels)) % 2 == 0
    even = vocabulary.scores(np.where(is_even, labels, -1), len(is_near))
    gains = []
    for group, words in enumerate(_keywords(even, is_near, vocabulary)):
        is_inside, is_outside = ~is_even & (labels == group), ~is_even & (labels != group)
        if not words or not is_inside.any():
            gains.append(0.0)
            continue
        has_word = vocabulary.has_any(words)
        outside = has_word[is_outside].mean() if is_outside.any() else 0.0
        gains.append(float(has_word[is_inside].mean() - outside))
    return gains


def _count_remarks(projections: Floats) -> list[int]:
    """Count the general remarks that each direction is the nearest to, if it is near."""
    is_near = has_topic(projections) & (projections == projections.max(axis=1, keepdims=True))
    counts: list[int] = is_near.sum(axis=0).tolist()
    return counts


def _is_subject(word: int, units: _Units) -> bool:
    """Tell whether three of four answers have a word, such as the product's name."""
    has_word = units.vocabulary.has_any([word])
    return len(np.unique(units.answers[has_word])) >= _SUBJECT * units.n_answers
