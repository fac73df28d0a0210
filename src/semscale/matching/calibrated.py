"""The calibrated method: three layers with weights fitted to human labels, and penalties for findings."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import yaml

from semscale.guards.findings import Finding
from semscale.guards.registry import GUARDS, Guards, Mode
from semscale.matching.pairs import (
    Pairs,
    ScoredPairs,
    are_across,
    corpus_hash,
    draw_unrelated_pairs,
    side_table,
    with_identifier,
)
from semscale.matching.words import TokenizedTexts, WordLayers, WordVectors, WordWeights, clip_cosines
from semscale.signature import Signature
from semscale.types import Floats, Integers, Progress
from semscale.weights.known import languages_read, model_in_signature

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder

LAYERS = ("word", "context", "text")
"""Words by themselves, words in their context, and texts as wholes."""

LAYERS_OF_WORDS = ("word", "context")
"""Layers that compare single words, which have no equals in another language."""

FEWEST_FOR_FLOORS = 10
"""Fewest distinct texts of a corpus from which floors are estimated."""

UNRELATED_PAIRS = 300
"""Maximum number of unrelated pairs whose mean is a floor."""

GENERIC_MODEL = "all-MiniLM-L6-v2"
"""The model whose weights are used for models without fitted weights."""

_HIGHEST_FLOOR = 1 - 1e-6  # no similarity could be above it


@dataclass(frozen=True)
class CalibratedWeights:
    """The weights of the method, fitted by ``bench/fit_match.py``.

    Attributes:
        model: name of the known model to which they were fitted.
        shares: weight of each of ``LAYERS``; they add up to 1.
        recall_share: weight of recall in the layers of words, 0 to 1; the rest is precision's.
        stop_weight: weight of a stop word relative to other words, 0 to 1.
        subject_weight: weight of the subject's words relative to other words.
        pronoun_weight: their weight if the other text has a pronoun for them.
        penalties: for each guard and kind of finding the decrease of the score's logarithm, 0 or more.
        floors: floor of each layer, 0 to 1, for corpora that are too small to estimate it.
        sha256: hash of these values.
    """

    model: str
    shares: Mapping[str, float]
    recall_share: float
    stop_weight: float
    subject_weight: float
    pronoun_weight: float
    penalties: Mapping[str, float]
    floors: Mapping[str, float]
    sha256: str

    @property
    def label(self) -> str:
        """The model with a hash of the values, for the signature."""
        return f"{self.model}#{self.sha256[:12]}"

    @property
    def subject_weights(self) -> tuple[float, float]:
        """Weights of the subject's words: usually, and compared with a pronoun."""
        return self.subject_weight, self.pronoun_weight


