"""Decisions of people about runs: approvals, which make a run the baseline, and rejections."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from semscale.drift.runs import ApprovedBaseline, RejectedRun, count_shared_ids
from semscale.errors import InputError
from semscale.history.runs import Approval, Rejection, Run, now

if TYPE_CHECKING:
    from semscale.history.history import History
    from semscale.history.stored_comparison import StoredComparison

_HOURS = {"h": 1, "d": 24, "w": 7 * 24}
_SPAN = re.compile(r"(\d+)\s*([hdw])")
_LONGEST = 100 * 365 * 24  # hours


def approve(
    history: "History", run: Run, by: str, why: str, expires: str | None = None, *, is_latest: bool = False
) -> ApprovedBaseline:
    """Make a run the baseline of its dataset.

    Args:
        history: stores the run, and will store the approval.
        run: the run.
        by: name of the person who approves it.
        why: the reason.
        expires: expiry as ``read_expiry`` reads it; ``None`` for none.
        is_latest: true if the run was named as the latest one; a run that was gated later is then stated.

    Raises:
        InputError: a text is empty, the expiry is not a moment ahead, or the history cannot be written.
    """
    approval = approval_of(run, by, why, expires)
    shared = count_shared_ids(history, run) if history.approvals(run.dataset) else None
    comparisons = history.comparisons(dataset=run.dataset)
    history.approve(approval)
    last, later = _last_gate(comparisons, run), None
    if is_latest and comparisons and comparisons[-1] is not last:
        later = comparisons[-1] if comparisons[-1].compared > run.recorded else None
    return ApprovedBaseline(run, approval, shared, last_gate=last, gated_later=later)


def reject(history: "History", run: Run, by: str, why: str, expires: str | None = None) -> RejectedRun:
    """Reject a run: gates fail its outputs, and it is no baseline.

    Args:
        history: stores the run, and will store the rejection.
        run: the run.
        by: name of the person who rejects it.
        why: the reason.
        expires: end of the rejection as ``read_expiry`` reads it; ``None`` for none.

    Raises:
        InputError: a text is empty, the expiry is not a moment ahead, or the history cannot be written.
    """
    stated = _read(by, why, expires, what="a rejection")
    rejection = Rejection(
        run.id, run.dataset, stated.by, stated.why, rejected=stated.moment, expires=stated.expires
    )
    approvals = history.approvals(run.dataset)
    history.reject(rejection)
    return RejectedRun(
        run,
        rejection,
        was_baseline=bool(approvals) and approvals[-1].run_id == run.id,
        last_gate=_last_gate(history.comparisons(dataset=run.dataset), run),
    )


def _last_gate(comparisons: "list[StoredComparison]", run: Run) -> "StoredComparison | None":
    gates = [comparison for comparison in comparisons if comparison.candidate_id == run.id]
    return gates[-1] if gates else None


def approval_of(run: Run, by: str, why: str, expires: str | None, *, of: str = "") -> Approval:
    """Build the approval of a run.

    Args:
        run: the run.
        by: name of the person who approves it.
        why: the reason.
        expires: expiry as ``read_expiry`` reads it; ``None`` for none.
        of: text before names of settings in messages, as another option may have one.

    Raises:
        InputError: a text is empty, or the expiry is not a moment ahead.
    """
    stated = _read(by, why, expires, what="an approval", of=of)
    return Approval(
        run.id, run.dataset, stated.by, stated.why, approved=stated.moment, expires=stated.expires
    )


@dataclass(frozen=True)
class _Stated:
    """Name, reason, time and expiry of a decision."""

    by: str
    why: str
    moment: datetime
    expires: datetime | None


def _read(by: str, why: str, expires: str | None, *, what: str, of: str = "") -> _Stated:
    moment = now()
    until = None if expires is None else read_expiry(expires, moment)
    for name, text in ((f"{of}by", by), (f"{of}why", why)):
        if not text.strip():
            raise InputError(name, f"must not be empty: {what} names its author and its reason")
    return _Stated(by.strip(), why.strip(), moment, until)


def read_expiry(written: str, at: datetime) -> datetime:
    """Read the time of an expiry: a span from now on, or a date.

    Args:
        written: such as ``90d``, ``12w``, ``24h``, ``2026-12-31`` or ``2026-12-31T18:00``; a date without a
            zone is in UTC, and counts until it begins.
        at: the present time, in UTC.

    Raises:
        InputError: it is neither, or it has passed.

    Examples:
        >>> at = datetime(2026, 11, 21, tzinfo=UTC)
        >>> read_expiry("90d", at).date(), read_expiry("2026-12-31", at).date()
        (datetime.date(2027, 2, 19), datetime.date(2026, 12, 31))
    """
    text = written.strip()
    span = _SPAN.fullmatch(text.lower())
    if span:
        hours = int(span[1]) * _HOURS[span[2]]
        if not 0 < hours <= _LONGEST:
            raise InputError("expires", f"must be a span from 1 hour to 100 years, got {written!r:.40}")
        return at + timedelta(hours=hours)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            "expires", f"must be a span such as 90d, 12w or 24h, or a date, 2027-01-31, got {written!r:.40}"
        ) from None
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment <= at:
        raise InputError(
            "expires", f"must be in the future, got {written!r:.40}: approve for a span such as 90d"
        )
    return moment
