"""The calibrated method: text, context and words, weighed as fitted to people's ratings, less findings."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import yaml

from semscale.errors import InputError
from semscale.guards.registry import GUARDS, Guards, Mode
from semscale.matching.pairs import Pairs, ScoredPairs, are_across, guards_read, with_identifier
from semscale.matching.separation import corpus_hash, unrelated_pairs
from semscale.matching.word_vectors import (
    LAYERS,
    LAYERS_OF_WORDS,
    WordLayers,
    WordVectors,
    above_floor,
    clip_cosines,
    combine_known,
    estimated_floors,
    penalty_of,
)
from semscale.matching.words import SubjectWeights, TokenizedTexts, WordWeights
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress
from semscale.weights.model_lookup import known_model, languages_read

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_states import TokenEncoder


FEWEST_FOR_FLOORS = 10
"""Distinct texts from which on floors are estimated from the corpus."""


UNRELATED_PAIRS = 300
"""Pairs of them that a floor is the mean of, at most."""


@dataclass(frozen=True)
class _CalibrationBasis:
    """Estimates from a corpus: word weights and floors.

    Attributes:
        weights: weights of words.
        floors: level of unrelated texts in each layer.
        corpus: hash of the corpus.
    """

    weights: WordWeights
    floors: Mapping[str, float]
    corpus: str


@dataclass(frozen=True)
class CalibratedWeights:
    """The weights of the method, fitted by ``bench/fit_match.py``.

    Attributes:
        model: name of the known model that they were fitted to.
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


