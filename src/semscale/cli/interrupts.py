"""Ctrl-C stops the program at any moment, even inside a callback whose exceptions Python drops."""

import _thread
import signal
import sys
import time
from typing import Any

_SOON = 0.01


def heed_interrupts() -> None:
    """Let SIGTERM stop the program as Ctrl-C does, and make sure that neither gets lost.

    Python drops what is raised inside a destructor or the callback of a weak reference, such as each import
    runs. An interrupt that comes just then would leave a traceback on the screen and the program running; it
    is sent again.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.unraisablehook = _not_lost


def _not_lost(dropped: Any) -> None:  # noqa: ANN401 - a type that Python does not export
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        # From another thread, so that it arrives after the callback has ended.
        _thread.start_new_thread(_interrupt_soon, ())
    else:
        sys.__unraisablehook__(dropped)


def _interrupt_soon() -> None:
    time.sleep(_SOON)
    _thread.interrupt_main()
