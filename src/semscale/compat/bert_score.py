"""The interface of ``bert_score`` on Semscale's BERTScore: ``from semscale.compat.bert_score import score``.

Intended differences from ``bert_score`` 0.3.13:

- Without PyTorch, results are NumPy arrays of float64 with ``cpu``, ``detach``, ``numpy`` and ``tolist``;
  other attributes of tensors raise an error that names the package to install. With PyTorch they are tensors
  of float32.
- The last two models stay loaded for later calls.
- ``bert_score`` counts padding as tokens of similarity 0, so that a token with only negative cosines scores 0
  or less, depending on the other pairs of its batch. Here a score depends only on its pair; it equals that of
  ``bert_score`` with ``batch_size=1``.
- Texts beyond the model's limit are read in windows instead of being cut.
- An empty text scores 0 before rescaling, as in ``bert_score``, but does not end the program.
- A pair in which every token of a text has the IDF 0 scores NaN, with a warning; ``bert_score`` returns an F1
  of 0. With ``idf=True`` this holds for every pair if there is only one reference.
- ``device``, ``batch_size``, ``nthreads`` and ``use_fast_tokenizer`` are ignored: the engine runs on the
  processor and chooses batches and threads itself, and the tokenizer gives the same tokens.
- The hash is the signature, which also contains the weights, the precision and the hash of the idf weights.
- A missing baseline is an error in both entry points.
- A model's reasoning before a text, such as ``<think>...</think>``, is not scored.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from semscale.embedding.token_states import TokenEncoder
from semscale.errors import InputError, SemscaleError
from semscale.matching.bertscore import (
    BertScorer,
    BertScores,
    choose_baseline,
    choose_layer,
    read_baseline,
    rescale_scores,
    token_encoder,
)
from semscale.matching.token_scores import Idf
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Status
from semscale.version import install_command

if TYPE_CHECKING:
    import torch

__all__ = ["BERTScorer", "ScoreArray", "Triple", "plot_example", "score"]

Scores: TypeAlias = "ScoreArray | torch.Tensor"
"""One score for each pair."""

Triple = tuple[Scores, Scores, Scores]
"""Precision, recall and F1, each of shape (n,), or (layers + 1, n) with ``all_layers``."""

_BY_LANGUAGE = {
    "en": "roberta-large",
    "zh": "bert-base-chinese",
    "tr": "dbmdz/bert-base-turkish-cased",
    "en-sci": "allenai/scibert_scivocab_uncased",
}
_OTHER_LANGUAGES = "bert-base-multilingual-cased"
_REDUCTIONS = ("mean", "sum", "prod", "std", "var", "max", "min", "argmax", "argmin", "cumsum", "all", "any")
_ARGUMENTS_OF_TENSORS = ("dim", "keepdim", "unbiased", "descending")


ANSWERS = TextPreparation(reasoning="remove")
"""Preparation of the texts."""


def score(
    cands: Sequence[str],
    refs: Sequence[str] | Sequence[Sequence[str]],
    model_type: str | None = None,
    num_layers: int | None = None,
    verbose: bool = False,
    idf: bool | Mapping[int, float] = False,
    device: str | None = None,
    batch_size: int = 64,
    nthreads: int = 4,
    all_layers: bool = False,
    lang: str | None = None,
    return_hash: bool = False,
    rescale_with_baseline: bool = False,
    baseline_path: str | None = None,
    use_fast_tokenizer: bool = False,
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
        _flatten(refs) if idf is True else None,
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
    """Scorer of many lists with one model.

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

    def __init__(
        self,
        model_type: str | None = None,
        num_layers: int | None = None,
        batch_size: int = 64,
        nthreads: int = 4,
        all_layers: bool = False,
        idf: bool = False,
        idf_sents: Sequence[str] | None = None,
        device: str | None = None,
        lang: str | None = None,
        rescale_with_baseline: bool = False,
        baseline_path: str | None = None,
        use_fast_tokenizer: bool = False,
    ) -> None:
        if lang is None and model_type is None:
            raise InputError("lang or model_type must be given, got neither")
        if rescale_with_baseline and lang is None:
            raise InputError("lang", "must be given to rescale with a baseline, got None")
        self.batch_size, self.nthreads, self.device = batch_size, nthreads, device
        self.all_layers = all_layers
        self.idf = idf
        self.lang = lang
        self.rescale_with_baseline = rescale_with_baseline
        self.baseline_path = baseline_path
        self.use_fast_tokenizer = use_fast_tokenizer
        self.model_type = model_type or _BY_LANGUAGE.get(str(lang).lower(), _OTHER_LANGUAGES)
        self._encoder = _load_encoder(self.model_type)
        self.num_layers = choose_layer(num_layers, self._encoder, None)
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
        """The signature with all settings that affect the scores."""
        signature = str(self._scorer(self.num_layers).signature)
        layers = f"layer:0-{self._encoder.layers}" if self.all_layers else f"layer:{self.num_layers}"
        signature = signature.replace(f"layer:{self.num_layers}", layers, 1)
        kind = "published" if self.baseline_path is None else "custom"
        return signature.replace("rescale:no", f"rescale:{kind}") if self.rescale_with_baseline else signature

    def compute_idf(self, sents: Sequence[str]) -> None:
        """Compute idf weights from a corpus; they replace earlier ones."""
        if self._weights is not None:
            warnings.warn("the idf weights of before are replaced", stacklevel=2)
        self.use_idf(list(ANSWERS.prepare(sents)))

    def use_idf(self, weights: Idf) -> None:
        """Set idf weights from a corpus, or from a mapping by token id."""
        self._weights = weights

    def score(
        self,
        cands: Sequence[str],
        refs: Sequence[str] | Sequence[Sequence[str]],
        verbose: bool = False,
        batch_size: int = 64,
        return_hash: bool = False,
    ) -> Triple | tuple[Triple, str]:
        """Score candidates against references; with several, precision, recall and F1 are each the highest.

        Raises:
            InputError: the lists have unequal lengths, or ``idf`` has no corpus.
        """
        if verbose:
            print(f"scoring {len(cands)} candidates ...", file=sys.stderr)  # noqa: T201 - asked for
        cands, refs = ANSWERS.prepare(cands), ANSWERS.prepare(refs)
        by_layer = [self._scorer(layer).score(cands, refs, keep_unread=True) for layer in self._layers]
        _warn_of_missing(by_layer[0])
        values = np.stack([_with_zeros_for_empty(layer) for layer in by_layer])
        values = values if self.all_layers else values[0]
        if self.rescale_with_baseline:
            values = rescale_scores(values, self._baseline())
        precision, recall, f1 = (tensor_or_array(values[..., column]) for column in range(3))
        scores = precision, recall, f1
        return (scores, self.hash) if return_hash else scores

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

        texts = ANSWERS.prepare([candidate, reference])
        explained = BertScorer(self._encoder, layer=self.num_layers).explain(*texts)
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
        custom = None if self.baseline_path is None else read_baseline(Path(self.baseline_path))
        baseline = choose_baseline(custom, self._encoder, self._layers[-1])
        return baseline.values[:, None, :] if self.all_layers else baseline.at(self.num_layers)

    def _scorer(self, layer: int) -> BertScorer:
        if self.idf and self._weights is None:
            raise InputError("idf=True needs a corpus: give idf_sents, or call compute_idf first")
        weights = self._weights if self.idf and self._weights is not None else False
        return BertScorer(self._encoder, layer=layer, idf=weights)

    def __repr__(self) -> str:
        return f"BERTScorer(model_type={self.model_type!r}, num_layers={self.num_layers})"


