"""One item's outputs in two runs, aligned and scored: what every loss is computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semscale.drift.runs.run_texts import Spoken
from semscale.guards.findings import Finding
from semscale.types import Integers


@dataclass(frozen=True)
class PairScores:
    """What was found about one pair of texts.

    Attributes:
        scores: ``match``, ``bertscore_f1`` and ``cosine``; NaN where the model reads no token.
        findings: of the guards.
    """

    scores: Mapping[str, float]
    findings: tuple[Finding, ...] = ()


EQUAL = PairScores({"match": 1.0, "bertscore_f1": 1.0, "cosine": 1.0})
"""What two equal texts have."""


@dataclass(frozen=True)
class AlignedItem:
    """One item's outputs in two runs.

    Attributes:
        baseline: what the baseline says.
        candidate: what the candidate says.
        pairs: shape (p, 2), which of the two belong together.
        scores: of the p pairs.
    """

    baseline: Spoken
    candidate: Spoken
    pairs: Integers
    scores: Sequence[PairScores]
