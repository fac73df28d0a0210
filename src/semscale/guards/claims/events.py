"""The two parts of a sentence with "before", "if" and the like: the clause behind the word, and the rest."""

from typing import NamedTuple

from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording
from semscale.guards.clauses import sentence_end
from semscale.guards.lexicons import word_list
from semscale.guards.negation_cues import denies_before, denies_next

_MOST_BEFORE = 0
_TIMES = frozenset(
    f"{unit}{plural}"
    for unit in ("second", "minute", "hour", "day", "night", "week", "month", "year", "decade", "moment")
    for plural in ("", "s")
) | {"several", "few", "shortly", "soon", "immediately", "long", "right", "only"}
_CONDITIONS = ("without", "unless")
_ENDS = ".;:?!"


class ClauseParts(NamedTuple):
    """The two parts of a sentence.

    Attributes:
        main: positions of the words of the main clause.
        sub: positions of the words of the clause behind the cue.
    """

    main: range
    sub: range


def parts_at(wording: Wording, cue: Cue, *, to_end: bool = False) -> ClauseParts:
    """Split the sentence of a cue: "A before B", "before B, A".

    A part is empty if no comma shows where it begins.

    Args:
        wording: a text.
        cue: one of its phrases.
        to_end: whether the second part goes on behind a comma.

    Example:
        >>> from semscale.guards.words import TextWords
        >>> parts_at(Wording(TextWords("Before lunch, wash your hands.")), Cue("before", 0, 0))
        ClauseParts(main=range(3, 6), sub=range(1, 2))
    """
    texts = wording.words.texts
    start = next((at + 1 for at in range(cue.first - 1, -1, -1) if texts[at] in _ENDS), 0)
    end = sentence_end(texts, cue.last)
    comma = next((at for at in range(cue.last + 1, end) if texts[at] == ","), end)
    before = [texts[at] for at in range(start, cue.first) if at in wording.content]
    if sum(not _is_time(text) for text in before) <= _MOST_BEFORE:
        return ClauseParts(range(comma + 1, end), range(cue.last + 1, comma))
    own = next((at + 1 for at in range(cue.first - 2, start, -1) if texts[at] == ","), start)
    return ClauseParts(range(own, cue.first), range(cue.last + 1, end if to_end else comma))


def is_denied(wording: Wording, places: range) -> bool:
    """Tell whether an odd number of negations stands in a part of a text."""
    return denials(wording, places) % 2 == 1


def denials(wording: Wording, places: range) -> int:
    """Count the negations in a part of a text, without "nobody but" and the like, which deny nothing."""
    texts = wording.words.texts
    restricting = {at for cue in wording.cues("exclusivity") for at in range(cue.first, cue.last + 1)}
    return sum(
        at not in restricting
        and texts[at] not in _CONDITIONS
        and (denies_next(texts, at) or denies_before(texts, at) is not None)
        for at in places
    )


def denied_otherwise(ours: Wording, theirs: Wording) -> bool:
    """Tell whether one of two texts has more negations: "only if it is", "not if it is not"."""
    here, there = (denials(text, range(len(text.words.texts))) for text in (ours, theirs))
    return here != there


def crossing(one: tuple[set[str], set[str]], other: tuple[set[str], set[str]]) -> bool:
    """Tell whether the first part of each text is rather the second part of the other one.

    Args:
        one: stems of the two parts of one text.
        other: those of the other text.
    """
    straight = len(one[0] & other[0]) + len(one[1] & other[1])
    crossed = len(one[0] & other[1]), len(one[1] & other[0])
    return all(crossed) and sum(crossed) > straight


def _is_time(text: str) -> bool:
    """Tell whether a word only says how long before or after: "ten minutes before"."""
    return text in _TIMES or not text[0].isalpha() or text in word_list("number_words")
