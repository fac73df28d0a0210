"""The line in which requests for answers and samples wait until they are sent."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from semscale.chat.messages import Request

Place = tuple[int, int]
"""An item and one of its samples, from 1; 0 stands for its answer, ``P_TRUE`` and less for whether that is
right."""

P_TRUE = -1
"""The place of the call that asks the model whether an item's answer is right. Typed decisions about the same
stand below it, at -2 and less."""

_SAMPLE, _ANSWER, _END = range(3)


class WaitingLine:
    """Requests in the order in which they are sent: item after item, answers after all others.

    Args:
        request: makes the request of an item's place.
        most: how many requests there will be at most; ``len(line)``.

    Attributes:
        taken: places in the order in which their requests were taken.
    """

    def __init__(self, request: Callable[[int, int], Request], most: int) -> None:
        self.taken: list[Place] = []
        self._request = request
        self._most = most
        self._waiting: asyncio.PriorityQueue[tuple[int, int, int]] = asyncio.PriorityQueue()

    def __len__(self) -> int:
        return self._most

    def join(self, places: Sequence[Place]) -> int:
        """Let places wait, and say how many these are."""
        for item, sample in places:
            self._waiting.put_nowait((_SAMPLE if sample else _ANSWER, item, sample))
        return len(places)

    def expect_fewer(self, n: int) -> None:
        """Say that n of the requests that were to come will not."""
        self._most -= n

    def end(self) -> None:
        """Say that no more will come."""
        self._waiting.put_nowait((_END, 0, 0))

    async def __aiter__(self) -> AsyncIterator[Request]:
        while (first := await self._waiting.get())[0] != _END:
            _, item, sample = first
            self.taken.append((item, sample))
            yield self._request(item, sample)
