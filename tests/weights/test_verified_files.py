"""What lies on the disk: trusted by its stamps, hashed when they do not fit, named when it is damaged."""

import hashlib
import json
import os
import socket
import subprocess

import pytest
from tests.support.made_up_model import FILES, SUMS, write_model

from semscale.errors import ModelError
from semscale.weights import folders, resolving

pytestmark = pytest.mark.usefixtures("secluded")


def test_second_use_contacts_nothing_and_hashes_no_weights(tmp_path, monkeypatch):
    resolving.resolve("tiny", folder=write_model(tmp_path / "mine"))
    hashed = []
    real = folders.sha256_of
    monkeypatch.setattr(folders, "sha256_of", lambda path: hashed.append(path.name) or real(path))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was contacted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert resolving.resolve("tiny").pinned
    assert set(hashed) == {"config.json", "tokenizer.json"}  # weights are hashed when they are loaded


def test_small_file_with_its_old_size_and_time_is_hashed(tmp_path):
    source = write_model(tmp_path / "mine")
    path = resolving.resolve("tiny", folder=source).folder / "tokenizer.json"
    seen = path.stat()
    path.write_bytes(bytes([1]) + FILES["tokenizer.json"][1:])
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    resolving.resolve("tiny", folder=source)
    assert path.read_bytes() == FILES["tokenizer.json"]


def test_damaged_file_alone_is_pulled_again(tmp_path):
    source = write_model(tmp_path / "mine")
    home = resolving.resolve("tiny", folder=source).folder
    (home / "tokenizer.json").write_bytes(b"half")
    inode = (home / "model.safetensors").stat().st_ino
    (source / "model.safetensors").unlink()
    assert resolving.resolve("tiny", folder=source).pinned
    assert (home / "tokenizer.json").read_bytes() == FILES["tokenizer.json"]
    assert (home / "model.safetensors").stat().st_ino == inode


def test_damage_that_cannot_be_mended_is_named(tmp_path, monkeypatch):
    home = resolving.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    (home / "tokenizer.json").write_bytes(b"half")
    (home / "config.json").unlink()
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    with pytest.raises(ModelError) as caught:
        resolving.resolve("tiny")
    digest, expected = hashlib.sha256(b"half").hexdigest()[:12], SUMS["tokenizer.json"][:12]
    message = str(caught.value)
    assert (
        f"{home / 'tokenizer.json'} has SHA-256 {digest}..., not {expected}..., so it is damaged" in message
    )
    assert f"{home / 'config.json'} is missing; " in message
    assert (
        "semscale models pull tiny restores it where there is a connection; here tiny is available" in message
    )
    assert "not contacted, SEMSCALE_OFFLINE" in message


def test_touched_file_is_hashed_once_more_and_then_trusted(tmp_path, monkeypatch):
    home = resolving.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    os.utime(home / "model.safetensors", (1, 1))
    hashed = []
    real = folders.sha256_of
    monkeypatch.setattr(folders, "sha256_of", lambda path: hashed.append(path.name) or real(path))
    resolving.resolve("tiny")
    resolving.resolve("tiny")
    assert hashed.count("model.safetensors") == 1


def test_unreadable_stamps_cost_only_time(tmp_path):
    home = resolving.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    (home / folders.STAMP).write_text('{"config.json": 3}')
    assert resolving.resolve("tiny").pinned


def test_verify_names_the_damaged_file(tmp_path):
    home = resolving.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    assert resolving.verify("somebody/tiny").sha256 == SUMS["model.safetensors"]
    path = home / "model.safetensors"
    seen = path.stat()
    path.write_bytes(bytes([1]) + FILES["model.safetensors"][1:])
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))  # same size, same time: only the hash tells
    with pytest.raises(ModelError, match=r"model\.safetensors has SHA-256 .*semscale models pull tiny"):
        resolving.verify("tiny")
    resolving.resolve("tiny", folder=tmp_path / "mine", thorough=True)  # what `semscale models pull` does
    assert resolving.verify("tiny").pinned
    path.unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors is missing"):
        resolving.verify("tiny")


def test_verify_of_what_was_never_pulled():
    with pytest.raises(ModelError, match="tiny is not on this disk: semscale models pull tiny"):
        resolving.verify("tiny")


def test_stamps_are_json_that_people_can_read(tmp_path):
    home = resolving.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    assert {
        name: stamp["sha256"] for name, stamp in json.loads((home / folders.STAMP).read_text()).items()
    } == SUMS
