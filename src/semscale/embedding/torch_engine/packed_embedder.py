"""The engine ``torch`` for checkpoints that Semscale reads itself, on a processor or a GPU."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.embedding.embedder import Embeddings
from semscale.embedding.engines.model_files import open_checkpoint
from semscale.embedding.engines.text_chunks import embed_chunks
from semscale.embedding.engines.windows import (
    WindowTokenizer,
    check_tokens,
    open_text_tokenizer,
    open_tokenizer,
)
from semscale.embedding.tokens.prefix import prefix_setting
from semscale.embedding.tokens.state_engine import Outputs, Rows, Whose, checked_layer
from semscale.embedding.torch_engine.device import number_type, stated_precision, torch_device
from semscale.embedding.torch_engine.packed_model import PackedModel
from semscale.errors import UnsupportedModelError
from semscale.signature import Signature
from semscale.types import Integers, Progress
from semscale.weights.download_staging import sha256_of
from semscale.weights.profiles import ModelProfile

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

    from semscale.embedding.engines.checkpoint import Checkpoint


class PackedTorchEmbedder:
    """Embeds texts with a BERT, RoBERTa, XLM-R or DistilBERT checkpoint in PyTorch, without padding.

    Args:
        folder: contains ``config.json``, ``model.safetensors`` and ``tokenizer.json``, or 4-bit weights and
            ``tokenizer.json``.
        name: the model's name in the signature.
        sha256: hash that the weights must have, 64 hex digits; that of the file unless given.
        precision: ``exact`` computes in float32; ``fast`` in bfloat16, or float16 on GPUs without it.
        device: ``cpu``, ``cuda``, ``cuda:N``, ``mps``, or ``auto`` for the GPU where there is one.
        profile: how the model is to be used, as far as its files do not say.

    Raises:
        InputError: an unknown precision, or a device that is not there.
        MissingExtraError: PyTorch is not installed.
        ModelError: the checkpoint cannot be read.
        UnsupportedModelError: the checkpoint is of a family that is not run here.

    References:
        Devlin et al. 2019, doi:10.18653/v1/N19-1423; Reimers and Gurevych 2019, doi:10.18653/v1/D19-1410.
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        sha256: str | None = None,
        precision: str = "exact",
        device: str = "auto",
        profile: ModelProfile | None = None,
    ) -> None:
        self.name = name
        place = torch_device(device)
        kind = number_type(precision, place)
        self._checkpoint = packable_checkpoint(folder, profile)
        self._sha256 = sha256 or sha256_of(self._checkpoint.weights)
        self._overlap = self._checkpoint.max_tokens // 4
        self.model = PackedModel(self._checkpoint, self._sha256, kind=kind, device=place)

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._checkpoint.architecture.hidden

    @property
    def hidden(self) -> int:
        """Width of a hidden state, which is that of a vector."""
        return self.dimensions

    @property
    def layers(self) -> int:
        """Number of the model's transformer layers."""
        return self._checkpoint.architecture.layers

    @property
    def positions(self) -> int:
        """How many tokens the model reads at once, special ones included."""
        return self._checkpoint.architecture.positions

    @property
    def pooling(self) -> str:
        """How the model makes a text's vector of the last layer's states: ``mean``, or ``cls``, the first."""
        return self._checkpoint.pooling

    @property
    def word_prefix(self) -> str:
        """The model's own prefix; a space for RoBERTa, which spells words otherwise after a space."""
        return self._checkpoint.word_prefix

    @property
    def signature(self) -> Signature:
        """Weights, configuration, library, type of number, device, pooling and windows."""
        import torch

        return Signature.of(
            "embed",
            model=f"{self.name}#{self._sha256[:12]}",
            setup=self._checkpoint.setup_hash,
            engine=f"torch-{torch.__version__.split('+')[0]}",
            precision=stated_precision(self.model.kind),
            device=self.model.device.type,
            pooling=self.pooling,
            window=f"{self._checkpoint.max_tokens}/{self._overlap}",
            **prefix_setting(self._checkpoint.prefix),
        )

    def open_tokenizer(self) -> "Tokenizer":
        """Give the model's tokenizer, without padding.

        Raises:
            ModelError: it cannot be read, or has tokens that the model has no row for.
        """
        tokenizer = open_tokenizer(self._checkpoint.tokenizer)
        check_tokens(tokenizer, self._checkpoint)
        return tokenizer

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once, long ones in windows."""
        return embed_chunks(
            texts,
            self._tokenizer,
            lambda windows: self.model.vectors(windows.ids),
            dimensions=self.dimensions,
            ahead=self.is_on_gpu,
            progress=progress,
        )

    @property
    def device(self) -> "torch.device":
        """Where it computes."""
        return self.model.device

    @property
    def is_on_gpu(self) -> bool:
        """Whether it computes on a GPU."""
        return bool(self.model.device.type != "cpu")

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
        self.check_layer(layer)
        return self.model.run(groups, layer)

    def device_states(self, rows: Rows, *, layer: int) -> "tuple[torch.Tensor, Integers]":
        """Give states where they were computed, as ``PackedModel.states`` does."""
        self.check_layer(layer)
        return self.model.states(rows, layer)

    @cached_property
    def _tokenizer(self) -> WindowTokenizer:
        checkpoint = self._checkpoint
        # Beside a GPU the tokenizer is what waits; the library's own is faster and takes more memory.
        tokenizer = (
            open_tokenizer(checkpoint.tokenizer)
            if self.is_on_gpu
            else open_text_tokenizer(checkpoint.tokenizer, checkpoint.prefix)
        )
        check_tokens(tokenizer, checkpoint)
        return WindowTokenizer(tokenizer, checkpoint.max_tokens, self._overlap, prefix=checkpoint.prefix)


def packable_checkpoint(folder: Path, profile: ModelProfile | None) -> "Checkpoint":
    """Read a checkpoint's settings, if it can be run here.

    Raises:
        ModelError: it cannot be read.
        UnsupportedModelError: it sees distances of tokens, as DeBERTa does.
    """
    checkpoint = open_checkpoint(folder, profile)
    if checkpoint.architecture.relative is not None:
        raise UnsupportedModelError(f"{folder}: attention with relative positions is not run on packed rows")
    return checkpoint
