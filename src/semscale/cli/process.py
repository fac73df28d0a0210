"""The end of the program: signals, standard streams, and a line and an exit code for each error.

Exit code 1 is a failed gate, 2 bad input or no reply, 3 a cap or Ctrl-C, 4 no verdict, 70 a bug.
"""

import _thread
import atexit
import codecs
import errno
import io
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from semscale.errors import ClusterError, InterruptedRunError, SemscaleError, StoppedByUserError

DONE, GATE_FAILED, BAD_INPUT, INTERRUPTED, UNDECIDED, BUG = 0, 1, 2, 3, 4, 70
"""Exit codes; after a cap or Ctrl-C (``INTERRUPTED``), finished work is stored."""

_ENVIRONMENT = {
    errno.ENOSPC: "free some space on the disk",
    errno.EFBIG: "raise the limit on the size of a file",
    errno.EDQUOT: "free some space within the quota",
    errno.EROFS: "choose another folder",
    errno.EACCES: "check the permissions",
    errno.EPERM: "check the permissions",
    errno.EIO: "check the disk",
    errno.EMFILE: "raise the limit on open files",
    errno.ENAMETOOLONG: "choose a shorter name",
}


def exit_code(work: Callable[[], object]) -> int:
    """Do the work; an error becomes one line on standard error and an exit code, never a traceback.

    Args:
        work: what a command does.

    Returns:
        What the work returned, if that is an exit code, else 0; 2, 3 or 70 as the module says.
    """
    try:
        result = work()
    except KeyboardInterrupt:
        return report_stop()
    except Exception as error:
        return report_error(error)
    return result if isinstance(result, int) else DONE


def report_stop() -> int:
    """Say that the user stopped a command that has finished nothing yet, and return the exit code."""
    message = (
        "stopped; the same command starts again, or continues after the finished parts of an earlier run"
    )
    return _report_failure(message, INTERRUPTED)


def say(message: object) -> None:
    """Print one line to standard error, whatever line ends and control characters the message has."""
    line = " ".join(str(message).split())
    printable = "".join(character if character.isprintable() else "?" for character in line)
    sys.stderr.write(f"semscale: {printable}\n")


def echo(text: object) -> None:
    """Print a line to standard output."""
    sys.stdout.write(f"{text}\n")


