"""One line and an exit code for each error: 2 bad input or no reply, 3 a cap or Ctrl-C, 70 a bug."""

import errno
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from semscale.cli.interrupts import INTERRUPTED
from semscale.errors import ClusterError, InterruptedRunError, SemscaleError

DONE, BAD_INPUT, BUG = 0, 2, 70

_ENVIRONMENT = {
    errno.ENOSPC: "make room on the disk",
    errno.EFBIG: "raise the limit on the size of a file",
    errno.EDQUOT: "make room within the quota",
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
        return stopped()
    except Exception as error:  # noqa: BLE001 - the last stop before a traceback
        return said_as_code(error)
    return result if isinstance(result, int) else DONE


def stopped() -> int:
    """Say that the user stopped a command that has finished nothing yet, and return the exit code."""
    words = "stopped; the same command starts again, or goes on after what an earlier run has finished"
    return _failed(words, INTERRUPTED)


def say(message: object) -> None:
    """Print one line to standard error, whatever line ends and control characters the message has."""
    line = " ".join(str(message).split())
    printable = "".join(character if character.isprintable() else "?" for character in line)
    sys.stderr.write(f"semscale: {printable}\n")


def said_as_code(error: Exception) -> int:
    """Print the error that ended the program as one line, and return its exit code."""
    if isinstance(error, InterruptedRunError):
        return _failed(error, INTERRUPTED)
    if isinstance(error, ClusterError) and os.environ.get("SEMSCALE_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, SemscaleError):
        return _failed(error.shell_message, BAD_INPUT)
    code = _environment_code(error)
    named = getattr(error, "filename", None) or getattr(error, "written_to", None)
    where = f"{named}: " if named else ""
    if code is not None:
        what = getattr(error, "strerror", None) or os.strerror(code)
        return _failed(f"{where}{what}; {_ENVIRONMENT[code]}", BAD_INPUT)
    return _bug(error)


def _environment_code(error: Exception) -> int | None:
    """Find the system's error number; libraries wrap the system's error and keep only its words."""
    if isinstance(error, OSError) and error.errno in _ENVIRONMENT:
        return error.errno
    return next((code for code in _ENVIRONMENT if os.strerror(code) in str(error)), None)


def _failed(message: object, code: int) -> int:
    say(message)
    return code


def _bug(error: Exception) -> int:
    if os.environ.get("SEMSCALE_DEBUG"):
        traceback.print_exception(error)
    kept = _kept(error)
    what = f"the file {kept}" if kept else "its traceback"
    say(
        f"this is a bug of ours, {type(error).__name__}: {error}; please report it with {what} "
        "(SEMSCALE_DEBUG=1 shows the traceback)"
    )
    return BUG


def _kept(error: Exception) -> Path | None:
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
