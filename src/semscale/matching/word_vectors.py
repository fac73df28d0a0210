"""Vectors of words: from a table of a model's word pieces, or from the states of a text's tokens."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.guards.findings import Finding
from semscale.matching.cosines import Rows, mean_best, plan_steps, unit_rows
from semscale.matching.words import (
    Numbers,
    Roles,
    SubjectWeights,
    TokenizedTexts,
    Vocabulary,
    Word,
    WordWeights,
    start_with_pronoun,
    subject_lengths,
    text_means,
    tokens_left_out,
    word_roles,
)
from semscale.types import Floats, Integers, Progress, Vectors

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_ids import TokenIds
    from semscale.embedding.tokens.token_states import TokenEncoder


MEASURES = 5
"""How many values a pair has."""


@dataclass(frozen=True)
class WordVectors:
    """One text of k words.

    Attributes:
        layers: shape (2, k, hidden), unit rows: its words by themselves, and in their context.
        text: shape (hidden,), the whole text, of length 1.
        weights: shape (k,), what its words count.
        to_pronoun: shape (k,), what they count beside a text that has a pronoun for the subject.
        is_pronoun: whether it has a pronoun for the subject itself.
    """

    layers: npt.NDArray[Any]
    text: Floats
    weights: Floats
    to_pronoun: Floats
    is_pronoun: bool

    def __len__(self) -> int:
        return len(self.weights)

    def weights_beside(self, other: "WordVectors") -> Floats:
        """Weights of the words; those of the subject are nearly 0 if the other text has a pronoun for it."""
        return self.to_pronoun if other.is_pronoun else self.weights


def _cosines(ours: Floats, theirs: Floats) -> Floats:
    return ours @ theirs.swapaxes(-1, -2)


def compare_words(
    pairs: Sequence[tuple[WordVectors, WordVectors]], cosines: Callable[[Any, Any], Any] = _cosines
) -> Floats:
    """Compute precision and recall of words alone and of words in context, and the cosine of the texts.

    Args:
        pairs: p predictions and their references.
        cosines: of all unit rows of one text's layers with all of another's.

    Returns:
        Shape (p, 5), 0 to 1, exactly 1 where every word has its equal; all NaN where a text has no word.
    """
    values = np.full((len(pairs), MEASURES), np.nan)
    worded = [at for at, (ours, theirs) in enumerate(pairs) if len(ours) and len(theirs)]
    if not worded:
        return values
    sides = [pairs[at] for at in worded]
    weights = [(ours.weights_beside(theirs), theirs.weights_beside(ours)) for ours, theirs in sides]
    words = word_matches((cosines(ours.layers, theirs.layers) for ours, theirs in sides), weights)
    values[worded, :4] = np.concatenate(words, axis=-1)
    texts = np.array([(ours.text, theirs.text) for ours, theirs in sides])
    values[worded, 4] = clip_cosines(np.einsum("ph,ph->p", texts[:, 0], texts[:, 1]))
    return values


def word_means(states: npt.NDArray[Rows], starts: Numbers, ends: Numbers) -> npt.NDArray[Rows]:
    """Give each word the mean of its tokens' states, added up in their order.

    Args:
        states: shape (t, hidden).
        starts: shape (k,), first token of each word.
        ends: shape (k,), the token after its last one.

    Returns:
        Shape (k, hidden).

    Example:
        >>> word_means(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1]), np.array([1, 3])).tolist()
        [[1.0], [3.0]]
    """
    means = states[starts]
    counts = ends - starts
    longer = several = np.flatnonzero(counts > 1)
    place = 1
    while len(longer):
        means[longer] += states[starts[longer] + place]
        place += 1
        longer = longer[counts[longer] > place]
    means[several] /= counts[several, None].astype(states.dtype)
    return means


MOST_KEPT = 50_000
"""Pieces whose vectors are kept, 150 MB at a width of 384: more than an English model knows."""


ReadStates = Callable[["TokenIds", Sequence[str], Integers], Iterator[tuple[int, npt.NDArray[Any]]]]
"""Gives the states of some texts, (t, hidden), each with the text's number, in any order."""


