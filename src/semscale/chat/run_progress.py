"""Tells how far a run of requests is, and for how long it has waited for a reply."""

from collections.abc import Sized

from semscale.chat.outcomes import RequestOutcome
from semscale.chat.replies import CallError, FailureKind
from semscale.types import Progress

_SHOWN_FROM = 10.0  # seconds of waiting that are worth a word
_UNREACHED_FROM = 3.0  # the same where the endpoint cannot be reached, which the first calls have shown


class RunProgress:
    """Tells how many requests were sent, of how many; those whose replies were there already do not count.

    Args:
        stage: name of the work.
        requests: where their number is known, it may change while they come.
        progress: called at once, and after each outcome.
    """

    def __init__(self, stage: str, requests: object, progress: Progress | None) -> None:
        self._stage, self._requests, self._progress = stage, requests, progress
        self._sent = self._there = 0
        self._tell()

    def add(self, outcome: RequestOutcome) -> None:
        """Count an outcome."""
        if outcome.attempts:
            self._sent += 1
        else:
            self._there += 1
        self._tell()

    def _tell(self) -> None:
        if self._progress:
            total = len(self._requests) - self._there if isinstance(self._requests, Sized) else None
            self._progress(self._stage, self._sent, total)


class WaitProgress:
    """Tells for how long no reply has come, and what the calls failed of.

    Args:
        model: name of the model that is asked.
        progress: called while the run waits, and once when a reply has come.
    """

    def __init__(self, model: str, progress: Progress | None) -> None:
        self._model, self._progress = model, progress
        self._stage = ""

    def tell(self, seconds: float, longest: float, failure: CallError | None) -> None:
        """Tell of a wait that is long enough.

        Args:
            seconds: since the last reply.
            longest: seconds of waiting after which the run ends.
            failure: of the last call since then, if one failed.
        """
        if self._progress is None:
            return
        is_unreached = failure is not None and failure.kind is FailureKind.CONNECTION
        is_long = seconds >= (_UNREACHED_FROM if is_unreached else _SHOWN_FROM)
        if is_long and (not self._stage or (failure is not None and self._stage == self._words(None))):
            self._stage = self._words(failure)  # one reason for each wait: its words may differ by call
        if self._stage:
            self._progress(self._stage, int(seconds), int(longest))
        if not is_long:
            self._stage = ""

    def _words(self, failure: CallError | None) -> str:
        why = "" if failure is None else f": {failure}"
        return f"waiting for {self._model} (seconds without a reply{why})"
