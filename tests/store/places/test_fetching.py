"""Copies of files behind URLs, and what identifies such a file."""

import gc

import fsspec
import pytest

from semscale.errors import UnreachableError
from semscale.store.expressions import filtered
from semscale.store.places import fetch, identity
from semscale.store.reading import open_table


def test_a_copy_has_the_name_and_progress_the_bytes(tmp_path):
    system = fsspec.filesystem("memory")
    content = bytes(range(256)) * 8192  # 2 MiB: two blocks
    system.pipe_file("/bucket/answers.csv", content)
    told = []
    copy = fetch(
        "memory://bucket/answers.csv",
        system,
        "/bucket/answers.csv",
        tmp_path,
        lambda *step: told.append(step),
    )
    assert (copy.name, copy.read_bytes()) == ("answers.csv", content)
    stage = "fetching memory://bucket/answers.csv"
    assert told == [(stage, 1 << 20, 1 << 21), (stage, 1 << 21, 1 << 21)]
    system.rm("/bucket", recursive=True)
    with pytest.raises(UnreachableError, match="it does not exist"):
        fetch("memory://bucket/answers.csv", system, "/bucket/answers.csv", tmp_path, None)


def test_another_size_hash_or_time_is_another_file():
    known = {"size": 3, "ETag": "a", "LastModified": "1"}
    assert identity(known) == identity({**known, "LastModified": "2", "name": "copy"})  # the hash decides
    assert identity(known) != identity({**known, "size": 4})
    assert identity({"size": 3, "mtime": 1.0}) != identity({"size": 3, "mtime": 2.0})


@pytest.mark.exhaustive
def test_the_copy_stays_as_long_as_a_table_reads_it():
    system = fsspec.filesystem("memory")
    system.pipe_file("/bucket/answers.csv", b"n,word\n1,a\n2,b\n3,c\n")
    table = filtered(open_table("memory://bucket/answers.csv"), "n >= 2")  # the table before is gone
    gc.collect()
    copy = table.path
    assert [batch["word"].to_list() for batch in table.batches(9)] == [["b", "c"]]
    del table
    gc.collect()
    assert not copy.exists()
    system.rm("/bucket", recursive=True)