class StaticVectors:
    """Vectors of word pieces, learned when they are first met.

    Any unknown word may be a piece, so vectors are dropped when there are too many; a piece that is read
    again has the same vector.

    Args:
        encoder: reads a piece; its vector is the mean of its tokens' states, scaled to length 1; tokens of a
            model's prefix do not count.
        layer: number of the layer whose states are used.
        read: reads the pieces' states at that layer, up to a factor; by default the encoder.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, read: "ReadStates | None" = None) -> None:
        self._encoder = encoder
        self._around = tokens_left_out(encoder.reader)
        self._read = read or (lambda tokens, _, wanted: encoder.encode(tokens, wanted, layer=layer))
        self._vectors: dict[str, Floats] = {}

    @property
    def hidden(self) -> int:
        """Width of a vector."""
        return self._encoder.hidden

    def words(self, words: Sequence[Word]) -> Floats:
        """Give each word the mean of its pieces' vectors, scaled to length 1; new pieces are read.

        Args:
            words: the pieces of k words.

        Returns:
            Shape (k, hidden).
        """
        vectors = self._learn(piece for word in words for piece in word)
        means = [np.mean([vectors[piece] for piece in word], axis=0) for word in words]
        return unit_rows(np.array(means, np.float64).reshape(len(words), self.hidden))

    def _learn(self, pieces: Iterable[str]) -> dict[str, Floats]:
        """Give the vectors of pieces, and of others; too many are forgotten before the next call."""
        vectors = self._vectors
        new = [piece for piece in dict.fromkeys(pieces) if piece not in vectors]
        tokens = self._encoder.reader.read(new)
        for place, states in self._read(tokens, new, np.arange(len(new))):
            mean = text_means(states, np.array([len(states)]), self._around)
            vectors[new[place]] = unit_rows(mean.astype(np.float64))[0]
        if len(vectors) > MOST_KEPT:
            self._vectors = {}
        return vectors


class WordVectorizer:
    """Computes vectors and weights of texts' words; those of a text do not depend on other texts.

    Args:
        read: texts with their tokens and words.
        static: gives the vectors of words without context.
        weights: weights of words.
        subject: weights of the words of subjects.
        dtype: type of the words' vectors, float32 or float64.
    """

    def __init__(
        self,
        read: TokenizedTexts,
        static: StaticVectors,
        weights: WordWeights,
        subject: SubjectWeights,
        dtype: npt.DTypeLike,
    ) -> None:
        self._read = read
        self._subject = subject
        self._dtype = dtype
        self._table = WordTable(read.vocabulary, static, weights, dtype)

    def learn(self, texts: Iterable[int]) -> None:
        """Read the words of some texts that are new; their places must be known."""
        numbers = [self._read.words[text].numbers for text in texts]
        if numbers:
            self._table.learn(np.concatenate(numbers))

    def vectors(self, texts: Sequence[int], states: Vectors) -> list[WordVectors]:
        """Compute the vectors and weights of some texts' words.

        Args:
            texts: n >= 1 of them, whose words were learned.
            states: shape (tokens of all of them, hidden), after the last layer, end to end.
        """
        words, counts = self._read.joined(texts)
        layers = np.empty((2, len(words), states.shape[1]), self._dtype)
        self._table.vectors(words.numbers, layers[0])
        layers[1] = word_means(states, words.starts, words.ends)
        unit_rows(layers[1], out=layers[1])
        whole = unit_rows(
            text_means(states, self._read.tokens.lengths_of(texts), self._read.left_out).astype(np.float64)
        )
        roles, plain = self._table.roles(words.numbers), self._table.weights(words.numbers)
        is_subject = _are_first(subject_lengths(roles, counts), counts)
        weights, to_pronoun = (
            np.where(is_subject, plain * weight, plain)
            for weight in (self._subject.usual, self._subject.for_pronoun)
        )
        rows = (slice(*bounds) for bounds in pairwise([0, *np.cumsum(counts).tolist()]))
        each = zip(rows, whole, start_with_pronoun(roles, counts).tolist(), strict=True)
        return [
            WordVectors(layers[:, own], text, weights[own], to_pronoun[own], is_pronoun)
            for own, text, is_pronoun in each
        ]


def _are_first(first: Integers, counts: Integers) -> npt.NDArray[np.bool_]:
    """Mark the first words of each text, ``first`` of its ``counts``, shape (k,)."""
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return places < np.repeat(first, counts)


class WordTable:
    """Vectors, weights and roles of words, by their numbers.

    Args:
        vocabulary: the words; it may grow.
        static: gives their vectors.
        weights: weights of words.
        dtype: type of the vectors, float32 or float64.
    """

    def __init__(
        self, vocabulary: Vocabulary, static: StaticVectors, weights: WordWeights, dtype: npt.DTypeLike
    ) -> None:
        self._vocabulary = vocabulary
        self._static = static
        self._word_weights = weights
        self._is_learned = np.empty(0, np.bool_)
        self._vectors = np.empty((0, static.hidden), dtype)
        self._weights = np.empty(0)
        self._roles = np.empty((0, 3), np.bool_)

    def learn(self, numbers: Numbers) -> None:
        """Compute vectors, weights and roles of the words that are new."""
        self._make_room()
        unknown = numbers[~self._is_learned[numbers]]
        if not len(unknown):
            return
        new = np.unique(unknown)
        words = [self._vocabulary.words[number] for number in new.tolist()]
        self._vectors[new] = self._static.words([self._vocabulary.pieces[number] for number in new.tolist()])
        self._weights[new] = self._word_weights.of(words)
        self._roles[new] = word_roles(words)
        self._is_learned[new] = True

    def vectors(self, numbers: Numbers, out: npt.NDArray[Any]) -> None:
        """Write the vectors of learned words by themselves, unit rows, into ``out``, shape (k, hidden)."""
        # Unless told what to do with numbers that are none, NumPy fills an array of its own first.
        np.take(self._vectors, numbers, axis=0, out=out, mode="clip")

    def weights(self, numbers: Numbers) -> Floats:
        """Weights of learned words, shape (k,)."""
        return self._weights[numbers]

    def roles(self, numbers: Numbers) -> Roles:
        """Roles of learned words, shape (k, 3)."""
        return self._roles[numbers]

    def _make_room(self) -> None:
        if len(self._vocabulary) > len(self._weights):
            # Twice the room at least, so that rows are seldom copied.
            rows = max(len(self._vocabulary), 2 * len(self._weights))
            self._vectors = _longer(self._vectors, rows)
            self._weights = _longer(self._weights, rows)
            self._roles = _longer(self._roles, rows)
            self._is_learned = _longer(self._is_learned, rows)


def _longer(rows: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros((length, *rows.shape[1:]), rows.dtype)
    longer[: len(rows)] = rows
    return longer


FRESH_BYTES = 128 << 20  # states of texts that are read in one step


KEPT_BYTES = 256 << 20  # vectors of texts that are kept for later pairs


_TOGETHER = 64  # pairs that are compared, and reported, together


@dataclass(frozen=True)
class LayerSimilarities:
    """Similarities of p pairs, each of shape (p,), 0 to 1; NaN where a text has no token."""

    word_precision: Floats
    word_recall: Floats
    context_precision: Floats
    context_recall: Floats
    text: Floats

    def layers(self, recall_share: float) -> dict[str, Floats]:
        """Give the similarity in each of ``LAYERS``; ``recall_share`` weighs recall in those of words."""
        word = weighted_mean(self.word_precision, self.word_recall, recall_share)
        context = weighted_mean(self.context_precision, self.context_recall, recall_share)
        return dict(zip(LAYERS, (word, context, self.text), strict=True))


class WordLayers:
    """Measures pairs of texts; a pair's numbers depend on its two texts and the weights alone.

    Args:
        encoder: gives the states of tokens, of which the last layer's are compared.
        subject: weights of the words of subjects.
        read: reads the states of word pieces; by default the encoder.
    """

    def __init__(
        self, encoder: "TokenEncoder", subject: SubjectWeights, *, read: ReadStates | None = None
    ) -> None:
        self._encoder = encoder
        self._subject = subject
        self._layer = encoder.layers
        self._static = StaticVectors(encoder, encoder.layers, read)

    def measure(
        self,
        read: TokenizedTexts,
        prediction: Integers,
        reference: Integers,
        weights: WordWeights,
        progress: Progress | None = None,
    ) -> LayerSimilarities:
        """Measure pairs.

        Args:
            read: the texts.
            prediction: shape (p,), which text is the prediction.
            reference: shape (p,), which text is the reference.
            weights: weights of words.
            progress: called while pairs are measured.
        """
        values = np.full((len(prediction), MEASURES), np.nan)
        done = 0
        for pairs, words in self.word_vectors(read, prediction, reference, weights):
            values[pairs] = compare_words(words)
            done += len(pairs)
            if progress:
                progress("scoring pairs", done, len(values))
        return LayerSimilarities(*values.T.copy())

    def word_vectors(
        self, read: TokenizedTexts, prediction: Integers, reference: Integers, weights: WordWeights
    ) -> Iterator[tuple[Integers, list[tuple[WordVectors, WordVectors]]]]:
        """Give the words' vectors of pairs, some pairs at a time, in an order that reads each text once.

        Args:
            read: the texts.
            prediction: shape (p,), which text is the prediction.
            reference: shape (p,), which text is the reference.
            weights: weights of words.

        Yields:
            Numbers of the pairs, and for each the vectors of its prediction and of its reference.
        """
        vectorizer = self.over(read, weights)
        vectorizer.learn(np.unique(np.concatenate([prediction, reference])).tolist())
        kept: dict[int, WordVectors] = {}
        token = 4 * self._encoder.hidden
        room = {"fresh_tokens": FRESH_BYTES // token, "kept_tokens": KEPT_BYTES // (4 * token)}
        for step in plan_steps(prediction, reference, read.tokens.lengths, **room):
            kept.update(self._vectors(read, step.fresh, vectorizer))
            for start in range(0, len(step.pairs), _TOGETHER):
                pairs = step.pairs[start : start + _TOGETHER]
                texts = zip(prediction[pairs].tolist(), reference[pairs].tolist(), strict=True)
                yield pairs, [(kept[ours], kept[theirs]) for ours, theirs in texts]
            for text in step.dropped.tolist():
                del kept[text]

    def over(
        self, read: TokenizedTexts, weights: WordWeights, dtype: npt.DTypeLike = np.float64
    ) -> WordVectorizer:
        """Make the vectorizer of some texts' words.

        Args:
            read: the texts.
            weights: weights of words.
            dtype: type of the vectors of words.
        """
        return WordVectorizer(read, self._static, weights, self._subject, dtype)

    def _vectors(
        self, read: TokenizedTexts, texts: Integers, vectorizer: WordVectorizer
    ) -> Iterator[tuple[int, WordVectors]]:
        for text, states in self._encoder.encode(read.tokens, texts, layer=self._layer):
            yield text, vectorizer.vectors([text], states)[0]


LAYERS = ("word", "context", "text")
"""Words by themselves, words in their context, and texts as wholes."""


LAYERS_OF_WORDS = ("word", "context")
"""Those that compare single words, which have no equals in another language."""


_SAME = 1e-6  # equal vectors have cosines this near 1, as they are rounded


def word_matches(similarity: Iterable[Floats], weights: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Align every word of p pairs of texts with the most similar one on the other side.

    Precision is the weighted mean over the prediction's words of their best cosine, recall the same over the
    reference's. A negative best cosine counts as 0: unlike words are not the opposite of what is asked for.

    Args:
        similarity: of each pair, shape (..., k, l), cosines of k >= 1 words of the prediction with l >= 1 of
            the reference.
        weights: of each pair's words on either side, greater than 0.

    Returns:
        Precision and recall, shape (..., p, 2), 0 to 1; exactly 1 where every word has its equal.

    Example:
        >>> similarity = np.array([[1.0, 0.0], [0.5, -0.2]])
        >>> word_matches([similarity], [(np.array([1.0, 3.0]), np.ones(2))]).tolist()
        [[0.625, 0.5]]
    """
    # Means of what is missing, as these are exactly 0 where nothing is.
    return 1 - mean_best(similarity, weights, lambda best: 1 - clip_cosines(best))


