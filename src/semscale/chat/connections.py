"""A model's connections, held open while any run of it goes on and closed with the last one."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from semscale.chat.chat_model import ChatModel

_runs: Counter[tuple[int, int]] = Counter()


@asynccontextmanager
async def held_open(model: ChatModel) -> AsyncIterator[None]:
    """Close the model at the block's end, unless another block in this event loop still needs it."""
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
