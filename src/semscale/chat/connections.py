"""Lifetime of a model's connections: open while any run uses the model, closed after the last one."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from semscale.chat.chat_model import ChatModel

_runs: Counter[tuple[int, int]] = Counter()


@asynccontextmanager
async def held_open(model: ChatModel) -> AsyncIterator[None]:
    """Close the model at the end of the block, unless another block in this event loop still uses it."""
    place = (id(model), id(asyncio.get_running_loop()))
    _runs[place] += 1
    try:
        yield
    finally:
        _runs[place] -= 1
        close = getattr(model, "aclose", None)
        if not _runs[place]:
            del _runs[place]
            if close is not None:
                await close()