def report_error(error: Exception) -> int:
    """Print the error that ended the program as one line, and return its exit code."""
    if isinstance(error, InterruptedRunError):
        return _report_failure(error, INTERRUPTED)
    if isinstance(error, ClusterError) and os.environ.get("SEMSCALE_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, SemscaleError):
        return _report_failure(error, BAD_INPUT)
    code = _environment_code(error)
    named = getattr(error, "filename", None) or getattr(error, "written_to", None)
    where = f"{named}: " if named else ""
    if code is not None:
        what = getattr(error, "strerror", None) or os.strerror(code)
        return _report_failure(f"{where}{what}; {_ENVIRONMENT[code]}", BAD_INPUT)
    return _bug(error)


def _environment_code(error: Exception) -> int | None:
    """Find the system's error number; libraries wrap the system's error and keep only its words."""
    if isinstance(error, OSError) and error.errno in _ENVIRONMENT:
        return error.errno
    return next((code for code in _ENVIRONMENT if os.strerror(code) in str(error)), None)


def _report_failure(message: object, code: int) -> int:
    say(message)
    return code


def _bug(error: Exception) -> int:
    if os.environ.get("SEMSCALE_DEBUG"):
        traceback.print_exception(error)
    written = _write_traceback(error)
    what = f"the file {written}" if written else "its traceback"
    say(
        f"this is a bug of ours, {type(error).__name__}: {error}; please report it with {what} "
        "(SEMSCALE_DEBUG=1 shows the traceback)"
    )
    return BUG


def _write_traceback(error: Exception) -> Path | None:
    """Write the traceback to the folder for logs; ``None`` where that cannot be written."""
    from platformdirs import user_log_path

    from semscale.version import __version__

    path = user_log_path("semscale", appauthor=False) / "last-bug.txt"
    system = f"semscale {__version__}, Python {sys.version.split()[0]}, {sys.platform}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([system, *traceback.format_exception(error)]), encoding="utf-8")
    except OSError:
        return None
    return path


_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SOON = 0.01
_CLEANING_UP = 2.0  # seconds in which a second Ctrl-C does not disturb what the first one has begun


def leave_on_interrupt() -> None:
    """Let Ctrl-C and SIGTERM end the process at once, while the program is being loaded."""
    for number in _SIGNALS:
        signal.signal(number, _leave_while_loading)


def catch_interrupts() -> None:
    """Let SIGTERM stop the program as Ctrl-C does, and make sure that neither gets lost.

    The first one raises ``KeyboardInterrupt``, where calls to chat models are under way after these. A second
    one that follows at once changes nothing, so that what was begun is cleaned up; a later one ends the
    process as a kill would.

    Python drops what is raised inside a destructor or the callback of a weak reference, such as each import
    runs. An interrupt that comes just then would leave a traceback on the screen and the program running; it
    is sent again.
    """
    interrupts = _Interrupts()
    for number in _SIGNALS:
        signal.signal(number, interrupts.handle)
    sys.unraisablehook = interrupts.resend


def end(code: int) -> NoReturn:
    """Exit with the code of a command that is done; Ctrl-C and SIGTERM change nothing any more."""
    for number in _SIGNALS:
        signal.signal(number, lambda *_: os._exit(code))
    if code == INTERRUPTED:
        # Python would die of the signal if KeyboardInterrupt had passed through an exec, as some imports do,
        # and would wait for threads whose results nobody wants.
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


@contextmanager
def message_if_stopped(message: str) -> Iterator[None]:
    """Say what a stop leaves behind.

    Raises:
        StoppedByUserError: stopped by the user.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedByUserError(message) from None


class _Interrupts:
    """The first interrupt raises, and later ones are heeded once there was time to clean up."""

    def __init__(self) -> None:
        self._first: float | None = None

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Stop the program."""
        now = time.monotonic()
        if self._first is None:
            self._first = now
            if _calls_finish():
                return
            raise KeyboardInterrupt
        if now - self._first > _CLEANING_UP:
            _leave("stopped at once; finished work is stored, and the same command continues after it")

    def resend(self, dropped: Any) -> None:
        """Send an interrupt again that Python has dropped."""
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            self._first = None
            # From another thread, so that it arrives after the callback has ended.
            _thread.start_new_thread(_interrupt_soon, ())
        else:
            sys.__unraisablehook__(dropped)


def _calls_finish() -> bool:
    """Let calls that are under way finish before ``KeyboardInterrupt`` is raised; ``False`` for no calls."""
    runner = sys.modules.get("semscale.chat.runner")  # loading it here would take time
    runs = getattr(runner, "RUNS", None)  # missing while the module is being loaded
    if runner is None or runs is None:
        return False
    n = runs.n_calls
    if not runs.stop():
        return False
    waiting = f"waiting up to {runner.LONGEST_WAIT:g} s for {n} call{'' if n == 1 else 's'} under way"
    os.write(2, f"\nsemscale: {waiting}; Ctrl-C again stops at once\n".encode())
    return True


def _leave_while_loading(number: int, frame: FrameType | None) -> NoReturn:
    _leave("stopped before anything was done; the same command starts again")


def _leave(message: str) -> NoReturn:
    shown_cursor = "\x1b[?25h" if os.isatty(2) else ""  # a progress bar may have hidden it
    os.write(2, f"{shown_cursor}semscale: {message}\n".encode())
    os._exit(INTERRUPTED)


def _interrupt_soon() -> None:
    time.sleep(_SOON)
    _thread.interrupt_main()


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
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
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

    def write(self, content: Any, /) -> int:
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
        stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
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
