"""Libraries of OpenVINO's, imported without their usage reports."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_REPORTS = "openvino_telemetry"


@contextmanager
def usage_reports_off() -> Iterator[None]:
    """Hide the package that sends usage reports and keeps an identifier in the home folder.

    OpenVINO goes without reports where that package is not installed, so it is hidden during the import. An
    OpenVINO that the program itself has imported before is left as it is.
    """
    hidden = _REPORTS not in sys.modules
    if hidden:
        sys.modules[_REPORTS] = None  # type: ignore[assignment]  # Python's way to say: cannot be imported
    try:
        yield
    finally:
        if hidden:
            del sys.modules[_REPORTS]
