"""Checks that the weights that were read are those that the signature names, while the model is compiled."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from semscale.embedding.engines.model_files import read_content
from semscale.errors import ModelError


@contextmanager
def checked_content(path: Path, expected: str) -> Iterator[bytearray]:
    """Read a file of weights, and hash its content while the caller makes a model of it.

    Args:
        path: of the file.
        expected: its SHA-256, 64 hex digits.

    Raises:
        ModelError: it cannot be read, or has another hash. This is said, and not what went wrong with a
            damaged file.
    """
    content = read_content(path)
    check = ContentCheck(content, path, expected)
    try:
        yield content
    finally:
        check.passed()


class ContentCheck:
    """Hashes a file's content on another thread.

    Size and time of a file do not show whether its content changed, so what is loaded is hashed each time.

    Args:
        content: the bytes that were read.
        path: where they were read, for the message.
        expected: their SHA-256, 64 hex digits.

    Example:
        >>> ContentCheck(b"abc", Path("model.safetensors"), "0" * 64).passed()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        semscale.errors.ModelError: model.safetensors has SHA-256 ba7816bf8f01..., not 000000000000..., so ...
    """

    def __init__(self, content: bytes | bytearray, path: Path, expected: str) -> None:
        self._path = path
        self._expected = expected
        self._found = ""
        # The interpreter's lock is released while hashlib works, so this takes no time from the caller.
        self._thread = Thread(target=self._hash, args=(content,), name="semscale-hash", daemon=True)
        self._thread.start()

    def passed(self) -> None:
        """Wait for the hash, and compare it.

        Raises:
            ModelError: the content has another hash.
        """
        self._thread.join()
        if self._found != self._expected:
            raise ModelError(
                f"{self._path} has SHA-256 {self._found[:12]}..., not {self._expected[:12]}..., so it is "
                f"damaged or was changed: semscale models pull, with the model's name, brings it back"
            )

    def _hash(self, content: bytes | bytearray) -> None:
        self._found = hashlib.sha256(content).hexdigest()
