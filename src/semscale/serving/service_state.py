"""What the service is doing: loading its models, answering, or finishing what it has accepted."""

import time
from enum import StrEnum


class Phase(StrEnum):
    """A phase of the service's life."""

    LOADING = "loading"
    READY = "ready"
    DRAINING = "draining"
    FAILED = "failed"


class ServiceState:
    """The service's phase, and the requests under way; used by the event loop's thread.

    Attributes:
        phase: of the service.
        under_way: requests that were accepted and have no answer yet.
        error: why the models could not be loaded.
    """

    def __init__(self) -> None:
        self.phase = Phase.LOADING
        self.under_way = 0
        self.error: Exception | None = None
        self._last_heard = time.monotonic()

    def loaded(self) -> None:
        """The models are there."""
        if self.phase is Phase.LOADING:
            self.phase = Phase.READY

    def failed(self, error: Exception) -> None:
        """The models cannot be loaded."""
        self.phase, self.error = Phase.FAILED, error

    def drain(self) -> None:
        """Accept no more requests."""
        if self.phase is not Phase.FAILED:
            self.phase = Phase.DRAINING
        self.heard()

    def heard(self) -> None:
        """A request came, or was answered."""
        self._last_heard = time.monotonic()

    @property
    def quiet_seconds(self) -> float:
        """Seconds since a request came or was answered; 0 while one is under way."""
        return 0.0 if self.under_way else time.monotonic() - self._last_heard
