"""Files of local chat models: pinned ones that Semscale pulls, or the user's own."""

import re
from dataclasses import dataclass
from pathlib import Path

from semscale.errors import ModelError
from semscale.types import Progress
from semscale.weights.download_staging import sha256_of
from semscale.weights.known import DEFAULT_CHAT_MODEL, find_known
from semscale.weights.resolving import resolve

GGUF = ".gguf"
_EXPORTED = "openvino_model.bin"


@dataclass(frozen=True)
class LocalModel:
    """A chat model whose files are on this disk.

    Attributes:
        path: of a GGUF file, or of a folder with a model exported for OpenVINO.
        name: the model's name in signatures and messages.
        sha256: hash of the weights, 64 hex digits.
        context: the most tokens of prompt and reply together; ``None`` if unknown.
    """

    path: Path
    name: str
    sha256: str
    context: int | None = None


_CONTEXTS = {DEFAULT_CHAT_MODEL: 8192}


def find_local_model(name: str, *, progress: Progress | None = None) -> LocalModel:
    """Find a local chat model's files; a known model's files are pulled if they are missing.

    Args:
        name: a known chat model, ``local`` for the default one, the path of a GGUF file, or of a folder with
            a model exported for OpenVINO.
        progress: called while files are pulled.

    Raises:
        ModelError: there is no such model, it is no chat model, or its files cannot be pulled.
    """
    known = find_known(DEFAULT_CHAT_MODEL if name == "local" else name)
    if known is not None:
        if not known.is_chat:
            raise ModelError(f"{known.name} turns texts into vectors; a chat model is {DEFAULT_CHAT_MODEL}")
        files = resolve(known.name, thorough=True, progress=progress)
        return LocalModel(files.folder / known.weights, files.name, files.sha256, _CONTEXTS.get(known.name))
    path = Path(name).expanduser()
    weights = path / _EXPORTED if path.is_dir() else path
    if not weights.is_file() or (path.is_file() and path.suffix != GGUF):
        raise ModelError(
            f"{name!r} is no local chat model: give {DEFAULT_CHAT_MODEL}, the path of a {GGUF} file, or a "
            f"folder with {_EXPORTED}"
        )
    return LocalModel(path, re.sub(r"[|:\s]", "_", path.resolve().stem), sha256_of(weights))
