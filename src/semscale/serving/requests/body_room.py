"""The memory that the bodies of all requests may take together."""

from collections.abc import Iterator
from contextlib import contextmanager

from semscale.serving.refusals import TOO_MANY, RefusedRequestError

BODIES = 8
"""So many bodies of the largest size may be in memory at once."""

_RETRY_AFTER = 1


class BodyRoom:
    """Shares out memory for bodies; used by the event loop's thread.

    Args:
        most: bytes of all bodies.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.held = 0

    @contextmanager
    def share(self) -> Iterator["BodyShare"]:
        """Give a request its share, until it is answered."""
        share = BodyShare(self)
        try:
            yield share
        finally:
            self.held -= share.held

    def take(self, n: int) -> None:
        """Count ``n`` more bytes.

        Raises:
            RefusedRequestError: there is no room for them.
        """
        if self.held + n > self._most:
            raise RefusedRequestError(
                TOO_MANY,
                "the requests under way are too large together: try again later",
                retry_after=_RETRY_AFTER,
            )
        self.held += n


class BodyShare:
    """The bytes of one request's body.

    Attributes:
        held: bytes that have come.
    """

    def __init__(self, room: BodyRoom) -> None:
        self._room = room
        self.held = 0

    def take(self, n: int) -> None:
        """Count ``n`` more bytes.

        Raises:
            RefusedRequestError: there is no room for them.
        """
        self._room.take(n)
        self.held += n
