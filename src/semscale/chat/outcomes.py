"""What became of a request in a run."""

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
    """What became of one request.

    Attributes:
        index: where the request stood.
        reply: ``None`` where there is none.
        failure: why there is none.
        attempts: calls that were sent for it in this run; 0 where the ledger had the outcome, or where an
            equal request of this run was sent.
    """

    index: int
    reply: Reply | None = None
    failure: CallError | None = None
    attempts: int = 0

    @classmethod
    def of(cls, index: int, result: Reply | CallError, attempts: int = 0) -> "RequestOutcome":
        """Make an outcome of a reply or a failure."""
        if isinstance(result, Reply):
            return cls(index, reply=result, attempts=attempts)
        return cls(index, failure=result, attempts=attempts)

    @property
    def status(self) -> OutcomeStatus:
        """How it ended."""
        if self.reply is not None:
            return OutcomeStatus.REPLIED
        refused = self.failure is not None and self.failure.kind is FailureKind.REFUSED
        return OutcomeStatus.REFUSED if refused else OutcomeStatus.FAILED


def count_statuses(outcomes: Sequence[RequestOutcome]) -> dict[str, int]:
    """Count how requests ended.

    Example:
        >>> count_statuses([RequestOutcome(0, reply=Reply("4")), RequestOutcome(1)])
        {'replied': 1, 'refused': 0, 'failed': 1}
    """
    return {status.value: sum(outcome.status is status for outcome in outcomes) for status in OutcomeStatus}
