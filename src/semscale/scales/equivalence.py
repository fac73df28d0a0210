"""How far each translation of a scale rates as the English scale does, and which of them passed.

``bench/languages.py`` measures it with ``e5-small`` and writes ``translations/equivalence.json``: the same
probes in English and translated, each rated with the anchors of its own language.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from semscale.scales.library import languages_in
from semscale.scales.scale import Scale

MOST_DISTANCE = 0.08
"""Mean absolute distance between a probe's two means, as a share of the scale's length."""
LEAST_RANK_CORRELATION = 0.8
"""Spearman's rho of the means of the translated probes with those of the English ones."""
MOST_LOSS = 0.05
"""By how much English anchors may order the translated probes better than the translated anchors do."""


@dataclass(frozen=True)
class Equivalence:
    """A translated scale beside the English one.

    Attributes:
        anchor_sets: the sets that were measured.
        english: content hash of the English scale with these sets.
        translated: content hash of the translation with them.
        distance: mean absolute difference of the probes' means, as a share of the scale's length, 0 to 1.
        rank_correlation: Spearman's rho between the two languages' means, -1 to 1.
        ladder: Spearman's rho of the translated probes' means with their levels, by the translated anchors.
        ladder_by_english: the same by the English anchors, which would rate such texts otherwise.
        linter: verdict of the linter on the translated scale.
        english_linter: its verdict on the English one, with the same model.
    """

    anchor_sets: tuple[str, ...]
    english: str
    translated: str
    distance: float
    rank_correlation: float
    ladder: float
    ladder_by_english: float
    linter: Literal["pass", "warn", "fail"]
    english_linter: Literal["pass", "warn", "fail"]

    def covers(self, scale: Scale) -> bool:
        """Whether the translation passed, and all sets of a scale were measured."""
        return self.passed and set(scale.anchor_sets) <= set(self.anchor_sets)

    @property
    def passed(self) -> bool:
        """Near the English means, in their order, no loss, and no failure of the linter that is new."""
        return (
            self.distance <= MOST_DISTANCE
            and self.rank_correlation >= LEAST_RANK_CORRELATION
            and self.ladder >= self.ladder_by_english - MOST_LOSS
            and (self.linter != "fail" or self.english_linter == "fail")
        )


def equivalences(scale: str) -> Mapping[str, Equivalence]:
    """Give the measurements of a library's scale, by language; empty for a name that has none."""
    return _measured().get(scale, {})


def passed_languages(scale: Scale) -> tuple[str, ...]:
    """List the languages whose translated anchors may stand for a scale's own, sorted.

    Args:
        scale: a scale of the library, with all its sets or some; any other one has no translations.
    """
    measured = equivalences(scale.name)
    return tuple(code for code in languages_in(scale) if code in measured and measured[code].covers(scale))


@cache
def _measured() -> dict[str, dict[str, Equivalence]]:
    file = resources.files("semscale.scales") / "translations" / "equivalence.json"
    scales = json.loads(file.read_text(encoding="utf-8"))["scales"]
    return {
        name: {code: _equivalence(**figures) for code, figures in by_language.items()}
        for name, by_language in scales.items()
    }


def _equivalence(anchor_sets: list[str], **figures: Any) -> Equivalence:  # noqa: ANN401 - as they were written
    return Equivalence(anchor_sets=tuple(anchor_sets), **figures)
