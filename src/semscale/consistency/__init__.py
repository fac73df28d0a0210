"""How far several answers to one prompt agree; the package itself can be called, as ``semscale.consistency``.

Example:
    >>> import semscale
    >>> found = semscale.consistency([["Paris", "Paris"], ["12", "13"]], measures=["exact_match"])
    >>> found.score.tolist()
    [1.0, 0.0]
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from semscale.consistency.consistencies import Consistencies
    from semscale.consistency.settings import ConsistencySettings


class _Callable(ModuleType):
    """The package, which is also the function of its name: importing either must not hide the other."""

    def __call__(
        self, answers: object, samples: object = None, **settings: "Unpack[ConsistencySettings]"
    ) -> "Consistencies":
        """Do as ``semscale.consistency.measuring.consistency``."""
        from semscale.consistency.measuring import consistency

        return consistency(answers, samples, **settings)


sys.modules[__name__].__class__ = _Callable
