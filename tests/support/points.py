"""Places where faults can be tried: few times each in `make test-all`, more often in `make faults`."""

import os
import sys

import pytest

NEEDED = [
    pytest.mark.exhaustive,
    pytest.mark.needs("api"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, and waited for as Linux can"),
]
"""Marks of all tests that disturb commands."""


def n_points(few: int, many: int) -> int:
    """Return one of two numbers: the second where ``SEMSCALE_FAULTS`` is ``all``."""
    return many if os.environ.get("SEMSCALE_FAULTS") == "all" else few
