"""Measure what free text means."""

from semscale.version import __version__

__all__ = ["__version__"]
