"""Cross-encoders: models that read two texts at once and classify the pair."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from semscale.embedding.cache import cache_keys
from semscale.embedding.cache_file import EntryStore
from semscale.embedding.checkpoint import read_config
from semscale.embedding.embedder import AUTO
from semscale.embedding.openvino import (
    TOKEN_BUDGET,
    Arithmetic,
    Pipeline,
    arithmetic_batches,
    arithmetic_of,
    check_finite,
    check_precision,
    engine_name,
    openvino_module,
    token_batches,
)
from semscale.embedding.texts import distinct, validate_texts
from semscale.embedding.token_states import TokenReader
from semscale.embedding.tokenizer import check_tokens, open_tokenizer
from semscale.errors import InputError, MissingExtraError, ModelError
from semscale.extras import require
from semscale.signature import Signature
from semscale.types import Ids, Integers, Mask, Progress, Vectors
from semscale.version import install_command
from semscale.weights.known import EXPORTED_GRAPHS, WEIGHTS, graph_files

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHUNK = 2048
"""Pairs that are computed and stored together; a stopped run loses at most this many."""
PAIRS_FILE = "pairs.sqlite"

_FEWEST = 2  # tokens of two texts
_DEFAULT_TOKENS = 512
_NO_LIMIT = 1_000_000  # tokenizers without a limit state 1e30
_TRUNCATED, _UNREAD = 1, 2
_HASH_PIECE = 1 << 20


@dataclass(frozen=True)
class PairLogits:
    """Logits of p pairs of texts.

    Attributes:
        values: shape (p, classes), float32, in the order of the model's classes.
        truncated: shape (p,), whether the pair was too long for the model and was cut.
        unread: shape (p,), whether the model cannot read one of the two texts.
    """

    values: Vectors
    truncated: Mask
    unread: Mask


class CrossEncoder:
    """Classifies pairs of texts with the graph that a model's repository carries, ONNX or OpenVINO's IR.

    A repository without such a graph is run by sentence-transformers (the extra ``torch``). Pairs of equal
    length are read together, so nothing is padded. On OpenVINO a pair's logits are the same to the last bit
    whatever other pairs are classified with it.

    Args:
        folder: contains ``config.json``, ``tokenizer.json``, and one of ``onnx/model.onnx``,
            ``openvino/openvino_model.xml`` with its ``.bin``, or ``model.safetensors``.
        name: the model's name in the signature.
        precision: ``exact`` computes in float32, ``fast`` in bfloat16 if the processor supports it.

    Raises:
        InputError: the precision is unknown.
        MissingExtraError: the model needs sentence-transformers, which is not installed.
        ModelError: the model cannot be read or run, or is not a text classifier.

    References:
        Devlin et al. 2019, section 4.1 (classification of pairs), doi:10.18653/v1/N19-1423.
    """

    def __init__(self, folder: Path, *, name: str, precision: str = "exact") -> None:
        check_precision(precision, name, None)
        self.name = name
        self._folder = folder
        self._config = read_config(folder)
        _check_task(self._config, folder)
        self.labels = _labels(self._config, folder)
        self._tokenizer = folder / "tokenizer.json"
        if not self._tokenizer.is_file():
            raise ModelError(f"{folder} has no tokenizer.json; save the model with its fast tokenizer")
        self._max_tokens = _max_tokens(self._config, folder)
        self._classifier: _Classifier
        if graph := graph_files([name for name in EXPORTED_GRAPHS if (folder / name).is_file()]):
            self._classifier = _GraphClassifier(folder, graph, precision)
        else:
            self._classifier = _TorchClassifier(folder, precision)

    @cached_property
    def signature(self) -> Signature:
        """All that affects the numbers: weights, configuration, tokenizer, precision, longest input."""
        setup = (self._folder / "config.json").read_bytes() + self._tokenizer.read_bytes()
        return Signature.of(
            "classify",
            model=f"{self.name}#{self._classifier.sha256[:12]}",
            setup=hashlib.sha256(setup).hexdigest()[:12],
            engine=self._classifier.engine,
            precision=self._classifier.precision,
            longest=self._max_tokens,
        )

    def logits(self, first: Sequence[str], second: Sequence[str]) -> PairLogits:
        """Classify p pairs of texts.

        Args:
            first: p texts.
            second: p texts.

        Raises:
            InputError: a text is not a string, or the lists differ in length.
            ModelError: the model's files have changed since it was loaded, or its output has another form.
        """
        first, second = validate_texts(first), validate_texts(second)
        if len(first) != len(second):
            raise InputError("pairs", f"need two texts each, got {len(first)} and {len(second)} texts")
        rows = self._tokens.rows(first, second)
        values = np.empty((len(first), len(self.labels)), np.float32)
        for batch, output in self._classifier.outputs(rows, first, second):
            if output.shape != (len(batch), len(self.labels)):
                raise ModelError(
                    f"{self._folder} gives logits of shape {output.shape} for {len(batch)} pairs, and its "
                    f"config.json names {len(self.labels)} classes: give a classifier of pairs"
                )
            check_finite(output, str(self._folder))
            values[batch] = output
        return PairLogits(values, rows.truncated, rows.unread)

    @cached_property
    def _tokens(self) -> "PairTokens":
        tokenizer = open_tokenizer(self._tokenizer)
        words = self._config.get("vocab_size")
        check_tokens(tokenizer, words, path=self._tokenizer, weights="config.json")
        return PairTokens(tokenizer, self._max_tokens)


class _Classifier(Protocol):
    """Runs the model on rows of tokens of equal length."""

    sha256: str
    engine: str
    precision: str

    def outputs(
        self, rows: "PairRows", first: Sequence[str], second: Sequence[str]
    ) -> Iterator[tuple[Integers, Vectors]]:
        """Yield the logits of batches of rows, each with the indices of its rows."""
        ...


class _GraphClassifier:
    """Runs an exported graph on OpenVINO.

    Args:
        folder: the model's folder.
        files: the graph's files inside the folder; the first one is the graph itself.
        precision: ``exact`` or ``fast``.
    """

    def __init__(self, folder: Path, files: Sequence[str], precision: str) -> None:
        self._paths = [folder / name for name in files]
        self._arithmetic = arithmetic_of(precision)
        self._compiled: dict[Arithmetic, Pipeline] = {}
        self._inputs: list[tuple[str, np.dtype[Any]]] = []
        self.sha256 = _hash_of(self._paths)
        self.engine = engine_name()
        self.precision = str(self._arithmetic)

    def outputs(
        self, rows: "PairRows", first: Sequence[str], second: Sequence[str]
    ) -> Iterator[tuple[Integers, Vectors]]:
        """Yield the logits of batches, which stay valid until the next is requested."""
        batches = arithmetic_batches(list(map(len, rows.ids)), self._arithmetic)
        # All batches in one arithmetic are finished before a model for the other one is compiled.
        for arithmetic, alike in groupby(batches, key=itemgetter(0)):
            pipeline = self._pipeline(arithmetic)
            yield from pipeline.run((batch, self._tensors(rows, batch)) for _, batch in alike)

    def _tensors(self, rows: "PairRows", batch: Integers) -> list[np.ndarray]:
        """Build the graph's inputs for rows of equal length, so that no token is masked."""
        ids = np.stack([rows.ids[row] for row in batch])
        tensors = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.stack([rows.types[row] for row in batch]),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        return [np.require(tensors[name], kind, ["C"]) for name, kind in self._inputs]

    def _pipeline(self, arithmetic: Arithmetic) -> Pipeline:
        if arithmetic not in self._compiled:
            self._compiled[arithmetic] = self._read(arithmetic)
        return self._compiled[arithmetic]

    def _read(self, arithmetic: Arithmetic) -> Pipeline:
        path = self._paths[0]
        if (actual := _hash_of(self._paths)) != self.sha256:
            raise ModelError(
                f"{path} has SHA-256 {actual[:12]}..., not {self.sha256[:12]}..., so it is damaged or was "
                "changed: semscale models pull, with the model's name, restores it"
            )
        try:
            graph = openvino_module().Core().read_model(path)
        except RuntimeError as error:
            reason = " ".join(str(error).split())[-200:]
            raise ModelError(f"{path} cannot be read by OpenVINO, so it is damaged: {reason}") from error
        self._inputs = [(port.any_name, port.element_type.to_dtype()) for port in graph.inputs]
        foreign = [name for name, _ in self._inputs if name not in _INPUTS]
        if foreign:
            raise ModelError(
                f"{path} has the input {foreign[0]}, and a classifier of texts has no other inputs than "
                f"{', '.join(_INPUTS)}: give a classifier of pairs"
            )
        return Pipeline(graph, arithmetic=arithmetic)


