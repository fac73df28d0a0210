"""The two forms of an encoder's files: a checkpoint as its library saves it, and 4-bit weights."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.checkpoint import Architecture, Checkpoint, load_checkpoint
from semscale.embedding.engines.checkpoint_weights import WORDS, Parameters, load_weights
from semscale.embedding.engines.q4_file import MAGIC, Q4Header, Q4Parameters, Q4Table
from semscale.errors import ModelError
from semscale.weights.profiles import ModelProfile

_HEADER_BYTES = 64
_PLAIN = ModelProfile()


@dataclass(frozen=True)
class Weights:
    """An encoder's parameters.

    Attributes:
        words: the table with one row for each token: floats of shape (words, hidden), or 4 bits.
        parameters: all others, under BERT's names.
    """

    words: npt.NDArray[np.float32] | Q4Table
    parameters: Parameters


def open_checkpoint(folder: Path, profile: ModelProfile | None = None) -> Checkpoint:
    """Read an encoder's architecture and settings from a folder of either form.

    Args:
        folder: contains ``tokenizer.json``, and either ``config.json`` and ``model.safetensors`` or one file
            ``*-q4.bin``.
        profile: how the model is to be used, as far as the files do not say.

    Raises:
        ModelError: a file is missing or damaged, or the engine cannot run the model exactly.
    """
    packed = [] if (folder / "config.json").is_file() else sorted(folder.glob("*-q4.bin"))
    if len(packed) != 1:
        checkpoint = load_checkpoint(folder)
        return replace(checkpoint, prefix=checkpoint.prefix or profile.prefix) if profile else checkpoint
    return _q4_checkpoint(packed[0], profile or _PLAIN)


def read_content(path: Path) -> bytearray:
    """Read a file of weights; arrays that share its memory can be given to OpenVINO without a copy.

    Raises:
        ModelError: it cannot be read.
    """
    try:
        content = bytearray(path.stat().st_size)
        with path.open("rb") as file:
            read = file.readinto(content)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    return content[:read] if read < len(content) else content


def open_weights(checkpoint: Checkpoint, content: bytearray) -> Weights:
    """Read an encoder's parameters from the content of its file of weights.

    Raises:
        ModelError: the file is damaged or lacks a parameter of the architecture.
    """
    if content.startswith(MAGIC):
        packed = Q4Parameters(content, checkpoint.weights)
        return Weights(packed.words, packed)
    parameters = load_weights(checkpoint, content)
    return Weights(parameters[WORDS], parameters)


def _q4_checkpoint(weights: Path, profile: ModelProfile) -> Checkpoint:
    tokenizer = weights.with_name("tokenizer.json")
    try:
        with weights.open("rb") as file:
            head = file.read(_HEADER_BYTES)
        header = Q4Header.read(head, weights)
        setup = hashlib.sha256(head + tokenizer.read_bytes()).hexdigest()[:12]
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be read: {error.strerror}") from error
    architecture = Architecture(
        family="bert",
        layers=header.layers,
        heads=header.heads,
        hidden=header.hidden,
        norm_epsilon=header.norm_epsilon,
        activation="gelu",
        first_position=0,
        positions=header.positions,
        pad_id=0,
        words=header.words,
    )
    limit = min(profile.max_tokens, header.positions)
    return Checkpoint(architecture, profile.pooling, limit, tokenizer, weights, setup, profile.prefix)
