"""Small random classifiers of pairs of texts, as transformers writes them."""

from pathlib import Path

import numpy as np
from random_checkpoint import HIDDEN, write_random_checkpoint
from safetensors.numpy import load_file, save_file

LABELS = ("contradiction", "entailment", "neutral")
HEADS = {
    "bert": ("pooler.dense", "classifier"),
    "roberta": ("classifier.dense", "classifier.out_proj"),
    "xlm-roberta": ("classifier.dense", "classifier.out_proj"),
    "distilbert": ("pre_classifier", "classifier"),
    "deberta-v2": ("pooler.dense", "classifier"),
}
_PREFIXES = {"bert": "bert", "distilbert": "distilbert", "deberta-v2": "deberta"}
_CLASSES = {"xlm-roberta": "XLMRoberta", "distilbert": "DistilBert", "deberta-v2": "DebertaV2"}


def write_random_classifier(
    folder: Path, family: str, *, labels: tuple[str, ...] = LABELS, seed: int = 0, **settings: object
) -> dict:
    """Write a random classifier of a family into a folder, and return its weights."""
    architecture = f"{_CLASSES.get(family, family.capitalize())}ForSequenceClassification"
    named = {"architectures": [architecture], "id2label": dict(enumerate(labels))}
    encoder = write_random_checkpoint(folder, family, seed=seed, **(named | settings))
    rng = np.random.default_rng(seed + 1)
    dense, output = HEADS[family]
    shapes = {dense: (HIDDEN, HIDDEN), output: (len(labels), HIDDEN)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = rng.normal(0.0, 0.4, shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(0.0, 0.4, shape[:1]).astype(np.float32)
    prefix = _PREFIXES.get(family, "roberta")
    pooler = f"{prefix}." if family == "bert" else ""  # BERT's pooler is a part of its encoder
    stored = {f"{prefix}.{name}": value for name, value in encoder.items()}
    stored |= {pooler * name.startswith("pooler") + name: value for name, value in weights.items()}
    save_file(stored, folder / "model.safetensors")
    return encoder | weights


def forced_classifier(folder: Path, *, contradiction: float, labels: tuple[str, ...] = LABELS) -> Path:
    """Write a random RoBERTa classifier that gives each pair the same probabilities, whatever its texts.

    Args:
        folder: where it is written.
        contradiction: its probability of contradiction; the rest is neutral, and almost nothing entailment.
        labels: names of the classes, in the order contradiction, entailment, neutral.
    """
    write_random_classifier(folder, "roberta", labels=labels)
    file = folder / "model.safetensors"
    weights = load_file(file)
    output = HEADS["roberta"][1]
    weights[f"{output}.weight"] = np.zeros_like(weights[f"{output}.weight"])
    shares = np.array([contradiction, 1e-9, 1 - contradiction])
    weights[f"{output}.bias"] = np.log(shares).astype(np.float32)
    save_file(weights, file)
    return folder
