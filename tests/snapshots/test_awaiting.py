"""Outputs that a test passes without ``await``."""

import asyncio

import pytest

from semscale.errors import InputError
from semscale.snapshots.fixture import await_outputs


async def generate(text):
    await asyncio.sleep(0)
    return text


def test_what_is_no_awaitable_stays_the_same_object():
    outputs = ["A", {"text": "B"}]
    assert await_outputs(outputs) is outputs
    assert await_outputs("A") == "A"


def test_a_coroutine_gives_its_output():
    assert await_outputs(generate("A")) == "A"
    assert await_outputs(generate(["A", "B"])) == ["A", "B"]


def test_a_list_keeps_its_order_and_what_is_not_awaited():
    assert await_outputs([generate("A"), "B", generate({"text": "C"})]) == ["A", "B", {"text": "C"}]
    assert await_outputs((generate("A"),)) == ["A"]


def test_listed_outputs_are_awaited_concurrently():
    async def both():
        first, second = asyncio.Event(), asyncio.Event()

        async def meet(mine, other):
            mine.set()
            await other.wait()
            return "met"

        return [meet(first, second), meet(second, first)]

    # One after the other would wait for ever.
    assert await_outputs(asyncio.run(both())) == ["met", "met"]


def test_what_the_program_raises_is_raised():
    async def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await_outputs(fail())


def test_asynchronous_test_is_advised_to_await():
    async def test():
        await_outputs([generate("A"), generate("B")])

    # The coroutines are closed: a warning that one was never awaited would fail this test.
    with pytest.raises(InputError, match=r"semantic_snapshot\(await generate\(\.\.\.\)\)"):
        asyncio.run(test())
