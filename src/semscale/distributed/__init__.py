"""Rating, matching and embedding on a Ray cluster: datasets of Ray Data in, and out again."""

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.datasets import embed, match, rate
from semscale.distributed.recipes import ModelRecipe

__all__ = ["ActorPool", "ModelRecipe", "embed", "match", "rate"]