class CalibratedMatch:
    """Matches by three layers, each above the level of unrelated texts, less penalties for findings.

    The score is ``(s_word word + s_context context + s_text text) exp(-penalty)``. Weights come from
    ``calibrated.yaml``, which ``bench/fit_match.py`` fitted to two models; any other model has those of
    ``GENERIC_MODEL``, and the signature says so. ``docs/validity.md`` says how well it works.

    Args:
        encoder: gives the states of tokens.
        corpus: texts from which word weights and floors are estimated; by default the references of the
            pairs. With fewer than ``FEWEST_FOR_FLOORS`` different texts, or if all are equal to the model,
            the floors are those of the file.
        seed: seed of the draw of unrelated pairs.
        recall_share: weight of recall in the layers of words, 0 to 1: 1 asks only whether the reference's
            words are in the prediction, 0 only whether the prediction's are in the reference; by default the
            fitted weight.
        guards: the guards and their modes (warn or weigh); by default all weigh.
        calibration: weights that replace those of the file.

    Raises:
        InputError: ``recall_share`` is not between 0 and 1.
    """

    def __init__(  # noqa: PLR0913 - what can be chosen about a score
        self,
        encoder: "TokenEncoder",
        *,
        corpus: Sequence[str] | None = None,
        seed: int = 0,
        recall_share: float | None = None,
        guards: Guards | None = None,
        calibration: CalibratedWeights | None = None,
    ) -> None:
        self._calibration = calibration or calibrated_weights_for(encoder.signature)
        self._recall_share = checked_recall_share(
            self._calibration.recall_share if recall_share is None else recall_share
        )
        self._encoder = encoder
        fitted = self._calibration
        subject = SubjectWeights(fitted.subject_weight, fitted.pronoun_weight)
        self._layers = WordLayers(encoder, subject)
        self._corpus = corpus
        self._seed = seed
        self.guards = guards or Guards(dict.fromkeys(GUARDS, Mode.WEIGH))

    @property
    def signature(self) -> Signature:
        """Signature of the settings; that of a result also has the estimated floors."""
        corpus = "references" if self._corpus is None else corpus_hash(sorted(set(self._corpus)))
        return self._signed(corpus, "estimated")

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, 0 to 1; NaN where a text has no token that the model can read.

        Of two texts in different languages that the model reads, only the layer of whole texts counts: the
        layers of words are NaN, and guards, which read English alone, do not look.
        """
        read = TokenizedTexts(pairs.texts, self._encoder)
        unread = self._encoder.reader.unread(read.tokens)
        ground = self._basis_for(read, pairs)
        measured = self._layers.measure(read, pairs.prediction, pairs.reference, ground.weights, progress)
        layers = {
            name: above_floor(values, ground.floors[name])
            for name, values in measured.layers(self._recall_share).items()
        }
        across = self._across(pairs)
        for name in LAYERS_OF_WORDS:
            layers[name][across] = np.nan
        penalty = self._penalty(pairs)
        windows = self._encoder.windows(read.tokens)
        return ScoredPairs(
            score=combine_known(layers, penalty, self._calibration.shares),
            components={**layers, "findings": np.exp(-penalty)},
            windows=np.maximum(windows[pairs.prediction], windows[pairs.reference]),
            signature=self._signed(ground.corpus, "/".join(f"{ground.floors[name]:.3f}" for name in LAYERS)),
            weighs_findings=bool(self._weighing),
            unread=unread[pairs.prediction] | unread[pairs.reference],
        )

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain the layers of words of some pairs, each as a table like that of ``explain_words``."""
        chosen = np.asarray(rows, np.int64)
        read = TokenizedTexts(pairs.texts, self._encoder)
        prediction, reference = pairs.prediction[chosen], pairs.reference[chosen]
        weights = self._basis_for(read, pairs).weights
        explained: dict[int, pl.DataFrame] = {}
        for places, vectors in self._layers.word_vectors(read, prediction, reference, weights):
            for place, both in zip(places.tolist(), vectors, strict=True):
                words = read.words_of(prediction[place]), read.words_of(reference[place])
                explained[place] = explain_words(words, both, self._calibration.shares, self._recall_share)
        return [explained[place] for place in range(len(chosen))]

    def over(self, corpus: Sequence[str]) -> "CalibratedMatch":
        """Return the method with weights and floors from a corpus, not from each call's references."""
        other = copy(self)
        other._corpus = corpus
        other.__dict__.pop("_given", None)
        return other

    @property
    def has_corpus(self) -> bool:
        """Whether a corpus was given."""
        return bool(self._corpus)

    def _basis_for(self, read: TokenizedTexts, pairs: Pairs) -> "_CalibrationBasis":
        """Give the estimates from the corpus, or else from the pairs' references."""
        return self._given or self._estimated(read, np.unique(pairs.reference))

    @cached_property
    def _given(self) -> "_CalibrationBasis | None":
        """What the given corpus says, if one was given."""
        if not self._corpus:
            return None
        texts = sorted(set(self._corpus))
        return self._estimated(TokenizedTexts(texts, self._encoder), np.arange(len(texts)))

    def _estimated(self, read: TokenizedTexts, texts: Integers) -> "_CalibrationBasis":
        """Estimate from texts that have been read, given by their numbers."""
        own = np.array(sorted(texts.tolist(), key=read.text), np.int64)
        corpus = [read.text(at) for at in own.tolist()]
        weights = WordWeights.over(
            (read.words_of(at) for at in own.tolist()), stop=self._calibration.stop_weight
        )
        floors: Mapping[str, float] = self._calibration.floors
        known = own[~self._encoder.reader.unread(read.tokens)[own]]  # unread texts are all alike to the model
        if len(known) >= FEWEST_FOR_FLOORS:
            known_texts = [read.text(at) for at in known.tolist()]
            drawn = known[unrelated_pairs(known_texts, UNRELATED_PAIRS, self._seed)]
            unrelated = self._layers.measure(read, drawn[:, 0], drawn[:, 1], weights)
            floors = estimated_floors(unrelated.layers(0.5), floors)
        return _CalibrationBasis(weights, floors, corpus_hash(corpus))

    def _across(self, pairs: Pairs) -> Mask:
        """Tell which pairs have two languages that the model reads, so that their words have no equals."""
        languages = languages_read(self._encoder.signature)
        texts = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
        found = (are_across(pairs.texts[ours], pairs.texts[theirs], languages) for ours, theirs in texts)
        return np.fromiter(found, np.bool_, len(pairs.prediction))

    def _penalty(self, pairs: Pairs) -> Floats:
        texts = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
        both = ((pairs.texts[ours], pairs.texts[theirs]) for ours, theirs in texts)
        found = (self.guards.check(*pair) if guards_read(*pair) else [] for pair in both)
        penalties = self._calibration.penalties
        weighed = (penalty_of(self.guards.weighed(findings), penalties) for findings in found)
        return np.fromiter(weighed, np.float64, len(pairs.prediction))

    @property
    def _weighing(self) -> list[str]:
        return [name for name, mode in self.guards.modes.items() if mode is Mode.WEIGH]

    def _signed(self, corpus: str, floors: str) -> Signature:
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
        signed = settings.extended(self._encoder.signature)
        decide = self._weighing or len(languages_read(signed)) > 1
        return with_identifier(signed) if decide else signed


GENERIC_MODEL = "all-MiniLM-L6-v2"
"""The model whose weights serve those that none were fitted to."""


