"""Work that needs a thread, and that ends early when nobody waits for it any more."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from semscale.serving.batching.errand import ERRAND, Errand
from semscale.serving.refusals import TOO_MANY, RefusedRequestError

Found = TypeVar("Found")

THREADS = 64  # most of them wait for the model, so that their texts share batches
_MOST = 256  # requests that work or wait for a thread
_RETRY_AFTER = 1


class Errands:
    """Does the work of requests in threads."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="errand")
        self._n = 0

    async def run(self, work: Callable[[], Found]) -> Found:
        """Do some work in a thread; if the request is cancelled, the work ends at its next step.

        Raises:
            RefusedRequestError: too many requests wait.
            Exception: the work failed.
        """
        if self._n >= _MOST:
            raise RefusedRequestError(
                TOO_MANY, "too many requests wait: try again later", retry_after=_RETRY_AFTER
            )
        errand, context = Errand(), copy_context()
        context.run(ERRAND.set, errand)
        self._n += 1
        doing = asyncio.get_running_loop().run_in_executor(self._pool, context.run, work)
        try:
            return await doing
        except asyncio.CancelledError:
            errand.abandon()
            raise
        finally:
            self._n -= 1


def heeding(stage: str, done: int, total: int | None) -> None:  # noqa: ARG001 - as Progress has it
    """End the work of the current thread if nobody waits for it: a ``Progress``."""
    errand = ERRAND.get()
    if errand is not None:
        errand.check()
