"""A ledger on a server: claims that lapse, connections that are lost, and rights that are missing."""

import asyncio
import socket
import threading
import traceback
import uuid

import pytest
from ledger_server import on_database, way_to

from semscale.chat.ledger import server
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.ledger.operations import (
    Attempt,
    Claim,
    ClaimCall,
    FindOutcome,
    ListAttempts,
    RecordAttempt,
    ReleaseCall,
)
from semscale.errors import InputError, InterruptedRunError, MissingExtraError
from semscale.extras import EXTRAS

pytestmark = pytest.mark.needs("postgres")

KEY, OTHER = b"k" * 20, b"o" * 20
ANSWER = Attempt("replied", '{"text":"4"}')
LAPSE = "UPDATE semscale_ledger_writers SET until = clock_timestamp()"
OWNERS = "SELECT count(DISTINCT owner) FROM semscale_ledger_claims"
WRITERS = "SELECT count(*) FROM semscale_ledger_writers"


@pytest.fixture
def place(new_database):
    return new_database()


@pytest.fixture
def opened(place):
    """Opens the ledger for one process after the other."""
    all_of_them = []

    def open_one(by: str = place) -> server.LedgerServer:
        from semscale.store.databases.address import read_address

        all_of_them.append(server.LedgerServer(read_address(by, "ledger"), threading.Event()))
        return all_of_them[-1]

    yield open_one
    for each in all_of_them:
        each.close()


def do(ledger, *operations):
    return ledger.do(operations)


class TestClaims:
    def test_one_that_was_not_renewed_in_time_is_taken_over_by_one_other(self, place, opened):
        killed, first, second = opened(), opened(), opened()
        assert do(killed, ClaimCall(KEY, 1)) == do(first, ClaimCall(OTHER, 1)) == [Claim.OURS]
        on_database(place, LAPSE)
        first.renew()
        second.renew()
        asked = [ClaimCall(KEY, 5), ClaimCall(OTHER, 5)]
        assert do(second, *asked) == [Claim.OURS, Claim.ELSEWHERE]
        assert do(first, ClaimCall(KEY, 1)) == [Claim.ELSEWHERE]

    def test_a_late_reply_is_kept_and_leaves_the_claim_to_who_has_it_now(self, place, opened):
        late, other = opened(), opened()
        do(late, ClaimCall(KEY, 1))
        on_database(place, LAPSE)
        assert do(other, ClaimCall(KEY, 1)) == [Claim.OURS]
        do(late, RecordAttempt(KEY, 1, ANSWER), ReleaseCall(KEY, 1))
        assert do(other, ListAttempts(KEY), FindOutcome(OTHER)) == [[ANSWER], None]
        assert on_database(place, OWNERS) == 1

    def test_renewing_keeps_a_claim(self, place, opened):
        slow, other = opened(), opened()
        do(slow, ClaimCall(KEY, 1))
        on_database(place, LAPSE)
        slow.renew()
        assert do(other, ClaimCall(KEY, 1)) == [Claim.ELSEWHERE]

    def test_claiming_renews_what_was_claimed_before(self, place, opened):
        busy, other = opened(), opened()
        do(busy, ClaimCall(KEY, 1))
        on_database(place, LAPSE)
        do(busy, ClaimCall(OTHER, 1))
        assert do(other, ClaimCall(KEY, 1)) == [Claim.ELSEWHERE]

    def test_an_idle_ledger_renews_by_itself(self, place, monkeypatch):
        monkeypatch.setattr(server, "RENEWED_AFTER", 0.01)
        is_ahead = "SELECT bool_and(until > clock_timestamp()) FROM semscale_ledger_writers"
        with Ledger(place) as ledger:
            asyncio.run(ledger.claim(KEY, 1))
            on_database(place, LAPSE)
            for _ in range(1000):
                if on_database(place, is_ahead):
                    break
            else:
                pytest.fail("the claims were not renewed")

    def test_an_outcome_that_comes_while_a_call_is_claimed_is_found(self, place, opened, monkeypatch):
        ours, late = opened(), opened()
        do(late, ClaimCall(KEY, 1))
        on_database(place, LAPSE)
        find = server.statements.find

        def find_after_a_late_reply(*arguments):
            do(late, RecordAttempt(KEY, 1, ANSWER))
            return find(*arguments)

        monkeypatch.setattr(server.statements, "find", find_after_a_late_reply)
        assert do(ours, ClaimCall(KEY, 1)) == [ANSWER]
        assert on_database(place, OWNERS) == 0

    def test_a_writer_that_was_killed_long_ago_is_forgotten(self, place, opened):
        do(opened(), ClaimCall(KEY, 1))
        on_database(place, "UPDATE semscale_ledger_writers SET until = until - interval '2 days'")
        do(opened(), ClaimCall(OTHER, 1))
        assert on_database(place, WRITERS) == on_database(place, OWNERS) == 1

    def test_closing_leaves_no_writer_and_no_claim(self, place, opened):
        ledger = opened()
        do(ledger, ClaimCall(KEY, 1))
        ledger.close()
        assert on_database(place, WRITERS) == on_database(place, OWNERS) == 0


