"""Parts of a run that a cluster makes, if the options name one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from semscale.cli.options.cluster import ClusterOptions
from semscale.cli.options.model import ModelOptions
from semscale.errors import InputError
from semscale.store.runs.table_run import PartMakers

if TYPE_CHECKING:
    from semscale.distributed.recipes import ModelRecipe, Recipe


@contextmanager
def makers_of(
    options: ClusterOptions, engine: str, recipe: "Callable[[], Recipe]"
) -> Iterator[PartMakers | None]:
    """Join the cluster for the time of the block, and give what makes parts there; ``None`` without one.

    Args:
        options: the cluster.
        engine: of the embedding model.
        recipe: says how a node makes the instrument.

    Raises:
        MissingExtraError: ``semscale[ray]`` is not installed.
        InputError: there is no such cluster, or GPUs for an engine that uses none.
    """
    if options.cluster is None:
        yield None
        return
    if options.gpus_per_actor and engine != "torch":
        raise InputError(f"--gpus-per-actor belongs to --engine torch, got --engine {engine}")
    from semscale.distributed.cluster import connected
    from semscale.distributed.cluster_parts import ClusterParts

    with connected(options.cluster):
        yield ClusterParts(recipe(), options.pool, options.embed_once)


def model_recipe(options: ModelOptions, default: str, *, cache: bool = True) -> "ModelRecipe":
    """Say how a node loads the embedding model.

    Args:
        options: the model.
        default: the model if none is named.
        cache: whether the command keeps vectors at all.

    Raises:
        InputError: an endpoint, which more machines make no faster.
    """
    from semscale.distributed.recipes import ModelRecipe

    refuse_endpoint(options)
    return ModelRecipe(
        options.name or default,
        options.precision,
        options.engine,
        cache and not options.no_cache,
        options.device,
    )


def refuse_endpoint(options: ModelOptions) -> None:
    """Refuse an engine that computes nothing on the nodes.

    Raises:
        InputError: it is an endpoint.
    """
    if options.engine == "api":
        raise InputError(
            "--cluster belongs to engines that compute on the nodes: leave it out with --engine api"
        )