_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


class _TorchClassifier:
    """Runs a classifier with sentence-transformers.

    Args:
        folder: contains ``model.safetensors``.
        precision: ``exact`` or ``fast``.
    """

    def __init__(self, folder: Path, precision: str) -> None:
        weights = folder / WEIGHTS
        graphs = " nor ".join(EXPORTED_GRAPHS[:2])
        if not weights.is_file():
            raise ModelError(f"{folder} has neither {graphs} nor {WEIGHTS}: give a model with one of them")
        try:
            require("torch")
        except MissingExtraError as error:
            raise ModelError(
                f"{folder} has neither {graphs}, so sentence-transformers runs it, which is not installed: "
                f"{install_command('semscale[torch]')}, or export the model: optimum-cli export onnx --task "
                f"text-classification --model {folder} {folder / 'onnx'}"
            ) from error
        import sentence_transformers
        import torch

        from semscale.embedding.sentence_transformers import number_type, quiet_loading, torch_device

        device = torch_device(AUTO)
        kind = number_type(precision, device)
        try:
            with quiet_loading():
                self._model = sentence_transformers.CrossEncoder(
                    str(folder), device=str(device), local_files_only=True
                ).to(kind)
        except Exception as error:  # loading runs code of four libraries, each with its own exceptions
            reason = " ".join(str(error).split())[:300]
            raise ModelError(
                f"sentence-transformers cannot load {folder}: {type(error).__name__}: {reason}"
            ) from error
        self.sha256 = _hash_of([weights])
        version, torch_version = sentence_transformers.__version__, torch.__version__.split("+")[0]
        self.engine = f"sentence-transformers-{version}/torch-{torch_version}"
        self.precision = f"{str(kind).removeprefix('torch.')}/{device.type}"

    def outputs(
        self, rows: "PairRows", first: Sequence[str], second: Sequence[str]
    ) -> Iterator[tuple[Integers, Vectors]]:
        """Yield the logits of batches of equal length, so that the library pads no row."""
        import torch

        lengths = np.fromiter(map(len, rows.ids), np.int64, len(rows.ids))
        for batch in token_batches(lengths, TOKEN_BUDGET):
            output = self._model.predict(
                [(first[row], second[row]) for row in batch],
                batch_size=len(batch),
                activation_fn=torch.nn.Identity(),
                show_progress_bar=False,
            )
            yield batch, np.asarray(output, np.float32).reshape(len(batch), -1)