class CalibratedMatch:
    """Matches by three layers, each above the level of unrelated texts, less penalties for findings.

    The score is ``(s_word word + s_context context + s_text text) exp(-penalty)``. Weights come from
    ``calibrated.yaml``, which ``bench/fit_match.py`` fitted to two models; any other model has those of
    ``GENERIC_MODEL``, and the signature names them. ``docs/validity.md`` reports how well it works.

    Args:
        encoder: computes the states of tokens.
        corpus: texts from which word weights and floors are estimated; by default the references of the
            pairs. With fewer than ``FEWEST_FOR_FLOORS`` different texts, or if all are equal to the model,
            the floors are those of the file.
        seed: seed of the draw of unrelated pairs.
        recall_share: weight of recall in the layers of words, 0 to 1: 1 compares only the reference's
            words with those of the prediction, 0 only the prediction's with those of the reference; by
            default the fitted weight.
        guards: the guards and their modes (warn or weigh); by default all weigh.
        calibration: weights that replace those of the file.
    """

    def __init__(
        self,
        encoder: "TokenEncoder",
        *,
        corpus: Sequence[str] | None = None,
        seed: int = 0,
        recall_share: float | None = None,
        guards: Guards | None = None,
        calibration: CalibratedWeights | None = None,
    ) -> None:
        self._calibration = calibration or load_weights_for(encoder.signature)
        self._recall_share = self._calibration.recall_share if recall_share is None else float(recall_share)
        self._encoder = encoder
        self._layers = WordLayers(encoder, self._calibration.subject_weights)
        self._corpus = corpus
        self._seed = seed
        self.guards = guards or Guards(dict.fromkeys(GUARDS, Mode.WEIGH))

    @property
    def signature(self) -> Signature:
        """Signature of the settings; that of a result also has the estimated floors."""
        corpus = "references" if self._corpus is None else corpus_hash(set(self._corpus))
        return self._build_signature(corpus, "estimated")

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, 0 to 1; NaN where a text has no token that the model can read.

        For two texts in different languages that the model reads, only the layer of whole texts counts: the
        layers of words are NaN, and guards skip the pair, as they read only English.
        """
        read = TokenizedTexts(pairs.texts, self._encoder)
        unread = self._encoder.reader.unread(read.tokens)
        weights, floors, corpus = self._basis_for(read, pairs)
        values = self._layers.measure(read, pairs.prediction, pairs.reference, weights, progress)
        layers = {
            name: above_floor(similarity, floors[name])
            for name, similarity in layer_similarities(values, self._recall_share).items()
        }
        languages = languages_read(self._encoder.signature)
        rows = range(len(pairs.item))
        across = [are_across(*pairs.both(row), languages) for row in rows]
        for name in LAYERS_OF_WORDS:
            layers[name][np.array(across, np.bool_)] = np.nan
        penalty = np.array([self._penalty(pairs.findings(row, self.guards)) for row in rows], np.float64)
        windows = self._encoder.windows(read.tokens)
        return ScoredPairs(
            score=combine(layers, penalty, self._calibration.shares),
            components={**layers, "findings": np.exp(-penalty)},
            windows=np.maximum(windows[pairs.prediction], windows[pairs.reference]),
            signature=self._build_signature(corpus, "/".join(f"{floors[name]:.3f}" for name in LAYERS)),
            weighs_findings=bool(self._weighing),
            unread=unread[pairs.prediction] | unread[pairs.reference],
        )

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain the layers of words of some pairs; each table is like that of ``explain_words``."""
        read = TokenizedTexts(pairs.texts, self._encoder)
        prediction, reference = pairs.prediction[list(rows)], pairs.reference[list(rows)]
        weights, _, _ = self._basis_for(read, pairs)
        tables: dict[int, pl.DataFrame] = {}
        for positions, vectors in self._layers.word_vectors(read, prediction, reference, weights):
            for position, both in zip(positions.tolist(), vectors, strict=True):
                words = read.words_of(prediction[position]), read.words_of(reference[position])
                tables[position] = explain_words(words, both, self._calibration.shares, self._recall_share)
        return [tables[position] for position in range(len(rows))]

    def over(self, corpus: Sequence[str]) -> "CalibratedMatch":
        """Return the method with weights and floors from a corpus, not from each call's references."""
        other = copy(self)
        other._corpus = corpus
        vars(other).pop("_corpus_basis", None)
        return other

    @property
    def has_corpus(self) -> bool:
        """True if estimates come from a corpus."""
        return bool(self._corpus)

    def _basis_for(self, read: TokenizedTexts, pairs: Pairs) -> tuple[WordWeights, Mapping[str, float], str]:
        """Return the word weights, the layers' floors, and the hash of the corpus behind them."""
        return self._corpus_basis or self._estimate(read, np.unique(pairs.reference))

    @cached_property
    def _corpus_basis(self) -> tuple[WordWeights, Mapping[str, float], str] | None:
        if not self._corpus:
            return None
        texts = sorted(set(self._corpus))
        return self._estimate(TokenizedTexts(texts, self._encoder), np.arange(len(texts)))

    def _estimate(
        self, read: TokenizedTexts, numbers: Integers
    ) -> tuple[WordWeights, Mapping[str, float], str]:
        """Return word weights, floors and the corpus hash of some texts; their order has no effect."""
        texts = sorted(numbers.tolist(), key=read.text)
        weights = WordWeights.over(map(read.words_of, texts), stop=self._calibration.stop_weight)
        floors: Mapping[str, float] = self._calibration.floors
        unread = self._encoder.reader.unread(read.tokens)
        known = np.array([text for text in texts if not unread[text]], np.int64)
        if len(known) >= FEWEST_FOR_FLOORS:  # unreadable texts are all equal to the model
            drawn = known[draw_unrelated_pairs(list(map(read.text, known)), UNRELATED_PAIRS, self._seed)]
            values = self._layers.measure(read, drawn[:, 0], drawn[:, 1], weights)
            floors = estimate_floors(values, floors)
        return weights, floors, corpus_hash(map(read.text, texts))

    def _penalty(self, findings: tuple[Finding, ...] | None) -> float:
        return penalty_of(self.guards.findings_to_weigh(findings or ()), self._calibration.penalties)

    @property
    def _weighing(self) -> list[str]:
        return [name for name, mode in self.guards.modes.items() if mode is Mode.WEIGH]

    def _build_signature(self, corpus: str, floors: str) -> Signature:
        settings = Signature.of(
            "match",
            method="calibrated",
            weights=self._calibration.label,
            recall=self._recall_share,
            guards="+".join(self._weighing) or None,
            corpus=corpus,
            floors=floors,
            seed=self._seed,
        )
        signed = settings.plus(self._encoder.signature)
        needs_languages = self._weighing or len(languages_read(signed)) > 1
        return with_identifier(signed) if needs_languages else signed


