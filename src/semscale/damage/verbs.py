"""Lexicon of English finite verbs, for the damage "negate"."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from semscale.guards.words import read_lexicon

_VOWELS = "aeiou"


@dataclass(frozen=True)
class Form:
    """A finite form of a verb that is no auxiliary.

    Attributes:
        base: its base form, such as ``show``.
        helper: the form of "do" that a negation takes: ``does`` for "shows", ``did`` for "showed".
        is_noun_like: whether the word is as often a noun, as "works" is.
    """

    base: str
    helper: Literal["do", "does", "did"]
    is_noun_like: bool


def finite_form(word: str) -> Form | None:
    """Look up the finite form that a lower-case word is; ``None`` if it is no known one.

    Example:
        >>> finite_form("shows"), finite_form("table")
        (Form(base='show', helper='does', is_noun_like=True), None)
    """
    return _forms().get(word)


def is_participle(word: str) -> bool:
    """Tell whether a lower-case word is a participle that can follow "have": "been", "taken", "provided".

    Example:
        >>> is_participle("taken"), is_participle("been"), is_participle("took"), is_participle("need")
        (True, True, False, False)
    """
    return word in _participles() or (
        word.endswith("ed") and len(word) > len("need") and word not in {"indeed", "hundred", "speed"}
    )


@cache
def word_class(name: str) -> frozenset[str]:
    """Return one of the lexicon's classes of words."""
    return frozenset(_lexicon()["classes"][name].split())


def third_person(base: str) -> str:
    """Return a verb's form for "it".

    Example:
        >>> third_person("show"), third_person("try"), third_person("touch"), third_person("go")
        ('shows', 'tries', 'touches', 'goes')
    """
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def regular_past(base: str) -> str:
    """Return the past form of a regular verb.

    Example:
        >>> regular_past("show"), regular_past("use"), regular_past("rely"), regular_past("play")
        ('showed', 'used', 'relied', 'played')
    """
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in _VOWELS else base + "ed"


def _lexicon() -> dict[str, Any]:
    return read_lexicon("negation", package="semscale.damage")


@cache
def _forms() -> dict[str, Form]:
    lexicon = _lexicon()
    noun_like = frozenset(lexicon["noun_like"].split())
    forms = {}
    for base in lexicon["verbs"].split():
        past = lexicon["irregular"].get(base, regular_past(base)).split()[0]
        forms[past] = Form(base, "did", False)
        forms[base] = Form(base, "do", base in noun_like)
        forms[third_person(base)] = Form(base, "does", base in noun_like)
    return forms


@cache
def _participles() -> frozenset[str]:
    irregular = _lexicon()["irregular"].values()
    return frozenset({pair.split()[1] for pair in irregular} | word_class("participle"))
