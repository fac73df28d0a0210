"""Files of an encoder (BERT, RoBERTa, XLM-R, DistilBERT): settings, and weights in safetensors or 4 bits."""

import hashlib
import math
import re
import struct
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from semscale.errors import ModelError, UnsupportedModelError
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.version import install_command
from semscale.weights.known import ModelProfile

Pooling = Literal["mean", "cls"]

Activation = Literal["gelu", "gelu_tanh", "relu", "silu", "tanh"]

FAMILIES = ("bert", "roberta", "xlm-roberta", "distilbert")
"""Families by the name in ``config.json``."""

_ACTIVATIONS: Mapping[str, Activation] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}


@dataclass(frozen=True)
class Architecture:
    """The shape of an encoder.

    Attributes:
        family: one of ``FAMILIES``.
        layers: number of transformer layers.
        heads: attention heads in each layer.
        hidden: width of a hidden state.
        norm_epsilon: number that layer normalisation adds to the variance.
        activation: function between the two feed-forward matrices.
        first_position: the first token's row in the position table.
        positions: largest number of tokens that the position table covers.
        words: number of rows in the table of words; ``None`` if the settings do not state it.
    """

    family: str
    layers: int
    heads: int
    hidden: int
    norm_epsilon: float
    activation: Activation
    first_position: int
    positions: int
    words: int | None = None


@dataclass(frozen=True)
class Checkpoint:
    """An encoder's architecture, pooling and files, before its weights are read.

    Attributes:
        architecture: its shape.
        pooling: how token states are combined into one vector.
        max_tokens: largest number of tokens that it reads at once, special ones included.
        tokenizer: path of its ``tokenizer.json``.
        weights: path of its file of weights.
        setup_hash: 12 hex digits of the SHA-256 of ``config.json`` and ``tokenizer.json``, because these
            files affect the numbers, too.
        prefix: put before every text.
    """

    architecture: Architecture
    pooling: Pooling
    max_tokens: int
    tokenizer: Path
    weights: Path
    setup_hash: str
    prefix: str = ""

    @property
    def word_prefix(self) -> str:
        """Prefix of the model, or a space for RoBERTa, which splits a word differently after a space."""
        return self.prefix or (" " if self.architecture.family == "roberta" else "")


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read ``config.json`` and sentence-transformers' settings from a folder.

    Raises:
        ModelError: a file is missing or damaged.
        UnsupportedModelError: the engine cannot run the model exactly.
    """
    architecture = _architecture(read_config(folder), folder)
    tokenizer, weights = folder / "tokenizer.json", folder / "model.safetensors"
    if not tokenizer.is_file():
        raise ModelError(f"{folder} has no tokenizer.json; save the model with its fast tokenizer")
    if not weights.is_file():
        raise ModelError(f"{folder} has no model.safetensors; only safetensors weights are read")
    setup = hashlib.sha256((folder / "config.json").read_bytes() + tokenizer.read_bytes()).hexdigest()[:12]
    _refuse_lower_case(folder)
    limit = _max_tokens(folder, architecture)
    return Checkpoint(
        architecture, _pooling(folder), limit, tokenizer, weights, setup, _default_prompt(folder)
    )


def read_config(folder: Path, file: str = "config.json") -> dict[str, Any]:
    """Read a file of settings.

    Raises:
        ModelError: it is missing or damaged.
    """
    content = _any_json(folder / file)
    if not isinstance(content, dict):
        raise ModelError(f"{folder / file} does not contain a JSON object")
    return content


def _any_json(path: Path) -> object:
    try:
        return parse_json(read_input_text(path))
    except FileNotFoundError as error:
        raise ModelError(f"{path.parent} has no {path.name}") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error


def _architecture(config: Mapping[str, Any], folder: Path) -> Architecture:
    family = config.get("model_type")
    if family not in FAMILIES:
        raise _left_to_torch(f"{folder}: model_type {family!r} is not one of {', '.join(FAMILIES)}")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise _left_to_torch(f"{folder}: only absolute positions can be run")
    try:
        return _architecture_of(family, config)
    except UnsupportedModelError as error:
        raise _left_to_torch(f"{folder}: {error}") from error
    except KeyError as error:
        raise ModelError(f"{folder / 'config.json'} does not have {error}") from error
    except (TypeError, ValueError) as error:
        raise ModelError(f"{folder / 'config.json'} has a setting that is not a number: {error}") from error


def _architecture_of(family: str, config: Mapping[str, Any]) -> Architecture:
    distilled = family == "distilbert"
    activation = activation_of(config["activation" if distilled else "hidden_act"])
    # RoBERTa counts positions from the padding token's id plus 1 (fairseq's make_positions).
    first_position = int(config.get("pad_token_id", 1)) + 1 if "roberta" in family else 0
    return Architecture(
        family=family,
        layers=int(config["n_layers" if distilled else "num_hidden_layers"]),
        heads=int(config["n_heads" if distilled else "num_attention_heads"]),
        hidden=int(config["dim" if distilled else "hidden_size"]),
        norm_epsilon=float(config.get("layer_norm_eps", 1e-12)),
        activation=activation,
        first_position=first_position,
        positions=int(config["max_position_embeddings"]) - first_position,
        words=int(config["vocab_size"]) if "vocab_size" in config else None,
    )


def _pooling(folder: Path) -> Pooling:
    """Read the pooling from sentence-transformers' ``modules.json``; a plain checkpoint is mean-pooled."""
    if not (folder / "modules.json").is_file():
        return "mean"
    modules = _any_json(folder / "modules.json")
    if not isinstance(modules, list):
        raise ModelError(f"{folder / 'modules.json'} does not contain a list of modules")
    if not all(isinstance(module, dict) and {"type", "path"} <= set(module) for module in modules):
        raise ModelError(f"{folder / 'modules.json'} has a module without a type or a path")
    kinds = {str(module["type"]).rsplit(".", 1)[-1]: str(module["path"]) for module in modules}
    foreign = sorted(set(kinds) - {"Transformer", "Pooling", "Normalize"})
    if foreign:
        raise _left_to_torch(f"{folder}: module {foreign[0]} cannot be run")
    if "Pooling" not in kinds:
        return "mean"
    return _pooling_mode(read_config(folder / kinds["Pooling"]), folder)


