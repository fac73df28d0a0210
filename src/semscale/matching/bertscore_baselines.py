"""BERTScore's layer for each known model, and the mean scores of unrelated texts, used to rescale scores."""

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.types import Floats

_COLUMNS = 3  # precision, recall, F1
_BERT_SCORE_HEADER = ["LAYER", "P", "R", "F"]


@dataclass(frozen=True)
class BertModel:
    """A model whose layer is known.

    Attributes:
        name: usual name of the model.
        hub: its name on the Hugging Face hub, or the short name of a model that Semscale pins.
        layer: which layer's states to compare, 0 for the embeddings.
        baseline: shape (layers + 1, 3), or ``None`` where none is known.
        weights: first 12 hex digits of the weights' SHA-256, where it is known whose baseline it is.
        runs: whether the engine can run its architecture.
    """

    name: str
    hub: str
    layer: int
    baseline: Floats | None = None
    weights: str | None = None
    runs: bool = True


@dataclass(frozen=True)
class Baseline:
    """Mean scores of unrelated texts at every layer of a model.

    Attributes:
        values: shape (layers + 1, 3): precision, recall and F1.
        origin: where they are from, as signatures have it.
        model: name and hash of the model as signatures have them; ``None`` where the file does not say.
        best_layer: the layer that agreed best with people, where that was measured.
    """

    values: Floats
    origin: str
    model: str | None = None
    best_layer: int | None = None

    def at(self, layer: int) -> Floats:
        """Precision, recall and F1 at a layer, shape (3,).

        Raises:
            InputError: the baseline does not reach that layer.
        """
        if layer >= len(self.values):
            raise InputError(
                f"rescale: {self.origin} has layers 0 to {len(self.values) - 1}, not layer {layer}; "
                "calibrate the model itself: semscale models calibrate MODEL --corpus FILE --out FILE"
            )
        return np.asarray(self.values[layer])

    def label(self, layer: int) -> str:
        """Name the baseline with its hash, for the signature."""
        digest = hashlib.sha256(self.at(layer).astype("<f8").tobytes()).hexdigest()
        return f"{self.origin}#{digest[:8]}"


def rescale_scores(scores: Floats, baseline: Floats) -> Floats:
    """Stretch scores so that unrelated texts are about 0 and equal ones 1: (x - b) / (1 - b).

    Args:
        scores: shape (..., 3): precision, recall and F1.
        baseline: shape (3,), each below 1.

    References:
        The BERTScore authors' note on rescaling: journal/rescale_baseline.md in the repository of
        bert_score.

    Example:
        >>> rescale_scores(np.array([1.0, 0.5, 0.25]), np.array([0.5, 0.5, 0.5])).tolist()
        [1.0, 0.0, -0.5]
    """
    return np.asarray((scores - baseline) / (1 - baseline))


@cache
def bert_models() -> Mapping[str, BertModel]:
    """Models whose layer is known, by name."""
    import yaml

    text = (resources.files("semscale.matching") / "bertscore_models.yaml").read_text(encoding="utf-8")
    return {name: _model(name, entry) for name, entry in yaml.safe_load(text).items()}


def find_bert_model(name: str) -> BertModel | None:
    """Find a model by its name, or by its name on the Hugging Face hub.

    Example:
        >>> find_bert_model("FacebookAI/roberta-large").layer
        17
        >>> find_bert_model("somebody/something") is None
        True
    """
    models = bert_models()
    return models.get(name) or next((model for model in models.values() if model.hub == name), None)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline: a file of ``semscale models calibrate``, or one of bert_score's (LAYER,P,R,F).

    Raises:
        InputError: it cannot be read, or is neither.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"rescale: {path} cannot be read: {error}") from None
    origin = "".join(character if character not in "|:" else "_" for character in path.name)
    if text.lstrip().startswith("{"):
        return _calibrated(text, path, origin)
    return Baseline(_table(text, path), origin)


def _model(name: str, entry: Mapping[str, Any]) -> BertModel:
    rows = entry.get("baseline")
    return BertModel(
        name=name,
        hub=entry["hub"],
        layer=entry["layer"],
        baseline=None if rows is None else np.array(rows, np.float64),
        weights=entry.get("weights"),
        runs=entry.get("runs", True),
    )


def _calibrated(text: str, path: Path, origin: str) -> Baseline:
    try:
        content = parse_json(text)
        rows = [[row["precision"], row["recall"], row["f1"]] for row in content["baseline"]]
        values = np.array(rows, np.float64)
        best = (content.get("human") or {}).get("best_layer")
        model = str(content["model"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _no_baseline(path) from None
    return Baseline(_checked(values, path), origin, model, best if isinstance(best, int) else None)


def _table(text: str, path: Path) -> Floats:
    rows: Sequence[Sequence[str]] = [row for row in csv.reader(text.splitlines()) if row]
    if not rows or [cell.strip() for cell in rows[0]] != _BERT_SCORE_HEADER:
        raise _no_baseline(path)
    try:
        values = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
        layers = [int(row[0]) for row in rows[1:]]
    except ValueError:
        raise _no_baseline(path) from None
    if layers != list(range(len(layers))):
        raise InputError(f"rescale: {path} must have layers 0, 1, 2, ... in order")
    return _checked(values, path)


def _checked(values: Floats, path: Path) -> Floats:
    if values.ndim != 2 or values.shape[1] != _COLUMNS or not len(values):  # noqa: PLR2004 - a table
        raise _no_baseline(path)
    if not (np.isfinite(values).all() and (values < 1).all()):
        raise InputError(f"rescale: {path} must hold numbers below 1")
    return values


def _no_baseline(path: Path) -> InputError:
    return InputError(
        f"rescale: {path} is no baseline: neither a file of semscale models calibrate nor a table of "
        "bert_score with the header LAYER,P,R,F"
    )
