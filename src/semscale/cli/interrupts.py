"""Ctrl-C stops the program at any moment, with one line and without a traceback."""

import _thread
import atexit
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 3
"""Exit code after Ctrl-C, as after a cap: what was finished is kept."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SOON = 0.01
_CLEANING_UP = 2.0  # seconds in which a second Ctrl-C does not disturb what the first one has begun


def leave_on_interrupt() -> None:
    """Let Ctrl-C and SIGTERM end the process at once, while the program is being loaded."""
    for number in _SIGNALS:
        signal.signal(number, _leave_while_loading)


def heed_interrupts() -> None:
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
        signal.signal(number, interrupts.heed)
    sys.unraisablehook = interrupts.not_lost


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
def said_if_stopped(words: str) -> Iterator[None]:
    """Say what a stop leaves behind.

    Raises:
        StoppedByUserError: stopped by the user.
    """
    from semscale.errors import StoppedByUserError

    try:
        yield
    except KeyboardInterrupt:
        raise StoppedByUserError(words) from None


class _Interrupts:
    """The first interrupt raises, and later ones are heeded once there was time to clean up."""

    def __init__(self) -> None:
        self._first: float | None = None

    def heed(self, number: int, frame: FrameType | None) -> None:
        """Stop the program."""
        now = time.monotonic()
        if self._first is None:
            self._first = now
            if _calls_finish():
                return
            raise KeyboardInterrupt
        if now - self._first > _CLEANING_UP:
            _leave("stopped at once; what was finished is kept, and the same command can be started again")

    def not_lost(self, dropped: Any) -> None:  # noqa: ANN401 - a type that Python does not export
        """Send an interrupt again that Python has dropped."""
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            self._first = None
            # From another thread, so that it arrives after the callback has ended.
            _thread.start_new_thread(_interrupt_soon, ())
        else:
            sys.__unraisablehook__(dropped)


def _calls_finish() -> bool:
    """Let calls that are under way finish before ``KeyboardInterrupt`` is raised; ``False`` for no calls."""
    stopping = sys.modules.get("semscale.chat.stopping")  # loading it here would take time
    if stopping is None:
        return False
    n = stopping.RUNS.n_calls
    if not stopping.RUNS.stop():
        return False
    waiting = f"waiting up to {stopping.LONGEST_WAIT:g} s for {n} call{'' if n == 1 else 's'} under way"
    os.write(2, f"\nsemscale: {waiting}; Ctrl-C again stops at once\n".encode())
    return True


def _leave_while_loading(number: int, frame: FrameType | None) -> NoReturn:
    _leave("stopped before anything was done; the same command starts again")


def _leave(words: str) -> NoReturn:
    shown_cursor = "\x1b[?25h" if os.isatty(2) else ""  # a progress bar may have hidden it
    os.write(2, f"{shown_cursor}semscale: {words}\n".encode())
    os._exit(INTERRUPTED)


def _interrupt_soon() -> None:
    time.sleep(_SOON)
    _thread.interrupt_main()
