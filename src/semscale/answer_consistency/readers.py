"""Models that read answers and samples: each text is embedded, and each pair is judged, once."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from semscale.embedding import Embedder
from semscale.embedding.embedder import Embeddings
from semscale.embedding.texts import distinct
from semscale.matching.cosines import Cosines
from semscale.matching.entailment import (
    RELATIONS,
    EntailmentModel,
    Entailments,
    SentenceSupport,
    entailments_by,
    support,
    worded_sentences,
)
from semscale.signature import Signature
from semscale.types import Floats, Progress, Vectors

CAPACITY = 65_536
"""Texts whose vectors are stored: 100 MB for 384 dimensions."""
_SENTENCE_PAIRS = 65_536
"""Pairs of sentences that the model is given in one call, unless one pair of texts has more."""


class MemoizedEmbedder:
    """Embeds with another embedder, and each text that it stores only once.

    Args:
        embedder: computes vectors.
        capacity: how many texts are stored, the first ones.
    """

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._stored: dict[str, tuple[Vectors, int, float]] = {}

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._embedder.dimensions

    @property
    def signature(self) -> Signature:
        """Signature of the embedder."""
        return self._embedder.signature

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts, as the embedder does."""
        fresh, _ = distinct([text for text in texts if text not in self._stored])
        embedded = self._embedded(fresh, progress) if fresh else {}
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        windows = np.empty(len(texts), np.int64)
        unknown = np.empty(len(texts), np.float32)
        for row, text in enumerate(texts):
            vectors[row], windows[row], unknown[row] = self._stored.get(text) or embedded[text]
        for text in fresh[: self._capacity - len(self._stored)]:
            vector, n_windows, share = embedded[text]
            # A view would keep the whole block in memory.
            self._stored[text] = vector.copy(), n_windows, share
        return Embeddings(vectors, windows, unknown)

    def _embedded(self, texts: list[str], progress: Progress | None) -> dict[str, tuple[Vectors, int, float]]:
        new = self._embedder.embed(texts, progress=progress)
        unknown = [math.nan] * len(texts) if new.unknown is None else new.unknown.tolist()
        return dict(zip(texts, zip(new.vectors, new.windows.tolist(), unknown, strict=True), strict=True))


class MemoizedEntailment:
    """Asks another model of entailment, and for each pair of texts only once.

    Args:
        model: gives the probabilities.
    """

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model
        self._rows: dict[tuple[str, str], int] = {}
        none = np.zeros(0, np.bool_)
        self._known = Entailments(np.zeros((0, len(RELATIONS))), none, none)

    @property
    def signature(self) -> Signature:
        """Signature of the model."""
        return self._model.signature

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probabilities of p pairs, as the model does."""
        return self.entailments(premises, hypotheses).values

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Give the probabilities of p pairs; those that are new are asked for in one call."""
        pairs = list(zip(premises, hypotheses, strict=True))
        fresh = list(dict.fromkeys(pair for pair in pairs if pair not in self._rows))
        if fresh:
            new = entailments_by(self._model, [pair[0] for pair in fresh], [pair[1] for pair in fresh])
            self._rows |= {pair: len(self._rows) + row for row, pair in enumerate(fresh)}
            self._known = Entailments(
                np.concatenate([self._known.values, new.values]),
                np.concatenate([self._known.truncated, new.truncated]),
                np.concatenate([self._known.unread, new.unread]),
            )
        rows = np.array([self._rows[pair] for pair in pairs], np.int64)
        known = self._known
        return Entailments(known.values[rows], known.truncated[rows], known.unread[rows])


