"""Settings and attributes that have a new name; the old one is taken for one version, with a warning."""

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from semscale.errors import InputError

_P = ParamSpec("_P")
_R = TypeVar("_R")

NEXT_VERSION = "0.2"
"""The version that no longer takes old names."""


def renamed(**new_names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function take settings by their old names, too.

    Args:
        new_names: for each old name the new one.

    Returns:
        A decorator. A call with an old name warns with ``DeprecationWarning``; one with both names raises
        ``InputError``.

    Example:
        >>> @renamed(model="embedder")
        ... def rate(texts, *, embedder="small"):
        ...     return embedder
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     rate([], model="large")
        'large'
        >>> str(caught[0].message)
        "rate: 'model' is called 'embedder' now; version 0.2 takes it no more"
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        owner = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            for old, new in new_names.items():
                if old not in kwargs:
                    continue
                if new in kwargs:
                    raise InputError(f"{old} is the old name of {new}: give {new} alone")
                _warn(owner, old, new)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return called

    return decorate


def renamed_attribute(old: str, new: str) -> property:
    """Let an attribute be read by its old name, too, with a ``DeprecationWarning``.

    Args:
        old: its old name.
        new: its new name.

    Example:
        >>> class Rater:
        ...     embedder = "small"
        ...     model = renamed_attribute("model", "embedder")
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     Rater().model
        'small'
        >>> str(caught[0].message)
        "Rater: 'model' is called 'embedder' now; version 0.2 takes it no more"
    """

    def read(owner: object) -> Any:  # noqa: ANN401 - whatever the attribute is
        _warn(type(owner).__name__, old, new)
        return getattr(owner, new)

    return property(read)


def _warn(owner: str, old: str, new: str) -> None:
    """Warn at the line that calls the caller of this function."""
    warnings.warn(
        f"{owner}: {old!r} is called {new!r} now; version {NEXT_VERSION} takes it no more",
        DeprecationWarning,
        stacklevel=3,
    )


def old_names(module: str, **new_names: str) -> Callable[[str], object]:
    """Make the ``__getattr__`` of a module whose functions and classes can be imported by old names, too.

    Args:
        module: the module's ``__name__``.
        new_names: for each old name the new one.

    Returns:
        A function that looks a name up. An old name warns with ``DeprecationWarning``; one that never was
        there raises ``AttributeError``.

    Example:
        >>> find = old_names("semscale.renamed_settings", renaming="renamed")
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     find("renaming") is renamed
        True
        >>> str(caught[0].message)
        "semscale.renamed_settings: 'renaming' is called 'renamed' now; version 0.2 takes it no more"
    """

    def find(name: str) -> object:
        if name not in new_names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        _warn(module, name, new_names[name])
        return getattr(sys.modules[module], new_names[name])

    return find
