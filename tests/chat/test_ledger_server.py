"""A ledger on a server: claims that lapse, connections that are lost, rights that are missing, and tables."""

import asyncio
import socket
import threading
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.ledger_server import on_database, way_to

from semscale.chat import stored_calls
from semscale.chat.ledger import Job, Ledger
from semscale.chat.messages import Reply
from semscale.chat.stored_calls import StoredCalls
from semscale.errors import InputError, InterruptedRunError, MissingExtraError
from semscale.extras import EXTRAS

pytestmark = pytest.mark.needs("postgres")

KEY, OTHER = b"k" * 20, b"o" * 20
ANSWER = ("replied", '{"text":"4"}')
RECORD = Job("record", KEY, 1, ANSWER)
LAPSE = "UPDATE semscale_writers SET until = 0"
HOLDERS = "SELECT count(DISTINCT writer) FROM semscale_claims"
WRITERS = "SELECT count(*) FROM semscale_writers"
ATTEMPTS = "SELECT count(*) FROM semscale_attempts"


@pytest.fixture
def address(new_database):
    return new_database()


@pytest.fixture
def opened(address):
    """Opens the ledger for one process after the other."""
    stores = []

    def open_ledger(by: str = address) -> StoredCalls:
        from semscale.store.databases.address import read_address

        stores.append(StoredCalls(read_address(by, "ledger"), threading.Event()))
        return stores[-1]

    yield open_ledger
    for store in stores:
        store.close()


def claim(key, run=1):
    return Job("claim", key, run)


def find(key):
    return Job("find", key)


def do(store, *jobs):
    return store.do(jobs)


class TestClaims:
    def test_a_lapsed_claim_goes_to_a_single_other_process(self, address, opened):
        killed, first, second = opened(), opened(), opened()
        assert do(killed, claim(KEY, 1)) == do(first, claim(OTHER, 1)) == [True]
        on_database(address, LAPSE)
        first.renew()
        second.renew()
        asked = [claim(KEY, 5), claim(OTHER, 5)]
        assert do(second, *asked) == [True, False]
        assert do(first, claim(KEY, 1)) == [False]

    def test_a_late_reply_is_stored_and_leaves_the_claim_to_its_new_holder(self, address, opened):
        late, other = opened(), opened()
        do(late, claim(KEY, 1))
        on_database(address, LAPSE)
        assert do(other, claim(KEY, 1)) == [True]
        do(late, RECORD, Job("release", KEY, 1))
        assert do(other, find(KEY), find(OTHER)) == [ANSWER, None]
        assert on_database(address, HOLDERS) == 1

    def test_renewing_keeps_a_claim(self, address, opened):
        slow, other = opened(), opened()
        do(slow, claim(KEY, 1))
        on_database(address, LAPSE)
        slow.renew()
        assert do(other, claim(KEY, 1)) == [False]

    def test_claiming_renews_earlier_claims(self, address, opened):
        busy, other = opened(), opened()
        do(busy, claim(KEY, 1))
        on_database(address, LAPSE)
        do(busy, claim(OTHER, 1))
        assert do(other, claim(KEY, 1)) == [False]

    def test_an_idle_ledger_renews_its_claims(self, address, monkeypatch):
        monkeypatch.setattr(stored_calls, "RENEWED_AFTER", 0.01)
        is_ahead = "SELECT bool_and(until > extract(epoch from clock_timestamp())) FROM semscale_writers"
        with Ledger(address) as ledger:
            asyncio.run(ledger.claim(KEY, 1))
            on_database(address, LAPSE)
            for _ in range(1000):
                if on_database(address, is_ahead):
                    break
            else:
                pytest.fail("the claims were not renewed")

    def test_an_outcome_that_arrives_during_a_claim_is_returned(self, address, opened, monkeypatch):
        early, late = opened(), opened()
        do(late, claim(KEY, 1))
        on_database(address, LAPSE)
        insert = stored_calls.insert_rows

        def insert_after_a_late_reply(connection, table, rows, **settings):
            if table.name == "semscale_claims":
                monkeypatch.undo()
                do(late, RECORD)
            insert(connection, table, rows, **settings)

        monkeypatch.setattr(stored_calls, "insert_rows", insert_after_a_late_reply)
        assert do(early, claim(KEY, 1)) == [ANSWER]
        assert on_database(address, HOLDERS) == 0

    def test_a_writer_that_was_killed_long_ago_is_forgotten(self, address, opened):
        do(opened(), claim(KEY, 1))
        on_database(address, "UPDATE semscale_writers SET until = until - 2 * 86400")
        do(opened(), claim(OTHER, 1))
        assert on_database(address, WRITERS) == on_database(address, HOLDERS) == 1

    def test_closing_leaves_no_writer_and_no_claim(self, address, opened):
        ledger = opened()
        do(ledger, claim(KEY, 1))
        ledger.close()
        assert on_database(address, WRITERS) == on_database(address, HOLDERS) == 0


