"""Matching by an entailment model: sentence by sentence, in both directions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl

from semscale.embedding.cross_encoder import CachedCrossEncoder, CrossEncoder, PairCache
from semscale.errors import InputError, ModelError
from semscale.matching.pairs import Pairs, ScoredPairs, side_table
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress
from semscale.weights.known import ENGLISH_NLI
from semscale.weights.resolving import resolve

ENTAILMENT, NEUTRAL, CONTRADICTION = 0, 1, 2
"""Columns of probabilities."""

RELATIONS = ("entailment", "neutral", "contradiction")
"""Names of the columns, in their order."""

RECALL_SHARE = 0.5
"""Default weight of the direction from prediction to reference: both directions count alike."""

TOGETHER = 8192
"""Pairs of sentences that the model reads in one call, unless one pair of texts has more."""

PARTS = (
    "reference_entails",
    "reference_neutral",
    "reference_contradicts",
    "prediction_entails",
    "prediction_neutral",
    "prediction_contradicts",
    "contradiction",
    "cut",
)
"""Parts of a score: mean relation of the reference to the prediction's sentences, and of the prediction to
the reference's; the largest contradiction of a sentence; and the share of pairs that were cut."""

_TOLERANCE = 1e-3  # of a sum of three probabilities


@runtime_checkable
class EntailmentModel(Protocol):
    """Estimator of the probabilities that a premise entails a hypothesis, contradicts it, or does neither."""

    @property
    def signature(self) -> Signature:
        """Model, weights' hash and precision."""
        ...

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Return the probabilities of p pairs, in one call for as many pairs as there are.

        Args:
            premises: p texts.
            hypotheses: p texts.

        Returns:
            Shape (p, 3), columns as in ``RELATIONS``; each row sums to 1.
        """
        ...


@dataclass(frozen=True)
class Entailments:
    """Probabilities of p pairs.

    Attributes:
        values: shape (p, 3), columns as in ``RELATIONS``; each row sums to 1.
        truncated: shape (p,), whether the pair was too long for the model and was cut.
        unread: shape (p,), whether the model cannot read one of the two texts.
    """

    values: Floats
    truncated: Mask
    unread: Mask


@runtime_checkable
class DetailedEntailmentModel(Protocol):
    """An entailment model that also reports the pairs that it cut or cannot read."""

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Return the probabilities of p pairs, as ``EntailmentModel.probabilities`` does."""
        ...


