"""The ledger: reservations and results of calls, in a file and on a server, and errors of its file."""

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.chat import ledger as ledger_module
from semscale.chat.ledger import Job, Ledger, dump_reply, load_reply
from semscale.chat.messages import CallError, FailureKind, Reply, TokenLogprob, Usage
from semscale.chat.stored_calls import StoredCalls
from semscale.errors import InputError, InterruptedRunError
from semscale.store.databases.address import read_address

KEY, OTHER = b"k" * 20, b"o" * 20
TIMEOUT = CallError("late", kind=FailureKind.TIMEOUT, raw="")
REFUSED = CallError("no", kind=FailureKind.REFUSED, raw="{}")
# Quotes, backslashes, braces and commas delimit texts on their way to a server; it keeps no NUL.
AWKWARD = Reply('{"a\\": [1, "\x00é😀"]}, NULL', raw="{}\n", seconds=0.5)
STORED = ("replied", '{"text":"4"}')


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgres"))])
def location(request, tmp_path) -> str:
    """The place of an empty ledger."""
    return str(tmp_path / "l") if request.param == "sqlite" else request.getfixturevalue("new_database")()


@pytest.fixture
def opened():
    """Opens ledgers, each as a process of its own would."""
    stores = []

    def open_ledger(location: str) -> StoredCalls:
        stores.append(StoredCalls(read_address(location, "ledger"), threading.Event()))
        return stores[-1]

    yield open_ledger
    for store in stores:
        store.close()


def claim(store, run=1, key=KEY):
    return store.do([Job("claim", key, run)])[0]


class TestReservations:
    def test_a_call_belongs_to_the_first_run_that_claims_it(self, location, opened):
        store = opened(location)
        assert [claim(store, 1), claim(store, 2), claim(store, 2, OTHER)] == [True, False, True]
        store.do([Job("release", KEY, 1)])
        assert claim(store, 2)

    def test_a_call_claimed_by_two_runs_at_once_goes_to_a_single_run(self, location, opened):
        assert sorted(opened(location).do([Job("claim", KEY, 1), Job("claim", KEY, 2)])) == [False, True]

    def test_a_repeated_claim_of_the_same_run_succeeds(self, location, opened):
        store = opened(location)
        assert [claim(store), claim(store)] == [True, True]

    def test_a_second_process_waits_until_a_call_is_released_or_its_ledger_closed(self, location, opened):
        left, right = opened(location), opened(location)
        assert [claim(left), claim(right)] == [True, False]
        right.do([Job("release", KEY, 1)])  # the claim of the left one stays
        assert not claim(right)
        left.do([Job("release", KEY, 1)])
        assert [claim(right), claim(right, 1, OTHER)] == [True, True]
        right.close()
        assert claim(left, 2, OTHER)

    def test_a_waiting_run_gets_the_reply_of_the_asking_run(self, location, monkeypatch):
        monkeypatch.setattr(ledger_module, "_LOOK_AGAIN", 0.0)

        async def work(asking, waiting):
            assert await asking.claim(KEY, 1) is None
            reply = asyncio.create_task(waiting.claim(KEY, 1))
            await waiting.find(KEY)  # its first look is over
            await asking.record(KEY, 1, AWKWARD)
            return await reply

        with Ledger(location) as asking, Ledger(location) as waiting:
            assert asyncio.run(work(asking, waiting)) == AWKWARD

    def test_a_cancelled_claim_reserves_nothing(self, location, opened):
        async def work(ledger):
            claiming = asyncio.create_task(ledger.claim(KEY, 1))
            await asyncio.sleep(0)  # it is in the queue now
            claiming.cancel()
            await asyncio.gather(claiming, return_exceptions=True)

        with Ledger(location) as ledger:
            asyncio.run(work(ledger))
            assert claim(opened(location))

    def test_jobs_of_a_batch_all_get_an_answer(self, location, opened):
        store = opened(location)
        assert claim(store)
        jobs = [
            Job("claim", OTHER, 1),
            Job("find", KEY),
            Job("record", KEY, 1, STORED),
            Job("claim", KEY, 2),
            Job("find", b"x" * 20),
        ]
        # Results are stored before anything is looked up.
        assert store.do(jobs) == [True, STORED, None, STORED, None]


class TestResults:
    def test_replies_and_refusals_are_final_and_other_failures_are_not(self, location):
        async def work(ledger):
            await ledger.record(KEY, 1, TIMEOUT)
            before = await ledger.find(KEY)
            await ledger.record(KEY, 1, Reply("4", raw="{}"))
            await ledger.record(OTHER, 1, REFUSED)
            return before, await ledger.find(KEY), await ledger.claim(OTHER, 2)

        with Ledger(location) as ledger:
            before, reply, refused = asyncio.run(work(ledger))
        assert before is None
        assert reply == Reply("4", raw="{}")
        assert (str(refused), refused.kind, refused.raw) == ("no", FailureKind.REFUSED, "{}")

    def test_the_first_of_two_replies_counts(self, location):
        async def work(ledger):
            for text in ("first", "second"):
                await ledger.record(KEY, 1, Reply(text))
            return await ledger.find(KEY)

        with Ledger(location) as ledger:
            assert asyncio.run(work(ledger)).text == "first"

    def test_half_of_a_surrogate_pair_is_stored(self, location):
        reply, refusal = Reply("4", raw="\ud83d"), CallError("no", kind=FailureKind.REFUSED, raw="\udc00")

        async def work(ledger):
            await ledger.record(KEY, 1, reply)
            await ledger.record(OTHER, 1, refusal)
            return await ledger.find(KEY), await ledger.find(OTHER)

        with Ledger(location) as ledger:
            stored, refused = asyncio.run(work(ledger))
        assert stored == reply
        assert refused.raw == "\udc00"

    def test_a_closed_ledger_opens_again(self, location):
        ledger = Ledger(location)
        asyncio.run(ledger.record(KEY, 1, Reply("4")))
        ledger.close()
        assert asyncio.run(ledger.find(KEY)) == Reply("4")
        ledger.close()

    def test_many_jobs_at_once(self, location):
        keys = [number.to_bytes(20) for number in range(300)]

        async def ask(ledger, key):
            assert await ledger.claim(key, 1) is None
            await ledger.record(key, 1, Reply(key.hex()))

        async def work(ledger):
            async with asyncio.TaskGroup() as group:
                for key in keys:
                    group.create_task(ask(ledger, key))
            return await asyncio.gather(*map(ledger.find, keys))

        with Ledger(location) as ledger:
            replies = asyncio.run(work(ledger))
        assert [reply.text for reply in replies] == [key.hex() for key in keys]

    def test_a_ledger_and_a_history_may_share_a_database(self, location):
        from semscale.history.history import open_history

        with Ledger(location) as ledger:
            asyncio.run(ledger.record(KEY, 1, Reply("4")))
            with open_history(location) as history:
                assert history.runs() == []
            assert asyncio.run(ledger.find(KEY)) == Reply("4")


LOGPROBS = st.floats(max_value=0.0, allow_nan=False, allow_infinity=False)
TOKENS = st.builds(
    TokenLogprob, st.text(), LOGPROBS, st.lists(st.tuples(st.text(), LOGPROBS), max_size=3).map(tuple)
)
REPLIES = st.builds(
    Reply,
    text=st.text(),
    finish_reason=st.sampled_from(["stop", "length"]),
    usage=st.none() | st.builds(Usage, st.integers(0, 10**9), st.integers(0, 10**9)),
    logprobs=st.none() | st.lists(TOKENS, max_size=3).map(tuple),
    model=st.text(),
    raw=st.text(),
)


class TestForm:
    @given(REPLIES)
    def test_every_reply_comes_back_equal(self, reply):
        assert load_reply(dump_reply(reply)) == reply

    def test_the_form_is_that_of_older_ledgers(self):
        # Written by hand: a ledger of years ago must still be read.
        stored = '{"text":"4","finish_reason":"stop","usage":[12,1],"logprobs":null,"model":"m","raw":"{}"}'
        assert dump_reply(Reply("4", "stop", Usage(12, 1), None, "m", "{}")) == stored

    def test_the_duration_of_a_call_is_stored_and_ignored_in_comparisons(self):
        reply = Reply("4", seconds=1.25)
        assert load_reply(dump_reply(reply)).seconds == 1.25
        assert load_reply(dump_reply(Reply("4"))).seconds is None
        assert reply == Reply("4")

    def test_half_of_a_surrogate_pair_comes_back_and_can_be_stored(self):
        reply = Reply("a whole \U0001f600", raw="a cut-off \ud83d")
        stored = dump_reply(reply)
        assert '"raw":"a cut-off \\ud83d"' in stored
        assert stored.isascii()
        assert load_reply(stored) == reply


