"""The cache: what goes in comes out; damage and foreign files do no harm."""

import sqlite3
import stat

import numpy as np
import pytest
from cache_entries import embeddings, keys

from semscale.embedding.cache import EmbeddingCache, cache_keys
from semscale.embedding.cache_file import CacheWarning
from semscale.embedding.embedder import Embeddings
from semscale.errors import InputError

TEXTS = ["good", "bad", "", "ünïcödé 🙂", "lone surrogate \ud800", "x" * 10_000]


class TestEntries:
    def test_what_goes_in_comes_out_bit_for_bit(self, cache):
        odd = Embeddings(
            np.array([[np.float32(0.1), -0.0], [np.finfo(np.float32).tiny, 1e30]], np.float32),
            np.array([1, 7]),
        )
        cache.put_many(keys("a", "b"), odd)
        back = cache.get_many(keys("b", "unknown", "a"), 2)
        assert back.found.tolist() == [True, False, True]
        assert back.vectors[[2, 0]].tobytes() == odd.vectors.tobytes()
        assert back.windows.tolist() == [7, 0, 1]

    def test_what_is_missing_is_nan_and_not_zero(self, cache):
        assert np.isnan(cache.get_many(keys("a"), 3).vectors).all()

    def test_every_text_and_signature_has_a_key_of_its_own(self):
        made = [key for signature in ("a", "b", "ab") for key in cache_keys(signature, TEXTS)]
        assert len(set(made)) == 3 * len(TEXTS)

    def test_more_keys_than_one_question_takes(self, cache):
        names = [str(number) for number in range(20_000)]
        cache.put_many(keys(*names), embeddings(20_000))
        back = cache.get_many(keys(*reversed(names)), 4)
        assert back.found.all()
        np.testing.assert_array_equal(back.vectors, embeddings(20_000).vectors[::-1])

    def test_entry_that_exists_is_replaced(self, cache):
        cache.put_many(keys("a", "b"), embeddings(2))
        cache.put_many(keys("a"), embeddings(1, start=50))
        assert cache.get_many(keys("a"), 4).vectors.tolist() == [[50, 51, 52, 53]]
        assert cache.store.info().entries == 2

    def test_another_width_is_a_miss(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        assert not cache.get_many(keys("a"), 5).found.any()

    def test_nothing_asked(self, cache):
        assert cache.get_many([], 4).vectors.shape == (0, 4)

    def test_reopened_by_a_later_process(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        cache.close()
        with EmbeddingCache(cache.store.path.parent) as later:
            assert later.get_many(keys("a"), 4).found.all()

    def test_default_place_is_named_by_environment(self, tmp_path, monkeypatch):
        monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "mine"))
        with EmbeddingCache() as made:
            assert made.store.path == tmp_path / "mine/embeddings.sqlite"

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
        assert cache.get_many(keys("a", "b"), 4).found.tolist() == [False, True]
        cache.put_many(keys("a"), embeddings(1, start=9))
        assert cache.get_many(keys("a"), 4).vectors.tolist() == [[9, 10, 11, 12]]

    def test_file_that_is_no_database_is_moved_aside(self, cache):
        cache.store.path.parent.mkdir()
        cache.store.path.write_bytes(b"somebody's letter " * 1000)
        with pytest.warns(
            CacheWarning, match=r"damaged .*moved to embeddings\.sqlite\.damaged, a new one is begun"
        ):
            assert not cache.get_many(keys("a"), 4).found.any()
        cache.put_many(keys("a"), embeddings(1))
        assert cache.get_many(keys("a"), 4).found.all()
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
            assert not cache.get_many(keys(*names), 64).found.any()
        cache.put_many(keys("a"), embeddings(1))
        assert cache.get_many(keys("a"), 4).found.all()

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
        with pytest.raises(InputError, match="another program's database"):
            cache.get_many(keys("a"), 4)

    def test_file_of_an_older_format_is_begun_anew(self, cache):
        cache.put_many(keys("a"), embeddings(1))
        cache.close()
        with sqlite3.connect(cache.store.path) as connection:
            connection.execute("PRAGMA user_version=0")
        connection.close()
        assert cache.store.info().entries == 0

    def test_place_that_cannot_be_written_means_no_cache_and_one_warning(self, tmp_path):
        (tmp_path / "file").write_text("in the way")
        cache = EmbeddingCache(tmp_path / "file")
        with pytest.warns(CacheWarning, match="cannot be used .*going on without it"):
            cache.put_many(keys("a"), embeddings(1))
        assert not cache.get_many(keys("a"), 4).found.any()  # a second warning would fail the test

    def test_full_disk_means_no_cache_and_one_warning(self, cache):
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
                assert cache.get_many(keys("a0"), 1024).found.all()  # used again and again, so it stays
            assert not cache.get_many(keys("a1"), 1024).found.any()
            assert cache.get_many(keys(*(f"c{number}" for number in range(100))), 1024).found.all()

    def test_one_batch_larger_than_the_cap(self, tmp_path):
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
            assert smaller.get_many(keys("new"), 256).found.all()

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
