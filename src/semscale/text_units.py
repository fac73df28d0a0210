"""Units of texts: sentences, and the clauses of a sentence.

The rules are those of punctuation and conjunctions in ten languages, and need no language to be named: a mark
of one script does not occur in another. Answers to surveys are typed in a hurry, so a line end, an emoji, a
bullet or a full stop without a space after it ends a sentence, too.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

MIN_WORDS = 2
"""Fewest words of a clause: "nice, friendly staff" is one unit, "great food, bad service" has two."""

LETTERS_PER_WORD = 2
"""Number of letters that count as one word in scripts without spaces."""


@dataclass(frozen=True)
class Unit:
    """A sentence or clause of a text.

    Attributes:
        start: position of the first character in the text.
        end: position after the last character.
    """

    start: int
    end: int

    def text(self, answer: str) -> str:
        """Return the unit's characters in its answer."""
        return answer[self.start : self.end]


@dataclass(frozen=True)
class Sentence(Unit):
    """A sentence with its clauses.

    Attributes:
        clauses: its clauses in order; one clause if it cannot be split.
    """

    clauses: tuple[Unit, ...]


def sentences_in(answer: str) -> tuple[Sentence, ...]:
    r"""Split an answer into sentences, and these into clauses.

    White space, bullets and numbers of list entries at the start belong to no unit, and neither do pieces
    without a letter or a digit. A text of such pieces only is one sentence.

    Examples:
        >>> answer = "1. Staff (e.g. Dr. Wu) nice, but the food was cold.Never again!"
        >>> [sentence.text(answer) for sentence in sentences_in(answer)]
        ['Staff (e.g. Dr. Wu) nice, but the food was cold.', 'Never again!']
        >>> [clause.text(answer) for clause in sentences_in(answer)[0].clauses]
        ['Staff (e.g. Dr. Wu) nice', 'but the food was cold.']
    """
    sentences = []
    for start, end in _pieces(answer, _sentence_ends(answer)):
        bullet = _BULLET.match(answer, start, end)
        unit = _trim(answer, start if bullet is None else bullet.end(), end)
        if unit is not None:
            sentences.append(Sentence(unit.start, unit.end, tuple(_clauses(answer, unit))))
    if not sentences:
        whole = Unit(0, len(answer))
        return (Sentence(0, len(answer), (whole,)),)
    return tuple(sentences)


_PUNCTUATION = re.compile(r"[.,;:!?…،؛؟۔।、。，；：！？]")


def has_punctuation(sentence: str) -> bool:
    """Tell whether a sentence has a mark that separates or ends sentences or clauses."""
    return _PUNCTUATION.search(sentence) is not None


def has_finite_verb(text: str) -> bool:
    """Tell whether a text has a verb form with which a predicate often begins or ends, such as "was"."""
    return _ANY_VERB.search(text) is not None


_CLOSING = r"[\"'”’»)\]」』”）]*"
_FILE = resources.files("semscale") / "text_units.toml"
_LEXICON = tomllib.loads(_FILE.read_text(encoding="utf-8"))
_ABBREVIATIONS = frozenset(_LEXICON["abbreviations"].split())

_END = re.compile(
    rf"""
      (?P<line>[\n\r\u2028\u2029]+)
    | (?P<wide>[。！？｡．]+{_CLOSING})                    # needs no space
    | (?P<emoji>(?:[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff][\ufe0f\u200d]*)+)
    | (?P<mark>(?:[!?؟۔।॥…]|\.\.)[!?.…؟]*{_CLOSING}) (?=\s|$|[^\W\d_])
    | (?P<stop>\.{_CLOSING}) (?=\s|$|[A-ZÀ-ÖØ-ÞĄĆĘŁŃÓŚŹŻ][a-zà-öø-ÿąćęłńóśźż])
    """,
    re.VERBOSE,
)
_LONGEST_WORD = 20  # letters before a full stop that are looked at
_LAST_WORD = re.compile(r"[^\W_](?:[\w.]*\w)?$")
_BULLET = re.compile(r"\s*(?:[-–—*•·▪◦+>]+\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+)")


def _sentence_ends(answer: str) -> Iterator[int]:
    line = 0
    for match in _END.finditer(answer):
        if match.lastgroup != "stop" or not _is_within(answer, line, match.start(), match.end()):
            yield match.end()
        if match.lastgroup == "line":
            line = match.end()


def _is_within(answer: str, line: int, stop: int, end: int) -> bool:
    """Tell whether a full stop is part of a number, an abbreviation, an initial or a list's number."""
    match = _LAST_WORD.search(answer, max(line, stop - _LONGEST_WORD), stop)
    if match is None:
        return False
    word, following = match.group(), answer[end : end + 2].lstrip()
    if word.isdigit():
        return match.start() == line or answer[line : match.start()].isspace() or following.islower()
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    is_dotted = "." in word and following.islower()
    return is_initial or is_dotted or word.lower() in _ABBREVIATIONS


