"""BERTScore: precision, recall and F1 by the best cosines between the tokens of two texts."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, Unpack

import numpy as np
import polars as pl

from semscale.embedding.engines.finite_output import check_finite
from semscale.embedding.loading import load_token_encoder
from semscale.embedding.texts import distinct
from semscale.embedding.tokens.state_engine import state_engine
from semscale.embedding.tokens.token_ids import TokenIds, TokenReader
from semscale.embedding.tokens.token_states import TokenEncoder, TokenStates
from semscale.embedding.torch_engine.device import AUTO
from semscale.embedding.torch_engine.transfers import fetched
from semscale.errors import InputError
from semscale.matching.bertscore_baselines import (
    Baseline,
    BertModel,
    bert_models,
    find_bert_model,
    read_baseline,
    rescale_scores,
)
from semscale.matching.cosines import (
    BestMatches,
    ScoringStep,
    best_on_device,
    mean_best,
    mean_of_best,
    plan_steps,
    unit_rows,
)
from semscale.matching.matches import Matches
from semscale.matching.pairs import Pairs, ScoredPairs, best_pairs, pair_up
from semscale.matching.summary import MatchSummary, MatchTally, texts_of
from semscale.messages import known_settings
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, IntervalSettings, estimate_values
from semscale.results.result import Result
from semscale.results.result_columns import COUNTS, FLOATS, POSITIONS, STATUSES
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.columns import as_names
from semscale.types import Floats, Ids, Integers, Mask, Progress, Status, Statuses, Vectors
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.model_lookup import known_model

if TYPE_CHECKING:
    import torch

    from semscale.embedding import Embedder
    from semscale.embedding.tokens.token_states import TokenEncoder


Rescale = bool | str | Path
"""``False``: raw scores. ``True``: the baseline that comes with Semscale. Else a file with a baseline."""


@dataclass(frozen=True, repr=False)
class BertScores(Result):
    """BERTScores of n items, in the order of the items.

    Attributes:
        precision: shape (n,), how far what the prediction says is in the reference; NaN where there is none.
        recall: shape (n,), how far what the reference says is in the prediction; NaN likewise.
        f1: shape (n,), the harmonic mean of the two; NaN likewise. Of several references each of the three
            is the highest one by itself.
        status: shape (n,), each a ``Status``: why each item has scores, or has none.
        reference: shape (n,), which of its references the F1 is from, counted from 0; -1 where none.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where none.
        signature: the settings that were applied.
        bounds: the least and the greatest score that there can be; rescaled ones go lower.
    """

    precision: Annotated[Floats, FLOATS]
    recall: Annotated[Floats, FLOATS]
    f1: Annotated[Floats, FLOATS]
    status: Annotated[Statuses, STATUSES]
    reference: Annotated[Integers, POSITIONS]
    windows: Annotated[Integers, COUNTS]
    signature: Signature
    bounds: tuple[float, float] = (-1.0, 1.0)

    header_fields = ("bounds",)

    def with_zeros(self) -> "BertScores":
        """Put 0 where an item has no score, as ``bert_score`` does; the status still says why."""
        filled = {name: np.nan_to_num(getattr(self, name), nan=0.0) for name in _FIGURES}
        return replace(self, **filled)

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate mean precision, recall and F1 of all items and of each group; F1 is the main one.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            {name: getattr(self, name) for name in _FIGURES},
            self.status,
            bounds=dict.fromkeys(_FIGURES, self.bounds),
            main="f1",
            signature=self.signature,
            **settings,
        )

    def summarize(
        self,
        predictions: object = None,
        references: object = None,
        *,
        by: object = None,
        source: str = "texts in memory",
        **intervals: Unpack[IntervalSettings],
    ) -> MatchSummary:
        """Sum the scores up, with F1 as the score; reports, documents and JSON come from the summary.

        Args:
            predictions: shape (n,), as they were scored, to be shown beside their scores.
            references: shape (n,), likewise; of several the one that the F1 is from is shown.
            by: shape (n,), names of groups.
            source: where the items come from, such as the name of a file.
            intervals: how intervals are made, such as ``interval`` and ``seed``.

        Raises:
            InputError: a column of the wrong length, or a setting out of range.
        """
        parts = {"precision": self.precision, "recall": self.recall}
        scored = Matches(
            self.f1, self.status, self.reference, self.windows, self.signature, parts, bounds=self.bounds
        )
        names = None if by is None else as_names(texts_of(by, "by", self.n), "by")
        title = None if names is None else getattr(by, "name", None) or ""
        tally = MatchTally(scored, by=title, figures=_FIGURES, score="f1")
        tally.add(
            scored,
            texts_of(predictions, "predictions", self.n),
            texts_of(references, "references", self.n),
            names,
        )
        return tally.summary(IntervalPlan(**intervals), source)

    def _short_summary(self) -> MatchSummary:
        return self.summarize()


Idf = bool | Sequence[str] | Mapping[int, float]
"""``False``: all count the same. ``True``: idf over the references. Else a corpus, or ready weights."""


@known_settings
def bertscore(  # noqa: PLR0913 - what can be chosen about a score
    predictions: object,
    references: object,
    *,
    embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
    layer: int | None = None,
    idf: Idf = False,
    rescale: Rescale = False,
    precision: str = "exact",
    progress: Progress | None = None,
) -> BertScores:
    """Score predictions against references with BERTScore; see ``BertScorer`` for the settings.

    Args:
        predictions: shape (n,), texts.
        references: shape (n,), each a text or a list of texts.
        embedder: as ``BertScorer`` takes it, with ``layer``, ``idf``, ``rescale`` and ``precision``.
        layer: see there.
        idf: see there.
        rescale: see there.
        precision: see there.
        progress: called while weights are pulled and pairs are scored.

    Returns:
        Precision, recall and F1 of each item, -1 to 1.

    Raises:
        InputError: lists of unequal length, or a setting that cannot be used.
        ModelError: the model's files cannot be had or run.

    References:
        Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT, arXiv 1904.09675.

    Example:
        >>> import semscale
        >>> scores = semscale.bertscore(["He is in Paris.", None], ["He is in Paris.", "Rome"])
        >>> scores.f1.round(3).tolist(), [str(status) for status in scores.status]
        ([1.0, nan], ['scored', 'missing'])
    """
    encoder = token_encoder(embedder, precision, progress)
    scorer = BertScorer(encoder, layer=layer, idf=idf, rescale=rescale)
    return scorer.score(predictions, references, progress=progress)


@dataclass(frozen=True)
class BertPairScores:
    """Scores of p pairs of one prediction and one reference.

    Attributes:
        values: shape (p, 3): precision, recall and F1; NaN where no token has a weight.
        windows: shape (p,), the most windows that one of the pair's two texts was read in.
        unread: shape (p,), whether the model cannot read one of the pair's two texts.
        signature: the settings that were applied.
    """

    values: Floats
    windows: Integers
    unread: Mask
    signature: Signature


class BertScorer:
    """Scores with BERTScore; the model is loaded once.

    Args:
        embedder: a known model, a folder, ``organisation/model`` on the Hugging Face hub, what
            ``load_embedder`` gives with an engine that shows the states of tokens (``openvino``, ``torch``),
            or an encoder that ``load_token_encoder`` gave.
        layer: whose states are compared, from 0 (the embeddings) up; where it is published or calibrated for
            the model it need not be given.
        idf: ``False``: every token counts the same. ``True``: the rarer among the references of a call, the
            more. A list of texts: rarer in that corpus. A mapping from token ids: these weights.
        rescale: ``False``: raw scores. ``True``: rescaled with the baseline that comes with Semscale. A file:
            with the one in it, from ``semscale models calibrate`` or of bert_score's format.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 where the processor has it); an encoder that
            is given keeps its own.

    Raises:
        InputError: a setting that cannot be used; the message says what to do.
        ModelError: the model's files cannot be had or run.
    """

    @known_settings
    def __init__(
        self,
        embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
        *,
        layer: int | None = None,
        idf: Idf = False,
        rescale: Rescale = False,
        precision: str = "exact",
    ) -> None:
        self.encoder = token_encoder(embedder, precision, None)
        given = None if isinstance(rescale, bool) else read_baseline(Path(rescale))
        self.layer = chosen_layer(layer, self.encoder, given)
        self._baseline = chosen_baseline(given, self.encoder, self.layer) if rescale is not False else None
        self._weights = fixed_weights(idf, self.encoder.reader)

    @property
    def signature(self) -> Signature:
        """Signature of the settings; with ``idf=True`` that of a result also has a hash of its weights."""
        return self._signature(self._weights.origin if self._weights else "references", rescaled=True)

    def score(
        self,
        predictions: object,
        references: object,
        *,
        progress: Progress | None = None,
        keep_unread: bool = False,
    ) -> BertScores:
        """Score predictions against references.

        Args:
            predictions: shape (n,), texts.
            references: shape (n,), each a text or a list of texts.
            progress: called while pairs are scored.
            keep_unread: whether texts that the model cannot read are scored all the same.

        Raises:
            InputError: something other than lists, or lists of unequal length.
        """
        pairs = pair_up(predictions, references)
        scored = self.score_pairs(pairs, progress=progress)
        if not keep_unread:
            scored = replace(scored, values=np.where(scored.unread[:, None], np.nan, scored.values))
        values, windows = np.full((pairs.n_items, 3), np.nan), np.zeros(pairs.n_items, np.int64)
        status, reference = pairs.status.copy(), np.full(pairs.n_items, -1)
        if len(pairs.item):
            starts = np.flatnonzero(np.diff(pairs.item, prepend=-1))
            items = pairs.item[starts]
            values[items] = np.fmax.reduceat(scored.values, starts)
            windows[items] = np.maximum.reduceat(scored.windows, starts)
            status[items[np.isnan(values[items, 0])]] = Status.WEIGHTLESS
            best = best_pairs(scored.values[:, 2], pairs.item)
            reference[items] = np.where(np.isnan(values[items, 2]), -1, pairs.place[best])
        least = -1.0
        if self._baseline is not None:
            baseline = self._baseline.at(self.layer)
            values = rescale_scores(values, baseline)
            least = float(rescale_scores(np.full(3, least), baseline).min())
        precision, recall, f1 = values.T.copy()
        signature = self._signature(dict(scored.signature.fields)["idf"], rescaled=True)
        return BertScores(precision, recall, f1, status, reference, windows, signature, (least, 1.0))

    def score_pairs(self, pairs: Pairs, *, progress: Progress | None = None) -> BertPairScores:
        """Score every pair by itself, without rescaling."""
        texts, where = distinct([text.strip() for text in pairs.texts])
        tokens = self.encoder.reader.read(texts)
        prediction, reference = where[pairs.prediction], where[pairs.reference]
        weights = self._weights or reference_weights(self.encoder.reader, tokens, reference)
        scorer = DevicePairScorer if self.encoder.is_on_gpu else PairScorer
        values = scorer(self.encoder, self.layer, weights).score(
            TextPairs(tokens, prediction, reference), progress
        )
        windows = self.encoder.windows(tokens)
        most = np.maximum(windows[prediction], windows[reference])
        unread = self.encoder.reader.unread(tokens)
        either = unread[prediction] | unread[reference]
        return BertPairScores(values, most, either, self._signature(weights.origin, rescaled=False))

    def explain(self, prediction: str, reference: str) -> "Explanation":
        """Explain a pair's score: matched tokens, their similarity and contributions; not rescaled.

        Raises:
            InputError: not two texts, one of them is empty, or ``idf=True``, whose weights depend on a call.
        """
        for name, text in (("prediction", prediction), ("reference", reference)):
            if not isinstance(text, str) or not text.strip():
                raise InputError(f"{name} must be a text with something in it, got {text!r:.60}")
        if self._weights is None:
            raise InputError("idf=True weighs by a call's references: give explain's scorer idf=[texts]")
        stripped = [prediction.strip(), reference.strip()]
        first, second = self.encoder.token_states(stripped, layer=self.layer)
        signature = self._signature(self._weights.origin, rescaled=False)
        return explain_pair((prediction, reference), (first, second), self._weights, signature)

    def _signature(self, idf: str, *, rescaled: bool) -> Signature:
        label = self._baseline.label(self.layer) if self._baseline and rescaled else "no"
        settings = Signature.of("bertscore", layer=self.layer, idf=idf, rescale=label)
        return settings.extended(self.encoder.signature)


_FIGURES = ("precision", "recall", "f1")


class BertMatch:
    """Matches by the F1 of BERTScore; of several references the one with the highest F1 counts.

    Args:
        scorer: with its layer and its weights.
    """

    def __init__(self, scorer: BertScorer) -> None:
        self._scorer = scorer

    @property
    def signature(self) -> Signature:
        """What is applied."""
        return self._scorer.signature

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, -1 to 1; NaN where no token has a weight."""
        scored = self._scorer.score_pairs(pairs, progress=progress)
        precision, recall, f1 = scored.values.T.copy()
        parts = {"precision": precision, "recall": recall}
        return ScoredPairs(
            f1, parts, scored.windows, scored.signature, bounds=(-1.0, 1.0), unread=scored.unread
        )

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain some pairs token by token, each as a table like that of ``Explanation.to_frame``."""
        texts = ((pairs.texts[pairs.prediction[row]], pairs.texts[pairs.reference[row]]) for row in rows)
        return [self._scorer.explain(prediction, reference).to_frame() for prediction, reference in texts]


_CALIBRATE = "semscale models calibrate {name} --corpus FILE --out FILE"


def token_encoder(
    embedder: "str | Path | Embedder | TokenEncoder",
    precision: str,
    progress: Progress | None,
    *,
    engine: str = "openvino",
    device: str = AUTO,
) -> "TokenEncoder":
    """Load the model whose states are compared.

    Args:
        embedder: a name, a folder, an embedder that shows the states of tokens, or an encoder that
            ``load_token_encoder`` gave.
        precision: of a model that is loaded here.
        progress: called while weights are pulled.
        engine: that loads it.
        device: where the engine ``torch`` computes.

    Raises:
        InputError: an embedder that shows no states, or a model that cannot be run here.
        ModelError: the model's files cannot be had or run.
    """
    from semscale.embedding.tokens.token_states import TokenEncoder

    if isinstance(embedder, TokenEncoder):
        return embedder
    if not isinstance(embedder, str | Path):
        return TokenEncoder(state_engine(embedder))
    known = find_bert_model(embedder) if isinstance(embedder, str) else None
    if known is not None and not known.runs and engine == "openvino":
        runnable = ", ".join(name for name, each in bert_models().items() if each.runs)
        said = f"model {known.name} has an architecture that cannot be run here; try {runnable}, or give"
        raise InputError(
            f"{said} embedder=load_embedder({known.name!r}, engine='torch')",
            in_shell=f"{said} --engine torch",
        )
    name = known.hub if known and not Path(embedder).is_dir() else embedder
    return load_token_encoder(name, precision=precision, engine=engine, device=device, progress=progress)


def chosen_layer(layer: int | None, encoder: "TokenEncoder", baseline: Baseline | None) -> int:
    """Choose the layer that is compared: the given one, else the calibrated one, else the published one.

    Raises:
        InputError: the model has no such layer, or none is known for it.
    """
    known = _known(encoder)
    if layer is None and baseline is not None:
        layer = baseline.best_layer
    if layer is None and known is not None:
        layer = known.layer
    if layer is None:
        raise InputError(
            f"layer must be given for {encoder.name}, 0 to {encoder.layers}, as none is known to be good; "
            f"to find it: {_CALIBRATE.format(name=encoder.name)} --prediction COL --reference COL --human COL"
        )
    encoder.check_layer(layer)
    return int(layer)


def chosen_baseline(given: Baseline | None, encoder: "TokenEncoder", layer: int) -> Baseline:
    """Choose the baseline for rescaling: the given one, else the one known for the model.

    Raises:
        InputError: there is none, it belongs to another model, or it lacks the layer.
    """
    known = _known(encoder)
    if given is not None:
        ours = _identity(encoder)
        if given.model is not None and given.model != ours:
            raise InputError(f"rescale: {given.origin} is the baseline of {given.model}, not of {ours}")
        found = given
    elif known is not None and known.baseline is not None:
        found = Baseline(known.baseline, known.name.replace(":", "_"))
    else:
        raise InputError(
            f"rescale=True needs a baseline, and none is known for {encoder.name}; make one with "
            f"{_CALIBRATE.format(name=encoder.name)} and give rescale that file"
        )
    found.at(layer)
    return found


def _known(encoder: "TokenEncoder") -> BertModel | None:
    """Find what is known of a model, under its short name with the pinned weights or its name on the hub."""
    pinned = known_model(encoder.signature)
    if pinned is not None:
        return bert_models().get(pinned.name)
    known = find_bert_model(encoder.name)
    is_published = known is not None and known.weights is None and known.hub == encoder.name
    return known if is_published else None


def _identity(encoder: "TokenEncoder") -> str:
    return dict(encoder.signature.fields)["model"]


@dataclass(frozen=True)
class TokenWeights:
    """A weight for every token of a vocabulary.

    Attributes:
        table: shape (vocabulary,), at least 0.
        origin: where the weights are from, as signatures have it.
    """

    table: Floats
    origin: str

    def of(self, ids: Ids) -> Floats:
        """Weights of a text's tokens, shape (t,)."""
        return np.asarray(self.table[ids])


