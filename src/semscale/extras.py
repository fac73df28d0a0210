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
    "mcp": ("mcp", "anyio"),
    "postgres": ("pg8000",),
    "serve": ("fastapi", "prometheus_client", "starlette", "uvicorn"),
    "spss": ("pyreadstat",),
    "ray": ("ray", "pandas", "pyarrow"),
    "slides": ("lxml", "pptx"),
    "torch": ("sentence_transformers", "torch"),
    "workbench": ("fastapi", "prometheus_client", "python_multipart", "starlette", "uvicorn"),
}
"""Modules of each extra, by its name, such as ``api`` in ``semscale[api]``."""


def require(extra: str) -> None:
    """Check that an extra is installed, before work that needs it begins; nothing is imported.

    Args:
        extra: one of ``EXTRAS``.

    Raises:
        MissingExtraError: one of its packages is not installed.
    """
    for module in EXTRAS[extra]:
        require_module(module, extra)


def require_module(module: str, extra: str) -> None:
    """Check that one module of an extra is installed, for work that needs no other one.

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
