"""Word lists of the guards, read once from the files beside the code."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def read_lexicon(name: str, package: str = "semscale.guards") -> dict[str, Any]:
    """Read a package's word lists.

    Args:
        name: the file's name without extension: ``opposites``, ``negation``, ``units`` or ``wordlists``.
        package: the package that contains the file.
    """
    text = resources.files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def word_list(name: str) -> frozenset[str]:
    """Return a list of ``wordlists`` as a set.

    Example:
        >>> "terminal" in word_list("labelled")
        True
    """
    return frozenset(read_lexicon("wordlists")[name].split())