def equal_weights(reader: TokenReader) -> TokenWeights:
    """Give every token weight 1, and the special tokens around each text weight 0."""
    table = np.ones(reader.vocabulary)
    table[reader.special_ids] = 0
    return TokenWeights(table, "no")


def fixed_weights(idf: Idf, reader: TokenReader) -> TokenWeights | None:
    """Give the weights if they are the same in every call; ``None`` if each call's references decide them.

    Raises:
        InputError: ``idf`` is none of what it can be.
    """
    if isinstance(idf, bool):
        return None if idf else equal_weights(reader)
    if isinstance(idf, Mapping):
        return given_weights(reader, idf)
    if isinstance(idf, str) or not isinstance(idf, Sequence):
        raise InputError(
            f"idf must be True, False, a list of texts or a mapping from token ids, got {idf!r:.40}"
        )
    return corpus_weights(reader, idf)


def document_frequency(tokens: TokenIds, times: Integers, vocabulary: int) -> Integers:
    """Count, for every token of the vocabulary, the documents that contain it.

    Args:
        tokens: the distinct documents.
        times: shape (n,), how often each of them is in the corpus.
        vocabulary: how many token ids there are.

    Returns:
        Shape (vocabulary,).
    """
    frequency = np.zeros(vocabulary, np.int64)
    for document in np.flatnonzero(times):
        frequency[np.unique(tokens.of(int(document)))] += times[document]
    return frequency


