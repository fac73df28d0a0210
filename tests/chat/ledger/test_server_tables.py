"""Tables of a ledger on a server: made once, brought up to date, and refused where they are newer."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from ledger_server import on_database

from semscale.chat.ledger.ledger import Ledger
from semscale.chat.messages import Reply
from semscale.errors import InputError

pytestmark = pytest.mark.needs("postgres")
KEY = b"k" * 20


def test_many_may_make_the_tables_at_once(new_database):
    place = new_database()

    def use(number: int) -> None:
        with Ledger(place) as ledger:
            asyncio.run(ledger.record(bytes([number]) * 20, 1, Reply("4")))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(use, range(6)))
    assert on_database(place, "SELECT count(*) FROM semscale_ledger_attempts") == 6
    assert on_database(place, "SELECT version FROM semscale_ledger_version") == 1


def test_a_newer_version_is_refused(new_database):
    place = new_database()
    with Ledger(place) as ledger:
        asyncio.run(ledger.record(KEY, 1, Reply("4")))
    on_database(place, "UPDATE semscale_ledger_version SET version = 7")
    with (
        Ledger(place) as ledger,
        pytest.raises(
            InputError, match=r"newer Semscale \(its tables are of version 7, known .* up to 1\): pip install"
        ),
    ):
        asyncio.run(ledger.find(KEY))


def test_an_older_version_is_brought_up_to_date(new_database, monkeypatch):
    place = new_database()
    with Ledger(place) as ledger:
        asyncio.run(ledger.record(KEY, 1, Reply("4")))
    from semscale.chat.ledger import server_tables

    later = ("ALTER TABLE semscale_ledger_attempts ADD COLUMN note text",)
    monkeypatch.setattr(server_tables, "STEPS", (*server_tables.STEPS, later))
    with Ledger(place) as ledger:
        assert asyncio.run(ledger.find(KEY)) == Reply("4")
    assert on_database(place, "SELECT version FROM semscale_ledger_version") == 2
    assert on_database(place, "SELECT count(note) FROM semscale_ledger_attempts") == 0


def test_an_encoding_that_cannot_keep_every_reply_is_refused(postgres_server, new_database):
    place = new_database(encoding="LATIN1")
    with Ledger(place) as ledger, pytest.raises(InputError) as caught:
        asyncio.run(ledger.find(KEY))
    assert str(caught.value).endswith(
        "has the encoding LATIN1, which cannot keep every reply: create its database with createdb "
        "--encoding UTF8"
    )


def test_a_ledger_and_a_history_may_share_a_database(new_database):
    from semscale.history.history import open_history

    place = new_database()
    with Ledger(place) as ledger:
        asyncio.run(ledger.record(KEY, 1, Reply("4")))
        with open_history(place) as history:
            assert history.runs() == []
        assert asyncio.run(ledger.find(KEY)) == Reply("4")
