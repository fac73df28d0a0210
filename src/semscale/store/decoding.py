"""Bytes of a text file to characters: which encoding, and in which line it fails."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from semscale.errors import InputError

_BLOCK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER_FORMATS = ((b"PK\x03\x04", "xlsx", "an Excel file"), (b"PAR1", "parquet", "a Parquet file"))


def encoding_of(path: Path, name: str, encoding: str | None) -> str:
    """Decide the encoding: the one named, else UTF-16 or UTF-32 by its byte order mark, else UTF-8.

    Raises:
        InputError: Python does not know the encoding, or the first bytes show that this is no text in it.
    """
    with path.open("rb") as content:
        head = content.read(4096)
    for magic, other, kind in _OTHER_FORMATS:
        if head.startswith(magic):
            raise InputError(f"{name} is {kind}, whatever its name says: read it with --format {other}")
    if encoding is not None:
        return _known(encoding)
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    if head.count(0) > len(head) / 4:
        raise InputError(
            f"{name} is not UTF-8: many of its bytes are zero; "
            "if it is UTF-16 without a byte order mark, pass --encoding utf-16-le"
        )
    return "utf-8-sig"


@contextmanager
def open_text(path: Path, name: str, encoding: str | None) -> Iterator[TextIO]:
    """Open a text file with its line ends as they are.

    Raises:
        InputError: while the file is being read, a byte does not fit the encoding; the message has its line.
    """
    codec = encoding_of(path, name, encoding)
    with path.open(encoding=codec, newline="") as lines:
        try:
            yield lines
        except UnicodeError as error:
            raise _undecodable(path, name, codec, named=encoding is not None) from error


def _known(encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding)
        "a".encode(encoding)
    except LookupError:
        raise InputError(
            f"encoding must be one that Python knows, got {encoding!r}; "
            "common ones are utf-8, utf-16, latin-1 and cp1252"
        ) from None
    return "utf-8-sig" if codec.name == "utf-8" else encoding


def _undecodable(path: Path, name: str, codec: str, *, named: bool) -> InputError:
    line, byte = _first_failure(path, codec)
    shown = "utf-8" if codec == "utf-8-sig" else codec
    tried = f"encoding {shown}" if named else f"{shown} (UTF-16 and UTF-32 only by their byte order mark)"
    remedy = "another --encoding" if named else "--encoding cp1252 or --encoding latin-1"
    return InputError(f"{name}, line {line}: byte {byte} is not valid; tried {tried}; pass {remedy}")


def _first_failure(path: Path, codec: str) -> tuple[int, str]:
    decoder = codecs.getincrementaldecoder(codec)()
    line = 1
    with path.open("rb") as content:
        while True:
            block = content.read(_BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(codec, errors="replace")
                return line + _line_ends(before), f"0x{error.object[error.start]:02x}"
            except UnicodeError as error:  # a UTF-16 stream without its mark has no position to give
                return line, str(error)
            line += _line_ends(text)
            if not block:
                return line, "at the end"


def _line_ends(text: str) -> int:
    return text.count("\n") or text.count("\r")