def _check_task(config: Mapping[str, Any], folder: Path) -> None:
    stated = config.get("architectures") or ["ForSequenceClassification"]
    if not any(str(name).endswith("ForSequenceClassification") for name in stated):
        raise ModelError(
            f"{folder} is not a text classifier but {stated[0]}: give a model that was trained to "
            "classify pairs of texts"
        )


def _labels(config: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    """Read the names of the classes; a missing list means LABEL_0 and LABEL_1, as in transformers."""
    named = config.get("id2label", {"0": "LABEL_0", "1": "LABEL_1"})
    problem = ModelError(
        f"{folder / 'config.json'}: id2label must number the classes from 0, got {named!r:.80}"
    )
    if not isinstance(named, dict):
        raise problem
    by_number = {str(number): str(name) for number, name in named.items()}
    if not by_number or set(by_number) != set(map(str, range(len(by_number)))):
        raise problem
    return tuple(by_number[str(number)] for number in range(len(by_number)))


def _max_tokens(config: Mapping[str, Any], folder: Path) -> int:
    """Return the smaller one of the tokenizer's limit and the length of the position table."""
    path = folder / "tokenizer_config.json"
    limits = [read_config(folder, path.name).get("model_max_length") if path.is_file() else None]
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and "roberta" in str(config.get("model_type")):
        # RoBERTa counts positions from the padding token's id plus 1 (fairseq's make_positions).
        positions -= int(config.get("pad_token_id", 1)) + 1
    limits.append(positions)
    stated = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < _NO_LIMIT]
    return min(stated, default=_DEFAULT_TOKENS)


