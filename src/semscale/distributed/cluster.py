"""Connections to a Ray cluster, its actors, its errors in plain words, and the watch for its loss."""

import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from semscale.embedding.embedder import THREADS_VARIABLE, processors
from semscale.errors import ClusterError, InputError, SemscaleError
from semscale.extras import require

T = TypeVar("T")

AUTO, LOCAL = "auto", "local"

BOOKED = 0.5
"""Share of its processors that an actor books, see ``ActorPool``."""

PATIENCE = 10.0
"""Seconds without an answer after which a cluster counts as lost; a busy head node is slow."""

_ANSWER_SECONDS = 5.0
_CONNECT_SECONDS = 3.0
_LOGGERS = ("ray", "ray.data")
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no reports of usage from a cluster that is started here
    "RAY_BACKEND_LOG_LEVEL": "fatal",  # Ray's own lines would mix with those of a command
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",  # or it writes to standard output, among results, that a worker died
}
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST = 200
_END = object()

_MEMORY = (
    "a node was short of memory, so that a process of the run was ended; use fewer actors, smaller parts or "
    "nodes with more memory"
)
_STORE = (
    "Ray's store of objects is full; make parts smaller, or start Ray with a larger --object-store-memory "
    "and more room in its temporary folder"
)
_WORKER = (
    "a node cannot start a process for the run; install the same packages on all nodes, and look at the logs "
    "of Ray there"
)
_ROOM = "no node has room for a process of the run any more; add a node, or use fewer actors"
_LOST = "a process or a node was lost, and Ray could not make its work again; look at the logs of Ray there"
_BROKEN = "the connection to the cluster broke; check that its head node and the network are well"

