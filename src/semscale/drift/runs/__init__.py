"""Runs of a model: reading from files, checks of comparability, and numbering of texts."""