class TestAddresses:
    def test_the_environment_names_the_default_ledger(self, location, monkeypatch):
        monkeypatch.setenv("SEMSCALE_LEDGER", location)
        with Ledger() as ledger:
            asyncio.run(ledger.record(KEY, 1, AWKWARD))
        with Ledger(location) as ledger:
            assert asyncio.run(ledger.find(KEY)) == AWKWARD

    def test_a_url_of_something_else_is_refused_without_its_password(self):
        with pytest.raises(InputError) as caught:
            Ledger("mysql://ana:s3cret@db/team")
        assert str(caught.value) == (
            "ledger must be a path, sqlite:///... or postgresql://..., got 'mysql://ana@db/team'"
        )

    def test_an_address_in_the_environment_is_refused_under_the_variable_s_name(self, monkeypatch):
        monkeypatch.setenv("SEMSCALE_LEDGER", "mysql://ana:s3cret@db/team")
        with pytest.raises(InputError) as caught:
            Ledger()
        assert str(caught.value) == (
            "SEMSCALE_LEDGER must be a path, sqlite:///... or postgresql://..., got 'mysql://ana@db/team'"
        )
        monkeypatch.setenv("SEMSCALE_LEDGER", " ")
        with pytest.raises(
            InputError, match=r"^SEMSCALE_LEDGER must be .* name one, such as ledger\.sqlite$"
        ):
            Ledger()

    @pytest.mark.parametrize("blank", ["", "  "])
    def test_a_blank_name_is_refused(self, blank):
        with pytest.raises(
            InputError, match="ledger must be a file on disk, got .*: name one, such as ledger"
        ):
            Ledger(blank)


KILLED = """
import sys, threading
from semscale.chat.ledger import Job
from semscale.chat.stored_calls import StoredCalls
from semscale.store.databases.address import read_address
store = StoredCalls(read_address(sys.argv[1], "ledger"), threading.Event())
print(store.do([Job("claim", b"k" * 20, 1)]), flush=True)
sys.stdin.read()
"""


def locks_in(folder):
    return [path.name for path in folder.iterdir() if path.name != "entrance"]


