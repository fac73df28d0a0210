"""The default engine: text encoders on OpenVINO, built from a checkpoint's weights, without PyTorch."""

import os
import platform
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.checkpoint import (
    MIDDLE,
    Checkpoint,
    Q4Table,
    Weights,
    open_checkpoint,
    open_weights,
    position_table,
    verify_content,
)
from semscale.embedding.embedder import Embedder, Embeddings, processors
from semscale.embedding.shipped import find_shipped
from semscale.embedding.texts import distinct, shift_progress, validate_texts
from semscale.embedding.token_states import Outputs, Rows, Whose, check_layer_number
from semscale.embedding.tokenizer import (
    UnigramTokenizer,
    Windows,
    WindowTokenizer,
    check_tokens,
    open_text_tokenizer,
    open_tokenizer,
    pool_windows,
    prefix_setting,
)
from semscale.errors import InputError, ModelError, PrecisionWarning
from semscale.extras import usage_reports_off
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors
from semscale.weights.folders import sha256_of
from semscale.weights.known import KNOWN, ModelProfile

if TYPE_CHECKING:
    import openvino
    from tokenizers import Tokenizer


PRECISIONS = ("exact", "fast", "turbo")
CHUNK = 8192  # texts that are tokenized and sorted together
TOKEN_BUDGET = 512  # tokens in a batch; up to 2,048 are equally fast within the noise, and need more memory

# Rounding errors average out over a text's tokens, so bfloat16 harms short texts most. Short texts, such as
# anchors and short answers, are also cheap: below this many tokens `fast` and `turbo` compute in float32.
SHORT = 8

# OpenVINO sums the weights of attention in vectors of 8 or 16 numbers. Padding that ends in the vector in
# which the row ends fills only places that are empty anyway, so it changes no bit
# (docs/decisions/068-small-mixed-files.md).
BLOCK = 8

GROUP = 128
"""Number of neighbouring inputs in a row that share a scale in products of 8-bit integers."""

Node = Any  # openvino's nodes and outputs have no types

_NORM_FLOOR = 1e-24  # a vector with a smaller squared length is left unchanged, not divided by zero
_LARGEST = 127
_ROUNDED_AWAY = 0.4  # share of a step that is too small to round an input to 1
_ONEDNN_CACHE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"

Inputs = Sequence[npt.NDArray[Any]]
"""Arrays of whole numbers that a graph takes, each (b, t), such as token ids and types of tokens."""


@dataclass(frozen=True)
class Arithmetic:
    """Number types that a model is computed in.

    Attributes:
        bfloat16: everything in bfloat16 instead of float32.
        int8: products with weights in 8-bit integers; everything else is unchanged.
    """

    bfloat16: bool = False
    int8: bool = False

    def __str__(self) -> str:
        """Return its name in signatures.

        Examples:
            >>> str(Arithmetic()), str(Arithmetic(bfloat16=True, int8=True))
            ('float32', 'int8/128+bfloat16')
        """
        floats = "bfloat16" if self.bfloat16 else "float32"
        return f"int8/{GROUP}+{floats}" if self.int8 else floats

    @property
    def hint(self) -> str:
        """OpenVINO's name for the type of everything that is not in integers."""
        return "bf16" if self.bfloat16 else "f32"

    @property
    def settings(self) -> dict[str, Any]:
        """OpenVINO's settings for it."""
        groups = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": GROUP} if self.int8 else {}
        return {"INFERENCE_PRECISION_HINT": self.hint, **groups}


FLOAT32 = Arithmetic()


