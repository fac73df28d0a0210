"""The floor of similarities: the mean cosine of answers to different prompts."""

from dataclasses import dataclass

import numpy as np

from semscale.matching.cosines import Cosines
from semscale.matching.unrelated import corpus_hash, unrelated_pairs
from semscale.types import Progress

MOST_PAIRS = 2000
"""Unrelated pairs that are drawn."""
FEWEST_ANSWERS = 10
"""Different answers that an estimate needs."""
TOO_FEW_ANSWERS = "too-few-answers"
"""Origin of a floor that could not be estimated."""
_DIGITS = 3  # vectors differ between processors in the seventh decimal, and signatures must not


@dataclass(frozen=True)
class Floor:
    """The cosine of unrelated answers.

    Attributes:
        value: -1 to below 1; 0 where it could not be estimated, which corrects nothing.
        origin: where it is from, as the signature has it.
    """

    value: float
    origin: str

    @property
    def known(self) -> bool:
        """Whether it was given or estimated."""
        return self.origin != TOO_FEW_ANSWERS

    @property
    def applied(self) -> float | None:
        """The floor that was applied; ``None`` where none was needed, or none could be estimated."""
        return self.value if self.known and self != NO_FLOOR else None


NO_FLOOR = Floor(0.0, "not-needed")
"""For measures that are made without one."""


def given_floor(value: float) -> Floor:
    """Take a floor that the user knows."""
    return Floor(value, "given")


def estimate_floor(
    answers: list[str], cosines: Cosines, *, seed: int, progress: Progress | None = None
) -> Floor:
    """Estimate the floor from random pairs of answers to different prompts: their mean cosine.

    Args:
        answers: distinct answers.
        cosines: between texts.
        seed: of the draw.
        progress: called while texts are embedded.

    Returns:
        A floor of 0 that says so where there are fewer than 10 different answers, or where the model can read
        fewer than 10 pairs of them.
    """
    if len(answers) < FEWEST_ANSWERS:
        return Floor(0.0, TOO_FEW_ANSWERS)
    drawn = unrelated_pairs(answers, MOST_PAIRS, seed)
    used = np.unique(drawn)
    texts = [answers[place] for place in used.tolist()]
    first, second = np.searchsorted(used, drawn.T)
    found = cosines.of(texts, first, second, progress)
    read = found.values[~found.unread]  # texts that the model cannot read are all alike to it
    if len(read) < FEWEST_ANSWERS:
        return Floor(0.0, TOO_FEW_ANSWERS)
    return Floor(round(float(read.mean()), _DIGITS), f"{len(read)}-pairs#{corpus_hash(answers)}")
