"""Small random classifiers of pairs of texts, with a graph in OpenVINO's format, as repositories carry it."""

import json
from pathlib import Path

import numpy as np
from tests.support.random_checkpoint import HIDDEN, POSITIONS, config_of
from tests.support.word_tokenizer import VOCABULARY_SIZE, write_tokenizer

from semscale.embedding.openvino import openvino_module

LABELS = ("contradiction", "entailment", "neutral")
GRAPH = "openvino/openvino_model.xml"


def write_random_classifier(
    folder: Path, family: str, *, labels: tuple[str, ...] = LABELS, seed: int = 0, **settings: object
) -> dict:
    """Write a random classifier into a folder, and return its weights.

    The model is no encoder of the family. What the family decides is as there: special tokens, and whether
    tokens have types. ``random_logits`` computes the same.
    """
    rng = np.random.default_rng(seed)
    shapes = {
        "words": (VOCABULARY_SIZE, HIDDEN),
        "positions": (POSITIONS, HIDDEN),
        "types": (2, HIDDEN),
        "output": (HIDDEN, len(labels)),
        "bias": (len(labels),),
    }
    weights = {name: rng.normal(0.0, 0.4, shape).astype(np.float32) for name, shape in shapes.items()}
    write_classifier_files(folder, family, weights, labels, settings)
    return weights


def write_classifier_files(
    folder: Path, family: str, weights: dict, labels: tuple[str, ...], settings: dict
) -> None:
    named = {"architectures": [f"{family.capitalize()}ForSequenceClassification"]}
    config = config_of(family) | named | {"id2label": dict(enumerate(labels))} | settings
    (folder / "openvino").mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    write_tokenizer(folder / "tokenizer.json", config_of(family)["pad_token_id"])
    openvino = openvino_module()
    graph = _graph(weights, typed=family == "bert")
    openvino.save_model(graph, folder / GRAPH, compress_to_fp16=False)


def random_logits(weights: dict, ids: list[int], types: list[int] | None = None) -> np.ndarray:
    """Logits of one pair in float64: tanh of the mean of all tokens' sums, times a matrix, plus a bias."""
    rows = weights["words"][ids].astype(np.float64) + weights["positions"][: len(ids)]
    if types is not None:
        rows = rows + weights["types"][types]
    return np.tanh(rows.mean(axis=0)) @ weights["output"] + weights["bias"]


def forced_classifier(folder: Path, *, contradiction: float, labels: tuple[str, ...] = LABELS) -> Path:
    """Write a classifier that gives each pair the same probabilities, whatever its texts.

    Args:
        folder: where it is written.
        contradiction: its probability of contradiction; the rest is neutral, and almost nothing entailment.
        labels: names of the classes, in the order contradiction, entailment, neutral.
    """
    shares = np.array([contradiction, 1e-9, 1 - contradiction])
    weights = {
        "words": np.zeros((VOCABULARY_SIZE, HIDDEN), np.float32),
        "positions": np.zeros((POSITIONS, HIDDEN), np.float32),
        "output": np.zeros((HIDDEN, len(labels)), np.float32),
        "bias": np.log(shares).astype(np.float32),
    }
    write_classifier_files(folder, "roberta", weights, labels, {})
    return folder


def _graph(weights: dict, *, typed: bool) -> object:
    """The graph of ``random_logits``, with the names and types of inputs that exporters give."""
    openvino = openvino_module()
    op = openvino.opset13
    names = ["input_ids", "attention_mask", *["token_type_ids"] * typed]
    inputs = [op.parameter([-1, -1], np.int64, name=name) for name in names]
    for name, node in zip(names, inputs, strict=True):
        node.get_output_tensor(0).set_names({name})
    first, second = np.array(0, np.int32), np.array(1, np.int32)
    summed = op.gather(weights["words"], inputs[0], first)
    length = op.unsqueeze(op.gather(op.shape_of(inputs[0], "i32"), second, first), first)
    step = np.array([1], np.int32)
    positions = op.slice(weights["positions"], np.array([0], np.int32), length, step, np.array([0], np.int32))
    summed = op.add(summed, positions)
    if typed:
        summed = op.add(summed, op.gather(weights["types"], inputs[2], first))
    mask = op.unsqueeze(op.convert(inputs[1], "f32"), np.array(2, np.int32))
    total = op.reduce_sum(op.multiply(summed, mask), step)
    mean = op.divide(total, op.reduce_sum(mask, step))
    logits = op.add(op.matmul(op.tanh(mean), weights["output"], False, False), weights["bias"])
    return openvino.Model([logits], inputs, "classifier")