def _pooling_mode(config: Mapping[str, Any], folder: Path) -> Pooling:
    if config.get("include_prompt", True) is not True:
        raise _left_to_torch(f"{folder}: pooling without the prompt's tokens cannot be run")
    chosen = [name for name, on in config.items() if name.startswith("pooling_mode_") and on is True]
    if isinstance(config.get("pooling_mode"), str):
        chosen = [f"pooling_mode_{config['pooling_mode']}"]
    if chosen in (["pooling_mode_mean_tokens"], ["pooling_mode_mean"]):
        return "mean"
    if chosen in (["pooling_mode_cls_token"], ["pooling_mode_cls"]):
        return "cls"
    raise _left_to_torch(f"{folder}: pooling {chosen} is neither mean nor CLS")


def _refuse_lower_case(folder: Path) -> None:
    """Reject a setting that lower-cases a text before the tokenizer reads it."""
    settings = folder / "sentence_bert_config.json"
    if settings.is_file() and read_config(folder, settings.name).get("do_lower_case"):
        raise _left_to_torch(f"{settings} sets do_lower_case, which is not applied here")


def _default_prompt(folder: Path) -> str:
    """Read the prompt that sentence-transformers puts before every text by default."""
    settings = folder / "config_sentence_transformers.json"
    content = read_config(folder, settings.name) if settings.is_file() else {}
    name = content.get("default_prompt_name")
    if not name:
        return ""
    prompts = content.get("prompts")
    prompt = prompts.get(name) if isinstance(prompts, dict) else None
    if not isinstance(prompt, str):
        raise ModelError(f"{settings} names the default prompt {name!r}, which its prompts do not have")
    return prompt


