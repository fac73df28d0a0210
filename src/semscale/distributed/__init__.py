"""Rating, matching and embedding on a Ray cluster: datasets of Ray Data in, and out again."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.distributed.actor_pool import ActorPool
    from semscale.distributed.datasets import embed, match, rate
    from semscale.distributed.recipes import ModelRecipe

__all__ = ["ActorPool", "ModelRecipe", "embed", "match", "rate"]

_MODULES = {"ActorPool": "actor_pool", "ModelRecipe": "recipes"}


def __getattr__(name: str) -> object:
    """Load what is asked for, so that a process of a node loads only what it needs."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'datasets')}"), name)
    return found
