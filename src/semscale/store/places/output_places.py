"""Places where tables are written: a file of this machine, a folder of partitions, or either behind a URL."""

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from semscale.errors import InputError
from semscale.store.atomic import check_folder, check_writable
from semscale.store.places.filesystems import open_filesystem, reached
from semscale.store.places.urls import is_url, scheme_of, shown, url_name

_SEPARATORS = ("/", os.sep)


@dataclass(frozen=True)
class OutputPlace:
    """A folder of partitions here or behind a URL, or a file behind a URL.

    Attributes:
        address: the URL or path, as the user gave it; it may have secrets, and ``str`` shows it without them.
        is_folder: whether partitions are written.
    """

    address: str
    is_folder: bool

    @property
    def is_remote(self) -> bool:
        """Whether it is behind a URL."""
        return is_url(self.address)

    @property
    def name(self) -> str:
        """Its last part."""
        return url_name(self.address) if self.is_remote else Path(self.address).name

    @property
    def suffix(self) -> str:
        """The extension of its files."""
        return ".parquet" if self.is_folder else PurePosixPath(self.name).suffix

    def __str__(self) -> str:
        return shown(self.address) if self.is_remote else self.address

    def check(self, parameter: str) -> None:
        """Check, before any work is done, that files can be written here and removed again.

        Args:
            parameter: name of the parameter, for messages.

        Raises:
            InputError: they cannot.
            MissingExtraError: the URL needs ``semscale[cloud]``.
        """
        if self.is_remote and scheme_of(self.address) in ("http", "https"):
            raise InputError(f"{parameter}: {self} can only be read; name a file, or a URL such as s3://")
        if not self.is_remote:
            check_folder(Path(self.address), parameter)
            return
        system, path = open_filesystem(self.address, "written")
        probe = f"{path.rstrip('/')}.probe-{os.getpid()}-{os.urandom(4).hex()}"
        with reached(self.address, "written"):
            system.pipe_file(probe, b"")
            system.rm_file(probe)

    def upload(self, file: Path) -> None:
        """Put a finished file here in one piece.

        Raises:
            InputError: it cannot be written.
        """
        system, path = open_filesystem(self.address, "written")
        with reached(self.address, "written"):
            system.put_file(str(file), path)


Target = Path | OutputPlace
"""Where a table is written."""


def target_of(text: str | Path) -> Target:
    """Read where a table is to be written; a name that ends in ``/`` is a folder.

    Example:
        >>> target_of("rated/"), target_of("s3://bucket/rated.parquet")  # doctest: +NORMALIZE_WHITESPACE
        (OutputPlace(address='rated/', is_folder=True),
         OutputPlace(address='s3://bucket/rated.parquet', is_folder=False))
    """
    if isinstance(text, Path):
        return text
    if is_url(text) and scheme_of(text) == "file":
        from urllib.request import url2pathname  # slow to import, and every command checks its outputs

        text = url2pathname(urlsplit(text).path)
    if text.endswith(_SEPARATORS):
        return OutputPlace(text, is_folder=True)
    return OutputPlace(text, is_folder=False) if is_url(text) else Path(text)


def check_target(out: Target, parameter: str) -> None:
    """Check, before any work is done, that an output can be written.

    Raises:
        InputError: it cannot.
        MissingExtraError: the URL needs ``semscale[cloud]``.
    """
    if isinstance(out, OutputPlace):
        out.check(parameter)
    else:
        check_writable(out, parameter)


def refuse_folder(out: Target) -> None:
    """Refuse a folder where one file is written.

    Raises:
        InputError: it is a folder.
    """
    if isinstance(out, OutputPlace) and out.is_folder:
        raise InputError(f"out must be a file here, got the folder {out}; add a file name")
