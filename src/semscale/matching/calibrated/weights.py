"""The weights of the method ``calibrated``, fitted to each of a few models."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from semscale.signature import Signature
from semscale.weights.model_lookup import known_model

GENERIC_MODEL = "all-MiniLM-L6-v2"
"""The model whose weights serve those that none were fitted to."""


@dataclass(frozen=True)
class CalibratedWeights:
    """The weights of the method, fitted by ``bench/fit_match.py``.

    Attributes:
        model: name of the known model that they were fitted to.
        shares: weight of each of ``LAYERS``; they add up to 1.
        recall_share: weight of recall in the layers of words, 0 to 1; the rest is precision's.
        stop_weight: weight of a stop word relative to other words, 0 to 1.
        subject_weight: weight of the subject's words relative to other words.
        pronoun_weight: their weight if the other text has a pronoun for them.
        penalties: for each guard and kind of finding the decrease of the score's logarithm, 0 or more.
        floors: floor of each layer, 0 to 1, for corpora that are too small to estimate it.
        sha256: hash of these values.
    """

    model: str
    shares: Mapping[str, float]
    recall_share: float
    stop_weight: float
    subject_weight: float
    pronoun_weight: float
    penalties: Mapping[str, float]
    floors: Mapping[str, float]
    sha256: str

    @property
    def label(self) -> str:
        """The model with a hash of the values, for the signature."""
        return f"{self.model}#{self.sha256[:12]}"


@cache
def load_calibrated_weights(model: str | None = None) -> CalibratedWeights:
    """Read the weights that were fitted to a model, or ``GENERIC_MODEL``'s if none were.

    Args:
        model: name of a known model.

    Example:
        >>> [load_calibrated_weights(model).model for model in ("e5-small", "organisation/other")]
        ['e5-small', 'all-MiniLM-L6-v2']
    """
    content = resources.files("semscale.matching.calibrated").joinpath("calibrated.yaml").read_bytes()
    fitted = yaml.safe_load(content)
    name = GENERIC_MODEL if model is None or model not in fitted else model
    return read_calibrated_weights(name, fitted[name])


def calibrated_weights_for(signature: Signature) -> CalibratedWeights:
    """Read the weights for the model that a signature names."""
    model = known_model(signature)
    return load_calibrated_weights(None if model is None else model.name)


def read_calibrated_weights(model: str, entries: Mapping[str, Any]) -> CalibratedWeights:
    """Take one model's weights as they are written in ``calibrated.yaml``."""
    digest = hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
    return CalibratedWeights(model=model, sha256=digest, **entries)
