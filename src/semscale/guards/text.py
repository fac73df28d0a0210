"""Parsed texts for the guards: words, phrases and negations, and the content that two texts share."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import product, zip_longest
from typing import Any, NamedTuple

from semscale.guards.findings import Span
from semscale.guards.words import (
    ABSENCE,
    CUE,
    MOST_COMPARED,
    RECENT_TEXTS,
    RECENT_WORDS,
    base_stem,
    denies_before,
    denies_next,
    is_answer,
    kind_of,
    read_lexicon,
    role_of,
    rules_of_negation,
    word_list,
)

_TOKEN = re.compile(r"[^\W\d_]+(?:'(?:t|s|re|ve|ll|d|m)\b)?|\d+(?:[.,]\d+)*|[^\w\s]")
_ASCII_TOKEN = re.compile(_TOKEN.pattern, re.ASCII)
"""The same pattern for ASCII texts; it is a third faster."""
_DIGIT = re.compile(r"\d")
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])[’`\"´](?=(?:[tT]|[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])\b)")
_LETTER = re.compile(r"[^\W\d_]")
_NON_LATIN = re.compile(r"[^\W\d_\u0000-\u024f\u0370-\u03ff\u1e00-\u1eff\u2070-\u218f]")
_FOREIGN_SHARE = 0.2
_CONDITIONAL_LINKS = ("without", "unless")
_ANSWERS = word_list("answers")
_CAPITAL_LETTER = re.compile(r"[A-HJ-Z](?<!\w[A-Z])(?!\w)")
_CERTAIN_LETTER = re.compile(
    r"[B-HJ-Z](?<!\w[A-Z])(?!\w)|A(?<!\wA)(?=$|[.,)?]|['’]s\b|\s(?:is|was|has|and|or|to|than)\b)"
)


class Cue(NamedTuple):
    """A phrase in a text.

    Attributes:
        kind: the phrase's class.
        first: position of its first word.
        last: position of its last word.
    """

    kind: str
    first: int
    last: int


class Text:
    """A text with its words, phrases and content; other properties are computed at their first use.

    Attributes:
        source: the text as it is written.
        is_english_script: whether most letters are Latin (see ``is_english_script``).
        words: its words, numbers and marks in order, in lower case, with straight apostrophes; none if its
            letters are not Latin.
        distinct: the set of these words.
        has_digits: whether it has a number in digits.
        roles: the possible roles of each word (see ``role_of``).
        content: stems of content words and numbers by their positions, in order.
        cues: its phrases in order, by guard.

    Examples:
        >>> text = Text("Isn’t it 0.5 mg?")
        >>> text.words, text.starts
        (["isn't", 'it', '0.5', 'mg', '?'], [0, 6, 9, 13, 15])
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.is_english_script = is_english_script(source)
        self.lower = fold(source)
        self.words = _tokens(source, self.lower) if self.is_english_script else []
        self.distinct = frozenset(self.words)
        self.has_digits = _DIGIT.search(source) is not None
        self.roles = list(map(role_of, self.words))
        stems = map(_content_stem, self.words)
        self.content = {at: stem for at, stem in enumerate(stems) if stem is not None}
        self.cues = phrase_reader().read(self.words)
        if not self.distinct.isdisjoint(_ANSWERS):  # the answer in "No. It rains" is no quantity
            self.cues["quantity"] = [cue for cue in self.cues["quantity"] if not self._is_answer(cue)]

    @cached_property
    def starts(self) -> list[int]:
        """Position of the first character of each word."""
        return _starts(self.lower, self.words)

    def characters(self, first: int, last: int) -> tuple[int, int]:
        """Return the positions of the first character of one word and of the character after another word."""
        return self.starts[first], self.starts[last] + len(self.words[last])

    def span(self, first: int, last: int) -> Span:
        """Return the span of the words from the first to the last position, both included."""
        return self.span_at(*self.characters(first, last))

    def span_at(self, start: int, end: int) -> Span:
        """Return the span from one character to another, without the latter."""
        return Span(start, end, self.source[start:end])

    def _is_answer(self, cue: Cue) -> bool:
        return cue.first == cue.last and is_answer(self.words, cue.first)

    def cue_at(self, guard: str, position: int) -> Cue | None:
        """Return the phrase of a guard that contains a word; ``None`` if there is none."""
        return self._cues_by_position[guard].get(position)

    @cached_property
    def _cues_by_position(self) -> dict[str, dict[int, Cue]]:
        return {
            guard: {at: cue for cue in cues for at in range(cue.first, cue.last + 1)}
            for guard, cues in self.cues.items()
        }

    @cached_property
    def denying(self) -> frozenset[int]:
        """Positions of the words that negate the words after or before them."""
        words = self.words
        return frozenset(
            at
            for at, role in enumerate(self.roles)
            if role & (CUE | ABSENCE) and (denies_next(words, at) or denies_before(words, at) is not None)
        )

    @cached_property
    def denials(self) -> frozenset[int]:
        """Positions of its negations, without idle ones such as "nobody but"."""
        return frozenset(
            at
            for at in self.denying
            if self.words[at] not in _CONDITIONAL_LINKS and not self.cue_at("exclusivity", at)
        )

    @cached_property
    def letters(self) -> frozenset[int]:
        """Positions of capital letters that name something: node A, B's parent.

        An A before a word counts only if the text has another such letter.
        """
        if not _CERTAIN_LETTER.search(self.source):
            return frozenset()
        letters = {match.start() for match in _CAPITAL_LETTER.finditer(self.source)}
        return frozenset(at for at, start in enumerate(self.starts) if start in letters)

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of occurrences of each stem of the content."""
        return Counter(self.content.values())

    @cached_property
    def figures(self) -> set[str]:
        """Numbers in digits."""
        return {word for word in self.distinct if word[0].isdecimal()} if self.has_digits else set()

    def stems(self, positions: range) -> set[str]:
        """Return the stems of content words at some positions."""
        content = self.content
        return {content[at] for at in positions if at in content}


@lru_cache(maxsize=RECENT_TEXTS)
def read_text(source: str) -> Text:
    """Parse a text; recent texts are cached with all their computed properties.

    Examples:
        >>> read_text("Take 5 mg.").words
        ['take', '5', 'mg', '.']
    """
    return Text(source)


def comparable(prediction: Text, reference: Text) -> bool:
    """Tell whether guards check a pair: its texts differ, and both are in Latin letters."""
    return (
        prediction.source != reference.source and prediction.is_english_script and reference.is_english_script
    )


@lru_cache(maxsize=512)
def differ(prediction: Text, reference: Text) -> bool:
    """Tell whether a pair differs in more than case, white space and marks; otherwise nothing is reported.

    Guards call this check last, because it takes longer than most of their searches.
    """
    return not same_but_for_marks(prediction.source, reference.source)


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


def read_words(source: str) -> list[Word]:
    """Split a text in any script into words, numbers and marks, in order.

    Examples:
        >>> [word.text for word in read_words("Isn’t it 0.5 mg?")]
        ["isn't", 'it', '0.5', 'mg', '?']
    """
    lower = fold(source)
    words = _tokens(source, lower)
    return [
        Word(word, start, start + len(word), kind_of(word))
        for word, start in zip(words, _starts(lower, words), strict=True)
    ]


def _tokens(source: str, lower: str) -> list[str]:
    return (_ASCII_TOKEN if source.isascii() else _TOKEN).findall(lower)


def _starts(lower: str, words: Sequence[str]) -> list[int]:
    """Find the positions of successive words, which only blanks and underscores separate."""
    starts, end = [], 0
    for word in words:
        start = lower.find(word, end)
        starts.append(start)
        end = start + len(word)
    return starts


def fold(text: str) -> str:
    """Convert to lower case and straighten apostrophes; all characters keep their positions.

    Examples:
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

    Examples:
        >>> same_but_for_marks("It’s  OPEN.", "its open"), same_but_for_marks("1.5", "15")
        (True, False)
    """
    first, second = first.casefold(), second.casefold()
    # Counting a few letters quickly tells most different pairs apart, as letters are not marks.
    if any(first.count(letter) != second.count(letter) for letter in _FREQUENT_LETTERS):
        return False
    return all(left == right for left, right in zip_longest(_pieces(first), _pieces(second)))


def is_english_script(text: str) -> bool:
    """Tell whether at least four fifths of a text's letters are Latin or Greek (common in symbols).

    Examples:
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
    """Yield the parts of a text that are compared when marks are ignored."""
    return (match.group() for match in _PIECE.finditer(text.translate(_APOSTROPHES)))


