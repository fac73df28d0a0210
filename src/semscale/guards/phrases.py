"""Phrases and negations in texts, and the wording that two texts share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise, product, takewhile
from typing import Any, NamedTuple

from semscale.guards.words import (
    ABSENCE,
    CUE,
    MOST_COMPARED,
    TextWords,
    base_stem,
    begins_sentence,
    is_answer,
    kind_of,
    read_lexicon,
    role_of,
    rules_of_negation,
    sentence_end,
    sentence_start,
)

HARMLESS = "harmless"
_ANY, _SOME = "_", ".."
_GROUPS = "groups"
_LONGEST_GAP = 4
_CONDITIONAL_LINKS = ("without", "unless")

PHRASE_GUARDS = ("quantity", "certainty", "exclusivity", "order", "condition", "alternative")
"""The guards that have phrases, and the book of alternatives that the guard of opposites compares."""

Pattern = tuple[frozenset[str] | str, ...]


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


class _Phrase(NamedTuple):
    """A phrase whose first word, or first two words, are in the text.

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
        lexicons: for each guard its classes, each with its phrases, several in a line with commas between
            them, and under ``groups`` the words of each group.

    Example:
        >>> lexicon = {"hedged": ["<be> said to"], "harmless": ["said so"], "groups": {"be": "is was"}}
        >>> PhraseReader({"certainty": lexicon}).read(TextWords("It was said to work"))
        {'certainty': [Cue(kind='hedged', first=1, last=3)]}
    """

    def __init__(self, lexicons: Mapping[str, Mapping[str, Any]]) -> None:
        self._guards = tuple(lexicons)
        # By the first word and, where it is a certain one, by the second.
        self._phrases: dict[str, dict[str, list[_Phrase]]] = {}
        for guard, lexicon in lexicons.items():
            for kind, lines in lexicon.items():
                if kind != _GROUPS:
                    self._add(guard, kind, ",".join(lines), lexicon.get(_GROUPS, {}))

    def _add(self, guard: str, kind: str, phrases: str, groups: Mapping[str, str]) -> None:
        for phrase in phrases.split(","):
            first, *rest = (_piece(piece, groups) for piece in phrase.split())
            has_second = bool(rest) and isinstance(rest[0], frozenset)
            entry = _Phrase(guard, kind, 1 + has_second, tuple(rest[has_second:]))
            for word, second in product(first, rest[0] if has_second else ("",)):
                self._phrases.setdefault(word, {}).setdefault(second, []).append(entry)

    def read(self, words: TextWords) -> dict[str, list[Cue]]:
        """Return the phrases of each guard in a text, in their order, without harmless ones."""
        cues: dict[str, list[Cue]] = {guard: [] for guard in self._guards}
        if self._phrases.keys().isdisjoint(words.distinct):
            return cues
        free_from = dict.fromkeys(self._guards, 0)
        texts = words.texts
        for at, text in enumerate(texts):
            by_second = self._phrases.get(text)
            if by_second is None:
                continue
            following = texts[at + 1] if at + 1 < len(texts) else ""
            if "" not in by_second and following not in by_second:
                continue
            for guard, cue in _longest(texts, at, by_second, following).items():
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


def _longest(
    texts: Sequence[str], at: int, by_second: Mapping[str, Sequence[_Phrase]], following: str
) -> dict[str, Cue]:
    """Return the longest phrase of each guard that begins at a position."""
    longest: dict[str, Cue] = {}
    for guard, kind, n_matched, rest in chain(by_second.get("", ()), by_second.get(following, ())):
        end = _end(texts, at + n_matched, rest) if rest else at + n_matched
        if end is not None and (guard not in longest or end - 1 > longest[guard].last):
            longest[guard] = Cue(kind, at, end - 1)
    return longest


def _end(texts: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Return the position after the words that match a pattern; ``None`` if they do not."""
    for number, piece in enumerate(pattern):
        if piece == _SOME:
            return _end_after_gap(texts, at, pattern[number + 1 :])
        if at == len(texts) or not (kind_of(texts[at]) == "w" if piece == _ANY else texts[at] in piece):
            return None
        at += 1
    return at


