"""Splitting of texts into sentences."""

import re

_SENTENCE = re.compile(
    r"""
    \s*
    (?:(?!\n).)*?                                  # within one line
    (?: (?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)(?<!\bMr)(?<!\bDr)[.!?]+['"”’)\]]*(?=\s|$)
      | [。！？]+[」』”’)]*                          # not followed by a space
      | (?=\n) | $ )
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(r"\s*\(?(\d{1,3}|[A-Za-z])[.)]\s*")


def sentences_of(text: str) -> list[str]:
    """Split a text after full stops, question and exclamation marks, and at line ends.

    White space belongs to the sentence after it, so that the joined pieces are the text again.

    Example:
        >>> sentences_of("Good, e.g. fast. Cheap!")
        ['Good, e.g. fast.', ' Cheap!']
    """
    found, at = [], 0
    while at < len(text):
        match = _SENTENCE.match(text, at)
        end = match.end() if match and match.end() > at else len(text)
        found.append(text[at:end])
        at = end
    if len(found) > 1 and not found[-1].strip():
        blank = found.pop()
        found[-1] += blank
    return found


def worded_sentences(text: str) -> list[str]:
    r"""List a text's sentences without white space around them, and without those that hold no word.

    The number of an entry in a list belongs to the sentence after it. A text without any word is its own
    sentence.

    Example:
        >>> worded_sentences("It is safe. 👍\n1. Take 5 mg!"), worded_sentences("安全です。良い。")
        (['It is safe.', '1. Take 5 mg!'], ['安全です。', '良い。'])
    """
    found, number = [], ""
    for piece in sentences_of(text):
        if _NUMBER.fullmatch(piece):
            number += piece
        elif any(character.isalnum() for character in piece):
            found.append((number + piece).strip())
            number = ""
    return [*found, number.strip()] if number else found or [text]
