"""BERTScore: the scorer, its results, layers and baselines of models, and the calibration of others."""

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl

from semscale.embedding.embedder import AUTO
from semscale.embedding.loading import load_token_encoder
from semscale.embedding.texts import distinct
from semscale.embedding.token_states import TokenEncoder, state_engine
from semscale.errors import InputError
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.matching.matches import Matches, tally_matches
from semscale.matching.pairs import Pairs, ScoredPairs, best_pairs, pair_up
from semscale.matching.summary import MatchSummary
from semscale.matching.token_scores import (
    Explanation,
    Idf,
    PairScorer,
    TextPairs,
    constant_weights,
    equal_weights,
    explain_pair,
    reference_weights,
)
from semscale.messages import reject_unknown_settings
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, EstimateSettings, IntervalSettings, estimate_values
from semscale.results.result import COUNTS, FLOATS, POSITIONS, STATUSES, Result
from semscale.signature import Signature
from semscale.stats.correlations import replicates_for, spearman_estimate
from semscale.stats.intervals import Estimate, IntervalPlan, check_seed
from semscale.types import Floats, Integers, Progress, Status, Statuses
from semscale.weights.known import DEFAULT_MODEL, model_in_signature

if TYPE_CHECKING:
    from semscale.embedding import Embedder

Rescale = bool | str | Path
"""``False``: raw scores. ``True``: the baseline that comes with Semscale. Else a file with a baseline."""

INTERVAL = 0.95
"""Coverage of the intervals of a calibration."""

_FIGURES = ("precision", "recall", "f1")
_CALIBRATE = "semscale models calibrate {name} --corpus FILE --out FILE"
_BERT_SCORE_HEADER = ["LAYER", "P", "R", "F"]
_FEWEST_TEXTS, _FEWEST_JUDGED = 20, 10


@dataclass(frozen=True, repr=False)
class BertScores(Result):
    """BERTScores of n items, in the order of the items.

    Attributes:
        precision: shape (n,), share of the prediction that is in the reference; NaN for an item without a
            score.
        recall: shape (n,), share of the reference that is in the prediction; NaN likewise.
        f1: shape (n,), the harmonic mean of the two; NaN likewise. With several references, each of the three
            figures is its highest value over the references.
        status: shape (n,), each a ``Status``: the reason why each item has scores, or has none.
        reference: shape (n,), position (from 0) of the reference with the highest F1; -1 without a score.
        windows: shape (n,), number of windows into which the item's longest text was split; 0 if no text was
            read.
        signature: the settings that were applied.
        bounds: the lowest and the highest possible score; rescaled scores can be lower.
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
        """Return a copy with 0 for missing scores, like ``bert_score``; ``status`` still has the reason."""
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
        """Summarize the scores, with F1 as the score; the summary writes reports, documents and JSON.

        Args:
            predictions: shape (n,), the scored predictions, to show with their scores.
            references: shape (n,), likewise; of an item's references the one with the highest F1 is shown.
            by: shape (n,), names of groups.
            source: where the items come from, such as the name of a file.
            intervals: how intervals are made, such as ``interval`` and ``seed``.

        Raises:
            InputError: a column of the wrong length, or a setting out of range.
        """
        parts = {"precision": self.precision, "recall": self.recall}
        matches = Matches(
            self.f1, self.status, self.reference, self.windows, self.signature, parts, bounds=self.bounds
        )
        plan = IntervalPlan(**intervals)
        return tally_matches(matches, predictions, references, by=by, figures=_FIGURES).summary(plan, source)

    def _short_summary(self) -> MatchSummary:
        return self.summarize()


@reject_unknown_settings
def bertscore(
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
        embedder: see ``BertScorer``.
        layer: see ``BertScorer``.
        idf: see ``BertScorer``.
        rescale: see ``BertScorer``.
        precision: see ``BertScorer``.
        progress: called while weights are pulled and pairs are scored.

    Returns:
        Precision, recall and F1 of each item, -1 to 1.

    Raises:
        InputError: lists of unequal length, or a setting that cannot be used.
        ModelError: the model cannot be loaded or run.

    References:
        Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT, arXiv 1904.09675.

    Examples:
        >>> import semscale
        >>> scores = semscale.bertscore(["He is in Paris.", None], ["He is in Paris.", "Rome"])
        >>> scores.f1.round(3).tolist(), [str(status) for status in scores.status]
        ([1.0, nan], ['scored', 'missing'])
    """
    encoder = token_encoder(embedder, precision, progress)
    scorer = BertScorer(encoder, layer=layer, idf=idf, rescale=rescale)
    return scorer.score(predictions, references, progress=progress)