def inverse_document_frequency(frequency: Integers, documents: int) -> Floats:
    """Compute idf = ln((N + 1) / (df + 1)) of each token; ln(N + 1) for one in no document.

    Args:
        frequency: df, shape (vocabulary,).
        documents: N.

    References:
        Zhang et al. 2020, BERTScore, section 3, with plus-one smoothing, arXiv 1904.09675.

    Example:
        >>> inverse_document_frequency(np.array([3, 1, 0]), 3).round(4).tolist()
        [0.0, 0.6931, 1.3863]
    """
    return np.asarray(np.log((documents + 1) / (frequency + 1)))


def corpus_weights(reader: TokenReader, corpus: Sequence[str]) -> TokenWeights:
    """Compute idf weights from a corpus; texts are stripped, and repeated ones count each time.

    Raises:
        InputError: the corpus is empty, or holds something other than texts.
    """
    for place, text in enumerate(corpus):
        if not isinstance(text, str):
            raise InputError(f"idf[{place}] must be a text, got {type(text).__name__}")
    if not corpus:
        raise InputError("idf must be a corpus with at least one text, got an empty list")
    tokens = reader.read([text.strip() for text in corpus])
    return _weights(tokens, np.ones(len(tokens), np.int64), reader, "corpus")


def reference_weights(reader: TokenReader, tokens: TokenIds, references: Integers) -> TokenWeights:
    """Compute idf weights from the references of all pairs; repeated ones count each time.

    Args:
        reader: the model's tokenizer.
        tokens: the distinct texts.
        references: shape (p,), which text is each pair's reference.
    """
    times = np.bincount(references, minlength=len(tokens))
    return _weights(tokens, times, reader, "references")


