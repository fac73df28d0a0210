"""Uploads under way and jobs that run share out the disk that jobs may have."""

import pytest

from semscale.serving.jobs import disk_room
from semscale.serving.jobs.disk_room import DiskRoom
from semscale.serving.refusals import RefusedRequestError


@pytest.fixture
def home(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "result.csv").write_bytes(b"x" * 30)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_two_uploads_do_not_count_on_the_same_room(home):
    room = DiskRoom(home, 100)  # 70 are free
    with room.share(home / "first") as first, room.share(home / "second") as second:
        first.cover(50)
        (home / "first" / "table.csv").write_bytes(b"x" * 50)
        # An upload takes all the room at once where less than a step is left.
        assert first.promised == 70
        with pytest.raises(RefusedRequestError, match="remove old ones") as refused:
            second.cover(21)
        assert refused.value.status == 507
        # What the first one does not need yet was taken back for the second one.
        second.cover(20)
        with pytest.raises(RefusedRequestError, match="remove old ones"):
            first.cover(51)
    with room.share(home / "second") as second:
        second.cover(20)  # 30 + 50 are on disk
        with pytest.raises(RefusedRequestError, match="remove old ones"):
            second.cover(21)


def test_room_is_promised_in_steps(home, monkeypatch):
    monkeypatch.setattr(disk_room, "STEP", 10)
    room = DiskRoom(home, 100)
    with room.share(home / "first") as first, room.share(home / "second") as second:
        first.cover(1)
        second.cover(25)
        assert (first.promised, second.promised) == (10, 25)
        first.cover(10)
        assert first.promised == 10
        second.cover(60)
        with pytest.raises(RefusedRequestError):
            first.cover(11)


def test_the_files_that_a_share_begins_with_are_its_own(home):
    with DiskRoom(home, 100).share(home / "old") as old:
        assert (old.needed, old.promised) == (30, 30)
        old.cover(100)
        with pytest.raises(RefusedRequestError):
            old.cover(101)


def test_a_table_larger_than_all_jobs_may_be_is_refused_for_its_size(home):
    with DiskRoom(home, 100).share(home / "first") as share:
        with pytest.raises(RefusedRequestError, match="may have 100 bytes: send a") as refused:
            share.cover(101)
        assert refused.value.status == 413
