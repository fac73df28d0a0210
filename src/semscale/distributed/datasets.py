"""Datasets of Ray Data with the columns of an instrument: lazy, each batch done by an actor of a pool."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.attempts import Attempts
from semscale.distributed.cluster import started
from semscale.distributed.match_recipe import MatchRecipe
from semscale.distributed.rating_recipe import RatingRecipe
from semscale.distributed.recipes import EmbeddingRecipe, ModelRecipe, Recipe, SharesTexts
from semscale.distributed.row_actors import BatchActor
from semscale.distributed.text_owners import Owners, refuse_gpus
from semscale.embedding.file_embedding import VectorType
from semscale.errors import InputError
from semscale.extras import require
from semscale.matching.matcher import ANY_ENGINE, Matcher
from semscale.matching.pairs import CorpusDependent
from semscale.matching.settings import DEFAULT_METHOD, MatchColumns
from semscale.rating.calibration import as_calibration
from semscale.rating.rater import Rater
from semscale.scales import Scale, load_scale
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from ray.data import Dataset

BATCH_ROWS = 8192
"""Rows that an actor takes at once; equal texts among them are embedded once."""


def embed(
    dataset: "Dataset",
    text: str,
    *,
    embedder: str | Path | ModelRecipe = DEFAULT_MODEL,
    dtype: VectorType = "float32",
    pool: ActorPool | None = None,
    shared: bool = False,
) -> "Dataset":
    """Add the vectors of a column of texts, as ``semscale embed`` does.

    Args:
        dataset: n rows, in any order.
        text: name of the column of texts.
        embedder: the model's name, or how it is loaded; each node loads its own.
        dtype: type of a vector's numbers, ``float32`` or ``float16``.
        pool: the actors.
        shared: whether equal texts are embedded once in the cluster, by as many actors more, which start now
            and end with the dataset.

    Returns:
        A lazy dataset with the columns ``semscale_status`` and ``semscale_vector`` beside the dataset's own.

    Raises:
        InputError: a model that is not named.
        ModelError: the model's weights cannot be had on this machine.
        MissingExtraError: ``semscale[ray]`` is not installed.
    """
    return _mapped(dataset, EmbeddingRecipe(_model(embedder), text, dtype), pool, shared=shared)


def rate(
    dataset: "Dataset",
    scale: str | Path | Scale = "purchase-intent",
    *,
    text: str,
    pool: ActorPool | None = None,
    shared: bool = False,
    **settings: Any,
) -> "Dataset":
    """Add the ratings of a column of texts, as ``semscale rate`` does.

    Args:
        dataset: n rows, in any order.
        scale: as ``semscale.rate`` takes it.
        text: name of the column of texts.
        pool: the actors.
        shared: as ``embed`` takes it.
        settings: as ``semscale.rate`` takes them; ``embedder`` is a name, or a ``ModelRecipe``.

    Returns:
        A lazy dataset with the columns of ``Ratings.to_frame``, after ``semscale_``, beside its own.

    Raises:
        InputError: as ``Rater``, or a model that is not named.
        ModelError: the model's weights cannot be had on this machine.
        MissingExtraError: ``semscale[ray]`` is not installed.
    """
    model = _model(settings.pop("embedder", None) or DEFAULT_RATING_MODEL)
    loaded = load_scale(scale)
    settings["calibration"] = as_calibration(settings.get("calibration"))
    checked = Rater(loaded, **settings).settings  # refuses what no actor could do
    return _mapped(dataset, RatingRecipe(model, loaded, checked, text), pool, shared=shared)


def match(
    dataset: "Dataset",
    *,
    prediction: str,
    reference: str,
    method: str = DEFAULT_METHOD,
    pool: ActorPool | None = None,
    shared: bool = False,
    **settings: Any,
) -> "Dataset":
    """Add the match of each prediction with its reference, as ``semscale match`` does.

    Args:
        dataset: n rows, in any order.
        prediction: name of the column of predictions.
        reference: name of the column of references: texts, or lists of texts.
        method: one of ``semscale.matching.matcher.METHODS``.
        pool: the actors.
        shared: as ``embed`` takes it; for method ``cosine``.
        settings: as ``semscale.match`` takes them; models are names, and ``corpus`` is needed by methods that
            estimate something, since no actor sees the whole dataset.

    Returns:
        A lazy dataset with the columns of ``Matches.to_frame``, after ``semscale_``, beside its own.

    Raises:
        InputError: as ``Matcher``, a model that is not named, or no corpus where one is needed.
        ModelError: the model's weights cannot be had on this machine.
        MissingExtraError: ``semscale[ray]`` is not installed.
    """
    model = _model(settings.get("embedder", DEFAULT_MODEL))
    loading = {"engine": model.engine, "cache": model.cache, "device": model.device}
    named = {**settings, "embedder": model.name, "precision": settings.get("precision", model.precision)}
    matcher = Matcher(method, **named, loading=loading)
    built = matcher.pair_method
    if isinstance(built, CorpusDependent) and not built.has_corpus:
        raise InputError(
            f"corpus must be given for method {method!r} on a dataset, as no actor sees all references: pass "
            "a sample of them"
        )
    columns = MatchColumns(prediction=prediction, reference=(reference,))
    return _mapped(dataset, MatchRecipe.from_settings(columns, matcher.settings), pool, shared=shared)


def _mapped(dataset: "Dataset", recipe: Recipe, pool: ActorPool | None, *, shared: bool = False) -> "Dataset":
    require("ray")
    expected, pool = recipe.signature(), pool or ActorPool()
    nodes = started()
    arguments, attempts = pool.arguments_beside_readers(nodes), Attempts.start()
    if shared and isinstance(recipe, SharesTexts):
        if recipe.model is None:
            raise InputError(
                f"shared=True is for method {' or '.join(sorted(ANY_ENGINE))}, which needs vectors of texts "
                "alone: leave it out"
            )
        refuse_gpus(pool, "shared")
        # They book nothing, as the actors of the pool book what can be left beside readers.
        owners = Owners.start(recipe.model, pool.size(nodes), pool.resources(0.0), attempts)
        recipe = recipe.with_shared(owners.embedder)
    return dataset.map_batches(
        BatchActor,
        fn_constructor_args=(recipe, expected, attempts),
        batch_size=BATCH_ROWS,
        batch_format="pyarrow",
        **arguments,
    )


def _model(embedder: Any) -> ModelRecipe:  # noqa: ANN401 - what it may be is checked here
    if isinstance(embedder, str | Path):
        return _model(ModelRecipe(str(embedder)))
    if isinstance(embedder, ModelRecipe):
        folder = Path(embedder.name)  # a node works in another folder
        return replace(embedder, name=str(folder.absolute())) if folder.is_dir() else embedder
    raise InputError(
        f"embedder must name a model on a cluster, as each node loads its own, got {embedder!r:.60}"
    )
