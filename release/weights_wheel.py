"""Builds a wheel with the files of a known model and no code, for a maintainer to publish.

``python release/weights_wheel.py [MODEL] [FOLDER]``: the model is downloaded if it is not on this disk, and
its wheel is written into the folder. Equal files give equal bytes with the same version of zlib.
"""

import argparse
import base64
import hashlib
import sys
import zipfile
from pathlib import Path

from semscale.errors import InputError, SemscaleError
from semscale.weights.known import KNOWN, KnownModel, Wheel
from semscale.weights.resolving import resolve

HERE = Path(__file__).parent
OWN = "semscale-"  # prefix of the names of Semscale's own wheels
LARGEST = 100_000_000  # largest wheel on the package index, in bytes
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # earliest time that a zip file can store
_WHEEL = """Wheel-Version: 1.0
Generator: semscale
Root-Is-Purelib: true
Tag: py3-none-any
"""


def own_wheel(known: KnownModel) -> Wheel:
    """Find Semscale's own wheel among the wheels with a model's files.

    Raises:
        InputError: there is none.
    """
    own = next((wheel for wheel in known.wheels if wheel.project.startswith(OWN)), None)
    if own is None:
        raise InputError(f"{known.name} has no wheel of ours: enter one in semscale/weights/known.py")
    return own


def build_wheel(known: KnownModel, wheel: Wheel, files: Path, licence: str, out: Path) -> Path:
    """Write a wheel of a model's files.

    Args:
        known: the model.
        wheel: project, version and folder of the wheel.
        files: folder with the model's files.
        licence: text of the licences.
        out: folder of the wheel, which need not exist.

    Returns:
        The wheel's path.

    Raises:
        InputError: the wheel is larger than the package index takes.
    """
    name = f"{wheel.project.replace('-', '_')}-{wheel.version}"
    about = f"{name}.dist-info"
    texts = {
        f"{wheel.folder}/__init__.py": f'"""Files of the model {known.name}, for semscale; no code."""\n',
        f"{about}/METADATA": _metadata(known, wheel),
        f"{about}/WHEEL": _WHEEL,
        f"{about}/licenses/LICENSE": licence,
    }
    contents = {path: text.encode() for path, text in texts.items()}
    contents |= {f"{wheel.folder}/{file}": (files / file).read_bytes() for file in known.sums}
    record = [f"{path},{_digest(content)},{len(content)}" for path, content in sorted(contents.items())]
    contents[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,", ""]).encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, content in sorted(contents.items(), key=lambda entry: (about in entry[0], entry[0])):
            entry = zipfile.ZipInfo(inside, _LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    if path.stat().st_size > LARGEST:
        raise InputError(f"{path} has {path.stat().st_size:,} bytes, the package index takes {LARGEST:,}")
    return path


def _metadata(known: KnownModel, wheel: Wheel) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {wheel.project}",
        f"Version: {wheel.version}",
        f"Summary: Files of the model {known.name} for semscale: {known.summary}",
        f"License-Expression: {known.licence}",
        "License-File: LICENSE",
        "Requires-Python: >=3.11",
        "Description-Content-Type: text/markdown",
        "",
        f"Files of the model [{known.hub_id}](https://huggingface.co/{known.hub_id}) for semscale, "
        "which knows them by their SHA-256. The wheel has no code.",
    ]
    return "\n".join([*lines, ""])


def _digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main() -> int:
    """Build the wheel of the requested model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default="e5-small", choices=list(KNOWN))
    parser.add_argument("folder", nargs="?", default="dist", type=Path)
    chosen = parser.parse_args()
    known = KNOWN[chosen.model]
    try:
        wheel = own_wheel(known)
        licence = (HERE / f"licences_{known.name}.txt").read_text(encoding="utf-8")
        files = resolve(known.name, thorough=True).folder
        path = build_wheel(known, wheel, files, licence, chosen.folder)
    except SemscaleError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{path}: {path.stat().st_size / 1e6:.1f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