@cache
def load_calibrated_weights(model: str | None = None) -> CalibratedWeights:
    """Read the weights that were fitted to a model, or ``GENERIC_MODEL``'s if none were.

    Args:
        model: name of a known model.

    Example:
        >>> [load_calibrated_weights(model).model for model in ("e5-small", "organisation/other")]
        ['e5-small', 'all-MiniLM-L6-v2']
    """
    content = resources.files("semscale.matching").joinpath("calibrated.yaml").read_bytes()
    fitted = yaml.safe_load(content)
    name = GENERIC_MODEL if model is None or model not in fitted else model
    return read_calibrated_weights(name, fitted[name])


def calibrated_weights_for(signature: Signature) -> CalibratedWeights:
    """Read the weights for the model that a signature names."""
    model = known_model(signature)
    return load_calibrated_weights(None if model is None else model.name)


def read_calibrated_weights(model: str, entries: Mapping[str, Any]) -> CalibratedWeights:
    """Take one model's weights as they are written in ``calibrated.yaml``."""
    digest = hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
    return CalibratedWeights(model=model, sha256=digest, **entries)


def explain_words(
    words: tuple[Sequence[str], Sequence[str]],
    vectors: tuple[WordVectors, WordVectors],
    shares: Mapping[str, float],
    recall_share: float,
) -> pl.DataFrame:
    """Lay out what each word of a prediction and of its reference adds to the layers of words.

    In either layer a word's similarity is its best cosine with a word of the other text. Before its floor is
    taken off, the layer is the sum of similarity times weight over the words of both texts.

    Args:
        words: those of the prediction, k >= 0, and those of the reference, l >= 0.
        vectors: their vectors and weights.
        shares: share of each layer in the score.
        recall_share: weight of the reference's words in the layers; the rest is that of the prediction's.

    Returns:
        A row a word, the prediction's first; none where one text has no word. Columns ``side``, ``place``,
        ``token`` (the word), ``matched_place`` and ``matched_token`` (the word of the other text that is most
        similar over both layers), ``similarity`` (mean of the next two, weighted by the layers' shares),
        ``word_similarity`` and ``context_similarity`` (0 to 1), ``weight`` (a share of its side's, times the
        side's share; all sum to 1), ``contribution`` (similarity times weight; all sum to the mean of both
        layers, weighted by their shares).
    """
    ours, theirs = vectors
    sides = [
        _side("prediction", words, (ours, theirs), shares, 1 - recall_share),
        _side("reference", words[::-1], (theirs, ours), shares, recall_share),
    ]
    return pl.concat(sides)


def _side(
    name: str,
    words: tuple[Sequence[str], Sequence[str]],
    vectors: tuple[WordVectors, WordVectors],
    shares: Mapping[str, float],
    side_share: float,
) -> pl.DataFrame:
    own, other = vectors
    n = len(own) if len(other) else 0
    if n:
        in_score = np.array([shares["word"], shares["context"]])
        of_layers = in_score / in_score.sum()
        cosines = clip_cosines(own.layers @ other.layers.swapaxes(-1, -2))
        best: Floats = cosines.max(axis=-1)
        matched = np.tensordot(of_layers, cosines, 1).argmax(axis=-1)
    else:
        of_layers, best, matched = np.zeros(2), np.zeros((2, 0)), np.zeros(0, np.int64)
    weights = own.weights_beside(other)[:n]
    similarity, weight = of_layers @ best, side_share * weights / (weights.sum() if n else 1.0)
    return pl.DataFrame(
        {
            "side": pl.Series([name] * n, dtype=pl.String),
            "place": np.arange(n),
            "token": pl.Series(words[0][:n], dtype=pl.String),
            "matched_place": matched.astype(np.int64),
            "matched_token": pl.Series([words[1][at] for at in matched], dtype=pl.String),
            "similarity": similarity,
            "word_similarity": best[0],
            "context_similarity": best[1],
            "weight": weight,
            "contribution": weight * similarity,
        }
    )


def checked_recall_share(share: float) -> float:
    """Refuse a share that is none.

    Args:
        share: 0 asks only whether the reference backs what is said, 1 only whether all of it is said.

    Raises:
        InputError: it is not a number between 0 and 1.

    Example:
        >>> checked_recall_share(2)
        Traceback (most recent call last):
        semscale.errors.InputError: recall_share must be between 0 and 1, got 2
    """
    if not isinstance(share, int | float | np.floating) or not 0 <= share <= 1:
        raise InputError(f"recall_share must be between 0 and 1, got {share!r}")
    return float(share)