def check_precision(precision: str, name: str, profile: ModelProfile | None) -> None:
    """Check that a precision exists and that the model allows it.

    Raises:
        InputError: it is not one of ``PRECISIONS``, or it is ``turbo`` and the model's profile does not allow
            it.
    """
    if precision not in PRECISIONS:
        raise InputError("precision", f"must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if precision == "turbo" and not (profile and profile.turbo):
        models = ", ".join(known for known, model in KNOWN.items() if model.profile.turbo)
        raise InputError(
            f"`precision='turbo'` was measured for {models} only, got {name}: use `precision='fast'`"
        )


def arithmetic_of(precision: str) -> Arithmetic:
    """Return the arithmetic of a precision, the next slower one where the processor lacks what it needs.

    Args:
        precision: one of ``PRECISIONS``.
    """
    if precision == "exact":
        return FLOAT32
    floats = Arithmetic(bfloat16=has_bfloat16())
    return replace(floats, int8=precision == "turbo" and multiplies_int8(floats.hint))


def arithmetic_note(precision: str, arithmetic: Arithmetic) -> str:
    """Return a sentence if a precision is computed in a slower arithmetic than it stands for; else empty.

    Examples:
        >>> arithmetic_note("turbo", Arithmetic(bfloat16=True))
        'turbo is computed in bfloat16, as fast: OpenVINO multiplies no 8-bit integers on this processor'
        >>> arithmetic_note("fast", FLOAT32)
        'fast is computed in float32, as exact: this processor has no bfloat16'
    """
    lacks_floats = precision != "exact" and not arithmetic.bfloat16
    if precision == "turbo" and not arithmetic.int8:
        same = "exact" if lacks_floats else "fast"
        return (
            f"turbo is computed in {arithmetic}, as {same}: OpenVINO multiplies no 8-bit integers on this "
            "processor"
        )
    if lacks_floats:
        same = "besides 8-bit integers" if arithmetic.int8 else "as exact"
        return f"{precision} is computed in float32, {same}: this processor has no bfloat16"
    return ""


def has_bfloat16() -> bool:
    """Tell whether the processor computes in bfloat16."""
    return "BF16" in openvino_module().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


class OpenVinoEmbedder:
    """Embeds texts with a BERT, RoBERTa, XLM-R or DistilBERT checkpoint.

    Args:
        folder: contains ``config.json``, ``model.safetensors`` and ``tokenizer.json``, or 4-bit weights and
            ``tokenizer.json``.
        name: the model's name in the signature.
        sha256: hash that the weights must have, 64 hex digits; by default the hash of the file.
        precision: ``exact`` computes in float32, ``fast`` in bfloat16 if the processor supports it,
            ``turbo`` also in 8-bit integers if the processor and the profile support them.
        profile: prefix, pooling and other facts that its files do not state.
        uses_shipped: whether sentences of the built-in scales get the vectors that ship with Semscale, if
            these are from the same weights and settings; otherwise all vectors are computed.

    Raises:
        InputError: the precision is unknown, or was not measured for the model.
        ModelError: the checkpoint cannot be read or run.

    Warns:
        PrecisionWarning: the processor lacks what the precision needs.

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
        uses_shipped: bool = True,
    ) -> None:
        check_precision(precision, name, profile)
        self.name = name
        self._checkpoint = open_checkpoint(folder, profile)
        self._sha256 = sha256 or sha256_of(self._checkpoint.weights)
        self._overlap = self._checkpoint.max_tokens // 4
        self._precision = precision
        self._uses_shipped = uses_shipped
        self._arithmetic = arithmetic_of(precision)
        note = arithmetic_note(precision, self._arithmetic)
        if note:
            warnings.warn(f"precision {note}", PrecisionWarning, stacklevel=2)
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
        """All that affects the numbers: weights, configuration, tokenizer, precision, pooling, windows."""
        return self.signature_in(self._arithmetic)

    def signature_in(self, arithmetic: Arithmetic) -> Signature:
        """Return the signature of vectors that are computed in another arithmetic."""
        return Signature.of(
            "embed",
            model=f"{self.name}#{self._sha256[:12]}",
            setup=self._checkpoint.setup_hash,
            engine=engine_name(),
            precision=str(arithmetic),
            pooling=self._checkpoint.pooling,
            window=f"{self._checkpoint.max_tokens}/{self._overlap}",
            **prefix_setting(self._checkpoint.prefix),
        )

    @property
    def model_key(self) -> str:
        """All that vectors in float32 depend on, apart from the text, the engine and the processor."""
        read = self._checkpoint
        window = f"{read.max_tokens}/{self._overlap}"
        return "|".join([self._sha256, read.setup_hash, read.pooling, window, read.prefix])

    @property
    def for_anchors(self) -> Embedder:
        """Embedder for anchors: in float32 if texts use integers, as anchors affect every rating."""
        return InFloat32(self) if self._arithmetic.int8 else self

    @property
    def hidden(self) -> int:
        """Width of a hidden state, which is that of a vector."""
        return self.dimensions

    @property
    def positions(self) -> int:
        """Number of tokens that the model reads at once, special ones included."""
        return self._checkpoint.architecture.positions

    @property
    def pooling(self) -> str:
        """Pooling of the last layer's states into a text's vector: ``mean``, or ``cls``, the first."""
        return self._checkpoint.pooling

    @property
    def word_prefix(self) -> str:
        """Prefix of the model; a space for RoBERTa, which splits a word differently after a space."""
        return self._checkpoint.word_prefix

    def open_tokenizer(self) -> "Tokenizer":
        """Return the model's tokenizer, without padding.

        Raises:
            ModelError: it cannot be read, or has tokens that the model has no row for.
        """
        tokenizer = open_tokenizer(self._checkpoint.tokenizer)
        self._check_tokens(tokenizer)
        return tokenizer

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once, long ones in windows."""
        return self.embed_in(self._arithmetic, texts, progress)

    def embed_in(self, arithmetic: Arithmetic, texts: Sequence[str], progress: Progress | None) -> Embeddings:
        """Embed texts in a chosen arithmetic instead of the embedder's; some in float32 are shipped."""
        unique, where = distinct(validate_texts(texts))
        vectors = np.empty((len(unique), self.dimensions), np.float32)
        windows = np.ones(len(unique), np.int64)
        unknown = np.zeros(len(unique), np.float32)
        tokens = np.empty(len(unique), np.int64)
        new = np.arange(len(unique))
        if self._uses_shipped and arithmetic == FLOAT32:
            is_shipped, entries = find_shipped(self.model_key, unique)
            if len(entries):
                vectors[is_shipped], tokens[is_shipped] = entries["vector"], entries["tokens"]
            new = np.flatnonzero(~is_shipped)
            if len(new) and not self._pipelines:
                self._load()
        for start in range(0, len(new), CHUNK):
            rows = new[start : start + CHUNK]
            n = len(rows)
            split = self._tokenizer.split([unique[row] for row in rows.tolist()])
            in_all = shift_progress(progress, len(unique) - len(new) + start, len(unique))
            vectors[rows] = pool_windows(self._window_vectors(split, arithmetic, n, in_all), split, n)
            windows[rows] = split.per_text(n)
            unknown[rows] = split.unknown_shares(self._tokenizer.unknown, n)
            tokens[rows] = split.tokens_per_text(n)
        return Embeddings(vectors, windows, unknown, tokens).spread(where)

    def check_layer(self, layer: int) -> None:
        """Check that the model has a layer, and that its precision allows token states.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``, or the
                precision is ``turbo``, which was measured for vectors of texts only.
        """
        check_layer_number(layer, self.layers)
        if self._precision == "turbo":
            raise InputError(
                "`precision='turbo'` was measured for vectors of texts only; for states of tokens use "
                "`precision='fast'`"
            )

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer`` (0: the embeddings), in batches of equal length.

        Args:
            groups: pairs of a label and rows of token ids, special tokens included, short enough to be read
                at once. Groups are read ahead, so that the model does not pause between them.
            layer: 0 to ``layers``.

        Yields:
            For each batch, the group's label, the indices of the rows, and their states, shape (b, t,
            hidden), valid until the next batch; one group after the other.

        Raises:
            InputError: see ``check_layer``.
        """
        self.check_layer(layer)
        return self._run(groups, layer, self._arithmetic)

    def _window_vectors(
        self, split: Windows, arithmetic: Arithmetic, n: int, progress: Progress | None
    ) -> Vectors:
        """Embed the windows of n texts; progress is reported, and can stop the work, after each batch."""
        vectors = np.empty((len(split.ids), self.dimensions), np.float32)
        done = 0
        for _, batch, output in self._run([(None, split.ids)], None, arithmetic):
            vectors[batch] = output
            done += len(batch)
            if progress:
                progress("embedding", done * n // len(split.ids), None)
        return vectors

    def _run(
        self, groups: Iterable[tuple[Whose, Rows]], layer: int | None, arithmetic: Arithmetic
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows through the model in batches, first the float32 batches, then those in other types.

        When the arithmetic changes, all running batches finish first, so that no model is compiled while
        another one runs.
        """
        batches = (
            (kind, whose, ids, rows)
            for whose, ids in groups
            for kind, rows in arithmetic_batches(list(map(len, ids)), arithmetic, padded=layer is None)
        )
        for kind, alike in groupby(batches, key=itemgetter(0)):
            masked = layer is None and pads_rows(kind)
            inputs = (
                ((whose, rows), self._inputs([ids[row] for row in rows], masked))
                for _, whose, ids, rows in alike
            )
            for (whose, rows), output in self._pipeline(layer, kind).run(inputs):
                check_finite(output, str(self._checkpoint.weights))
                yield whose, rows, output

    def _load(self) -> None:
        """Compile the model in float32 while the tokenizer is opened, which takes as long."""
        with ThreadPoolExecutor(1, "semscale-compile") as pool:
            compiling = pool.submit(self._pipeline, None, FLOAT32)
            _ = self._tokenizer
            compiling.result()

    def _inputs(self, rows: Rows, masked: bool) -> Inputs:
        """Return a graph's inputs for rows of token ids, which have one length unless they are masked."""
        if not masked:
            return [np.stack(rows)]
        ids, mask, places, starts = padded_inputs(rows)
        return [ids, mask, places, starts] if self.pooling == "mean" else [ids, mask]

    @cached_property
    def _tokenizer(self) -> WindowTokenizer:
        checkpoint = self._checkpoint
        tokenizer = open_text_tokenizer(checkpoint.tokenizer, checkpoint.prefix)
        self._check_tokens(tokenizer)
        return WindowTokenizer(tokenizer, checkpoint.max_tokens, self._overlap, prefix=checkpoint.prefix)

    def _check_tokens(self, tokenizer: "Tokenizer | UnigramTokenizer") -> None:
        checkpoint = self._checkpoint
        words = checkpoint.architecture.words
        check_tokens(tokenizer, words, path=checkpoint.tokenizer, weights=checkpoint.weights.name)

    def _pipeline(self, layer: int | None, arithmetic: Arithmetic) -> "Pipeline":
        """Return the compiled model that ends after a layer, or with sentence vectors.

        Compiled models stay in memory for the last two layers only, as each has a copy of the weights below
        its layer.
        """
        pipeline = self._pipelines.get((layer, arithmetic))
        if pipeline is None:
            pipeline = self._compile(layer, arithmetic)
            layers = list(dict.fromkeys(other for other, _ in self._pipelines if other not in (None, layer)))
            in_use = (None, layer, *layers[-1:])
            self._pipelines = {key: compiled for key, compiled in self._pipelines.items() if key[0] in in_use}
            self._pipelines[layer, arithmetic] = pipeline
        return pipeline

    def _compile(self, layer: int | None, arithmetic: Arithmetic) -> "Pipeline":
        """Compile the model once the content of its file, if the graph has copies of it, is not in memory."""
        return Pipeline(self._graph(layer, arithmetic), arithmetic=arithmetic)

    def _graph(self, layer: int | None, arithmetic: Arithmetic) -> "openvino.Model":
        """Build the model; meanwhile its weights are hashed, so that no vector comes from other weights."""
        with verify_content(self._checkpoint.weights, self._sha256) as content:
            weights = open_weights(self._checkpoint, content)
            if layer is None:
                return sentence_graph(
                    self._checkpoint, weights, int8=arithmetic.int8, masked=pads_rows(arithmetic)
                )
            return states_graph(self._checkpoint, weights, layer)


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
        """Signature of the embedder in float32."""
        return self._embedder.signature_in(FLOAT32)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order, in float32."""
        return self._embedder.embed_in(FLOAT32, texts, progress)


def arithmetic_batches(
    lengths: Sequence[int], arithmetic: Arithmetic, *, padded: bool = False
) -> Iterator[tuple[Arithmetic, Integers]]:
    """Yield batches of rows, each with its arithmetic; batches of short rows, in float32, come first.

    Args:
        lengths: number of tokens in each of n rows.
        arithmetic: arithmetic for rows that are not short.
        padded: whether rows of different lengths may share a batch, if the arithmetic allows it.
    """
    tokens = np.array(lengths, np.int64)
    exact = tokens < SHORT if arithmetic != FLOAT32 else np.ones(len(tokens), np.bool_)
    for kind, those in ((FLOAT32, exact), (arithmetic, ~exact)):
        rows = np.flatnonzero(those)
        split = padded_batches if padded and pads_rows(kind) else token_batches
        for batch in split(tokens[rows], TOKEN_BUDGET):
            yield kind, rows[batch]


def pads_rows(arithmetic: Arithmetic) -> bool:
    """Tell whether rows of different lengths share batches: not in float32, which gains nothing from it.

    Equal bits with and without padding follow from the width of vectors on x86-64 (``BLOCK``).
    """
    return arithmetic != FLOAT32 and platform.machine().lower() in ("x86_64", "amd64")


def token_batches(lengths: Integers, budget: int) -> list[Integers]:
    """Group rows of equal length into batches within a budget, longest rows first.

    No row is padded. That saves work, and a row's result is the same to the last bit in every batch. The
    shortest rows come last, because the last batches run while other streams are already idle.

    Args:
        lengths: shape (n,), number of tokens in each row.
        budget: largest number of tokens in a batch; a longer row is a batch by itself.

    Returns:
        Arrays of row indices that together contain every row once.

    Examples:
        >>> token_batches(np.array([5, 9, 5, 5]), budget=10)
        [array([1]), array([0, 2]), array([3])]
    """
    order = np.argsort(-lengths, kind="stable")
    changes = np.flatnonzero(np.diff(lengths[order])) + 1
    batches: list[Integers] = []
    for group in np.split(order, changes) if len(order) else []:
        rows = max(1, budget // max(1, int(lengths[group[0]])))
        batches.extend(group[start : start + rows] for start in range(0, len(group), rows))
    return batches


def padded_batches(lengths: Integers, budget: int) -> list[Integers]:
    """Group rows into full batches of equal length; the remaining rows of a block of lengths share batches.

    Each new shape of a batch costs time, and so do small batches. Without padding, few texts of many lengths
    have mostly such batches.

    Args:
        lengths: shape (n,), number of tokens in each row.
        budget: largest number of tokens in a batch, with padding; a longer row is a batch by itself.

    Returns:
        Arrays of row indices that together contain every row once, batches with the longest rows first.

    Examples:
        >>> padded_batches(np.array([9, 11, 16, 9, 9]), budget=22)
        [array([2]), array([1, 4]), array([0, 3])]
    """
    full: list[Integers] = []
    remaining: list[Integers] = []
    for batch in token_batches(lengths, budget):
        is_full = (len(batch) + 1) * lengths[batch[0]] > budget
        (full if is_full else remaining).append(batch)
    for _, block in groupby(remaining, key=lambda batch: lengths[batch[0]] // BLOCK):
        rows = np.concatenate(list(block))
        size = budget // int(lengths[rows[0]])
        full.extend(rows[start : start + size] for start in range(0, len(rows), size))
    return sorted(full, key=lambda batch: -lengths[batch[0]])


def padded_inputs(rows: Rows) -> tuple[npt.NDArray[Any], ...]:
    """Pad rows of token ids to the longest.

    Returns:
        Token ids (b, t); a mask (b, 1, 1, t) to add to the scores of attention, 0 or minus infinity; places
        of the rows' tokens among all b * t; and where each row begins among these places, (b,).
    """
    lengths = np.array([len(row) for row in rows])
    inside = np.arange(lengths.max()) < lengths[:, None]
    ids = np.zeros(inside.shape, np.int32)
    ids[inside] = np.concatenate(rows)
    mask = np.where(inside, 0, -np.inf).astype(np.float32)[:, None, None]
    starts = np.cumsum(lengths) - lengths
    return ids, mask, np.flatnonzero(inside).astype(np.int32), starts.astype(np.int32)


class Pipeline:
    """A compiled graph with two requests per processor; several threads may run it at once.

    The calling thread collects results in the order of the batches. Callbacks, as in OpenVINO's own queue,
    would need the interpreter's lock on the engine's threads. If a model is released at that moment, the
    releasing thread holds the lock and waits for the engine's thread, and both wait forever.

    Args:
        graph: takes one array of token ids (b, t), or several arrays.
        arithmetic: number types of the computation.

    Raises:
        ModelError: the graph cannot be compiled.
    """

    def __init__(self, graph: "openvino.Model", *, arithmetic: Arithmetic) -> None:
        settings: dict[str, Any] = {
            **arithmetic.settings,
            # One thread per request: with more, the threads of a small encoder wait for each other.
            "NUM_STREAMS": processors(),
            "INFERENCE_NUM_THREADS": processors(),
            # Tied to processors, the threads of several processes with few threads each, such as actors of a
            # cluster, would all share the first ones.
            "ENABLE_CPU_PINNING": False,
            # Products compiled for a shape are kept. Batches of one shape follow each other, so 100 are
            # enough, and 5,000, the default, take hundreds of MB in bfloat16.
            "CPU_RUNTIME_CACHE_CAPACITY": 100,
        }
        try:
            self._compiled = openvino_module().Core().compile_model(graph, "CPU", settings)
        except RuntimeError as error:
            raise ModelError(f"openvino cannot compile the model: {error}") from error

    def run(self, batches: Iterable[tuple[Whose, Inputs]]) -> Iterator[tuple[Whose, npt.NDArray[np.float32]]]:
        """Yield the output of every batch, in order.

        Args:
            batches: pairs of a label and the graph's inputs; they are read ahead of the output.

        Yields:
            The batch's label and its output, which stays valid until the next one is requested.
        """
        # Every run has its own requests: if two threads shared one, each could get the other's output.
        # Twice as many as run at once, as batches differ in size and are collected in order.
        idle = deque(self._compiled.create_infer_request() for _ in range(2 * processors()))
        # A request reads its inputs while it runs, so the arrays are kept here until it has finished.
        running: deque[tuple[Whose, Any, Inputs]] = deque()
        try:
            for whose, inputs in batches:
                if not idle:
                    yield self._collect(running, idle)
                request = idle.popleft()
                request.start_async(list(inputs))
                running.append((whose, request, inputs))
            while running:
                yield self._collect(running, idle)
        finally:
            for _, request, _ in running:
                request.wait()

    @staticmethod
    def _collect(
        running: deque[tuple[Whose, Any, Inputs]], idle: deque[Any]
    ) -> tuple[Whose, npt.NDArray[np.float32]]:
        whose, request, _ = running.popleft()
        request.wait()
        idle.append(request)
        output: npt.NDArray[np.float32] = request.get_output_tensor(0).data
        return whose, output


def check_finite(output: npt.NDArray[np.floating[Any]], model: str) -> None:
    """Check that a model's output is finite.

    Args:
        output: vectors or states of tokens, of any shape.
        model: the model's name or its file of weights, for the message.

    Raises:
        ModelError: a number is NaN or infinite.

    Examples:
        >>> check_finite(np.array([[0.6, np.nan]]), "model.safetensors")
        Traceback (most recent call last):
        semscale.errors.ModelError: model.safetensors gives vectors that are not finite: its weights are \
