"""The pool of actors that a cluster gives a run."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from semscale.errors import InputError
from semscale.settings import RUN, Option, Settings

BOOKED = 0.5
"""Share of its processors that an actor reserves."""


class ActorPool(Settings):
    """Actors of a cluster; each loads its own model.

    An actor reserves only half of the processors that it uses. If a pool reserved all of them, none would be
    left for the tasks that read the input, and both would wait forever. If a node is lost, its actors have
    unfinished work and need room on other nodes.

    Raises:
        InputError: a value out of range.
    """

    actors: Annotated[
        int | None,
        Field(ge=1, description="Number of copies of the model on the cluster (default: one per processor)."),
        Option(RUN, rare=True),
    ] = None
    cpus: Annotated[int, Field(ge=1, description="Processors that each copy of the model uses.")] = 1
    gpus: Annotated[
        float,
        Field(ge=0, description="GPUs per copy of the model on the cluster, with --engine torch."),
        Option(RUN, name="--gpus-per-actor", rare=True, shown=False),
    ] = 0.0

    def model_post_init(self, _context: object) -> None:
        """Refuse parts of a GPU beside a whole one."""
        if self.gpus > 1 and self.gpus % 1:
            raise InputError("gpus", f"must be a whole number above 1, got {self.gpus:g}")

    def size(self, nodes: Sequence[Mapping[str, float]]) -> int:
        """Return the number of actors for nodes with these resources, by Ray's names.

        Raises:
            InputError: no node has room for an actor.

        Examples:
            >>> ActorPool().size([{"CPU": 4}, {"CPU": 2}, {}])
            6
            >>> ActorPool(cpus=4, gpus=1).size([{"CPU": 16, "GPU": 2}])
            2
        """
        room = sum(self._room(node) for node in nodes)
        if not room:
            gpus = f" and {_with_unit(self.gpus, 'GPU')}" if self.gpus else ""
            raise InputError(
                f"no node of the cluster has {_with_unit(self.cpus, 'processor')}{gpus} for an actor; ask "
                "for less, or add a node"
            )
        return room if self.actors is None else self.actors

    def arguments(self, size: int) -> dict[str, Any]:
        """Return the arguments of Ray Data's ``map_batches`` for a number of actors."""
        from ray.data import ActorPoolStrategy

        from semscale.embedding.embedder import THREADS_VARIABLE

        variables = (THREADS_VARIABLE, "POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS")
        return {
            "compute": ActorPoolStrategy(size=size),
            "num_cpus": self.cpus * BOOKED,
            **({"num_gpus": self.gpus} if self.gpus else {}),
            "runtime_env": {"env_vars": dict.fromkeys(variables, str(self.cpus))},
        }

    def arguments_beside_readers(self, nodes: Sequence[Mapping[str, float]]) -> dict[str, Any]:
        """Return the arguments for a pipeline in which Ray's own tasks read and write.

        Each such task reserves a processor. If reserved halves would leave no node with a whole processor,
        actors reserve none, and Ray Data spreads them over the nodes.

        Raises:
            InputError: no node has room for an actor.
        """
        from ray.data import ActorPoolStrategy

        size = self.size(nodes)
        arguments = self.arguments(size)
        # Ray would warn about a dataset with fewer blocks than actors.
        arguments["compute"] = ActorPoolStrategy(min_size=1, initial_size=size, max_size=size)
        left = (node.get("CPU", 0) - self._room(node) * self.cpus * BOOKED for node in nodes)
        if max(left, default=0) < 1:
            arguments["num_cpus"] = 0
        return arguments

    def fits(self, node: Mapping[str, float]) -> bool:
        """Return true if a node with these resources has room for an actor."""
        return self._room(node) > 0

    def _room(self, node: Mapping[str, float]) -> int:
        room = int(node.get("CPU", 0) // self.cpus)
        return min(room, int(node.get("GPU", 0) / self.gpus)) if self.gpus else room


def _with_unit(n: float, unit: str) -> str:
    return f"{n:g} {unit}{'' if n == 1 else 's'}"
