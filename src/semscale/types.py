"""Types and bounds that every layer shares."""

from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Statuses = npt.NDArray[np.object_]
"""Shape (n,), each a ``Status``."""
Ids = npt.NDArray[np.int32]
"""Token ids."""

Progress = Callable[[str, int, int | None], None]
"""Called as ``progress(stage, done, total)``; ``total`` is ``None`` where it cannot be known beforehand."""

FEWEST_POINTS, MOST_POINTS = 2, 11
"""How many points a scale may have."""


class Status(StrEnum):
    """Why an item has a score, or has none."""

    SCORED = "scored"
    MISSING = "missing"  # null, NaN, or a code that the user named: nobody answered
    NOT_TEXT = "not-text"  # a number, a list, ... in a column of texts
    EMPTY = "empty"  # nothing but white space
    UNINFORMATIVE = "uninformative"  # no letter and no digit of any script
    NO_REFERENCE = "no-reference"  # nothing usable to match a prediction with
    TOO_FEW_SAMPLES = "too-few-samples"  # not enough usable samples to say how far they agree
    WEIGHTLESS = "weightless"  # no token that counts: nothing the model can read, or an idf of 0 throughout
    OFF_TOPIC = "off-topic"  # no anchor is more similar than to unrelated sentences
    UNPARSABLE = "unparsable"  # replies came, and none states a score beyond doubt
    REFUSED = "refused"  # the model declined to answer
    FAILED = "failed"  # no reply came
    UNFINISHED = "unfinished"  # a cap was reached before it was asked about


def count_statuses(statuses: Iterable[Status]) -> dict[Status, int]:
    """Count how many items have each status, as far as it occurs, in the order of ``Status``.

    Example:
        >>> found = count_statuses([Status.EMPTY, Status.SCORED, Status.EMPTY])
        >>> [(str(status), n) for status, n in found.items()]
        [('scored', 1), ('empty', 2)]
    """
    counted = Counter(statuses)
    return {status: counted[status] for status in Status if counted[status]}


def are_scored(statuses: npt.NDArray[np.object_]) -> npt.NDArray[np.bool_]:
    """Say which items have a score, shape (n,)."""
    return np.asarray(statuses == Status.SCORED, dtype=bool)
