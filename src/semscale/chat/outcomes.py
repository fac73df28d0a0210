"""Outcomes of requests: a reply, a refusal or a failure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from semscale.chat.replies import CallError, FailureKind, Reply


class OutcomeStatus(StrEnum):
    """How a request ended."""

    REPLIED = "replied"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True)
class RequestOutcome:
    """The outcome of one request.

    Attributes:
        index: position of the request in the run, from 0.
        reply: the reply, or ``None`` without one.
        failure: why there is no reply, or ``None``.
        attempts: how many calls this run sent for it; 0 if the outcome came from the ledger or from an equal
            request of the same run.
    """

    index: int
    reply: Reply | None = None
    failure: CallError | None = None
    attempts: int = 0

    @classmethod
    def of(cls, index: int, result: Reply | CallError, attempts: int = 0) -> "RequestOutcome":
        """Create an outcome from a reply or a failure."""
        if isinstance(result, Reply):
            return cls(index, reply=result, attempts=attempts)
        return cls(index, failure=result, attempts=attempts)

    @property
    def status(self) -> OutcomeStatus:
        """How the request ended."""
        if self.reply is not None:
            return OutcomeStatus.REPLIED
        refused = self.failure is not None and self.failure.kind is FailureKind.REFUSED
        return OutcomeStatus.REFUSED if refused else OutcomeStatus.FAILED


def count_statuses(outcomes: Sequence[RequestOutcome]) -> dict[str, int]:
    """Count the requests by their status.

    Example:
        >>> count_statuses([RequestOutcome(0, reply=Reply("4")), RequestOutcome(1)])
        {'replied': 1, 'refused': 0, 'failed': 1}
    """
    return {status.value: sum(outcome.status is status for outcome in outcomes) for status in OutcomeStatus}