# Names in ray.exceptions; the first class that an error belongs to decides.
_REMEDIES = {
    "OutOfMemoryError": _MEMORY,
    "ObjectStoreFullError": _STORE,
    "OutOfDiskError": _STORE,
    "RuntimeEnvSetupError": _WORKER,
    "ActorUnschedulableError": _ROOM,
    "TaskUnschedulableError": _ROOM,
    "RayActorError": _LOST,
    "WorkerCrashedError": _LOST,
    "NodeDiedError": _LOST,
    "ObjectLostError": _LOST,
    "ObjectReconstructionFailedError": _LOST,
    "LocalRayletDiedError": _BROKEN,
    "RaySystemError": _BROKEN,
    "RpcError": _BROKEN,
    "AuthenticationError": _BROKEN,
    "GetTimeoutError": _BROKEN,
}


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Join a cluster for the time of the block; a process that has joined one already stays in it.

    Args:
        address: ``HOST:PORT`` of a cluster that this machine belongs to; ``auto`` for the one that
            ``RAY_ADDRESS`` names or that runs on this machine; ``local`` to start one on this machine's
            processors, which ends with the block.

    Raises:
        MissingExtraError: ``semscale[ray]`` is not installed.
        InputError: there is no such cluster.
    """
    require("ray")
    checked = _checked(address)
    # Or a thread that still waits for results after the end would start another cluster.
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    _set_environment()
    import ray

    if ray.is_initialized():
        _silence()
        yield
        return
    options: dict[str, Any] = {"address": checked, "log_to_driver": False, "logging_level": logging.ERROR}
    if checked == LOCAL:
        options |= {"num_cpus": processors(), "include_dashboard": False}
    with _unchanged_sigterm(), _hidden_stderr():
        try:
            ray.init(**options)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise _unreachable(checked, error) from error
    try:
        _silence()
        yield
    finally:
        if is_connected():
            ray.shutdown()


def node_resources() -> list[Mapping[str, float]]:
    """Return the resources of each node of this process's cluster; a cluster is started if there is none."""
    _set_environment()
    import ray

    if not ray.is_initialized():
        ray.init(include_dashboard=False)
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def _set_environment() -> None:
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def _checked(address: str) -> str:
    """Find out within seconds if anything answers at an address; Ray itself would wait for minutes."""
    resolved = os.environ.get("RAY_ADDRESS", AUTO) if address == AUTO else address
    if resolved in {AUTO, LOCAL}:
        return resolved
    if resolved.startswith("ray://"):
        raise InputError(
            f"cluster: {resolved} is the address of a Ray client, which does not run Ray Data; run the "
            "command on a machine of the cluster with --ray auto"
        )
    host, _, port = resolved.rpartition(":")
    if not host or not port.isdecimal():
        raise InputError(f"cluster must be HOST:PORT, auto or local, got {address!r:.80}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS):
            return resolved
    except (OSError, OverflowError) as error:
        raise _unreachable(resolved, error) from error


def _unreachable(address: str, error: Exception) -> InputError:
    problem = "no Ray cluster runs on this machine"
    if address != AUTO:
        problem = f"no Ray cluster answers at {address} ({one_line(error)})"
    return InputError(
        f"cluster: {problem}; start one (ray start --head), name its HOST:PORT, or use --ray local"
    )


@contextmanager
def _unchanged_sigterm() -> Iterator[None]:
    """Restore this program's handler of SIGTERM, which Ray replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _hidden_stderr() -> Iterator[None]:
    """Hide lines that Ray's threads write to standard error while it starts."""
    sys.stderr.flush()
    screen, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(screen, 2)
        os.close(screen)
        os.close(nowhere)


def _silence() -> None:
    from ray.data import DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.execution_options.preserve_order = True
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are raised


@dataclass(frozen=True)
class ActorPool:
    """The actors of a cluster, each with a model of its own.

    An actor books only half of the processors that it uses. A pool that books all of them would leave none
    to the tasks that read the input, so that both wait forever; and where a node is lost, its actors, which
    hold unfinished work, need room on other nodes.

    Attributes:
        actors: number of actors; by default as many as the nodes have room for.
        cpus: processors that each actor uses, at least 1.
        gpus: GPUs that each actor uses, for the engine ``torch``.

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

        Examples:
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

    def arguments(self, size: int) -> dict[str, Any]:
        """Return the arguments of Ray Data's ``map_batches`` for a number of actors."""
        from ray.data import ActorPoolStrategy

        variables = (THREADS_VARIABLE, "POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS")
        return {
            "compute": ActorPoolStrategy(size=size),
            "num_cpus": self.cpus * BOOKED,
            **({"num_gpus": self.gpus} if self.gpus else {}),
            "runtime_env": {"env_vars": dict.fromkeys(variables, str(self.cpus))},
        }

    def arguments_beside_readers(self, nodes: Sequence[Mapping[str, float]]) -> dict[str, Any]:
        """Return the arguments where Ray's tasks, each of which books a processor, read and write as well.

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
        """Return true if a node with these resources has room for an actor."""
        return self._room(node) > 0

    def _room(self, node: Mapping[str, float]) -> int:
        room = int(node.get("CPU", 0) // self.cpus)
        return min(room, int(node.get("GPU", 0) / self.gpus)) if self.gpus else room


def _counted(n: float, unit: str) -> str:
    return f"{n:g} {unit}{'' if n == 1 else 's'}"


def addresses() -> list[tuple[str, int]]:
    """Return the addresses that must answer: of the head node, and of Ray on this machine."""
    import ray

    this_node = ray.get_runtime_context().get_node_id()
    nodes = [node for node in ray.nodes() if node["NodeID"] == this_node]
    return [_head(), *((str(node["NodeManagerAddress"]), int(node["NodeManagerPort"])) for node in nodes)]


def is_connected() -> bool:
    """Return true in a cluster that answers; Ray waits for a minute, and then ends the process."""
    import ray

    return ray.is_initialized() and do_answer([_head()])


def do_answer(listeners: Iterable[tuple[str, int]]) -> bool:
    """Return true if something listens at each address."""
    for listener in listeners:
        try:
            socket.create_connection(listener, timeout=_CONNECT_SECONDS).close()
        except OSError:
            return False
    return True


def _head() -> tuple[str, int]:
    import ray

    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


def watched(
    items: Iterable[T],
    listeners: Sequence[tuple[str, int]] | None = None,
    *,
    patience: float = PATIENCE,
    every: float = 1.0,
) -> Iterator[T]:
    """Pass on items that arrive from a cluster, and raise its errors in plain words.

    Ray says nothing of a lost cluster before it ends the process. So a thread waits for the next item, while
    this one checks the cluster.

    Args:
        items: waits for the cluster.
        listeners: addresses that must answer; by default those of this process's cluster.
        patience: seconds without an answer after which the cluster is lost.
        every: seconds between two checks.

    Raises:
        SemscaleError: a task raised it.
        ClusterError: Ray could not do a task, or the cluster no longer answers.
    """
    checked = addresses() if listeners is None else listeners
    iterator = iter(items)
    while True:
        arriving: Future[Any] = Future()
        threading.Thread(target=_advance, args=(iterator, arriving), daemon=True).start()
        last_answer = time.monotonic()
        while not wait([arriving], every).done:
            if do_answer(checked):
                last_answer = time.monotonic()
            if time.monotonic() - last_answer > patience:
                raise ClusterError(
                    "cluster: its head node, or Ray on this machine, does not answer any more; start the "
                    "cluster again, and the same command continues after the finished parts"
                )
        item = arriving.result()
        if item is _END:
            return
        yield item


def _advance(iterator: Iterator[Any], arriving: "Future[Any]") -> None:
    try:
        with plain_errors():
            item = next(iterator, _END)
    except Exception as error:  # noqa: BLE001 - it is raised where the items are taken
        arriving.set_exception(error)
    else:
        arriving.set_result(item)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise errors of Semscale as they are, those of a cluster in plain words, and all else as Ray has them.

    Raises:
        SemscaleError: a task raised it.
        ClusterError: Ray could not do a task.
    """
    from ray.exceptions import RayError

    try:
        yield
    except (RayError, MemoryError) as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, SemscaleError):
            raise cause from None
        plain = cluster_error(error)
        if plain is None:
            raise
        raise plain from error


def cluster_error(error: BaseException) -> ClusterError | None:
    """Describe a failure of a cluster in plain words; ``None`` for an error of another kind.

    Args:
        error: of Ray, or one that a task has raised.
    """
    import ray.exceptions

    candidates: tuple[Any, ...] = (getattr(error, "cause", None), error)
    for candidate in candidates:
        remedy = _MEMORY if isinstance(candidate, MemoryError) else None
        for name, text in _REMEDIES.items():
            if remedy is None and isinstance(candidate, getattr(ray.exceptions, name)):
                remedy = text
        if remedy is not None:
            return ClusterError(f"cluster: {remedy} (Ray says: {one_line(candidate)})")
    return None


def one_line(error: BaseException) -> str:
    r"""Return the message of an error of Ray in one line, without the colours of a screen.

    Examples:
        >>> one_line(ValueError("\x1b[36mray::report()\x1b[39m\n  no such file"))
        'ray::report() no such file'
    """
    message = " ".join(_COLOUR.sub("", str(error)).split()) or type(error).__name__
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."