def _max_tokens(folder: Path, architecture: Architecture) -> int:
    settings = folder / "sentence_bert_config.json"
    stated = read_config(folder, settings.name).get("max_seq_length") if settings.is_file() else None
    return min(int(stated or architecture.positions), architecture.positions)


def activation_of(name: str) -> Activation:
    """Find an activation function by its name in ``config.json``.

    Raises:
        UnsupportedModelError: the engine does not have it.

    Examples:
        >>> activation_of("gelu_new")
        'gelu_tanh'
    """
    if name not in _ACTIVATIONS:
        raise UnsupportedModelError(f"activation {name!r} cannot be run")
    return _ACTIVATIONS[name]


def _left_to_torch(problem: str) -> UnsupportedModelError:
    install = install_command("semscale[torch]")
    return UnsupportedModelError(f"{problem}; use `engine='torch'` ({install})")


WORDS = "embeddings.word_embeddings.weight"
"""The parameter with one row for each token of the vocabulary."""

Parameters = Mapping[str, npt.NDArray[np.float32]]

MAGIC = b"E5S1"

BLOCK = 32
"""Numbers that share a scale."""

SCALE_BYTES = 2

BLOCK_BYTES = SCALE_BYTES + BLOCK // 2

MIDDLE = 8
"""The four bits that stand for 0."""


@dataclass(frozen=True)
class Q4Table:
    """A matrix in 4 bits, as views of the file's bytes.

    Attributes:
        blocks: shape (rows, blocks in a row, 18), uint8; two bytes for the scale and 16 for 32 numbers, the
            first 16 of them in the low halves.
    """

    blocks: npt.NDArray[np.uint8]

    @property
    def scales(self) -> npt.NDArray[np.float16]:
        """Copy the scales, shape (rows, blocks in a row)."""
        return self.blocks[:, :, :SCALE_BYTES].copy().view(np.float16)[:, :, 0]

    @property
    def packed(self) -> npt.NDArray[np.uint8]:
        """Copy the numbers, shape (rows, blocks in a row, 16)."""
        return self.blocks[:, :, SCALE_BYTES:].copy()

    def floats(self) -> npt.NDArray[np.float32]:
        """Return the matrix, shape (rows, columns): (four bits - ``MIDDLE``) * scale of the block."""
        packed = self.blocks[:, :, SCALE_BYTES:]
        values = np.concatenate([packed & 15, packed >> 4], axis=2).astype(np.float32) - MIDDLE
        with np.errstate(invalid="ignore"):  # damaged scales are infinite; their vectors are rejected
            values *= self.scales.astype(np.float32)[:, :, None]
        return values.reshape(len(values), -1)


@dataclass(frozen=True)
class Weights:
    """An encoder's parameters.

    Attributes:
        words: the table with one row for each token: floats of shape (words, hidden), or 4 bits.
        parameters: all other parameters, under BERT's names.
    """

    words: npt.NDArray[np.float32] | Q4Table
    parameters: Parameters


def open_checkpoint(folder: Path, profile: ModelProfile | None = None) -> Checkpoint:
    """Read an encoder's architecture and settings from a folder of either form.

    Args:
        folder: contains ``tokenizer.json``, and either ``config.json`` and ``model.safetensors`` or one file
            ``*-q4.bin``.
        profile: prefix, pooling and other facts that the files do not state.

    Raises:
        ModelError: a file is missing or damaged, or the engine cannot run the model exactly.
    """
    packed = sorted(path for path in folder.glob("*-q4.bin") if path.is_file())
    packed = [] if (folder / "config.json").is_file() else packed
    if len(packed) != 1:
        checkpoint = load_checkpoint(folder)
        return replace(checkpoint, prefix=checkpoint.prefix or profile.prefix) if profile else checkpoint
    return _q4_checkpoint(packed[0], profile or _PLAIN)


