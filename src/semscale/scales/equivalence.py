"""How far each translation of a scale rates as the English scale does, and which of them passed.

``bench/languages.py`` measures it with ``e5-small`` and writes ``translations/equivalence.json``: the same
probes in English and translated, each rated with the anchors of its own language. A translation may leave
out anchor sets that the linter fails in its language; the table says which sets serve.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from semscale.scales.scale import Scale

MEASURED_WITH = "e5-small"
"""The model that the table was made with."""
MOST_DISTANCE = 0.08
"""Mean absolute distance between a probe's two means, as a share of the scale's length."""
LEAST_RANK_CORRELATION = 0.8
"""Spearman's rho of the means of the translated probes with those of the English ones."""
MOST_LOSS = 0.05
"""By how much English anchors may order the translated probes better than the translated anchors do."""
FEWEST_SETS, MOST_LEFT_OUT = 3, 2
"""How many sets a translation keeps at least, and how many of the English ones it leaves out at most."""


@dataclass(frozen=True)
class Equivalence:
    """A translated scale beside the English one.

    Attributes:
        english_sets: the English scale's sets, those that serve the model.
        anchor_sets: those that the translation rates with: all of them, or all but those the linter fails.
        english: content hash of the English scale with ``english_sets``.
        translated: content hash of the translation with ``anchor_sets``.
        distance: mean absolute difference of the probes' means, as a share of the scale's length, 0 to 1.
        rank_correlation: Spearman's rho between the two languages' means, -1 to 1.
        ladder: Spearman's rho of the translated probes' means with their levels, by the translated anchors.
        ladder_by_english: the same by the English anchors, which would rate such texts otherwise.
        linter: verdict of the linter on the translated scale.
        english_linter: its verdict on the English one, with the same model.
    """

    english_sets: tuple[str, ...]
    anchor_sets: tuple[str, ...]
    english: str
    translated: str
    distance: float
    rank_correlation: float
    ladder: float
    ladder_by_english: float
    linter: Literal["pass", "warn", "fail"]
    english_linter: Literal["pass", "warn", "fail"]

    def serving_sets(self, scale: Scale) -> tuple[str, ...]:
        """List the translated sets that stand for those of a scale; none where they may not.

        Args:
            scale: with all sets that were measured in English, or with some that serve in the translation.
        """
        names = tuple(scale.anchor_sets)
        if not self.passed:
            return ()
        if set(names) == set(self.english_sets):
            return tuple(name for name in names if name in self.anchor_sets)
        return names if set(names) <= set(self.anchor_sets) else ()

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


def sets_that_rate(scale: Scale) -> tuple[str, ...] | None:
    """List a translated scale's sets that rate texts in its language; ``None`` if it is no translation.

    Args:
        scale: the translation, with all of its sets or those that serve a model.
    """
    found = equivalences(scale.name).get(scale.language)
    if found is None or not set(found.anchor_sets) <= set(scale.anchor_sets):
        return None
    if scale.with_sets(found.anchor_sets).content_hash != found.translated:
        return None
    return found.anchor_sets if found.passed else ()


@cache
def _measured() -> dict[str, dict[str, Equivalence]]:
    file = resources.files("semscale.scales") / "translations" / "equivalence.json"
    scales = json.loads(file.read_text(encoding="utf-8"))["scales"]
    return {
        name: {code: _equivalence(**figures) for code, figures in by_language.items()}
        for name, by_language in scales.items()
    }


def _equivalence(english_sets: list[str], anchor_sets: list[str], **figures: Any) -> Equivalence:  # noqa: ANN401 - as they were written
    return Equivalence(english_sets=tuple(english_sets), anchor_sets=tuple(anchor_sets), **figures)