class TestLostConnections:
    def test_what_was_sent_is_sent_again_and_counts_once(self, place, opened, monkeypatch):
        with way_to(place) as way:
            ledger = opened(way.place)
            do(ledger, ClaimCall(KEY, 1))
            record, cuts = server.statements.record, iter([True, False])

            def record_and_lose(*arguments):
                record(*arguments)
                if next(cuts):  # after the server has stored it, and before anybody hears so
                    way.cut()
                    way.mend()
                    server.statements.find(arguments[0], [KEY])

            monkeypatch.setattr(server.statements, "record", record_and_lose)
            assert do(ledger, RecordAttempt(KEY, 1, ANSWER), ClaimCall(OTHER, 1)) == [None, Claim.OURS]
            assert do(ledger, ListAttempts(KEY)) == [[ANSWER]]
            ledger.close()
        assert on_database(place, OWNERS) == 0

    def test_a_claim_whose_answer_was_lost_is_still_ours(self, opened, place):
        ledger = opened()
        assert do(ledger, ClaimCall(KEY, 1)) == do(ledger, ClaimCall(KEY, 1)) == [Claim.OURS]
        assert do(ledger, ClaimCall(KEY, 2)) == do(opened(), ClaimCall(KEY, 1)) == [Claim.ELSEWHERE]

    def test_renewing_while_the_server_is_away_spoils_nothing(self, place, opened):
        with way_to(place) as way:
            ledger = opened(way.place)
            do(ledger, ClaimCall(KEY, 1))
            way.cut()
            ledger.renew()
            ledger.renew()
            way.mend()
            on_database(place, LAPSE)
            ledger.renew()
            assert do(opened(), ClaimCall(KEY, 1)) == [Claim.ELSEWHERE]
            assert do(ledger, RecordAttempt(KEY, 1, ANSWER), FindOutcome(KEY)) == [None, ANSWER]
            ledger.close()

    def test_whatever_goes_wrong_with_a_renewal_later_jobs_are_answered(self, place, monkeypatch):
        tried = threading.Event()

        def fail(_server):
            tried.set()
            raise ArithmeticError

        monkeypatch.setattr(server, "RENEWED_AFTER", 0.01)
        monkeypatch.setattr(server.LedgerServer, "renew", fail)
        with Ledger(place) as ledger:

            async def claim_and_find():
                await ledger.claim(KEY, 1)
                assert await asyncio.to_thread(tried.wait, 60)
                return await asyncio.wait_for(ledger.find(KEY), 60)

            assert asyncio.run(claim_and_find()) is None

    def test_a_server_that_stays_away_ends_the_run_and_says_what_to_do(self, place, opened, monkeypatch):
        monkeypatch.setattr(server, "LONGEST_OUTAGE", 0.3)
        with way_to(place) as way:
            ledger = opened(way.place)
            do(ledger, ClaimCall(KEY, 1))
            way.cut()
            with pytest.raises(InterruptedRunError) as caught:
                do(ledger, RecordAttempt(KEY, 1, ANSWER))
            ledger.close()
        message = str(caught.value)
        assert message.startswith(f"ledger postgresql://postgres@127.0.0.1:{way.port}/semscale_test_")
        assert " was lost and not found again within 0.3 s (" in message
        assert message.endswith("kept: see that the server runs, and give the same command again")
        assert "s3cret" not in "".join(traceback.format_exception(caught.value))

    def test_closing_does_not_wait_for_a_server_that_stays_away(self, place):
        with way_to(place) as way:
            ledger = Ledger(way.place)

            async def work():
                await ledger.claim(KEY, 1)
                way.cut()
                finding = asyncio.create_task(ledger.find(KEY))
                await asyncio.sleep(0)  # it is in the queue now
                await asyncio.to_thread(ledger.close)
                with pytest.raises(InterruptedRunError, match="not found again"):
                    await finding

            asyncio.run(work())


class TestRefusals:
    def test_no_server_listens(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            with (
                Ledger(f"postgresql://ana:s3cret@127.0.0.1:{port}/team") as ledger,
                pytest.raises(InputError) as caught,
            ):
                asyncio.run(ledger.find(KEY))
        message = str(caught.value)
        assert message.startswith(f"ledger postgresql://ana@127.0.0.1:{port}/team cannot be used (")
        assert message.endswith("): check host, port and sslmode, and that the server is running")
        assert "s3cret" not in "".join(traceback.format_exception(caught.value))

    def test_a_database_that_does_not_exist(self, place):
        with (
            Ledger(place.replace("semscale_test_", "nobody_made_")) as ledger,
            pytest.raises(InputError, match="names a database that does not exist: create it with createdb"),
        ):
            asyncio.run(ledger.find(KEY))

    def test_who_may_only_look_can_forecast_and_cannot_ask(self, place, opened):
        from sqlalchemy.engine import make_url

        user = f"reader_{uuid.uuid4().hex[:8]}"
        do(opened(), RecordAttempt(KEY, 1, ANSWER))
        on_database(place, f"CREATE ROLE {user} LOGIN PASSWORD 'looking'")
        on_database(place, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {user}")
        try:
            url = make_url(place).set(username=user, password="looking")
            looking = opened(url.render_as_string(hide_password=False))
            assert do(looking, FindOutcome(KEY)) == [ANSWER]
            with pytest.raises(InputError, match="does not let this user do that: ask for the right"):
                do(looking, ClaimCall(OTHER, 1))
            looking.close()
        finally:
            on_database(place, f"DROP OWNED BY {user}")
            on_database(place, f"DROP ROLE {user}")

    def test_tables_that_somebody_removed(self, place, opened):
        ledger = opened()
        on_database(place, "DROP TABLE semscale_ledger_claims")
        with pytest.raises(InputError) as caught:
            do(ledger, ClaimCall(KEY, 1))
        assert str(caught.value).endswith(
            'cannot be used (relation "semscale_ledger_claims" does not exist): name another one'
        )

    def test_the_extra_is_missing(self, monkeypatch):
        monkeypatch.setitem(EXTRAS, "postgres", ("no_such_module",))
        with pytest.raises(MissingExtraError, match=r'pip install "semscale\[postgres\]"'):
            Ledger("postgresql://ana@db/team")