def _end_after_gap(texts: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Return the position after the words that match a pattern behind a gap; ``None`` if none do."""
    behind = pattern[0] if pattern else _ANY
    if isinstance(behind, frozenset) and behind.isdisjoint(texts[at + 1 : at + 1 + _LONGEST_GAP]):
        return None
    gaps = range(1, 1 + _length_of_gap(texts, at))
    return next((end for gap in gaps if (end := _end(texts, at + gap, pattern)) is not None), None)


def _length_of_gap(texts: Sequence[str], at: int) -> int:
    ahead = texts[at : at + _LONGEST_GAP]
    return next((position for position, text in enumerate(ahead) if kind_of(text) == "p"), len(ahead))


class Wording:
    """A text's cues, denials and the stems of its content words, each computed when it is first needed.

    Args:
        words: the words of the text.
    """

    __slots__ = ("_by_position", "_content", "_counts", "_cues", "_denials", "_denying", "words")

    def __init__(self, words: TextWords) -> None:
        self.words = words
        self._cues: dict[str, list[Cue]] | None = None
        self._content: dict[int, str] | None = None
        self._counts: Counter[str] | None = None
        self._denying: frozenset[int] | None = None
        self._denials: frozenset[int] | None = None
        self._by_position: dict[str, dict[int, Cue]] = {}

    def cues(self, guard: str) -> list[Cue]:
        """Return the phrases of a guard in the text."""
        if self._cues is None:
            self._cues = phrase_reader().read(self.words)
        return self._cues[guard]

    def cue_at(self, guard: str, position: int) -> Cue | None:
        """Return the phrase of a guard that contains a word, if any."""
        if guard not in self._by_position:
            self._by_position[guard] = {
                at: cue for cue in self.cues(guard) for at in range(cue.first, cue.last + 1)
            }
        return self._by_position[guard].get(position)

    @property
    def denials(self) -> frozenset[int]:
        """Positions of its negations, without "nobody but" and the like, which deny nothing."""
        if self._denials is None:
            self._denials = frozenset(
                at
                for at in self.denying
                if self.words.texts[at] not in _CONDITIONAL_LINKS and not self.cue_at("exclusivity", at)
            )
        return self._denials

    @property
    def denying(self) -> frozenset[int]:
        """Positions of the words that negate what comes after or before them."""
        if self._denying is None:
            texts = self.words.texts
            self._denying = frozenset(
                at
                for at, text in enumerate(texts)
                # Other words negate in no place.
                if role_of(text) & (CUE | ABSENCE)
                and (denies_next(texts, at) or denies_before(texts, at) is not None)
            )
        return self._denying

    @property
    def content(self) -> dict[int, str]:
        """Stems of content words and numbers by their positions, in order."""
        if self._content is None:
            self._content = {
                at: stem
                for at, text in enumerate(self.words.texts)
                if (stem := _content_stem(text)) is not None
            }
        return self._content

    @property
    def counts(self) -> Counter[str]:
        """Number of occurrences of each stem of the content."""
        if self._counts is None:
            self._counts = Counter(self.content.values())
        return self._counts

    @property
    def figures(self) -> set[str]:
        """Its numbers in digits."""
        return {text for text in self.words.distinct if text[0].isdecimal()}

    def stems(self, first: int, end: int) -> set[str]:
        """Return the stems of content words from one position up to, without, another."""
        content = self.content
        return {content[at] for at in range(first, end) if at in content}


@lru_cache(maxsize=65536)
def _content_stem(text: str) -> str | None:
    """Return the stem of a content word or number; ``None`` for small words and marks."""
    return None if text in rules_of_negation()["stop"] or kind_of(text) == "p" else base_stem(text)


def similarity(left: Wording, right: Wording, guard: str) -> float:
    """Return the share of content words that two texts have in common, apart from the guard's cues (Dice).

    Twice the number of common words, over the number of words in both.

    Returns:
        0 to 1; 0 for texts without content.

    Example:
        >>> texts = "Only admins may log in", "Admins may log in too"
        >>> similarity(*(Wording(TextWords(text)) for text in texts), "exclusivity")
        1.0
    """
    first, second = _apart_from(left, guard), _apart_from(right, guard)
    shared = (first & second).total()
    return 2 * shared / ((first.total() + second.total()) or 1)


def coverage(left: Wording, right: Wording, guard: str) -> float:
    """Return the share of the shorter text's content words that the longer one has, apart from cues.

    Returns:
        0 to 1; 0 if one of the texts has no content.
    """
    first, second = _apart_from(left, guard), _apart_from(right, guard)
    return (first & second).total() / (min(first.total(), second.total()) or 1)


def alignment(left: Wording, right: Wording, guard: str) -> float:
    """Return the share of content words that two texts have in common in the same order, apart from cues.

    Twice the length of the longest common subsequence, over the number of words in both. A word put in
    keeps the order; rewording seldom does.

    Returns:
        0 to 1; 0 for texts without content.

    References:
        Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.

    Example:
        >>> texts = "Perhaps the cache is stale", "The stale cache"
        >>> alignment(*(Wording(TextWords(text)) for text in texts), "certainty")
        0.5
    """
    first, second = _row_apart_from(left, guard), _row_apart_from(right, guard)
    return 2 * _longest_common(first, second) / ((len(first) + len(second)) or 1)


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


def most_shared(left: Wording, right: Wording) -> int:
    """Return an upper bound for the number of content words that two texts have in common."""
    first, second = left.counts, right.counts
    repeated = min(len(left.content) - len(first), len(right.content) - len(second))
    return len(first.keys() & second.keys()) + repeated


_ALTERNATIVE = "alternative"
_LEAST_ALIKE = 0.85


def exchanged_alternatives(left: Wording, right: Wording, groups: Iterable[str]) -> tuple[Cue, Cue] | None:
    """Find two phrases of one group in each other's place in texts that are otherwise nearly alike.

    "Twice per day" and "twice per week"; "wet in summer, dry in winter" and "wet in winter, dry in summer".

    Args:
        left: a text.
        right: the other text.
        groups: the groups of phrases to compare: ``rate``, ``excess``, ``season`` or ``span``.

    Returns:
        The phrases; ``None`` if there are none, or if the texts have other numbers or other words.
    """
    here, there = left.cues(_ALTERNATIVE)[:MOST_COMPARED], right.cues(_ALTERNATIVE)[:MOST_COMPARED]
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


def _lists(wording: Wording, changed: Sequence[tuple[Cue, Cue]]) -> bool:
    """Tell whether phrases that changed places only follow each other: "in summer and autumn"."""
    if len(changed) == 1:
        return False
    first, second = changed[0][0], changed[1][0]
    return not wording.stems(first.last + 1, second.first)


def kinds_of(cues: Iterable[Cue]) -> set[str]:
    """Return the classes of some cues."""
    return {cue.kind for cue in cues}


def first_of(cues: Sequence[Cue], kinds: Iterable[str]) -> Cue | None:
    """Return the first cue of some classes."""
    wanted = set(kinds)
    return next((cue for cue in cues if cue.kind in wanted), None)


def _apart_from(wording: Wording, guard: str) -> Counter[str]:
    content, covered = wording.content, _covered(wording, guard)
    return wording.counts - Counter(content[at] for at in covered) if covered else wording.counts


def _row_apart_from(wording: Wording, guard: str) -> list[str]:
    covered = _covered(wording, guard)
    return [stem for at, stem in wording.content.items() if at not in covered]


def _covered(wording: Wording, guard: str) -> frozenset[int]:
    """Return the positions of content words that are part of a guard's cues."""
    content = wording.content
    return frozenset(
        at for cue in wording.cues(guard) for at in range(cue.first, cue.last + 1) if at in content
    )


_GERUND = "-ing"
_SHORTEST_GERUND = 5
_BETWEEN_PASSIVE = 3
_LONGEST_HINDERED = 5
_FARTHEST_BUT = 3
_FARTHEST_BOUND = 4


def denies_next(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word negates the words after it.

    Example:
        >>> denies_next("you omitted the label".split(), 1), denies_next("it was omitted here".split(), 2)
        (True, False)
    """
    rules, text = rules_of_negation(), texts[at]
    if text in rules["either_way"]:
        return _has_object(texts, at)
    if text in rules["after_hindering"]:
        return any(
            _hinders(texts, before, at) for before in range(max(at - _LONGEST_HINDERED - 1, 0), at - 1)
        )
    if (text in rules["participles"] and _is_passive(texts, at)) or _is_completed(texts, at):
        return False
    if text in rules["forward_before"]:
        return _is_followed_as_asked(_following(texts, at), rules["forward_before"][text].split())
    return (text in rules["forward"] or text.endswith("n't")) and not _is_idle(texts, at)


def denies_before(texts: Sequence[str], at: int) -> int | None:
    """Find the first word of a phrase that ends here and negates what comes before it in the clause.

    Returns:
        The position of that word; ``None`` if there is no such phrase.

    Example:
        >>> denies_before("fever is absent".split(), 2), denies_before("fever was not ruled out".split(), 4)
        (2, 3)
    """
    rules, text = rules_of_negation(), texts[at]
    if text == "out":
        is_phrase = at and texts[at - 1] in rules["out_after"] and _is_passive(texts, at - 1)
        return at - 1 if is_phrase else None
    if text in rules["either_way"]:
        return None if _has_object(texts, at) else at
    if text in rules["unnoticed"] and _following(texts, at) == "by":
        return None
    if text in rules["participles"]:
        return at if text not in rules["out_after"] and _is_passive(texts, at) else None
    return at if text in rules["backward_absent"] else None


def weakens_next(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word leaves open whether there is any of what follows: few tests, but not a few tests.

    Example:
        >>> weakens_next(["few", "tests"], 0), weakens_next(["a", "few", "tests"], 1)
        (True, False)
    """
    rules, text = rules_of_negation(), texts[at]
    before, following = texts[at - 1] if at else "", _following(texts, at)
    if text not in rules["weakening"]:
        return False
    if text in ("hard", "difficult"):
        return following == "to"
    if text == "more":
        return before in rules["wishing"] or (
            before == "be" and at > 1 and texts[at - 2] in rules["advising"]
        )
    if before == "a":
        return at > 1 and texts[at - 2] == "only"
    return before != "not" and before not in rules["definite"]


def _following(texts: Sequence[str], at: int) -> str:
    return texts[at + 1] if at + 1 < len(texts) else ""


def _is_completed(texts: Sequence[str], at: int) -> bool:
    """Tell whether a verb has its "from" behind an object, and so leaves that object alone."""
    if texts[at] not in rules_of_negation()["hindering"]:
        return False
    last = min(at + _LONGEST_HINDERED + 1, len(texts) - 1)
    return any(texts[end] == "from" and _hinders(texts, at, end) for end in range(at + 2, last + 1))


def _hinders(texts: Sequence[str], at: int, end: int) -> bool:
    """Tell whether a verb and "from" embrace an object, and a gerund follows: keep the loop from running."""
    between, following = texts[at + 1 : end], _following(texts, end)
    return (
        texts[at] in rules_of_negation()["hindering"]
        and _is_gerund(following)
        and all(text[0].isalpha() and text not in rules_of_negation()["hindering"] for text in between)
    )


def _is_idle(texts: Sequence[str], at: int) -> bool:
    """Tell whether the words beside a negation keep it from negating: not only, no. 5, whether or not."""
    rules, text, following = rules_of_negation(), texts[at], _following(texts, at)
    if following in rules["pseudo"].get(text, "").split():
        return True
    idle_no = text == "no" and _is_idle_no(texts, at)
    idle_not = text == "not" and at > 0 and _is_idle_not(texts, at)
    return idle_no or idle_not or _sets_bound(texts, at) or _leaves_exception(texts, at)


def _is_idle_no(texts: Sequence[str], at: int) -> bool:
    """Tell whether "no" stands before no word, answers, or begins "no other is as good"."""
    following = _following(texts, at)
    if not following[:1].isalpha() or is_answer(texts, at):
        return True
    return following == "other" and begins_sentence(texts, at)


def _is_idle_not(texts: Sequence[str], at: int) -> bool:
    """Tell whether "not" leaves a question open ("whether or not") or repeats a denial (", not even you")."""
    repeats = _following(texts, at) == "even" and texts[at - 1] == ","
    return repeats or texts[at - 1] in rules_of_negation()["idle_after"]


def _sets_bound(texts: Sequence[str], at: int) -> bool:
    """Tell whether a negation with "more than" close behind sets a bound: do not take more than one."""
    text, bounded = texts[at], rules_of_negation()["bounded"]
    farthest = 1 if text == "no" else _FARTHEST_BOUND
    if text not in ("no", "not") and not text.endswith("n't"):
        return False
    ahead = list(takewhile(lambda word: word[0].isalpha(), texts[at + 1 : at + 2 + farthest]))
    return any(word in bounded and following == "than" for word, following in pairwise(ahead))


def _leaves_exception(texts: Sequence[str], at: int) -> bool:
    """Tell whether all but an exception is denied, and the exception affirmed: nothing except the logo."""
    rules = rules_of_negation()
    if texts[at] not in rules["no_others"] and texts[at : at + 2] != ["no", "one"]:
        return False
    sentence = range(sentence_start(texts, at), sentence_end(texts, at))
    around = texts[sentence.start : sentence.stop]
    if all(rules[name].keys().isdisjoint(around) for name in ("exceptive", "exceptive_pairs")):
        return False
    return any(_excepts(texts, position, at) for position in sentence)


def _excepts(texts: Sequence[str], at: int, denial: int) -> bool:
    """Tell whether a word sets an exception to a denial; "but" does so close behind it alone."""
    rules, text = rules_of_negation(), texts[at]
    if text == "but":
        return denial < at <= denial + _FARTHEST_BUT and texts[at - 1] != ","
    return (
        text in rules["exceptive"] or _following(texts, at) in rules["exceptive_pairs"].get(text, "").split()
    )


def _has_object(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word is followed by what is missing: "is missing a label", but not "is missing here"."""
    rules, following = rules_of_negation(), _following(texts, at)
    return following in rules["before_objects"] or (
        following[:1].isalpha() and following not in rules["stop"]
    )


def _is_passive(texts: Sequence[str], at: int) -> bool:
    """Tell whether a participle has a form of "to be" before it: was omitted, was not even mentioned."""
    rules = rules_of_negation()
    for before in range(at - 1, max(at - 1 - _BETWEEN_PASSIVE, -1), -1):
        if texts[before].removesuffix("n't") in rules["be"]:
            return True
        if not (texts[before].endswith("ly") or texts[before] in rules["inside_passives"]):
            return False
    return False


def _is_followed_as_asked(following: str, asked: list[str]) -> bool:
    """Tell whether the next word is one of those that make a word negate; ``-ing`` stands for any gerund."""
    return following in asked or (_GERUND in asked and _is_gerund(following))


def _is_gerund(text: str) -> bool:
    return text.endswith("ing") and len(text) >= _SHORTEST_GERUND
