"""Words of labels: normalised texts, and the phrases of ``label_words.yaml`` by language."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

import yaml

Words = tuple[str, ...]
Meanings = Mapping[str, tuple[str, float]]
"""Meanings of a phrase: kind and value by family; "" is for all families."""
Phrases = Mapping[str, Sequence[tuple[Words, Meanings]]]
"""Phrases by their first word, the longest first, with their meanings."""

PLAIN = 0.55
"""Position of a stem without a degree, such as "satisfied"."""

_GENDER = re.compile(r"(?<=\w)(?:\(-?(?:e|a|s|es|n|r|in|te|ne|m|y)\)|(?:/-?|[·*:_])(?:e|a|n|r|in|ne|y|na)\b)")
_DIGITS = {ord(zero) + value: str(value) for zero in "٠०" for value in range(10)}
_TRADITIONAL = (
    "滿對較點從幾總經難簡單無極強複雜優過變還願購買擔憂興沒會時歡絕認贊實適應視週個質麼樣舊關輕嚴異齡歲間"
)
_SIMPLIFIED = (
    "满对较点从几总经难简单无极强复杂优过变还愿购买担忧兴没会时欢绝认赞实适应视周个质么样旧关轻严异龄岁间"
)
_LETTERS = str.maketrans("łıøىئؤةँ'’ʼ`" + _TRADITIONAL, "lioييوهं    " + _SIMPLIFIED, "ـ")
_MARKS = re.compile("[\u0300-\u036f\u064b-\u0655\u0670\u093c\u00ad\u200b-\u200f\u2060\ufeff\ufe0e\ufe0f]")
"""Accents, signs of vowels, and characters without width."""
_SIGN = "[\u3005-\u30ff\u3400-\u9fff]"
"""A sign of Chinese or Japanese, where words have no blanks between them."""
_WORD = rf"(?:(?!{_SIGN})[^\W\d_]|[\u0900-\u0963])+"
_NUMBER = r"\d+(?:[.,' ]\d{3})+(?!\d)|\d+(?:[.,]\d+)?"
_PIECE = re.compile(rf"{_NUMBER}|{_SIGN}|{_WORD}|[^\w\s]")
_TOKEN = re.compile(rf"{_SIGN}|{_WORD}|\d+")

_LATIN = ("en", "de", "fr", "es", "it", "nl", "pl", "pt")
_SCRIPTS = {"ar": ("\u0600", "\u06ff"), "hi": ("\u0900", "\u097f"), "ja zh": ("\u3005", "\u9fff")}
"""First and last sign of the scripts of other languages."""


def normalise_label(text: str) -> str:
    """Return a text in lower case without accents, forms of gender and superfluous blanks.

    Examples:
        >>> normalise_label("Très\u00a0 satisfait(e)"), normalise_label("Zadowolony/a")
        ('tres satisfait', 'zadowolony')
    """
    composed = unicodedata.normalize("NFKC", text).casefold()
    letters = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", composed)))
    return " ".join(_GENDER.sub("", letters.translate(_LETTERS).translate(_DIGITS)).split())


def split_words(text: str) -> Words:
    """Split a normalised text into words and whole numbers, or signs for Chinese and Japanese."""
    return tuple(_TOKEN.findall(text))


def split_pieces(text: str) -> Words:
    """Split a normalised text into numbers, words and signs such as ``+``."""
    return tuple(_PIECE.findall(text))


def split_phrases(words: Words, phrases: Phrases, family: str) -> Iterator[tuple[Words, Meanings]]:
    """Split words into phrases of a family, the longest first, and others, which have no meanings."""
    position = 0
    while position < len(words):
        segment: tuple[Words, Meanings] = (words[position : position + 1], {})
        for phrase, meanings in phrases.get(words[position], ()):
            is_there = words[position : position + len(phrase)] == phrase
            if is_there and (family in meanings or "" in meanings):
                segment = (phrase, meanings)
                break
        yield segment
        position += len(segment[0])


@dataclass(frozen=True)
class Language:
    """The phrases of a language.

    Attributes:
        phrases: phrases by their first token, the longest first, with their meanings.
        known: first tokens of phrases that say something.
        pairs: what begins the two parts of "neither ... nor".
        prefixes: prefixes of opposites, such as "un".
    """

    phrases: Phrases
    known: frozenset[str]
    pairs: Sequence[tuple[Words, Words]]
    prefixes: tuple[str, ...]


def likely_languages(labels: Sequence[Words]) -> list[Language]:
    """Return the languages that know a phrase of at least half of the labels."""
    signs = {sign for words in labels for word in words for sign in word}
    scripts = [
        script for script, (first, last) in _SCRIPTS.items() if any(first <= sign <= last for sign in signs)
    ]
    names = [name for script in scripts for name in script.split()] or _LATIN
    languages = map(_language, names)
    return [
        language
        for language in languages
        if 2 * sum(not language.known.isdisjoint(words) for words in labels) >= len(labels)
    ]


@cache
def _language(name: str) -> Language:
    """Build the phrases of a language."""
    words = _file()["languages"][name]
    table: dict[Words, dict[str, tuple[str, float]]] = {}

    def add(listed: str, family: str, kind: str, value: float = 0.0) -> None:
        for phrase in _forms(listed):
            table.setdefault(phrase, {}).setdefault(family, (kind, value))

    for flag in ("not", "at all", "neutral", "unsure", "filler"):
        add(words.get(flag, ""), "", flag)
    for degree, listed in words["degrees"].items():
        add(listed, "", "degree", _degrees()[degree])
    for family, points in words["families"].items():
        for point, listed in points.items():
            add(listed, family, *_meaning(family, point))
    known = {phrase[0] for phrase, meanings in table.items() if meanings.get("", ("",))[0] != "filler"}
    return Language(
        _by_first_word(table),
        frozenset(known),
        list(_pairs(words["neither"])),
        tuple(normalise_label(prefix) for prefix in words.get("prefixes", "").split(", ") if prefix),
    )


def _meaning(family: str, name: str) -> tuple[str, float]:
    """Return kind and value of a family's words under a name: a side, a position, or a degree."""
    if name in {"high", "low"} and name not in _file()["points"].get(family, {}):
        return "pole", 1.0 if name == "high" else -1.0
    if name in {"neutral", "at all", "filler", "denial"}:
        return name, 0.0
    points = _file()["points"].get(family, {})
    return ("point", float(points[name])) if name in points else ("degree", _degrees()[name])


