"""Requests that many tasks take one by one."""

import asyncio

from semscale.chat import Request
from semscale.chat.pacing import NumberedRequests

ASKED = [Request.of(f"question {number}") for number in range(4)]


async def later():
    for request in ASKED:
        await asyncio.sleep(0)
        yield request


async def taken(requests):
    numbered = NumberedRequests(requests)

    async def take():
        found = []
        while (one := await numbered.next()) is not None:
            found.append(one)
        return found

    return sorted(
        (one for own in await asyncio.gather(take(), take(), take()) for one in own), key=lambda one: one[0]
    )


def test_each_request_is_taken_once_with_its_number():
    expected = list(enumerate(ASKED))
    assert asyncio.run(taken(ASKED)) == expected
    assert asyncio.run(taken(later())) == expected
