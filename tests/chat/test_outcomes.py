"""The status of an outcome, and counts of statuses."""

import pytest

from semscale.chat.messages import (
    CallError,
    FailureKind,
    OutcomeStatus,
    Reply,
    RequestOutcome,
    count_statuses,
)


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (Reply("4"), OutcomeStatus.REPLIED),
        (CallError("no", kind=FailureKind.REFUSED), OutcomeStatus.REFUSED),
        (CallError("no", kind=FailureKind.SILENT), OutcomeStatus.FAILED),
        (CallError("no", kind=FailureKind.TIMEOUT), OutcomeStatus.FAILED),
    ],
)
def test_status_follows_from_reply_or_failure(result, status):
    outcome = RequestOutcome.of(3, result, attempts=2)
    assert (outcome.index, outcome.attempts, outcome.status) == (3, 2, status)
    assert (outcome.reply or outcome.failure) is result


def test_every_status_is_counted_zeros_included():
    replied = [RequestOutcome.of(index, Reply("4")) for index in range(2)]
    assert count_statuses(replied) == {"replied": 2, "refused": 0, "failed": 0}