class TestLostConnections:
    @pytest.mark.exhaustive
    def test_a_resent_statement_counts_once(self, address, opened, monkeypatch):
        with way_to(address) as way:
            ledger = opened(way.address)
            do(ledger, claim(KEY, 1))
            insert = stored_calls.insert_rows

            def insert_and_lose(connection, table, rows, **settings):
                insert(connection, table, rows, **settings)
                if table.name == "semscale_attempts":  # after the server has stored it, before the answer
                    monkeypatch.undo()
                    way.cut()
                    way.mend()

            monkeypatch.setattr(stored_calls, "insert_rows", insert_and_lose)
            assert do(ledger, RECORD, claim(OTHER, 1)) == [None, True]
            assert do(ledger, find(KEY)) == [ANSWER]
            assert on_database(address, ATTEMPTS) == 1
            ledger.close()
        assert on_database(address, HOLDERS) == 0

    def test_a_claim_whose_answer_was_lost_is_still_held(self, opened, address):
        ledger = opened()
        assert do(ledger, claim(KEY)) == do(ledger, claim(KEY)) == [True]
        assert do(ledger, claim(KEY, 2)) == do(opened(), claim(KEY)) == [False]

    @pytest.mark.exhaustive
    def test_renewing_while_the_server_is_away_spoils_nothing(self, address, opened):
        with way_to(address) as way:
            ledger = opened(way.address)
            do(ledger, claim(KEY, 1))
            way.cut()
            ledger.renew()
            ledger.renew()
            way.mend()
            on_database(address, LAPSE)
            ledger.renew()
            assert do(opened(), claim(KEY, 1)) == [False]
            assert do(ledger, RECORD, find(KEY)) == [None, ANSWER]
            ledger.close()

    def test_jobs_are_answered_after_a_failed_renewal(self, address, monkeypatch):
        tried = threading.Event()

        def fail(_server):
            tried.set()
            raise ArithmeticError

        monkeypatch.setattr(stored_calls, "RENEWED_AFTER", 0.01)
        monkeypatch.setattr(StoredCalls, "renew", fail)
        with Ledger(address) as ledger:

            async def claim_and_find():
                await ledger.claim(KEY, 1)
                assert await asyncio.to_thread(tried.wait, 60)
                return await asyncio.wait_for(ledger.find(KEY), 60)

            assert asyncio.run(claim_and_find()) is None

    @pytest.mark.exhaustive
    def test_a_server_that_stays_away_ends_the_run_with_a_remedy(self, address, opened, monkeypatch):
        monkeypatch.setattr(stored_calls, "LONGEST_OUTAGE", 0.3)
        with way_to(address) as way:
            ledger = opened(way.address)
            do(ledger, claim(KEY, 1))
            way.cut()
            with pytest.raises(InterruptedRunError) as caught:
                do(ledger, RECORD)
            ledger.close()
        message = str(caught.value)
        assert message.startswith("the connection to ledger postgresql://postgres@127.0.0.1:")
        assert " was lost and could not be restored within 0.3 s (" in message
        assert message.endswith("stored: start the server and run the same command again")
        assert "s3cret" not in "".join(traceback.format_exception(caught.value))

    @pytest.mark.exhaustive
    def test_closing_does_not_wait_for_a_server_that_stays_away(self, address):
        with way_to(address) as way:
            ledger = Ledger(way.address)

            async def work():
                await ledger.claim(KEY, 1)
                way.cut()
                finding = asyncio.create_task(ledger.find(KEY))
                await asyncio.sleep(0)  # it is in the queue now
                await asyncio.to_thread(ledger.close)
                with pytest.raises(InterruptedRunError, match="could not be restored"):
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

    def test_a_database_that_does_not_exist(self, address):
        with (
            Ledger(address.replace("semscale_test_", "nobody_made_")) as ledger,
            pytest.raises(InputError, match="names a database that does not exist: create it with createdb"),
        ):
            asyncio.run(ledger.find(KEY))

    def test_a_read_only_user_can_forecast_and_cannot_ask(self, address, opened):
        from sqlalchemy.engine import make_url

        user = f"reader_{uuid.uuid4().hex[:8]}"
        do(opened(), RECORD)
        on_database(address, f"CREATE ROLE {user} LOGIN PASSWORD 'looking'")
        on_database(address, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {user}")
        try:
            url = make_url(address).set(username=user, password="looking")
            looking = opened(url.render_as_string(hide_password=False))
            assert do(looking, find(KEY)) == [ANSWER]
            with pytest.raises(InputError, match="denies this to the user: ask for permission"):
                do(looking, claim(OTHER, 1))
            looking.close()
        finally:
            on_database(address, f"DROP OWNED BY {user}")
            on_database(address, f"DROP ROLE {user}")

    def test_missing_tables_are_reported(self, address, opened):
        ledger = opened()
        on_database(address, "DROP TABLE semscale_claims")
        with pytest.raises(InputError) as caught:
            do(ledger, claim(KEY, 1))
        assert str(caught.value).endswith(
            'cannot be used (relation "semscale_claims" does not exist): name another one'
        )

    def test_the_extra_is_missing(self, monkeypatch):
        monkeypatch.setitem(EXTRAS, "postgres", ("no_such_module",))
        with pytest.raises(MissingExtraError, match=r'pip install "semscale\[postgres\]"'):
            Ledger("postgresql://ana@db/team")


class TestTables:
    def test_many_may_make_them_at_once(self, address):
        def use(number: int) -> None:
            with Ledger(address) as ledger:
                asyncio.run(ledger.record(bytes([number]) * 20, 1, Reply("4")))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(use, range(6)))
        assert on_database(address, ATTEMPTS) == 6
        assert on_database(address, "SELECT version_num FROM semscale_version") == "1"

    def test_those_of_a_newer_version_are_refused(self, address):
        with Ledger(address) as ledger:
            asyncio.run(ledger.record(KEY, 1, Reply("4")))
        on_database(address, "UPDATE semscale_version SET version_num = '7'")
        newer = r"ledger .* was created by a newer Semscale \(its tables are of revision 7, .* 1\): install"
        with Ledger(address) as ledger, pytest.raises(InputError, match=newer):
            asyncio.run(ledger.find(KEY))

    def test_an_encoding_that_cannot_keep_every_reply_is_refused(self, new_database):
        address = new_database(encoding="LATIN1")
        with Ledger(address) as ledger, pytest.raises(InputError) as caught:
            asyncio.run(ledger.find(KEY))
        assert str(caught.value).endswith(
            "has the encoding LATIN1, which cannot keep every text: create its database with createdb "
            "--encoding UTF8"
        )