class TestFile:
    def test_the_claims_of_a_killed_process_need_not_be_waited_for(self, tmp_path, opened):
        path = tmp_path / "l"
        command = [sys.executable, "-c", KILLED, str(path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "[True]\n"
            store = opened(path)
            assert not claim(store)
            process.kill()
            process.communicate()
        assert claim(store)
        assert len(locks_in(tmp_path / "l.owners")) == 1  # that of the killed process is gone

    @pytest.mark.exhaustive
    def test_the_next_process_removes_the_locks_of_those_that_were_killed(self, tmp_path, opened):
        path = tmp_path / "l"
        running = opened(path)
        assert claim(running, 1, OTHER)
        for _ in range(2):
            command = [sys.executable, "-c", KILLED, str(path)]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                process.stdout.readline()  # it has its lock
                process.kill()
        assert claim(opened(path), 1, b"x" * 20)
        assert len(locks_in(tmp_path / "l.owners")) == 2
        running.close()
        assert len(locks_in(tmp_path / "l.owners")) == 1

    def test_a_linked_folder_of_locks_is_refused_and_left_alone(self, tmp_path, opened):
        home = tmp_path / "home"
        home.mkdir()
        (home / "thesis.txt").write_text("precious")
        (home / ("0" * 16)).write_text("precious, too")
        (tmp_path / "l.owners").symlink_to(home)
        with pytest.raises(
            InputError, match=r"^ledger: .*l\.owners is a link, which Semscale never makes there"
        ):
            claim(opened(tmp_path / "l"))
        assert sorted(os.listdir(home)) == ["0" * 16, "thesis.txt"]

    @pytest.mark.parametrize("name", ["entrance", "0123456789abcdef"])
    @pytest.mark.parametrize("kind", ["link", "pipe"])
    @pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes with a path")
    def test_a_lock_that_is_no_plain_file_is_refused(self, tmp_path, opened, name, kind):
        folder, elsewhere = tmp_path / "l.owners", tmp_path / "elsewhere"
        folder.mkdir()
        elsewhere.write_text("precious")
        if kind == "link":
            (folder / name).symlink_to(elsewhere)
        else:
            os.mkfifo(folder / name)
        with pytest.raises(InputError, match=f"{name} is a {kind}, which Semscale never makes there"):
            claim(opened(tmp_path / "l"))
        assert elsewhere.read_text() == "precious"

    @pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
    def test_a_link_next_to_the_file_is_refused(self, tmp_path, opened, ending):
        (tmp_path / "elsewhere").write_text("precious")
        (tmp_path / f"l{ending}").symlink_to("elsewhere")
        with pytest.raises(
            InputError, match=f"^ledger: .*l{ending} is a link, which Semscale never makes there"
        ):
            claim(opened(tmp_path / "l"))
        assert (tmp_path / "elsewhere").read_text() == "precious"

    def test_only_lock_files_are_removed(self, tmp_path, opened):
        folder = tmp_path / "l.owners"
        (folder / "sub").mkdir(parents=True)
        (folder / "notes.txt").write_text("precious")
        (folder / "0123456789abcdef").touch()
        assert claim(opened(tmp_path / "l"))
        names = set(os.listdir(folder))
        assert {"sub", "notes.txt", "entrance"} < names
        assert "0123456789abcdef" not in names

    @pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
    def test_only_the_user_may_look_into_it(self, tmp_path, opened):
        claim(opened(tmp_path / "new" / "l"))
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new", *tmp_path.rglob("l*"))
        }
        files = dict.fromkeys(["l", "l-wal", "l-shm"], 0o600)
        assert modes == {"new": 0o700, "l.owners": 0o700} | files

    @pytest.mark.exhaustive
    def test_many_may_open_a_new_file_at_once(self, tmp_path):
        def use(path, number, together):
            together.wait()
            with Ledger(path) as ledger:
                asyncio.run(ledger.record(bytes([number]) * 20, 1, Reply("4")))

        for turn in range(30):
            path, together = tmp_path / str(turn), threading.Barrier(4)
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(use, [path] * 4, range(4), [together] * 4))
            with sqlite3.connect(path) as connection:
                assert connection.execute("SELECT count(*) FROM semscale_attempts").fetchone() == (4,)

    def test_a_reply_is_on_disk_when_it_is_recorded(self, tmp_path):
        with Ledger(tmp_path / "l") as ledger:
            asyncio.run(ledger.record(KEY, 1, Reply("4")))
            with sqlite3.connect(tmp_path / "l") as connection:
                (stored,) = connection.execute("SELECT status FROM semscale_attempts").fetchall()
        assert stored == ("replied",)

    def test_a_file_that_is_no_ledger_is_named(self, tmp_path):
        (tmp_path / "l").write_text("no database, only text " * 100)
        with (
            Ledger(tmp_path / "l") as ledger,
            pytest.raises(InputError, match=r"/l is not an SQLite file: move"),
        ):
            asyncio.run(ledger.find(KEY))

    def test_a_database_of_a_different_program_is_refused(self, tmp_path):
        with sqlite3.connect(tmp_path / "l") as connection:
            connection.execute("CREATE TABLE mine (a)")
        with (
            Ledger(tmp_path / "l") as ledger,
            pytest.raises(InputError, match="is another program's database, with a table 'mine'"),
        ):
            asyncio.run(ledger.record(KEY, 1, Reply("4")))

    def test_a_folder_is_no_ledger(self, tmp_path):
        with Ledger(tmp_path) as ledger, pytest.raises(InputError, match="check that file and folder exist"):
            asyncio.run(ledger.find(KEY))

    def test_a_damaged_reply_is_named(self, tmp_path):
        with Ledger(tmp_path / "l") as ledger:
            asyncio.run(ledger.record(KEY, 1, Reply("4")))
            with sqlite3.connect(tmp_path / "l") as connection:
                connection.execute("UPDATE semscale_attempts SET body = '{}'")
            with pytest.raises(InputError, match="holds a damaged reply .*; move it away or name another"):
                asyncio.run(ledger.find(KEY))

    def test_a_disk_that_is_full_stops_the_run_and_loses_nothing(self, tmp_path, opened):
        store = opened(tmp_path / "l")
        store.do([Job("record", KEY, 1, STORED)])
        with sqlite3.connect(tmp_path / "l") as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
        store._connection.connection.execute(f"PRAGMA max_page_count = {pages}")
        large = ("replied", "x" * 100_000)
        with pytest.raises(
            InterruptedRunError, match="is on a disk that is full: free some space and try again; ev"
        ):
            store.do([Job("record", OTHER, 1, large)])
        assert store.do([Job("find", KEY), Job("find", OTHER)]) == [STORED, None]
        assert store.do([Job("record", OTHER, 1, large)]) == [None]  # on a new connection, without the limit
