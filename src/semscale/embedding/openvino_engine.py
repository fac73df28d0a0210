"""The default engine: an encoder on OpenVINO, several requests in flight, no PyTorch."""

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.batching import distinct, token_batches
from semscale.embedding.checkpoint import load_checkpoint, load_weights
from semscale.embedding.embedder import Embeddings
from semscale.embedding.graph import sentence_graph, states_graph
from semscale.embedding.windows import Windows, WindowTokenizer, pool_windows
from semscale.errors import InputError, ModelError
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors

if TYPE_CHECKING:
    import openvino

PRECISIONS = ("exact", "fast")

TOKEN_BUDGET = 1024  # tokens a batch; 512 to 2,048 are equally fast within the noise
CHUNK = 8192  # texts that are tokenized and sorted together
# Rounding errors average out over a text's tokens, so bfloat16 costs short texts most. Anchors and
# short answers are such texts, and cheap: below this many tokens `fast` computes in float32.
SHORT = 8

Receive = Callable[[Integers, npt.NDArray[np.float32]], None]


class OpenVinoEmbedder:
    """Embeds texts with a BERT, RoBERTa, XLM-R or DistilBERT checkpoint.

    Args:
        folder: where ``config.json``, ``model.safetensors`` and ``tokenizer.json`` lie.
        name: the model's name in the signature.
        sha256: of the weights, for the signature.
        precision: ``exact`` computes in float32; ``fast`` in bfloat16 where the processor has it.

    Raises:
        InputError: ``precision`` is not one of ``PRECISIONS``.
        ModelError: the checkpoint cannot be read or run.

    References:
        Devlin et al. 2019, doi:10.18653/v1/N19-1423; Reimers and Gurevych 2019, doi:10.18653/v1/D19-1410.
    """

    def __init__(self, folder: Path, *, name: str, sha256: str, precision: str = "exact") -> None:
        if precision not in PRECISIONS:
            raise InputError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
        self._name = name
        self._sha256 = sha256
        self._checkpoint = load_checkpoint(folder)
        self._overlap = self._checkpoint.max_tokens // 4
        self._models: dict[bool, openvino.CompiledModel] = {}
        self._bfloat16 = precision == "fast" and _has_bfloat16()

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._checkpoint.architecture.hidden

    @property
    def layers(self) -> int:
        """How many transformer layers the model has."""
        return self._checkpoint.architecture.layers

    @property
    def signature(self) -> Signature:
        """What decides the numbers: weights, arithmetic, pooling and windows."""
        from openvino import __version__ as engine_version

        return Signature.of(
            "embed",
            model=f"{self._name}#{self._sha256[:8]}",
            engine=f"openvino-{engine_version.split('-')[0]}",
            precision="bfloat16" if self._bfloat16 else "float32",
            pooling=self._checkpoint.pooling,
            window=f"{self._checkpoint.max_tokens}/{self._overlap}",
        )

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once, long ones in windows."""
        unique, where = distinct(checked_texts(texts))
        vectors = np.empty((len(unique), self.dimensions), np.float32)
        windows = np.ones(len(unique), np.int64)
        for start in range(0, len(unique), CHUNK):
            chunk = unique[start : start + CHUNK]
            rows = slice(start, start + len(chunk))
            split = self._tokenizer.split(chunk)
            vectors[rows] = pool_windows(self._window_vectors(split), split, len(chunk))
            windows[rows] = split.per_text(len(chunk))
            if progress:
                progress("embedding", start + len(chunk), len(unique))
        if len(unique) == len(where):
            return Embeddings(vectors, windows)
        return Embeddings(vectors[where], windows[where])

    def hidden_states(self, texts: Sequence[str], *, layer: int) -> list[list[Vectors]]:
        """Give every token's state after ``layer`` (0: embeddings), special tokens included.

        Returns:
            For every text its windows, each of shape (tokens, hidden), float32, not normalised.

        Raises:
            InputError: ``layer`` is not between 0 and ``layers``.
        """
        if not 0 <= layer <= self.layers:
            raise InputError(f"layer must be between 0 and {self.layers}, got {layer}")
        unique, where = distinct(checked_texts(texts))
        split = self._tokenizer.split(unique)
        states: list[Vectors] = [np.empty(0, np.float32)] * len(split.ids)

        def receive(rows: Integers, output: npt.NDArray[np.float32]) -> None:
            for row, state in zip(rows, output.copy(), strict=True):
                states[row] = state

        graph = states_graph(self._checkpoint, load_weights(self._checkpoint), layer)
        self._run(_compiled(graph, self._bfloat16), split, np.arange(len(split.ids)), receive)
        ends = np.cumsum(split.per_text(len(unique)))
        grouped = [states[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        return [grouped[place] for place in where]

    def _window_vectors(self, split: Windows) -> Vectors:
        vectors = np.empty((len(split.ids), self.dimensions), np.float32)
        exact = split.lengths < SHORT if self._bfloat16 else np.ones(len(split.ids), np.bool_)
        for rows, bfloat16 in ((np.flatnonzero(exact), False), (np.flatnonzero(~exact), True)):
            if len(rows):
                self._run(self._sentence_model(bfloat16), split, rows, vectors.__setitem__)
        return vectors

    def _run(self, model: "openvino.CompiledModel", split: Windows, rows: Integers, receive: Receive) -> None:
        """Send batches of ``rows`` through the model and hand each result to ``receive(rows, output)``."""
        from openvino import AsyncInferQueue

        queue = AsyncInferQueue(model, _threads())
        # The queue reads the input array while a request runs; its user data keeps it alive until then.
        queue.set_callback(lambda request, sent: receive(sent[0], request.get_output_tensor(0).data))
        try:
            for batch in token_batches(split.lengths[rows], TOKEN_BUDGET):
                sent = rows[batch]
                ids = np.stack([split.ids[row] for row in sent])
                queue.start_async([ids], (sent, ids))
        finally:
            queue.wait_all()

    @cached_property
    def _tokenizer(self) -> WindowTokenizer:
        return WindowTokenizer(self._checkpoint.tokenizer, self._checkpoint.max_tokens, self._overlap)

    def _sentence_model(self, bfloat16: bool) -> "openvino.CompiledModel":
        if bfloat16 not in self._models:
            graph = sentence_graph(self._checkpoint, load_weights(self._checkpoint))
            self._models[bfloat16] = _compiled(graph, bfloat16)
        return self._models[bfloat16]


def checked_texts(texts: Sequence[str]) -> Sequence[str]:
    """Refuse what is not a text, by its place.

    Raises:
        InputError: an item is not a string, or ``texts`` is itself one.
    """
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of strings, got one string: [{texts[:40]!r}]")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"texts[{place}] must be a string, got {type(text).__name__}")
    return texts


def _compiled(graph: "openvino.Model", bfloat16: bool) -> "openvino.CompiledModel":
    import openvino

    settings: dict[str, Any] = {
        "INFERENCE_PRECISION_HINT": "bf16" if bfloat16 else "f32",
        # One thread a request: encoders of this size lose more to threads that wait for each other.
        "NUM_STREAMS": _threads(),
        "INFERENCE_NUM_THREADS": _threads(),
    }
    try:
        return openvino.Core().compile_model(graph, "CPU", settings)
    except RuntimeError as error:
        raise ModelError(f"openvino cannot compile the model: {error}") from error


def _has_bfloat16() -> bool:
    import openvino

    return "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def _threads() -> int:
    """Count the processors this process may use, which a container may limit."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return len(affinity(0)) if affinity else os.cpu_count() or 1