class BertScorer:
    """Scorer with BERTScore, which loads its model once.

    Args:
        embedder: a known model, a folder, ``organisation/model`` on the Hugging Face hub, an embedder of
            ``load_embedder`` whose engine returns token states (``openvino``, ``torch``), or an encoder from
            ``load_token_encoder``.
        layer: number of the layer whose states are compared; 0 is the embeddings. Optional if a layer is
            published or calibrated for the model.
        idf: ``False``: every token has the same weight. ``True``: tokens that are rarer among the references
            of a call have a greater weight. A list of texts: the same with that corpus. A mapping from token
            ids: these weights.
        rescale: ``False``: raw scores. ``True``: rescaled with the baseline that comes with Semscale. A file:
            rescaled with its baseline; ``semscale models calibrate`` writes such files, and bert_score's
            format is read, too.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 if the processor supports it); only for a model
            that is not loaded yet.

    Raises:
        InputError: a setting that cannot be used; the message names the remedy.
        ModelError: the model cannot be loaded or run.
    """

    @reject_unknown_settings
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
        from_file = None if isinstance(rescale, bool) else read_baseline(Path(rescale))
        self.layer = choose_layer(layer, self.encoder, from_file)
        self._baseline = (
            choose_baseline(from_file, self.encoder, self.layer) if rescale is not False else None
        )
        self._weights = constant_weights(idf, self.encoder.reader)

    @property
    def signature(self) -> Signature:
        """Signature of the settings; with ``idf=True`` a result's also has a hash of its weights."""
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
            keep_unread: whether to score texts that the model cannot read, too.

        Raises:
            InputError: something other than lists, or lists of unequal length.
        """
        pairs = pair_up(predictions, references)
        scored = self.score_pairs(pairs, progress=progress)
        pair_values = np.column_stack([*scored.components.values(), scored.score])
        if not keep_unread:
            pair_values = np.where(scored.unread[:, None], np.nan, pair_values)
        values, windows = np.full((pairs.n_items, 3), np.nan), np.zeros(pairs.n_items, np.int64)
        status, reference = pairs.status.copy(), np.full(pairs.n_items, -1)
        if len(pairs.item):
            starts = np.flatnonzero(np.diff(pairs.item, prepend=-1))
            items = pairs.item[starts]
            values[items] = np.fmax.reduceat(pair_values, starts)
            windows[items] = np.maximum.reduceat(scored.windows, starts)
            status[items[np.isnan(values[items, 0])]] = Status.WEIGHTLESS
            best = best_pairs(pair_values[:, 2], pairs.item)
            reference[items] = np.where(np.isnan(values[items, 2]), -1, pairs.place[best])
        least = -1.0
        if self._baseline is not None:
            baseline = self._baseline.at(self.layer)
            values = rescale_scores(values, baseline)
            least = float(rescale_scores(np.full(3, least), baseline).min())
        signature = self._signature(dict(scored.signature.fields)["idf"], rescaled=True)
        precision, recall, f1 = values.T.copy()
        return BertScores(precision, recall, f1, status, reference, windows, signature, (least, 1.0))

    def score_pairs(self, pairs: Pairs, *, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair by itself, without rescaling.

        Returns:
            F1, with the components ``precision`` and ``recall``, -1 to 1; NaN where no token has a weight.
        """
        texts, where = distinct([text.strip() for text in pairs.texts])
        reader = self.encoder.reader
        tokens = reader.read(texts)
        prediction, reference = where[pairs.prediction], where[pairs.reference]
        weights = self._weights or reference_weights(reader, tokens, reference)
        scorer = PairScorer(self.encoder, self.layer, weights)
        values = scorer.score(TextPairs(tokens, prediction, reference), progress)
        precision, recall, f1 = values.T.copy()
        windows, unread = self.encoder.windows(tokens), reader.unread(tokens)
        return ScoredPairs(
            f1,
            {"precision": precision, "recall": recall},
            np.maximum(windows[prediction], windows[reference]),
            unread[prediction] | unread[reference],
            self._signature(weights.origin, rescaled=False),
            bounds=(-1.0, 1.0),
        )

    def explain(self, prediction: str, reference: str) -> Explanation:
        """Explain a pair's score: matched tokens, their similarity and contributions; not rescaled.

        Raises:
            InputError: not two texts, one of them is empty, or ``idf=True``, whose weights depend on a call.
        """
        for name, text in (("prediction", prediction), ("reference", reference)):
            if not isinstance(text, str) or not text.strip():
                raise InputError(name, f"must be a text with something in it, got {text!r:.60}")
        if self._weights is None:
            raise InputError("idf=True weighs by a call's references: give explain's scorer idf=[texts]")
        stripped = [prediction.strip(), reference.strip()]
        first, second = self.encoder.token_states(stripped, layer=self.layer)
        signature = self._signature(self._weights.origin, rescaled=False)
        return explain_pair((prediction, reference), (first, second), self._weights, signature)

    def _signature(self, idf: str, *, rescaled: bool) -> Signature:
        label = self._baseline.label(self.layer) if self._baseline and rescaled else "no"
        settings = Signature.of("bertscore", layer=self.layer, idf=idf, rescale=label)
        return settings.plus(self.encoder.signature)


