"""The harmless change "paraphrase": other words, spelling and punctuation by rules that keep the meaning."""

import re
from functools import cache

import numpy as np

from semscale.damage.sentences import cased_as
from semscale.guards.words import read_lexicon
from semscale.matching.entailment import sentences_of

_OFTEN = 0.8
_NEXT_TIME = re.compile(r"^(\s*)Next time, ([a-z][^.!?;:]*[a-z)])([.!])$")
_TO_IMPROVE = re.compile(
    r"^(\s*)To improve, ((?:consider|try|think|provide|include|add)\b[^.!?;:]*[a-z)])([.!])$"
)
_BULLETS = str.maketrans({"•": "-", "–": "-"})
_SMART = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'"})


def paraphrased(text: str, rng: np.random.Generator) -> str | None:
    """Paraphrase a text by rules.

    The rules change synonyms and phrases of a small list, contractions, British and American spelling, the
    place of an opening ("Next time, ..."), the order of two adjectives around "and", quotation marks, dashes
    and bullets. Each place is changed with probability .8, so other seeds give other versions.

    Returns:
        The changed text; ``None`` if no rule applies besides those of quotation marks, dashes and bullets.

    Example:
        >>> paraphrased("It isn't clear.", np.random.default_rng(1))
        'It is not clear.'
    """
    changed = "".join(_reordered(piece, rng) for piece in sentences_of(text))
    changed = _pairs().sub(lambda match: _other(match, changed, rng), changed)
    changed = _adjectives().sub(lambda match: _turned(match, rng), changed)
    retyped = _retyped(changed) if rng.random() < _OFTEN else changed
    return None if changed == text else retyped


def _reordered(sentence: str, rng: np.random.Generator) -> str:
    """Move an opening to the end if nothing else depends on its place."""
    for pattern, ending in ((_NEXT_TIME, "next time"), (_TO_IMPROVE, "to improve")):
        match = pattern.match(sentence)
        if match and "," not in match[2] and rng.random() < _OFTEN:
            return f"{match[1]}{match[2][0].upper()}{match[2][1:]} {ending}{match[3]}"
    return sentence


def _other(match: re.Match[str], text: str, rng: np.random.Generator) -> str:
    """Return the other side of a pair, and adapt the article before it."""
    if rng.random() >= _OFTEN:
        return match.group()
    article, space, word = match["article"] or "", match["space"] or "", match["word"]
    new = cased_as(_partners()[word.lower().replace("’", "'")], word)
    if article.lower() in ("a", "an"):
        article = cased_as("an" if _sounds_like_a_vowel(new) else "a", article)
    return f"{article}{space}{new}"


def _sounds_like_a_vowel(word: str) -> bool:
    return word[0].lower() in "aeiou" and not word.lower().startswith(("use", "uni", "eu", "one"))


def _turned(match: re.Match[str], rng: np.random.Generator) -> str:
    if rng.random() >= _OFTEN:
        return match.group()
    first, second = match.groups()
    return f"{cased_as(second, first)} and {first.lower()}"


def _retyped(text: str) -> str:
    """Exchange quotation marks, dashes and bullets."""
    if any(mark in text for mark in "“”’‘"):
        text = text.translate(_SMART)
    else:
        text = re.sub(r'"([^"\n]*)"', r"“\1”", text)
        text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    text = re.sub(
        r"^([ \t]*)[-*•] ",
        lambda mark: mark[1] + ("* " if "-" in mark[0] else "- "),
        text,
        flags=re.MULTILINE,
    )
    return re.sub(r"(?<=\w) (?:-|--) (?=\w)", " – ", text)


@cache
def _partners() -> dict[str, str]:
    """Return the replacement of each lower-case word or phrase."""
    lexicon = read_lexicon("paraphrase", package="semscale.damage")
    there = {first.lower(): second for first, second in lexicon["one_way"]}
    for part in ("both", "spellings", "contractions"):
        there |= {first.lower(): second for first, second in lexicon[part]}
        there |= {second.lower(): first for first, second in lexicon[part]}
    return there


@cache
def _pairs() -> re.Pattern[str]:
    full = [full.lower() for full, _ in read_lexicon("paraphrase", package="semscale.damage")["contractions"]]
    words = "|".join(_ending(word, word in full) for word in sorted(_partners(), key=len, reverse=True))
    return re.compile(
        rf"(?:(?<!\w)(?P<article>an?)(?P<space>\s))?(?<![\w'’-])(?P<word>{words})(?![\w'’-])", re.IGNORECASE
    )


def _ending(word: str, is_contractible: bool) -> str:
    """Return the pattern of a word, with the condition on what follows it."""
    pattern = re.escape(word).replace("'", "['’]")
    if is_contractible:
        return pattern + r"(?=\s[a-z])"
    return pattern + r"(?!\s(?:been|had|got|gotten|become)\b)" if word.endswith("'s") else pattern


@cache
def _adjectives() -> re.Pattern[str]:
    words = "|".join(read_lexicon("paraphrase", package="semscale.damage")["adjectives"].split())
    return re.compile(rf"\b({words}) and ({words})\b", re.IGNORECASE)