@lru_cache(maxsize=RECENT_WORDS)
def _content_stem(word: str) -> str | None:
    """Return the stem of a content word or number; ``None`` for small words and marks."""
    return None if word in rules_of_negation()["stop"] or kind_of(word) == "p" else base_stem(word)


def similarity(left: Text, right: Text, guard: str) -> float:
    """Return the share of content words that two texts have in common, without the guard's phrases (Dice).

    The share is twice the number of common words, divided by the number of words in both texts.

    Returns:
        0 to 1; 0 for texts without content.

    Examples:
        >>> similarity(Text("Only admins may log in"), Text("Admins may log in too"), "exclusivity")
        1.0
    """
    first, second = _other_content(left, guard), _other_content(right, guard)
    return 2 * _n_common(first, second) / ((len(first) + len(second)) or 1)


def coverage(left: Text, right: Text, guard: str) -> float:
    """Return the share of the shorter text's content words that the longer has, without the guard's phrases.

    Returns:
        0 to 1; 0 if one of the texts has no content.
    """
    first, second = _other_content(left, guard), _other_content(right, guard)
    return _n_common(first, second) / (min(len(first), len(second)) or 1)


def alignment(left: Text, right: Text, guard: str) -> float:
    """Return the share of content words that two texts have in the same order, without the guard's phrases.

    The share is twice the length of the longest common subsequence, divided by the number of words in both
    texts. An inserted word keeps the order; rewording seldom does.

    Returns:
        0 to 1; 0 for texts without content.

    References:
        Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.

    Examples:
        >>> alignment(Text("Perhaps the cache is stale"), Text("The stale cache"), "certainty")
        0.5
    """
    first, second = _other_content(left, guard), _other_content(right, guard)
    return 2 * _longest_common(first, second) / ((len(first) + len(second)) or 1)