def read_content(path: Path) -> bytearray:
    """Read a file of weights into memory that OpenVINO can use without a copy.

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


@contextmanager
def verify_content(path: Path, expected: str) -> Iterator[bytearray]:
    """Read a file of weights, and hash its content while the caller builds a model from it.

    Args:
        path: path of the file.
        expected: its SHA-256, 64 hex digits.

    Raises:
        ModelError: it cannot be read, or has another hash. A wrong hash is reported rather than the error
            that the damaged content caused.
    """
    content = read_content(path)
    with ThreadPoolExecutor(1, "semscale-hash") as pool:
        # The interpreter's lock is released while hashlib works, so this takes no time from the caller. Size
        # and time of a file do not show whether its content changed, so what is loaded is hashed each time.
        digest = pool.submit(lambda: hashlib.sha256(content).hexdigest())
        try:
            yield content
        finally:
            actual = digest.result()
            if actual != expected:
                raise ModelError(
                    f"{path} has SHA-256 {actual[:12]}..., not {expected[:12]}..., so it is damaged or was "
                    "changed: semscale models pull, with the model's name, restores it"
                )


def open_weights(checkpoint: Checkpoint, content: bytearray) -> Weights:
    """Read an encoder's parameters from the content of its file of weights.

    Raises:
        ModelError: the file is damaged or lacks a parameter of the architecture.
    """
    if content.startswith(MAGIC):
        packed = Q4Parameters(content, checkpoint.weights)
        return Weights(packed.words, packed)
    parameters = load_weights(checkpoint, content)
    words = parameters[WORDS]
    if words.nbytes <= _COPIED * (len(content) - words.nbytes):
        # The compiled model shares the table of words; a view of it would keep the whole file in memory.
        words = words.copy()
    return Weights(words, parameters)


_HEADER_BYTES = 64

_COPIED = 2  # largest table of words that is copied, as a multiple of the bytes that the copy releases

_PLAIN = ModelProfile()

_TYPES = (
    "embeddings.token_type_embeddings.weight"  # one row for each type of token, the first for single texts
)


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
        words=header.words,
    )
    limit = min(profile.max_tokens, header.positions)
    return Checkpoint(architecture, profile.pooling, limit, tokenizer, weights, setup, profile.prefix)


# Replacements that turn other families' parameter names into BERT's.
_RENAMES = (
    (r"^(bert|roberta|xlm_roberta|distilbert|model|0\.auto_model)\.", ""),
    (r"^transformer\.layer\.", "encoder.layer."),
    (r"\.attention\.q_lin\.", ".attention.self.query."),
    (r"\.attention\.k_lin\.", ".attention.self.key."),
    (r"\.attention\.v_lin\.", ".attention.self.value."),
    (r"\.attention\.out_lin\.", ".attention.output.dense."),
    (r"\.sa_layer_norm\.", ".attention.output.LayerNorm."),
    (r"\.ffn\.lin1\.", ".intermediate.dense."),
    (r"\.ffn\.lin2\.", ".output.dense."),
    (r"\.output_layer_norm\.", ".output.LayerNorm."),
    (r"\.gamma$", ".weight"),
    (r"\.beta$", ".bias"),
)


def load_weights(checkpoint: Checkpoint, content: bytearray) -> Parameters:
    """Read a checkpoint's parameters as float32 arrays, with BERT's names for every family.

    Args:
        checkpoint: the checkpoint.
        content: content of its file of weights.

    Raises:
        ModelError: the file is damaged or lacks a parameter of the architecture.
    """
    tensors = read_tensors(content, checkpoint.weights)
    weights = {canonical_name(name): tensor for name, tensor in tensors.items()}
    _check_shapes(weights, checkpoint)
    return weights


def _check_shapes(weights: Parameters, checkpoint: Checkpoint) -> None:
    for name, shape in _shapes(weights, checkpoint.architecture).items():
        if name not in weights:
            raise ModelError(f"{checkpoint.weights} has no {name}, which config.json requires")
        actual = weights[name].shape
        if actual != shape:
            raise ModelError(f"{checkpoint.weights}: {name} has shape {actual}, config.json asks for {shape}")


def _shapes(weights: Parameters, architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """Return every parameter's required shape; lengths of tables and the inner width come from the file."""
    hidden = architecture.hidden
    shapes: dict[str, tuple[int, ...]] = {
        table: (_length(weights, table), hidden) for table in (WORDS, "embeddings.position_embeddings.weight")
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(architecture.layers):
        prefix = f"encoder.layer.{layer}."
        inner = _length(weights, prefix + "intermediate.dense.bias")
        square = [f"attention.self.{name}" for name in ("query", "key", "value")] + ["attention.output.dense"]
        denses = {**dict.fromkeys(square, (hidden, hidden)), "intermediate.dense": (inner, hidden)}
        for name, shape in {**denses, "output.dense": (hidden, inner)}.items():
            shapes |= {f"{prefix}{name}.weight": shape, f"{prefix}{name}.bias": shape[:1]}
        norms += [prefix + "attention.output.LayerNorm", prefix + "output.LayerNorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (hidden,), f"{norm}.bias": (hidden,)}
    return shapes


def _length(weights: Parameters, name: str) -> int:
    """Return the length of a parameter's first dimension; 0 if it is missing or a single number."""
    return len(weights[name]) if name in weights and weights[name].ndim else 0


def position_table(parameters: Parameters, architecture: Architecture) -> npt.NDArray[np.float32]:
    """Return what each position adds to its word: its row plus that of type 0, shape (positions, hidden)."""
    table = parameters["embeddings.position_embeddings.weight"][architecture.first_position :]
    types = parameters.get(_TYPES)
    return table if types is None else types[:1] + table


def canonical_name(name: str) -> str:
    """Translate a parameter's name into BERT's.

    Examples:
        >>> canonical_name("distilbert.transformer.layer.3.attention.q_lin.weight")
        'encoder.layer.3.attention.self.query.weight'
    """
    for pattern, replacement in _RENAMES:
        name = re.sub(pattern, replacement, name)
    return name


_LENGTH = 8  # bytes that store the header's length

_FLOATS = {"F16": np.float16, "F32": np.float32, "F64": np.float64}

_SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}


def read_tensors(content: bytearray, path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """Read all floating-point parameters; others, such as position ids, are left out.

    Args:
        content: content of the file; it must not change while the arrays are in use.
        path: path of the file, for messages.

    Raises:
        ModelError: the file is damaged, or has a parameter of a type that cannot be read.

    References:
        https://github.com/huggingface/safetensors, "Format".
    """
    length = int.from_bytes(content[:_LENGTH], "little")
    start = _LENGTH + length
    try:
        if len(content) < start:
            raise ValueError(f"its header ends at byte {start} of {len(content)}")  # noqa: TRY301
        header = parse_json(content[_LENGTH:start].decode())
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        locations = {name: _place(entry, len(content) - start) for name, entry in entries.items()}
        return {
            name: _array(content, kind, shape, start + first)
            for name, (kind, shape, first) in locations.items()
            if kind.startswith(("F", "BF"))
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error


def _place(entry: Mapping[str, Any], size: int) -> tuple[str, tuple[int, ...], int]:
    """Check one entry of the header: type, shape and first byte of a parameter.

    Raises:
        ValueError: it does not fit the file, or its type is unknown.
    """
    kind, shape, (first, last) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    if kind not in _SIZES:
        raise ValueError(f"weights of type {kind} cannot be read")
    if not all(type(number) is int for number in (*shape, first, last)):
        raise ValueError(f"a parameter of shape {shape} is at bytes {first} to {last}")
    whole = last - first == math.prod(shape) * _SIZES[kind] and min(shape, default=0) >= 0
    if not (whole and 0 <= first <= last <= size):
        raise ValueError(f"a parameter of shape {shape} is at bytes {first} to {last} of {size}")
    return kind, shape, first


def _array(content: bytearray, kind: str, shape: tuple[int, ...], first: int) -> npt.NDArray[np.float32]:
    """Return the parameter that begins at a byte.

    Raises:
        ValueError: it has more or longer dimensions than an array can have.
    """
    raw = np.frombuffer(content, np.uint8, math.prod(shape) * _SIZES[kind], first)
    return _float32(kind, raw).reshape(shape)


def _float32(kind: str, raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    if kind == "BF16":
        # A bfloat16 is the upper half of a float32.
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return raw.view(_FLOATS[kind]).astype(np.float32, copy=False)


_VERSION = 1

_HEADER = struct.Struct("<4sI7ifi")

_VOCABULARY = struct.Struct("<5iQ")

_PLACE = struct.Struct("<BIQQ")

_MOST = 1 << 24  # no size in a header is larger

_MOST_LAYERS = 1 << 8

_KIND_FLOATS, _KIND_Q4 = 0, 1

_EMBEDDINGS = {
    "embeddings.position_embeddings.weight": "emb.pos",
    "embeddings.token_type_embeddings.weight": "emb.type",
    "embeddings.LayerNorm.weight": "emb.ln.w",
    "embeddings.LayerNorm.bias": "emb.ln.b",
}

_IN_LAYER = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


@dataclass(frozen=True)
class Q4Header:
    """Header of a 4-bit file: the encoder's sizes.

    Attributes:
        hidden: width of a hidden state.
        layers: number of transformer layers.
        heads: attention heads in each layer.
        inner: width between the two feed-forward matrices.
        words: rows in the table of words.
        positions: rows in the table of positions.
        types: rows in the table of token types; the file may have only the first one.
        norm_epsilon: number that layer normalisation adds to the variance.
    """

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    types: int
    norm_epsilon: float

    @classmethod
    def read(cls, content: bytes | bytearray, path: Path) -> "Q4Header":
        """Read the header from a file's first bytes.

        Raises:
            ModelError: the file has another format, or its sizes contradict each other.
        """
        if len(content) < _HEADER.size or content[:4] != MAGIC:
            raise ModelError(
                f"{path} is not a file of 4-bit weights: it does not begin with {MAGIC.decode()}"
            )
        _, version, *sizes, norm_epsilon, block = _HEADER.unpack_from(content)
        hidden, layers, heads, inner, words, positions, types = sizes
        if (version, block) != (_VERSION, BLOCK):
            raise ModelError(
                f"{path} has version {version} and blocks of {block}, only version {_VERSION} with blocks of "
                f"{BLOCK} can be read"
            )
        sound = all(0 < size < _MOST for size in sizes) and layers < _MOST_LAYERS and 0 < norm_epsilon < 1
        if not sound or hidden % heads or hidden % BLOCK or inner % BLOCK:
            raise ModelError(f"{path} has sizes in its header that do not fit: {sizes}, {norm_epsilon:.3g}")
        return cls(hidden, layers, heads, inner, words, positions, types, norm_epsilon)


class Q4Parameters(Mapping[str, npt.NDArray[np.float32]]):
    """An encoder's parameters under BERT's names, as float32; each is computed on request.

    No array shares memory with the content, so the content can be released afterwards.

    Args:
        content: content of the file.
        path: path of the file, for messages.

    Attributes:
        words: the table of words, which stays in 4 bits and is not among the parameters.

    Raises:
        ModelError: the file is cut off or damaged.
    """

    def __init__(self, content: bytes | bytearray, path: Path) -> None:
        self._content = content
        self._path = path
        self._header = Q4Header.read(content, path)
        self._places = self._directory()
        self._names = self._parameter_names()
        self.words = self._table("emb.word", self._header.words, self._header.hidden)
        for name, (stored, shape) in self._names.items():
            self._check(name, stored, shape)

    def __getitem__(self, name: str) -> npt.NDArray[np.float32]:
        stored, shape = self._names[name]
        if self._places[stored][0] == _KIND_Q4:
            return self._table(stored, shape[0], shape[-1]).floats()
        return self._bytes(stored).view(np.float32).reshape(-1, *shape[1:]).copy()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _directory(self) -> dict[str, tuple[int, int, int, int]]:
        """Read the directory: each parameter's kind, count of numbers, first byte and number of bytes."""
        try:
            at = _HEADER.size
            pieces, *_, text = _VOCABULARY.unpack_from(self._content, at)
            at += _VOCABULARY.size + (2 * max(0, pieces) + 1) * 4 + text
            (normalizer,) = struct.unpack_from("<4xI", self._content, at)
            at += 8 + normalizer
            (count,) = struct.unpack_from("<i", self._content, at)
            at += 4
            directory = {}
            for _ in range(count):
                (length,) = struct.unpack_from("<H", self._content, at)
                name = self._content[at + 2 : at + 2 + length].decode()
                at += 2 + length
                directory[name] = _PLACE.unpack_from(self._content, at)
                at += _PLACE.size
        except (struct.error, UnicodeDecodeError, OverflowError) as error:
            raise ModelError(f"{self._path} is cut off or damaged: {error}") from error
        return directory

    def _parameter_names(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return the name in the file and the shape of every parameter except the table of words."""
        hidden, inner = self._header.hidden, self._header.inner
        tables = {"emb.pos": (self._header.positions, hidden), "emb.type": (1, hidden)}
        names: dict[str, tuple[str, tuple[int, ...]]] = {
            name: (stored, tables.get(stored, (hidden,))) for name, stored in _EMBEDDINGS.items()
        }
        for layer in range(self._header.layers):
            for name, stored in _IN_LAYER.items():
                rows = inner if stored == "fi" else hidden
                columns = inner if stored == "fo" else hidden
                weight = (hidden,) if name.endswith("LayerNorm") else (rows, columns)
                full, short = f"encoder.layer.{layer}.{name}", f"l{layer}.{stored}"
                names |= {f"{full}.weight": (f"{short}.w", weight), f"{full}.bias": (f"{short}.b", (rows,))}
        return names

    def _check(self, name: str, stored: str, shape: tuple[int, ...]) -> None:
        if stored not in self._places:
            raise ModelError(f"{self._path} has no {stored}, which its header requires")
        kind, count, *_ = self._places[stored]
        if kind == _KIND_Q4 and len(shape) > 1:
            self._table(stored, *shape)
            return
        numbers = int(np.prod(shape))
        counts = {numbers, numbers * self._header.types} if stored == "emb.type" else {numbers}
        if kind != _KIND_FLOATS or count not in counts or len(self._bytes(stored)) != 4 * count:
            raise ModelError(
                f"{self._path}: {stored} ({name}) does not have the size that the header asks for"
            )

    def _table(self, stored: str, rows: int, columns: int) -> Q4Table:
        blocks = columns // BLOCK
        if stored not in self._places or self._places[stored][0] != _KIND_Q4:
            raise ModelError(f"{self._path} has no 4-bit {stored}, which its header asks for")
        content = self._bytes(stored)
        if self._places[stored][1] != rows * columns or len(content) != rows * blocks * BLOCK_BYTES:
            raise ModelError(f"{self._path}: {stored} does not have the size that the header asks for")
        return Q4Table(content.reshape(rows, blocks, BLOCK_BYTES))

    def _bytes(self, stored: str) -> npt.NDArray[np.uint8]:
        _, _, first, size = self._places[stored]
        if first + size > len(self._content):
            raise ModelError(
                f"{self._path} is cut off: {stored} ends at byte {first + size} of {len(self._content)}"
            )
        return np.frombuffer(self._content, np.uint8, size, first)
