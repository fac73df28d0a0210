"""Semscale's folders on this machine, their size limits, and the offline setting."""

import os
import re
from pathlib import Path

from platformdirs import user_cache_dir

from semscale.errors import InputError

DEFAULT_MAX_BYTES = 2 << 30
CAP_VARIABLE = "SEMSCALE_CACHE_MAX"

_SIZE = re.compile(r"(?P<number>\d+(\.\d+)?)\s*(?P<prefix>[KMGT]?)(?P<binary>(?<=[KMGT])I)?B", re.IGNORECASE)


def cache_root() -> Path:
    """Return Semscale's cache folder: ``SEMSCALE_CACHE``, or a folder in the system's cache folder."""
    chosen = os.environ.get("SEMSCALE_CACHE")
    return Path(chosen).expanduser() if chosen else Path(user_cache_dir("semscale", appauthor=False))


def models_root() -> Path:
    """Return the folder that has one sub-folder for each model."""
    return cache_root() / "models"


def model_home(name: str) -> Path:
    """Return the folder of the model of that name."""
    return models_root() / name.replace("/", "--")


def model_name(home: Path) -> str:
    """Return the name of the model that a folder is for.

    Example:
        >>> model_name(model_home("organisation/model"))
        'organisation/model'
    """
    return home.name.replace("--", "/", 1)


def cache_cap() -> int:
    """Return the size limit of each cache (embeddings, states) in bytes: ``SEMSCALE_CACHE_MAX``, or 2 GiB.

    Raises:
        InputError: the variable is no size of at least one byte.

    Example:
        >>> os.environ["SEMSCALE_CACHE_MAX"] = "1.5 GB"
        >>> cache_cap()
        1500000000
        >>> del os.environ["SEMSCALE_CACHE_MAX"]
    """
    text = os.environ.get(CAP_VARIABLE, "").strip()
    if not text:
        return DEFAULT_MAX_BYTES
    size = _SIZE.fullmatch(text)
    unit = 1024 if size and size["binary"] else 1000
    cap = int(float(size["number"]) * unit ** " KMGT".index(size["prefix"].upper() or " ")) if size else 0
    if cap < 1:
        raise InputError(f"{CAP_VARIABLE} must be a size above 0 such as 500MB, 2GB or 2GiB, got {text!r}")
    return cap


def is_offline() -> bool:
    """Tell whether ``SEMSCALE_OFFLINE`` is set: only endpoints that the user named may be contacted."""
    return os.environ.get("SEMSCALE_OFFLINE", "").strip().lower() in {"1", "true", "yes", "on"}