def entailments_by(model: EntailmentModel, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
    """Compute the probabilities of p pairs with a model, and check them.

    Args:
        model: any entailment model.
        premises: p texts.
        hypotheses: p texts.

    Raises:
        InputError: the model's result has another shape, or its rows are not probabilities.
    """
    if isinstance(model, DetailedEntailmentModel):
        return model.entailments(premises, hypotheses)
    values = np.asarray(model.probabilities(premises, hypotheses), np.float64)
    n = len(premises)
    if values.shape != (n, len(RELATIONS)):
        raise InputError("nli", f"must give 3 probabilities for each of {n} pairs, got shape {values.shape}")
    if not ((values >= 0).all() and (np.abs(values.sum(axis=1) - 1) < _TOLERANCE).all()):
        raise InputError("nli", "must give probabilities that sum to 1 for each pair, got others")
    return Entailments(values, np.zeros(n, np.bool_), np.zeros(n, np.bool_))


@dataclass(frozen=True)
class SentenceSupport:
    """Relations of the m sentences of one text to the h sentences of another.

    Attributes:
        values: shape (h, 3): each sentence's degrees of entailment, neutrality and contradiction; each row
            sums to 1. NaN where the model can read no pair with the sentence.
        deciding: shape (h,), index of the sentence among the m that decides: the one that contradicts most,
            if that is more than any entails, otherwise the one that entails most; -1 if none can be read.
    """

    values: Floats
    deciding: Integers

    @property
    def mean(self) -> Floats:
        """The mean of the sentences that were read, shape (3,); NaN without any."""
        read = self.values[~np.isnan(self.values[:, ENTAILMENT])]
        return read.mean(axis=0) if len(read) else np.full(3, np.nan)

    @property
    def worst(self) -> float:
        """The largest probability that a sentence is contradicted; NaN where none was read."""
        return float(np.fmax.reduce(self.values[:, CONTRADICTION]))


class SentenceEntailment:
    """Judges pairs of texts sentence by sentence with an entailment model.

    Each sentence of the hypothesis is entailed to the degree to which the premise's best sentence entails it,
    and contradicted to the degree to which one contradicts it, but no more than 1 minus its entailment. A
    text's probabilities are the mean of its sentences'. Texts of one sentence are not split.

    Args:
        model: judges each pair of sentences.
        together: pairs of sentences that the model reads in one call, unless one pair of texts has more.

    References:
        Laban et al. 2022, SummaC, section 3, doi:10.1162/tacl_a_00453.
    """

    def __init__(self, model: EntailmentModel, together: int = 65_536) -> None:
        self._model, self._together = model, together

    @property
    def signature(self) -> Signature:
        """Signature of the model."""
        return self._model.signature

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Return the probabilities of p pairs, shape (p, 3); NaN for a text that the model cannot read."""
        return self.entailments(premises, hypotheses).values

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Return the probabilities of p pairs, with masks of pairs that were cut and that cannot be read."""
        judged = list(self.supports(premises, hypotheses))
        values = np.array([supported.mean for supported, _ in judged], np.float64).reshape(-1, 3)
        cut = np.array([is_cut.any() for _, is_cut in judged], np.bool_)
        return Entailments(values, cut, np.isnan(values[:, ENTAILMENT]))

    def contradictions(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Return the probability that the most contradicted sentence of each hypothesis is contradicted.

        Returns:
            Shape (p,), 0 to 1; NaN where the model cannot read one of the texts.
        """
        worst = [supported.worst for supported, _ in self.supports(premises, hypotheses)]
        return np.array(worst, np.float64)

    def supports(
        self, premises: Sequence[str], hypotheses: Sequence[str]
    ) -> Iterator[tuple[SentenceSupport, Mask]]:
        """Judge pairs of texts in order, many pairs of sentences in one call.

        Yields:
            The support of a hypothesis's sentences by its premise, and a mask of the pairs of sentences that
            were cut.
        """
        sentences = {text: sentences_with_text(text) for text in (*premises, *hypotheses)}
        waiting: list[tuple[list[str], list[str]]] = []
        count = 0
        for premise, hypothesis in zip(premises, hypotheses, strict=True):
            sides = sentences[premise], sentences[hypothesis]
            more = len(sides[0]) * len(sides[1])
            if waiting and count + more > self._together:
                yield from self._judge(waiting)
                waiting, count = [], 0
            waiting.append(sides)
            count += more
        if waiting:
            yield from self._judge(waiting)

    def _judge(self, texts: Sequence[tuple[list[str], list[str]]]) -> Iterator[tuple[SentenceSupport, Mask]]:
        """Judge pairs of texts whose sentences the model reads in one call."""
        pairs = [pair for premise, hypothesis in texts for pair in product(hypothesis, premise)]
        judged = entailments_by(self._model, [pair[1] for pair in pairs], [pair[0] for pair in pairs])
        values = np.where(judged.unread[:, None], np.nan, judged.values)
        start = 0
        for premise, hypothesis in texts:
            stop = start + len(premise) * len(hypothesis)
            block = values[start:stop].reshape(len(hypothesis), len(premise), -1)
            yield support(block), judged.truncated[start:stop]
            start = stop


_Supports = tuple[SentenceSupport, SentenceSupport]  # of the prediction's sentences, and of the reference's


class EntailmentMatch:
    """Matches by the entailment of the prediction by the reference, and of the reference by the prediction.

    The score is the mean of the two probabilities of entailment. Texts of several sentences are compared
    sentence by sentence: each sentence of one text is entailed to the degree to which its best sentence of
    the other text entails it, and a text to the mean degree of its sentences.

    Args:
        model: estimates the probabilities of pairs.
        recall_share: weight of the direction from prediction to reference (is all of the reference stated?),
            0 to 1; the rest is the weight of the other direction (does the reference support all that is
            stated?).

    References:
        Both directions and their mean: Lin, Trivedi and Sun 2024, Generating with confidence, section 4,
        arXiv:2305.19187. Sentences: Laban et al. 2022, SummaC, section 3, doi:10.1162/tacl_a_00453.
    """

    def __init__(self, model: EntailmentModel, *, recall_share: float | None = None) -> None:
        self._model = model
        self._recall_share = RECALL_SHARE if recall_share is None else float(recall_share)

    @property
    def signature(self) -> Signature:
        """Signature of the settings."""
        settings = Signature.of(
            "match", method="entailment", recall_share=self._recall_share, sentences="max/mean"
        )
        return settings.plus(self._model.signature)

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, 0 to 1; NaN where the model cannot read a text."""
        rows = range(len(pairs.item))
        parts = np.full((len(rows), len(PARTS)), np.nan)
        for row, ((prediction, reference), cut) in enumerate(self._judge_pairs(pairs, rows)):
            parts[row] = [*prediction.mean, *reference.mean, max(prediction.worst, reference.worst), cut]
            if progress and (row % TOGETHER == 0 or row + 1 == len(rows)):
                progress("comparing", row + 1, len(rows))
        components = dict(zip(PARTS, parts.T.copy(), strict=True))
        supported, stated = components["reference_entails"], components["prediction_entails"]
        score: Floats = (1 - self._recall_share) * supported + self._recall_share * stated
        windows = np.ones(len(rows), np.int64)
        return ScoredPairs(score, components, windows, np.isnan(score), self.signature)

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain some pairs sentence by sentence; see ``explain_sentences``."""
        shares = (1 - self._recall_share, self._recall_share)
        tables = []
        for row, (supports, _) in zip(rows, self._judge_pairs(pairs, rows), strict=True):
            prediction, reference = map(sentences_with_text, pairs.both(row))
            tables.append(explain_sentences(prediction, reference, supports, shares))
        return tables

    def _judge_pairs(self, pairs: Pairs, rows: Sequence[int]) -> Iterator[tuple[_Supports, float]]:
        """Judge pairs of texts in both directions.

        Yields:
            The support of both texts' sentences, and the share of pairs of sentences that were cut.
        """
        texts = [pairs.both(row) for row in rows]
        hypotheses = [text for both in texts for text in both]
        premises = [text for prediction, reference in texts for text in (reference, prediction)]
        directions = SentenceEntailment(self._model, TOGETHER).supports(premises, hypotheses)
        for (prediction, is_cut), (reference, is_cut_back) in zip(directions, directions, strict=True):
            yield (prediction, reference), float(np.mean([is_cut, is_cut_back]))


class NliModel:
    """Entailment model with three classes; probabilities of equal pairs are computed once.

    Pairs are read in batches of equal length, so many short pairs in one call cost least: give all pairs of
    all samples at once.

    Args:
        encoder: classifies pairs, with or without a cache.
        labels: entailment, neutral and contradiction in the order of the model's classes, if ``config.json``
            does not state it.

    Raises:
        InputError: the labels are invalid, or differ from those of the model.
        ModelError: the model does not have three classes, or does not name them.

    References:
        Bowman et al. 2015 (the task), doi:10.18653/v1/D15-1075; Williams et al. 2018 (MultiNLI),
        doi:10.18653/v1/N18-1101.
    """

    def __init__(self, encoder: CachedCrossEncoder, *, labels: Sequence[str] | None = None) -> None:
        self._encoder = encoder
        self._columns = label_columns(encoder.labels, labels, encoder.encoder.name)

    @property
    def signature(self) -> Signature:
        """Signature of the classifier, its precision, and the order of its labels."""
        order = np.argsort(self._columns)
        labels = "/".join("enc"[relation] for relation in order)
        return self._encoder.signature.plus(Signature.of("classify", labels=labels))

    def probabilities(
        self, premises: Sequence[str], hypotheses: Sequence[str], *, progress: Progress | None = None
    ) -> Floats:
        """Return the probabilities of p pairs.

        Args:
            premises: p texts.
            hypotheses: p texts.
            progress: called as pairs are read.

        Returns:
            Shape (p, 3): entailment, neutrality and contradiction; each row sums to 1. A pair that is too
            long for the model is cut at the end of its longer text; ``entailments`` reports these pairs.
        """
        return self.entailments(premises, hypotheses, progress=progress).values

    def entailments(
        self, premises: Sequence[str], hypotheses: Sequence[str], *, progress: Progress | None = None
    ) -> Entailments:
        """Return the probabilities of p pairs, with masks of pairs that were cut and that cannot be read."""
        logits = self._encoder.logits(premises, hypotheses, progress)
        values = logits.values.astype(np.float64)
        values = np.exp(values - values.max(axis=1, keepdims=True, initial=-np.inf))
        values /= values.sum(axis=1, keepdims=True)
        return Entailments(values[:, self._columns], logits.truncated, logits.unread)


def load_nli(
    name: str | Path,
    *,
    precision: str = "exact",
    labels: Sequence[str] | None = None,
    cache: bool | Path = True,
    progress: Progress | None = None,
) -> NliModel:
    """Load an entailment model; the first use of a model from the hub pulls its weights.

    Args:
        name: a folder, or ``organisation/model`` on the Hugging Face hub: a cross-encoder with three classes
            and a graph in ONNX or OpenVINO's format; others need ``semscale[torch]``.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 if the processor supports it).
        labels: entailment, neutral and contradiction in the order of the model's classes, where its
            ``config.json`` does not state it.
        cache: whether probabilities are cached on disk, or the folder of the cache.
        progress: called while weights are pulled.

    Raises:
        InputError: an unknown precision, or invalid labels.
        ModelError: the model cannot be loaded or run, or is not an entailment model.
    """
    if labels is not None:
        validate_label_order(labels)
    files = resolve(name, progress=progress)
    encoder = CrossEncoder(files.folder, name=files.name, precision=precision)
    store = None if cache is False else PairCache(None if cache is True else Path(cache))
    return NliModel(CachedCrossEncoder(encoder, store), labels=labels)


_EXPECTED = ", ".join(RELATIONS)


def validate_label_order(stated: Sequence[str]) -> tuple[str, ...]:
    """Check a user's order of labels, and return it in lower case.

    Args:
        stated: the names of ``RELATIONS``, in the order of the model's classes; capitals do not matter.

    Raises:
        InputError: a name is missing, unknown or repeated.

    Examples:
        >>> validate_label_order(["Contradiction", " neutral", "entailment"])
        ('contradiction', 'neutral', 'entailment')
    """
    listed = isinstance(stated, Sequence) and not isinstance(stated, str)
    names = tuple(str(name).strip().lower() for name in stated) if listed else ()
    if sorted(names) != sorted(RELATIONS):
        raise InputError(
            "nli_labels", f"must list {_EXPECTED} in the order of the model's classes, got {stated!r:.80}"
        )
    return names


def label_columns(labels: Sequence[str], stated: Sequence[str] | None, model: str) -> list[int]:
    """Find the class of each relation.

    Args:
        labels: names of the model's classes, from its ``config.json``.
        stated: the user's order, see ``validate_label_order``; ``None`` to use the model's names.
        model: its name, for messages.

    Returns:
        The numbers of the classes of entailment, neutrality and contradiction.

    Raises:
        InputError: the stated order is invalid, or differs from that of the model.
        ModelError: the model has more or fewer than three classes, or names of another kind, and no order is
            stated.

    Examples:
        >>> label_columns(["CONTRADICTION", "ENTAILMENT", "NEUTRAL"], None, "a model")
        [1, 2, 0]
    """
    names = tuple(label.strip().lower() for label in labels)
    shown = ", ".join(labels)
    if len(names) != len(RELATIONS):
        raise ModelError(
            f"{model} has {len(names)} classes ({shown}): give an entailment model with three: {_EXPECTED}"
        )
    is_named = sorted(names) == sorted(RELATIONS)
    if stated is not None:
        order = validate_label_order(stated)
        if is_named and order != names:
            raise InputError(
                "nli_labels",
                f"are {', '.join(order)}, but {model} names its classes {shown}: leave them out",
            )
        names = order
    elif not is_named:
        raise ModelError(
            f"{model} does not state the meaning of its classes ({shown}): state their order, such as "
            "`nli_labels=('entailment', 'neutral', 'contradiction')`"
        )
    return [names.index(relation) for relation in RELATIONS]


def load_entailment_model(
    nli: str | Path | EntailmentModel | None,
    labels: Sequence[str] | None = None,
    *,
    precision: str = "exact",
    cache: bool | Path = True,
    progress: Progress | None = None,
) -> EntailmentModel:
    """Load an entailment model by its name, or return a loaded one.

    Args:
        nli: a folder, ``organisation/model`` on the Hugging Face hub, or an entailment model.
        labels: see ``load_nli``; only for a model given by name, like precision, cache and progress.
        precision: ``exact`` or ``fast``.
        cache: whether probabilities are cached on disk, or the folder of the cache.
        progress: called while weights are pulled.

    Raises:
        InputError: not an entailment model, or settings for a model that is loaded already.
        ModelError: the model cannot be loaded or run, or is not an entailment model.
    """
    if nli is None:
        named = f"such as {ENGLISH_NLI.hub_id}, or the folder of one: there is no default"
        raise InputError("nli", f"must name an entailment model for `method='entailment'`, {named}")
    if isinstance(nli, str | Path):
        return load_nli(nli, precision=precision, labels=labels, cache=cache, progress=progress)
    if not isinstance(nli, EntailmentModel):
        raise InputError("nli", f"must be a name, a folder or an entailment model, got {nli!r:.60}")
    if precision != "exact" or labels is not None:
        raise InputError(
            "precision and nli_labels need the name of a model, got a model: give load_nli these settings"
        )
    return nli


_SENTENCE = re.compile(
    r"""
    \s*
    (?:(?!\n).)*?                                  # within one line
    (?: (?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)(?<!\bMr)(?<!\bDr)[.!?]+['"”’)\]]*(?=\s|$)
      | [。！？]+[」』”’)]*                          # not followed by a space
      | (?=\n) | $ )
    """,
    re.VERBOSE,
)


_NUMBER = re.compile(r"\s*\(?(\d{1,3}|[A-Za-z])[.)]\s*")


def sentences_of(text: str) -> list[str]:
    """Split a text after full stops, question and exclamation marks, and at line ends.

    White space belongs to the sentence after it, so joining the pieces returns the text.

    Examples:
        >>> sentences_of("Good, e.g. fast. Cheap!")
        ['Good, e.g. fast.', ' Cheap!']
    """
    sentences, start = [], 0
    while start < len(text):
        match = _SENTENCE.match(text, start)
        end = match.end() if match and match.end() > start else len(text)
        sentences.append(text[start:end])
        start = end
    if len(sentences) > 1 and not sentences[-1].strip():
        blank = sentences.pop()
        sentences[-1] += blank
    return sentences


def sentences_with_text(text: str) -> list[str]:
    r"""List a text's sentences, stripped of white space; those without a word are dropped.

    The number of an entry in a list belongs to the sentence after it. A text without any word counts as one
    sentence.

    Examples:
        >>> sentences_with_text("It is safe. 👍\n1. Take 5 mg!"), sentences_with_text("安全です。良い。")
        (['It is safe.', '1. Take 5 mg!'], ['安全です。', '良い。'])
    """
    sentences, number = [], ""
    for piece in sentences_of(text):
        if _NUMBER.fullmatch(piece):
            number += piece
        elif any(character.isalnum() for character in piece):
            sentences.append((number + piece).strip())
            number = ""
    return [*sentences, number.strip()] if number else sentences or [text]


def support(probabilities: Floats) -> SentenceSupport:
    """Judge each sentence by the sentence that supports it best.

    A sentence is entailed to the degree to which one of the others entails it (the maximum). It is
    contradicted to the degree to which one of the others contradicts it, but no more than 1 minus its
    entailment: support by one sentence outweighs contradiction by another. The rest is neutral.

    Args:
        probabilities: shape (h, m, 3), with m premises for each of h hypotheses; NaN for a pair that the
            model cannot read.

    References:
        Laban et al. 2022, SummaC, section 3 (zero-shot: the maximum over premises, then the mean over
        hypotheses), doi:10.1162/tacl_a_00453. The rule for contradiction is ours.

    Examples:
        >>> backed, denied = [[0.9, 0.1, 0.0], [0.1, 0.1, 0.8]], [[0.1, 0.9, 0.0], [0.0, 0.3, 0.7]]
        >>> judged = support(np.array([backed, denied]))
        >>> judged.values.round(2).tolist(), judged.deciding.tolist()
        ([[0.9, 0.0, 0.1], [0.1, 0.2, 0.7]], [0, 1])
    """
    known = np.where(np.isnan(probabilities), -1.0, probabilities)
    rows = np.arange(len(known))
    best, against = known[:, :, ENTAILMENT].argmax(axis=1), known[:, :, CONTRADICTION].argmax(axis=1)
    entailed, contradicted = known[rows, best, ENTAILMENT], known[rows, against, CONTRADICTION]
    deciding = np.where(contradicted > entailed, against, best)
    contradicted = np.minimum(contradicted, 1 - entailed)
    values = np.column_stack([entailed, 1 - entailed - contradicted, contradicted])
    unread = entailed < 0
    values[unread], deciding[unread] = np.nan, -1
    return SentenceSupport(values, deciding)


def explain_sentences(
    prediction: Sequence[str],
    reference: Sequence[str],
    supports: _Supports,
    shares: tuple[float, float],
) -> pl.DataFrame:
    """Lay out the contribution of each sentence of a prediction and of its reference to the score.

    Args:
        prediction: sentences of the prediction.
        reference: sentences of the reference.
        supports: support of each of them by the other text.
        shares: weight of the prediction's sentences in the score, and of the reference's; they sum to 1.

    Returns:
        A table like that of ``side_table``, one row per sentence that was read, with the columns
        ``neutral`` and ``contradiction`` (probabilities). ``similarity`` is the probability that the sentence
        is entailed; its counterpart is the deciding sentence. All weights sum to 1, and all contributions to
        the score.
    """
    tables, sentences = [], (prediction, reference)
    for side, name in enumerate(("prediction", "reference")):
        read = np.flatnonzero(supports[side].deciding >= 0)
        values = supports[side].values[read]
        table = side_table(
            name,
            [sentences[side][row] for row in read.tolist()],
            sentences[1 - side],
            supports[side].deciding[read],
            values[:, ENTAILMENT],
            np.full(len(read), shares[side] / max(1, len(read))),
            neutral=values[:, NEUTRAL],
            contradiction=values[:, CONTRADICTION],
        )
        tables.append(table.with_columns(place=pl.Series(read, dtype=pl.Int64)))
    return pl.concat(tables)
