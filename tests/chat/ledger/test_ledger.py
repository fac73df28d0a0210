"""The ledger: claims, final outcomes and attempts, in a file and on a server; errors of its file."""

import asyncio

import pytest

from semscale.chat.ledger.file import Claim
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.errors import InputError

KEY, OTHER = b"k" * 20, b"o" * 20
TIMEOUT = CallError("late", kind=FailureKind.TIMEOUT, raw="")
REFUSED = CallError("no", kind=FailureKind.REFUSED, raw="{}")
# Quotes, backslashes, braces and commas delimit texts on their way to a server; it keeps no NUL.
AWKWARD = Reply('{"a\\": [1, "\x00é😀"]}, NULL', raw="{}\n", seconds=0.5)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgres"))])
def place(request, tmp_path) -> str:
    """The place of an empty ledger."""
    return str(tmp_path / "l") if request.param == "sqlite" else request.getfixturevalue("new_database")()


@pytest.mark.exhaustive
def test_a_call_belongs_to_the_first_run_that_claims_it(place):
    async def work(ledger):
        first, second = await ledger.claim(KEY, 1), await ledger.claim(KEY, 2)
        other = await ledger.claim(OTHER, 2)
        await ledger.release(KEY, 1)
        return first, second, other, await ledger.claim(KEY, 2)

    with Ledger(place) as ledger:
        first, second, other, after = asyncio.run(work(ledger))
    assert second is Claim.ELSEWHERE
    assert first is other is after
    assert first is not Claim.ELSEWHERE


def test_a_final_outcome_is_found_again_and_others_are_not(place):
    async def work(ledger):
        await ledger.record(KEY, 1, TIMEOUT)
        before = await ledger.find(KEY)
        await ledger.record(KEY, 1, Reply("4", raw="{}"))
        await ledger.record(OTHER, 1, REFUSED)
        return before, await ledger.find(KEY), await ledger.claim(OTHER, 2), await ledger.attempts(KEY)

    with Ledger(place) as ledger:
        before, reply, refused, attempts = asyncio.run(work(ledger))
    assert before is None
    assert reply == Reply("4", raw="{}")
    assert (str(refused), refused.kind, refused.raw) == ("no", FailureKind.REFUSED, "{}")
    assert [attempt.status for attempt in attempts] == ["timeout", "replied"]


def test_half_of_a_surrogate_pair_is_kept(place):
    reply, refusal = Reply("4", raw="\ud83d"), CallError("no", kind=FailureKind.REFUSED, raw="\udc00")

    async def work(ledger):
        await ledger.record(KEY, 1, reply)
        await ledger.record(OTHER, 1, refusal)
        return await ledger.find(KEY), await ledger.find(OTHER)

    with Ledger(place) as ledger:
        found, refused = asyncio.run(work(ledger))
    assert found == reply
    assert refused.raw == "\udc00"


def test_a_closed_ledger_opens_its_file_again(place):
    ledger = Ledger(place)
    asyncio.run(ledger.record(KEY, 1, Reply("4")))
    ledger.close()
    assert asyncio.run(ledger.find(KEY)) == Reply("4")
    ledger.close()


def test_another_process_has_to_wait_until_a_call_is_released_or_its_ledger_closed(place):
    async def work(ours, other):
        claims = [await ours.claim(KEY, 1), await other.claim(KEY, 1)]
        await other.release(KEY, 1)  # it is not theirs to release
        claims.append(await other.claim(KEY, 1))
        await ours.release(KEY, 1)
        claims += [await other.claim(KEY, 1), await other.claim(OTHER, 1)]
        other.close()
        return [*claims, await ours.claim(OTHER, 2)]

    with Ledger(place) as ours, Ledger(place) as other:
        claims = asyncio.run(work(ours, other))
    assert claims == [Claim.OURS, Claim.ELSEWHERE, Claim.ELSEWHERE, Claim.OURS, Claim.OURS, Claim.OURS]


def test_what_is_asked_at_once_is_answered_in_its_order(place):
    async def work(ledger):
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(each)
                for each in (
                    ledger.find(KEY),
                    ledger.record(KEY, 1, AWKWARD),
                    ledger.claim(OTHER, 1),
                    ledger.find(KEY),
                    ledger.record(OTHER, 1, REFUSED),
                    ledger.claim(OTHER, 2),
                    ledger.attempts(KEY),
                )
            ]
        return [each.result() for each in asked]

    with Ledger(place) as ledger:
        found = asyncio.run(work(ledger))
    assert found[:5] == [None, None, Claim.OURS, AWKWARD, None]
    assert found[5].kind is FailureKind.REFUSED
    assert [attempt.status for attempt in found[6]] == ["replied"]


def test_the_environment_names_the_ledger_of_those_who_name_none(place, monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", place)
    with Ledger() as ledger:
        asyncio.run(ledger.record(KEY, 1, AWKWARD))
    with Ledger(place) as ledger:
        assert asyncio.run(ledger.find(KEY)) == AWKWARD


def test_a_url_of_something_else_is_refused_without_its_password():
    with pytest.raises(InputError) as caught:
        Ledger("mysql://ana:s3cret@db/team")
    assert str(caught.value) == (
        "ledger must be a path, sqlite:///... or postgresql://..., got 'mysql://ana@db/team'"
    )


def test_an_address_in_the_environment_is_refused_under_the_variable_s_name(monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", "mysql://ana:s3cret@db/team")
    with pytest.raises(InputError) as caught:
        Ledger()
    assert str(caught.value) == (
        "SEMSCALE_LEDGER must be a path, sqlite:///... or postgresql://..., got 'mysql://ana@db/team'"
    )
    monkeypatch.setenv("SEMSCALE_LEDGER", " ")
    with pytest.raises(InputError, match=r"^SEMSCALE_LEDGER must be .* name one, such as ledger\.sqlite$"):
        Ledger()


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_name_is_refused(blank):
    with pytest.raises(
        InputError, match="ledger must be a file that lasts, got .*: name one, such as ledger"
    ):
        Ledger(blank)


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
