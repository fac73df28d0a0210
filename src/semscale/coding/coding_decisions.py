"""Decisions about codes: given, not given, or unsure; and what became of each answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats, Integers, Mask, ObjectArray, Status, Statuses


class CodingOutcome(StrEnum):
    """What became of an answer."""

    CODED = "coded"  # at least one code
    OTHER = "other"  # no code, and none that is near
    CANNOT_TELL = "cannot-tell"  # between the thresholds, or nothing to read
    NO_ANSWER = "no-answer"  # the cell is missing or no text


UNSURE = "unsure"
"""Reason of an answer that no code was given to, as one lies between the thresholds."""

_NO_ANSWER = (Status.MISSING, Status.NOT_TEXT)


@dataclass(frozen=True)
class Thresholds:
    """From which value on a code is given, and from which one on nobody can tell.

    Attributes:
        given: at least this gives the code, above 0 to 1.
        unsure: at least this, and less than ``given``, decides nothing; at most ``given``.

    Raises:
        InputError: out of range, or the wrong way round.
    """

    given: float = 0.5
    unsure: float = 0.3

    def __post_init__(self) -> None:
        if not 0 < self.given <= 1:
            raise InputError(f"given_from must be above 0 and at most 1, got {self.given:g}")
        if not 0 <= self.unsure <= self.given:
            raise InputError(
                f"unsure_from must be at least 0 and at most given_from ({self.given:g}), got {self.unsure:g}"
            )


BY_LIKENESS = Thresholds(0.7, 0.5)
"""For the likeness of codes that are not calibrated. On 240 coded review sentences 0.7 gives a code about as
often as a person does; 0.5, midway between examples of the code and of others, gives it twice as often."""


@dataclass(frozen=True)
class CodeDecisions:
    """What was decided about n answers and k codes.

    Attributes:
        given: shape (n, k): 1 given, 0 not given, NaN where unsure or nothing could be read.
        outcome: shape (n,), each a ``CodingOutcome``.
        reason: shape (n,), why nobody can tell, or why there is no answer: a ``Status`` or ``unsure``;
            ``None`` for other answers.
    """

    given: Floats
    outcome: ObjectArray
    reason: ObjectArray

    @property
    def readable(self) -> Mask:
        """Which answers have a text that was read, shape (n,): the base of all shares."""
        return np.array([reason in (None, UNSURE) for reason in self.reason], dtype=np.bool_)

    def some(self, rows: Integers | Mask) -> "CodeDecisions":
        """Keep the decisions about some answers."""
        return CodeDecisions(self.given[rows], self.outcome[rows], self.reason[rows])


def decide(values: Floats, status: Statuses, thresholds: Sequence[Thresholds]) -> CodeDecisions:
    """Decide about each code of each answer.

    Args:
        values: shape (n, k), probabilities or likenesses; NaN where there is none.
        status: shape (n,), whether an answer could be read.
        thresholds: where decisions change, for each code.

    Example:
        >>> status = np.array([Status.SCORED] * 3 + [Status.EMPTY], dtype=object)
        >>> found = decide(np.array([[0.9], [0.4], [0.1], [np.nan]]), status, [Thresholds()])
        >>> [str(each) for each in found.outcome], found.given[:, 0].tolist()
        (['coded', 'cannot-tell', 'other', 'cannot-tell'], [1.0, nan, 0.0, nan])
    """
    high, low = (np.array([getattr(one, end) for one in thresholds]) for end in ("given", "unsure"))
    given = np.where(values >= high, 1.0, np.where(values < low, 0.0, np.nan))
    given[np.isnan(values)] = np.nan
    outcome: ObjectArray = np.full(len(values), None, dtype=object)
    reason: ObjectArray = np.full(len(values), None, dtype=object)
    for row, (found, read) in enumerate(zip(given, status, strict=True)):
        if read is not Status.SCORED:
            outcome[row] = CodingOutcome.NO_ANSWER if read in _NO_ANSWER else CodingOutcome.CANNOT_TELL
            reason[row] = str(read)
        elif (found == 1).any():
            outcome[row] = CodingOutcome.CODED
        elif np.isnan(found).any():
            outcome[row], reason[row] = CodingOutcome.CANNOT_TELL, UNSURE
        else:
            outcome[row] = CodingOutcome.OTHER
    return CodeDecisions(given, outcome, reason)