@cache
def load_calibrated_weights(model: str | None = None) -> CalibratedWeights:
    """Read the weights that were fitted to a model, or ``GENERIC_MODEL``'s if none were.

    Args:
        model: name of a known model.

    Examples:
        >>> [load_calibrated_weights(model).model for model in ("e5-small", "organisation/other")]
        ['e5-small', 'all-MiniLM-L6-v2']
    """
    content = resources.files("semscale.matching").joinpath("calibrated.yaml").read_bytes()
    fitted = yaml.safe_load(content)
    name = GENERIC_MODEL if model is None or model not in fitted else model
    return read_calibrated_weights(name, fitted[name])


def load_weights_for(signature: Signature) -> CalibratedWeights:
    """Read the weights for the model that a signature names."""
    model = model_in_signature(signature)
    return load_calibrated_weights(None if model is None else model.name)


def read_calibrated_weights(model: str, entries: Mapping[str, Any]) -> CalibratedWeights:
    """Build one model's weights from the entries in ``calibrated.yaml``."""
    digest = hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
    return CalibratedWeights(model=model, sha256=digest, **entries)


def layer_similarities(values: Floats, recall_share: float) -> dict[str, Floats]:
    """Return the similarity of pairs in each of ``LAYERS``.

    Args:
        values: shape (p, 5), as ``compare_words`` returns them.
        recall_share: weight of recall in the layers of words, 0 to 1.

    Returns:
        By layer, each of shape (p,), 0 to 1; NaN where a text has no token.
    """
    word_precision, word_recall, context_precision, context_recall, text = values.T.copy()
    word = precision_recall_mean(word_precision, word_recall, recall_share)
    context = precision_recall_mean(context_precision, context_recall, recall_share)
    return dict(zip(LAYERS, (word, context, text), strict=True))


def precision_recall_mean(precision: Floats, recall: Floats, recall_share: float) -> Floats:
    """Compute ``(1 - recall_share) precision + recall_share recall``."""
    return 1 - (1 - recall_share) * (1 - precision) - recall_share * (1 - recall)


def above_floor(similarity: Floats, floor: float) -> Floats:
    """Rescale similarities linearly so that the floor, and all below it, becomes 0, and 1 stays 1.

    The floor is the mean of unrelated pairs; differences below it carry no information.

    Args:
        similarity: 0 to 1.
        floor: 0 or more, less than 1.

    Examples:
        >>> above_floor(np.array([0.2, 0.75, 1.0]), 0.5).tolist()
        [0.0, 0.5, 1.0]
    """
    return np.maximum(1 - (1 - similarity) / (1 - floor), 0.0)


def estimate_floors(unrelated: Floats, known: Mapping[str, float]) -> dict[str, float]:
    """Estimate each layer's floor by the mean similarity of unrelated pairs.

    Args:
        unrelated: shape (p, 5), as ``compare_words`` returns them; NaN where a text has no token.
        known: floors to use for layers without a pair, or with a mean of 1, above which nothing could lie.
            The mean is 1 if all texts are equal to the model, such as spellings of one word.

    Examples:
        >>> known = {"word": 0.4, "context": 0.2, "text": 0.6}
        >>> estimate_floors(np.array([[0.5, 0.5, 1, 1, np.nan], [0.25, 0.25, 1, 1, np.nan]]), known)
        {'word': 0.375, 'context': 0.2, 'text': 0.6}
    """
    floors = {}
    for name, values in layer_similarities(unrelated, 0.5).items():
        similarity = values[~np.isnan(values)]
        floor = float(similarity.mean()) if len(similarity) else 1.0
        floors[name] = floor if floor < _HIGHEST_FLOOR else known[name]
    return floors


