"""Settings that do not exist are refused with the nearest one that does."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from semscale.messages import nearest_name

_P = ParamSpec("_P")
_R = TypeVar("_R")


def known_settings(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function, or a class by its ``__init__``, say which setting it does not know.

    Args:
        function: takes its settings by name, and no others.

    Returns:
        The function; a call with an unknown setting raises ``TypeError``.

    Example:
        >>> @known_settings
        ... def rate(texts, *, scale="trust", temperature=1.0): ...
        >>> rate([], temprature=2)
        Traceback (most recent call last):
        TypeError: rate has no setting 'temprature': did you mean 'temperature'? (known: scale, temperature)
    """
    owner = function.__qualname__.removesuffix(".__init__")
    parameters = signature(function).parameters
    settings = [name for name, one in parameters.items() if one.kind is Parameter.KEYWORD_ONLY]

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        for name in kwargs:
            if name not in parameters:
                near = nearest_name(name, parameters)
                question = f": did you mean {near!r}?" if near else ""
                known = f" (known: {', '.join(settings)})" if settings else ""
                raise TypeError(f"{owner} has no setting {name!r}{question}{known}")
        return function(*args, **kwargs)

    return called