def given_weights(reader: TokenReader, weights: Mapping[int, float]) -> TokenWeights:
    """Take weights from a mapping of token ids.

    A token that the mapping lacks gets the default of a ``defaultdict``; with any other mapping it gets the
    largest weight, as a token that was never seen is rare. Special tokens around each text get 0 unless the
    mapping has them.

    Raises:
        InputError: no mapping from token ids to finite weights of at least 0.
    """
    try:
        known = {int(token): float(weight) for token, weight in weights.items()}
        factory = getattr(weights, "default_factory", None)
        unseen = float(factory()) if factory else max(known.values(), default=1.0)
    except (TypeError, ValueError) as error:
        raise InputError(f"idf must map token ids to weights: {error}") from None
    size = reader.vocabulary
    for token, weight in known.items():
        if not 0 <= token < size or not 0 <= weight < np.inf:
            raise InputError(
                f"idf must map token ids below {size} to weights of at least 0, got {token}: {weight}"
            )
    table = np.full(size, unseen)
    if not hasattr(weights, "default_factory"):
        table[reader.special_ids] = 0
    table[list(known)] = list(known.values())
    return TokenWeights(table, f"weights#{_hash(table)}")


def _weights(tokens: TokenIds, times: Integers, reader: TokenReader, name: str) -> TokenWeights:
    table = inverse_document_frequency(document_frequency(tokens, times, reader.vocabulary), int(times.sum()))
    return TokenWeights(table, f"{name}#{_hash(table)}/{times.sum()}")