def _pairs(listed: str) -> Iterator[tuple[Words, Words]]:
    for pair in listed.split(", "):
        first, _, second = normalise_label(pair.replace("…", "|")).partition("|")
        yield split_words(first), split_words(second)


def _forms(listed: str) -> Iterator[Words]:
    """Yield the phrases of a list; "satisfecho/a" and "satisfait(e)" are two forms each."""
    for phrase in listed.split(", ") if listed else ():
        stem, slash, ending = phrase.partition("/")
        forms = [stem, stem[: len(stem) - len(ending)] + ending] if slash else [phrase]
        if phrase.endswith(")") and not slash:
            stem, _, ending = phrase[:-1].partition("(")
            forms = [stem, stem + ending]
        yield from filter(None, (split_words(normalise_label(form)) for form in forms))


@cache
def number_words() -> Phrases:
    """Return the words around numbers in all languages, with their kinds and values."""
    table: dict[Words, Meanings] = {}
    for kind, words in _file()["numbers"].items():
        for value, phrases in words.items() if isinstance(words, Mapping) else (("0", words),):
            listed = map(normalise_label, phrases.split(", "))
            table |= {split_pieces(phrase): {"": (kind, float(value))} for phrase in listed}
    return _by_first_word(table)


def _by_first_word(table: Mapping[Words, Meanings]) -> Phrases:
    phrases = sorted(table, key=lambda phrase: (phrase[0], -len(phrase)))
    return {
        first: [(phrase, table[phrase]) for phrase in group]
        for first, group in groupby(phrases, key=lambda phrase: phrase[0])
    }


@cache
def orders_of_names() -> list[tuple[str, dict[str, int]]]:
    """Return positions of the names of weekdays and of months in each language, with what they are."""
    return [
        (
            kind,
            {
                normalise_label(name): position
                for position, group in enumerate(names.split(", "))
                for name in group.split("|")
            },
        )
        for kind, lists in _file()["names"].items()
        for names in lists.values()
    ]


@cache
def family_names() -> list[str]:
    """Return the names of families, those first that win if labels can be read in two of them."""
    return list(_file()["reasons"])


def reason_of(family: str) -> str:
    """Return the phrase that says what the answers of a family are."""
    reasons: Mapping[str, str] = _file()["reasons"]
    return reasons[family or "degree"]


@cache
def scales_of(family: str) -> list[list[float]]:
    """Return the positions of the points of a family's known scales, the shortest scale first."""
    points = _file()["points"].get(family, {})
    values = {**_degrees(), "plain": PLAIN, "neutral": 0.0} | {name: float(at) for name, at in points.items()}
    listed = _file()["scales"].get(family, ())
    scales = [
        [-values[name[1:]] if name.startswith("-") else values[name] for name in scale.split(" ")]
        for scale in listed
    ]
    return sorted(scales, key=len)


@cache
def _degrees() -> dict[str, float]:
    return {name: float(value) for name, value in _file()["degrees"].items()}


@cache
def _file() -> dict[str, Any]:
    content = (resources.files("semscale.survey") / "label_words.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # yes and no stay texts
    words: dict[str, Any] = yaml.load(content, loader)
    return words
