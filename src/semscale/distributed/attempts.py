"""A bound on attempts at work that ends its process, so that a run does not begin it again forever."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from semscale.distributed.cluster_watch import is_connected
from semscale.distributed.ray_results import result_of
from semscale.errors import ClusterError

MOST = 4
"""Attempts at one piece of work. A node may be lost under a piece, but hardly four times in a row."""


class AttemptLog:
    """Notes which pieces of work have begun and not ended; an actor, as it must outlive those who work.

    Example:
        >>> log = AttemptLog()
        >>> log.begin("part 3", "10.0.0.2"), log.begin("part 3", "10.0.0.3"), log.end("part 3")
        ([], ['10.0.0.2'], None)
        >>> log.begin("part 3", "10.0.0.2")
        []
    """

    def __init__(self) -> None:
        self._begun: dict[str, list[str]] = {}

    def begin(self, piece: str, node: str) -> list[str]:
        """Note that a node begins a piece, and name the nodes on which earlier attempts did not end."""
        earlier = self._begun.get(piece, [])
        self._begun[piece] = [*earlier, node]
        return earlier

    def end(self, piece: str) -> None:
        """Note that a piece has ended, whether well or with an error."""
        self._begun.pop(piece, None)


class Attempts(NamedTuple):
    """The log of a run, as all its processes know it.

    Attributes:
        log: handle of an ``AttemptLog``.
    """

    log: Any

    @classmethod
    def start(cls) -> "Attempts":
        """Start the log on the node of this process, without which there is no run."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": here}
        return cls(ray.remote(AttemptLog).options(**options).remote())

    @contextmanager
    def at(self, piece: str, said: Callable[[], str]) -> Iterator[None]:
        """Work on a piece for the time of the block.

        Args:
            piece: names the piece within the run.
            said: says in an error what the process did, after "the process that".

        Raises:
            ClusterError: earlier attempts at the piece ended with their process too often.
        """
        import ray

        lost_on = result_of(self.log.begin.remote(piece, ray.util.get_node_ip_address()))
        if len(lost_on) >= MOST:
            self.log.end.remote(piece)
            raise too_often(said(), lost_on)
        try:
            yield
        finally:
            self.log.end.remote(piece)

    def end(self) -> None:
        """End the log."""
        import ray

        if is_connected():
            ray.kill(self.log)


def too_often(what: str, lost_on: list[str]) -> ClusterError:
    """Say that a process ended again and again.

    Args:
        what: what it did, after "the process that".
        lost_on: addresses of the nodes on which it ended, one for each time.

    Example:
        >>> str(too_often("read rows 1 to 9", ["10.0.0.2", "10.0.0.2"]))[:90]
        'cluster: the process that read rows 1 to 9 ended 2 times without an error (on node 10.0.0.'
    """
    nodes = list(dict.fromkeys(lost_on))
    where = f"node{'s' if len(nodes) > 1 else ''} {', '.join(nodes)}"
    return ClusterError(
        f"cluster: the process that {what} ended {len(lost_on)} times without an error (on {where}). Either "
        "its memory is too small, which fewer actors or smaller parts mend, or a text there crashes the "
        "model: take it out"
    )
