"""Encoder checkpoints (BERT, RoBERTa, XLM-R, DistilBERT): architecture, pooling, longest input."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from semscale.errors import ModelError, UnsupportedModelError
from semscale.json_reading import parse_json

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
        positions: the most tokens that the position table covers.
        words: rows of the table of words; ``None`` where the settings do not say.
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
        max_tokens: the most tokens that it reads at once, special ones included.
        tokenizer: path of its ``tokenizer.json``.
        weights: path of its file of weights.
        setup_hash: 12 hex digits of the SHA-256 of ``config.json`` and ``tokenizer.json``, as these files
            decide the numbers, too.
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
        """The prefix, or a space for RoBERTa, which spells words otherwise after a space."""
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
        raise ModelError(f"{folder / file} holds no JSON object")
    return content


def _any_json(path: Path) -> object:
    try:
        return parse_json(path.read_text(encoding="utf-8"))
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
        raise ModelError(f"{folder / 'config.json'} lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise ModelError(f"{folder / 'config.json'} has a setting that is no number: {error}") from error


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
        raise ModelError(f"{folder / 'modules.json'} holds no list of modules")
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
    """Refuse a setting that sentence-transformers applies to a text before it is tokenized."""
    settings = folder / "sentence_bert_config.json"
    if settings.is_file() and read_config(folder, settings.name).get("do_lower_case"):
        raise _left_to_torch(f"{settings} sets do_lower_case, which is not applied here")


def _default_prompt(folder: Path) -> str:
    """Read the prompt that sentence-transformers puts before every text, unless it is told another one."""
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
    """Find an activation function by the name that ``config.json`` has for it.

    Raises:
        UnsupportedModelError: it cannot be run.

    Example:
        >>> activation_of("gelu_new")
        'gelu_tanh'
    """
    if name not in _ACTIVATIONS:
        raise UnsupportedModelError(f"activation {name!r} cannot be run")
    return _ACTIVATIONS[name]


def _left_to_torch(problem: str) -> UnsupportedModelError:
    return UnsupportedModelError(
        f"{problem}; use engine='torch' (pip install \"semscale[torch]\")",
        in_shell=f'{problem}; use --engine torch (pip install "semscale[torch]")',
    )
