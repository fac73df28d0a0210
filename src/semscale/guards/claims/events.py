"""The two parts of a sentence with "before", "if" and the like: the clause behind the word, and the rest."""

from collections.abc import Iterable
from typing import NamedTuple

from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording
from semscale.guards.clauses import sentence_end, sentence_start
from semscale.guards.lexicons import word_list

_MOST_BEFORE = 0
_TIMES = frozenset(
    f"{unit}{plural}"
    for unit in ("second", "minute", "hour", "day", "night", "week", "month", "year", "decade", "moment")
    for plural in ("", "s")
) | {"several", "few", "shortly", "soon", "immediately", "long", "right", "only"}
_DENIALS = frozenset(("no", "nobody", "none", "nothing", "nowhere", "never", "not", "neither", "cannot"))
_CONDITIONS = ("without", "unless")


class ClauseParts(NamedTuple):
    """The two parts of a sentence.

    Attributes:
        main: positions of the words of the main clause.
        sub: positions of the words of the clause behind the cue.
    """

    main: range
    sub: range


def parts_at(wording: Wording, cue: Cue) -> ClauseParts:
    """Split the sentence of a cue: "A before B", "before B, A".

    A part is empty if no comma shows where it begins.

    Args:
        wording: a text.
        cue: one of its phrases.

    Example:
        >>> from semscale.guards.words import TextWords
        >>> parts_at(Wording(TextWords("Before lunch, wash your hands.")), Cue("before", 0, 0))
        ClauseParts(main=range(3, 6), sub=range(1, 2))
    """
    texts = wording.words.texts
    start = sentence_start(texts, cue.first)
    end = sentence_end(texts, cue.last)
    comma = next((at for at in range(cue.last + 1, end) if texts[at] == ","), end)
    before = [texts[at] for at in range(start, cue.first) if at in wording.content]
    if sum(not is_time(text) for text in before) <= _MOST_BEFORE:
        return ClauseParts(range(comma + 1, end), range(cue.last + 1, comma))
    own = next((at + 1 for at in range(cue.first - 2, start, -1) if texts[at] == ","), start)
    return ClauseParts(range(own, cue.first), range(cue.last + 1, comma))


def is_denied(wording: Wording, places: range) -> bool:
    """Tell whether an odd number of negations stands in a part of a text."""
    return denials(wording, places) % 2 == 1


def denials(wording: Wording, places: Iterable[int]) -> int:
    """Count the negations in a part of a text, without "nobody but" and the like, which deny nothing."""
    if not wording.denying:
        return 0
    texts, restricting = wording.words.texts, _restricting(wording)
    denying = {at for at in wording.denying if at not in restricting and texts[at] not in _CONDITIONS}
    return sum(at in denying for at in places)


def says_no(text: str) -> bool:
    """Tell whether a word negates by itself, as "not" and "nobody" do, and "omit" does not."""
    return text in _DENIALS or text.endswith("n't")


def is_negated(wording: Wording, places: Iterable[int]) -> bool:
    """Tell whether an odd number of such words stands in a part of a text; "nobody but" is none."""
    texts, restricting = wording.words.texts, _restricting(wording)
    return sum(says_no(texts[at]) and at not in restricting for at in places) % 2 == 1


def _restricting(wording: Wording) -> set[int]:
    return {at for cue in wording.cues("exclusivity") for at in range(cue.first, cue.last + 1)}


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


def is_time(text: str) -> bool:
    """Tell whether a word only says how long before or after: "ten minutes before"."""
    return text in _TIMES or not text[0].isalpha() or text in word_list("number_words")
