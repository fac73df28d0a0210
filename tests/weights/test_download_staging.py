"""Files are hashed while they are received, and published only together."""

import hashlib
import io

import pytest

from semscale.weights.folders import sha256_of
from semscale.weights.sources import DownloadStaging, SourceError

CONFIG = b'{"model_type": "bert"}'
SUMS = {"config.json": hashlib.sha256(CONFIG).hexdigest(), "1_Pooling/config.json": None}


def test_received_files_are_published_into_the_models_folder(tmp_path):
    with DownloadStaging(tmp_path / "home", SUMS) as staging:
        staging.receive("config.json", io.BytesIO(CONFIG))
        assert staging.wanted == ("1_Pooling/config.json",)
        assert not (tmp_path / "home").exists()
        staging.receive("1_Pooling/config.json", io.BytesIO(b"any"))
        staging.publish()
    assert (tmp_path / "home" / "config.json").read_bytes() == CONFIG
    assert (tmp_path / "home" / "1_Pooling" / "config.json").read_bytes() == b"any"
    assert staging.received["config.json"] == SUMS["config.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_what_was_not_published_is_removed(tmp_path):
    with DownloadStaging(tmp_path / "home", SUMS) as staging:
        staging.receive("config.json", io.BytesIO(CONFIG))
        assert (staging.folder / "config.json").is_file()
        assert staging.workspace("hub").is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_a_killed_process_left_is_emptied(tmp_path):
    (tmp_path / ".home.part").mkdir()
    (tmp_path / ".home.part" / "config.json").write_bytes(b"half")
    with DownloadStaging(tmp_path / "home", SUMS) as staging:
        assert list(staging.folder.iterdir()) == []


def test_another_hash_than_the_pinned_is_refused_and_removed(tmp_path):
    with DownloadStaging(tmp_path / "home", SUMS) as staging:
        with pytest.raises(SourceError, match=r"config\.json has SHA-256 .*, pinned is "):
            staging.receive("config.json", io.BytesIO(b"another"))
        assert "config.json" in staging.wanted
        assert list(staging.folder.iterdir()) == []


def test_a_stream_that_breaks_is_a_failure_of_the_source(tmp_path):
    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise EOFError("the end came early")

    with (
        DownloadStaging(tmp_path / "home", SUMS) as staging,
        pytest.raises(SourceError, match="cannot be read: the end came early"),
    ):
        staging.receive("config.json", Broken())


def test_only_large_files_show_progress(tmp_path):
    events = []
    with DownloadStaging(tmp_path / "home", SUMS, progress=lambda *step: events.append(step)) as staging:
        staging.receive("config.json", io.BytesIO(CONFIG), size=len(CONFIG))
        assert events == []
        large = bytes(3 << 19)  # one and a half blocks of 1 MiB
        staging.receive("1_Pooling/config.json", io.BytesIO(large), size=len(large))
    assert events == [("pulling home", 1 << 20, len(large)), ("pulling home", len(large), len(large))]


def test_the_hash_of_a_file(tmp_path):
    (tmp_path / "a").write_bytes(CONFIG)
    assert sha256_of(tmp_path / "a") == SUMS["config.json"]