def clip_cosines(cosines: Floats) -> Floats:
    """Clip cosines to 0 and 1; those that differ from 1 by rounding alone become 1."""
    return np.where(cosines > 1 - _SAME, 1.0, np.maximum(cosines, 0.0))


def above_floor(similarity: Floats, floor: float) -> Floats:
    """Rescale similarities linearly so that the floor, and all below it, becomes 0, and 1 stays 1.

    Below the floor, the mean of unrelated pairs, one pair is as unrelated as another.

    Args:
        similarity: 0 to 1.
        floor: 0 or more, less than 1.

    Example:
        >>> above_floor(np.array([0.2, 0.75, 1.0]), 0.5).tolist()
        [0.0, 0.5, 1.0]
    """
    return np.maximum(1 - (1 - similarity) / (1 - floor), 0.0)


def estimated_floors(unrelated: Mapping[str, Floats], known: Mapping[str, float]) -> dict[str, float]:
    """Take the mean similarity of unrelated pairs as each layer's floor.

    Args:
        unrelated: each of ``LAYERS``, shape (p,), 0 to 1; NaN where a text has no token.
        known: floors for layers without a pair, or whose pairs are all equal to the model, such as one word
            in several spellings: nothing could lie above a floor of 1.

    Example:
        >>> known = {"word": 0.4, "context": 0.2}
        >>> estimated_floors({"word": np.array([0.5, np.nan, 0.25]), "context": np.ones(3)}, known)
        {'word': 0.375, 'context': 0.2}
    """
    floors = {}
    for name, values in unrelated.items():
        similarity = values[~np.isnan(values)]
        floor = float(similarity.mean()) if len(similarity) else 1.0
        floors[name] = floor if floor < 1 - _SAME else known[name]
    return floors


