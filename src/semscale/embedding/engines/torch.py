"""Embeddings from sentence-transformers models on PyTorch: other architectures, and GPUs."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.embedding.embedder import Embeddings
from semscale.embedding.engines.finite_output import check_finite
from semscale.embedding.engines.torch_states import TorchStates
from semscale.embedding.engines.windows import WindowTokenizer, pool_windows
from semscale.embedding.texts import checked_texts, distinct
from semscale.embedding.tokens.prefix import prefix_setting
from semscale.embedding.tokens.state_engine import Outputs, Rows, Whose, checked_layer
from semscale.errors import InputError, ModelError
from semscale.extras import require
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors
from semscale.weights.known import WEIGHTS, find_known
from semscale.weights.places import is_offline
from semscale.weights.profiles import hub_profile
from semscale.weights.resolving import resolve

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

BATCH = 64
_BATCHES_AT_ONCE = 32


class SentenceTransformerEmbedder:
    """Embeds texts with sentence-transformers; reads texts in windows where the library would cut them.

    A text that the model reads at once has the vector of ``SentenceTransformer.encode`` with
    ``normalize_embeddings=True``. A longer one is read in windows that share a quarter of their tokens; their
    unit vectors are averaged, weighted by their tokens, and scaled to length 1.

    Args:
        name: a known model, a folder, or a model on the Hugging Face hub.
        device: ``cpu``, ``cuda``, ``mps`` ...; by default the fastest one.
        batch: texts in one forward pass.

    Raises:
        InputError: ``batch`` is not positive.
        MissingExtraError: sentence-transformers is not installed.
        ModelError: the model cannot be loaded.
    """

    def __init__(self, name: str | Path, *, device: str | None = None, batch: int = BATCH) -> None:
        if batch < 1:
            raise InputError(f"batch must be >= 1, got {batch}")
        self._batch = batch
        known = find_known(str(name))
        if known is not None and known.weights != WEIGHTS:
            raise ModelError(
                f"{name} has 4-bit weights, which sentence-transformers does not read: give the model "
                f"{known.hub_id}, or use engine='openvino'"
            )
        files = resolve(str(name), thorough=True) if known else None
        self._model = _loaded(str(files.folder if files else name), device)
        self.name = files.name if files else _short(name)
        profile = known.profile if known else hub_profile(str(name))
        self._prefix = _default_prompt(self._model) or (profile.prefix if profile else "")
        self._states = TorchStates(self._model, self._prefix)
        self._hash = files.sha256[:12] if files else _hash(self._model.state_dict())
        reach = self._model.max_seq_length
        self._max_tokens = int(reach) if reach is not None and math.isfinite(reach) else None
        if self._max_tokens is not None and not getattr(self._model.tokenizer, "is_fast", False):
            raise ModelError(f"{name} has no fast tokenizer, so a long text cannot be split into windows")

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return int(self._probe.shape[1])

    @cached_property
    def signature(self) -> Signature:
        """Weights, libraries, device, number type and windows: the settings that decide the numbers."""
        import sentence_transformers
        import torch

        libraries = (
            f"sentence-transformers-{sentence_transformers.__version__}",
            f"torch-{torch.__version__}",
        )
        types = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in self._model.parameters()})
        return Signature.of(
            "embed",
            model=f"{self.name}#{self._hash}",
            engine="/".join(library.split("+")[0] for library in libraries),
            precision="+".join(types),
            device=self._model.device.type,
            window=f"{self._max_tokens}/{self._overlap}" if self._max_tokens else "none",
            **prefix_setting(self._prefix),
        )

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once, long ones in windows."""
        unique, where = distinct(checked_texts(texts))
        vectors = np.empty((len(unique), self.dimensions), dtype=np.float32)
        windows = np.ones(len(unique), dtype=np.int64)
        unknown = np.full(len(unique), np.nan, dtype=np.float32)
        size = self._batch * _BATCHES_AT_ONCE
        for start in range(0, len(unique), size):
            part = slice(start, start + size)
            vectors[part], windows[part], unknown[part] = self._embed_part(unique[part])
            check_finite(vectors[part], self.name)
            if progress:
                progress("embedding", min(start + size, len(unique)), len(unique))
        return Embeddings(vectors, windows, unknown).spread(where)

    @property
    def layers(self) -> int:
        """How many transformer layers the model has."""
        return self._states.layers

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        return self._states.hidden

    @property
    def positions(self) -> int:
        """How many tokens the model reads at once, special ones included."""
        return self._states.positions

    @property
    def pooling(self) -> str:
        """How a text's vector is made of the last layer's states: ``mean``, or ``cls``, the first."""
        return self._states.pooling

    @property
    def word_prefix(self) -> str:
        """What is put before a text whose tokens' states are wanted."""
        return self._states.word_prefix

    def open_tokenizer(self) -> "Tokenizer":
        """Give a copy of the model's tokenizer, without padding."""
        return self._states.open_tokenizer()

    def check_layer(self, layer: int) -> None:
        """Refuse a layer that the model does not have.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
        """
        checked_layer(layer, self.layers)

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer`` (0: the embeddings), as ``StateEngine`` has it."""
        return self._states.run(groups, layer)

    @property
    def _overlap(self) -> int:
        return (self._max_tokens or 0) // 4

    @cached_property
    def _probe(self) -> Vectors:
        # The method that returns the width has different names in different versions, so embed one word.
        return self._encode(["width"])

    def _embed_part(self, texts: list[str]) -> tuple[Vectors, Integers, Vectors]:
        """Embed texts, count their windows, and give the share of their tokens that is unknown."""
        if self._max_tokens is None:
            return self._encode(texts), np.ones(len(texts), dtype=np.int64), self._unknown_shares(texts)
        split = self._tokenizer.split(texts)
        counts = split.per_text(len(texts))
        is_whole = counts[split.owner] == 1
        vectors = np.empty((len(split.ids), self.dimensions), dtype=np.float32)
        if is_whole.any():
            vectors[is_whole] = self._encode([texts[row] for row in np.flatnonzero(counts == 1)])
        for rows in _batches(np.flatnonzero(~is_whole), self._batch):
            vectors[rows] = self._forward([split.ids[row].tolist() for row in rows])
        unknown = split.unknown_shares(self._tokenizer.unknown, len(texts))
        return pool_windows(vectors, split, len(texts)), counts, unknown

    def _unknown_shares(self, texts: list[str]) -> Vectors:
        """Give the shares for a model without a limit, which reads texts of any length at once."""
        if not getattr(self._model.tokenizer, "is_fast", False):
            return np.full(len(texts), np.nan, dtype=np.float32)
        return self._tokenizer.split(texts).unknown_shares(self._tokenizer.unknown, len(texts))

    @cached_property
    def _tokenizer(self) -> WindowTokenizer:
        return WindowTokenizer(self.open_tokenizer(), self._max_tokens, self._overlap, prefix=self._prefix)

    def _encode(self, texts: list[str]) -> Vectors:
        encoded = self._model.encode(
            texts,
            prompt=self._prefix or None,
            batch_size=self._batch,
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        return np.asarray(encoded, dtype=np.float32)

    def _forward(self, ids: list[list[int]]) -> Vectors:
        import torch

        masks = [[1] * len(row) for row in ids]
        padded = self._model.tokenizer.pad({"input_ids": ids, "attention_mask": masks}, return_tensors="pt")
        with torch.inference_mode():
            features = {name: tensor.to(self._model.device) for name, tensor in padded.items()}
            vectors = self._model(features)["sentence_embedding"]
            unit = torch.nn.functional.normalize(vectors.float(), dim=1)
        return np.asarray(unit.cpu().numpy(), dtype=np.float32)


def _loaded(place: str, device: str | None) -> "SentenceTransformer":
    require("torch")
    from sentence_transformers import SentenceTransformer

    try:
        with _quiet():
            try:
                # Files on this disk are used unchanged; the hub is not asked for newer ones.
                return SentenceTransformer(place, device=device, local_files_only=True)
            except OSError:
                if is_offline():
                    raise
                return SentenceTransformer(place, device=device)
    except Exception as error:  # loading runs code of four libraries, each with its own exceptions
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"sentence-transformers cannot load {place}: {type(error).__name__}: {reason}"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    logging = import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _default_prompt(model: "SentenceTransformer") -> str:
    return str((model.prompts or {}).get(model.default_prompt_name or "", ""))


def _batches(rows: Integers, size: int) -> list[Integers]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _hash(parameters: dict[str, Any]) -> str:
    """Hash the names and bytes of all parameters, so that the format of their file does not matter."""
    import torch

    digest = hashlib.sha256()
    for name in sorted(parameters):
        digest.update(name.encode())
        digest.update(parameters[name].detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()[:8]


def _short(name: str | Path) -> str:
    path = Path(name).expanduser()
    text = path.resolve().name if path.is_dir() else str(name)
    return text.replace(":", "_").replace("|", "_")
