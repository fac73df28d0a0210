"""The cache under several processes, several threads, and a process that is killed."""

import os
import sqlite3
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from cache_entries import embeddings, keys

from semscale.embedding.cache import EmbeddingCache
from semscale.embedding.embedder import Embeddings

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
        back = cache.get_many(both, 4)
        if not back.found.all() or not (back.vectors == step).all():
            sys.exit(f"step {step}: {back}")
"""


class TestProcesses:
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
            assert cache.get_many(keys("finished", "open"), 4).found.tolist() == [True, False]


class TestThreads:
    @pytest.mark.exhaustive
    def test_several_threads_share_one_cache_that_is_closed_meanwhile(self, cache):
        def work(worker: int) -> int:
            for step in range(30):
                both = keys(f"shared {step}", f"{worker} {step}")
                cache.put_many(both, Embeddings(np.full((2, 4), step, np.float32), np.ones(2, np.int64)))
                back = cache.get_many(both, 4)
                assert back.found.all()
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
    os._exit(0 if cache.get_many(cache_keys("signature", ["parent", "child"]), 4).found.all() else 1)
status = os.waitpid(child, 0)[1]
ending.set()
thread.join()
sys.exit(status or not cache.get_many(cache_keys("signature", ["parent", "child"]), 4).found.all())
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
        assert cache.get_many(keys("a"), 4).found.all()