def _other_content(text: Text, guard: str) -> list[str]:
    """Return the stems of content words outside the guard's phrases, in order."""
    covered = {at for cue in text.cues[guard] for at in range(cue.first, cue.last + 1)}
    return [stem for at, stem in text.content.items() if at not in covered]


def _n_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the words that two lists have in common; a repeated word counts as often as both have it."""
    remaining = Counter(first)
    common = 0
    for stem in second:
        if remaining[stem] > 0:
            remaining[stem] -= 1
            common += 1
    return common


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence; a zero bit marks each word of it."""
    positions: dict[str, int] = {}
    for at, stem in enumerate(first):
        positions[stem] = positions.get(stem, 0) | 1 << at
    every = row = (1 << len(first)) - 1
    for stem in second:
        shared = row & positions.get(stem, 0)
        row = ((row + shared) | (row - shared)) & every
    return len(first) - row.bit_count()


def most_shared(left: Text, right: Text) -> int:
    """Return an upper bound for the number of content words that two texts have in common."""
    first, second = left.counts, right.counts
    repeated = min(len(left.content) - len(first), len(right.content) - len(second))
    return len(first.keys() & second.keys()) + repeated


_ALTERNATIVE = "alternative"
_LEAST_ALIKE = 0.85


def find_exchanged_alternatives(left: Text, right: Text, groups: Iterable[str]) -> tuple[Cue, Cue] | None:
    """Find two phrases of one group that replace each other in texts that are otherwise nearly alike.

    An example is "wet in summer, dry in winter" and "wet in winter, dry in summer".

    Args:
        left: a text.
        right: the other text.
        groups: the groups of phrases to compare: ``excess``, ``season`` or ``span``.

    Returns:
        The phrases; ``None`` if there are none, or if the texts have other numbers or other words.
    """
    here, there = left.cues[_ALTERNATIVE][:MOST_COMPARED], right.cues[_ALTERNATIVE][:MOST_COMPARED]
    changed = [
        (first, second)
        for first, second in zip(here, there, strict=False)
        if first.kind != second.kind and _group_of(first) == _group_of(second) in groups
    ]
    if len(here) != len(there) or not changed or _lists(left, changed) or left.figures != right.figures:
        return None
    return changed[0] if alignment(left, right, _ALTERNATIVE) >= _LEAST_ALIKE else None


def _group_of(cue: Cue) -> str:
    return cue.kind.partition("-")[0]


def _lists(text: Text, changed: Sequence[tuple[Cue, Cue]]) -> bool:
    """Tell whether exchanged phrases are only parts of a list: "in summer and autumn"."""
    if len(changed) == 1:
        return False
    first, second = changed[0][0], changed[1][0]
    return not text.stems(range(first.last + 1, second.first))


def kinds_of(cues: Iterable[Cue]) -> set[str]:
    """Return the classes of some phrases."""
    return {cue.kind for cue in cues}


def first_of(cues: Sequence[Cue], kinds: Iterable[str]) -> Cue | None:
    """Return the first phrase of one of some classes; ``None`` if there is none."""
    wanted = set(kinds)
    return next((cue for cue in cues if cue.kind in wanted), None)


HARMLESS = "harmless"
_ANY, _SOME = "_", ".."
_GROUPS = "groups"
_LONGEST_GAP = 4
_CONDITIONAL_LINKS = ("without", "unless")

PHRASE_GUARDS = ("quantity", "certainty", "exclusivity", "order", "condition", "alternative")
"""Names of the files with phrases: those of the guards, and the alternatives for the guard of opposites."""

Pattern = tuple[frozenset[str] | str, ...]


