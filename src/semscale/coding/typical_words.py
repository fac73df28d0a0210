"""Words that are typical of groups of texts: their scores, and names made of them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from semscale.coding.words import content_words, is_evaluation
from semscale.types import Floats, Integers, Mask

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_NAME = 60
"""Most characters of a name."""

_MOST_WORDS = 2_000
_FEWEST_TEXTS = 3
_PRIOR = 0.01
_MOSTLY = 0.8
_PHRASE_SHARE = 0.25
_SECOND_WORD = 0.5
_SAME_STEM = 4  # letters
_LONG_CAPITALS = 5  # letters: "WIFI" may be a name, "TERRIBLE" is shouted


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The words of n texts, without function words.

    Attributes:
        words: v words, in lower case.
        presence: shape (n, v), 1 where a text has a word.
        forms: each word as it is written most often within a text.
        evaluations: shape (v,), whether a word praises or blames anything, such as "great".
    """

    words: tuple[str, ...]
    presence: "csr_array"
    forms: tuple[str, ...]
    evaluations: Mask

    @classmethod
    def from_texts(cls, texts: Sequence[str], language: str) -> "Vocabulary":
        """Read the words that at least three texts have, at most 2,000.

        Args:
            texts: n texts.
            language: ISO 639-1 code of the language whose function words are left out.
        """
        from scipy.sparse import csr_array

        bags = [terms_in(text) for text in texts]
        totals = Counter(term for bag in bags for term in bag)
        whole = without_parts({term: n for term, n in totals.items() if n >= _FEWEST_TEXTS})
        frequent = sorted(whole, key=lambda term: (-totals[term], term))
        content = (word for word in frequent if is_fragment(word) or content_words(word, language))
        words = list(islice(content, _MOST_WORDS))
        columns = {word: column for column, word in enumerate(words)}
        known = ((row, sorted(bag & columns.keys())) for row, bag in enumerate(bags))
        cells = [(row, columns[term]) for row, terms in known for term in terms]
        rows, ends = np.array(cells, dtype=np.int64).reshape(-1, 2).T
        presence = csr_array((np.ones(len(rows)), (rows, ends)), shape=(len(texts), len(words)))
        forms = written_forms(texts)
        return cls(
            tuple(words),
            presence,
            tuple(forms.get(word, word) for word in words),
            np.array([is_evaluation(word, language) for word in words], dtype=bool),
        )

    def scores(self, labels: Integers, k: int) -> Floats:
        """Score how typical each word is of each of k groups of texts, shape (k, v).

        The score is the difference of the word's log odds in the group and in the other groups, both with a
        prior of its frequency in all texts, divided by the standard error. A text counts a word once.

        Args:
            labels: shape (n,), the groups, 0 to k - 1; texts with -1 take no part.
            k: number of groups.

        References:
            Monroe, Colaresi and Quinn (2008), Fightin' words, doi 10.1093/pan/mpn018, equation 22.
        """
        members = np.zeros((k, len(labels)))
        members[labels[labels >= 0], np.flatnonzero(labels >= 0)] = 1.0
        counts = np.asarray((self.presence.T @ members.T).T)
        prior = counts.sum(axis=0) * _PRIOR + _PRIOR
        inside, outside = counts + prior, counts.sum(axis=0) - counts + prior
        scores = (_log_odds(inside) - _log_odds(outside)) / np.sqrt(1 / inside + 1 / outside)
        typical: Floats = np.where(counts > 0, scores, 0.0)
        return typical

    def has_any(self, columns: Sequence[int]) -> Mask:
        """Return which texts have at least one of some words, shape (n,)."""
        present: Mask = np.asarray(self.presence[:, list(columns)].sum(axis=1)).ravel() > 0
        return present


def written_forms(texts: Sequence[str]) -> dict[str, str]:
    """Return each word, in lower case, as it is written most often after the first word of a text.

    Examples:
        >>> written_forms(["the WiFi", "no WiFi", "Wifi is slow", "das Personal"])["wifi"]
        'WiFi'
    """
    forms: Counter[str] = Counter()
    for text in texts:
        forms.update(match.group() for match in _WORD.finditer(text) if match.start())
    best: dict[str, str] = {}
    for form, _ in sorted(forms.items(), key=lambda item: (item[1], item[0])):
        best[form.lower()] = form
    return {word: form for word, form in best.items() if not (form.isupper() and len(form) > _LONG_CAPITALS)}


def name_of(texts: Sequence[str], words: Sequence[str], scores: Sequence[float]) -> str:
    """Name a group of texts by one to three of its typical words.

    The name is the most typical word. A phrase of it and another typical word takes its place if at least
    a quarter of the texts with the word have the phrase. Otherwise a second word is added that is at least
    half as typical and is no other form of the first.

    Args:
        texts: the texts of the group.
        words: typical words, the most typical first.
        scores: how typical each is.

    Examples:
        >>> texts = ["the battery life is good", "short battery life", "battery life", "old battery"]
        >>> name_of(texts, ["battery", "life"], [3.0, 2.0])
        'battery life'
        >>> name_of(["showers", "toilets", "a shower"], ["showers", "shower", "toilets"], [9.0, 8.0, 7.0])
        'showers / toilets'
    """
    first = words[0]
    phrases: Counter[str] = Counter()
    n_first = 0
    lower = {word.lower() for word in words}
    for text in texts:
        tokens = [token.lower() for token in _WORD_OF_PHRASE.findall(text)]
        n_first += first.lower() in tokens
        phrases.update({
            f"{left} {right}"
            for left, right in pairwise(tokens)
            if left != right and {left, right} <= lower and first.lower() in (left, right)
        })  # fmt: skip
    if phrases:
        phrase, n = min(phrases.items(), key=lambda item: (-item[1], item[0]))
        if n >= max(_FEWEST_TEXTS, _PHRASE_SHARE * n_first):
            forms = {word.lower(): word for word in words}
            return " ".join(forms[token] for token in phrase.split())[:MAX_NAME]
    second = next((word for word in words[1:] if not _same_stem(first, word)), None)
    if second is None or is_fragment(first) or scores[words.index(second)] < _SECOND_WORD * scores[0]:
        return first[:MAX_NAME]
    return f"{first} / {second}"[:MAX_NAME]


def _same_stem(first: str, second: str) -> bool:
    """Tell whether two words look like forms of one, such as "shower" and "showers"."""
    shortest = min(len(first), len(second))
    start = max(_SAME_STEM, shortest - 2)
    return first[:start].lower() == second[:start].lower() or first.lower() in second.lower()


def _log_odds(counts: Floats) -> Floats:
    odds: Floats = np.log(counts) - np.log(np.maximum(counts.sum(axis=1, keepdims=True) - counts, _PRIOR))
    return odds


_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u3040-\u30ff\uff66-\uff9f"
_SPACELESS_ALPHABETS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Characters of Thai, Lao, Burmese and Khmer, including vowel signs and tone marks."""

_SPACELESS = re.compile(f"[{_IDEOGRAPHS}{_KANA}{_SPACELESS_ALPHABETS}]")
_WORD_OF_PHRASE = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[\uac00-\ud7a3]{2,}|[^\W\d_]{3,}")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc\uff66-\uff9f]{2,}")
_RUNS = (
    (re.compile(f"[{_IDEOGRAPHS}]{{2,}}"), range(2, 5)),
    (re.compile(f"[{_SPACELESS_ALPHABETS}]{{3,}}"), range(3, 7)),
)


def terms_in(text: str) -> set[str]:
    """Return the words of an answer, in lower case.

    A word is a run of at least three letters, in Korean at least two. In Chinese, each run of two to four
    characters is a word; in Thai, Lao, Burmese and Khmer, each run of three to six. In Japanese, words in
    katakana count, but not hiragana, which is mostly grammar.

    Examples:
        >>> sorted(terms_in("The battery died"))
        ['battery', 'died', 'the']
        >>> sorted(terms_in("バッテリーが切れた")), sorted(terms_in("电池坏"))
        (['バッテリー'], ['池坏', '电池', '电池坏'])
    """
    terms = set(_WORD.findall(_SPACELESS.sub(" ", text.lower()))) | set(_KATAKANA.findall(text))
    for pattern, sizes in _RUNS:
        for run in pattern.findall(text):
            terms |= {run[start : start + size] for size in sizes for start in range(len(run) - size + 1)}
    return terms


def is_fragment(term: str) -> bool:
    """Return whether a term is a fragment of a text without spaces, which may not be a word.

    Examples:
        >>> is_fragment("电池"), is_fragment("battery")
        (True, False)
    """
    return _SPACELESS.match(term) is not None


def without_parts(counts: Mapping[str, int]) -> set[str]:
    """Leave out fragments that mostly occur inside a longer fragment.

    Args:
        counts: number of answers with each term.

    Examples:
        >>> sorted(without_parts({"充电": 9, "充电器": 8, "电器": 8, "电池": 20}))
        ['充电器', '电池']
    """
    parts = {
        part
        for term, n in counts.items()
        if is_fragment(term)
        for part in (term[1:], term[:-1])
        if n >= _MOSTLY * counts.get(part, float("inf"))
    }
    return set(counts) - parts


def overlaps(term: str, terms: Sequence[str]) -> bool:
    """Return whether a fragment contains one of some terms, or is part of one; words never overlap."""
    return is_fragment(term) and any(term in other or other in term for other in terms)
