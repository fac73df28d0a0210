"""A check whether all nodes of a cluster write into the folder of an output."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from semscale.distributed.node_checks import each_node
from semscale.errors import SemscaleError
from semscale.store.places import OutputPlace, files_of
from semscale.store.runs.stored_parts import WORK


class ClusterWarning(UserWarning):
    """A cluster works otherwise than it could."""


@dataclass(frozen=True)
class FolderProbe:
    """A small file that this process writes for all nodes to find.

    Attributes:
        place: the folder of the output.
        token: what the files are called, and what they hold.
    """

    place: OutputPlace
    token: str

    @property
    def name(self) -> str:
        """Name of the file; that of a node has the node's own name behind it."""
        return f"{WORK}.probe-{self.token}"

    def answered(self) -> str | None:
        """Look for the file, on a node, and write another one beside it: its name, or ``None`` if not so."""
        name = f"{self.name}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
        with suppress(SemscaleError, OSError):
            files = files_of(self.place)
            if files.read(f"{self.name}.tmp") == self.token.encode():
                files.write(name, self.token.encode())
                return name
        return None

    @property
    def is_seen(self) -> bool:
        """Whether this process, on whatever node, finds the file."""
        with suppress(SemscaleError, OSError):
            return files_of(self.place).read(f"{self.name}.tmp") == self.token.encode()
        return False

    @contextmanager
    def written(self) -> Iterator[None]:
        """Let the file be there for the time of the block; one that a killed run has left goes.

        Raises:
            InputError: the folder cannot be written here.
        """
        files = files_of(self.place)
        for name in files.names():
            if name.startswith(f"{WORK}.probe-"):
                files.remove(name)
        files.write(f"{self.name}.tmp", self.token.encode())
        try:
            yield
        finally:
            files.remove(f"{self.name}.tmp")

    def unseen(self) -> list[str]:
        """Ask all nodes, and name those that do not see the folder.

        Raises:
            InputError: the folder cannot be written here, or a node cannot run Semscale.
        """
        files, unseen = files_of(self.place), []
        with self.written():
            for node, name in each_node(FolderProbe.answered, (self,), has_processors):
                if name is None or files.read(name) != self.token.encode():
                    unseen.append(node)
                if name is not None:
                    files.remove(name)
        return unseen


def has_processors(resources: Mapping[str, float]) -> bool:
    """Tell whether a node with these resources runs tasks."""
    return bool(resources.get("CPU"))


def new_probe(place: OutputPlace) -> FolderProbe:
    """Make a probe with a token of its own."""
    return FolderProbe(place, os.urandom(8).hex())


def nodes_without(place: OutputPlace) -> list[str]:
    """Name the nodes of this process's cluster that do not write into a folder.

    Raises:
        InputError: the folder cannot be written here, or a node cannot run Semscale.
    """
    return new_probe(place).unseen()
