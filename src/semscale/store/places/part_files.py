"""Files of a run in a folder, here or behind a URL: each appears whole or not at all, and none is renamed."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from semscale.store.atomic import replacing
from semscale.store.places.fetching import temporary_folder
from semscale.store.places.filesystems import open_filesystem, reached
from semscale.store.places.output_places import OutputPlace


class PartFiles(Protocol):
    """A folder with files; names may have a folder before them, such as ``_semscale/manifest.json``."""

    def names(self) -> set[str]:
        """List all files below the folder."""

    def read(self, name: str) -> bytes | None:
        """Read a small file; ``None`` if it is not there."""

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a small file."""

    def local(self, name: str) -> AbstractContextManager[Path]:
        """Yield a file of this machine with the content, for the time of the block."""

    def store(self, name: str, file: Path) -> None:
        """Write or replace a file with the content of a file of this machine, which may be taken away."""

    def remove(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""


@dataclass(frozen=True)
class LocalFiles:
    """Files of this machine."""

    folder: Path

    def names(self) -> set[str]:
        """List all files below the folder."""
        return {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()}

    def read(self, name: str) -> bytes | None:
        """Read a small file; ``None`` if it is not there."""
        with suppress(FileNotFoundError):
            return (self.folder / name).read_bytes()
        return None

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a small file."""
        (self.folder / name).parent.mkdir(exist_ok=True)
        with replacing(self.folder / name) as temporary:
            temporary.write_bytes(content)

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """Yield the file itself."""
        yield self.folder / name

    def store(self, name: str, file: Path) -> None:
        """Write or replace a file, block by block."""
        with (
            replacing(self.folder / name) as temporary,
            file.open("rb") as source,
            temporary.open("wb") as to,
        ):
            while block := source.read(1 << 20):
                to.write(block)

    def remove(self, name: str) -> None:
        """Remove a file, and its folder within this one if it is the last."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        if path.parent != self.folder:
            with suppress(OSError):
                path.parent.rmdir()


@dataclass(frozen=True)
class RemoteFiles:
    """Files behind a URL; an upload that breaks off leaves nothing there."""

    url: str
    system: Any
    path: str

    @classmethod
    def of(cls, url: str) -> "RemoteFiles":
        """Name the folder behind a URL.

        Raises:
            InputError: no package writes such URLs.
            MissingExtraError: ``semscale[cloud]`` is not installed.
        """
        system, path = open_filesystem(url, "written")
        return cls(url, system, path.rstrip("/"))

    def names(self) -> set[str]:
        """List all files below the folder."""
        start = f"{self.path}/"
        with reached(self.url, "read"):
            return {
                each.removeprefix(start) for each in self.system.find(self.path) if each.startswith(start)
            }

    def read(self, name: str) -> bytes | None:
        """Read a small file; ``None`` if it is not there."""
        with reached(self.url, "read"), suppress(FileNotFoundError):
            return bytes(self.system.cat_file(f"{self.path}/{name}"))
        return None

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a small file."""
        with reached(self.url, "written"):
            self.system.pipe_file(f"{self.path}/{name}", content)

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """Yield a copy, which is removed after the block."""
        with temporary_folder() as folder:
            copy = Path(folder, "part")
            with reached(self.url, "read"):
                self.system.get_file(f"{self.path}/{name}", str(copy))
            yield copy

    def store(self, name: str, file: Path) -> None:
        """Upload a file."""
        with reached(self.url, "written"):
            self.system.put_file(str(file), f"{self.path}/{name}")

    def remove(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""
        with reached(self.url, "written"), suppress(FileNotFoundError):
            self.system.rm_file(f"{self.path}/{name}")


def files_of(place: OutputPlace) -> PartFiles:
    """Name the folder of a place: the folder of partitions, or the one beside a file that keeps its parts.

    Raises:
        InputError: no package writes such URLs.
        MissingExtraError: ``semscale[cloud]`` is not installed.
    """
    address = place.address if place.is_folder else f"{place.address}.parts"
    return RemoteFiles.of(address) if place.is_remote else LocalFiles(Path(address))
