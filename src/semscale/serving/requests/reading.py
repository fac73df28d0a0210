"""Reading of requests: bodies within the limits, and work that ends when the client goes away."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from semscale.serving.refusals import TOO_LARGE, ClientGoneError, RefusedRequestError

Found = TypeVar("Found")

_PASSED_OVER = 64 * 1024 * 1024  # bytes that are read and dropped, so that the client reads the refusal


async def read_body(request: Request, most: int) -> bytes:
    """Read the whole body of a request.

    Args:
        request: whose body was not read yet.
        most: bytes.

    Raises:
        RefusedRequestError: it is larger.
        ClientGoneError: the client has gone.
    """
    parts = []
    async for part in bounded_stream(request, most):
        parts.append(part)
    return b"".join(parts)


async def bounded_stream(
    request: Request, most: int, remedy: str = "send it in several requests, or as a job"
) -> AsyncIterator[bytes]:
    """Read the body of a request part by part.

    Args:
        request: whose body was not read yet.
        most: bytes.
        remedy: what to do about a body that is larger.

    Raises:
        RefusedRequestError: it has more than ``most`` bytes.
        ClientGoneError: the client has gone.
    """
    length = request.headers.get("content-length", "0")
    n, is_too_large = 0, length.isdigit() and int(length) > most
    try:
        async for part in request.stream():
            n += len(part)
            is_too_large = is_too_large or n > most
            if is_too_large and n > most + _PASSED_OVER:
                break
            if not is_too_large:
                yield part
    except ClientDisconnect:
        raise ClientGoneError from None
    if is_too_large:
        raise RefusedRequestError(TOO_LARGE, f"the body must have at most {most:,} bytes: {remedy}")


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