damaged; fetch the model again
    """
    if not np.isfinite(output).all():
        raise ModelError(
            f"{model} gives vectors that are not finite: its weights are damaged; fetch the model again"
        )


def sentence_graph(
    checkpoint: Checkpoint, weights: Weights, *, int8: bool = False, masked: bool = False
) -> "openvino.Model":
    """Build the graph from token ids (b, t) to unit sentence vectors (b, hidden).

    Args:
        checkpoint: the encoder's architecture and pooling.
        weights: its parameters.
        int8: round the layers' weights to 8-bit integers, one matrix after the other.
        masked: take the other arrays of ``padded_inputs``, too; those after the mask with mean pooling only.

    References:
        Reimers and Gurevych 2019, Sentence-BERT, section 3 (mean and CLS pooling), doi:10.18653/v1/D19-1410.
    """
    encoder = EncoderGraph(checkpoint, weights, int8=int8, masked=masked)
    states = encoder.states(checkpoint.architecture.layers)
    return encoder.model(encoder.sentence(states))


def states_graph(checkpoint: Checkpoint, weights: Weights, layer: int) -> "openvino.Model":
    """Build the graph from token ids (b, t) to hidden states (b, t, hidden) after ``layer``.

    Layer 0 gives the embeddings. Layers above ``layer`` are not built, so they cost nothing.
    """
    encoder = EncoderGraph(checkpoint, weights)
    return encoder.model(encoder.states(layer))


class EncoderGraph:
    """The encoder of Vaswani et al. 2017 with layer normalisation after each residual sum, like BERT.

    Args:
        checkpoint: the encoder's architecture.
        weights: its parameters.
        int8: round the layers' weights to 8-bit integers.
        masked: take a mask of padding, see ``padded_inputs``.
    """

    def __init__(
        self, checkpoint: Checkpoint, weights: Weights, *, int8: bool = False, masked: bool = False
    ) -> None:
        self._shape = checkpoint.architecture
        self._pooling = checkpoint.pooling
        self._words = weights.words
        self._parameters = weights.parameters
        self._is_int8 = int8
        self._op = openvino_module().opset15
        self._ids = self._op.parameter([-1, -1], np.int32, name="ids")
        self._mask = self._op.parameter([-1, 1, 1, -1], np.float32, name="mask") if masked else None
        self._inputs = [self._ids, self._mask] if masked else [self._ids]

    def model(self, output: Node) -> "openvino.Model":
        """Return the graph that ends with a node."""
        return openvino_module().Model([output], self._inputs, "encoder")

    def states(self, layer: int) -> Node:
        """Return the hidden states (b, t, hidden) after a layer; 0 gives the embeddings."""
        states = self._embeddings()
        for index in range(layer):
            states = self._layer(states, f"encoder.layer.{index}.")
        return states

    def sentence(self, states: Node) -> Node:
        """Pool the states of each row, and scale the result to length 1, (b, hidden)."""
        if self._pooling == "cls":
            pooled = self._op.gather(states, self._integers(0), self._integers(1))
        elif self._mask is None:
            pooled = self._op.reduce_mean(states, self._integers([1]))
        else:
            # A product with the mask, divided by the number of tokens, would have other last bits:
            # OpenVINO multiplies by the reciprocal.
            places, starts = (self._op.parameter([-1], np.int32, name=name) for name in ("places", "starts"))
            self._inputs += [places, starts]
            rows = self._op.reshape(states, self._integers([-1, self._shape.hidden]), False)
            pooled = self._op.embedding_bag_offsets(rows, places, starts, reduction="mean")
        return self._op.normalize_l2(pooled, self._integers([1]), _NORM_FLOOR, "max")

    def _embeddings(self) -> Node:
        op = self._op
        shape = op.shape_of(self._ids, "i32")
        length = op.gather(shape, self._integers([1]), self._integers(0))
        table = self._floats(position_table(self._parameters, self._shape))
        first = self._integers([0])
        positions = op.slice(table, first, length, self._integers([1]), first)
        return self._norm(op.add(self._word_rows(), positions), "embeddings.LayerNorm")

    def _word_rows(self) -> Node:
        """Take the tokens' rows (b, t, hidden) from the table of words."""
        op, words, first = self._op, self._words, self._integers(0)
        if not isinstance(words, Q4Table):
            return op.gather(self._floats(words), self._ids, first)
        # The table stays in 4 bits: only the rows of a batch are converted to floats.
        packed = op.gather(self._constant(words.packed), self._ids, first)
        scales = op.gather(self._constant(words.scales), self._ids, first)
        halves = op.convert(packed, "f32")
        high = op.floor(op.multiply(halves, self._floats(1 / 16)))
        low = op.subtract(halves, op.multiply(high, self._floats(16)))
        centred = op.subtract(op.concat([low, high], 3), self._floats(MIDDLE))
        scale = op.unsqueeze(op.convert(scales, "f32"), self._integers(3))
        return op.reshape(op.multiply(centred, scale), self._integers([0, 0, self._shape.hidden]), True)

    def _layer(self, states: Node, prefix: str) -> Node:
        op = self._op
        attended = self._linear(self._attention(states, prefix), [prefix + "attention.output.dense"])
        states = self._norm(op.add(attended, states), prefix + "attention.output.LayerNorm")
        inner = self._activation(self._linear(states, [prefix + "intermediate.dense"]))
        outer = self._linear(inner, [prefix + "output.dense"])
        return self._norm(op.add(outer, states), prefix + "output.LayerNorm")

    def _attention(self, states: Node, prefix: str) -> Node:
        """Attend with softmax(Q K^T / sqrt(d)) V in every head, (b, t, hidden)."""
        op, heads = self._op, self._shape.heads
        width = self._shape.hidden // heads
        names = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
        joined = op.split(self._linear(states, names), self._integers(2), 3)
        split_heads, head_first = self._integers([0, 0, heads, width]), self._integers([0, 2, 1, 3])
        query, key, value = (
            op.transpose(op.reshape(part, split_heads, True), head_first) for part in joined.outputs()
        )
        query = op.multiply(query, self._floats(width**-0.5))
        scores = op.matmul(query, key, False, True)
        if self._mask is not None:
            scores = op.add(scores, self._mask)
        mixed = op.matmul(op.softmax(scores, -1), value, False, False)
        return op.reshape(op.transpose(mixed, head_first), self._integers([0, 0, self._shape.hidden]), True)

    def _linear(self, inputs: Node, names: Sequence[str]) -> Node:
        """Multiply by one or several weight matrices side by side, and add their biases."""
        weights = np.concatenate([self._parameters[name + ".weight"] for name in names])
        biases = np.concatenate([self._parameters[name + ".bias"] for name in names])
        matrix = int8_weights(weights) if self._is_int8 else self._floats(weights)
        return self._op.add(self._op.matmul(inputs, matrix, False, True), self._floats(biases))

    def _norm(self, states: Node, name: str) -> Node:
        """Normalise each state to mean 0 and variance 1, then scale and shift it."""
        centred = self._op.mvn(states, self._integers([-1]), True, self._shape.norm_epsilon, "inside_sqrt")
        # The compiled model shares both, and views of the file's content would keep all of it in memory.
        scale, shift = (self._parameters[f"{name}.{part}"].copy() for part in ("weight", "bias"))
        return self._op.add(self._op.multiply(centred, self._floats(scale)), self._floats(shift))

    def _activation(self, inner: Node) -> Node:
        name = self._shape.activation
        if name == "relu":
            return self._op.relu(inner)
        if name == "silu":
            return self._op.swish(inner)
        if name == "tanh":
            return self._op.tanh(inner)
        return self._op.gelu(inner, "erf" if name == "gelu" else "tanh")

    def _floats(self, values: float | npt.NDArray[np.float32]) -> Node:
        return self._constant(np.require(values, np.float32, ["C", "ALIGNED", "WRITEABLE"]))

    def _constant(self, values: npt.NDArray[Any]) -> Node:
        """Return a constant without a copy of its values; it keeps the array alive."""
        return self._op.constant(values, shared_memory=True)

    def _integers(self, values: int | Sequence[int]) -> Node:
        """Return a constant of whole numbers, such as axes or a shape."""
        return self._op.constant(np.array(values, np.int32))


