"""Measurement of Ray Data datasets, and the recipes from which nodes build the instruments."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster import node_resources
from semscale.distributed.cluster_parts import Attempts, BatchActor, NodeCheck, Recipe
from semscale.embedding.embedder import Embedder
from semscale.embedding.loading import load_embedder
from semscale.embedding.table import EmbeddingColumns, EmbeddingTable, VectorType
from semscale.errors import InputError
from semscale.extras import require
from semscale.matching.matcher import Matcher
from semscale.matching.pairs import CorpusDependent
from semscale.matching.settings import DEFAULT_METHOD, MatchColumns, MatchSettings
from semscale.matching.table import MatchTable
from semscale.rating.calibration import as_calibration
from semscale.rating.rater import Rater
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.rating.table import RatingTable
from semscale.results.instrument import TableInstrument
from semscale.scales import Scale, load_scale
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from ray.data import Dataset

BATCH_ROWS = 8192
"""Rows that an actor measures at once; equal texts among them are embedded once."""


def embed(
    dataset: "Dataset",
    text: str,
    *,
    embedder: "str | Path | ModelRecipe" = DEFAULT_MODEL,
    dtype: VectorType = "float32",
    pool: ActorPool | None = None,
) -> "Dataset":
    """Add the vectors of a column of texts, as ``semscale embed`` does.

    Args:
        dataset: n rows, in any order.
        text: name of the column of texts.
        embedder: the model's name or a ``ModelRecipe``; each node loads the model.
        dtype: number type of the vectors, ``float32`` or ``float16``.
        pool: the actors.

    Returns:
        A lazy dataset with the columns ``semscale_status`` and ``semscale_vector`` after those of the input.

    Raises:
        InputError: a model that is not named.
        ModelError: the model's weights cannot be had on this machine.
        MissingExtraError: ``semscale[ray]`` is not installed.
    """
    recipe = EmbeddingRecipe(_model(embedder), EmbeddingColumns(text=text), dtype)
    return measure_dataset(dataset, recipe, pool)


def rate(
    dataset: "Dataset",
    scale: str | Path | Scale = "purchase-intent",
    *,
    text: str,
    pool: ActorPool | None = None,
    **settings: Any,
) -> "Dataset":
    """Add the ratings of a column of texts, as ``semscale rate`` does.

    Args:
        dataset: n rows, in any order.
        scale: a scale, its name or its path, as in ``semscale.rate``.
        text: name of the column of texts.
        pool: the actors.
        settings: settings of ``semscale.rate``; ``embedder`` is a name or a ``ModelRecipe``.

    Returns:
        A lazy dataset with the columns of ``Ratings.to_frame``, prefixed ``semscale_``, after those of the
        input.

    Raises:
        InputError: an invalid setting of ``Rater``, or a model that is an object, not a name.
        ModelError: the model's weights cannot be had on this machine.
        MissingExtraError: ``semscale[ray]`` is not installed.
    """
    model = _model(settings.pop("embedder", None) or DEFAULT_RATING_MODEL)
    loaded = load_scale(scale)
    settings["calibration"] = as_calibration(settings.get("calibration"))
    checked = Rater(loaded, **settings).settings  # rejects invalid settings before any actor starts
    recipe = RatingRecipe(model, loaded, checked, RatingColumns(text=text))
    return measure_dataset(dataset, recipe, pool)


def match(
    dataset: "Dataset",
    *,
    prediction: str,
    reference: str,
    method: str = DEFAULT_METHOD,
    pool: ActorPool | None = None,
    **settings: Any,
) -> "Dataset":
    """Add the match of each prediction with its reference, as ``semscale match`` does.

    Args:
        dataset: n rows, in any order.
        prediction: name of the column of predictions.
        reference: name of the column of references: texts, or lists of texts.
        method: one of ``semscale.matching.matcher.METHODS``.
        pool: the actors.
        settings: settings of ``semscale.match``. Models are names. Methods that estimate something need
            ``corpus``, since no actor sees the whole dataset.

    Returns:
        A lazy dataset with the columns of ``Matches.to_frame``, prefixed ``semscale_``, after those of the
        input.

    Raises:
        InputError: an invalid setting of ``Matcher``, a model that is an object, not a name, or no corpus for
            a method that needs one.
        ModelError: the model's weights cannot be had on this machine.
        MissingExtraError: ``semscale[ray]`` is not installed.
    """
    model = _model(settings.get("embedder", DEFAULT_MODEL))
    loading = {"engine": model.engine, "cache": model.cache, "device": model.device}
    named = {**settings, "embedder": model.name, "precision": settings.get("precision", model.precision)}
    matcher = Matcher(method, **named, loading=loading)
    pair_method = matcher.pair_method
    if isinstance(pair_method, CorpusDependent) and not pair_method.has_corpus:
        raise InputError(
            "corpus",
            f"must be given for method {method!r} on a dataset, as no actor sees all references: pass "
            "a sample of them",
        )
    columns = MatchColumns(prediction=prediction, reference=(reference,))
    return measure_dataset(dataset, MatchRecipe.from_settings(columns, matcher.settings), pool)


def measure_dataset(dataset: "Dataset", recipe: Recipe, pool: ActorPool | None) -> "Dataset":
    """Return a lazy dataset with the columns of an instrument; actors of a pool measure the batches."""
    require("ray")
    check = NodeCheck(recipe, recipe.signature(), os.getcwd())
    arguments = (pool or ActorPool()).arguments_beside_readers(node_resources())
    return dataset.map_batches(
        BatchActor,
        fn_constructor_args=(recipe, check, Attempts.start()),
        batch_size=BATCH_ROWS,
        batch_format="pyarrow",
        **arguments,
    )


def _model(embedder: Any) -> "ModelRecipe":
    if isinstance(embedder, str | Path):
        return _model(ModelRecipe(str(embedder)))
    if isinstance(embedder, ModelRecipe):
        folder = Path(embedder.name)  # a node works in another folder
        return replace(embedder, name=str(folder.absolute())) if folder.is_dir() else embedder
    raise InputError(
        "embedder", f"must name a model on a cluster, as each node loads its own, got {embedder!r:.60}"
    )


@dataclass(frozen=True)
class ModelRecipe:
    """Arguments of ``load_embedder``, with which each node loads the model.

    Attributes:
        name: the model's name or folder.
        precision: ``exact``, ``fast`` or ``turbo``.
        engine: ``openvino``, or ``torch``.
        cache: true to store vectors in the node's cache.
        device: device of the engine ``torch``, such as ``cuda``.
    """

    name: str
    precision: str = "exact"
    engine: str = "openvino"
    cache: bool = True
    device: str = "auto"

    def load(self) -> Embedder:
        """Load the embedder."""
        return load_embedder(
            self.name,
            precision=self.precision,
            engine=self.engine,
            cache=self.cache,
            device=self.device,
        )


@dataclass(frozen=True)
class EmbeddingRecipe:
    """Settings with which a node embeds a column of texts."""

    model: ModelRecipe
    columns: EmbeddingColumns
    dtype: VectorType = "float32"

    def signature(self) -> Signature:
        """Name the model."""
        return self.model.load().signature

    def instrument(self) -> EmbeddingTable:
        """Load the model."""
        return EmbeddingTable(self.columns, self.model.load(), self.dtype)

    def with_estimates(self, instrument: TableInstrument[Any, Any]) -> Self:
        """Add nothing."""
        return self


@dataclass(frozen=True)
class RatingRecipe:
    """Settings with which a node rates a column of texts.

    Attributes:
        model: the embedder.
        scale: the scale with all its anchor sets.
        settings: settings of the rater, without an embedder.
        columns: the column of texts.
    """

    model: ModelRecipe
    scale: Scale
    settings: RaterSettings
    columns: RatingColumns

    def signature(self) -> Signature:
        """Name the model."""
        return self.model.load().signature

    def instrument(self) -> RatingTable:
        """Load the model and embed the anchors."""
        rater = Rater.from_settings(self.scale, self.settings.with_values(embedder=self.model.load))
        return RatingTable(self.columns, rater, IntervalPlan())

    def with_estimates(self, instrument: TableInstrument[Any, Any]) -> Self:
        """Return a copy with the instrument's floor, so that all nodes use bit-identical values."""
        if not isinstance(instrument, RatingTable):
            return self
        return replace(self, settings=self.settings.with_values(floor=instrument.rater.applied_floor))


