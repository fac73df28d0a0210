"""Where Semscale keeps files on this machine, and whether it may look elsewhere for them."""

import os
from pathlib import Path

from platformdirs import user_cache_dir


def cache_root() -> Path:
    """Return the folder of all that Semscale keeps: ``SEMSCALE_CACHE``, or the system's folder for caches."""
    chosen = os.environ.get("SEMSCALE_CACHE")
    return Path(chosen).expanduser() if chosen else Path(user_cache_dir("semscale", appauthor=False))


def models_root() -> Path:
    """Return the folder with one sub-folder per model."""
    return cache_root() / "models"


def is_offline() -> bool:
    """Tell whether ``SEMSCALE_OFFLINE`` forbids contacting anything but an endpoint that the user named."""
    return os.environ.get("SEMSCALE_OFFLINE", "").strip().lower() in {"1", "true", "yes", "on"}
