"""Instruments that are built once for each of the settings that requests have."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Built = TypeVar("Built")

_MOST = 16


class BuiltOnce(Generic[Built]):
    """Keeps what was built for the settings of the latest requests.

    Args:
        most: how many are kept.

    Example:
        >>> kept = BuiltOnce[list[int]]()
        >>> kept.of("a", lambda: [1]) is kept.of("a", lambda: [2])
        True
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._built: OrderedDict[str, Built] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, key: str, build: Callable[[], Built]) -> Built:
        """Give what was built for a key, or build it; two threads may build at once, and one is kept."""
        with self._lock:
            found = self._built.get(key)
            if found is not None:
                self._built.move_to_end(key)
                return found
        made = build()
        with self._lock:
            kept = self._built.setdefault(key, made)
            while len(self._built) > self._most:
                self._built.popitem(last=False)
            return kept
