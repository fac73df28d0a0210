"""Matching by an entailment model: sentence by sentence, in both directions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl

from semscale.embedding.cross_encoders.cached_cross_encoder import CachedCrossEncoder
from semscale.embedding.cross_encoders.cross_encoder import CrossEncoder
from semscale.embedding.cross_encoders.pair_cache import PairCache
from semscale.errors import InputError, ModelError
from semscale.matching.calibrated import checked_recall_share
from semscale.matching.pairs import Pairs, ScoredPairs
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress
from semscale.weights.known import ENGLISH_NLI
from semscale.weights.resolving import resolve

RECALL_SHARE = 0.5
"""Both directions count alike."""


TOGETHER = 8192
"""Pairs of sentences that are given to the model in one call, unless one pair of texts has more."""


@dataclass(frozen=True)
class SentenceSupport:
    """What the m sentences of one text say of the h sentences of another.

    Attributes:
        values: shape (h, 3): how far each sentence is entailed, neither, contradicted; each row sums to 1.
            NaN where the model can read the sentence beside no other.
        deciding: shape (h,), which of the m sentences decides: the one that contradicts most where that is
            more than what the best one entails, else the one that entails most; -1 where none is read.
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


@dataclass(frozen=True)
class JudgedPair:
    """A prediction and its reference, sentence by sentence.

    Attributes:
        prediction: its sentences.
        reference: its sentences.
        of_prediction: how far each sentence of the prediction is backed by the reference.
        of_reference: how far each sentence of the reference is said by the prediction.
        cut: share of the pairs of sentences that were too long for the model.
    """

    prediction: list[str]
    reference: list[str]
    of_prediction: SentenceSupport
    of_reference: SentenceSupport
    cut: float

    @property
    def parts(self) -> list[float]:
        """The numbers of ``PARTS``, in their order; NaN where the model cannot read one of the texts."""
        backed, said = self.of_prediction.mean, self.of_reference.mean
        worst = max(self.of_prediction.worst, self.of_reference.worst)
        order = [ENTAILMENT, NEUTRAL, CONTRADICTION]
        return [*backed[order].tolist(), *said[order].tolist(), worst, self.cut]


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
"""Parts of a score: what the reference says of the prediction, what the prediction says of the reference, the
most contradicted sentence of both, and the share of pairs of sentences that were cut."""


