"""A watch for a cluster that is lost in the middle of a run, of which Ray says nothing before it ends us."""

import queue
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from semscale.errors import ClusterError

T = TypeVar("T")

Arriving = queue.Queue[tuple[str, Any]]
"""Items on their way from the thread that waits for them, each after ``item``, and ``end`` or ``error``."""

WAITING = "waiting for the cluster"
"""Name of the thread that waits while another one looks."""

_EVERY = 1.0  # seconds between two looks
# Seconds without an answer: a busy head node is slow, and one that is gone does not come back.
_PATIENCE = 10.0
_CONNECTING = 3.0  # seconds


def addresses() -> list[tuple[str, int]]:
    """Name what must answer while this process is in its cluster: the head node, and Ray on this machine."""
    import ray

    own = ray.get_runtime_context().get_node_id()
    nodes = [node for node in ray.nodes() if node["NodeID"] == own]
    return [_head(), *((str(node["NodeManagerAddress"]), int(node["NodeManagerPort"])) for node in nodes)]


def answer(places: Iterable[tuple[str, int]]) -> bool:
    """Tell whether something listens at each address."""
    for place in places:
        try:
            socket.create_connection(place, timeout=_CONNECTING).close()
        except OSError:
            return False
    return True


def is_connected() -> bool:
    """Tell whether this process is in a cluster that answers; Ray waits for a minute, and then ends it."""
    import ray

    return ray.is_initialized() and answer([_head()])


def _head() -> tuple[str, int]:
    """The address of the head node."""
    import ray

    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


class ClusterWatch:
    """Looks whether the cluster is there, while this process waits for its results.

    Args:
        places: what must answer.
        patience: seconds without an answer after which the cluster is lost.
    """

    def __init__(self, places: list[tuple[str, int]], patience: float = _PATIENCE) -> None:
        self._places, self._patience = places, patience

    @property
    def is_there(self) -> bool:
        """Whether the cluster answers."""
        return answer(self._places)

    def over(self, items: Iterable[T], every: float = _EVERY) -> Iterator[T]:
        """Pass items on as they come.

        Args:
            items: waits for the cluster.
            every: seconds between two looks at it.

        Raises:
            ClusterError: the cluster does not answer any more.
        """
        arriving, stopped = Arriving(maxsize=1), threading.Event()
        arguments = (items, arriving, stopped)
        threading.Thread(target=_put_all, args=arguments, name=WAITING, daemon=True).start()
        try:
            while True:
                kind, item = self._next(arriving, every)
                if kind == "end":
                    return
                if kind == "error":
                    raise item
                yield item
        finally:
            stopped.set()

    def _next(self, arriving: Arriving, every: float) -> tuple[str, Any]:
        heard = time.monotonic()
        while True:
            try:
                return arriving.get(timeout=every)
            except queue.Empty:
                heard = time.monotonic() if self.is_there else heard
            if time.monotonic() - heard > self._patience:
                raise lost()


def lost() -> ClusterError:
    """Say that the cluster is gone."""
    return ClusterError(
        "cluster: its head node, or Ray on this machine, does not answer any more; start the cluster again, "
        "and the same command goes on after what is finished"
    )


def _put_all(items: Iterable[Any], arriving: Arriving, stopped: threading.Event) -> None:
    try:
        for item in items:
            if not _put(("item", item), arriving, stopped):
                return
        _put(("end", None), arriving, stopped)
    except Exception as error:  # noqa: BLE001 - it is raised where the items are taken
        _put(("error", error), arriving, stopped)


def _put(message: tuple[str, Any], arriving: Arriving, stopped: threading.Event) -> bool:
    """Put a message where it is taken; ``False`` once nobody takes any."""
    while not stopped.is_set():
        try:
            arriving.put(message, timeout=_EVERY)
        except queue.Full:
            continue
        return True
    return False
