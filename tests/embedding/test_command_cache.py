"""``semscale cache`` as a user types it."""

import contextlib
import sqlite3

import numpy as np
import pytest

from semscale.cli.main import main
from semscale.embedding.cache import EmbeddingCache, StateCache, cache_keys
from semscale.embedding.cross_encoder import PairCache, PairLogits, pair_keys
from semscale.embedding.embedder import Embeddings


@pytest.fixture(autouse=True)
def cache_path(monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
    monkeypatch.delenv("SEMSCALE_CACHE_MAX", raising=False)
    return tmp_path / "embeddings.sqlite"


def fill(n: int) -> None:
    with EmbeddingCache() as cache:
        vectors = np.ones((n, 384), np.float32)
        cache.put_many(
            cache_keys("s", [str(number) for number in range(n)]), Embeddings(vectors, np.ones(n, int))
        )


CAP = "at most 2,147.5 MB (SEMSCALE_CACHE_MAX sets another cap)\n"  # 2 GiB are 2,147,483,648 bytes


def test_info_without_a_cache_creates_none(capsys, cache_path):
    assert main(["models", "cache"]) == 0
    assert capsys.readouterr().out == f"{cache_path}: nothing cached yet, {CAP}"
    assert not cache_path.exists()


def test_info_counts(capsys, cache_path):
    fill(1234)
    assert main(["models", "cache"]) == 0
    # 1,234 vectors of 384 float32 are 1.9 MB; pages are not filled to the last byte.
    shown = capsys.readouterr().out
    assert shown.startswith(f"{cache_path}: 1,234 embeddings, ")
    assert 1.9 <= float(shown.split(", ")[1].split()[0]) <= 2.5
    assert shown.endswith(f" MB of {CAP}")


def test_cap_of_the_environment_is_shown_and_enforced(capsys, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE_MAX", "500KB")
    fill(1000)  # 1.5 MB
    assert main(["models", "cache"]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith(" MB of at most 0.5 MB (SEMSCALE_CACHE_MAX sets another cap)\n")
    assert 0 < float(shown.split(" embeddings, ")[1].split()[0]) <= 0.5


def test_cap_that_is_no_size_prints_a_single_line(capsys, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE_MAX", "plenty")
    assert main(["models", "cache"]) == 2
    message = "SEMSCALE_CACHE_MAX must be a size above 0 such as 500MB, 2GB or 2GiB, got 'plenty'\n"
    assert capsys.readouterr().err.endswith(message)


def test_clear_empties_it(capsys, cache_path):
    fill(10)
    assert main(["models", "cache", "--clear"]) == 0
    assert capsys.readouterr().out == f"{cache_path}: 10 embeddings removed\n"
    assert main(["models", "cache", "--clear"]) == 0
    assert capsys.readouterr().out == f"{cache_path}: 0 embeddings removed\n"


def test_clear_mends_a_cache_without_its_tables(capsys, cache_path):
    fill(10)
    with contextlib.closing(sqlite3.connect(cache_path)) as connection:
        connection.execute("DROP TABLE vectors")
        connection.commit()
    assert main(["models", "cache", "--clear"]) == 0
    assert capsys.readouterr() == (f"{cache_path}: 0 embeddings removed\n", "")
    fill(10)
    assert main(["models", "cache", "--clear"]) == 0
    assert capsys.readouterr().out == f"{cache_path}: 10 embeddings removed\n"


@pytest.mark.filterwarnings("default::semscale.embedding.cache_file.CacheWarning")
def test_clear_mends_a_damaged_cache_and_keeps_no_damaged_file(capsys, cache_path):
    cache_path.write_bytes(b"no database, and long enough to be taken for one" * 100)
    assert main(["models", "cache", "--clear"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{cache_path}: 0 embeddings removed, and 1 damaged file\n"
    assert printed.err.startswith(f"semscale: warning: embedding cache {cache_path} is damaged")
    assert printed.err.count("\n") == 1
    assert [path.name for path in cache_path.parent.iterdir() if ".damaged" in path.name] == []
    fill(10)
    assert main(["models", "cache", "--clear"]) == 0
    assert capsys.readouterr() == (f"{cache_path}: 10 embeddings removed\n", "")


def test_states_of_tokens_are_counted_and_cleared(capsys, cache_path):
    fill(10)
    cache = StateCache()
    cache.put_many(cache_keys("s", ["one", "two"]), [np.ones((1000, 384), np.int16)] * 2)
    cache.close()
    states = cache_path.with_name("states.sqlite")
    assert main(["models", "cache"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{cache_path}: 10 embeddings, ")
    # Two texts of 1,000 tokens with 384 numbers of 2 bytes are 1.5 MB.
    assert second.startswith(f"{states}: 2 texts' states, ")
    assert 1.5 <= float(second.split(", ")[1].split()[0]) <= 1.7
    assert main(["models", "cache", "--clear"]) == 0
    removed = f"{cache_path}: 10 embeddings removed\n{states}: 2 texts' states removed\n"
    assert capsys.readouterr().out == removed


def test_pairs_of_texts_are_shown_and_removed(capsys, cache_path):
    pairs = PairCache()
    pairs.put_many(
        pair_keys("s", ["a"], ["b"]),
        PairLogits(np.ones((1, 3), np.float32), np.zeros(1, bool), np.zeros(1, bool)),
    )
    pairs.close()
    assert main(["models", "cache"]) == 0
    assert f"{cache_path.with_name('pairs.sqlite')}: 1 pairs of texts, " in capsys.readouterr().out
    assert main(["models", "cache", "--clear"]) == 0
    assert f"{cache_path.with_name('pairs.sqlite')}: 1 pairs of texts removed" in capsys.readouterr().out
