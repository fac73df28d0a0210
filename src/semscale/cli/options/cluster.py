"""Options of a run on a Ray cluster, the same for every command that has them."""

from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.options.groups import option_group, refuse_given
from semscale.cli.options.panels import RUN, option
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.distributed.actor_pool import ActorPool


@option_group
class ClusterOptions:
    """The cluster that makes the parts of a run, if one does.

    Raises:
        InputError: an option of a cluster without one, or a value out of range.
    """

    cluster: Annotated[
        str | None,
        option(RUN, "Run on a Ray cluster: HOST:PORT, auto (the one here) or local.", "ADDRESS"),
    ] = None
    actors: Annotated[int | None, option(RUN, "Models at work on the cluster; one a processor.", "N")] = None
    gpus_per_actor: Annotated[
        float, option(RUN, "GPUs of each model on the cluster, with --engine torch.", "NUMBER")
    ] = 0.0
    embed_once: Annotated[
        Literal["auto", "always", "never"],
        option(RUN, "Embed texts that many parts have once in the cluster; auto: where it pays.", "WHEN"),
    ] = "auto"

    def __post_init__(self) -> None:
        if self.cluster is None:
            refuse_given("--cluster, which is not given", self)
            return
        if not self.cluster.strip():
            raise InputError("cluster must be HOST:PORT, auto or local, got an empty text")
        if self.actors is not None and self.actors < 1:
            raise InputError(f"actors must be at least 1, got {self.actors}")
        if not self.gpus_per_actor >= 0:
            raise InputError(f"gpus_per_actor must be at least 0, got {self.gpus_per_actor}")
        if self.gpus_per_actor and self.embed_once == "always":
            raise InputError("--embed-once always is not for GPUs: leave it out, or --gpus-per-actor")

    @property
    def pool(self) -> "ActorPool":
        """The actors."""
        from semscale.distributed.actor_pool import ActorPool

        return ActorPool(self.actors, gpus=self.gpus_per_actor)
