"""What a job writes is held to its room on disk."""

import polars as pl
import pytest

from semscale.serving.jobs.disk_room import DiskRoom
from semscale.serving.jobs.job_folder import JobFolder
from semscale.serving.jobs.job_growth import JobGrowth, expected_bytes
from semscale.serving.refusals import RefusedRequestError


@pytest.fixture
def folder(tmp_path):
    found = JobFolder(tmp_path / ("a" * 32))
    found.path.mkdir()
    found.accept({"kind": "rate", "fields": {"format": "csv", "result": "csv"}, "created": ""})
    found.parts.mkdir()
    return found


def size_of(folder):
    return sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())


def test_the_next_part_must_have_room_as_large_as_the_largest_so_far(folder, tmp_path):
    start = size_of(folder)
    with DiskRoom(tmp_path, start + 250).share(folder.path) as share:
        growth = JobGrowth(folder, share)
        (folder.parts / "part-000000.json").write_bytes(b"x" * 100)
        growth.check("rating rows")
        assert share.needed == start + 200
        (folder.parts / "part-000001.json").write_bytes(b"x" * 80)
        with pytest.raises(RefusedRequestError) as refused:  # 180 are there, and 100 more do not fit
            growth.check("rating rows")
        assert refused.value.status == 413
        growth.check()  # all that was written is within the limit


def test_the_result_must_have_room_beside_its_parts(folder, tmp_path):
    pl.DataFrame({"text": ["x" * 10_000] * 3, "kept": [[1.0]] * 3}).write_parquet(
        folder.parts / "part-000000.parquet"
    )
    # The title, a line feed, and three lines of 10,000 characters; lists are no part of a CSV file.
    assert expected_bytes(folder) == 5 + 3 * 10_001
    start = size_of(folder)
    with DiskRoom(tmp_path, start + 30_000).share(folder.path) as share:
        growth = JobGrowth(folder, share)
        growth.check("rating rows")
        with pytest.raises(RefusedRequestError):
            growth.check("writing")


@pytest.mark.parametrize(("result", "times"), [("parquet", 2), ("jsonl", 2)])
def test_what_a_result_takes_is_estimated_from_the_first_part(folder, result, times):
    folder.accept({"kind": "embed", "fields": {"format": "csv", "result": result}, "created": ""})
    assert expected_bytes(folder) == 0
    folder.parts.mkdir()
    for number in range(times):
        pl.DataFrame({"a": ["x"]}).write_parquet(folder.parts / f"part-{number:06d}.parquet")
    size = (folder.parts / "part-000000.parquet").stat().st_size
    # {"a":"x"} and a line feed
    assert expected_bytes(folder) == (times * size if result == "parquet" else times * 10)
