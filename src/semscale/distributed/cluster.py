"""Connections to a Ray cluster; what keeps one from being reached is said in one sentence."""

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from semscale.distributed.cluster_watch import is_connected
from semscale.distributed.ray_results import said
from semscale.embedding.embedder import processors
from semscale.errors import InputError
from semscale.extras import require

AUTO, LOCAL = "auto", "local"

_WAITED = 5.0  # seconds for an answer of the cluster's address
_LOGGERS = ("ray", "ray.data")
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no reports of usage from a cluster that is started here
    "RAY_BACKEND_LOG_LEVEL": "fatal",  # Ray's own lines would stand between those of a command
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",  # or it writes to standard output, among results, that a worker died
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
    place = _checked(address)
    # Or a thread that still waits for results after the end would start a cluster of its own.
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import ray

    if ray.is_initialized():
        _keep_quiet()
        yield
        return
    with _own_signals(), _errors_kept_back():
        try:
            if place == LOCAL:
                ray.init(
                    address=LOCAL,
                    num_cpus=processors(),
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
            else:
                ray.init(address=place, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise _not_there(place, error) from error
    try:
        _keep_quiet()
        yield
    finally:
        if is_connected():
            ray.shutdown()


def started() -> list[Mapping[str, float]]:
    """Give the resources of each node of this process's cluster; one is started here if there is none."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import ray

    if not ray.is_initialized():
        ray.init(include_dashboard=False)
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def _checked(address: str) -> str:
    """Look, within seconds, whether anything answers at an address; Ray itself would wait for minutes."""
    place = os.environ.get("RAY_ADDRESS", AUTO) if address == AUTO else address
    if place in {AUTO, LOCAL}:
        return place
    if place.startswith("ray://"):
        raise InputError(
            f"cluster: {place} is the address of a Ray client, which does not run Ray Data; run the command "
            "on a machine of the cluster with --ray auto"
        )
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal():
        raise InputError(f"cluster must be HOST:PORT, auto or local, got {address!r:.80}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_WAITED):
            return place
    except (OSError, OverflowError) as error:
        raise _not_there(place, error) from error


def _not_there(place: str, error: Exception) -> InputError:
    found = "no Ray cluster runs on this machine" if place == AUTO else f"no Ray cluster answers at {place}"
    why = "" if place == AUTO else f" ({said(error)})"
    return InputError(
        f"cluster: {found}{why}; start one (ray start --head), name its HOST:PORT, or use --ray local"
    )


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep this program's way to heed SIGTERM, which Ray would replace by its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _errors_kept_back() -> Iterator[None]:
    """Keep lines that Ray's own threads write to standard error while it starts from the command's screen."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _keep_quiet() -> None:
    from ray.data import DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.execution_options.preserve_order = True
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are raised
