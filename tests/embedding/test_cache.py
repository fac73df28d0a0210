"""Vectors on disk: entries come back to the bit, damage counts as missing, processes share a file."""

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from semscale.embedding.cache import CachedEmbedder, EmbeddingCache, RememberingEmbedder, cache_keys
from semscale.embedding.cache_file import CacheWarning
from semscale.embedding.embedder import Embedder, Embeddings
from semscale.errors import InputError
from semscale.signature import Signature


def embeddings(n: int, *, width: int = 4, start: float = 0) -> Embeddings:
    vectors = start + np.arange(n * width, dtype=np.float32).reshape(n, width)
    return Embeddings(vectors, np.arange(1, n + 1))


def keys(*texts: str) -> list[bytes]:
    return cache_keys("signature", texts)


class Counting:
    """Embeds by length, and notes what it was asked."""

    dimensions = 2

    def __init__(self, *, precision: str = "exact", stop_at: str | None = None) -> None:
        self.signature = Signature.of("embed", model="counting", precision=precision)
        self.asked: list[list[str]] = []
        self.stop_at = stop_at

    def embed(self, texts, *, progress=None):
        if self.stop_at in texts:
            raise KeyboardInterrupt
        self.asked.append(list(texts))
        if progress:
            progress("embedding", len(texts), len(texts))
        lengths = np.array([len(text) for text in texts], np.float32)
        return Embeddings(np.column_stack([lengths, np.ones_like(lengths)]), np.full(len(texts), 2))


class TestCachedEmbedder:
    def test_cached_embedder_has_the_signature_of_the_wrapped_embedder(self, cache):
        behind = Counting()
        embedder: Embedder = CachedEmbedder(behind, cache)
        assert isinstance(embedder, Embedder)
        assert (embedder.dimensions, embedder.signature) == (2, behind.signature)

    def test_cached_embedder_preserves_order_and_computes_only_missing_texts(self, cache):
        behind = Counting()
        embedder = CachedEmbedder(behind, cache)
        embedder.embed(["a", "bbb"])
        result = embedder.embed(["bbb", "cc", "a", "cc", "bbb"])
        assert result.vectors[:, 0].tolist() == [3, 2, 1, 2, 3]
        assert result.windows.tolist() == [2] * 5
        assert behind.asked == [["a", "bbb"], ["cc"]]

    def test_another_signature_finds_nothing(self, cache):
        CachedEmbedder(Counting(), cache).embed(["a"])
        other = Counting(precision="fast")
        CachedEmbedder(other, cache).embed(["a"])
        assert other.asked == [["a"]]

    def test_finished_chunks_survive_an_interrupt(self, cache):
        texts = [f"text {number}" for number in range(10)]
        with pytest.raises(KeyboardInterrupt):
            CachedEmbedder(Counting(stop_at="text 7"), cache, chunk=3).embed(texts)
        behind = Counting()
        CachedEmbedder(behind, cache, chunk=3).embed(texts)
        assert behind.asked == [texts[6:9], texts[9:]]

    def test_progress_counts_distinct_texts(self, cache):
        embedder = CachedEmbedder(Counting(), cache, chunk=2)
        embedder.embed(["a", "b"])
        seen = []
        embedder.embed(["a", "c", "a", "d", "e"], progress=lambda *step: seen.append(step))
        # One of four is known; then come chunks of two and of one.
        assert seen == [("embedding", 1, 4), ("embedding", 3, 4), ("embedding", 4, 4)]

    def test_works_without_a_cache(self, tmp_path):
        (tmp_path / "file").write_text("in the way")
        with pytest.warns(CacheWarning) as caught:
            result = CachedEmbedder(Counting(), EmbeddingCache(tmp_path / "file"), chunk=1).embed(["a", "bb"])
        assert result.vectors[:, 0].tolist() == [1, 2]
        assert len(caught) == 1

    def test_no_texts(self, cache):
        assert CachedEmbedder(Counting(), cache).embed([]).vectors.shape == (0, 2)

    def test_what_is_not_a_text(self, cache):
        with pytest.raises(InputError, match=r"texts\[1\] must be a string, got int"):
            CachedEmbedder(Counting(), cache).embed(["a", 3])


