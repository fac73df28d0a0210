"""The ledger: claims, final outcomes, attempts, and errors of its file."""

import asyncio

import pytest

from semscale.chat.ledger.file import Claim
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.replies import CallError, FailureKind, Reply
from semscale.errors import InputError

KEY, OTHER = b"k" * 20, b"o" * 20
TIMEOUT = CallError("late", kind=FailureKind.TIMEOUT, raw="")
REFUSED = CallError("no", kind=FailureKind.REFUSED, raw="{}")


def test_a_call_belongs_to_the_first_run_that_claims_it(tmp_path):
    async def work(ledger):
        first, second = await ledger.claim(KEY, 1), await ledger.claim(KEY, 2)
        other = await ledger.claim(OTHER, 2)
        await ledger.release(KEY, 1)
        return first, second, other, await ledger.claim(KEY, 2)

    with Ledger(tmp_path / "l") as ledger:
        first, second, other, after = asyncio.run(work(ledger))
    assert second is Claim.ELSEWHERE
    assert first is other is after
    assert first is not Claim.ELSEWHERE


def test_a_final_outcome_is_found_again_and_others_are_not(tmp_path):
    async def work(ledger):
        await ledger.record(KEY, 1, TIMEOUT)
        before = await ledger.find(KEY)
        await ledger.record(KEY, 1, Reply("4", raw="{}"))
        await ledger.record(OTHER, 1, REFUSED)
        return before, await ledger.find(KEY), await ledger.claim(OTHER, 2), await ledger.attempts(KEY)

    with Ledger(tmp_path / "l") as ledger:
        before, reply, refused, attempts = asyncio.run(work(ledger))
    assert before is None
    assert reply == Reply("4", raw="{}")
    assert (str(refused), refused.kind, refused.raw) == ("no", FailureKind.REFUSED, "{}")
    assert [attempt.status for attempt in attempts] == ["timeout", "replied"]


def test_a_closed_ledger_opens_its_file_again(tmp_path):
    ledger = Ledger(tmp_path / "l")
    asyncio.run(ledger.record(KEY, 1, Reply("4")))
    ledger.close()
    assert asyncio.run(ledger.find(KEY)) == Reply("4")
    ledger.close()


def test_a_file_that_is_no_ledger_is_named(tmp_path):
    (tmp_path / "l").write_text("no database, only text " * 100)
    with Ledger(tmp_path / "l") as ledger, pytest.raises(InputError, match="cannot be used as a ledger"):
        asyncio.run(ledger.find(KEY))


def test_a_file_that_may_not_be_written_is_named_with_what_to_do(tmp_path):
    # SQLite opens a folder as little as a file without permission.
    with (
        Ledger(tmp_path) as ledger,
        pytest.raises(InputError, match="check its permissions, or name"),
    ):
        asyncio.run(ledger.find(KEY))
