"""One item's outputs in two runs, aligned and scored; every loss is computed from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semscale.drift.measure.run_texts import ItemTexts
from semscale.guards.findings import Finding
from semscale.types import Integers


@dataclass(frozen=True)
class PairScores:
    """Scores and findings of one pair of texts.

    Attributes:
        scores: ``match``, ``bertscore_f1`` and ``cosine``; NaN if the model cannot read a text.
        findings: findings of the guards; where they do not look, numbers in digits that differ.
        guarded: whether guards looked at the pair: they read English alone.
        unread: whether the model can read neither text, so that nothing is known of their similarity.
    """

    scores: Mapping[str, float]
    findings: tuple[Finding, ...] = ()
    unread: bool = False
    guarded: bool = True


EQUAL = PairScores({"match": 1.0, "bertscore_f1": 1.0, "cosine": 1.0})
"""Scores of two equal texts."""


@dataclass(frozen=True)
class AlignedItem:
    """One item's aligned outputs in two runs.

    Attributes:
        baseline: the baseline's texts.
        candidate: the candidate's texts.
        pairs: shape (p, 2), positions of aligned outputs in both.
        scores: scores of the p pairs.
    """

    baseline: ItemTexts
    candidate: ItemTexts
    pairs: Integers
    scores: Sequence[PairScores]