class BertMatch:
    """Matching method: the F1 of BERTScore; of several references the one with the highest F1 counts.

    Args:
        scorer: computes the scores.
    """

    def __init__(self, scorer: BertScorer) -> None:
        self._scorer = scorer

    @property
    def signature(self) -> Signature:
        """Signature of the settings."""
        return self._scorer.signature

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, -1 to 1; NaN where no token has a weight."""
        return self._scorer.score_pairs(pairs, progress=progress)

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain some pairs token by token; each table is like that of ``Explanation.to_frame``."""
        return [self._scorer.explain(*pairs.both(row)).to_frame() for row in rows]


def token_encoder(
    embedder: "str | Path | Embedder | TokenEncoder",
    precision: str,
    progress: Progress | None,
    *,
    engine: str = "openvino",
    device: str = AUTO,
) -> TokenEncoder:
    """Load the model whose states are compared.

    Args:
        embedder: a name, a folder, an embedder that returns token states, or an encoder from
            ``load_token_encoder``.
        precision: see ``BertScorer``.
        progress: called while weights are pulled.
        engine: the engine that loads the model.
        device: where the engine ``torch`` computes.

    Raises:
        InputError: an embedder without token states, or a model that cannot be run here.
        ModelError: the model cannot be loaded or run.
    """
    if isinstance(embedder, TokenEncoder):
        return embedder
    if not isinstance(embedder, str | Path):
        return TokenEncoder(state_engine(embedder))
    known = find_bert_model(embedder) if isinstance(embedder, str) else None
    if known is not None and not known.runs and engine == "openvino":
        runnable = ", ".join(name for name, model in bert_models().items() if model.runs)
        problem = f"model {known.name} has an architecture that cannot be run here; try {runnable}, or give"
        raise InputError(f"{problem} `engine='torch'` to load_embedder")
    name = known.hub if known and not Path(embedder).is_dir() else embedder
    return load_token_encoder(name, precision=precision, engine=engine, device=device, progress=progress)


@dataclass(frozen=True)
class BertModel:
    """A model whose layer is known.

    Attributes:
        name: usual name of the model.
        hub: its name on the Hugging Face hub, or the short name of a model that Semscale pins.
        layer: number of the layer whose states are compared, 0 for the embeddings.
        baseline: shape (layers + 1, 3), or ``None`` where none is known.
        weights: first 12 hex digits of the weights' SHA-256, where the model of the baseline is known.
        runs: whether the engine can run its architecture.
    """

    name: str
    hub: str
    layer: int
    baseline: Floats | None = None
    weights: str | None = None
    runs: bool = True


@cache
def bert_models() -> Mapping[str, BertModel]:
    """Return the models whose layer is known, by name."""
    import yaml

    text = (resources.files("semscale.matching") / "bertscore_models.yaml").read_text(encoding="utf-8")
    return {name: _bert_model(name, entry) for name, entry in yaml.safe_load(text).items()}


def _bert_model(name: str, entry: Mapping[str, Any]) -> BertModel:
    rows = entry.get("baseline")
    return BertModel(
        name=name,
        hub=entry["hub"],
        layer=entry["layer"],
        baseline=None if rows is None else np.array(rows, np.float64),
        weights=entry.get("weights"),
        runs=entry.get("runs", True),
    )


