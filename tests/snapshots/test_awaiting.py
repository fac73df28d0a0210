"""Outputs that a test passes without ``await``."""

import asyncio

import pytest

from semscale.errors import InputError
from semscale.snapshots.fixture import await_outputs


async def generate(said):
    await asyncio.sleep(0)
    return said


def test_what_is_no_awaitable_stays_the_same_object():
    given = ["A", {"text": "B"}]
    assert await_outputs(given) is given
    assert await_outputs("A") == "A"


def test_a_coroutine_gives_its_output():
    assert await_outputs(generate("A")) == "A"
    assert await_outputs(generate(["A", "B"])) == ["A", "B"]


def test_a_list_keeps_its_order_and_what_is_not_awaited():
    assert await_outputs([generate("A"), "B", generate({"text": "C"})]) == ["A", "B", {"text": "C"}]
    assert await_outputs((generate("A"),)) == ["A"]


def test_outputs_of_a_list_are_awaited_beside_each_other():
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


def test_an_asynchronous_test_is_told_to_await():
    async def test():
        await_outputs([generate("A"), generate("B")])

    # The coroutines are closed: a warning that one was never awaited would fail this test.
    with pytest.raises(InputError, match=r"semantic_snapshot\(await generate\(\.\.\.\)\)"):
        asyncio.run(test())
