"""Encoder checkpoints (BERT, RoBERTa, XLM-R, DistilBERT, DeBERTa): architecture, pooling, longest input."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from semscale.embedding.engines.activations import Activation, activation_of
from semscale.embedding.engines.relative_positions import RelativePositions, read_relative_positions
from semscale.errors import ModelError, UnsupportedModelError
from semscale.json_reading import parse_json

Pooling = Literal["mean", "cls"]

FAMILIES = ("bert", "roberta", "xlm-roberta", "distilbert", "deberta-v2")
"""Families by the name in ``config.json``; DeBERTa-v3 is called ``deberta-v2`` there, too."""

_NORM_EPSILONS = {"deberta-v2": 1e-7}


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
        pad_id: id of the padding token.
        words: rows of the table of words; ``None`` where the settings do not say.
        relative: how distances of tokens are seen; ``None`` where only positions in the text are.
        has_positions: whether a table of positions is added to the words.
    """

    family: str
    layers: int
    heads: int
    hidden: int
    norm_epsilon: float
    activation: Activation
    first_position: int
    positions: int
    pad_id: int
    words: int | None = None
    relative: RelativePositions | None = None
    has_positions: bool = True


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
        ModelError: a file is missing or damaged, or the engine cannot run the model exactly.
    """
    try:
        plain = load_encoder(folder)
    except UnsupportedModelError as error:
        raise _left_to_torch(str(error)) from error
    _refuse_lower_case(folder)
    return replace(
        plain,
        pooling=_pooling(folder),
        max_tokens=_max_tokens(folder, plain.architecture),
        prefix=_default_prompt(folder),
    )


def load_encoder(folder: Path) -> Checkpoint:
    """Read an encoder from a folder, whatever is done with its states.

    Raises:
        ModelError: a file is missing or damaged.
        UnsupportedModelError: the engine cannot run the encoder exactly.
    """
    architecture = _architecture(read_config(folder), folder)
    tokenizer, weights = folder / "tokenizer.json", folder / "model.safetensors"
    if not tokenizer.is_file():
        raise ModelError(f"{folder} has no tokenizer.json; save the model with its fast tokenizer")
    if not weights.is_file():
        raise ModelError(f"{folder} has no model.safetensors; only safetensors weights are read")
    setup = hashlib.sha256((folder / "config.json").read_bytes() + tokenizer.read_bytes()).hexdigest()[:12]
    return Checkpoint(architecture, "mean", architecture.positions, tokenizer, weights, setup)


def read_config(folder: Path, file: str = "config.json") -> dict[str, Any]:
    """Read a file of settings.

    Raises:
        ModelError: it is missing or damaged.
    """
    return _json(folder / file)


def _json(path: Path) -> dict[str, Any]:
    content = _any_json(path)
    if not isinstance(content, dict):
        raise ModelError(f"{path} holds no JSON object")
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
        raise UnsupportedModelError(f"{folder}: model_type {family!r} is not one of {', '.join(FAMILIES)}")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise UnsupportedModelError(f"{folder}: only absolute positions can be run")
    try:
        return _architecture_of(family, config)
    except UnsupportedModelError as error:
        raise UnsupportedModelError(f"{folder}: {error}") from error
    except KeyError as error:
        raise ModelError(f"{folder / 'config.json'} lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise ModelError(f"{folder / 'config.json'} has a setting that is no number: {error}") from error


def _architecture_of(family: str, config: Mapping[str, Any]) -> Architecture:
    distilled, sees_distances = family == "distilbert", family == "deberta-v2"
    activation = activation_of(config["activation" if distilled else "hidden_act"])
    pad_id = int(config.get("pad_token_id", 1 if "roberta" in family else 0))
    # RoBERTa counts positions from the padding token's id plus 1 (fairseq's make_positions).
    first_position = pad_id + 1 if "roberta" in family else 0
    return Architecture(
        family=family,
        layers=int(config["n_layers" if distilled else "num_hidden_layers"]),
        heads=int(config["n_heads" if distilled else "num_attention_heads"]),
        hidden=int(config["dim" if distilled else "hidden_size"]),
        norm_epsilon=float(config.get("layer_norm_eps", _NORM_EPSILONS.get(family, 1e-12))),
        activation=activation,
        first_position=first_position,
        positions=int(config["max_position_embeddings"]) - first_position,
        pad_id=pad_id,
        words=int(config["vocab_size"]) if "vocab_size" in config else None,
        relative=read_relative_positions(config) if sees_distances else None,
        has_positions=not sees_distances or bool(config.get("position_biased_input", True)),
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
    return _pooling_mode(_json(folder / kinds["Pooling"] / "config.json"), folder)


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
    if settings.is_file() and _json(settings).get("do_lower_case"):
        raise _left_to_torch(f"{settings} sets do_lower_case, which is not applied here")


def _default_prompt(folder: Path) -> str:
    """Read the prompt that sentence-transformers puts before every text, unless it is told another one."""
    settings = folder / "config_sentence_transformers.json"
    content = _json(settings) if settings.is_file() else {}
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
    stated = _json(settings).get("max_seq_length") if settings.is_file() else None
    return min(int(stated or architecture.positions), architecture.positions)


def _left_to_torch(problem: str) -> UnsupportedModelError:
    return UnsupportedModelError(
        f"{problem}; use engine='torch' (pip install \"semscale[torch]\")",
        in_shell=f'{problem}; use --engine torch (pip install "semscale[torch]")',
    )
