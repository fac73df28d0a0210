"""Outputs of asynchronous programs: what a test passes without ``await`` is awaited here."""

import asyncio
import inspect
from collections.abc import Awaitable

from semscale.errors import InputError


def awaited(actual: object) -> object:
    """Await a test's output, or the outputs in its list, all at once.

    Args:
        actual: an awaitable, such as the call of an ``async def``, a list with some, or anything else, which
            is returned as it is.

    Raises:
        InputError: the test is asynchronous itself, so that it must await its outputs.

    Example:
        >>> async def generate(question):
        ...     return f"An answer to {question}"
        >>> awaited([generate("A"), "B"])
        ['An answer to A', 'B']
    """
    waiting = [each for each in _each(actual) if inspect.isawaitable(each)]
    if not waiting:
        return actual
    if _has_running_loop():
        for each in waiting:
            _drop(each)
        raise InputError(
            "in an asynchronous test, await the output: semantic_snapshot(await generate(...)); a list: "
            "semantic_snapshot(await asyncio.gather(...))"
        )
    return asyncio.run(_gathered(actual))


async def _gathered(actual: object) -> object:
    """Await the outputs beside each other; if they came in a list, return a list."""
    outputs = await asyncio.gather(*(_settled(each) for each in _each(actual)))
    return outputs if isinstance(actual, list | tuple) else outputs[0]


async def _settled(output: object) -> object:
    return await output if isinstance(output, Awaitable) else output


def _each(actual: object) -> list[object]:
    return list(actual) if isinstance(actual, list | tuple) else [actual]


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _drop(output: object) -> None:
    """Close a coroutine that nobody will await, so that Python does not warn of it."""
    if inspect.iscoroutine(output):
        output.close()