_CONJUNCTIONS = "|".join(_LEXICON["conjunctions"].split())
_BREAK = re.compile(
    rf"""
      [,;،؛:]\s+ | [，、；：]\s* | \s+[-–—]+\s+ | — | \s*/\s+ | \s+(?=[(（]) | (?<=[)）])\s*
    | \s+(?=(?:{_CONJUNCTIONS})\s)
    """,
    re.VERBOSE | re.IGNORECASE,
)


_ASIDES = "|".join(
    re.escape(aside.strip()).replace(r"\ ", r"\s+")
    for aside in sorted(_LEXICON["asides"].split("/"), key=len, reverse=True)
)
_ASIDE = re.compile(rf"(?:{_ASIDES})(?![^\W_])", re.IGNORECASE)
_FIRST_VERBS, _LAST_VERBS = ("|".join(_LEXICON[kind].split()) for kind in ("finite_verbs", "last_verbs"))
_VERB = re.compile(rf"\W*(?:{_FIRST_VERBS})(?![^\W_])", re.IGNORECASE)
_LAST_VERB = re.compile(rf"\s(?:{_LAST_VERBS})\W*$")
_ANY_VERB = re.compile(rf"(?<![^\W_])(?:{_FIRST_VERBS}|{_LAST_VERBS})(?![^\W_])", re.IGNORECASE)
_LONGEST_END = 20  # characters of a last verb and the marks after it
_NO_WORD = re.compile(r"\W*$")


def _clause_starts(answer: str, sentence: Unit) -> Iterator[int]:
    """Return where clauses may start; an aside such as "of course" is none of its own.

    An aside goes with what follows it, or with what comes before it at the end of a sentence. If a verb
    follows, as in "the bed, however, was soft", it is in the middle of a clause. It is then set off on both
    sides, or on none: German "das Essen war gut, jedoch war der Wirt langsam" has two clauses.
    """
    has_last_verb = _ends_with_verb(answer, sentence.end)
    after_aside = _after_aside(answer, sentence.start, sentence.end)
    for mark in _BREAK.finditer(answer, sentence.start, sentence.end):
        if mark.end() == after_aside:
            continue
        after_aside = _after_aside(answer, mark.end(), sentence.end)
        if after_aside is not None:
            is_set_off = not mark.group().isspace(), not answer[after_aside - 1].isalnum()
            has_verb = _VERB.match(answer, after_aside, sentence.end) or (
                has_last_verb and not _ends_with_verb(answer, mark.start())
            )
            if is_set_off[0] == is_set_off[1] and has_verb:
                continue
            if _NO_WORD.match(answer, after_aside, sentence.end):
                continue
        yield mark.end()


def _ends_with_verb(answer: str, end: int) -> bool:
    return _LAST_VERB.search(answer, max(0, end - _LONGEST_END), end) is not None


def _after_aside(answer: str, start: int, end: int) -> int | None:
    """Return the position after an aside and its closing mark; ``None`` if no aside starts here."""
    aside = _ASIDE.match(answer, start, end)
    if aside is None:
        return None
    mark = _BREAK.match(answer, aside.end(), end)
    return aside.end() if mark is None else mark.end()


def _clauses(answer: str, sentence: Unit) -> list[Unit]:
    """Split a sentence where both sides are long enough to have a topic; other pieces join the one before."""
    clauses: list[Unit] = []
    for start, end in _pieces(answer, _clause_starts(answer, sentence), sentence):
        if clauses and min(_size(answer, clauses[-1]), _size(answer, Unit(start, end))) < MIN_WORDS:
            clauses[-1] = Unit(clauses[-1].start, end)
        else:
            clauses.append(Unit(start, end))
    if len(clauses) > 1 and _size(answer, clauses[-1]) < MIN_WORDS:
        clauses[-2:] = [Unit(clauses[-2].start, clauses[-1].end)]
    trimmed = [
        _trim(answer, clause.start, clause.end, punctuation=",;:，、；：،؛-–—/ ") for clause in clauses
    ]
    return [clause for clause in trimmed if clause is not None]


_WORDS = re.compile(
    r"(?P<dense>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+)|[^\W_]+(?:['’][^\W_]+)*"
)


def _size(answer: str, unit: Unit) -> float:
    """Count a unit's words."""
    return sum(
        len(match.group()) / LETTERS_PER_WORD if match["dense"] else 1
        for match in _WORDS.finditer(answer, unit.start, unit.end)
    )


def _pieces(answer: str, ends: Iterator[int], within: Unit | None = None) -> Iterator[tuple[int, int]]:
    start, last = (0, len(answer)) if within is None else (within.start, within.end)
    for end in ends:
        if start < end < last:
            yield start, end
            start = end
    yield start, last


def _trim(answer: str, start: int, end: int, punctuation: str = "") -> Unit | None:
    """Leave out white space at both ends; ``None`` for a piece without a letter or a digit."""
    piece = answer[start:end]
    if not any(map(str.isalnum, piece)):
        return None
    left = len(piece) - len(piece.lstrip())
    stripped = piece.rstrip()
    stripped = stripped.rstrip(punctuation) if punctuation else stripped
    return Unit(start + left, start + len(stripped))