def _hash(table: Floats) -> str:
    return hashlib.sha256(table.astype("<f8").tobytes()).hexdigest()[:8]


FRESH_BYTES = 128 << 20  # states of texts that are encoded in one step


KEPT_BYTES = 192 << 20  # states of texts that are kept for later pairs


_REPORTED = 64  # pairs between two reports of progress


@dataclass(frozen=True)
class TextPairs:
    """p pairs of tokenized texts.

    Attributes:
        tokens: the distinct texts.
        prediction: shape (p,), which text is the prediction.
        reference: shape (p,), which text is the reference.
    """

    tokens: TokenIds
    prediction: Integers
    reference: Integers


class GreedyScore(NamedTuple):
    """Precision, recall and F1 of one pair, each -1 to 1; NaN where no token has a weight."""

    precision: float
    recall: float
    f1: float


class PairScorer:
    """Scores pairs at one layer of a model.

    A pair's numbers depend on its two texts alone, to the last bit.

    Args:
        encoder: gives the states of tokens.
        layer: number of the layer whose states are compared, 0 for the embeddings.
        weights: weights of tokens.
        fresh_bytes: most memory for the states of texts that are encoded together.
        kept_bytes: most memory for the states of texts that are kept for later pairs.
    """

    def __init__(
        self,
        encoder: TokenEncoder,
        layer: int,
        weights: TokenWeights,
        *,
        fresh_bytes: int = FRESH_BYTES,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self._encoder = encoder
        self._layer = layer
        self._weights = weights
        token = 4 * encoder.hidden
        self._room = {"fresh_tokens": fresh_bytes // token, "kept_tokens": kept_bytes // token}

    def score(self, pairs: TextPairs, progress: Progress | None = None) -> Floats:
        """Score pairs.

        Returns:
            Shape (p, 3): precision, recall and F1; NaN in all three where a text has no token with a weight.
        """
        values = np.full((len(pairs.prediction), 3), np.nan)
        units: dict[int, Vectors] = {}
        done = 0
        for step in plan_steps(pairs.prediction, pairs.reference, pairs.tokens.lengths, **self._room):
            for pair in self._ready(step, pairs, units):
                values[pair] = self._score_pair(pairs, pair, units)
                done += 1
                if progress and (done % _REPORTED == 0 or done == len(values)):
                    progress("scoring pairs", done, len(values))
            for text in step.dropped.tolist():
                del units[text]
        values[np.isnan(values).any(axis=1)] = np.nan
        return values

    def _ready(self, step: ScoringStep, pairs: TextPairs, units: dict[int, Vectors]) -> Iterator[int]:
        """Give each pair of a step as soon as both of its texts are there, while others are still encoded."""
        waiting: dict[int, list[int]] = {int(text): [] for text in step.fresh}
        for pair in step.pairs.tolist():
            awaited = {int(pairs.prediction[pair]), int(pairs.reference[pair])} & waiting.keys()
            if not awaited:
                yield pair
            for text in awaited:
                waiting[text].append(pair)
        for text, states in self._encoder.encode(pairs.tokens, step.fresh, layer=self._layer):
            units[text] = unit_rows(states)
            for pair in waiting[text]:
                if int(pairs.prediction[pair]) in units and int(pairs.reference[pair]) in units:
                    yield pair

    def _score_pair(self, pairs: TextPairs, pair: int, units: dict[int, Vectors]) -> GreedyScore:
        prediction, reference = int(pairs.prediction[pair]), int(pairs.reference[pair])
        return greedy_score(
            cosine_matrix(units[prediction], units[reference]),
            self._weights.of(pairs.tokens.of(prediction)),
            self._weights.of(pairs.tokens.of(reference)),
        )


# Multiplications up to which NumPy's matrix product stays on the calling thread. Beyond that it waits for
# helpers that the engine keeps busy, which costs milliseconds where the product itself takes microseconds.
_ONE_THREAD = 1 << 18


def cosine_matrix(prediction: Vectors, reference: Vectors) -> Vectors:
    """Cosines of all tokens of one text with all tokens of the other.

    Computed tile by tile, where only the pair's own shape decides the tiles, so that neither the company nor
    the number of threads changes a bit.

    Args:
        prediction: shape (..., t, d), unit rows, float32, in C order.
        reference: shape (..., s, d), likewise.

    Returns:
        Shape (..., t, s), float32.

    Example:
        >>> cosine_matrix(np.eye(2, dtype=np.float32), np.array([[0.6, 0.8]], np.float32)).tolist()
        [[0.6000000238418579], [0.800000011920929]]
    """
    if reference is prediction:
        # NumPy multiplies a matrix with itself by another routine, whose last digits differ.
        reference = reference.copy()
    *layers, t, d = prediction.shape
    s = reference.shape[-2]
    side = max(1, math.isqrt(_ONE_THREAD // max(1, d)))
    cosines = np.empty((*layers, t, s), np.float32)
    for row in range(0, t, side):
        for column in range(0, s, side):
            rows, columns = slice(row, row + side), slice(column, column + side)
            across = reference[..., columns, :].swapaxes(-1, -2)
            np.matmul(prediction[..., rows, :], across, out=cosines[..., rows, columns])
    return cosines


def greedy_score(cosines: Vectors, prediction_weights: Floats, reference_weights: Floats) -> GreedyScore:
    """BERTScore of one pair.

    Precision is the weighted mean, over the prediction's tokens, of each one's highest cosine in the
    reference; recall is the same from the reference's side; F1 is their harmonic mean, 2PR / (P + R). A token
    without weight, such as [CLS], can still be what another one is matched with. F1 is 0 where P + R is 0.

    Args:
        cosines: shape (t, s).
        prediction_weights: shape (t,), at least 0.
        reference_weights: shape (s,), at least 0.

    References:
        Zhang et al. 2020, BERTScore, section 3 and equation for idf weighting, arXiv 1904.09675.

    Example:
        >>> cosines = np.array([[1.0, 0.5], [0.0, 0.25]], np.float32)
        >>> greedy_score(cosines, np.array([1.0, 1.0]), np.array([1.0, 0.0]))
        GreedyScore(precision=0.625, recall=1.0, f1=0.7692307692307693)
    """
    return greedy_scores([cosines], [(prediction_weights, reference_weights)])[0]


def greedy_scores(matrices: Iterable[Vectors], weights: Sequence[tuple[Floats, Floats]]) -> list[GreedyScore]:
    """BERTScores of p pairs, each as ``greedy_score`` gives it.

    Args:
        matrices: p matrices of cosines, one after the other.
        weights: of each pair's tokens.
    """
    return _scores(mean_best(matrices, weights, _at_most_1)) if weights else []


def scores_of_best(best: Sequence[Vectors], weights: Sequence[tuple[Floats, Floats]]) -> list[GreedyScore]:
    """BERTScores of p pairs whose best cosines are known.

    Args:
        best: for each pair the best cosine of each token of the prediction, then of the reference.
        weights: of each pair's tokens.
    """
    return _scores(mean_of_best(best, weights, _at_most_1)) if weights else []


def _at_most_1(best: Vectors) -> Vectors:
    """Rounding may lift the cosine of equal vectors above 1 by 1e-7."""
    return np.minimum(best, 1)


def _scores(means: Floats) -> list[GreedyScore]:
    return [
        GreedyScore(precision, recall, f_measure(precision, recall)) for precision, recall in means.tolist()
    ]


def f_measure(precision: float, recall: float) -> float:
    """Harmonic mean 2PR / (P + R); 0 where P + R is 0, NaN where either is.

    Example:
        >>> f_measure(0.5, 1.0), f_measure(0.0, 0.0)
        (0.6666666666666666, 0.0)
    """
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


STATE_BYTES = 512 << 20
"""States of texts that are encoded in one step, and as many that are kept for later pairs."""


class DevicePairScorer:
    """Scores pairs at one layer of a model, as ``PairScorer`` does, to the 6th decimal place.

    While a step's best cosines are averaged here, the GPU works on the next step.

    Args:
        encoder: gives the states of tokens on their device.
        layer: number of the layer whose states are compared, 0 for the embeddings.
        weights: weights of tokens.
        state_bytes: most memory for the states of texts that are encoded together, and for those kept.
    """

    def __init__(
        self, encoder: TokenEncoder, layer: int, weights: TokenWeights, *, state_bytes: int = STATE_BYTES
    ) -> None:
        self._encoder = encoder
        self._layer = layer
        self._weights = weights
        self._room = state_bytes // (4 * encoder.hidden)

    def score(self, pairs: TextPairs, progress: Progress | None = None) -> Floats:
        """Score pairs.

        Returns:
            Shape (p, 3): precision, recall and F1; NaN in all three where a text has no token with a weight.

        Raises:
            ModelError: the model gives states that are not finite.
        """
        values = np.full((len(pairs.prediction), 3), np.nan)
        done = 0
        for (numbers, found), output in fetched(self._steps(pairs)):
            best = found.read(output)
            check_finite(np.concatenate(best), self._encoder.name)
            own = numbers[found.pairs]
            values[own] = scores_of_best(best, [self._weights_of(pairs, pair) for pair in own.tolist()])
            done += len(own)
            if progress:
                progress("scoring pairs", done, len(values))
        values[np.isnan(values).any(axis=1)] = np.nan
        return values

    def _steps(self, pairs: TextPairs) -> "Iterator[tuple[tuple[Integers, BestMatches], torch.Tensor]]":
        """Encode texts and compute best cosines, step by step."""
        room = {"fresh_tokens": self._room, "kept_tokens": self._room}
        kept = _KeptUnits()
        for step in plan_steps(pairs.prediction, pairs.reference, pairs.tokens.lengths, **room):
            states, places = self._encoder.device_states(pairs.tokens, step.fresh, layer=self._layer)
            kept.add(step.fresh, states, places)
            texts = zip(
                pairs.prediction[step.pairs].tolist(), pairs.reference[step.pairs].tolist(), strict=True
            )
            own = [(kept.places[ours], kept.places[theirs]) for ours, theirs in texts]
            for found, output in best_on_device(kept.units, own):
                yield (step.pairs, found), output
            kept.drop(step.dropped)

    def _weights_of(self, pairs: TextPairs, pair: int) -> tuple[Floats, Floats]:
        sides = int(pairs.prediction[pair]), int(pairs.reference[pair])
        ours, theirs = (self._weights.of(pairs.tokens.of(text)) for text in sides)
        return ours, theirs


class _KeptUnits:
    """Unit rows of texts' tokens on a device.

    Attributes:
        units: shape (rows, hidden).
        places: by text, the rows of its tokens.
    """

    units: "torch.Tensor"

    def __init__(self) -> None:
        self.places: dict[int, Integers] = {}

    def add(self, texts: Integers, states: "torch.Tensor", places: list[Integers]) -> None:
        """Keep the states of texts as unit rows, behind those that are kept already."""
        import torch

        with torch.inference_mode():
            units = torch.nn.functional.normalize(states, dim=1)
            before = len(self.units) if self.places else 0
            self.units = torch.cat([self.units, units]) if before else units
        self.places.update(zip(texts.tolist(), (each + before for each in places), strict=True))

    def drop(self, texts: Integers) -> None:
        """Let texts go, and close the gaps that they leave."""
        import torch

        for text in texts.tolist():
            del self.places[text]
        if not self.places:
            return
        rows = np.concatenate(list(self.places.values()))
        ends = np.cumsum([len(each) for each in self.places.values()])
        with torch.inference_mode():
            self.units = self.units[torch.from_numpy(rows).to(self.units.device)]
        starts = ends - [len(each) for each in self.places.values()]
        self.places = {
            text: np.arange(start, end)
            for text, start, end in zip(self.places, starts.tolist(), ends.tolist(), strict=True)
        }


@dataclass(frozen=True)
class ExplainedSide:
    """One text's tokens, each with the token of the other text that it was matched with.

    Attributes:
        text: the text itself.
        pieces: its t tokens as the vocabulary writes them, special ones included.
        offsets: shape (t, 2), first character and the one after the last; both 0 for special tokens.
        match: shape (t,), place of the most similar token in the other text.
        similarity: shape (t,), cosine with that token, -1 to 1.
        weight: shape (t,), share of the token in the mean; sums to 1, or 0 where no token has a weight.
    """

    text: str
    pieces: tuple[str, ...]
    offsets: Integers
    match: Integers
    similarity: Floats
    weight: Floats

    @property
    def contribution(self) -> Floats:
        """What each token adds to precision or recall, shape (t,): weight times similarity."""
        return self.weight * self.similarity


@dataclass(frozen=True)
class Explanation:
    """One pair's BERTScore, token by token.

    Attributes:
        prediction: the prediction's tokens; their contributions sum to precision.
        reference: the reference's tokens; their contributions sum to recall.
        cosines: shape (t, s), of every token of the prediction with every one of the reference.
        score: precision, recall and F1, not rescaled.
        windows: the most windows that one of the two texts was read in.
        signature: the settings that were applied.
    """

    prediction: ExplainedSide
    reference: ExplainedSide
    cosines: Vectors
    score: GreedyScore
    windows: int
    signature: Signature

    def to_frame(self) -> pl.DataFrame:
        """Lay the tokens out as a table, the prediction's first.

        Returns:
            Columns ``side``, ``place``, ``token``, ``start``, ``end`` (null for special tokens),
            ``matched_place``, ``matched_token``, ``similarity``, ``weight`` and ``contribution``.
        """
        return pl.concat(
            [
                _frame("prediction", self.prediction, self.reference),
                _frame("reference", self.reference, self.prediction),
            ]
        )


def explain_pair(
    texts: tuple[str, str],
    tokens: tuple[TokenStates, TokenStates],
    weights: TokenWeights,
    signature: Signature,
) -> Explanation:
    """Explain the score of a prediction and a reference.

    Args:
        texts: the two, as given.
        tokens: their tokens' states; offsets count from the first character that is no white space.
        weights: weights of tokens.
        signature: the settings that were applied.
    """
    first, second = tokens
    cosines = cosine_matrix(unit_rows(first.states), unit_rows(second.states))
    shares = weights.of(first.ids), weights.of(second.ids)
    return Explanation(
        prediction=_side(texts[0], first, cosines, shares[0]),
        reference=_side(texts[1], second, cosines.T, shares[1]),
        cosines=cosines,
        score=greedy_score(cosines, *shares),
        windows=max(first.windows, second.windows),
        signature=signature,
    )


def _side(text: str, tokens: TokenStates, cosines: Vectors, weights: Floats) -> ExplainedSide:
    indent = len(text) - len(text.lstrip())
    offsets = np.where(tokens.special[:, None], 0, tokens.offsets + indent)
    total = float(weights.sum())
    similarity = np.minimum(cosines.max(axis=1), 1).astype(np.float64)
    shares = weights / total if total else np.zeros(len(weights))
    return ExplainedSide(text, tokens.pieces, offsets, cosines.argmax(axis=1), similarity, shares)


def _frame(name: str, side: ExplainedSide, other: ExplainedSide) -> pl.DataFrame:
    special = side.offsets[:, 1] == 0
    return pl.DataFrame(
        {
            "side": [name] * len(side.pieces),
            "place": np.arange(len(side.pieces)),
            "token": side.pieces,
            "start": pl.Series(side.offsets[:, 0]).set(pl.Series(special), None),
            "end": pl.Series(side.offsets[:, 1]).set(pl.Series(special), None),
            "matched_place": side.match,
            "matched_token": [other.pieces[place] for place in side.match],
            "similarity": side.similarity,
            "weight": side.weight,
            "contribution": side.contribution,
        }
    )