def find_bert_model(name: str) -> BertModel | None:
    """Find a model by its name, or by its name on the Hugging Face hub.

    Examples:
        >>> find_bert_model("FacebookAI/roberta-large").layer
        17
        >>> find_bert_model("somebody/something") is None
        True
    """
    models = bert_models()
    return models.get(name) or next((model for model in models.values() if model.hub == name), None)


def choose_layer(layer: int | None, encoder: TokenEncoder, baseline: "Baseline | None") -> int:
    """Choose the layer to compare: the stated one, else the calibrated one, else the published one.

    Raises:
        InputError: the model has no such layer, or none is known for it.
    """
    known = _find_model(encoder)
    if layer is None and baseline is not None:
        layer = baseline.best_layer
    if layer is None and known is not None:
        layer = known.layer
    if layer is None:
        raise InputError(
            "layer",
            f"must be given for {encoder.name}, 0 to {encoder.layers}, as none is known to be good; "
            f"to find it: {_CALIBRATE.format(name=encoder.name)} --prediction COL --reference COL "
            "--human COL",
        )
    encoder.check_layer(layer)
    return int(layer)


def choose_baseline(from_file: "Baseline | None", encoder: TokenEncoder, layer: int) -> "Baseline":
    """Choose the baseline for rescaling: that of a file, else the one known for the model.

    Raises:
        InputError: there is none, it belongs to another model, or it lacks the layer.
    """
    known = _find_model(encoder)
    if from_file is not None:
        model = dict(encoder.signature.fields)["model"]
        if from_file.model is not None and from_file.model != model:
            raise InputError(
                f"rescale: {from_file.origin} is the baseline of {from_file.model}, not of {model}"
            )
        baseline = from_file
    elif known is not None and known.baseline is not None:
        baseline = Baseline(known.baseline, known.name.replace(":", "_"))
    else:
        raise InputError(
            f"rescale=True needs a baseline, and none is known for {encoder.name}; make one with "
            f"{_CALIBRATE.format(name=encoder.name)} and give rescale that file"
        )
    baseline.at(layer)
    return baseline


def _find_model(encoder: TokenEncoder) -> BertModel | None:
    """Find a model's entry, under its short name with the pinned weights or its name on the hub."""
    pinned = model_in_signature(encoder.signature)
    if pinned is not None:
        return bert_models().get(pinned.name)
    known = find_bert_model(encoder.name)
    is_published = known is not None and known.weights is None and known.hub == encoder.name
    return known if is_published else None


@dataclass(frozen=True)
class Baseline:
    """Mean scores of unrelated texts at every layer of a model.

    Attributes:
        values: shape (layers + 1, 3): precision, recall and F1.
        origin: name of the file or model, for signatures.
        model: the model's name and hash, as in signatures; ``None`` if the file does not state them.
        best_layer: the layer that agreed best with human scores, where that was measured.
    """

    values: Floats
    origin: str
    model: str | None = None
    best_layer: int | None = None

    def at(self, layer: int) -> Floats:
        """Return precision, recall and F1 at a layer, shape (3,).

        Raises:
            InputError: the baseline does not reach that layer.
        """
        if layer >= len(self.values):
            raise InputError(
                f"rescale: {self.origin} has layers 0 to {len(self.values) - 1}, not layer {layer}; "
                "calibrate the model itself: semscale models calibrate MODEL --corpus FILE --out FILE"
            )
        return np.asarray(self.values[layer])

    def label(self, layer: int) -> str:
        """Name the baseline with its hash, for the signature."""
        digest = hashlib.sha256(self.at(layer).astype("<f8").tobytes()).hexdigest()
        return f"{self.origin}#{digest[:8]}"


def rescale_scores(scores: Floats, baseline: Floats) -> Floats:
    """Stretch scores so that unrelated texts are about 0 and equal ones 1: (x - b) / (1 - b).

    Args:
        scores: shape (..., 3): precision, recall and F1.
        baseline: shape (3,), each below 1.

    References:
        The BERTScore authors' note on rescaling: journal/rescale_baseline.md in the repository of
        bert_score.

    Examples:
        >>> rescale_scores(np.array([1.0, 0.5, 0.25]), np.array([0.5, 0.5, 0.5])).tolist()
        [1.0, 0.0, -0.5]
    """
    return np.asarray((scores - baseline) / (1 - baseline))