class _Phrase(NamedTuple):
    """A phrase of which the first word, or the first two words, are in the text.

    Attributes:
        guard: the guard to which it belongs.
        kind: its class.
        n_matched: how many of its words match.
        rest: the pattern of the words that follow these.
    """

    guard: str
    kind: str
    n_matched: int
    rest: Pattern


class PhraseReader:
    """Reads the phrases of several guards in one pass over a text.

    Args:
        lexicons: for each guard its classes with lines of phrases, separated by commas, and under ``groups``
            the words of each group.

    Examples:
        >>> lexicon = {"hedged": ["<be> said to"], "harmless": ["said so"], "groups": {"be": "is was"}}
        >>> PhraseReader({"certainty": lexicon}).read("it was said to work".split())
        {'certainty': [Cue(kind='hedged', first=1, last=3)]}
    """

    def __init__(self, lexicons: Mapping[str, Mapping[str, Any]]) -> None:
        self._guards = tuple(lexicons)
        # Phrases by first and second word; under "" the phrases with any second word.
        self._phrases: dict[str, dict[str, list[_Phrase]]] = {}
        for guard, lexicon in lexicons.items():
            for kind, lines in lexicon.items():
                if kind != _GROUPS:
                    self._add(guard, kind, ",".join(lines), lexicon.get(_GROUPS, {}))
        for by_second in self._phrases.values():
            for second in by_second.keys() - {""}:
                by_second[second] = by_second[""] + by_second[second]

    def _add(self, guard: str, kind: str, phrases: str, groups: Mapping[str, str]) -> None:
        for phrase in phrases.split(","):
            first, *rest = (_piece(piece, groups) for piece in phrase.split())
            has_second = bool(rest) and isinstance(rest[0], frozenset)
            entry = _Phrase(guard, kind, 1 + has_second, tuple(rest[has_second:]))
            for word, second in product(first, rest[0] if has_second else ("",)):
                self._phrases.setdefault(word, {"": []}).setdefault(second, []).append(entry)

    def read(self, words: Sequence[str]) -> dict[str, list[Cue]]:
        """Return the phrases of each guard among the words of a text, in order, without harmless ones."""
        cues: dict[str, list[Cue]] = {guard: [] for guard in self._guards}
        free_from = dict.fromkeys(self._guards, 0)
        for at, by_second in enumerate(map(self._phrases.get, words)):
            if by_second is None:
                continue
            following = words[at + 1] if at + 1 < len(words) else ""
            for guard, cue in _longest(words, at, by_second.get(following, by_second[""])).items():
                if at >= free_from[guard]:
                    free_from[guard] = cue.last + 1
                    cues[guard] += [cue] * (cue.kind != HARMLESS)
        return cues


@cache
def phrase_reader() -> PhraseReader:
    """Return the reader of the phrases of all guards, from ``<guard>.toml``."""
    return PhraseReader({guard: read_lexicon(guard) for guard in PHRASE_GUARDS})


def _piece(piece: str, groups: Mapping[str, str]) -> frozenset[str] | str:
    if piece in (_ANY, _SOME):
        return piece
    return frozenset(groups[piece[1:-1]].split() if piece.startswith("<") else (piece,))


def _longest(words: Sequence[str], at: int, phrases: Iterable[_Phrase]) -> dict[str, Cue]:
    """Return, for each guard, the longest one of some phrases that begin at a position."""
    longest: dict[str, Cue] = {}
    for guard, kind, n_matched, rest in phrases:
        end = _end(words, at + n_matched, rest) if rest else at + n_matched
        if end is not None and (guard not in longest or end - 1 > longest[guard].last):
            longest[guard] = Cue(kind, at, end - 1)
    return longest


def _end(words: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Return the position after the words that match a pattern; ``None`` if they do not."""
    for number, piece in enumerate(pattern):
        if piece == _SOME:
            return _end_after_gap(words, at, pattern[number + 1 :])
        if at == len(words) or not (kind_of(words[at]) == "w" if piece == _ANY else words[at] in piece):
            return None
        at += 1
    return at


def _end_after_gap(words: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Return the position after the words that match a pattern after a gap; ``None`` if none do."""
    behind = pattern[0] if pattern else _ANY
    if isinstance(behind, frozenset) and behind.isdisjoint(words[at + 1 : at + 1 + _LONGEST_GAP]):
        return None
    gaps = range(1, 1 + _length_of_gap(words, at))
    return next((end for gap in gaps if (end := _end(words, at + gap, pattern)) is not None), None)


def _length_of_gap(words: Sequence[str], at: int) -> int:
    ahead = words[at : at + _LONGEST_GAP]
    return next((position for position, word in enumerate(ahead) if kind_of(word) == "p"), len(ahead))
