"""BERTScore: similarity of two texts, token by token, at one layer of an encoder."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.texts import distinct
from semscale.errors import InputError
from semscale.matching.bertscore.baselines import read_baseline, rescale_scores
from semscale.matching.bertscore.choices import chosen_baseline, chosen_layer, token_encoder
from semscale.matching.bertscore.device_scoring import DevicePairScorer
from semscale.matching.bertscore.pair_scoring import PairScorer, TextPairs
from semscale.matching.bertscore.scores import BertPairScores, BertScores
from semscale.matching.bertscore.token_weights import Idf, fixed_weights, reference_weights
from semscale.matching.pairs import Pairs, best_pairs, pair_up
from semscale.messages import known_settings
from semscale.signature import Signature
from semscale.types import Progress, Status
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.tokens.token_states import TokenEncoder
    from semscale.matching.bertscore.explanation import Explanation

Rescale = bool | str | Path
"""``False``: raw scores. ``True``: the baseline that comes with Semscale. Else a file with a baseline."""


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
            with the one in it, from ``semscale bertscore calibrate`` or of bert_score's format.
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
        from semscale.matching.bertscore.explanation import explain_pair

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
