"""Reading of requests: bodies within the limits, and work that ends when the client goes away."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from semscale.serving.refusals import TOO_LARGE, ClientGoneError, RefusedRequestError
from semscale.serving.requests.body_room import BodyShare

Found = TypeVar("Found")

_PASSED_OVER = 64 * 1024 * 1024  # bytes that are read and dropped, so that the client reads the refusal


async def read_body(request: Request, most: int) -> bytes:
    """Read the whole body of a request.

    Args:
        request: whose body was not read yet.
        most: bytes.

    Raises:
        RefusedRequestError: it is larger, or the bodies of all requests are too large together.
        ClientGoneError: the client has gone.
    """
    share: BodyShare = request.scope["semscale.body"]
    body = bytearray()

    async def keep(part: bytes, n: int) -> None:
        if n > most:
            said = f"the body must have at most {most:,} bytes: send it in several requests, or as a job"
            raise RefusedRequestError(TOO_LARGE, said)
        share.take(len(part))
        body.extend(part)

    await read_parts(request, keep)
    return bytes(body)


async def read_parts(request: Request, keep: Callable[[bytes, int], Awaitable[None]]) -> None:
    """Read the body of a request part by part.

    Args:
        request: whose body was not read yet.
        keep: takes each part, with the bytes that there are up to its end, or in all where the request says
            so. Once it has refused a part, or found no room on the disk, the rest of the body is dropped.

    Raises:
        RefusedRequestError: ``keep`` refuses.
        OSError: ``keep`` cannot write.
        ClientGoneError: the client has gone.
    """
    length = request.headers.get("content-length", "0")
    declared, n, dropped = int(length) if length.isdigit() else 0, 0, 0
    failure: Exception | None = None
    try:
        async for part in request.stream():
            n += len(part)
            if failure is not None:
                dropped += len(part)
                if dropped > _PASSED_OVER:
                    break
                continue
            try:
                await keep(part, max(n, declared))
            except (RefusedRequestError, OSError) as error:
                failure = error
    except ClientDisconnect:
        raise ClientGoneError from None
    if failure is not None:
        raise failure


async def while_connected(request: Request, work: Coroutine[Any, Any, Found]) -> Found:
    """Do some work; if the client goes away, cancel it.

    Args:
        request: whose body was read.
        work: what is to be done.

    Raises:
        ClientGoneError: the client has gone.
        Exception: the work failed.
    """
    doing = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientGoneError
        return doing.result()
    finally:
        gone.cancel()
        doing.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue
