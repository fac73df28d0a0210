"""The interface of ``bert_score`` on Semscale's BERTScore: ``from semscale.compat.bert_score import score``.

Intended differences from ``bert_score`` 0.3.13:

- Without PyTorch, results are NumPy arrays of float64 with ``cpu``, ``detach``, ``numpy`` and ``tolist``;
  what only a tensor has is refused with what to install. With PyTorch they are tensors of float32.
- The last two models stay loaded for later calls.
- ``bert_score`` counts padding as tokens of similarity 0, so that a token with only negative cosines scores 0
  or less, depending on the other pairs of its batch. Here a score depends only on its pair; it equals that of
  ``bert_score`` with ``batch_size=1``.
- Texts beyond the model's limit are read in windows instead of being cut.
- An empty text scores 0 before rescaling, as in ``bert_score``, but does not end the program.
- ``device``, ``batch_size``, ``nthreads`` and ``use_fast_tokenizer`` are ignored: the engine runs on the
  processor and chooses batches and threads itself, and the tokenizer gives the same tokens.
- The hash is the signature, which also contains the weights, the precision and the hash of the idf weights.
- A missing baseline is an error in both entry points.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.compat.bert_score_arrays import ScoreArray, Scores, Triple, tensor_or_array
from semscale.embedding.token_states import TokenEncoder
from semscale.errors import InputError
from semscale.matching.bertscore import (
    BertScorer,
    BertScores,
    chosen_baseline,
    chosen_layer,
    read_baseline,
    rescale_scores,
    token_encoder,
)
from semscale.matching.token_scores import Idf

__all__ = ["BERTScorer", "ScoreArray", "Triple", "plot_example", "score"]

_BY_LANGUAGE = {
    "en": "roberta-large",
    "zh": "bert-base-chinese",
    "tr": "dbmdz/bert-base-turkish-cased",
    "en-sci": "allenai/scibert_scivocab_uncased",
}
_OTHER_LANGUAGES = "bert-base-multilingual-cased"


def score(  # noqa: PLR0913, PLR0917 - the arguments of bert_score
    cands: Sequence[str],
    refs: Sequence[str] | Sequence[Sequence[str]],
    model_type: str | None = None,
    num_layers: int | None = None,
    verbose: bool = False,  # noqa: FBT001, FBT002
    idf: bool | Mapping[int, float] = False,  # noqa: FBT001, FBT002
    device: str | None = None,
    batch_size: int = 64,
    nthreads: int = 4,
    all_layers: bool = False,  # noqa: FBT001, FBT002
    lang: str | None = None,
    return_hash: bool = False,  # noqa: FBT001, FBT002
    rescale_with_baseline: bool = False,  # noqa: FBT001, FBT002
    baseline_path: str | None = None,
    use_fast_tokenizer: bool = False,  # noqa: FBT001, FBT002
) -> Triple | tuple[Triple, str]:
    """Score candidates against references.

    Args:
        cands: n texts.
        refs: n texts, or n lists of texts.
        model_type: name of the model; by default the usual one for ``lang``.
        num_layers: the layer; by default the published one.
        verbose: print on standard error how many pairs are scored.
        idf: whether to weight tokens by idf over ``refs``, or a mapping of weights by token id.
        device: ignored.
        batch_size: ignored.
        nthreads: ignored.
        all_layers: return the scores of all layers.
        lang: language of the texts; it determines model and baseline if they are not given.
        return_hash: return the signature as well.
        rescale_with_baseline: rescale with the published baseline, or with the one in ``baseline_path``.
        baseline_path: CSV file with the header LAYER,P,R,F.
        use_fast_tokenizer: ignored.

    Returns:
        Precision, recall and F1; with ``return_hash`` a pair of these and the signature.

    Raises:
        InputError: (a ``ValueError``) the lists have unequal lengths, neither ``lang`` nor ``model_type`` is
            given, or there is no baseline.
    """
    scorer = BERTScorer(
        model_type,
        num_layers,
        batch_size,
        nthreads,
        all_layers,
        bool(idf),
        _flattened(refs) if idf is True else None,
        device,
        lang,
        rescale_with_baseline,
        baseline_path,
        use_fast_tokenizer,
    )
    if isinstance(idf, Mapping):
        scorer.use_idf(idf)
    return scorer.score(cands, refs, verbose=verbose, return_hash=return_hash)


class BERTScorer:
    """Scores many lists with one model.

    Args:
        model_type: see ``score``.
        num_layers: see ``score``.
        batch_size: ignored.
        nthreads: ignored.
        all_layers: see ``score``.
        idf: weight tokens by idf; ``idf_sents`` or ``compute_idf`` must give the corpus.
        idf_sents: the corpus.
        device: ignored.
        lang: see ``score``.
        rescale_with_baseline: see ``score``.
        baseline_path: see ``score``.
        use_fast_tokenizer: ignored.

    Raises:
        InputError: neither ``lang`` nor ``model_type`` is given, the layer is unknown, or rescaling lacks
            ``lang``.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the arguments of bert_score
        self,
        model_type: str | None = None,
        num_layers: int | None = None,
        batch_size: int = 64,
        nthreads: int = 4,
        all_layers: bool = False,  # noqa: FBT001, FBT002
        idf: bool = False,  # noqa: FBT001, FBT002
        idf_sents: Sequence[str] | None = None,
        device: str | None = None,
        lang: str | None = None,
        rescale_with_baseline: bool = False,  # noqa: FBT001, FBT002
        baseline_path: str | None = None,
        use_fast_tokenizer: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        if lang is None and model_type is None:
            raise InputError("lang or model_type must be given, got neither")
        if rescale_with_baseline and lang is None:
            raise InputError("lang must be given to rescale with a baseline, got None")
        self.batch_size, self.nthreads, self.device = batch_size, nthreads, device
        self.all_layers = all_layers
        self.idf = idf
        self.lang = lang
        self.rescale_with_baseline = rescale_with_baseline
        self.baseline_path = baseline_path
        self.use_fast_tokenizer = use_fast_tokenizer
        self.model_type = model_type or _BY_LANGUAGE.get(str(lang).lower(), _OTHER_LANGUAGES)
        self._encoder = _kept_encoder(self.model_type)
        self.num_layers = chosen_layer(num_layers, self._encoder, None)
        self._weights: Idf | None = None
        if idf_sents is not None:
            self.compute_idf(idf_sents)

    @property
    def baseline_vals(self) -> Scores:
        """Precision, recall and F1 of unrelated texts, shape (3,), or (layers + 1, 1, 3) with ``all_layers``.

        Raises:
            InputError: there is no baseline.
        """
        return tensor_or_array(self._baseline())

    @property
    def hash(self) -> str:
        """The signature with all settings that decide the numbers."""
        signature = str(self._scorer(self.num_layers).signature)
        layers = f"layer:0-{self._encoder.layers}" if self.all_layers else f"layer:{self.num_layers}"
        signature = signature.replace(f"layer:{self.num_layers}", layers, 1)
        kind = "published" if self.baseline_path is None else "custom"
        return signature.replace("rescale:no", f"rescale:{kind}") if self.rescale_with_baseline else signature

    def compute_idf(self, sents: Sequence[str]) -> None:
        """Compute idf weights from a corpus; they replace earlier ones."""
        if self._weights is not None:
            warnings.warn("the idf weights of before are replaced", stacklevel=2)
        self.use_idf(list(sents))

    def use_idf(self, weights: Idf) -> None:
        """Set idf weights from a corpus, or from a mapping by token id."""
        self._weights = weights

    def score(
        self,
        cands: Sequence[str],
        refs: Sequence[str] | Sequence[Sequence[str]],
        verbose: bool = False,  # noqa: FBT001, FBT002
        batch_size: int = 64,  # noqa: ARG002 - ignored
        return_hash: bool = False,  # noqa: FBT001, FBT002
    ) -> Triple | tuple[Triple, str]:
        """Score candidates against references; with several references, each score is the highest by itself.

        Raises:
            InputError: the lists have unequal lengths, or ``idf`` has no corpus.
        """
        if verbose:
            print(f"scoring {len(cands)} candidates ...", file=sys.stderr)  # noqa: T201 - asked for
        scored = [self._scorer(layer).score(cands, refs, keep_unread=True) for layer in self._layers]
        values = np.stack([_as_there(scores) for scores in scored])
        values = values if self.all_layers else values[0]
        if self.rescale_with_baseline:
            values = rescale_scores(values, self._baseline())
        precision, recall, f1 = (tensor_or_array(values[..., column]) for column in range(3))
        found = precision, recall, f1
        return (found, self.hash) if return_hash else found

    def plot_example(self, candidate: str, reference: str, fname: str = "") -> str:
        """Draw the cosines of all tokens of two texts as SVG.

        Args:
            candidate: a text.
            reference: a text.
            fname: path of the picture's file; "" writes none.

        Returns:
            The picture.
        """
        from semscale.report.plane_charts import match_picture

        explained = BertScorer(self._encoder, layer=self.num_layers).explain(candidate, reference)
        picture = str(match_picture(explained))
        if fname:
            Path(fname).write_text(picture, encoding="utf-8")
        return picture

    @property
    def _layers(self) -> list[int]:
        return list(range(self._encoder.layers + 1)) if self.all_layers else [self.num_layers]

    def _baseline(self) -> npt.NDArray[np.float64]:
        if self.baseline_path is None and str(self.lang).lower() != "en":
            raise InputError(
                f"there is no baseline for lang={self.lang!r}, only for English: give baseline_path, or make "
                f"one with semscale models calibrate {self.model_type} --corpus FILE --out FILE"
            )
        given = None if self.baseline_path is None else read_baseline(Path(self.baseline_path))
        baseline = chosen_baseline(given, self._encoder, self._layers[-1])
        return baseline.values[:, None, :] if self.all_layers else baseline.at(self.num_layers)

    def _scorer(self, layer: int) -> BertScorer:
        if self.idf and self._weights is None:
            raise InputError("idf=True needs a corpus: give idf_sents, or call compute_idf first")
        weights = self._weights if self.idf and self._weights is not None else False
        return BertScorer(self._encoder, layer=layer, idf=weights)

    def __repr__(self) -> str:
        return f"BERTScorer(model_type={self.model_type!r}, num_layers={self.num_layers})"


def plot_example(  # noqa: PLR0913, PLR0917 - the arguments of bert_score
    candidate: str,
    reference: str,
    model_type: str | None = None,
    num_layers: int | None = None,
    lang: str | None = None,
    rescale_with_baseline: bool = False,  # noqa: ARG001, FBT001, FBT002 - cosines are drawn without rescaling
    baseline_path: str | None = None,  # noqa: ARG001
    use_fast_tokenizer: bool = False,  # noqa: ARG001, FBT001, FBT002
    fname: str = "",
) -> str:
    """Draw the cosines of all tokens of two texts; see ``BERTScorer.plot_example``."""
    return BERTScorer(model_type, num_layers, lang=lang).plot_example(candidate, reference, fname)


@lru_cache(maxsize=2)
def _kept_encoder(model_type: str) -> TokenEncoder:
    return token_encoder(model_type, "exact", None)


def _flattened(refs: Sequence[Any]) -> list[str]:
    return [text for cell in refs for text in ([cell] if isinstance(cell, str) else cell)]


def _as_there(scores: BertScores) -> npt.NDArray[np.float64]:
    zeroed = scores.with_zeros()
    return np.stack([zeroed.precision, zeroed.recall, zeroed.f1], axis=-1)
