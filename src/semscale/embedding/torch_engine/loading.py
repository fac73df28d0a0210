"""What runs a model in PyTorch: our own batches where we read its files, or else sentence-transformers."""

from pathlib import Path

from semscale.embedding.embedder import Embedder
from semscale.embedding.torch_engine.device import AUTO, number_type, torch_device
from semscale.embedding.torch_engine.packed_embedder import PackedTorchEmbedder
from semscale.errors import InputError, MissingExtraError, ModelError
from semscale.types import Progress
from semscale.weights.known import find_known
from semscale.weights.resolving import ModelFiles, hub_settings, resolve

FAMILIES = ("bert", "roberta", "xlm-roberta", "distilbert")
"""Families that our own batches run, by the name in ``config.json``."""


def load_torch(name: str, precision: str, device: str, progress: Progress | None) -> Embedder:
    """Load a model for PyTorch.

    Args:
        name: a known model, a folder, or ``organisation/model`` on the Hugging Face hub.
        precision: ``exact`` or ``fast``.
        device: as ``PackedTorchEmbedder`` takes it.
        progress: called while weights are pulled.

    Raises:
        InputError: an unknown precision, a device that is not there, or ``fast`` for a model that
            sentence-transformers runs.
        MissingExtraError: PyTorch is not installed; or sentence-transformers, where it is needed.
        ModelError: the model's files cannot be had or run.
    """
    number_type(precision, torch_device(device))  # refused before anything is fetched
    try:
        files = _own_files(name, progress)
        if files is not None:
            return PackedTorchEmbedder(
                files.folder,
                name=files.name,
                sha256=files.sha256,
                precision=precision,
                device=device,
                profile=files.profile,
            )
    except ModelError as error:
        if find_known(name) is not None:
            raise
        return _read_otherwise(name, precision, device, error)
    return _by_sentence_transformers(name, precision, device)


def _own_files(name: str, progress: Progress | None) -> ModelFiles | None:
    """Find the files of a model; ``None`` for one on the hub that is of no family of ours."""
    on_hub = find_known(name) is None and not Path(name).expanduser().is_dir()
    if on_hub and hub_settings(name).get("model_type") not in FAMILIES:
        return None
    return resolve(name, progress=progress)


def _read_otherwise(name: str, precision: str, device: str, error: ModelError) -> Embedder:
    """Let sentence-transformers read a model whose files we cannot read; it reads more.

    Raises:
        InputError: ``precision`` is not ``exact``.
        ModelError: it cannot read them either; the message says why we cannot.
    """
    try:
        return _by_sentence_transformers(name, precision, device)
    except InputError as refused:
        raise InputError(f"{refused} ({error})", in_shell=f"{refused.shell_message} ({error})") from error
    except (MissingExtraError, ModelError) as other:
        raise ModelError(f"{error}; with sentence-transformers: {other}") from error


def _by_sentence_transformers(name: str, precision: str, device: str) -> Embedder:
    from semscale.embedding.engines.torch import SentenceTransformerEmbedder

    if precision != "exact":
        said = f"is for BERT-like checkpoints, and sentence-transformers runs {name}: use"
        raise InputError(
            f"precision={precision!r} with engine='torch' {said} precision='exact'",
            in_shell=f"--precision {precision} with --engine torch {said} --precision exact",
        )
    return SentenceTransformerEmbedder(name, device=None if device == AUTO else device)