TEXTS = ["good", "bad", "", "ünïcödé 🙂", "lone surrogate \ud800", "x" * 10_000]


class TestEntries:
    def test_what_goes_in_comes_out_bit_for_bit(self, cache):
        odd = Embeddings(
            np.array([[np.float32(0.1), -0.0], [np.finfo(np.float32).tiny, 1e30]], np.float32),
            np.array([1, 7]),
        )
        cache.put_many(keys("a", "b"), odd)
        is_cached, back = cache.get_many(keys("b", "unknown", "a"), 2)
        assert is_cached.tolist() == [True, False, True]
        assert back.vectors[[2, 0]].tobytes() == odd.vectors.tobytes()
        assert back.windows.tolist() == [7, 0, 1]

    def test_what_is_missing_is_nan_and_not_zero(self, cache):
        assert np.isnan(cache.get_many(keys("a"), 3)[1].vectors).all()

    def test_cache_keys_differ_for_every_text_and_signature(self):
        created = [key for signature in ("a", "b", "ab") for key in cache_keys(signature, TEXTS)]
        assert len(set(created)) == 3 * len(TEXTS)

    def test_cache_reads_more_keys_than_a_single_query_can_hold(self, cache):
        names = [str(number) for number in range(20_000)]
        cache.put_many(keys(*names), embeddings(20_000))
        is_cached, back = cache.get_many(keys(*reversed(names)), 4)
        assert is_cached.all()
        np.testing.assert_array_equal(back.vectors, embeddings(20_000).vectors[::-1])

    def test_entry_that_exists_is_replaced(self, cache):
        cache.put_many(keys("a", "b"), embeddings(2))
        cache.put_many(keys("a"), embeddings(1, start=50))
        assert cache.get_many(keys("a"), 4)[1].vectors.tolist() == [[50, 51, 52, 53]]
        assert cache.store.info().entries == 2

    def test_another_width_is_a_miss(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        assert not cache.get_many(keys("a"), 5)[0].any()

    def test_nothing_asked(self, cache):
        assert cache.get_many([], 4)[1].vectors.shape == (0, 4)

    def test_reopened_by_a_later_process(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        cache.close()
        with EmbeddingCache(cache.store.path.parent) as later:
            assert later.get_many(keys("a"), 4)[0].all()

    def test_default_cache_folder_comes_from_the_environment(self, tmp_path, monkeypatch):
        monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "mine"))
        with EmbeddingCache() as created:
            assert created.store.path == tmp_path / "mine/embeddings.sqlite"

    def test_the_files_are_private(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        assert stat.S_IMODE(cache.store.path.parent.stat().st_mode) == 0o700
        modes = {
            file.name: stat.S_IMODE(file.stat().st_mode) for file in cache.store.path.parent.glob("*.sqlite*")
        }
        assert {mode for name, mode in modes.items() if not name.endswith(".lock")} == {0o600}

    def test_size_must_be_positive(self, tmp_path):
        with pytest.raises(InputError, match="max_bytes must be > 0, got 0"):
            EmbeddingCache(tmp_path, max_bytes=0)

    @pytest.mark.parametrize(
        ("text", "size"),
        [
            ("2GB", 2 * 10**9),
            ("500 mb", 5 * 10**8),
            ("1.5kB", 1500),
            ("1GiB", 1 << 30),
            ("7B", 7),
            ("", 2 << 30),
        ],
    )
    def test_size_is_named_by_environment(self, tmp_path, monkeypatch, text, size):
        monkeypatch.setenv("SEMSCALE_CACHE_MAX", text)
        assert EmbeddingCache(tmp_path).store.max_bytes == size
        assert EmbeddingCache(tmp_path, max_bytes=99).store.max_bytes == 99

    @pytest.mark.parametrize("text", ["plenty", "2", "0GB", "0.1B", "-1GB", "2iB", "2 GB or so", "nanGB"])
    def test_size_of_the_environment_that_is_none(self, tmp_path, monkeypatch, text):
        monkeypatch.setenv("SEMSCALE_CACHE_MAX", text)
        with pytest.raises(InputError, match=r"SEMSCALE_CACHE_MAX must be .* such as 500MB, .*, got"):
            EmbeddingCache(tmp_path)


class TestDamage:
    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE vectors SET body = CAST(substr(body, 1, 5) || x'ff' || substr(body, 7) AS BLOB)",
            "UPDATE vectors SET body = CAST(substr(body, 1, 5) || x'ff' || substr(body, 7) AS TEXT)",
            "UPDATE vectors SET body = 3",
            "UPDATE vectors SET body = substr(body, 1, 8)",
            "UPDATE vectors SET body = x''",
            "DELETE FROM vectors",
            "UPDATE vectors SET body = (SELECT body FROM vectors WHERE slot = 2)",
        ],
        ids=["a byte", "a text", "a number", "cut", "empty", "gone", "of another text"],
    )
    def test_damaged_entry_is_a_miss_and_is_overwritten(self, cache, change):
        cache.put_many(keys("a", "b"), embeddings(2))
        cache.close()
        with sqlite3.connect(cache.store.path) as connection:
            connection.execute(f"{change} WHERE slot = 1")
        connection.close()
        assert cache.get_many(keys("a", "b"), 4)[0].tolist() == [False, True]
        cache.put_many(keys("a"), embeddings(1, start=9))
        assert cache.get_many(keys("a"), 4)[1].vectors.tolist() == [[9, 10, 11, 12]]

    def test_file_that_is_no_database_is_moved_aside(self, cache):
        cache.store.path.parent.mkdir()
        cache.store.path.write_bytes(b"somebody's letter " * 1000)
        with pytest.warns(
            CacheWarning, match=r"damaged .*moved to embeddings\.sqlite\.damaged; a new one was started"
        ):
            assert not cache.get_many(keys("a"), 4)[0].any()
        cache.put_many(keys("a"), embeddings(1))
        assert cache.get_many(keys("a"), 4)[0].all()
        assert (
            cache.store.path.with_name("embeddings.sqlite.damaged")
            .read_bytes()
            .startswith(b"somebody's letter")
        )

    def test_file_with_broken_pages_is_moved_aside(self, cache):
        names = [str(number) for number in range(5000)]
        cache.put_many(keys(*names), embeddings(5000, width=64))
        cache.close()
        content = bytearray(cache.store.path.read_bytes())
        content[1 << 14 :] = b"\xa5" * (
            len(content) - (1 << 14)
        )  # the first page, with the schema, stays whole
        cache.store.path.write_bytes(content)
        with pytest.warns(CacheWarning, match="malformed"):
            assert not cache.get_many(keys(*names), 64)[0].any()
        cache.put_many(keys("a"), embeddings(1))
        assert cache.get_many(keys("a"), 4)[0].all()

    def test_second_damaged_file_does_not_replace_the_first(self, cache):
        cache.store.path.parent.mkdir()
        for text in (b"first " * 1000, b"second " * 1000):
            cache.close()
            cache.store.path.write_bytes(text)
            with pytest.warns(CacheWarning):
                cache.get_many(keys("a"), 4)
        assert cache.store.path.with_name("embeddings.sqlite.damaged").read_bytes().startswith(b"first")
        assert cache.store.path.with_name("embeddings.sqlite.damaged-2").read_bytes().startswith(b"second")

    def test_another_programs_database_is_left_alone(self, cache):
        cache.store.path.parent.mkdir()
        with sqlite3.connect(cache.store.path) as connection:
            connection.execute("CREATE TABLE keys (letters TEXT)")
        connection.close()
        with pytest.raises(InputError, match="database of another program"):
            cache.get_many(keys("a"), 4)

    def test_file_of_an_older_format_is_begun_anew(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        cache.close()
        with sqlite3.connect(cache.store.path) as connection:
            connection.execute("PRAGMA user_version=0")
        connection.close()
        assert cache.store.info().entries == 0

    def test_unwritable_cache_folder_disables_the_cache_with_a_single_warning(self, tmp_path):
        (tmp_path / "file").write_text("in the way")
        cache = EmbeddingCache(tmp_path / "file")
        with pytest.warns(CacheWarning, match="cannot be used .*continuing without it"):
            cache.put_many(keys("a"), embeddings(1))
        assert not cache.get_many(keys("a"), 4)[0].any()  # a second warning would fail the test

    def test_full_disk_disables_the_cache_with_a_single_warning(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        cache.store._file._connection.execute(
            "PRAGMA max_page_count = 1"
        )  # SQLite reports the same error for both
        with pytest.warns(CacheWarning, match="full"):
            cache.put_many(keys("b"), embeddings(1, width=10_000))
        cache.put_many(keys("c"), embeddings(1, width=10_000))  # a second warning would fail the test


class TestSize:
    def test_least_recently_used_go_first(self, tmp_path):
        hour = [0.0]
        cap = 1_500_000
        with EmbeddingCache(tmp_path, max_bytes=cap, clock=lambda: hour[0] * 3600) as cache:
            # Three entries of 4 KB share a page of 16 KB: a hundred take 0.56 MB, three hundred do not fit.
            for batch in "abc":
                hour[0] += 1
                cache.put_many(
                    keys(*(f"{batch}{number}" for number in range(100))), embeddings(100, width=1024)
                )
                assert cache.store.info().size <= cap
                assert cache.get_many(keys("a0"), 1024)[0].all()  # used again and again, so it stays
            assert not cache.get_many(keys("a1"), 1024)[0].any()
            assert cache.get_many(keys(*(f"c{number}" for number in range(100))), 1024)[0].all()

    def test_batch_larger_than_the_size_limit_is_trimmed(self, tmp_path):
        with EmbeddingCache(tmp_path, max_bytes=1 << 17) as cache:
            cache.put_many(keys(*map(str, range(500))), embeddings(500, width=256))
            assert cache.store.info().size <= 1 << 17

    def test_lower_cap_shortens_the_file(self, tmp_path):
        with EmbeddingCache(tmp_path) as cache:
            cache.put_many(keys(*map(str, range(2000))), embeddings(2000, width=256))
        before = cache.store.path.stat().st_size
        with EmbeddingCache(tmp_path, max_bytes=before // 4) as smaller:
            smaller.put_many(keys("new"), embeddings(1, width=256))
            assert smaller.store.path.stat().st_size < before / 3
            assert smaller.get_many(keys("new"), 256)[0].all()

    def test_clear_gives_the_space_back(self, cache):
        cache.put_many(keys(*map(str, range(1000))), embeddings(1000, width=256))
        before = cache.store.info().size
        assert cache.store.clear() == 1000
        assert cache.store.info().entries == 0
        assert cache.store.path.stat().st_size < before / 5


def test_a_cache_that_cannot_be_changed_says_so_and_not_that_nothing_was_removed(cache):
    cache.put_many([b"k" * 16], Embeddings(np.ones((1, 2), np.float32), np.array([1])))
    cache.store._file.run(lambda connection: connection.execute("PRAGMA query_only=ON"), None)
    with pytest.raises(InputError, match="cannot be changed: attempt to write a readonly database"):
        cache.store.clear()
    assert cache.store.info().entries == 1


def test_unknown_token_shares_are_cached_and_missing_shares_stay_nan(cache):
    without = embeddings(2)
    cache.put_many(keys("a", "b"), replace(without, unknown=np.array([0.25, 1.0], np.float32)))
    cache.put_many(keys("c", "d"), without)
    _, back = cache.get_many(keys("a", "b", "c", "d"), 4)
    np.testing.assert_array_equal(back.unknown, [0.25, 1.0, np.nan, np.nan])


def test_every_changed_byte_is_noticed_and_vectors_are_little_endian(cache):
    cache.put_many(keys("a"), embeddings(1, start=1))
    with closing(sqlite3.connect(cache.store.path)) as file:
        ((body,),) = file.execute("SELECT body FROM vectors").fetchall()
        assert len(body) == 28  # four bytes each: windows, share of unknown tokens, four numbers, checksum
        assert body[:4] == bytes([1, 0, 0, 0])
        assert body[8:12] == bytes.fromhex("0000803f")  # 1.0 in single precision is 3f800000
        for position in range(28):
            damaged = bytearray(body)
            damaged[position] ^= 1 << position % 8
            file.execute("UPDATE vectors SET body = ?", (bytes(damaged),))
            file.commit()
            assert not cache.get_many(keys("a"), 4)[0].any(), position
        file.execute("UPDATE vectors SET body = ?", (body,))
        file.commit()
    assert cache.get_many(keys("a"), 4)[0].all()


@pytest.mark.parametrize(
    ("first", "second"), [(("s", "a"), ("s", "b")), (("s", "a"), ("t", "a")), (("s", "ta"), ("st", "a"))]
)
def test_keys_differ_by_signature_and_text(first, second):
    left, other = (cache_keys(signature, [text])[0] for signature, text in (first, second))
    assert left != other
    assert len(left) == hashlib.blake2b(digest_size=16).digest_size


def test_half_a_surrogate_pair_has_a_key():
    assert len(set(cache_keys("s", ["\ud83d", "\ufffd"]))) == 2


WORKER = """
import sys
import numpy as np
from semscale.embedding.cache import EmbeddingCache
from semscale.embedding.embedder import Embeddings
from semscale.embedding.cache import cache_keys
with EmbeddingCache(sys.argv[1]) as cache:
    for step in range(20):
        both = cache_keys("signature", [f"shared {step}", f"{sys.argv[2]} {step}"])
        cache.put_many(both, Embeddings(np.full((2, 4), step, np.float32), np.ones(2, np.int64)))
        is_cached, back = cache.get_many(both, 4)
        if not is_cached.all() or not (back.vectors == step).all():
            sys.exit(f"step {step}: {back}")
"""


class TestProcesses:
    @pytest.mark.exhaustive
    def test_several_processes_set_it_up_and_write_at_once(self, tmp_path):
        command = [sys.executable, "-c", WORKER, str(tmp_path)]
        workers = [subprocess.Popen([*command, str(worker)]) for worker in range(3)]
        assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]
        with EmbeddingCache(tmp_path) as cache:
            assert cache.store.info().entries == 20 + 3 * 20  # shared ones once, own ones for each

    def test_killed_in_the_middle_of_a_write_keeps_what_was_finished(self, tmp_path):
        script = f"""
import os, numpy as np
from semscale.embedding.cache import EmbeddingCache
from semscale.embedding.embedder import Embeddings
from semscale.embedding.cache import cache_keys
cache = EmbeddingCache({str(tmp_path)!r})
one = Embeddings(np.ones((1, 4), np.float32), np.ones(1, np.int64))
cache.put_many(cache_keys("signature", ["finished"]), one)
cache.store._shrink = lambda connection: os.kill(os.getpid(), 9)  # the last step before the commit
cache.put_many(cache_keys("signature", ["open"]), one)
"""
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode in {-9, 9}
        with EmbeddingCache(tmp_path) as cache:
            assert cache.get_many(keys("finished", "open"), 4)[0].tolist() == [True, False]


class TestThreads:
    @pytest.mark.exhaustive
    def test_threads_can_share_a_cache_that_is_closed_meanwhile(self, cache):
        def work(worker: int) -> int:
            for step in range(30):
                both = keys(f"shared {step}", f"{worker} {step}")
                cache.put_many(both, Embeddings(np.full((2, 4), step, np.float32), np.ones(2, np.int64)))
                is_cached, back = cache.get_many(both, 4)
                assert is_cached.all()
                assert (back.vectors == step).all()
                cache.close()
            return worker

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(4))) == [0, 1, 2, 3]
        assert cache.store.info().entries == 30 + 4 * 30  # shared ones once, own ones for each

    def test_closing_waits_for_what_another_thread_does(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        begun, closing = Event(), Event()

        def slow(connection: sqlite3.Connection) -> int:
            begun.set()
            closing.wait(timeout=10)
            time.sleep(0.1)  # while the other thread is about to close
            return connection.execute("SELECT count(*) FROM keys").fetchone()[0]

        def close() -> None:
            begun.wait(timeout=10)
            closing.set()
            cache.close()

        with ThreadPoolExecutor(2) as pool:
            counted, closed = pool.submit(cache.store._file.run, slow, None), pool.submit(close)
            closed.result()
            assert counted.result() == 1


FORKING = """
import os, sqlite3, sys, threading
import numpy as np
from semscale.embedding import cache_file
from semscale.embedding.cache import EmbeddingCache
from semscale.embedding.embedder import Embeddings
from semscale.embedding.cache import cache_keys
cache_file._FORK_SECONDS = 0.01
cache = EmbeddingCache(sys.argv[1])
one = Embeddings(np.ones((1, 4), np.float32), np.ones(1, np.int64))
cache.put_many(cache_keys("signature", ["parent"]), one)
begun, ending = threading.Event(), threading.Event()
def hold(connection):
    begun.set()
    ending.wait()
thread = threading.Thread(target=cache.store._file.run, args=(hold, None))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    cache.put_many(cache_keys("signature", ["child"]), one)
    os._exit(0 if cache.get_many(cache_keys("signature", ["parent", "child"]), 4)[0].all() else 1)
status = os.waitpid(child, 0)[1]
ending.set()
thread.join()
sys.exit(status or not cache.get_many(cache_keys("signature", ["parent", "child"]), 4)[0].all())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
class TestForks:
    def test_forked_while_another_thread_holds_the_lock(self, tmp_path):
        command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKING, str(tmp_path)]
        assert subprocess.run(command, check=False, timeout=60).returncode == 0

    def test_the_lock_is_free_again_in_the_parent(self, cache):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn where there are threads
            child = os.fork()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        with ThreadPoolExecutor(1) as pool:
            pool.submit(cache.put_many, keys("a"), embeddings(1)).result(timeout=10)
        assert cache.get_many(keys("a"), 4)[0].all()


class TestRememberingEmbedder:
    def test_each_text_is_computed_once_and_returned_in_order(self):
        behind = Counting()
        embedder: Embedder = RememberingEmbedder(behind)
        assert isinstance(embedder, Embedder)
        assert embedder.signature == behind.signature
        assert embedder.embed(["a", "bb", "a"]).vectors[:, 0].tolist() == [1, 2, 1]
        again = embedder.embed(["ccc", "bb", "a", "bb"])
        assert again.vectors[:, 0].tolist() == [3, 2, 1, 2]
        assert again.windows.tolist() == [2, 2, 2, 2]
        assert behind.asked == [["a", "bb"], ["ccc"]]
        assert embedder.embed([]).vectors.shape == (0, 2)

    def test_anchors_are_remembered_by_the_more_exact_form(self):
        behind, exact = Counting(precision="low"), Counting()
        behind.for_anchors = exact
        embedder = RememberingEmbedder(behind)
        for _ in range(2):
            embedder.for_anchors.embed(["a"])
        assert (behind.asked, exact.asked) == ([], [["a"]])
        assert RememberingEmbedder(exact).for_anchors.signature == exact.signature

    def test_shares_of_unknown_tokens_are_kept(self):
        class Reading(Counting):
            def embed(self, texts, *, progress=None):
                unknown = np.array([0.5] * len(texts), np.float32)
                return replace(super().embed(texts), unknown=unknown)

        assert RememberingEmbedder(Reading()).embed(["a", "a"]).unknown.tolist() == [0.5, 0.5]
        assert np.isnan(RememberingEmbedder(Counting()).embed(["a"]).unknown).all()
