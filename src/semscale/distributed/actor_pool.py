"""How many actors a cluster runs, and what each of them takes of its node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semscale.embedding.embedder import THREADS_VARIABLE
from semscale.errors import InputError

BOOKED = 0.5
"""Share of its processors that an actor books, see ``ActorPool``."""


@dataclass(frozen=True)
class ActorPool:
    """The actors of a cluster, each with a model of its own.

    An actor books only half of the processors that it uses. A pool that books all of them would leave none
    to the tasks that read the input, so that both wait forever; and where a node is lost, its actors, which
    hold unfinished work, find room on the others.

    Attributes:
        actors: how many; as many as the nodes have room for unless given.
        cpus: processors that each one uses, at least 1.
        gpus: GPUs that each one uses, for the engine ``torch``.

    Raises:
        InputError: a value out of range.
    """

    actors: int | None = None
    cpus: int = 1
    gpus: float = 0.0

    def __post_init__(self) -> None:
        if self.actors is not None and self.actors < 1:
            raise InputError(f"actors must be at least 1, got {self.actors}")
        if self.cpus < 1:
            raise InputError(f"cpus must be at least 1, got {self.cpus}")
        if not self.gpus >= 0:
            raise InputError(f"gpus must be at least 0, got {self.gpus}")
        if self.gpus > 1 and self.gpus % 1:
            raise InputError(f"gpus must be a whole number above 1, got {self.gpus:g}")

    def size(self, nodes: Sequence[Mapping[str, float]]) -> int:
        """Count the actors for nodes with these resources, by Ray's names.

        Raises:
            InputError: no node has room for an actor.

        Example:
            >>> ActorPool().size([{"CPU": 4}, {"CPU": 2}, {}])
            6
            >>> ActorPool(cpus=4, gpus=1).size([{"CPU": 16, "GPU": 2}])
            2
        """
        room = sum(self._room(node) for node in nodes)
        if not room:
            gpus = f" and {_counted(self.gpus, 'GPU')}" if self.gpus else ""
            raise InputError(
                f"no node of the cluster has {_counted(self.cpus, 'processor')}{gpus} for an actor; ask for "
                "less, or add a node"
            )
        return room if self.actors is None else self.actors

    def arguments(self, size: int, *, booked: float = BOOKED) -> dict[str, Any]:
        """Give the arguments of Ray Data's ``map_batches`` for so many actors.

        Args:
            size: how many.
            booked: share of its processors that each one books.
        """
        from ray.data import ActorPoolStrategy

        return {"compute": ActorPoolStrategy(size=size), **self.resources(booked)}

    def resources(self, booked: float = BOOKED) -> dict[str, Any]:
        """Give what an actor takes of its node, by Ray's names."""
        variables = (THREADS_VARIABLE, "POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS")
        return {
            "num_cpus": self.cpus * booked,
            **({"num_gpus": self.gpus} if self.gpus else {}),
            "runtime_env": {"env_vars": dict.fromkeys(variables, str(self.cpus))},
        }

    def arguments_beside_readers(self, nodes: Sequence[Mapping[str, float]]) -> dict[str, Any]:
        """Give the arguments where tasks, each of which books a whole processor, read and write beside them.

        Where halves would leave no node a whole processor, actors book nothing, and Ray Data spreads them
        over the nodes.

        Raises:
            InputError: as ``size``.
        """
        from ray.data import ActorPoolStrategy

        size = self.size(nodes)
        arguments = self.arguments(size)
        # A dataset may have fewer blocks than there are actors, of which Ray would warn.
        arguments["compute"] = ActorPoolStrategy(min_size=1, initial_size=size, max_size=size)
        left = (node.get("CPU", 0) - self._room(node) * self.cpus * BOOKED for node in nodes)
        if max(left, default=0) < 1:
            arguments["num_cpus"] = 0
        return arguments

    def fits(self, node: Mapping[str, float]) -> bool:
        """Tell whether a node with these resources has room for an actor."""
        return self._room(node) > 0

    def _room(self, node: Mapping[str, float]) -> int:
        room = int(node.get("CPU", 0) // self.cpus)
        return min(room, int(node.get("GPU", 0) / self.gpus)) if self.gpus else room


def _counted(n: float, unit: str) -> str:
    return f"{n:g} {unit}{'' if n == 1 else 's'}"
