"""Choices in replies to closed questions: true or false, one option, or several."""

import re
import unicodedata
from collections.abc import Sequence
from string import ascii_uppercase

_VERDICT = re.compile(r"\W*(true|false)\b", re.IGNORECASE)
_LETTERED = re.compile(r"\(?([A-Za-z])\s*[:.)]\s*(.*)", re.DOTALL)
_LETTER_START = re.compile(r"(?<![\w])\(?[A-Za-z]\s*[:.)]\s+")


def true_or_false(reply: str) -> bool | None:
    """Read the verdict that a reply starts with; ``None`` where it starts with something else.

    Example:
        >>> true_or_false("False."), true_or_false("True, because ..."), true_or_false("It is true")
        (False, True, None)
    """
    found = _VERDICT.match(reply)
    return found[1].lower() == "true" if found else None


def option_key(text: str) -> str:
    """Normalise an option for comparison: without case, accents, punctuation and double spaces.

    Percent signs, commas and colons stay, as options differ by them.

    Example:
        >>> option_key(" Apo B-48 (chylomicron)")
        'apo b 48 chylomicron'
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()
    spaced = re.sub(r"[\u2013\u2014_/\\\[\](){};-]", " ", bare)
    kept = (c for c in spaced if unicodedata.category(c)[0] in "LNM" or c.isspace() or c in "%,:")
    return " ".join("".join(kept).split())


def chosen_option(reply: str, options: Sequence[str]) -> str | None:
    """Find the one option that a reply chose, by its letter, its text, or both where they agree.

    Returns:
        The option's key, or ``None`` where the reply states no option, or a letter and a text that differ.

    Example:
        >>> [chosen_option(reply, ["3%", "30%"]) for reply in ("B", "30%.", "A: 3%", "A: 30%", "none")]
        ['30%', '30%', '3%', None, None]
    """
    return _option(reply.strip(), [option_key(option) for option in options])


def chosen_options(reply: str, options: Sequence[str]) -> tuple[set[str], set[str]]:
    """Find the options that a reply lists, between commas, semicolons or lines, or each after its letter.

    Only the first paragraph counts, as explanations follow after it.

    Returns:
        The keys of the options that were chosen, and what was listed and is no option.

    Example:
        >>> chosen_options("A, Apo E and more", ["Apo B", "Apo E"])
        ({'apo b'}, {'apo e and more'})
    """
    keys = [option_key(option) for option in options]
    chosen: set[str] = set()
    unknown: set[str] = set()
    for part in _parts(re.split(r"\n\s*\n", reply.strip())[0], keys):
        found = _option(part, keys)
        if found is None:
            unknown.add(option_key(part))
        else:
            chosen.add(found)
    return chosen, unknown


def _option(part: str, keys: Sequence[str]) -> str | None:
    """Read one option off a piece of a reply."""
    key = option_key(part)
    if key in keys:  # the text comes first: an option may itself look like a letter
        return key
    letters = dict(zip(ascii_uppercase, keys, strict=False))
    if key.upper() in letters:
        return letters[key.upper()]
    lettered = _LETTERED.fullmatch(part.strip())
    if lettered and option_key(lettered[2]) in keys:
        stated = option_key(lettered[2])
        return stated if letters.get(lettered[1].upper()) == stated else None
    return None


def _parts(reply: str, keys: Sequence[str]) -> list[str]:
    """Split a list, but keep options together that have a comma in them."""
    starts = [found.start() for found in _LETTER_START.finditer(reply)]
    if len(starts) > 1 and not reply[: starts[0]].strip():
        ends = [*starts[1:], len(reply)]
        return [reply[start:end].strip(" ,;\n") for start, end in zip(starts, ends, strict=True)]
    segments = [part.strip() for part in re.split(r"[,;\n]", reply) if part.strip(" .")]
    longest = max((key.count(",") + 1 for key in keys), default=1)
    parts: list[str] = []
    at = 0
    while at < len(segments):
        spans = range(min(longest, len(segments) - at), 0, -1)
        length = next((n for n in spans if _option(", ".join(segments[at : at + n]), keys)), 1)
        parts.append(", ".join(segments[at : at + length]))
        at += length
    return parts