@runtime_checkable
class EntailmentModel(Protocol):
    """Says how probable it is that a premise entails a hypothesis, contradicts it, or does neither."""

    @property
    def signature(self) -> Signature:
        """Model, weights' hash and precision."""
        ...

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probabilities of p pairs, in one call for as many pairs as there are.

        Args:
            premises: p texts.
            hypotheses: p texts.

        Returns:
            Shape (p, 3), columns as in ``RELATIONS``; each row sums to 1.
        """
        ...


class EntailmentMatch:
    """Matches by how far the reference entails the prediction, and the prediction the reference.

    The score is the mean of the two probabilities of entailment. Texts of several sentences are compared
    sentence by sentence: each sentence of one text counts as entailed as far as its best sentence of the
    other text entails it, and a text as the mean of its sentences.

    Args:
        model: gives the probabilities of pairs.
        recall_share: weight of the direction from prediction to reference (is all of the reference said?),
            0 to 1; the rest is that of the other one (is all that is said backed by the reference?).

    Raises:
        InputError: ``recall_share`` is not from 0 to 1.

    References:
        Both directions and their mean: Lin, Trivedi and Sun 2024, Generating with confidence, section 4,
        arXiv:2305.19187. Sentences: Laban et al. 2022, SummaC, section 3, doi:10.1162/tacl_a_00453.
    """

    def __init__(self, model: EntailmentModel, *, recall_share: float | None = None) -> None:
        self._model = model
        self._recall_share = RECALL_SHARE if recall_share is None else checked_recall_share(recall_share)

    @property
    def signature(self) -> Signature:
        """What is applied."""
        settings = Signature.of(
            "match", method="entailment", recall_share=self._recall_share, sentences="max/mean"
        )
        return settings.extended(self._model.signature)

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, 0 to 1; NaN where the model cannot read a text."""
        rows = range(len(pairs.item))
        parts = np.full((len(rows), len(PARTS)), np.nan)
        for row, judged in enumerate(self._judged(pairs, rows)):
            parts[row] = judged.parts
            if progress and (row % TOGETHER == 0 or row + 1 == len(rows)):
                progress("comparing", row + 1, len(rows))
        components = dict(zip(PARTS, parts.T.copy(), strict=True))
        backed, said = components["reference_entails"], components["prediction_entails"]
        score: Floats = (1 - self._recall_share) * backed + self._recall_share * said
        windows = np.ones(len(rows), np.int64)
        return ScoredPairs(score, components, windows, self.signature, unread=np.isnan(score))

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain some pairs sentence by sentence; see ``explain_sentences``."""
        shares = (1 - self._recall_share, self._recall_share)
        return [
            explain_sentences(
                (judged.prediction, judged.reference), (judged.of_prediction, judged.of_reference), shares
            )
            for judged in self._judged(pairs, rows)
        ]

    def _judged(self, pairs: Pairs, rows: Sequence[int]) -> Iterator[JudgedPair]:
        """Judge pairs of texts in order, many pairs of sentences in one call."""
        sentences: dict[int, list[str]] = {}

        def of(text: int) -> list[str]:
            return sentences.setdefault(text, worded_sentences(pairs.texts[text]))

        waiting: list[tuple[list[str], list[str]]] = []
        count = 0
        for row in rows:
            both = of(int(pairs.prediction[row])), of(int(pairs.reference[row]))
            more = 2 * len(both[0]) * len(both[1])
            if waiting and count + more > TOGETHER:
                yield from self._judge(waiting)
                waiting, count = [], 0
            waiting.append(both)
            count += more
        yield from self._judge(waiting)

    def _judge(self, texts: Sequence[tuple[list[str], list[str]]]) -> Iterator[JudgedPair]:
        """Judge pairs of texts whose sentences are given to the model in one call."""
        asked: list[tuple[str, str]] = []
        for prediction, reference in texts:
            asked += ((premise, hypothesis) for hypothesis, premise in product(prediction, reference))
            asked += ((premise, hypothesis) for hypothesis, premise in product(reference, prediction))
        if not asked:
            return
        found = entailments_by(self._model, [one for one, _ in asked], [other for _, other in asked])
        values = np.where(found.unread[:, None], np.nan, found.values)
        at = 0
        for prediction, reference in texts:
            size = len(prediction) * len(reference)
            backed = values[at : at + size].reshape(len(prediction), len(reference), -1)
            said = values[at + size : at + 2 * size].reshape(len(reference), len(prediction), -1)
            cut = float(found.truncated[at : at + 2 * size].mean())
            yield JudgedPair(prediction, reference, support(backed), support(said), cut)
            at += 2 * size


ENTAILMENT, NEUTRAL, CONTRADICTION = 0, 1, 2
"""Columns of probabilities."""


RELATIONS = ("entailment", "neutral", "contradiction")
"""Names of the columns, in their order."""


_TOLERANCE = 1e-3  # of a sum of three probabilities


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
class SaysWhatItRead(Protocol):
    """A model of entailment that also says which pairs it cut, and which it cannot read."""

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Give the probabilities of p pairs, as ``EntailmentModel.probabilities`` has them."""
        ...