def read_baseline(path: Path) -> Baseline:
    """Read a baseline: a file of ``semscale models calibrate``, or one of bert_score's (LAYER,P,R,F).

    Raises:
        InputError: it cannot be read, or is neither.
    """
    try:
        text = read_input_text(path, "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"rescale: {path} cannot be read: {error}") from None
    origin = "".join(character if character not in "|:" else "_" for character in path.name)
    try:
        if text.lstrip().startswith("{"):
            baseline = _read_calibrated_baseline(parse_json(text), origin)
        else:
            baseline = _read_published_baseline(text, origin, path)
    except InputError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError):
        raise InputError(
            f"rescale: {path} is not a baseline: neither a file of semscale models calibrate nor a table of "
            "bert_score with the header LAYER,P,R,F"
        ) from None
    if not (np.isfinite(baseline.values).all() and (baseline.values < 1).all()):
        raise InputError(f"rescale: {path} must hold numbers below 1")
    return baseline


def _read_calibrated_baseline(content: dict[str, Any], origin: str) -> Baseline:
    """Read the JSON of a ``LayerCalibration``."""
    rows = [[row[name] for name in _FIGURES] for row in content["layers"]]
    best = (content.get("human") or {}).get("best_layer")
    values = np.array(rows, np.float64).reshape(len(rows), 3)
    return Baseline(
        _non_empty(values), origin, str(content["model"]), best if isinstance(best, int) else None
    )


def _read_published_baseline(text: str, origin: str, path: Path) -> Baseline:
    """Read the table of a file of bert_score."""
    header, *rows = (row for row in csv.reader(text.splitlines()) if row)
    if [cell.strip() for cell in header] != _BERT_SCORE_HEADER:
        raise ValueError("another header")
    values = np.array([[float(cell) for cell in row] for row in rows])
    layers = [int(row[0]) for row in rows]
    if layers != list(range(len(layers))):
        raise InputError(f"rescale: {path} must have layers 0, 1, 2, ... in order")
    return Baseline(_non_empty(values[:, 1:]), origin)


