"""Notices a model that fails every call from the first one on, so that a run does not go on in vain."""

from semscale.chat.replies import TRANSIENT, CallError, FailureKind

_CALLS = 20
_REPETITIONS = 4


class FirstFailures:
    """Counts the calls from the first one on that fail alike, and may be expected to go on failing.

    Endpoints that are slow, down or busy are no such case: they may recover, and ``ReplyWatch`` bounds the
    wait for them. An answer that is no reply, such as the page of a login, may pass too, so a call is
    repeated four times before it counts.

    Args:
        has_replies: whether a reply came earlier in the run.
    """

    def __init__(self, *, has_replies: bool) -> None:
        self._kind: tuple[FailureKind, str] | None = None
        self._n = 0
        self._is_over = has_replies

    def are_all_alike(self, failure: CallError, repeated: int) -> bool:
        """Note how a call failed, and say whether there are enough failures, all of them alike.

        Args:
            failure: of the call.
            repeated: how often the call was repeated before.
        """
        kind = None if self._is_over else _kind_of(failure)
        if kind is None or self._kind not in {None, kind}:
            self._is_over = True
            return False
        self._kind = kind
        self._n += 1
        return self._n >= _CALLS if kind[0] not in TRANSIENT else repeated >= _REPETITIONS

    def note_reply(self) -> None:
        """Note that a reply came, from the model or from the ledger."""
        self._is_over = True

    @property
    def n(self) -> int:
        """How many calls were counted."""
        return self._n


def _kind_of(failure: CallError) -> tuple[FailureKind, str] | None:
    """Give what makes failures alike; ``None`` for a refusal, which is an answer, and for what may pass."""
    if failure.kind is FailureKind.MALFORMED:
        return failure.kind, ""  # the same page may have another time or number in it
    is_other = failure.kind is FailureKind.REFUSED or failure.kind in TRANSIENT
    return None if is_other else (failure.kind, str(failure))