class SentenceEntailment:
    """Asks a model of entailment about pairs of sentences, and gives probabilities of pairs of texts.

    Each sentence of the hypothesis is entailed as far as the premise's best sentence entails it, and
    contradicted as far as one contradicts it, but no further than what is not entailed; a text has the mean
    of its sentences. Texts of one sentence are read as they are.

    Args:
        model: asked about each pair of sentences; one that stores what it has read is asked for less.

    References:
        Laban et al. 2022, SummaC, section 3, doi:10.1162/tacl_a_00453.
    """

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model

    @property
    def signature(self) -> Signature:
        """Signature of the model."""
        return self._model.signature

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probabilities of p pairs, shape (p, 3); NaN for a text that it cannot read."""
        return self.entailments(premises, hypotheses).values

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Give the probabilities of p pairs, and tell which have a sentence that was cut, or are not read."""
        values, cut = np.full((len(premises), 3), np.nan), np.zeros(len(premises), np.bool_)
        for row, (supported, is_cut) in enumerate(self._supports(premises, hypotheses)):
            values[row], cut[row] = supported.mean, is_cut
        return Entailments(values, cut, np.isnan(values).any(axis=1))

    def contradictions(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probability that the most contradicted sentence of each hypothesis is contradicted.

        Returns:
            Shape (p,), 0 to 1; NaN where the model cannot read one of the texts.
        """
        worst = [supported.worst for supported, _ in self._supports(premises, hypotheses)]
        return np.array(worst, np.float64)

    def _supports(
        self, premises: Sequence[str], hypotheses: Sequence[str]
    ) -> Iterator[tuple[SentenceSupport, bool]]:
        """Judge pairs of texts in their order, many pairs of sentences in one call."""
        sentences = {text: worded_sentences(text) for text in (*premises, *hypotheses)}
        waiting: list[tuple[list[str], list[str]]] = []
        count = 0
        for premise, hypothesis in zip(premises, hypotheses, strict=True):
            pair = sentences[premise], sentences[hypothesis]
            more = len(pair[0]) * len(pair[1])
            if waiting and count + more > _SENTENCE_PAIRS:
                yield from self._judged(waiting)
                waiting, count = [], 0
            waiting.append(pair)
            count += more
        yield from self._judged(waiting)

    def _judged(self, texts: Sequence[tuple[list[str], list[str]]]) -> Iterator[tuple[SentenceSupport, bool]]:
        asked = [pair for premise, hypothesis in texts for pair in product(hypothesis, premise)]
        if not asked:
            return
        judged = entailments_by(self._model, [pair[1] for pair in asked], [pair[0] for pair in asked])
        values = np.where(judged.unread[:, None], np.nan, judged.values)
        start = 0
        for premise, hypothesis in texts:
            stop = start + len(premise) * len(hypothesis)
            block = values[start:stop].reshape(len(hypothesis), len(premise), -1)
            yield support(block), bool(judged.truncated[start:stop].any())
            start = stop


@dataclass(frozen=True)
class PairReaders:
    """The models that read the pairs of one call.

    Attributes:
        cosines: between texts; ``None`` if no measure needs them.
        entailment: tells whether texts contradict or entail each other; ``None`` if no measure needs it.
        whole: the same model, which reads texts of several sentences as a whole.
    """

    cosines: Cosines | None = None
    entailment: SentenceEntailment | MemoizedEntailment | None = None
    whole: MemoizedEntailment | None = None


def distinct_entailments(
    model: EntailmentModel, premises: Sequence[str], hypotheses: Sequence[str]
) -> Floats:
    """Give the probabilities of p pairs; equal pairs are asked for once, and all in one call.

    Args:
        model: of entailment.
        premises: p texts.
        hypotheses: p texts.

    Returns:
        Shape (p, 3); NaN where the model cannot read the pair.

    Raises:
        InputError: the model gives no probabilities.
    """
    if not premises:
        return np.zeros((0, len(RELATIONS)))
    numbers: dict[tuple[str, str], int] = {}
    rows = [numbers.setdefault(pair, len(numbers)) for pair in zip(premises, hypotheses, strict=True)]
    judged = entailments_by(model, [pair[0] for pair in numbers], [pair[1] for pair in numbers])
    values = np.where(judged.unread[:, None], np.nan, judged.values)
    return np.asarray(values[rows], np.float64)