def plot_example(
    candidate: str,
    reference: str,
    model_type: str | None = None,
    num_layers: int | None = None,
    lang: str | None = None,
    rescale_with_baseline: bool = False,
    baseline_path: str | None = None,
    use_fast_tokenizer: bool = False,
    fname: str = "",
) -> str:
    """Draw the cosines of all tokens of two texts; see ``BERTScorer.plot_example``."""
    return BERTScorer(model_type, num_layers, lang=lang).plot_example(candidate, reference, fname)


@lru_cache(maxsize=2)
def _load_encoder(model_type: str) -> TokenEncoder:
    return token_encoder(model_type, "exact", None)


def _flatten(refs: Sequence[Any]) -> list[str]:
    return [text for cell in refs for text in ([cell] if isinstance(cell, str) else cell)]


_UNSCORED = {
    Status.WEIGHTLESS: "every token of one of their texts has the IDF 0, as all references contain it; "
    "compute the IDF from a larger corpus (idf_sents), or leave out idf",
    Status.TOO_LONG: "one of their texts is too long",
}


def _warn_of_missing(scores: BertScores) -> None:
    for status, reason in _UNSCORED.items():
        if n := scores.counts.get(status, 0):
            message = f"{n} of {len(scores.status)} pairs have no score (NaN): {reason}"
            warnings.warn(message, stacklevel=3)


