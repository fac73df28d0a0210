"""Checks of all nodes before work begins: each must have the same version and weights, and see the input."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.cluster_watch import ClusterWatch, addresses
from semscale.distributed.ray_results import said
from semscale.errors import ClusterError, InputError, SemscaleError
from semscale.signature import Signature
from semscale.version import __version__

if TYPE_CHECKING:
    from semscale.distributed.recipes import Recipe
    from semscale.store.table import Table

T = TypeVar("T")


@dataclass(frozen=True)
class NodeReport:
    """What a node says of itself.

    Attributes:
        version: its version of Semscale.
        signature: of the model, with the hash of the weights on its disk.
        sees_input: whether it reads the input's first row as it is read here.
        error: why the node cannot serve.
    """

    version: str = __version__
    signature: Signature | None = None
    sees_input: bool = True
    error: SemscaleError | None = None


def work_in(folder: str) -> None:
    """Let relative paths mean what they mean where the run was started, if this node has its folder, too."""
    with suppress(OSError):
        os.chdir(folder)


def report(recipe: "Recipe", table: "Table", first: Any, folder: str) -> NodeReport:  # noqa: ANN401 - a frame
    """Look at this node; weights that it lacks are pulled, once for all its actors."""
    work_in(folder)
    try:
        return NodeReport(signature=recipe.signature(), sees_input=_sees(table, first))
    except SemscaleError as error:
        return NodeReport(error=error)


def check_nodes(recipe: "Recipe", table: "Table", pool: ActorPool) -> Signature:
    """Ask all nodes that have room for an actor for a report at once, and refuse one that differs from here.

    Args:
        recipe: how a node makes the instrument.
        table: the input.
        pool: the actors.

    Returns:
        The model's signature.

    Raises:
        InputError: a node has no Semscale, another version or other weights, or does not see the input.
        ModelError: a node cannot get the weights.
    """
    expected = recipe.signature()
    if pool.gpus:
        check_gpu(expected)
    first = next(table.batches(1))
    for name, found in each_node(report, (recipe, table, first, os.getcwd()), pool.fits, gpus=pool.gpus):
        check_report(name, found, expected, table.name)
    return expected


def check_gpu(expected: Signature) -> None:
    """Refuse GPUs for actors where this machine has none to compare their numbers with.

    Args:
        expected: the model's signature on this machine.

    Raises:
        InputError: it computes on something else.
    """
    device = dict(expected.fields).get("device")
    if device is not None and device != "cuda":
        raise InputError(
            f"gpus=... needs a GPU on this machine, too, and the model runs on device {device} here: start "
            "the run on a machine with a GPU and a build of torch for CUDA, or leave gpus out",
            in_shell="--gpus-per-actor needs a GPU on this machine, too, and the model runs on device "
            f"{device} here: start the command on a machine with a GPU and a build of torch for CUDA, or "
            "leave --gpus-per-actor out",
        )


@contextmanager
def on_joined_node() -> Iterator[None]:
    """Refuse a node in the middle of a run, which thus keeps what it has finished.

    All nodes are checked before work begins, so that the one that is refused has joined the cluster later.

    Raises:
        ClusterError: the node does not fit, with the words of the check before work begins.
    """
    try:
        yield
    except InputError as error:
        raise ClusterError(str(error)) from None


def node_ids(fits: Callable[[Mapping[str, float]], bool]) -> frozenset[str]:
    """Give Ray's identifiers of the nodes whose resources fit."""
    return frozenset(str(node["NodeID"]) for node in _nodes(fits))


def each_node(
    task: Callable[..., T],
    arguments: tuple[Any, ...],
    fits: Callable[[Mapping[str, float]], bool],
    *,
    gpus: float = 0.0,
) -> list[tuple[str, T]]:
    """Run a task on every node whose resources fit, at once, and give the address of each with its result.

    Args:
        task: the task.
        arguments: its arguments.
        fits: tells whether a node's resources fit.
        gpus: GPUs that the task books; Ray hides them from a task that books none.

    Raises:
        InputError: a node cannot run Semscale.
        ClusterError: the cluster is lost meanwhile.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ask = ray.remote(task)
    nodes = _nodes(fits)
    asked = [
        ask.options(
            num_cpus=0,
            num_gpus=gpus,
            max_retries=1,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
        ).remote(*arguments)
        for node in nodes
    ]
    names = [str(node["NodeManagerAddress"]) for node in nodes]
    received = (_received(name, pending) for name, pending in zip(names, asked, strict=True))
    return list(zip(names, ClusterWatch(addresses()).over(received), strict=True))


def check_report(name: str, found: NodeReport, expected: Signature, source: str) -> None:
    """Refuse a node that would give other numbers, or none.

    Args:
        name: the node's address.
        found: its report.
        expected: the model's signature where the run was started.
        source: name of the input.

    Raises:
        InputError: as ``check_nodes``.
    """
    if found.error is not None:
        raise type(found.error)(f"cluster: node {name}: {found.error}")
    if found.version != expected.version:
        raise _of_other_version(name, found.version, expected)
    if found.signature is not None:
        check_alike(name, found.signature, expected)
    if not found.sees_input:
        raise InputError(
            f"cluster: node {name} does not read {source} as this machine does; put the input where all "
            "nodes see it under the same name, such as a shared folder or a URL"
        )


def check_alike(name: str, found: Signature, expected: Signature) -> None:
    """Refuse a node whose model would give other numbers.

    Raises:
        InputError: its version of Semscale, its weights or its settings differ; the message names one.
    """
    differences = expected.differences(found)
    if not differences:
        return
    if "version" in differences:
        raise _of_other_version(name, found.version, expected)
    field, (ours, theirs) = next(iter(differences.items()))
    if field == "device":
        remedy = "see that PyTorch finds a GPU on all nodes that declare one (torch.cuda.is_available())"
    else:
        remedy = "give all nodes the same weights and packages"
    raise InputError(
        f"cluster: node {name} has {field} {theirs}, this machine {ours}, so their numbers would differ; "
        f"{remedy}"
    )


def check_version(name: str, expected: Signature) -> None:
    """Refuse this process's version of Semscale, if another one started the run.

    Raises:
        InputError: the versions differ.
    """
    if __version__ != expected.version:
        raise _of_other_version(name, __version__, expected)


def _of_other_version(name: str, found: str, expected: Signature) -> InputError:
    return InputError(
        f"cluster: node {name} has semscale {found}, this machine {expected.version}; install the same "
        "version on all nodes"
    )


def _nodes(fits: Callable[[Mapping[str, float]], bool]) -> list[dict[str, Any]]:
    import ray

    return [node for node in ray.nodes() if node["Alive"] and fits(node["Resources"])]


def _received(name: str, pending: Any) -> Any:  # noqa: ANN401 - a reference of Ray, and what it stands for
    import ray

    try:
        return ray.get(pending)
    except ray.exceptions.RayError as error:
        raise InputError(
            f"cluster: node {name} cannot run semscale ({said(error.__cause__ or error)}); install the same "
            "version with the extra ray on all nodes"
        ) from error


def _sees(table: "Table", first: Any) -> bool:  # noqa: ANN401
    try:
        return bool(next(table.batches(1)).equals(first))
    except (SemscaleError, OSError, StopIteration):
        return False
