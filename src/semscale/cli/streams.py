"""Standard output and error that may be closed, unread, or unable to show some characters."""

import codecs
import io
import os
import sys
from typing import Any

_PLAINER = "semscale-plainer"
_STAND_INS = {
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{NO-BREAK SPACE}": " ",
    "\N{HORIZONTAL ELLIPSIS}": "...",
}
_STANDARD = (0, 1, 2)


def prepare_streams() -> None:
    """Let everything be printed, whatever standard output and error are.

    A stream that is closed takes everything and shows nothing. So does a pipe whose reader has gone, as
    ``| head -1`` does when it has its line: the command then ends as it would have, with its own exit code.
    A character that a stream lacks is replaced.
    """
    _open_closed()
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115, PTH123 - open to the end
    sys.stdout = _lenient(sys.stdout, 1)
    sys.stderr = _lenient(sys.stderr, 2)


def flush_output() -> None:
    """Write what standard output still holds.

    Raises:
        OSError: it cannot be written; it is dropped then, so that Python does not try again at its end.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise


class _Deserted(io.FileIO):
    """A pipe that accepts text after its reader has gone."""

    def write(self, content: Any, /) -> int:  # noqa: ANN401 - bytes, or anything that holds them
        """Write, or drop the content if nobody reads it."""
        try:
            return super().write(content)
        except BrokenPipeError:
            return memoryview(content).nbytes


def _open_closed() -> None:
    """Open the null device for closed streams, before a file of ours gets their number."""
    for number in _STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one


def _lenient(stream: object, number: int) -> io.TextIOWrapper:
    """Wrap a stream so that neither a lost reader nor a missing character stops the program."""
    if not isinstance(stream, io.TextIOWrapper):
        stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115, PTH123 - open to the end
    if stream.isatty():
        stream.reconfigure(errors=_PLAINER)
        return stream
    stream.flush()
    raw = _Deserted(number, "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=_PLAINER,
        line_buffering=stream.line_buffering,
    )


def _plainer(error: UnicodeError) -> tuple[str, int]:
    """Replace a sign that a terminal lacks by a plainer one, and any other character by a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(character, "?") for character in lacking), error.end


codecs.register_error(_PLAINER, _plainer)