def entailments_by(model: EntailmentModel, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
    """Ask a model for p pairs, and check what comes.

    Args:
        model: any model of entailment.
        premises: p texts.
        hypotheses: p texts.

    Raises:
        InputError: what came has another shape, or is no probability.
    """
    if isinstance(model, SaysWhatItRead):
        return model.entailments(premises, hypotheses)
    values = np.asarray(model.probabilities(premises, hypotheses), np.float64)
    n = len(premises)
    if values.shape != (n, len(RELATIONS)):
        raise InputError(f"nli must give 3 probabilities for each of {n} pairs, got shape {values.shape}")
    if not ((values >= 0).all() and (np.abs(values.sum(axis=1) - 1) < _TOLERANCE).all()):
        raise InputError("nli must give probabilities that sum to 1 for each pair, got others")
    return Entailments(values, np.zeros(n, np.bool_), np.zeros(n, np.bool_))


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


_EXPECTED = ", ".join(RELATIONS)


def checked_labels(stated: Sequence[str]) -> tuple[str, ...]:
    """Check an order of labels that a user states.

    Args:
        stated: the names of ``RELATIONS``, in the order of the model's classes; capitals do not matter.

    Raises:
        InputError: not each of them once.

    Example:
        >>> checked_labels(["Contradiction", " neutral", "entailment"])
        ('contradiction', 'neutral', 'entailment')
    """
    listed = isinstance(stated, Sequence) and not isinstance(stated, str)
    names = tuple(str(name).strip().lower() for name in stated) if listed else ()
    if sorted(names) != sorted(RELATIONS):
        raise InputError(
            f"nli_labels must list {_EXPECTED} in the order of the model's classes, got {stated!r:.80}",
            in_shell=f"--nli-labels must be {','.join(RELATIONS)} in the order of the model's classes, "
            f"got {','.join(stated) if listed else stated}",
        )
    return names


def label_columns(labels: Sequence[str], stated: Sequence[str] | None, model: str) -> list[int]:
    """Find the class of each relation.

    Args:
        labels: names of the model's classes, as its ``config.json`` has them.
        stated: as ``checked_labels`` takes them; ``None`` to go by the model's own names.
        model: its name, for messages.

    Returns:
        The numbers of the classes of entailment, neutrality and contradiction.

    Raises:
        InputError: the stated order is none, or another one than that of the model.
        ModelError: the model has more or fewer than three classes, or names that say nothing, and no order is
            stated.

    Example:
        >>> label_columns(["CONTRADICTION", "ENTAILMENT", "NEUTRAL"], None, "a model")
        [1, 2, 0]
    """
    own = tuple(label.strip().lower() for label in labels)
    shown = ", ".join(labels)
    if len(own) != len(RELATIONS):
        raise ModelError(
            f"{model} has {len(own)} classes ({shown}): give a model of entailment with three: {_EXPECTED}"
        )
    says = sorted(own) == sorted(RELATIONS)
    if stated is not None:
        names = checked_labels(stated)
        if says and names != own:
            said = f"are {', '.join(names)}, but {model} names its classes {shown}: leave them out"
            raise InputError(f"nli_labels {said}", in_shell=f"--nli-labels {said}")
        return [names.index(relation) for relation in RELATIONS]
    if not says:
        problem = (
            f"{model} does not say what its classes mean ({shown}): state their order, as its page has it"
        )
        raise ModelError(
            f"{problem}, such as nli_labels=('entailment', 'neutral', 'contradiction')",
            in_shell=f"{problem}, such as --nli-labels entailment,neutral,contradiction",
        )
    return [own.index(relation) for relation in RELATIONS]


def chosen_model(
    nli: str | Path | EntailmentModel | None,
    labels: Sequence[str] | None = None,
    *,
    precision: str = "exact",
    cache: bool | Path = True,
    progress: Progress | None = None,
) -> EntailmentModel:
    """Load a model of entailment that is named, or take one as it is.

    Args:
        nli: a folder, ``organisation/model`` on the Hugging Face hub, or a model of entailment.
        labels: as ``load_nli`` takes them, for a model that is named; precision, cache and progress, too.
        precision: ``exact`` or ``fast``.
        cache: whether probabilities are cached on disk, or the folder of the cache.
        progress: called while weights are pulled.

    Raises:
        InputError: no model, something else than a model, or settings for a model that is loaded already.
        ModelError: the model's files cannot be had or run, or it is no model of entailment.
    """
    if nli is None:
        named = f"such as {ENGLISH_NLI.hub_id}, or the folder of one: there is no default"
        raise InputError(
            f"nli must name a model of entailment for method 'entailment', {named}",
            in_shell=f"--nli must name a model of entailment for --method entailment, {named}",
        )
    if isinstance(nli, str | Path):
        return load_nli(nli, precision=precision, labels=labels, cache=cache, progress=progress)
    if not isinstance(nli, EntailmentModel):
        raise InputError(f"nli must be a name, a folder or a model of entailment, got {nli!r:.60}")
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

    White space belongs to the sentence after it, so that the joined pieces are the text again.

    Example:
        >>> sentences_of("Good, e.g. fast. Cheap!")
        ['Good, e.g. fast.', ' Cheap!']
    """
    found, at = [], 0
    while at < len(text):
        match = _SENTENCE.match(text, at)
        end = match.end() if match and match.end() > at else len(text)
        found.append(text[at:end])
        at = end
    if len(found) > 1 and not found[-1].strip():
        blank = found.pop()
        found[-1] += blank
    return found


def worded_sentences(text: str) -> list[str]:
    r"""List a text's sentences without white space around them, and without those that hold no word.

    The number of an entry in a list belongs to the sentence after it. A text without any word is its own
    sentence.

    Example:
        >>> worded_sentences("It is safe. 👍\n1. Take 5 mg!"), worded_sentences("安全です。良い。")
        (['It is safe.', '1. Take 5 mg!'], ['安全です。', '良い。'])
    """
    found, number = [], ""
    for piece in sentences_of(text):
        if _NUMBER.fullmatch(piece):
            number += piece
        elif any(character.isalnum() for character in piece):
            found.append((number + piece).strip())
            number = ""
    return [*found, number.strip()] if number else found or [text]


def support(probabilities: Floats) -> SentenceSupport:
    """Judge each sentence by the sentence that backs it best.

    A sentence is entailed as far as one of the others entails it (the maximum). It is contradicted as far as
    one of the others contradicts it, but no further than what is not entailed: what one sentence says,
    another one does not take back. The rest is neutral.

    Args:
        probabilities: shape (h, m, 3), with m premises for each of h hypotheses; NaN for a pair that the
            model cannot read.

    References:
        Laban et al. 2022, SummaC, section 3 (zero-shot: the maximum over premises, then the mean over
        hypotheses), doi:10.1162/tacl_a_00453. The rule for contradiction is ours.

    Example:
        >>> backed, denied = [[0.9, 0.1, 0.0], [0.1, 0.1, 0.8]], [[0.1, 0.9, 0.0], [0.0, 0.3, 0.7]]
        >>> found = support(np.array([backed, denied]))
        >>> found.values.round(2).tolist(), found.deciding.tolist()
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
    sentences: tuple[Sequence[str], Sequence[str]],
    supports: tuple[SentenceSupport, SentenceSupport],
    shares: tuple[float, float],
) -> pl.DataFrame:
    """Lay out what each sentence of a prediction and of its reference adds to the score.

    Args:
        sentences: those of the prediction, and those of the reference.
        supports: how far each of them is backed by the other text.
        shares: weight of the prediction's sentences in the score, and of the reference's; they sum to 1.

    Returns:
        A row a sentence that was read, the prediction's first. Columns ``side``, ``place``, ``token`` (the
        sentence), ``matched_place`` and ``matched_token`` (the sentence of the other text that decides: it
        entails this one, or contradicts it, most), ``similarity`` (probability that it is entailed),
        ``neutral``, ``contradiction``, ``weight`` (the side's share, split among its sentences; all sum to
        1) and ``contribution`` (similarity times weight; all sum to the score).
    """
    own, other = sentences
    first = _side("prediction", (own, other), supports[0], shares[0])
    return pl.concat([first, _side("reference", (other, own), supports[1], shares[1])])


def _side(
    name: str, sentences: tuple[Sequence[str], Sequence[str]], support: SentenceSupport, share: float
) -> pl.DataFrame:
    read = np.flatnonzero(support.deciding >= 0)
    values, deciding = support.values[read], support.deciding[read]
    weight = np.full(len(read), share / max(1, len(read)))
    return pl.DataFrame(
        {
            "side": pl.Series([name] * len(read), dtype=pl.String),
            "place": read.astype(np.int64),
            "token": pl.Series([sentences[0][at] for at in read.tolist()], dtype=pl.String),
            "matched_place": deciding.astype(np.int64),
            "matched_token": pl.Series([sentences[1][at] for at in deciding.tolist()], dtype=pl.String),
            "similarity": values[:, ENTAILMENT],
            "neutral": values[:, NEUTRAL],
            "contradiction": values[:, CONTRADICTION],
            "weight": weight,
            "contribution": weight * values[:, ENTAILMENT],
        }
    )
