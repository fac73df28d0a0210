"""Models of natural language inference that run here: probabilities of many pairs at once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from semscale.embedding.cross_encoders.cached_cross_encoder import CachedCrossEncoder
from semscale.embedding.cross_encoders.cross_encoder import CrossEncoder
from semscale.embedding.cross_encoders.pair_cache import PairCache
from semscale.matching.entailment.nli_labels import checked_labels, label_columns
from semscale.matching.entailment.probabilities import Entailments
from semscale.signature import Signature
from semscale.types import Floats, Progress
from semscale.weights.resolving import resolve


class NliModel:
    """Gives the probabilities of entailment, neutrality and contradiction; equal pairs are computed once.

    Pairs are read in batches of equal length, so many short pairs in one call cost least: give all pairs of
    all samples at once.

    Args:
        encoder: classifies pairs; with a cache or without.
        labels: entailment, neutral and contradiction in the order of its classes, where ``config.json`` does
            not say it.

    Raises:
        InputError: the labels are none, or others than those of the model.
        ModelError: the model has not three classes, or does not say which is which.

    References:
        Bowman et al. 2015 (the task), doi:10.18653/v1/D15-1075; Williams et al. 2018 (MultiNLI),
        doi:10.18653/v1/N18-1101.
    """

    def __init__(self, encoder: CachedCrossEncoder, *, labels: Sequence[str] | None = None) -> None:
        self._encoder = encoder
        self._columns = label_columns(encoder.labels, labels, encoder.encoder.name)

    @property
    def signature(self) -> Signature:
        """What decides the numbers: the classifier, its precision, and the order of its labels."""
        order = np.argsort(self._columns)
        labels = "/".join("enc"[place] for place in order)
        return self._encoder.signature.extended(Signature.of("classify", labels=labels))

    def probabilities(
        self, premises: Sequence[str], hypotheses: Sequence[str], *, progress: Progress | None = None
    ) -> Floats:
        """Give the probabilities of p pairs.

        Args:
            premises: p texts.
            hypotheses: p texts.
            progress: called as pairs are read.

        Returns:
            Shape (p, 3): the premise entails the hypothesis, neither, contradicts it; each row sums to 1. A
            pair that is too long for the model is cut at the end of its longer text; ``entailments`` says
            which ones.
        """
        return self.entailments(premises, hypotheses, progress=progress).values

    def entailments(
        self, premises: Sequence[str], hypotheses: Sequence[str], *, progress: Progress | None = None
    ) -> Entailments:
        """Give the probabilities of p pairs, and say which were cut, and which the model cannot read."""
        found = self._encoder.logits(premises, hypotheses, progress)
        values = _softmax(found.values.astype(np.float64))[:, self._columns]
        return Entailments(values, found.truncated, found.unread)


def load_nli(
    name: str | Path,
    *,
    precision: str = "exact",
    labels: Sequence[str] | None = None,
    cache: bool | Path = True,
    progress: Progress | None = None,
) -> NliModel:
    """Load a model of entailment; the first use of a model from the hub pulls its weights.

    Args:
        name: a folder, or ``organisation/model`` on the Hugging Face hub: a cross-encoder of the families
            BERT, RoBERTa, XLM-R, DistilBERT or DeBERTa (v2, v3) with three classes.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 if the processor supports it).
        labels: entailment, neutral and contradiction in the order of the model's classes, where its
            ``config.json`` does not say it.
        cache: whether probabilities are cached on disk, or the folder of the cache.
        progress: called while weights are pulled.

    Raises:
        InputError: an unknown precision, or labels that are none.
        ModelError: the files cannot be had or run, or the model is no model of entailment.
    """
    if labels is not None:
        checked_labels(labels)
    files = resolve(name, progress=progress)
    encoder = CrossEncoder(files.folder, name=files.name, sha256=files.sha256, precision=precision)
    store = None if cache is False else PairCache(None if cache is True else Path(cache))
    return NliModel(CachedCrossEncoder(encoder, store), labels=labels)


def _softmax(logits: Floats) -> Floats:
    shares: Floats = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