def weighted_mean(precision: Floats, recall: Floats, recall_share: float) -> Floats:
    """Give ``(1 - recall_share) precision + recall_share recall``."""
    return 1 - (1 - recall_share) * (1 - precision) - recall_share * (1 - recall)


def combine(layers: Mapping[str, Floats], penalty: Floats, shares: Mapping[str, float]) -> Floats:
    """Add the layers up by their shares, and multiply by ``exp(-penalty)``.

    Args:
        layers: each of ``LAYERS``, shape (p,), 0 to 1.
        penalty: shape (p,), 0 or more, as ``penalty_of`` gives it.
        shares: weights of the layers; they add up to 1.

    Returns:
        Shape (p,), 0 to 1; exactly 1 where all layers are 1 and nothing was found.

    Example:
        >>> layers = {name: np.array([1.0, 0.5]) for name in LAYERS}
        >>> shares = {"word": 0.2, "context": 0.5, "text": 0.3}
        >>> combine(layers, np.array([0.0, np.log(2)]), shares).round(3).tolist()
        [1.0, 0.25]
    """
    lost = sum((shares[name] * (1 - layers[name]) for name in LAYERS), start=np.zeros_like(penalty))
    return np.maximum(1 - lost, 0.0) * np.exp(-penalty)


def combine_known(layers: Mapping[str, Floats], penalty: Floats, shares: Mapping[str, float]) -> Floats:
    """Combine layers as ``combine`` does; where the layers of words are NaN, that of texts counts alone.

    Args:
        layers: each of ``LAYERS``, shape (p,), 0 to 1, or NaN.
        penalty: shape (p,), 0 or more.
        shares: weights of the layers; they add up to 1.

    Example:
        >>> layers = {"word": np.array([1.0, np.nan]), "context": np.array([1.0, np.nan])}
        >>> layers["text"] = np.array([0.5, 0.5])
        >>> combine_known(layers, np.zeros(2), {"word": 0.2, "context": 0.5, "text": 0.3}).round(3).tolist()
        [0.85, 0.5]
    """
    alone = np.isnan(layers["word"]) & np.isnan(layers["context"])
    return np.where(alone, layers["text"] * np.exp(-penalty), combine(layers, penalty, shares))


def penalty_of(findings: Iterable[Finding], penalties: Mapping[str, float]) -> float:
    """Add up the penalties of a pair's findings; each kind counts once.

    Of one guard's kinds only the gravest counts: kinds of one guard often tell of the same difference.

    Args:
        findings: findings in one pair.
        penalties: penalty of each guard and kind of finding, such as ``number:other-value``.
    """
    gravest: dict[str, float] = {}
    for finding in findings:
        penalty = penalties.get(f"{finding.guard}:{finding.kind}", 0.0)
        gravest[finding.guard] = max(gravest.get(finding.guard, 0.0), penalty)
    return sum(gravest.values())
