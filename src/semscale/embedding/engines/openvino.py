"""The default engine: text encoders on OpenVINO, without PyTorch."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.embedder import Embedder, Embeddings
from semscale.embedding.engines.arithmetic import FLOAT32, Arithmetic, arithmetic_of, check_precision
from semscale.embedding.engines.batching import arithmetic_batches
from semscale.embedding.engines.checkpoint import Checkpoint
from semscale.embedding.engines.content_check import checked_content
from semscale.embedding.engines.finite_output import check_finite
from semscale.embedding.engines.graph import sentence_graph, states_graph
from semscale.embedding.engines.model_files import open_checkpoint, open_weights
from semscale.embedding.engines.pipeline import Pipeline, Whose
from semscale.embedding.engines.runtime import openvino_module
from semscale.embedding.engines.text_chunks import embed_chunks
from semscale.embedding.engines.windows import (
    Windows,
    WindowTokenizer,
    check_tokens,
    open_text_tokenizer,
    open_tokenizer,
)
from semscale.embedding.tokens.prefix import prefix_setting
from semscale.embedding.tokens.state_engine import Outputs, Rows, checked_layer
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors
from semscale.weights.download_staging import sha256_of
from semscale.weights.profiles import ModelProfile

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class OpenVinoEmbedder:
    """Embeds texts with a BERT, RoBERTa, XLM-R, DistilBERT or DeBERTa (v2, v3) checkpoint.

    Args:
        folder: contains ``config.json``, ``model.safetensors`` and ``tokenizer.json``, or 4-bit weights and
            ``tokenizer.json``.
        name: the model's name in the signature.
        sha256: hash that the weights must have, 64 hex digits; that of the file unless given.
        precision: ``exact`` computes in float32, ``fast`` in bfloat16 if the processor supports it, ``turbo``
            with 8-bit integers besides, if the processor and the profile support them.
        profile: how the model is to be used, as far as its files do not say.

    Raises:
        InputError: an unknown precision, or one that was not measured for the model.
        ModelError: the checkpoint cannot be read or run.

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
        profile: ModelProfile | None = None,
    ) -> None:
        check_precision(precision, name, profile)
        self.name = name
        self._checkpoint = open_checkpoint(folder, profile)
        self._sha256 = sha256 or sha256_of(self._checkpoint.weights)
        self._overlap = self._checkpoint.max_tokens // 4
        self._precision = precision
        self._arithmetic = arithmetic_of(precision)
        self._pipelines: dict[tuple[int | None, Arithmetic], Pipeline] = {}

    @property
    def checkpoint(self) -> Checkpoint:
        """The model's architecture, pooling and files."""
        return self._checkpoint

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._checkpoint.architecture.hidden

    @property
    def layers(self) -> int:
        """Number of the model's transformer layers."""
        return self._checkpoint.architecture.layers

    @property
    def signature(self) -> Signature:
        """Weights, configuration, tokenizer, precision, pooling and windows, which decide the numbers."""
        return self.signature_in(self._arithmetic)

    def signature_in(self, arithmetic: Arithmetic) -> Signature:
        """Give the signature of vectors that are computed in another arithmetic."""
        engine_version = openvino_module().__version__
        return Signature.of(
            "embed",
            model=f"{self.name}#{self._sha256[:12]}",
            setup=self._checkpoint.setup_hash,
            engine=f"openvino-{engine_version.split('-')[0]}",
            precision=str(arithmetic),
            pooling=self._checkpoint.pooling,
            window=f"{self._checkpoint.max_tokens}/{self._overlap}",
            **prefix_setting(self._checkpoint.prefix),
        )

    @property
    def for_anchors(self) -> Embedder:
        """The embedder of anchors: in float32 where texts are in integers, as anchors touch every rating."""
        return InFloat32(self) if self._arithmetic.int8 else self

    @property
    def hidden(self) -> int:
        """Width of a hidden state, which is that of a vector."""
        return self.dimensions

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
        return self.embed_in(self._arithmetic, texts, progress)

    def embed_in(self, arithmetic: Arithmetic, texts: Sequence[str], progress: Progress | None) -> Embeddings:
        """Embed texts in another arithmetic than the embedder's own."""
        return embed_chunks(
            texts,
            self._tokenizer,
            lambda windows: self._window_vectors(windows, arithmetic),
            dimensions=self.dimensions,
            progress=progress,
        )

    def check_layer(self, layer: int) -> None:
        """Check that the model has a layer, and shows states in its precision.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``, or the
                precision is ``turbo``, which was measured for vectors of texts only.
        """
        checked_layer(layer, self.layers)
        if self._precision == "turbo":
            said = "was measured for vectors of texts only; for states of tokens use"
            raise InputError(
                f"precision='turbo' {said} precision='fast'",
                in_shell=f"--precision turbo {said} --precision fast",
            )

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer`` (0: the embeddings), in batches of equal length.

        Args:
            groups: each a label and rows of token ids, special tokens included, that the model can read at
                once. Groups are taken ahead, so that the model does not pause between them.
            layer: 0 to ``layers``.

        Yields:
            For each batch, the group's label, the numbers of the rows, and their states, shape
            (b, t, hidden), valid until the next batch; one group after the other.

        Raises:
            InputError: see ``check_layer``.
        """
        self.check_layer(layer)
        return self._run(groups, layer, self._arithmetic)

    def _window_vectors(self, split: Windows, arithmetic: Arithmetic) -> Vectors:
        vectors = np.empty((len(split.ids), self.dimensions), np.float32)
        for _, batch, output in self._run([(None, split.ids)], None, arithmetic):
            vectors[batch] = output
        return vectors

    def _run(
        self, groups: Iterable[tuple[Whose, Rows]], layer: int | None, arithmetic: Arithmetic
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Send rows through the model in batches, first those in float32, then those in the arithmetic.

        Whenever the arithmetic changes, all batches under way are finished first, so that no model is
        compiled while another one runs.
        """
        batches = (
            (each, whose, ids, rows)
            for whose, ids in groups
            for each, rows in arithmetic_batches(list(map(len, ids)), arithmetic)
        )
        for each, alike in groupby(batches, key=itemgetter(0)):
            inputs = (
                ((whose, rows), [np.stack([ids[row] for row in rows])]) for _, whose, ids, rows in alike
            )
            for (whose, rows), output in self._pipeline(layer, each).run(inputs):
                check_finite(output, str(self._checkpoint.weights))
                yield whose, rows, output

    @cached_property
    def _tokenizer(self) -> WindowTokenizer:
        checkpoint = self._checkpoint
        tokenizer = open_text_tokenizer(checkpoint.tokenizer, checkpoint.prefix)
        check_tokens(tokenizer, checkpoint)
        return WindowTokenizer(tokenizer, checkpoint.max_tokens, self._overlap, prefix=checkpoint.prefix)

    def _pipeline(self, layer: int | None, arithmetic: Arithmetic) -> Pipeline:
        """Return the compiled model that ends after a layer, or with sentence vectors.

        Compiled models are kept for the last two layers only, as each has its own copy of the weights below
        its layer.
        """
        found = self._pipelines.get((layer, arithmetic))
        if found is None:
            found = self._compiled(layer, arithmetic)
            layers = list(dict.fromkeys(other for other, _ in self._pipelines if other not in (None, layer)))
            kept = (None, layer, *layers[-1:])
            self._pipelines = {key: each for key, each in self._pipelines.items() if key[0] in kept}
            self._pipelines[layer, arithmetic] = found
        return found

    def _compiled(self, layer: int | None, arithmetic: Arithmetic) -> Pipeline:
        """Compile the model; its weights are hashed meanwhile, so that no vector comes from other ones."""
        with checked_content(self._checkpoint.weights, self._sha256) as content:
            weights = open_weights(self._checkpoint, content)
            if layer is None:
                graph = sentence_graph(self._checkpoint, weights, int8=arithmetic.int8)
            else:
                graph = states_graph(self._checkpoint, weights, layer)
            return Pipeline(graph, arithmetic=arithmetic)


class InFloat32:
    """An embedder's model in float32, without another copy of its tokenizer.

    Args:
        embedder: computes the vectors.
    """

    def __init__(self, embedder: OpenVinoEmbedder) -> None:
        self._embedder = embedder

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._embedder.dimensions

    @property
    def signature(self) -> Signature:
        """The embedder's, in float32."""
        return self._embedder.signature_in(FLOAT32)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order, in float32."""
        return self._embedder.embed_in(FLOAT32, texts, progress)