def quantise(
    weights: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Round a matrix to 8-bit integers with one scale for each row, the row's largest magnitude over 127.

    Args:
        weights: shape (outputs, inputs).

    Returns:
        Integers of the same shape, -127 to 127, and scales, shape (outputs, 1); their product is the matrix,
        each number to within half a scale.

    Examples:
        >>> integers, scales = quantise(np.array([[63.5, -31.0, 0.2], [0, 0, 0]], np.float32))
        >>> integers.tolist(), scales.tolist()
        ([[127, -62, 0], [0, 0, 0]], [[0.5], [0.0]])
    """
    scales = np.abs(weights).max(axis=1, keepdims=True) / np.float32(_LARGEST)
    steps = np.divide(weights, scales, out=np.zeros_like(weights), where=scales > 0)
    return np.rint(steps).astype(np.int8), scales


def int8_weights(weights: npt.NDArray[np.float32]) -> Node:
    """Return a node with a matrix that OpenVINO multiplies in 8-bit integers if the processor can.

    Args:
        weights: shape (outputs, inputs); the node has its own integers and does not refer to this array.
    """
    op = openvino_module().opset15
    integers, scales = (op.constant(part, shared_memory=True) for part in quantise(weights))
    return op.multiply(op.convert(integers, "f32"), scales)


@cache
def multiplies_int8(precision: str) -> bool:
    """Tell whether OpenVINO multiplies in 8-bit integers on this processor, by testing a product.

    OpenVINO lists ``INT8`` among the capabilities of every processor, but rounds inputs only if there are
    instructions for it: VNNI for products in float32; for bfloat16, AVX-512 with VNNI, but not AMX, which is
    faster in bfloat16. On other processors only the weights are rounded, which gives other numbers.

    Args:
        precision: OpenVINO's name for the type of all other computations, ``f32`` or ``bf16``.
    """
    op = openvino_module().opset15
    inputs = np.zeros((1, 1, GROUP), np.float32)
    # With a largest input of 127 a step is 1. The sum is 127 if the second input is rounded, else 127.4.
    inputs[0, 0, :2] = _LARGEST, _ROUNDED_AWAY
    rows = op.parameter([-1, -1, GROUP], np.float32)
    product = op.matmul(rows, int8_weights(np.ones((GROUP, GROUP), np.float32)), False, True)
    graph = openvino_module().Model([product], [rows], "probe")
    settings = {"INFERENCE_PRECISION_HINT": precision, "DYNAMIC_QUANTIZATION_GROUP_SIZE": GROUP}
    try:
        sums = openvino_module().Core().compile_model(graph, "CPU", settings)([inputs])[0]
    except RuntimeError:  # no such product exists, for example if oneDNN is limited to older instructions
        return False
    return bool(np.abs(sums - _LARGEST).max() < _ROUNDED_AWAY / 4)


def engine_name() -> str:
    """Return OpenVINO's name and version for signatures, without importing it: cached vectors need no engine.

    Examples:
        >>> engine_name().partition("-")[0]
        'openvino'
    """
    return f"openvino-{version('openvino')}"


def openvino_module() -> ModuleType:
    """Import OpenVINO without its usage reports, and without a cache that can cause wrong numbers.

    All streams of OpenVINO 2026.4 share oneDNN's cache of compiled products. If two streams process the same
    long row at once, states of both may be wrong (docs/decisions/010-onednn-cache.md). Each stream also has
    its own cache, so the shared cache is switched off before its first use.
    """
    os.environ.setdefault(_ONEDNN_CACHE, "0")
    with usage_reports_off():
        import openvino
        import openvino.opset15
    module: ModuleType = openvino
    return module