def _non_empty(values: Floats) -> Floats:
    if values.shape[1:] != (len(_FIGURES),) or not len(values):
        raise ValueError("another shape")
    return values


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs with human scores.

    Attributes:
        predictions: shape (n,), texts.
        references: shape (n,), texts or lists of texts.
        human: shape (n,), higher for more similar pairs; NaN where there is no score.
    """

    predictions: Sequence[object]
    references: Sequence[object]
    human: Floats


@dataclass(frozen=True)
class HumanAgreement:
    """Agreement of F1 with human scores.

    Attributes:
        spearman: for each layer, from 0 up, Spearman's correlation with its bootstrap interval.
        n: compared pairs.
        n_left_out: pairs without a text or a human score.
        interval: coverage of the intervals.
    """

    spearman: tuple[Estimate, ...]
    n: int
    n_left_out: int
    interval: float = INTERVAL

    @property
    def replicates(self) -> int:
        """Number of bootstrap resamples behind each interval."""
        return replicates_for(self.n)

    @property
    def best_layer(self) -> int:
        """The layer with the highest correlation."""
        return int(np.argmax([estimate.value for estimate in self.spearman]))

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {**vars(self), "replicates": self.replicates, "best_layer": self.best_layer}


@dataclass(frozen=True, repr=False)
class LayerCalibration(Presentable):
    """A model's best layer and baseline.

    Attributes:
        baseline: shape (layers + 1, 3): mean precision, recall and F1 of unrelated pairs.
        error: shape (layers + 1, 3), standard errors of these means.
        n_texts: number of distinct texts from which the pairs were drawn.
        n_pairs: number of pairs.
        source: name of the corpus, and a hash of its texts.
        seed: seed of the draw.
        human: agreement of each layer with human scores, where there were any.
        signature: signature of the token states, without a layer.
    """

    baseline: Floats
    error: Floats
    n_texts: int
    n_pairs: int
    source: str
    seed: int
    human: HumanAgreement | None
    signature: Signature

    def __repr__(self) -> str:
        return f"LayerCalibration(source={self.source!r}, model={self.model}, n_pairs={self.n_pairs:,})"

    @property
    def model(self) -> str:
        """The model's name with a hash of its weights."""
        return dict(self.signature.fields)["model"]

    @property
    def plan(self) -> IntervalPlan | None:
        """Settings of the intervals for the agreement with human scores; ``None`` without human scores."""
        if self.human is None:
            return None
        return IntervalPlan(self.human.interval, seed=self.seed, replicates=self.human.replicates)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON, which ``rescale=FILE`` reads."""
        return {
            "instrument": "models calibrate",
            "model": self.model,
            "source": self.source,
            "texts": self.n_texts,
            "pairs": self.n_pairs,
            "seed": self.seed,
            "layers": [
                {
                    "layer": layer,
                    **dict(zip(_FIGURES, means, strict=True)),
                    "error": dict(zip(_FIGURES, errors, strict=True)),
                }
                for layer, (means, errors) in enumerate(zip(self.baseline, self.error, strict=True))
            ],
            "human": self.human and self.human.record(),
            "signature": self.signature,
        }


def calibrate(
    encoder: TokenEncoder,
    corpus: Sequence[str],
    *,
    name: str = "corpus",
    judged: JudgedPairs | None = None,
    n_pairs: int = 20_000,
    n_texts: int = 4_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> LayerCalibration:
    """Score random pairs of unrelated texts at every layer, and pairs with human scores where there are some.

    Args:
        encoder: encoder of the model.
        corpus: texts of the kind that will be scored; empty and repeated ones are skipped.
        name: name of the corpus.
        judged: pairs with human scores, to find the layer that agrees best.
        n_pairs: number of pairs of two different texts to draw.
        n_texts: maximum number of texts from which the pairs are drawn.
        seed: seed of the draw.
        progress: called while pairs are scored, layer by layer.

    Raises:
        InputError: fewer than 20 different texts, fewer than 10 judged pairs, or a setting out of range.
    """
    check_seed(seed)
    if n_pairs < 1:
        raise InputError("n_pairs", f"must be at least 1, got {n_pairs}")
    texts, first, second = _random_pairs(corpus, n_texts, n_pairs, np.random.default_rng(seed))
    pairs = TextPairs(encoder.reader.read(texts), first, second)
    weights = equal_weights(encoder.reader)
    means, errors, agreements = [], [], []
    for layer in range(encoder.layers + 1):
        values = PairScorer(encoder, layer, weights).score(pairs, _label_progress(progress, layer))
        values = values[~np.isnan(values[:, 0])]
        means.append(values.mean(axis=0))
        errors.append(values.std(axis=0) / np.sqrt(len(values)))
        if judged is not None:
            scores = BertScorer(encoder, layer=layer).score(judged.predictions, judged.references)
            agreements.append(_agreement(scores, judged.human, seed))
    human = None
    if agreements:
        estimates, counted, left_out = zip(*agreements, strict=True)
        human = HumanAgreement(estimates, counted[0], left_out[0])
    return LayerCalibration(
        baseline=np.array(means),
        error=np.array(errors),
        n_texts=len(texts),
        n_pairs=n_pairs,
        source=f"{name}#{hashlib.sha256(chr(0).join(texts).encode('utf-8', 'replace')).hexdigest()[:8]}",
        seed=seed,
        human=human,
        signature=encoder.signature,
    )


def _random_pairs(
    corpus: Sequence[str], n_texts: int, n_pairs: int, rng: np.random.Generator
) -> tuple[list[str], Integers, Integers]:
    """Draw texts, and pairs of two different ones among them."""
    texts, _ = distinct([text.strip() for text in corpus if isinstance(text, str) and text.strip()])
    if len(texts) < _FEWEST_TEXTS:
        raise InputError(
            "corpus",
            f"must have at least {_FEWEST_TEXTS} different texts, got {len(texts)}; "
            "give more of the kind to be compared",
        )
    if len(texts) > n_texts:
        texts = [texts[row] for row in np.sort(rng.choice(len(texts), n_texts, replace=False))]
    first = rng.integers(0, len(texts), n_pairs)
    second = (first + rng.integers(1, len(texts), n_pairs)) % len(texts)
    return texts, first, second


def _agreement(scores: BertScores, human: Floats, seed: int) -> tuple[Estimate, int, int]:
    counts = scores.scored & np.isfinite(human)
    if counts.sum() < _FEWEST_JUDGED:
        raise InputError(
            "human",
            f"must have at least {_FEWEST_JUDGED} pairs with both texts and a score, got {counts.sum()}",
        )
    estimate = spearman_estimate(scores.f1[counts], human[counts], interval=INTERVAL, seed=seed)
    return estimate, int(counts.sum()), int((~counts).sum())


def _label_progress(progress: Progress | None, layer: int) -> Progress | None:
    if progress is None:
        return None
    return lambda stage, done, total: progress(f"{stage}, layer {layer}", done, total)
