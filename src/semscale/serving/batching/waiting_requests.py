"""Requests that wait for their vectors without a thread of their own."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from semscale.embedding.embedder import Embeddings
from semscale.serving.batching.batched_texts import joined_embeddings
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.ticket_line import Ticket


async def embedded(batcher: Batcher[str, Embeddings], texts: Sequence[str]) -> Embeddings:
    """Embed the texts of a request; if it is cancelled, the texts that still wait are dropped.

    Raises:
        RefusedRequestError: too many texts wait.
        ModelError: the model cannot be run.
    """
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def done(_: Ticket[str, Embeddings]) -> None:
        with suppress(RuntimeError):  # the loop has ended, so nobody waits
            loop.call_soon_threadsafe(_set, ready)

    ticket = batcher.submit(texts, done)
    try:
        await ready
    except asyncio.CancelledError:
        batcher.drop(ticket)
        raise
    return joined_embeddings(ticket.parts())


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
