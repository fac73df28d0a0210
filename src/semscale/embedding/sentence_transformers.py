"""The engine ``torch``: models of sentence-transformers, of any architecture, on a processor or a GPU."""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.embedding.embedder import AUTO, Embeddings
from semscale.embedding.openvino import check_finite, has_bfloat16, token_batches
from semscale.embedding.texts import distinct, validate_texts
from semscale.embedding.token_states import Outputs, Rows, Whose, check_layer_number
from semscale.embedding.tokenizer import WindowTokenizer, pool_windows, prefix_setting
from semscale.errors import InputError, ModelError
from semscale.extras import require
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors
from semscale.weights.folders import is_offline
from semscale.weights.known import WEIGHTS, find_known, hub_profile
from semscale.weights.resolving import resolve

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

PRECISIONS = ("exact", "fast")
BATCH = 64

_BATCHES_AT_ONCE = 32
_TOKEN_BUDGET = 4096  # tokens in one forward pass
_DEVICE = re.compile("auto|cpu|mps|cuda(:(0|[1-9][0-9]?))?")  # PyTorch reads cuda:256 as cuda:0
_POOLINGS = ("mean", "cls")


class SentenceTransformerEmbedder:
    """Embeds texts with sentence-transformers; long texts are read in windows instead of being cut.

    A text that the model reads at once has the vector of ``SentenceTransformer.encode`` with
    ``normalize_embeddings=True``. A longer text is read in windows that share a quarter of their tokens. The
    windows' unit vectors are averaged, weighted by their tokens, and scaled to length 1. Token states are the
    ``output_hidden_states`` of transformers.

    Args:
        name: a known model, a folder, or a model on the Hugging Face hub.
        precision: ``exact`` computes in float32; ``fast`` in bfloat16, or in float16 on GPUs without it.
        device: ``cpu``, ``cuda``, ``cuda:N``, ``mps``, or ``auto`` for a GPU if there is one.
        batch: number of texts in one forward pass.
        progress: called while the weights of a known model are downloaded.

    Raises:
        InputError: the precision is unknown, the device does not exist, or ``batch`` is not positive.
        MissingExtraError: sentence-transformers is not installed.
        ModelError: the model cannot be loaded.
    """

    def __init__(
        self,
        name: str | Path,
        *,
        precision: str = "exact",
        device: str = AUTO,
        batch: int = BATCH,
        progress: Progress | None = None,
    ) -> None:
        if batch < 1:
            raise InputError("batch", f"must be >= 1, got {batch}")
        _check_precision(precision)
        known = find_known(str(name))
        if known is not None and known.weights != WEIGHTS:
            raise ModelError(
                f"{name} has 4-bit weights, which sentence-transformers does not read: give the model "
                f"{known.hub_id}, or use `engine='openvino'`"
            )
        require("torch")
        chosen = torch_device(device)
        files = resolve(str(name), thorough=True, progress=progress) if known else None
        self._batch = batch
        self._model = _load_model(str(files.folder if files else name), chosen, precision)
        self.name = files.name if files else _short(name)
        profile = known.profile if known else hub_profile(str(name))
        self._prefix = _default_prompt(self._model) or (profile.prefix if profile else "")
        self._hash = files.sha256[:12] if files else _hash(self._model.state_dict())
        reach = self._model.max_seq_length
        self._max_tokens = int(reach) if reach is not None and math.isfinite(reach) else None
        self._overlap = (self._max_tokens or 0) // 4
        if self._max_tokens is not None and not getattr(self._model.tokenizer, "is_fast", False):
            raise ModelError(f"{name} has no fast tokenizer, so a long text cannot be split into windows")

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return int(self._probe.shape[1])

    @cached_property
    def signature(self) -> Signature:
        """All that affects the numbers: weights, libraries, device, number type and windows."""
        import sentence_transformers
        import torch

        libraries = (
            f"sentence-transformers-{sentence_transformers.__version__}",
            f"torch-{torch.__version__}",
        )
        types = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in self._model.parameters()})
        # A setting of the process can round products of float32.
        rounding = torch.get_float32_matmul_precision()
        stated = "" if types != ["float32"] or rounding == "highest" else f"/{rounding}"
        return Signature.of(
            "embed",
            model=f"{self.name}#{self._hash}",
            engine="/".join(library.split("+")[0] for library in libraries),
            precision="+".join(types) + stated,
            device=self._model.device.type,
            window=f"{self._max_tokens}/{self._overlap}" if self._max_tokens else "none",
            **prefix_setting(self._prefix),
        )

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once, long ones in windows."""
        unique, where = distinct(validate_texts(texts))
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
        """Number of the model's transformer layers."""
        return int(self._transformer.config.num_hidden_layers)

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        return int(self._transformer.config.hidden_size)

    @property
    def positions(self) -> int:
        """Number of tokens that the model reads at once: rows of the position table without unused ones."""
        table = getattr(getattr(self._transformer, "embeddings", None), "position_embeddings", None)
        if table is not None and hasattr(table, "num_embeddings"):
            free = 0 if table.padding_idx is None else table.padding_idx + 1
            return int(table.num_embeddings) - int(free)
        stated = getattr(self._transformer.config, "max_position_embeddings", None)
        return int(stated or self._model.max_seq_length or 512)

    @property
    def pooling(self) -> str:
        """Pooling of the last layer's states into a text's vector: ``mean``, or ``cls``, the first.

        Raises:
            InputError: the model pools in another way.
        """
        _, *later = self._model
        kinds = [type(module).__name__ for module in later]
        pooled = kinds in (["Pooling"], ["Pooling", "Normalize"])
        mode = _pooling_mode(later[0]) if pooled else "+".join(kinds)
        if mode not in _POOLINGS:
            raise InputError(
                f"embedder pools token states by {mode or 'nothing'}, and only the mean of the tokens' "
                "states or the first of them can be applied here: give a model with mean or CLS pooling"
            )
        return mode

    @property
    def word_prefix(self) -> str:
        """Prefix of the model; a space for RoBERTa, which splits a word differently after a space."""
        return self._prefix or (" " if self._transformer.config.model_type == "roberta" else "")

    def open_tokenizer(self) -> "Tokenizer":
        """Return a copy of the model's tokenizer, without padding and truncation.

        Raises:
            InputError: it has no fast tokenizer; slow ones do not report the positions of tokens in a text.
        """
        from tokenizers import Tokenizer

        fast = getattr(self._model.tokenizer, "backend_tokenizer", None)
        if fast is None:
            raise InputError("embedder", "has no fast tokenizer, which is needed for the positions of tokens")
        tokenizer = Tokenizer.from_str(fast.to_str())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def check_layer(self, layer: int) -> None:
        """Check that the model has a layer.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
        """
        check_layer_number(layer, self.layers)

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer`` (0: the embeddings); see ``StateEngine``."""
        for label, ids in groups:
            lengths = np.fromiter(map(len, ids), np.int64, len(ids))
            for rows in token_batches(lengths, _TOKEN_BUDGET):
                yield label, rows, self._states(np.stack([ids[row] for row in rows]), layer)

    def _states(self, ids: np.ndarray, layer: int) -> Outputs:
        import torch

        with torch.inference_mode():
            tokens = torch.as_tensor(ids, dtype=torch.long, device=self._model.device)
            output = self._transformer(
                input_ids=tokens, attention_mask=torch.ones_like(tokens), output_hidden_states=True
            )
            states: Outputs = output.hidden_states[layer].float().cpu().numpy()
        return states

    @cached_property
    def _transformer(self) -> Any:
        """Model of the library transformers.

        Raises:
            InputError: the embedder contains no such model.
        """
        first = next(iter(self._model), None)
        transformer = getattr(first, "auto_model", None)
        if transformer is None or not hasattr(transformer, "config"):
            raise InputError(
                "embedder reads texts without layers of token states: give a model whose first module is a "
                "transformer"
            )
        return transformer

    @cached_property
    def _probe(self) -> Vectors:
        # The method for the width has different names in different versions, so embed one word instead.
        return self._encode(["width"])

    def _embed_part(self, texts: list[str]) -> tuple[Vectors, Integers, Vectors]:
        """Embed texts; return vectors, numbers of windows, and shares of unknown tokens."""
        if self._max_tokens is None:
            return self._encode(texts), np.ones(len(texts), dtype=np.int64), self._unknown_shares(texts)
        split = self._tokenizer.split(texts)
        counts = split.per_text(len(texts))
        is_whole = counts[split.owner] == 1
        vectors = np.empty((len(split.ids), self.dimensions), dtype=np.float32)
        if is_whole.any():
            vectors[is_whole] = self._encode([texts[row] for row in np.flatnonzero(counts == 1)])
        long = np.flatnonzero(~is_whole)
        for start in range(0, len(long), self._batch):
            rows = long[start : start + self._batch]
            vectors[rows] = self._forward([split.ids[row].tolist() for row in rows])
        unknown = split.unknown_shares(self._tokenizer.unknown, len(texts))
        return pool_windows(vectors, split, len(texts)), counts, unknown

    def _unknown_shares(self, texts: list[str]) -> Vectors:
        """Compute the shares for a model without a limit, which reads texts of any length at once."""
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
        """Return the unit vectors of windows; ``encode`` takes texts only."""
        import torch

        masks = [[1] * len(row) for row in ids]
        padded = self._model.tokenizer.pad({"input_ids": ids, "attention_mask": masks}, return_tensors="pt")
        with torch.inference_mode():
            features = {name: tensor.to(self._model.device) for name, tensor in padded.items()}
            vectors = self._model(features)["sentence_embedding"]
            unit = torch.nn.functional.normalize(vectors.float(), dim=1)
        return np.asarray(unit.cpu().numpy(), dtype=np.float32)


def torch_device(device: str) -> "torch.device":
    """Return PyTorch's device for a name.

    Args:
        device: ``cpu``, ``cuda``, ``cuda:N``, ``mps``, or ``auto`` for a GPU if there is one.

    Raises:
        InputError: the name is none of these, or this machine has no such device.
    """
    if not _DEVICE.fullmatch(device):
        raise InputError("device", f"must be auto, cpu, cuda, cuda:N or mps, got {device!r}")
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == AUTO:
        return torch.device(next(kind for kind in there if there[kind]))
    chosen = torch.device(device)
    if not there[chosen.type]:
        is_built = chosen.type != "cuda" or torch.version.cuda
        problem = "" if is_built else ", and this build of torch is for CPUs only"
        raise InputError(f"`device={device!r}` is not available{problem}: use `device='auto'` or 'cpu'")
    if chosen.type == "cuda" and (chosen.index or 0) >= torch.cuda.device_count():
        last = torch.cuda.device_count() - 1
        raise InputError(f"device={device!r} is not available: the last one is cuda:{last}")
    return chosen


def number_type(precision: str, device: "torch.device") -> "torch.dtype":
    """Return the number type for a precision on a device.

    ``fast`` is bfloat16. It is float16 on GPUs without bfloat16, and float32 on processors without it.
    """
    import torch

    if precision == "exact":
        return torch.float32
    if device.type == "cpu":
        return torch.bfloat16 if has_bfloat16() else torch.float32
    has_it = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.bfloat16 if has_it else torch.float16


def _check_precision(precision: str) -> None:
    if precision not in PRECISIONS:
        raise InputError(
            "precision", f"must be {' or '.join(PRECISIONS)} with the engine torch, got {precision!r}"
        )


def _load_model(name: str, device: "torch.device", precision: str) -> "SentenceTransformer":
    from sentence_transformers import SentenceTransformer

    try:
        with quiet_loading():
            try:
                # Files on this disk are used unchanged; the hub is not asked for newer ones.
                model = SentenceTransformer(name, device=str(device), local_files_only=True)
            except OSError:
                if is_offline():
                    raise
                model = SentenceTransformer(name, device=str(device))
            return model.to(number_type(precision, device))
    except Exception as error:  # loading runs code of four libraries, each with its own exceptions
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"sentence-transformers cannot load {name}: {type(error).__name__}: {reason}"
        ) from error


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Hide the progress bars of transformers while a model is loaded."""
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


def _pooling_mode(module: Any) -> str:
    stated = getattr(module, "pooling_mode", None)
    return str(stated if stated is not None else module.get_pooling_mode_str())


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
