"""Tells how far a run of requests is."""

from collections.abc import Sized

from semscale.chat.outcomes import RequestOutcome
from semscale.types import Progress


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
