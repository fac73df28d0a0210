"""The off-topic floor: a cosine with the best anchor, estimated from sentences that answer no question."""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

import numpy as np
import yaml

from semscale.embedding.embedder import anchor_embedder
from semscale.embedding.languages.language_names import ENGLISH
from semscale.errors import InputError
from semscale.scales import Scale
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

FLOOR_GROUPS = ("everyday", "factual")
FLOOR_QUANTILE = 0.4
"""Two in five unrelated sentences fall below the floor; ``docs/scales.md`` has what others cost."""
_DECIMALS = 3


@cache
def unrelated_probes(language: str = ENGLISH) -> dict[str, tuple[str, ...]]:
    """Sentences that answer no survey question, by group: everyday, factual, gibberish, dont-know.

    Args:
        language: ISO 639-1 code; English, where there is no translation. Translated are everyday and factual.

    Example:
        >>> sorted(unrelated_probes())
        ['dont-know', 'everyday', 'factual', 'gibberish']
    """
    english = resources.files("semscale.rating.anchors") / "probes.yaml"
    file = english if language_of_probes(language) == ENGLISH else _translation(language)
    groups = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {group: tuple(texts) for group, texts in groups.items() if isinstance(texts, list)}


def language_of_probes(language: str) -> str:
    """Give the language of the unrelated sentences that serve one: itself, or English without a translation.

    Example:
        >>> language_of_probes("de"), language_of_probes("fi")
        ('de', 'en')
    """
    return language if _translation(language).is_file() else ENGLISH


def off_topic_floor(scale: Scale, embedder: "Embedder", *, quantile: float = FLOOR_QUANTILE) -> float:
    """Estimate the floor: the best anchor's cosine that a share of unrelated sentences does not exceed.

    It is the given quantile, over the shipped everyday and factual sentences in the language of the anchors,
    of the cosine with the most similar anchor of any set. Gibberish and don't-know answers are left out:
    gibberish resembles everything a little, and don't-know answers resemble the middle points.

    Args:
        scale: the scale, with the anchor sets that are used.
        embedder: the embedder that is used.
        quantile: 0 to 1; a higher one rejects more texts, on-topic ones too.

    Returns:
        A cosine, -1 to 1, to three decimals, so that machines whose vectors differ slightly
        agree on it.

    Raises:
        InputError: a quantile outside 0 to 1.
        ModelError: the model cannot be run.
    """
    if not 0 <= quantile <= 1:
        raise InputError(f"quantile must lie in 0 to 1, got {quantile}")
    probes = unrelated_probes(scale.language)
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in probes[group]]
    floor = np.quantile(best_similarities(scale, embedder, unrelated), quantile)
    return round(float(floor), _DECIMALS)


def _translation(language: str) -> Traversable:
    return resources.files("semscale.scales") / "translations" / language / "unrelated.yaml"


def best_similarities(scale: Scale, embedder: "Embedder", texts: list[str]) -> Floats:
    """Cosine of each text with the most similar anchor of any set, shape (n,)."""
    anchors = [anchor for anchors in scale.anchor_sets.values() for anchor in anchors]
    of_anchors = anchor_embedder(embedder).embed(anchors).vectors.astype(np.float64)
    cosines = embedder.embed(texts).vectors.astype(np.float64) @ of_anchors.T
    best: Floats = np.clip(cosines.max(axis=1), -1, 1)
    return best
