"""Words of English and lists of them: stems, opposites, roles, clauses and negations."""

import threading
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

import snowballstemmer

RECENT_WORDS = 8192
"""Size of each cache of words.

Numbers are words, too, so a table may have a new one in every row, and an unlimited cache would grow with it.
"""

RECENT_TEXTS = 512
"""Size of each cache of texts; a text of 35 words takes 11 kB with all computed properties."""


@cache
def read_lexicon(name: str, package: str = "semscale.guards") -> dict[str, Any]:
    """Read a file of a package's folder ``lexicon``.

    Args:
        name: the file's name without extension, such as ``opposites``, ``negation`` or ``units``.
        package: the package that contains the folder.
    """
    content = resources.files(package).joinpath("lexicon", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(content)


def fold_case(word: str) -> str:
    """Return a word in lower case, with one letter for those that ``re.IGNORECASE`` takes as the same.

    Examples:
        >>> fold_case("HAZİRAN"), fold_case("KASIM"), fold_case("kasım"), fold_case("Eaſtern")
        ('haziran', 'kasim', 'kasim', 'eastern')
    """
    return word.lower().replace("i\u0307", "i").replace("\u0131", "i").replace("\u017f", "s")


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the words of a list from the file ``wordlists``.

    Examples:
        >>> "terminal" in word_list("labelled")
        True
    """
    return frozenset(read_lexicon("wordlists")[name].split())


class _OfThread(threading.local):
    """A stemmer for each thread, because a stemmer stores the word that it is working on."""

    def __init__(self) -> None:
        self.stemmer = snowballstemmer.stemmer("english")


_OF_THREAD = _OfThread()


def kind_of(word: str) -> str:
    """Return ``w`` for a word, ``n`` for a number and ``p`` for a mark, by the first character.

    Examples:
        >>> kind_of("isn't"), kind_of("0.5"), kind_of("?")
        ('w', 'n', 'p')
    """
    first = word[0]
    if first.isalpha():
        return "w"
    return "n" if first.isdecimal() else "p"


@lru_cache(maxsize=RECENT_WORDS)
def stem(word: str) -> str:
    """Reduce a lower-case English word to its stem (Snowball).

    References:
        Porter, "Snowball: a language for stemming algorithms", 2001.

    Examples:
        >>> stem("connected") == stem("connection")
        True
    """
    if word[:1].isdecimal():
        return word
    return str(_OF_THREAD.stemmer.stemWord(word.removesuffix("'s")))


_VOWELS = "aeiou"
_SHORTEST_REST = 4


class Side(NamedTuple):
    """Position of a word on an axis of opposites.

    Attributes:
        key: the axis, or the word's stem if it is on no axis.
        side: 1 or -1.
    """

    key: str
    side: int


@lru_cache(maxsize=RECENT_WORDS)
def sides(word: str) -> tuple[Side, ...]:
    """Return a word's sides on its axes; a word on no axis gets an axis, with its negated form as side -1.

    Args:
        word: the word in lower case.

    Examples:
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

    Examples:
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

    Examples:
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
    """Return a word's stem; for an irregular form of a verb the stem of its base form (paid, pay)."""
    return stem(_base_forms().get(word, word))


@cache
def _base_forms() -> dict[str, str]:
    """Return the base form for each irregular form of a verb."""
    listed = (line.split() for line in read_lexicon("irregular_verbs")["verbs"])
    return {form: base for base, *forms in listed for form in forms}


@cache
def _lexicon() -> dict[str, tuple[Side, ...]]:
    """Read the axes from the file; return every word's sides on its axes."""
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
"""Smallest flag of a negation; a text with only smaller roles contains no negation."""

_ANSWERS = word_list("answers")
_BOUNDS = {"at": ("least", "most"), "or": ("more", "less", "fewer")}
_BOUND_WORDS = frozenset(word for words in _BOUNDS.values() for word in words)
_IN_PLACE = _ANSWERS | word_list("switches") | _BOUND_WORDS | {"too", "left", "even"}
_BEFORE_ANSWERS = "?:"
_COUNTED = ("number", "integer", "page", "digit", "row", "day")
_CUES = "forward", "forward_before", "weakening", "either_way", "after_hindering"
_ABSENCES = "backward_absent", "either_way", "participles"


@lru_cache(maxsize=RECENT_WORDS)
def role_of(word: str) -> int:
    """Return the possible roles of a word in any position, as a sum of flags.

    Args:
        word: a word, number or mark in lower case.

    Examples:
        >>> role_of("lamp") == CONTENT, role_of(";") == END, bool(role_of("isn't") & CUE)
        (True, True, True)
    """
    rules = rules_of_negation()
    is_word = word[0].isalpha()
    role = 0
    if word in _IN_PLACE:
        role |= CONTENT_IN_PLACE
    elif is_word and ((len(word) > 1 and word not in rules["stop"] and "'" not in word) or is_listed(word)):
        role |= CONTENT
    if any(word in rules[name] for name in _CUES) or word.endswith("n't"):
        role |= CUE
    if word in rules["clause_ends"] or word == "and" or not is_word:
        role |= END
    if any(word in rules[name] for name in _ABSENCES) or word == "out":
        role |= ABSENCE
    elif word in rules["backward_present"]:
        role |= PRESENCE
    return role


def is_content(words: list[str], at: int) -> bool:
    """Tell whether a word that may be a content word or a small word is a content word at this position."""
    following = words[at + 1] if at + 1 < len(words) else ""
    if words[at] in _BOUND_WORDS:
        return not (_is_bound(words, at) or words[at : at + 2] == ["most", "of"])
    if words[at] == "too":
        return following in rules_of_negation()["too_little"]
    if words[at] == "even":
        return following.startswith(_COUNTED)
    if words[at] == "left":
        return following != "out"
    return is_answer(words, at) if words[at] in _ANSWERS else _is_switch(words, at)


def is_answer(words: Sequence[str], at: int) -> bool:
    """Tell whether a yes or no answers a question: "No, it is", "No it is", but not "No drug is safe".

    Examples:
        >>> is_answer(["no", "it", "is"], 0), is_answer(["no", "drug", "is"], 0)
        (True, False)
    """
    if words[at] not in _ANSWERS or (at and words[at - 1] not in _BEFORE_ANSWERS):
        return False
    following = words[at + 1] if at + 1 < len(words) else "."
    return words[at] != "no" or kind_of(following) == "p" or following in rules_of_negation()["subjects"]


@cache
def rules_of_negation() -> dict[str, dict[str, str]]:
    """Read the rules of negation; lists of words become dictionaries for fast look-up."""
    return {
        name: entry if isinstance(entry, dict) else dict.fromkeys(entry.split(), "")
        for name, entry in read_lexicon("negation").items()
    }


def _is_bound(words: list[str], at: int) -> bool:
    """Tell whether a word belongs to a numeric bound: at least 5, 5 or more."""
    before = words[at - 1] if at else ""
    return words[at] in _BOUNDS.get(before, ())


def _is_switch(words: list[str], at: int) -> bool:
    """Tell whether on, off, up or down describes a state and is not a preposition."""
    ends = at + 1 == len(words) or kind_of(words[at + 1]) == "p" or words[at + 1] in ("and", "or", "because")
    before = stem(words[at - 1]) if at and kind_of(words[at - 1]) == "w" else ""
    return ends or before in ("turn", "switch", "go", "goe", "went", "gone", "move")


_NO_VERB = 3
SENTENCE_ENDS = ".;:?!"
_LONGEST_SENTENCE = 100
"""Largest number of words that are searched for the end of a sentence, so that time stays linear."""
MOST_COMPARED = 50
"""Largest number of phrases of a kind in a text that are compared with the other text, pair by pair."""
MOST_REPORTED = 200
"""Largest number of missing or added numbers, or names, that are reported for a pair."""


def clause_start(words: Sequence[str], roles: Sequence[int], at: int) -> int:
    """Return the position of the first word of a word's clause."""
    first = max(at - _LONGEST_SENTENCE, 0)
    before = range(at - 1, first - 1, -1)
    return next((end + 1 for end in before if roles[end] & END and ends_clause(words, end)), first)


def sentence_end(words: Sequence[str], at: int) -> int:
    """Return the position of the mark that ends the sentence of a word, or the number of words."""
    last = min(at + _LONGEST_SENTENCE, len(words))
    return next((end for end in range(at, last) if words[end] in SENTENCE_ENDS), last)


def sentence_start(words: Sequence[str], at: int) -> int:
    """Return the position of the first word of a word's sentence."""
    first = max(at - _LONGEST_SENTENCE, 0)
    return next((end + 1 for end in range(at - 1, first - 1, -1) if words[end] in SENTENCE_ENDS), first)


def begins_sentence(words: Sequence[str], at: int) -> bool:
    """Tell whether a word is the first of its sentence."""
    return at == 0 or words[at - 1] in SENTENCE_ENDS


def ends_clause(words: Sequence[str], at: int) -> bool:
    """Tell whether a word or mark ends a clause.

    Examples:
        >>> ends_clause(["no", "fever", ",", "so", "rest"], 2)
        True
        >>> ends_clause(["no", "fever", ",", "chills", "or", "cough"], 2)
        False
    """
    word = words[at]
    if kind_of(word) == "p":
        return word in ".;:?!()" or (word == "," and not _is_list(words, at))
    if word == "and":
        following = words[at + 1] if at + 1 < len(words) else "."
        return kind_of(following) != "w" or following in rules_of_negation()["clause_starts"]
    return word in rules_of_negation()["clause_ends"]


def _is_list(words: Sequence[str], at: int) -> bool:
    """Tell whether a comma is part of a list that ends in "or": no fever, chills, or cough."""
    ahead, ends = words[at + 1 : at + 9], rules_of_negation()["clause_ends"]
    stops = [position for position, word in enumerate(ahead) if word in ".;:?!" or word in ends]
    ahead = ahead[: stops[0]] if stops else ahead
    return "or" in ahead[: _NO_VERB + 1] or ("," in ahead[:_NO_VERB] and "or" in ahead)


_GERUND = "-ing"
_SHORTEST_GERUND = 5
_BETWEEN_PASSIVE = 3
_LONGEST_HINDERED = 5
_FARTHEST_BUT = 3
_FARTHEST_BOUND = 4


def denies_next(words: Sequence[str], at: int) -> bool:
    """Tell whether a word negates the words after it.

    Examples:
        >>> denies_next("you omitted the label".split(), 1), denies_next("it was omitted here".split(), 2)
        (True, False)
    """
    rules, word = rules_of_negation(), words[at]
    if word in rules["either_way"]:
        return _has_object(words, at)
    if word in rules["after_hindering"]:
        return any(
            _hinders(words, before, at) for before in range(max(at - _LONGEST_HINDERED - 1, 0), at - 1)
        )
    if (word in rules["participles"] and _is_passive(words, at)) or _is_completed(words, at):
        return False
    if word in rules["forward_before"]:
        return _is_followed_as_asked(_following(words, at), rules["forward_before"][word].split())
    return (word in rules["forward"] or word.endswith("n't")) and not _is_idle(words, at)


def denies_before(words: Sequence[str], at: int) -> int | None:
    """Find the first word of a phrase that ends here and negates the earlier words of the clause.

    Returns:
        The position of that word; ``None`` if there is no such phrase.

    Examples:
        >>> denies_before("fever is absent".split(), 2), denies_before("fever was not ruled out".split(), 4)
        (2, 3)
    """
    rules, word = rules_of_negation(), words[at]
    if word == "out":
        is_phrase = at and words[at - 1] in rules["out_after"] and _is_passive(words, at - 1)
        return at - 1 if is_phrase else None
    if word in rules["either_way"]:
        return None if _has_object(words, at) else at
    if word in rules["unnoticed"] and _following(words, at) == "by":
        return None
    if word in rules["participles"]:
        return at if word not in rules["out_after"] and _is_passive(words, at) else None
    return at if word in rules["backward_absent"] else None


def weakens_next(words: Sequence[str], at: int) -> bool:
    """Tell whether a word nearly denies the next words: "few tests", but not "a few tests".

    Examples:
        >>> weakens_next(["few", "tests"], 0), weakens_next(["a", "few", "tests"], 1)
        (True, False)
    """
    rules, word = rules_of_negation(), words[at]
    before, following = words[at - 1] if at else "", _following(words, at)
    if word not in rules["weakening"]:
        return False
    if word in ("hard", "difficult"):
        return following == "to"
    if word == "more":
        return before in rules["wishing"] or (
            before == "be" and at > 1 and words[at - 2] in rules["advising"]
        )
    if before == "a":
        return at > 1 and words[at - 2] == "only"
    return before != "not" and before not in rules["definite"]


def _following(words: Sequence[str], at: int) -> str:
    return words[at + 1] if at + 1 < len(words) else ""


def _is_completed(words: Sequence[str], at: int) -> bool:
    """Tell whether a verb's "from" follows an object, so that the object itself is not denied."""
    if words[at] not in rules_of_negation()["hindering"]:
        return False
    last = min(at + _LONGEST_HINDERED + 1, len(words) - 1)
    return any(words[end] == "from" and _hinders(words, at, end) for end in range(at + 2, last + 1))


def _hinders(words: Sequence[str], at: int, end: int) -> bool:
    """Tell whether an object is between verb and "from", and a gerund follows: keep the loop from running."""
    between, following = words[at + 1 : end], _following(words, end)
    return (
        words[at] in rules_of_negation()["hindering"]
        and _is_gerund(following)
        and all(word[0].isalpha() and word not in rules_of_negation()["hindering"] for word in between)
    )


def _is_idle(words: Sequence[str], at: int) -> bool:
    """Tell whether the words beside a negation keep it from negating: not only, no. 5, whether or not."""
    rules, word, following = rules_of_negation(), words[at], _following(words, at)
    if following in rules["pseudo"].get(word, "").split():
        return True
    idle_no = word == "no" and _is_idle_no(words, at)
    idle_not = word == "not" and at > 0 and _is_idle_not(words, at)
    return idle_no or idle_not or _sets_bound(words, at) or _leaves_exception(words, at)


def _is_idle_no(words: Sequence[str], at: int) -> bool:
    """Tell whether "no" is not followed by a word, is an answer, or begins "no other is as good"."""
    following = _following(words, at)
    if not following[:1].isalpha() or is_answer(words, at):
        return True
    return following == "other" and begins_sentence(words, at)


def _is_idle_not(words: Sequence[str], at: int) -> bool:
    """Tell whether "not" is part of a question ("whether or not") or repeats a denial (", not even you")."""
    repeats = _following(words, at) == "even" and words[at - 1] == ","
    return repeats or words[at - 1] in rules_of_negation()["idle_after"]


def _sets_bound(words: Sequence[str], at: int) -> bool:
    """Tell whether a negation and a following "more than" set a bound: do not take more than one."""
    word, bounded = words[at], rules_of_negation()["bounded"]
    farthest = 1 if word == "no" else _FARTHEST_BOUND
    if word not in ("no", "not") and not word.endswith("n't"):
        return False
    ahead = list(takewhile(lambda word: word[0].isalpha(), words[at + 1 : at + 2 + farthest]))
    return any(word in bounded and following == "than" for word, following in pairwise(ahead))


def _leaves_exception(words: Sequence[str], at: int) -> bool:
    """Tell whether all but an exception is denied, and the exception affirmed: nothing except the logo."""
    rules = rules_of_negation()
    if words[at] not in rules["no_others"] and words[at : at + 2] != ["no", "one"]:
        return False
    sentence = range(sentence_start(words, at), sentence_end(words, at))
    around = words[sentence.start : sentence.stop]
    if all(rules[name].keys().isdisjoint(around) for name in ("exceptive", "exceptive_pairs")):
        return False
    return any(_excepts(words, position, at) for position in sentence)


def _excepts(words: Sequence[str], at: int, denial: int) -> bool:
    """Tell whether a word introduces an exception to a denial; "but" does so only shortly after it."""
    rules, word = rules_of_negation(), words[at]
    if word == "but":
        return denial < at <= denial + _FARTHEST_BUT and words[at - 1] != ","
    return (
        word in rules["exceptive"] or _following(words, at) in rules["exceptive_pairs"].get(word, "").split()
    )


def _has_object(words: Sequence[str], at: int) -> bool:
    """Tell whether the missing thing follows a word: "is missing a label", but not "is missing here"."""
    rules, following = rules_of_negation(), _following(words, at)
    return following in rules["before_objects"] or (
        following[:1].isalpha() and following not in rules["stop"]
    )


def _is_passive(words: Sequence[str], at: int) -> bool:
    """Tell whether a participle has a form of "to be" before it: was omitted, was not even mentioned."""
    rules = rules_of_negation()
    for before in range(at - 1, max(at - 1 - _BETWEEN_PASSIVE, -1), -1):
        if words[before].removesuffix("n't") in rules["be"]:
            return True
        if not (words[before].endswith("ly") or words[before] in rules["inside_passives"]):
            return False
    return False


def _is_followed_as_asked(following: str, asked: list[str]) -> bool:
    """Tell whether the next word is one of those that a negation requires; ``-ing`` means any gerund."""
    return following in asked or (_GERUND in asked and _is_gerund(following))


def _is_gerund(word: str) -> bool:
    return word.endswith("ing") and len(word) >= _SHORTEST_GERUND