def _hash_of(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of the concatenated files, 64 hex digits.

    Raises:
        ModelError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                while piece := file.read(_HASH_PIECE):
                    digest.update(piece)
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


@dataclass(frozen=True)
class PairRows:
    """Token ids of p pairs, special tokens included.

    Attributes:
        ids: one array of token ids for each pair.
        types: one array for each pair, as the model's tokenizer marks the first and the second text.
        truncated: shape (p,), whether the pair was too long for the model and was cut.
        unread: shape (p,), whether most tokens of one of the two texts are unknown to the model.
    """

    ids: list[Ids]
    types: list[Ids]
    truncated: Mask
    unread: Mask


class PairTokens:
    """A model's tokenizer for pairs; each distinct text is tokenized once.

    Args:
        tokenizer: the tokenizer, without padding and truncation.
        max_tokens: largest number of tokens that the model reads at once, special ones included.

    Raises:
        ModelError: the tokenizer puts no special token between two texts, or leaves no room for them.
    """

    def __init__(self, tokenizer: "Tokenizer", max_tokens: int) -> None:
        self._reader = TokenReader(tokenizer)
        self._frame = _frame_of(tokenizer)
        self._room = max_tokens - sum(map(len, self._frame.ids))
        if self._room < _FEWEST:
            raise ModelError(f"a model that reads {max_tokens} tokens at once has no room for two texts")

    def rows(self, first: Sequence[str], second: Sequence[str]) -> PairRows:
        """Tokenize p pairs; if a pair is too long, tokens are dropped from the end of the longer text.

        Args:
            first: p texts.
            second: p texts.
        """
        texts, numbers = distinct([*first, *second])
        tokens = self._reader.read(texts)
        before, after = self._reader.before, self._reader.after
        content = [ids[before : len(ids) - after] for ids in map(tokens.of, range(len(texts)))]
        unread = self._reader.unread(tokens)[numbers] if texts else np.zeros(0, np.bool_)
        left, right = numbers[: len(first)], numbers[len(first) :]
        ids, types, truncated = [], [], np.zeros(len(first), np.bool_)
        for pair, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            lengths = truncate_lengths(len(content[one]), len(content[other]), self._room)
            truncated[pair] = sum(lengths) < len(content[one]) + len(content[other])
            ids.append(self._frame.around(content[one][: lengths[0]], content[other][: lengths[1]]))
            types.append(self._frame.types_of(*lengths))
        return PairRows(ids, types, truncated, unread[: len(first)] | unread[len(first) :])


def truncate_lengths(first: int, second: int, room: int) -> tuple[int, int]:
    """Return the numbers of tokens of two texts after truncation, which cuts the longer text first.

    This is the rule ``longest_first`` of the library ``tokenizers``.

    Args:
        first: number of tokens of the first text.
        second: number of tokens of the second text.
        room: largest number of tokens of both texts together.

    Examples:
        >>> truncate_lengths(3, 4, 10), truncate_lengths(3, 20, 10), truncate_lengths(20, 30, 11)
        ((3, 4), (3, 7), (5, 6))
    """
    if first + second <= room:
        return first, second
    shorter = min(first, second)
    longer = max(shorter, room - shorter)
    if shorter + longer > room:
        shorter, longer = room // 2, room - room // 2
    return (longer, shorter) if first > second else (shorter, longer)


class _Frame(NamedTuple):
    """Special tokens before, between and after two texts, and the types of all tokens.

    Attributes:
        ids: the special tokens in the three positions.
        types: types of the five parts; for the two texts, a single entry each.
    """

    ids: tuple[Ids, Ids, Ids]
    types: tuple[Ids, Ids, Ids, Ids, Ids]

    def around(self, first: Ids, second: Ids) -> Ids:
        """Put the special tokens around the ids of two texts."""
        before, between, after = self.ids
        return np.concatenate([before, first, between, second, after])

    def types_of(self, first: int, second: int) -> Ids:
        """Return the types of all tokens for two texts of the stated lengths."""
        before, left, between, right, after = self.types
        return np.concatenate([before, left.repeat(first), between, right.repeat(second), after])


def _frame_of(tokenizer: "Tokenizer") -> _Frame:
    """Find the special tokens by tokenizing a pair of one-letter texts."""
    encoding = tokenizer.encode("a", "a")
    owners = list(encoding.sequence_ids)
    if not {0, 1} <= set(owners):
        raise ModelError("tokenizer.json gives no token for a letter, so it is damaged")
    ends = [len(owners) - owners[::-1].index(text) for text in (0, 1)]
    edges = [owners.index(0), ends[0], owners.index(1), ends[1]]
    if edges[1] >= edges[2]:
        raise ModelError(
            "tokenizer.json puts no token between two texts; save the model with its fast tokenizer"
        )
    ids = np.split(np.array(encoding.ids, np.int32), edges)
    types = np.split(np.array(encoding.type_ids, np.int32), edges)
    return _Frame((ids[0], ids[2], ids[4]), (types[0], types[1][:1], types[2], types[3][:1], types[4]))


class CachedCrossEncoder:
    """Computes the logits of pairs; equal pairs are computed once, and cached ones are read from disk.

    Args:
        encoder: computes the logits; its signature is part of every key.
        cache: stores the logits; ``None`` for no cache.
        chunk: number of pairs that are computed between two writes.
    """

    def __init__(self, encoder: CrossEncoder, cache: "PairCache | None", *, chunk: int = CHUNK) -> None:
        self.encoder = encoder
        self._cache = cache
        self._chunk = chunk

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the model's classes."""
        return self.encoder.labels

    @property
    def signature(self) -> Signature:
        """Signature of the encoder; the cache changes no number."""
        return self.encoder.signature

    def logits(
        self, first: Sequence[str], second: Sequence[str], progress: Progress | None = None
    ) -> PairLogits:
        """Classify p pairs of texts.

        Args:
            first: p texts.
            second: p texts.
            progress: called as pairs are computed.
        """
        numbers: dict[tuple[str, str], int] = {}
        pairs = zip(first, second, strict=True)
        where = np.fromiter((numbers.setdefault(pair, len(numbers)) for pair in pairs), np.int64, len(first))
        unique = self._distinct([left for left, _ in numbers], [right for _, right in numbers], progress)
        return PairLogits(unique.values[where], unique.truncated[where], unique.unread[where])

    def _distinct(self, first: list[str], second: list[str], progress: Progress | None) -> PairLogits:
        n = len(first)
        keys = pair_keys(str(self.signature), first, second) if self._cache else []
        every = PairLogits(np.empty((n, len(self.labels)), np.float32), np.zeros(n, bool), np.zeros(n, bool))
        rows: list[int] = []
        if self._cache:
            rows, known = self._cache.get_many(keys, len(self.labels))
            _fill(every, rows, known)
        missing = np.setdiff1d(np.arange(n), rows).tolist()
        if progress:
            progress("comparing", n - len(missing), n)
        for start in range(0, len(missing), self._chunk):
            part = missing[start : start + self._chunk]
            fresh = self.encoder.logits([first[row] for row in part], [second[row] for row in part])
            if self._cache:
                self._cache.put_many([keys[row] for row in part], fresh)
            _fill(every, part, fresh)
            if progress:
                progress("comparing", n - len(missing) + start + len(part), n)
        return every


def _fill(every: PairLogits, rows: list[int], some: PairLogits) -> None:
    every.values[rows], every.truncated[rows], every.unread[rows] = some.values, some.truncated, some.unread


def pair_keys(signature: str, first: Sequence[str], second: Sequence[str]) -> list[bytes]:
    """Return the key of each pair of texts under one model's signature.

    Examples:
        >>> keys = pair_keys("a model's signature", ["a", "ab", "a"], ["bc", "c", "bc"])
        >>> keys[0] == keys[2], keys[0] == keys[1]
        (True, False)
    """
    # The first text's length marks its end, so different pairs give different bytes.
    pairs = zip(first, second, strict=True)
    return cache_keys(signature, [f"{len(left)}:{left}{right}" for left, right in pairs])


class PairCache:
    """Stores logits of pairs on disk by key; a damaged entry, or one of another width, counts as missing.

    Args:
        folder: the folder of the file ``pairs.sqlite``; the default is that of ``EntryStore``.
        max_bytes: above this size the least recently used entries are removed; the default is that of
            ``EntryStore``.

    Examples:
        >>> import tempfile
        >>> logits = PairLogits(np.array([[1, 2]], np.float32), np.array([True]), np.array([False]))
        >>> good, bad = pair_keys("a model's signature", ["a", "b"], ["c", "d"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cache = PairCache(folder)
        ...     cache.put_many([good], logits)
        ...     rows, cached = cache.get_many([bad, good], 2)
        ...     cache.close()
        >>> rows, cached.values.tolist(), cached.truncated.tolist()
        ([1], [[1.0, 2.0]], [True])
    """

    def __init__(self, folder: str | Path | None = None, *, max_bytes: int | None = None) -> None:
        self.store = EntryStore(PAIRS_FILE, folder, max_bytes=max_bytes)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.store.close()

    def get_many(self, keys: Sequence[bytes], classes: int) -> tuple[list[int], PairLogits]:
        """Look up logits.

        Args:
            keys: n distinct keys, from ``pair_keys``.
            classes: number of the model's classes.

        Returns:
            The indices of the m keys that have an entry, and the logits of these m pairs.
        """
        row_of = {key: row for row, key in enumerate(keys)}
        rows, bodies = [], []
        for entries in self.store.read(keys):
            for key, body in entries:
                if len(body) == 4 * classes + 1:
                    rows.append(row_of[key])
                    bodies.append(body)
        values = np.frombuffer(b"".join(body[:-1] for body in bodies), "<f4").reshape(-1, classes)
        flags = np.frombuffer(bytes(body[-1] for body in bodies), np.uint8)
        return rows, PairLogits(values, (flags & _TRUNCATED) > 0, (flags & _UNREAD) > 0)

    def put_many(self, keys: Sequence[bytes], logits: PairLogits) -> None:
        """Store logits: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys.
            logits: logits of n pairs.
        """
        flags = logits.truncated * _TRUNCATED + logits.unread * _UNREAD
        values = np.ascontiguousarray(logits.values, "<f4")
        bodies = [row.tobytes() + bytes([flag]) for row, flag in zip(values, flags.tolist(), strict=True)]
        self.store.write(keys, bodies)
