"""The one place where the version of Semscale is written."""

__version__ = "0.1.0"
