"""Connection to a Ray cluster, its pool of actors, readable errors, and detection of a lost cluster."""

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
from typing import Any, TypeVar

from semscale.embedding.embedder import processors
from semscale.errors import ClusterError, InputError, SemscaleError
from semscale.extras import require

T = TypeVar("T")

AUTO, LOCAL = "auto", "local"

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
def connect(address: str) -> Iterator[None]:
    """Connect to a cluster within a ``with`` block; a process that is already connected stays connected.

    Args:
        address: ``HOST:PORT`` of a cluster that this machine belongs to; ``auto`` for the one that
            ``RAY_ADDRESS`` names or that runs on this machine; ``local`` to start one on this machine that
            stops at the end of the block.

    Raises:
        MissingExtraError: ``semscale[ray]`` is not installed.
        InputError: no cluster answers at the address.
    """
    require("ray")
    checked = _check_address(address)
    # Otherwise a thread that still waits for results after the end would start another cluster.
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
    with _preserve_sigterm(), _hidden_stderr():
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
    """Return the resources of each node of this process's cluster; start a cluster if there is none."""
    _set_environment()
    import ray

    if not ray.is_initialized():
        ray.init(include_dashboard=False)
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def _set_environment() -> None:
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def _check_address(address: str) -> str:
    """Check within seconds that an address answers; Ray itself would wait for minutes."""
    resolved = os.environ.get("RAY_ADDRESS", AUTO) if address == AUTO else address
    if resolved in {AUTO, LOCAL}:
        return resolved
    if resolved.startswith("ray://"):
        raise InputError(
            "cluster",
            f": {resolved} is the address of a Ray client, which does not run Ray Data; run the "
            "command on a machine of the cluster with `cluster='auto'`",
        )
    host, _, port = resolved.rpartition(":")
    if not host or not port.isdecimal():
        raise InputError("cluster", f"must be HOST:PORT, auto or local, got {address!r:.80}")
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
        "cluster", f": {problem}; start one (ray start --head), name its HOST:PORT, or use `cluster='local'`"
    )


@contextmanager
def _preserve_sigterm() -> Iterator[None]:
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


def addresses() -> list[tuple[str, int]]:
    """Return the addresses that must answer: those of the head node and of Ray on this machine."""
    import ray

    this_node = ray.get_runtime_context().get_node_id()
    nodes = [node for node in ray.nodes() if node["NodeID"] == this_node]
    return [_head(), *((str(node["NodeManagerAddress"]), int(node["NodeManagerPort"])) for node in nodes)]


def is_connected() -> bool:
    """Return true if this process's cluster answers. Ray itself waits for a minute, then ends the process."""
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


def watch(
    items: Iterable[T],
    listeners: Sequence[tuple[str, int]] | None = None,
    *,
    patience: float = PATIENCE,
    every: float = 1.0,
) -> Iterator[T]:
    """Yield items as they arrive from a cluster, and raise its errors with readable messages.

    Ray does not report a lost cluster before it ends the process. So another thread waits for the next item,
    while this one checks the cluster.

    Args:
        items: iterator that waits for the cluster.
        listeners: addresses that must answer; by default those of this process's cluster.
        patience: seconds without an answer after which the cluster counts as lost.
        every: seconds between two checks.

    Raises:
        SemscaleError: a task raised this error.
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
    except Exception as error:
        arriving.set_exception(error)
    else:
        arriving.set_result(item)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Re-raise Semscale's errors unchanged, failures of a cluster as ``ClusterError``, others as Ray's.

    Raises:
        SemscaleError: a task raised this error.
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
    """Return a readable error for a failure of a cluster; ``None`` for other errors.

    Args:
        error: an error of Ray, or one that a task raised.
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
    r"""Return the message of a Ray error in one line, without terminal colours.

    Examples:
        >>> one_line(ValueError("\x1b[36mray::report()\x1b[39m\n  no such file"))
        'ray::report() no such file'
    """
    message = " ".join(_COLOUR.sub("", str(error)).split()) or type(error).__name__
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."
