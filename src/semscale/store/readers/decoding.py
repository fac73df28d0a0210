"""Decoding of text files: choice of the encoding, and errors that name the line."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from semscale.errors import InputError

_BLOCK = 1 << 20
_HEAD = 4096
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER_FORMATS = ((b"PK\x03\x04", "xlsx", "an Excel file"), (b"PAR1", "parquet", "a Parquet file"))
_NO_ENCODINGS_OF_FILES = frozenset(
    {"charmap", "idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"}
)
_MANY = 0.1  # share of zero bytes: half in UTF-16 ASCII; spaces and digits make this many in most alphabets


def encoding_of(path: Path, name: str, encoding: str | None) -> str:
    """Choose the encoding: the given one, else UTF-16 or UTF-32 if there is a byte order mark, else UTF-8.

    Raises:
        InputError: Python knows no such text encoding, or the first bytes show another one.
    """
    with path.open("rb") as content:
        head = content.read(_HEAD)
    for magic, other, kind in _OTHER_FORMATS:
        if head.startswith(magic):
            raise InputError(f"{name} is {kind}, whatever its name says: read it with --format {other}")
    marked = next((codec for mark, codec in _MARKS if head.startswith(mark)), None)
    named = None if encoding is None else known_encoding(encoding)
    if marked is not None:
        _check_mark(name, marked, encoding, named)
        return "utf-8-sig" if marked == "utf-8" else marked
    _check_unmarked(name, head, encoding, named)
    return "utf-8-sig" if encoding is None or named == "utf-8" else encoding


@contextmanager
def open_text(path: Path, name: str, encoding: str | None) -> Iterator[TextIO]:
    """Open a text file with unchanged line ends.

    Raises:
        InputError: raised on reading if a byte does not fit the encoding; the message names the line.
    """
    codec = encoding_of(path, name, encoding)
    with path.open(encoding=codec, newline="") as lines:
        try:
            yield lines
        except UnicodeError as error:
            raise _undecodable(path, name, codec, named=encoding is not None) from error


def known_encoding(encoding: str) -> str:
    """Return the standard name of an encoding, such as ``utf-8`` for ``U8``.

    Raises:
        InputError: Python knows no such encoding of text files.
    """
    try:
        name = codecs.lookup(encoding).name
        "a".encode(encoding)
    except (LookupError, ValueError):  # unknown, not an encoding of text, or an invalid name
        name = None
    if name is None or name.replace("-", "_") in _NO_ENCODINGS_OF_FILES:
        raise InputError(
            f"encoding must be one that Python knows for text files, got {encoding!r}; "
            "common ones are utf-8, utf-16, latin-1 and cp1252"
        )
    return "utf-8" if name == "utf-8-sig" else name


def _check_mark(name: str, marked: str, encoding: str | None, named: str | None) -> None:
    if named is not None and not named.startswith(marked):
        raise InputError(
            f"encoding: {name} begins with the mark of {marked}, so it is not in {encoding!r}; "
            "leave --encoding out"
        )


def _check_unmarked(name: str, head: bytes, encoding: str | None, named: str | None) -> None:
    wide = _wide_codec(head)
    if wide is not None and (named is None or not named.startswith("utf-")):
        raise InputError(
            f"{name} is not {encoding or 'UTF-8'}: many of its bytes are zero, "
            f"as in {wide} without a byte order mark; pass --encoding {wide}"
        )
    if named in ("utf-16", "utf-32"):
        remedy = f"pass --encoding {wide}" if wide else "leave --encoding out, or pass --encoding cp1252"
        raise InputError(f"encoding: {name} does not begin with the mark of {encoding}; {remedy}")


def _wide_codec(head: bytes) -> str | None:
    """Recognise UTF-16 and UTF-32 by the positions of zero bytes; ``None`` if few bytes are zero."""
    if head.count(0) <= _MANY * len(head):
        return None
    zeros = [head[place::4].count(0) for place in range(4)]
    if min(zeros[1], zeros[2]) > 2 * min(zeros[0], zeros[3]):
        return "utf-32-le" if zeros[3] > zeros[0] else "utf-32-be"
    return "utf-16-le" if zeros[1] + zeros[3] > zeros[0] + zeros[2] else "utf-16-be"


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
            except UnicodeError as error:  # for UTF-16 without a byte order mark the error has no position
                return line, str(error)
            line += _line_ends(text)
            if not block:
                return line, "at the end"


def _line_ends(text: str) -> int:
    return text.count("\n") or text.count("\r")
