"""Rating, matching and embedding of Ray Data datasets on a Ray cluster."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.distributed.actor_pool import ActorPool
    from semscale.distributed.datasets import ModelRecipe, embed, match, rate

__all__ = ["ActorPool", "ModelRecipe", "embed", "match", "rate"]

_MODULES = {"ActorPool": "actor_pool"}


def __getattr__(name: str) -> object:
    """Import a module when one of its names is used, so that a node's process imports only what it needs."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'datasets')}"), name)
    return value
