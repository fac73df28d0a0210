"""Retries of failed calls: which failures are retried, and after how long a wait."""

from dataclasses import dataclass

from semscale.chat.replies import TRANSIENT, CallError
from semscale.errors import InputError


@dataclass(frozen=True)
class Retries:
    """How calls are repeated after a failure that may pass.

    Attributes:
        most: how often a call is repeated at most.
        first_wait: seconds before the first repetition; each further one waits twice as long, with a random
            spread of half the wait downwards.
        longest_wait: the longest wait that Semscale chooses, in seconds.
        patience: the longest wait that an endpoint may ask for, in seconds; a call fails if it asks for more.

    Raises:
        InputError: a value is below 0.
    """

    most: int = 6
    first_wait: float = 0.5
    longest_wait: float = 60.0
    patience: float = 600.0

    def __post_init__(self) -> None:
        for name in ("most", "first_wait", "longest_wait", "patience"):
            value = getattr(self, name)
            if not value >= 0:
                raise InputError(f"{name} must be >= 0, got {value}")

    def wait_after(self, failure: CallError, repeated: int, chance: float) -> float | None:
        """Return the seconds to wait before a call is repeated; ``None`` if it is not repeated.

        Args:
            failure: of the last attempt.
            repeated: how often the call was repeated already.
            chance: a random number from 0 to 1.

        Example:
            >>> from semscale.chat.replies import FailureKind
            >>> failure = CallError("down", kind=FailureKind.SERVER)
            >>> [Retries().wait_after(failure, repeated, chance=1.0) for repeated in (0, 1, 2, 6)]
            [0.5, 1.0, 2.0, None]
        """
        if failure.kind not in TRANSIENT or repeated >= self.most:
            return None
        if failure.retry_after is not None:
            return failure.retry_after if failure.retry_after <= self.patience else None
        return float(min(self.longest_wait, self.first_wait * 2**repeated) * (0.5 + 0.5 * chance))
