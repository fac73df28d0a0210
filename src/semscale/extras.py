"""Extras and how to install them, and the import of OpenVINO without its usage reports."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from semscale.errors import MissingExtraError

EXTRAS = {
    "api": ("openai", "aiohttp"),
    "cloud": ("s3fs", "aiohttp", "pyarrow"),
    "inspect": ("inspect_ai",),
    "local": ("openvino_genai",),
    "mcp": ("mcp",),
    "postgres": ("pg8000",),
    "serve": ("fastapi", "prometheus_client", "starlette", "uvicorn"),
    "spss": ("pyreadstat",),
    "ray": ("ray", "pandas", "pyarrow"),
    "slides": ("pptx",),
    "torch": ("sentence_transformers", "torch"),
}
"""Names of extras, as in ``semscale[api]``, with the modules that each one brings."""


def require(extra: str) -> None:
    """Make sure that an extra is installed, before work begins that needs it; nothing is imported.

    Args:
        extra: one of ``EXTRAS``.

    Raises:
        MissingExtraError: one of its packages is not installed.
    """
    for module in EXTRAS[extra]:
        require_module(module, extra)


def require_module(module: str, extra: str) -> None:
    """Make sure that one of an extra's modules is installed, where the others are not needed.

    Raises:
        MissingExtraError: it is not installed.
    """
    if find_spec(module) is None:
        raise MissingExtraError(module.replace("_", "-"), extra)


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