def _with_zeros_for_empty(scores: BertScores) -> npt.NDArray[np.float64]:
    values = np.stack([scores.precision, scores.recall, scores.f1], axis=-1)
    is_unscored = np.isin(scores.status, list(_UNSCORED))
    return np.where(is_unscored[:, None], values, np.nan_to_num(values, nan=0.0))


class NoTensorError(SemscaleError, AttributeError, TypeError):
    """An array without PyTorch was used like a tensor."""

    def __init__(self, asked: str) -> None:
        super().__init__(
            f"scores are NumPy arrays without {asked} here, and tensors where PyTorch is installed: "
            f"{install_command('semscale[torch]')}"
        )


class _Size(int):
    """The ``size`` of an array, which refuses a call; a tensor's ``size()`` returns its shape."""

    def __call__(self, *_: object) -> Never:
        raise NoTensorError("size()")


class ScoreArray(npt.NDArray[np.float64]):
    """A NumPy array with the simplest methods of a tensor; other methods raise an error with a remedy.

    ``std()`` and ``var()`` divide by n - 1, like those of tensors; ``numpy.std(scores)`` divides by n.

    Raises:
        NoTensorError: (an ``AttributeError`` and a ``TypeError``) the attribute exists only in tensors.

    Examples:
        >>> scores = np.array([0.25, 0.75]).view(ScoreArray)
        >>> scores.cpu().numpy().tolist(), scores.mean().item()
        ([0.25, 0.75], 0.5)
        >>> hasattr(scores, "topk")
        False
    """

    def cpu(self) -> Self:
        """Return the array itself, as it is in memory already."""
        return self

    def detach(self) -> Self:
        """Return the array itself, as it has no gradient."""
        return self

    def numpy(self) -> npt.NDArray[np.float64]:
        """Return a plain NumPy array that shares the memory."""
        return np.ndarray.view(self, np.ndarray)

    @property
    def size(self) -> _Size:
        """Number of scores; a call is refused, as a tensor's ``size()`` is its shape."""
        return _Size(super().size)

    def view(self, *shape: Any, **settings: Any) -> Any:
        """View the array as another type, like NumPy; a tensor's view has another shape."""
        if any(isinstance(size, int | np.integer | tuple) for size in shape):
            raise NoTensorError("view(shape)")
        return super().view(*shape, **settings)

    def sort(self, *_: object, **__: object) -> Never:
        """Refuse, as NumPy sorts in place and a tensor returns its values in order; ``numpy.sort`` works."""
        raise NoTensorError("sort()")

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Iterable[type],
        args: Iterable[Any],
        settings: Mapping[str, Any],
    ) -> Any:
        """Pass plain arrays to NumPy's functions, as some of them call methods that are refused here."""
        return function(*map(_plain, args), **{name: _plain(value) for name, value in settings.items()})

    def __getattr__(self, name: str) -> Never:
        raise NoTensorError(name)


def _plain(argument: Any) -> Any:
    if isinstance(argument, ScoreArray):
        return argument.numpy()
    return type(argument)(map(_plain, argument)) if type(argument) in (list, tuple) else argument


def tensor_or_array(values: Floats) -> Scores:
    """Return a tensor of float32, like ``bert_score``, or an array of float64 if PyTorch is missing.

    Args:
        values: array of any shape.
    """
    if find_spec("torch") is None:
        array: ScoreArray = values.view(ScoreArray)
        return array
    import torch

    return torch.tensor(values, dtype=torch.float32)


def _refusing_arguments_of_tensors(name: str) -> Callable[..., Any]:
    """Build a method that works like NumPy's, and refuses a tensor's arguments."""
    inherited = getattr(np.ndarray, name)
    defaults = {"ddof": 1} if name in {"std", "var"} else {}

    def method(self: ScoreArray, *args: Any, **settings: Any) -> Any:
        for argument in _ARGUMENTS_OF_TENSORS:
            if argument in settings:
                raise NoTensorError(f"{name}({argument}=...)")
        return inherited(self, *args, **(defaults | settings))

    method.__name__, method.__doc__ = name, inherited.__doc__
    return method


for _name in (*_REDUCTIONS, "argsort"):
    setattr(ScoreArray, _name, _refusing_arguments_of_tensors(_name))
