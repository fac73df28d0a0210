"""Requests with their numbers, taken one by one by many tasks."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from semscale.chat.messages import Request

Requests = Iterable[Request] | AsyncIterable[Request]


class NumberedRequests:
    """Numbers the requests of a synchronous or asynchronous iterable; many tasks take them one by one."""

    def __init__(self, requests: Requests) -> None:
        self._later: AsyncIterator[Request] | None = None
        self._now: Iterator[Request] = iter(())
        if isinstance(requests, AsyncIterable):
            self._later = aiter(requests)
        else:
            self._now = iter(requests)
        self._lock = asyncio.Lock()
        self._index = 0

    async def next(self) -> tuple[int, Request] | None:
        """Give the next request and its number, from 0; ``None`` at the end."""
        async with self._lock:
            request = await anext(self._later, None) if self._later is not None else next(self._now, None)
            if request is None:
                return None
            index, self._index = self._index, self._index + 1
            return index, request
