"""The bodies of all requests share memory."""

from contextlib import suppress

import pytest

from semscale.serving.refusals import RefusedRequestError
from semscale.serving.requests.body_room import BodyRoom


def test_bodies_of_all_requests_share_memory():
    room = BodyRoom(100)
    with room.share() as first, room.share() as second:
        first.take(60)
        second.take(40)
        with pytest.raises(RefusedRequestError, match="too large together") as refused:
            first.take(1)
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
        assert room.held == 100
    assert room.held == 0


def test_a_request_that_failed_gives_its_share_back():
    room = BodyRoom(100)
    with suppress(ZeroDivisionError), room.share() as share:
        share.take(100)
        raise ZeroDivisionError
    assert room.held == 0
