"""Checkpoints of sequence classifiers: an encoder, two matrices behind it, and the names of the classes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semscale.embedding.engines.activations import Activation, activation_of
from semscale.embedding.engines.checkpoint import Checkpoint, load_encoder, read_config
from semscale.embedding.engines.checkpoint_weights import Parameters
from semscale.errors import ModelError

_READS_TYPES = ("bert", "deberta-v2")  # the other families' tokenizers give their models no types
_TYPE_TABLE = "embeddings.token_type_embeddings.weight"


@dataclass(frozen=True)
class ClassifierHead:
    """What turns the first token's state into one number for each class.

    Attributes:
        dense: name of the first matrix, which is square.
        activation: function after it.
        output: name of the second matrix, with a row for each class.
    """

    dense: str
    activation: Activation
    output: str


_HEADS: Mapping[str, ClassifierHead] = {
    "bert": ClassifierHead("pooler.dense", "tanh", "classifier"),
    "roberta": ClassifierHead("classifier.dense", "tanh", "classifier.out_proj"),
    "xlm-roberta": ClassifierHead("classifier.dense", "tanh", "classifier.out_proj"),
    "distilbert": ClassifierHead("pre_classifier", "relu", "classifier"),
    "deberta-v2": ClassifierHead("pooler.dense", "gelu", "classifier"),
}


@dataclass(frozen=True)
class ClassifierCheckpoint:
    """A sequence classifier, before its weights are read.

    Attributes:
        encoder: architecture and files; its pooling is not used.
        head: what follows the encoder.
        labels: names of the classes, in the order of the model's output.
        reads_types: whether the model is told which tokens are of the second text.
    """

    encoder: Checkpoint
    head: ClassifierHead
    labels: tuple[str, ...]
    reads_types: bool


def load_classifier(folder: Path) -> ClassifierCheckpoint:
    """Read a classifier's settings from a folder with ``config.json``, its tokenizer and its weights.

    Raises:
        ModelError: a file is missing or damaged, or the model is no sequence classifier.
        UnsupportedModelError: the engine cannot run the encoder exactly.
    """
    config, encoder = read_config(folder), load_encoder(folder)
    made_for = config.get("architectures") or ["ForSequenceClassification"]
    if not any(str(name).endswith("ForSequenceClassification") for name in made_for):
        raise ModelError(
            f"{folder} is no classifier of texts but {made_for[0]}: give a model that was trained to "
            "classify pairs of texts"
        )
    family = encoder.architecture.family
    head = _HEADS[family]
    if family == "deberta-v2":
        head = replace(head, activation=activation_of(config.get("pooler_hidden_act", head.activation)))
    stated = config.get("type_vocab_size", 2 if family == "bert" else 0)
    return ClassifierCheckpoint(
        replace(encoder, max_tokens=_max_tokens(folder, encoder)),
        head,
        _labels(config, folder),
        reads_types=family in _READS_TYPES and stated > 1,
    )


def check_head(checkpoint: ClassifierCheckpoint, parameters: Parameters) -> None:
    """Check the parameters that a classifier has beside its encoder's.

    Raises:
        ModelError: one is missing, or has another shape than ``config.json`` asks for.
    """
    hidden, classes = checkpoint.encoder.architecture.hidden, len(checkpoint.labels)
    dense, output = checkpoint.head.dense, checkpoint.head.output
    shapes: dict[str, tuple[int, ...]] = {
        f"{dense}.weight": (hidden, hidden),
        f"{dense}.bias": (hidden,),
        f"{output}.weight": (classes, hidden),
        f"{output}.bias": (classes,),
    }
    if checkpoint.reads_types:
        shapes[_TYPE_TABLE] = (2, hidden)
    path = checkpoint.encoder.weights
    for name, shape in shapes.items():
        if name not in parameters:
            raise ModelError(
                f"{path} lacks {name}, so it is no classifier of texts: give a model that was trained to "
                "classify pairs of texts"
            )
        found = parameters[name].shape
        if found != shape:
            raise ModelError(f"{path}: {name} has shape {found}, config.json asks for {shape}")


def _labels(config: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    """Read the names of the classes; transformers leaves them out where they are LABEL_0 and LABEL_1."""
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


def _max_tokens(folder: Path, encoder: Checkpoint) -> int:
    """Take the tokenizer's limit where it is lower than that of the encoder."""
    path = folder / "tokenizer_config.json"
    stated = read_config(folder, path.name).get("model_max_length") if path.is_file() else None
    return min(encoder.max_tokens, int(stated)) if isinstance(stated, int | float) else encoder.max_tokens
