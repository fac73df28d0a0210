"""The ledger's file: what several may do to it at once."""

import sqlite3
import threading

import pytest

from semscale.chat.ledger.file import LedgerFile


@pytest.mark.exhaustive
def test_many_may_open_a_new_file_at_once(tmp_path):
    failed: list[Exception] = []

    def open_one(path, together):
        together.wait()
        try:
            LedgerFile(path).close()
        except sqlite3.Error as error:
            failed.append(error)

    for number in range(60):
        together = threading.Barrier(4)
        path = tmp_path / str(number)
        threads = [threading.Thread(target=open_one, args=(path, together)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed
