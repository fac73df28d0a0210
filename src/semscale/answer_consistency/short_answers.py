"""Comparison of short answers: different things, opposite verdicts, or the same answer in other words."""

import math
import re
import tomllib
from collections.abc import Collection
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from semscale.guards.findings import Finding, Span
from semscale.guards.meaning_guards import find_denied_names
from semscale.guards.text import Word, read_text, read_words
from semscale.guards.words import stem
from semscale.matching.words import stop_words
from semscale.signature import Signature
from semscale.weights.known import model_in_signature

SAME_ANSWER = 0.78
"""Cosine by MiniLM from which two short answers without a common word are wordings of one answer."""
_SAME_ANSWER_BY = {
    "all-MiniLM-L6-v2": SAME_ANSWER,
    "e5-small": 0.93,
}  # of 30 synonyms and 30 different answers MiniLM keeps 18 and 1 at .78, e5-small 19 and 0 at .93
_SAME_SHARE = 0.7  # of the way from the floor to 1, where MiniLM's bound lies

SHORT_ANSWER = 3
"""Greatest number of content words, including numbers, of a short answer."""
_LONGER_ANSWER = 8  # content words of the longer of two answers that are compared

_Words = tuple[Word, ...]
_YES = frozenset({"yes", "yeah", "yep", "true", "correct"})
_NO = frozenset({"no", "nope", "false", "incorrect"})
_NEGATIONS = frozenset({"not", "no", "never", "nor", "neither"})
_DENIALS = _NEGATIONS | {"without", "except"}
_VAGUE = frozenset(
    {"something", "anything", "someone", "somebody", "thing", "things", "stuff", "one", "ones"}
)
_MOST_CHARACTERS, _ENDS = 200, 3
_AROUND = " \t\n\"'.,;:!?*()“”‘’"
_COPULAS = frozenset({"is", "are", "was", "were"})
_BEING = _COPULAS | {"be"}
_ARTICLES = frozenset({"a", "an", "the"})
_SUBJECTS = frozenset({"it's", "that's"})
_SUBJECTS_OF_COPULAS = frozenset({"it", "that", "there", "these", "they", "this", "those"})
_AMOUNTS = frozenset({"few", "little"})  # "a few" is not "few"


def same_answer_cosine(signature: Signature, floor: float) -> float:
    """Return the cosine from which two short answers are wordings of one answer, for a model.

    Args:
        signature: signature of the embedder. The bound of other models is the greater of MiniLM's and floor +
            .7 (1 - floor), as cosines of some models have a narrow range.
        floor: cosine of unrelated answers; 0 if unknown.

    Examples:
        >>> other = Signature.of("embed", model="organisation/other#0")
        >>> [round(same_answer_cosine(other, floor), 2) for floor in (0.0, 0.8)]
        [0.78, 0.94]
    """
    model = model_in_signature(signature)
    if model is not None and model.name in _SAME_ANSWER_BY:
        return _SAME_ANSWER_BY[model.name]
    return max(SAME_ANSWER, floor + _SAME_SHARE * (1 - floor))


class ShortAnswerGuard:
    """Checks two answers to one prompt; unlike other guards, it also uses the cosine of their vectors."""

    name = "answer"
    kinds = ("other-answer", "opposite-verdict")

    def check(
        self,
        answer: str,
        sample: str,
        cosine: float,
        same_answer: float = SAME_ANSWER,
        *,
        differing_cosine: float = math.nan,
    ) -> list[Finding]:
        """Report that the answers begin with opposite verdicts, or name different things in a few words.

        They name different things if they name different members of one category, such as colours; if they
        differ only in the word before or after a form of "be", and these words have a low cosine; or if they
        have no word in common and a low cosine.

        Args:
            answer: the answer.
            sample: another answer to the same prompt.
            cosine: cosine of their vectors.
            same_answer: cosine from which they are wordings of one answer.
            differing_cosine: cosine of the vectors of their ``differing_words``, if they have some.

        Examples:
            >>> guard = ShortAnswerGuard()
            >>> [finding.kind for finding in guard.check("Paris", "It is London.", 0.6)]
            ['other-answer']
            >>> [finding.kind for finding in guard.check("Yes, it is safe.", "No, it is not safe.", 0.9)]
            ['opposite-verdict']
            >>> guard.check("couch", "sofa", 0.86), guard.check("It is not Paris.", "London it is.", 0.6)
            ([], [])
            >>> guard.check("The car is red.", "The car is blue.", 0.9)[0].reason
            'The answer says "red", the sample "blue".'
        """
        left, right = _read(answer), _read(sample)
        if not left or not right:
            return []
        if {_verdict(left[0]), _verdict(right[0])} == {"yes", "no"}:
            reason = f'The answer begins with "{left[0].text}", the sample with "{right[0].text}".'
            spans = _span(answer, left[:1]), _span(sample, right[:1])
            return [Finding(self.name, "opposite-verdict", reason, *spans)]
        names = _different_names((answer, left), (sample, right), is_unlike=cosine < same_answer)
        if names is None and differing_cosine < same_answer:
            names = _differing(left, right)
        if names is None:
            return []
        spans = _span(answer, names[0]), _span(sample, names[1])
        reason = f'The answer says "{spans[0].text}", the sample "{spans[1].text}".'
        return [Finding(self.name, "other-answer", reason, *spans)]


def differing_words(answer: str, sample: str) -> tuple[str, str] | None:
    """Return the word in which two short answers differ, before or after a form of "be".

    Returns:
        One word of each; ``None`` if they share no content words, differ elsewhere or in more words, if one
        is negative, or if one has no word there.

    Examples:
        >>> differing_words("The animal is a dog.", "The animal is a cat.")
        ('dog', 'cat')
        >>> differing_words("Mars is the largest.", "Jupiter is the largest."), differing_words("dog", "cat")
        (('mars', 'jupiter'), None)
    """
    if max(len(answer), len(sample)) > _MOST_CHARACTERS:
        return None
    # Most pairs begin and end differently, and need not be read.
    left, right = answer.strip(_AROUND).casefold(), sample.strip(_AROUND).casefold()
    if left[:_ENDS] != right[:_ENDS] and left[-_ENDS:] != right[-_ENDS:]:
        return None
    differing = _differing(_read(answer), _read(sample))
    return None if differing is None else (" ".join(_texts(differing[0])), " ".join(_texts(differing[1])))


def _different_names(
    left: tuple[str, _Words], right: tuple[str, _Words], *, is_unlike: bool
) -> tuple[_Words, _Words] | None:
    """Return the words in which two short answers differ: members of one category, or no common words."""
    (answer, words), (sample, other_words) = left, right
    content, other_content = _content(words), _content(other_words)
    if not _are_short(content, other_content):
        return None
    members = differing_members(_texts(words), _texts(other_words))
    if members is not None:
        if _denies(words) or _denies(other_words):
            return None
        return _first_of(words, members[0]), _first_of(other_words, members[1])
    shares_a_word = bool(_stems(content) & _stems(other_content))
    if not is_unlike or shares_a_word or shares_member(_texts(words), _texts(other_words)):
        return None
    content, other_content = _select_affirmed(content, answer), _select_affirmed(other_content, sample)
    return (content, other_content) if content and other_content else None


def _differing(left: _Words, right: _Words) -> tuple[_Words, _Words] | None:
    """Return the words before or after a form of "be" if nothing else differs."""
    if not _are_short(_content(left), _content(right)) or _denies(left) or _denies(right):
        return None
    before, after = _n_alike(left, right), _n_alike(left[::-1], right[::-1])
    start, end = left[:before], left[len(left) - after :]
    names = [word for word in start if word.text not in _ARTICLES]
    hinge = names[-1:] if not end else end[:1] if not start else []
    if not hinge or hinge[0].text not in _BEING or not _content(start or end):
        return None
    rests = tuple(_naming_words(words[before : len(words) - after]) for words in (left, right))
    if not all(len(rest) == 1 for rest in rests) or _stems(rests[0]) & _stems(rests[1]):
        return None
    return rests[0], rests[1]


def _n_alike(left: _Words, right: _Words) -> int:
    """Count the equal words at the start of both."""
    pairs = enumerate(zip(left, right, strict=False))
    differing = (number for number, (word, other) in pairs if word.text != other.text)
    return next(differing, min(len(left), len(right)))


def _first_of(words: _Words, text: str) -> _Words:
    return tuple(word for word in words if word.text == text)[:1]


def _naming_words(words: _Words) -> _Words:
    """Select words that name something; none from a text with an indefinite word."""
    if any(word.text in _VAGUE for word in words):
        return ()
    return tuple(word for word in _content(words) if word.text not in stop_words())


def _content(words: _Words) -> _Words:
    """Select the content words, without stop words, verdicts, and numbers, which another guard checks."""
    return tuple(
        word
        for word in words
        if word.kind == "w" and not _verdict(word) and (word.text not in stop_words() or len(words) == 1)
    )


def _select_affirmed(words: _Words, text: str) -> _Words:
    """Select the words that an answer affirms: "not Paris" does not name Paris."""
    denied = find_denied_names(read_text(text))
    return tuple(word for word in words if not any(name.start <= word.start < name.end for name in denied))


def _denies(words: _Words) -> bool:
    return any(word.text in _DENIALS or word.text.endswith("n't") for word in words)


def _are_short(content: _Words, other_content: _Words) -> bool:
    fewer, more = sorted((len(content), len(other_content)))
    return 0 < fewer <= SHORT_ANSWER and more <= _LONGER_ANSWER


@lru_cache(maxsize=4096)
def _read(text: str) -> _Words:
    return tuple(word for word in read_words(text) if word.kind != "p")


def _verdict(word: Word) -> str | None:
    return "yes" if word.text in _YES else "no" if word.text in _NO else None


def _texts(words: _Words) -> list[str]:
    return [word.text for word in words]


def _stems(words: _Words) -> frozenset[str]:
    return frozenset(stem(word.text) for word in words)


def _span(text: str, words: _Words) -> Span:
    start, end = words[0].start, words[-1].end
    return Span(start, end, text[start:end])


def differing_members(words: Collection[str], other_words: Collection[str]) -> tuple[str, str] | None:
    """Find a category, such as colours, of which two texts name only different members.

    Args:
        words: words of the first text, in lower case.
        other_words: words of the second text.

    Returns:
        The first such word of each; ``None`` if each category is named by only one text, or both name the
        same member.

    Examples:
        >>> differing_members(["my", "bright", "red"], ["navy"])
        ('red', 'navy')
        >>> differing_members(["red", "or", "blue"], ["blue"]), differing_members(["gray"], ["grey"])
        (None, None)
    """
    for category in _categories():
        left, right = _members(words, category), _members(other_words, category)
        if left and right and not set(left.values()) & set(right.values()):
            return next(iter(left)), next(iter(right))
    return None


def shares_member(words: Collection[str], other_words: Collection[str]) -> bool:
    """Return whether two texts name the same member of a category, possibly by different words.

    Args:
        words: words of the first text, in lower case.
        other_words: words of the second text.

    Examples:
        >>> shares_member(["light", "gray"], ["grey"]), shares_member(["gray"], ["white"])
        (True, False)
    """
    return any(
        set(_members(words, category).values()) & set(_members(other_words, category).values())
        for category in _categories()
    )


def _members(words: Collection[str], category: dict[str, int]) -> dict[str, int]:
    return {word: category[word] for word in words if word in category}


@cache
def _categories() -> tuple[dict[str, int], ...]:
    """Return each category's words with the number of their member."""
    file = resources.files("semscale.answer_consistency").joinpath("answer_categories.toml")
    lists: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        {word: number for number, member in enumerate(members.split("|")) for word in member.split()}
        for members in lists.values()
    )


_APOSTROPHE = re.compile(r"(?<=\w)[’`´](?=\w)")
_TOKEN = re.compile(
    r"""
    (?P<word>[^\W\d_]+(?:'(?:t|s|re|ve|ll|d|m)\b)?|\d+(?:[.,]\d+)*)
    | (?P<mark>
        [^\W_] | [%‰°$€£¥+<>=±×÷≤≥≠≈√∞¬~]
        | !(?==) | \.(?=\d)                      # x != 5, .5
        | (?<=\w)\#                              # C#
        | \#(?=\w)                               # #5
        | (?<=\w)\s*[*/^](?=\s*\w)               # 5 * 3, 1/2, x^2
    )
    | (?P<dash>
        (?<![\w)\-–—−])[-–−](?=\s*[.$€£¥]?\d)    # -5
        | (?<![\w)\-–—−])[-–−](?=[^\W\d_]\b)     # -x
        | (?<=\d)\s*[-–−](?=\s*\d)               # 5-3
        | (?<=\b[^\W\d_])[-–−](?!\w)             # B-
        | (?<=\b[^\W\d_]{2})[-–−](?!\w)          # AB-
        | −
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words, numbers, and the marks that change the meaning of an answer: signs, operators, units, ``#``."""


class _Token(NamedTuple):
    text: str
    kind: str
    original: str
    before_blank: bool


def is_short_answer(text: str) -> bool:
    """Return whether a text is an answer of a few words, such as ``Paris`` or ``It is 8 emails.``.

    Examples:
        >>> is_short_answer("It is Paris."), is_short_answer("Paris has many bridges over the river.")
        (True, False)
    """
    words = [token.text for token in _tokens(text) if token.kind == "word"]
    content = [
        word for word in words if word in _NEGATIONS or word.endswith("n't") or word not in stop_words()
    ]
    return len(content or words) <= SHORT_ANSWER


def is_same_short_answer(text: str, other: str) -> bool:
    """Return whether two short answers have the same words, signs and units in the same order.

    Case, endings, punctuation, articles, ``is`` and ``was``, and a subject such as ``it`` before these are
    ignored. A single letter is compared: ``vitamin A`` is not ``vitamin``.

    Examples:
        >>> is_same_short_answer("Paris", "It is Paris."), is_same_short_answer("8", "8 emails")
        (True, False)
        >>> is_same_short_answer("5", "-5"), is_same_short_answer("before lunch", "after lunch")
        (False, False)
    """
    return _essence(text) == _essence(other)


@lru_cache(maxsize=4096)
def _essence(text: str) -> tuple[str, ...]:
    """Return an answer's words and signs without small words, or all if there are no others."""
    tokens = _tokens(text)
    essential = [token for number, token in enumerate(tokens) if not _is_small(tokens, number)] or tokens
    texts = tuple(stem(token.text) if token.kind == "word" else token.text for token in essential)
    return texts or (text.strip(),)


def _tokens(text: str) -> list[_Token]:
    text, tokens = _APOSTROPHE.sub("'", text), []
    for match in _TOKEN.finditer(text):
        kind, original = str(match.lastgroup), match.group().strip()
        shown = "-" if kind == "dash" else original.lower()
        tokens.append(_Token(shown, kind, original, text[match.end() :][:1].isspace()))
    return tokens


def _is_small(tokens: list[_Token], number: int) -> bool:
    """Return whether a word adds nothing to its answer."""
    token, after = tokens[number], tokens[number + 1] if number + 1 < len(tokens) else None
    if token.kind != "word":
        return False
    if token.text in _ARTICLES:
        # Neither "vitamin A", "option a" and "A1", nor "a few".
        is_name = (token.original == "A" and number > 0) or after is None or not token.before_blank
        return not is_name and after is not None and after.text not in _AMOUNTS
    if token.text in _SUBJECTS_OF_COPULAS:
        return after is not None and after.text in _COPULAS
    return token.text in _COPULAS or token.text in _SUBJECTS
