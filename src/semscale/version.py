"""The version of Semscale; a test holds the one in CITATION.cff against it."""

__version__ = "0.1.0"
