"""Results of Ray's tasks: an error of Semscale arrives as it is, and those of Ray are said in plain words."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from semscale.errors import ClusterError, SemscaleError

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST = 200

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

# Names in ray.exceptions; the first one that an error is decides.
_SAID = {
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


def result_of(reference: Any) -> Any:  # noqa: ANN401 - what a task returns
    """Wait for a task, and give what it returned.

    Raises:
        SemscaleError: the task raised it.
        ClusterError: Ray could not do the task.
    """
    import ray

    with said_plainly():
        return ray.get(reference)


@contextmanager
def said_plainly() -> Iterator[None]:
    """Raise errors of Semscale as they are, those of a cluster in plain words, and others as Ray has them.

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
    """Say in plain words what went wrong with a cluster; ``None`` for an error of another kind.

    Args:
        error: of Ray, or one that a task has raised.
    """
    import ray.exceptions

    for each in (getattr(error, "cause", None), error):
        if isinstance(each, MemoryError):
            return _with_words(_MEMORY, each)
        for name, words in _SAID.items():
            if isinstance(each, getattr(ray.exceptions, name)):
                return _with_words(words, each)
    return None


def _with_words(words: str, error: BaseException) -> ClusterError:
    return ClusterError(f"cluster: {words} (Ray says: {said(error)})")


def said(error: BaseException) -> str:
    r"""Say in one line, without the colours of a screen, what Ray says over many.

    Example:
        >>> said(ValueError("\x1b[36mray::report()\x1b[39m\n  no such file"))
        'ray::report() no such file'
    """
    words = " ".join(_COLOUR.sub("", str(error)).split()) or type(error).__name__
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
