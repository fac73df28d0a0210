"""Import of OpenVINO's libraries without their usage reports."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_REPORTS = "openvino_telemetry"


@contextmanager
def usage_reports_off() -> Iterator[None]:
    """Hide the package that sends usage reports and stores an identifier in the home folder.

    OpenVINO sends no reports if that package is not installed, so the package is hidden during the import. If
    the program has already imported OpenVINO itself, nothing changes.
    """
    hidden = _REPORTS not in sys.modules
    if hidden:
        sys.modules[_REPORTS] = None  # type: ignore[assignment]  # ``None`` makes the import fail
    try:
        yield
    finally:
        if hidden:
            del sys.modules[_REPORTS]
