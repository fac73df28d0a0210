import pytest

from semscale.distributed import output_checks
from semscale.distributed.output_checks import FolderProbe, nodes_without
from semscale.errors import MissingExtraError
from semscale.store.places import target_of


def files_below(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_who_finds_the_file_writes_another_one(tmp_path):
    probe = FolderProbe(target_of(f"{tmp_path}/"), "1f2e")
    assert probe.answered() is None
    (tmp_path / "_semscale").mkdir()
    (tmp_path / "_semscale" / ".probe-1f2e.tmp").write_text("1f2e")
    name = probe.answered()
    assert (tmp_path / name).read_text() == "1f2e"


def test_a_file_of_another_run_does_not_count(tmp_path):
    (tmp_path / "_semscale").mkdir()
    (tmp_path / "_semscale" / ".probe-1f2e.tmp").write_text("aaaa")
    assert FolderProbe(target_of(f"{tmp_path}/"), "1f2e").answered() is None


def test_a_node_without_the_package_for_the_folder_does_not_see_it(monkeypatch):
    def missing(place):
        raise MissingExtraError("s3fs", "cloud")

    monkeypatch.setattr(output_checks, "files_of", missing)
    assert FolderProbe(target_of("s3://survey/rated/"), "1f2e").answered() is None


def test_a_probe_is_there_for_a_time_and_takes_the_place_of_one_that_a_killed_run_left(tmp_path):
    (tmp_path / "_semscale").mkdir()
    (tmp_path / "_semscale" / ".probe-aaaa.tmp").write_text("aaaa")
    probe = FolderProbe(target_of(f"{tmp_path}/"), "1f2e")
    assert not probe.is_seen
    with probe.written():
        assert probe.is_seen
        assert files_below(tmp_path) == [".probe-1f2e.tmp"]
    assert not probe.is_seen
    assert files_below(tmp_path) == []


@pytest.mark.needs("ray")
def test_nodes_that_share_the_folder_see_it_and_nothing_is_left(connection, tmp_path):
    assert nodes_without(target_of(f"{tmp_path}/")) == []
    assert files_below(tmp_path) == []