def combine(layers: Mapping[str, Floats], penalty: Floats, shares: Mapping[str, float]) -> Floats:
    """Add the layers up by their shares, and multiply by ``exp(-penalty)``.

    Where the layers of words are NaN, that of texts counts alone.

    Args:
        layers: each of ``LAYERS``, shape (p,), 0 to 1, or NaN.
        penalty: shape (p,), 0 or more, as ``penalty_of`` computes it.
        shares: weights of the layers; they add up to 1.

    Returns:
        Shape (p,), 0 to 1; exactly 1 where all layers are 1 and there is no penalty.

    Examples:
        >>> layers = {"word": np.array([1.0, 0.5, np.nan]), "context": np.array([1.0, 0.5, np.nan])}
        >>> layers["text"] = np.array([1.0, 0.5, 0.5])
        >>> shares = {"word": 0.2, "context": 0.5, "text": 0.3}
        >>> combine(layers, np.array([0.0, np.log(2), 0.0]), shares).round(3).tolist()
        [1.0, 0.25, 0.5]
    """
    missing = sum((shares[name] * (1 - layers[name]) for name in LAYERS), start=np.zeros_like(penalty))
    is_alone = np.isnan(layers["word"]) & np.isnan(layers["context"])
    similarity = np.where(is_alone, layers["text"], np.maximum(1 - missing, 0.0))
    return np.asarray(similarity * np.exp(-penalty))


def penalty_of(findings: Iterable[Finding], penalties: Mapping[str, float]) -> float:
    """Add up the penalties of a pair's findings; only the largest penalty of each guard counts.

    One guard's findings of several kinds often report the same difference.

    Args:
        findings: findings in one pair.
        penalties: penalty of each guard and kind of finding, such as ``number:other-value``.
    """
    gravest: dict[str, float] = {}
    for finding in findings:
        penalty = penalties.get(f"{finding.guard}:{finding.kind}", 0.0)
        gravest[finding.guard] = max(gravest.get(finding.guard, 0.0), penalty)
    return sum(gravest.values())


def explain_words(
    words: tuple[Sequence[str], Sequence[str]],
    vectors: tuple[WordVectors, WordVectors],
    shares: Mapping[str, float],
    recall_share: float,
) -> pl.DataFrame:
    """Lay out the contribution of each word of a prediction and of its reference to the layers of words.

    In either layer a word's similarity is its best cosine with a word of the other text. Before its floor is
    subtracted, the layer is the sum of similarity times weight over the words of both texts.

    Args:
        words: those of the prediction, k >= 0, and those of the reference, l >= 0.
        vectors: their vectors and weights.
        shares: share of each layer in the score.
        recall_share: weight of the reference's words in the layers; the rest is that of the prediction's.

    Returns:
        A table like that of ``side_table``, the prediction's words first; empty if one text has no word.
        ``similarity`` is the mean of ``word_similarity`` and ``context_similarity`` (0 to 1), weighted by the
        layers' shares; a word's counterpart is the word with the highest one. All weights sum to 1, and all
        contributions to the weighted mean of both layers.
    """
    layer_shares = np.array([shares[name] for name in LAYERS_OF_WORDS])
    layer_shares /= layer_shares.sum()
    sides = [
        _explain_side(side, words[own], words[1 - own], vectors[own], vectors[1 - own], layer_shares, share)
        for own, (side, share) in enumerate((("prediction", 1 - recall_share), ("reference", recall_share)))
    ]
    return pl.concat(sides)


def _explain_side(
    side: str,
    words: Sequence[str],
    counterparts: Sequence[str],
    vectors: WordVectors,
    other: WordVectors,
    layer_shares: Floats,
    share: float,
) -> pl.DataFrame:
    if not (words and counterparts):
        none = np.empty(0)
        columns = {"word_similarity": none, "context_similarity": none}
        return side_table(side, [], [], np.empty(0, np.int64), none, none, **columns)
    cosines = clip_cosines(vectors.layers @ other.layers.swapaxes(-1, -2))
    word_similarity, context_similarity = cosines.max(axis=-1)
    weights = vectors.weights_beside(other)
    return side_table(
        side,
        words,
        counterparts,
        np.tensordot(layer_shares, cosines, 1).argmax(axis=-1),
        layer_shares @ np.array([word_similarity, context_similarity]),
        share * weights / weights.sum(),
        word_similarity=word_similarity,
        context_similarity=context_similarity,
    )
