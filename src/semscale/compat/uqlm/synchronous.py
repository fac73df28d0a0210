"""Methods that need no ``await``, made of those that do."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from semscale.chat.runner import run_apart

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def synchronous(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[S, P], R]:
    """Make of a method that is awaited one for programs without an event loop, and for notebooks.

    Args:
        method: of a class, with any arguments.

    Example:
        >>> class Greeter:
        ...     async def greet(self, name):
        ...         return f"Hello {name}"
        ...
        ...     greet_sync = synchronous(greet)
        >>> Greeter().greet_sync("Ann")
        'Hello Ann'
    """
    name = method.__name__

    @wraps(method)
    def call(self: S, /, *arguments: P.args, **settings: P.kwargs) -> R:
        return run_apart(method(self, *arguments, **settings))

    call.__doc__ = f"Like ``{name}``, for programs without an event loop and for notebooks."
    call.__name__ = f"{name}_sync"
    call.__qualname__ = f"{method.__qualname__}_sync"
    return call
