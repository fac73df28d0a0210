"""Words, word lists, roles, clauses and opposites of English texts."""

import re
import threading
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import zip_longest
from typing import Any, NamedTuple

import snowballstemmer


@cache
def read_lexicon(name: str, package: str = "semscale.guards") -> dict[str, Any]:
    """Read a file of a package's folder ``lexicon``.

    Args:
        name: the file's name without extension, such as ``opposites``, ``negation`` or ``units``.
        package: the package that contains the folder.
    """
    text = resources.files(package).joinpath("lexicon", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def word_list(name: str) -> frozenset[str]:
    """Return a list of ``wordlists`` as a set.

    Example:
        >>> "terminal" in word_list("labelled")
        True
    """
    return frozenset(read_lexicon("wordlists")[name].split())


_TOKEN = re.compile(r"[^\W\d_]+(?:'(?:t|s|re|ve|ll|d|m)\b)?|\d+(?:[.,]\d+)*|[^\w\s]")
_ASCII_TOKEN = re.compile(_TOKEN.pattern, re.ASCII)
"""The same for ASCII texts, in which it is a third faster."""
_DIGIT = re.compile(r"\d")
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[’`\"´](?=(?:[tT]|[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])\b)")
_LETTER = re.compile(r"[^\W\d_]")
_NON_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u0370-\u03ff\u1e00-\u1eff\u2070-\u218f]")
_FOREIGN_SHARE = 0.2


class _OfThread(threading.local):
    """A stemmer for each thread, as a stemmer stores the word on which it works."""

    def __init__(self) -> None:
        self.stemmer = snowballstemmer.stemmer("english")


_OF_THREAD = _OfThread()


class Word(NamedTuple):
    """One word, number or mark of a text.

    Attributes:
        text: lower case, apostrophes straightened.
        start: first character in the text.
        end: the character after the last one.
        kind: ``w`` for a word, ``n`` for a number in digits, ``p`` for a mark.
    """

    text: str
    start: int
    end: int
    kind: str


class TextWords:
    """The words, numbers and marks of a text, in order.

    Most texts need no positions, so these are computed when they are first used.

    Attributes:
        text: the text.
        texts: its words, lower case, apostrophes straightened.
        distinct: the set of these words.
        has_digits: whether there is a number in digits.

    Example:
        >>> words = TextWords("Isn’t it 0.5 mg?")
        >>> words.texts, words.starts
        (["isn't", 'it', '0.5', 'mg', '?'], [0, 6, 9, 13, 15])
    """

    __slots__ = ("_starts", "distinct", "has_digits", "text", "texts")

    def __init__(self, text: str) -> None:
        self.text = text
        self.texts: list[str] = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(fold(text))
        self.distinct = frozenset(self.texts)
        self.has_digits = _DIGIT.search(text) is not None
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """First character of each word."""
        if self._starts is None:
            self._starts = _starts(fold(self.text), self.texts)
        return self._starts

    def place(self, first: int, last: int) -> tuple[int, int]:
        """Return the first character of one word and the character after the end of another."""
        return self.starts[first], self.starts[last] + len(self.texts[last])


def read_words(text: str) -> list[Word]:
    """Split a text into words, numbers and marks, in order.

    Example:
        >>> [word.text for word in read_words("Isn’t it 0.5 mg?")]
        ["isn't", 'it', '0.5', 'mg', '?']
    """
    words = TextWords(text)
    return [
        Word(word, start, start + len(word), kind_of(word))
        for word, start in zip(words.texts, words.starts, strict=True)
    ]


def kind_of(word: str) -> str:
    """Return ``w`` for a word, ``n`` for a number and ``p`` for a mark, by the first character.

    Example:
        >>> kind_of("isn't"), kind_of("0.5"), kind_of("?")
        ('w', 'n', 'p')
    """
    first = word[0]
    if first.isalpha():
        return "w"
    return "n" if first.isdecimal() else "p"


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a lower-case English word to its stem (Snowball).

    References:
        Porter, "Snowball: a language for stemming algorithms", 2001.

    Example:
        >>> stem("connected") == stem("connection")
        True
    """
    if word[:1].isdecimal():
        return word
    return str(_OF_THREAD.stemmer.stemWord(word.removesuffix("'s")))


def fold(text: str) -> str:
    """Convert to lower case and straighten apostrophes; all characters keep their positions.

    Example:
        >>> fold("İt ISN’T")
        "it isn't"
    """
    if not text.isascii() or "`" in text or '"' in text:
        # İ is the one letter whose lower case is longer.
        text = _BETWEEN_LETTERS.sub("'", text).replace("İ", "i")
    return text.lower()


def same_but_for_marks(first: str, second: str) -> bool:
    """Tell whether two texts differ only in case, white space and marks.

    Marks between digits count as differences, because 1.5 is not 15; so do signs and units such as % and $.

    Example:
        >>> same_but_for_marks("It’s  OPEN.", "its open"), same_but_for_marks("1.5", "15")
        (True, False)
    """
    first, second = first.casefold(), second.casefold()
    # Letters are no marks, so counting some letters tells most different pairs apart at once.
    if any(first.count(letter) != second.count(letter) for letter in _FREQUENT_LETTERS):
        return False
    return all(left == right for left, right in zip_longest(_pieces(first), _pieces(second)))


def is_english_script(text: str) -> bool:
    """Tell whether at least four fifths of a text's letters are Latin or Greek (common in symbols).

    Example:
        >>> is_english_script("5 µg of β-blocker"), is_english_script("не подключён"), is_english_script("12")
        (True, False, True)
    """
    return text.isascii() or len(_NON_LATIN.findall(text)) <= _FOREIGN_SHARE * len(_LETTER.findall(text))


_FREQUENT_LETTERS = "etaoins"
_APOSTROPHES = str.maketrans(dict.fromkeys("'’`´\"“”‘"))
_PIECE = re.compile(
    r"[^\W\d_]+|(?:(?<![\w])[-−])?\d+(?:[.,:/^]\d+)*|[%‰°$€£¥<>=+±⁻⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔⅛⅜⅝⅞]|(?<=\d)[-–—−](?=\d)"
)


def _pieces(text: str) -> Iterator[str]:
    """Yield the parts of a text that count when marks are ignored."""
    return (match.group() for match in _PIECE.finditer(text.translate(_APOSTROPHES)))


def _starts(folded: str, texts: list[str]) -> list[int]:
    """Find the positions of successive words, which only blanks and underscores separate."""
    starts, end = [], 0
    for text in texts:
        start = folded.find(text, end)
        starts.append(start)
        end = start + len(text)
    return starts


_VOWELS = "aeiou"
_SHORTEST_REST = 4


class Side(NamedTuple):
    """The position of a word on an axis of opposites.

    Attributes:
        key: the axis, or the word's stem if it is on no axis.
        side: 1 or -1.
    """

    key: str
    side: int


@lru_cache(maxsize=65536)
def sides(word: str) -> tuple[Side, ...]:
    """Return a word's axes with its sides; a word on no axis forms its own, with its negated form as side -1.

    Args:
        word: the word in lower case.

    Example:
        >>> sides("systolic"), sides("diastolic")
        ((Side(key='medicine.0', side=1),), (Side(key='medicine.0', side=-1),))
        >>> sides("unlabeled")
        (Side(key='label', side=-1),)
    """
    listed = _lexicon().get(word)
    if listed:
        return listed
    opposed = _by_prefix(word)
    if opposed:
        return (opposed,)
    bare = bare_word(word)
    if bare in _lexicon():
        return tuple(Side(position.key, -position.side) for position in _lexicon()[bare])
    return (Side(base_stem(bare), -1),) if bare else (Side(base_stem(word), 1),)


def is_listed(word: str) -> bool:
    """Tell whether a word is on an axis of the lexicon."""
    return word in _lexicon()


def bare_word(word: str) -> str:
    """Remove the negating prefix un-, dis- or non- from a word; return "" if there is none.

    Example:
        >>> bare_word("unsafe"), bare_word("display"), bare_word("safe")
        ('safe', '', '')
    """
    for prefix in ("un", "dis", "non"):
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _SHORTEST_REST - (prefix == "un") and word not in _not_prefixed():
            return "" if stem(word) in _not_prefixed() else rest
    return ""


def regular_forms(word: str) -> set[str]:
    """Return the regular inflections of an English verb or adjective.

    Example:
        >>> sorted(regular_forms("reduce"))
        ['reduce', 'reduced', 'reducely', 'reducer', 'reduces', 'reducest', 'reducing']
    """
    if word.endswith("e"):
        endings = {word + ending for ending in ("s", "d", "r", "st", "ly")} | {word[:-1] + "ing"}
    elif word.endswith("y") and word[-2] not in _VOWELS:
        endings = {word[:-1] + ending for ending in ("ies", "ied", "ier", "iest", "ily")} | {word + "ing"}
    else:
        plural = "es" if word.endswith(("s", "sh", "ch", "x", "z")) else "s"
        endings = {word + ending for ending in (plural, "ed", "ing", "er", "est", "ly")}
    return endings | {word}


def base_stem(word: str) -> str:
    """Return a word's stem, for an irregular form of a verb that of its base form (paid, pay)."""
    return stem(_base_forms().get(word, word))


@cache
def _base_forms() -> dict[str, str]:
    """Return the base form for each irregular form of a verb."""
    listed = (line.split() for line in read_lexicon("irregular_verbs")["verbs"])
    return {form: base for base, *forms in listed for form in forms}


@cache
def _lexicon() -> dict[str, tuple[Side, ...]]:
    """Read the axes from the file: for every word its positions on all of its axes."""
    sides: dict[str, set[Side]] = {}
    for group, entry in read_lexicon("opposites").items():
        if group == "prefix":
            continue
        for number, line in enumerate(entry["sides"]):
            for side, words in zip((1, -1), line.split("|"), strict=True):
                for word in words.split():
                    forms = regular_forms(word[:-1]) if word.endswith("~") else {word}
                    for form in forms:
                        sides.setdefault(form, set()).add(Side(f"{group}.{number}", side))
    return {word: tuple(sorted(positions)) for word, positions in sides.items()}


@cache
def _prefixes() -> list[tuple[str, Side]]:
    """List the opposed prefixes; each pair forms an axis."""
    pairs = [line.split("|") for line in read_lexicon("opposites")["prefix"]["sides"]]
    return [
        (prefix.strip(), Side(f"prefix.{number}", side))
        for number, pair in enumerate(pairs)
        for side, prefix in zip((1, -1), pair, strict=True)
    ]


def _by_prefix(word: str) -> Side | None:
    for prefix, position in _prefixes():
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _SHORTEST_REST:
            return Side(f"{position.key}.{stem(rest)}", position.side)
    return None


@cache
def _not_prefixed() -> frozenset[str]:
    """Return the words that only seem to have a negating prefix, with their stems."""
    words = word_list("not_prefixed")
    return words | frozenset(stem(word) for word in words)


CONTENT, CONTENT_IN_PLACE, END, PRESENCE, ABSENCE, CUE = 1, 2, 4, 8, 16, 32
NEGATING = ABSENCE
"""The least flag of a negation: a text whose roles are all below it contains none."""

_ANSWERS = word_list("answers")
_BOUNDS = {"at": ("least", "most"), "or": ("more", "less", "fewer")}
_BOUND_WORDS = frozenset(word for words in _BOUNDS.values() for word in words)
_IN_PLACE = _ANSWERS | word_list("switches") | _BOUND_WORDS | {"too", "left", "even"}
_BEFORE_ANSWERS = "?:"
_COUNTED = ("number", "integer", "page", "digit", "row", "day")
_CUES = "forward", "forward_before", "weakening", "either_way", "after_hindering"
_ABSENCES = "backward_absent", "either_way", "participles"


@lru_cache(maxsize=65536)
def role_of(text: str) -> int:
    """Return the possible roles of a word in any position, as a sum of flags.

    Args:
        text: a word, number or mark in lower case.

    Example:
        >>> role_of("lamp") == CONTENT, role_of(";") == END, bool(role_of("isn't") & CUE)
        (True, True, True)
    """
    rules = rules_of_negation()
    is_word = text[0].isalpha()
    role = 0
    if text in _IN_PLACE:
        role |= CONTENT_IN_PLACE
    elif is_word and ((len(text) > 1 and text not in rules["stop"] and "'" not in text) or is_listed(text)):
        role |= CONTENT
    if any(text in rules[name] for name in _CUES) or text.endswith("n't"):
        role |= CUE
    if text in rules["clause_ends"] or text == "and" or not is_word:
        role |= END
    if any(text in rules[name] for name in _ABSENCES) or text == "out":
        role |= ABSENCE
    elif text in rules["backward_present"]:
        role |= PRESENCE
    return role


def is_content(texts: list[str], at: int) -> bool:
    """Tell whether a word that may be content or a small word is content in its place."""
    following = texts[at + 1] if at + 1 < len(texts) else ""
    if texts[at] in _BOUND_WORDS:
        return not (_is_bound(texts, at) or texts[at : at + 2] == ["most", "of"])
    if texts[at] == "too":
        return following in rules_of_negation()["too_little"]
    if texts[at] == "even":
        return following.startswith(_COUNTED)
    if texts[at] == "left":
        return following != "out"
    return is_answer(texts, at) if texts[at] in _ANSWERS else _is_switch(texts, at)


def is_answer(texts: Sequence[str], at: int) -> bool:
    """Tell whether a yes or no answers a question: "No, it is", "No it is", but not "No drug is safe".

    Example:
        >>> is_answer(["no", "it", "is"], 0), is_answer(["no", "drug", "is"], 0)
        (True, False)
    """
    if texts[at] not in _ANSWERS or (at and texts[at - 1] not in _BEFORE_ANSWERS):
        return False
    following = texts[at + 1] if at + 1 < len(texts) else "."
    return texts[at] != "no" or kind_of(following) == "p" or following in rules_of_negation()["subjects"]


@cache
def rules_of_negation() -> dict[str, dict[str, str]]:
    """Read the rules of negation; lists of words become dictionaries for fast look-up."""
    return {
        name: entry if isinstance(entry, dict) else dict.fromkeys(entry.split(), "")
        for name, entry in read_lexicon("negation").items()
    }


def _is_bound(texts: list[str], at: int) -> bool:
    """Tell whether a word belongs to a numeric bound: at least 5, 5 or more."""
    before = texts[at - 1] if at else ""
    return texts[at] in _BOUNDS.get(before, ())


def _is_switch(texts: list[str], at: int) -> bool:
    """Tell whether on, off, up or down describes a state and is no preposition."""
    ends = at + 1 == len(texts) or kind_of(texts[at + 1]) == "p" or texts[at + 1] in ("and", "or", "because")
    before = stem(texts[at - 1]) if at and kind_of(texts[at - 1]) == "w" else ""
    return ends or before in ("turn", "switch", "go", "goe", "went", "gone", "move")


_NO_VERB = 3
SENTENCE_ENDS = ".;:?!"
_LONGEST_SENTENCE = 100
"""The most words on either side of a word that count as its sentence, so that work is linear in the text."""
MOST_COMPARED = 50
"""The most phrases of a kind in a text that are compared with those of the other text, pair by pair."""
MOST_REPORTED = 200
"""The most numbers, or different names, that a text has and the other lacks that are reported."""


def clause_start(texts: Sequence[str], roles: Sequence[int], at: int) -> int:
    """Return the position where the clause of a word begins."""
    first = max(at - _LONGEST_SENTENCE, 0)
    before = range(at - 1, first - 1, -1)
    return next((end + 1 for end in before if roles[end] & END and ends_clause(texts, end)), first)


def sentence_end(texts: Sequence[str], at: int) -> int:
    """Return the position of the mark that ends the sentence of a word, or the number of words."""
    last = min(at + _LONGEST_SENTENCE, len(texts))
    return next((end for end in range(at, last) if texts[end] in SENTENCE_ENDS), last)


def sentence_start(texts: Sequence[str], at: int) -> int:
    """Return the position of the first word of a word's sentence."""
    first = max(at - _LONGEST_SENTENCE, 0)
    return next((end + 1 for end in range(at - 1, first - 1, -1) if texts[end] in SENTENCE_ENDS), first)


def begins_sentence(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word is the first of its sentence."""
    return at == 0 or texts[at - 1] in SENTENCE_ENDS


def ends_clause(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word or mark ends a clause.

    Example:
        >>> ends_clause(["no", "fever", ",", "so", "rest"], 2)
        True
        >>> ends_clause(["no", "fever", ",", "chills", "or", "cough"], 2)
        False
    """
    text = texts[at]
    if kind_of(text) == "p":
        return text in ".;:?!()" or (text == "," and not _is_list(texts, at))
    if text == "and":
        following = texts[at + 1] if at + 1 < len(texts) else "."
        return kind_of(following) != "w" or following in rules_of_negation()["clause_starts"]
    return text in rules_of_negation()["clause_ends"]


def _is_list(texts: Sequence[str], at: int) -> bool:
    """Tell whether a comma is part of a list that ends in "or": no fever, chills, or cough."""
    ahead, ends = texts[at + 1 : at + 9], rules_of_negation()["clause_ends"]
    stops = [position for position, text in enumerate(ahead) if text in ".;:?!" or text in ends]
    ahead = ahead[: stops[0]] if stops else ahead
    return "or" in ahead[: _NO_VERB + 1] or ("," in ahead[:_NO_VERB] and "or" in ahead)
