"""Copies of files behind URLs, and what identifies such a file without reading it."""

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from semscale.store.places.filesystems import reached
from semscale.store.places.urls import shown, url_name
from semscale.types import Progress

FETCHING = "fetching "
"""Beginning of the stage's name while a file is copied; its amounts are bytes."""

_BLOCK = 1 << 20
_MARKS = ("ETag", "etag", "md5Hash", "content_md5", "ContentMD5", "generation", "LastModified",
          "last_modified", "mtime", "updated", "created")  # fmt: skip


def fetch(url: str, system: Any, path: str, folder: Path, progress: Progress | None) -> Path:  # noqa: ANN401
    """Copy a file behind a URL into a folder, block by block.

    Args:
        url: its URL, for messages.
        system: fsspec's file system.
        path: the path in it.
        folder: an empty folder.
        progress: called with the bytes that were copied, and how many there are if that is known.

    Returns:
        The copy, which has the name of the file.

    Raises:
        InputError: it cannot be read.
        OSError: the copy cannot be written.
    """
    copy, done = folder / (url_name(url) or "input"), 0
    with reached(url, "read"):
        size = system.info(path).get("size")
        source = cast(BinaryIO, system.open(path, "rb"))
    with source, copy.open("wb") as target:
        while block := _read(source, url):
            target.write(block)
            done += len(block)
            if progress:
                progress(FETCHING + shown(url), done, size)
    return copy


def _read(source: BinaryIO, url: str) -> bytes:
    with reached(url, "read"):
        return source.read(_BLOCK)


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder for copies, which goes with the object."""
    return tempfile.TemporaryDirectory(prefix="semscale-")


def identity(info: Mapping[str, Any]) -> str:
    """Hash what a service says of a file: its size, and its hash or else its time of writing.

    Returns:
        32 hex digits, which change when another file is put in its place.

    Example:
        >>> identity({"size": 3, "ETag": "a"}) == identity({"size": 3, "ETag": "b"})
        False
    """
    mark = next((f"{name}={info[name]}" for name in _MARKS if info.get(name)), "")
    return hashlib.blake2b(f"{info.get('size')}\0{mark}".encode(), digest_size=16).hexdigest()
