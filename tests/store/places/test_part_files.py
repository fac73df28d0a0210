"""Files of runs here and behind URLs do the same."""

import fsspec
import pytest

from semscale.store.places import files_of, target_of


@pytest.fixture(params=["local", "memory"])
def files(request, tmp_path):
    if request.param == "local":
        (tmp_path / "rated").mkdir()
        yield files_of(target_of(f"{tmp_path}/rated/"))
        return
    yield files_of(target_of("memory://bucket/rated/"))
    if fsspec.filesystem("memory").exists("/bucket"):
        fsspec.filesystem("memory").rm("/bucket", recursive=True)


def test_files_are_written_read_replaced_and_removed(files, tmp_path):
    assert (files.names(), files.read("a.json")) == (set(), None)
    files.write("work/a.json", b"one")
    files.write("work/a.json", b"two")
    with files.writing("b.parquet") as path:
        path.write_bytes(b"three")
    with pytest.raises(FileNotFoundError), files.writing("c.parquet") as path:
        path.rename(tmp_path / "elsewhere")
    assert files.names() == {"work/a.json", "b.parquet"}
    assert (files.read("work/a.json"), files.read("b.parquet")) == (b"two", b"three")
    with files.local("b.parquet") as path:
        assert path.read_bytes() == b"three"
    files.remove("work/a.json")
    files.remove("work/a.json")
    assert files.names() == {"b.parquet"}


def test_a_file_behind_a_url_has_its_parts_beside_it():
    assert files_of(target_of("memory://bucket/rated.csv")).url == "memory://bucket/rated.csv.parts"
