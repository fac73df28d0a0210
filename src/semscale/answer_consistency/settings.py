"""Settings of ``Consistency``, and their ranges."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from semscale.errors import InputError
from semscale.matching.bertscore import BertScorer

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.matching.entailment import EntailmentModel


class ConsistencySettings(TypedDict, total=False):
    """Settings of a ``Consistency``, as ``consistency`` passes them on."""

    measures: Iterable[str]
    embedder: "str | Path | Embedder"
    bert_embedder: "str | Path | Embedder | BertScorer"
    floor: float | str
    guards: Iterable[str]
    fewest_samples: int
    seed: int
    same_by: str
    nli: "str | Path | EntailmentModel"
    by_sentence: bool


def checked_floor(floor: float | str) -> float | str:
    """Check a floor: a cosine from -1 to below 1, or ``auto``.

    Raises:
        InputError: neither a cosine below 1 nor ``auto``.
    """
    if floor == "auto":
        return "auto"
    if isinstance(floor, str | bool) or not isinstance(floor, int | float | np.number) or not -1 <= floor < 1:
        raise InputError(f"floor must be auto or a cosine from -1 to below 1, got {floor!r}")
    return float(floor)


def checked_fewest(fewest: int) -> int:
    """Check the least number of usable samples.

    Raises:
        InputError: not a whole number of at least 1.
    """
    if isinstance(fewest, bool) or not isinstance(fewest, int | np.integer) or fewest < 1:
        raise InputError(f"fewest_samples must be a whole number of at least 1, got {fewest!r}")
    return int(fewest)