@dataclass(frozen=True)
class MatchRecipe:
    """Settings with which a node matches predictions.

    Attributes:
        columns: names of the columns.
        settings: settings of the matcher; models are names, and no progress is reported.
        explains_rows: true to explain every score.
        corpus: references for the method's estimates; ``None`` if it makes none or the settings name a
            corpus.
    """

    columns: MatchColumns
    settings: MatchSettings
    explains_rows: bool = False
    corpus: tuple[str, ...] | None = None

    @classmethod
    def from_settings(cls, columns: MatchColumns, settings: MatchSettings) -> Self:
        """Build a recipe from a matcher's settings, without those that cannot be sent to a node.

        Raises:
            InputError: a model that is an object, not a name.
        """
        for name, model in {"embedder": settings.embedder, "nli": settings.nli}.items():
            if not isinstance(model, str | Path | None):
                raise InputError(
                    name, f"must name a model on a cluster, as each node loads its own, got {model!r:.60}"
                )
        loading = settings.loading.copy()
        loading.pop("progress", None)
        return cls(columns, settings.with_values(loading=loading))

    def signature(self) -> Signature:
        """Return the signature of the method with its model."""
        return Matcher.from_settings(self.settings).pair_method.signature

    def instrument(self) -> MatchTable:
        """Load the model and make the method's estimates."""
        return MatchTable(
            self.columns,
            Matcher.from_settings(self.settings),
            IntervalPlan(),
            explains_rows=self.explains_rows,
            corpus=self.corpus,
        )

    def with_estimates(self, instrument: TableInstrument[Any, Any]) -> Self:
        """Return a copy with the texts from which the method makes its estimates."""
        if not isinstance(instrument, MatchTable):
            return self
        corpus = None if instrument.corpus is None else tuple(instrument.corpus)
        return replace(self, corpus=corpus, explains_rows=instrument.explains_rows)
