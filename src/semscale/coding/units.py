"""Units of answers that have a code, and pieces of clauses that name several topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class CodedUnit:
    """A unit of an answer that has a code.

    Attributes:
        text: the clause with the strongest evidence of its sentence, or the whole sentence; a piece of the
            clause if the sentence has no punctuation and several codes.
        sentence: the sentence, or this piece.
    """

    text: str
    sentence: str


def cut_between(topics: Sequence[int], carries_meaning: Sequence[bool]) -> tuple[int, ...]:
    """Return where to cut the words of a clause without punctuation between its topics.

    If the first word with a meaning names a topic, what is stated about a topic follows it ("staff nice food
    cold"); if the last one does, it comes before it ("nice staff cold food"). Otherwise, or if both do, the
    words between two topics are halved. Words without a meaning, such as "the", go with what follows.

    Args:
        topics: positions of the words that name a topic, ascending, two or more.
        carries_meaning: for each word whether it carries a meaning, as all ``topics`` do.

    Returns:
        Positions of the first word of each piece but the first.

    Examples:
        >>> staff_nice_the_food_cold = [True, True, False, True, True]
        >>> cut_between([0, 3], staff_nice_the_food_cold)
        (2,)
    """
    meaningful = [position for position, carries in enumerate(carries_meaning) if carries]
    is_first, is_last = topics[0] == meaningful[0], topics[-1] == meaningful[-1]
    cuts = []
    for topic, following in pairwise(topics):
        between = [position for position in meaningful if topic < position < following]
        left = (
            len(between) if is_first and not is_last else 0 if is_last and not is_first else len(between) // 2
        )
        cuts.append([topic, *between][left] + 1)
    return tuple(cuts)
