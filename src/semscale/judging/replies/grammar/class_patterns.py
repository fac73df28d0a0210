"""Patterns over classes of words, written like regular expressions whose letters are classes."""

import re
from collections.abc import Iterable

_CLASS = re.compile(r"[a-z_]+")


def class_pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern over classes.

    Args:
        text: classes of the lexicon, ``any`` for every class, and the signs of regular expressions: ``|``,
            ``?``, ``*``, ``{0,3}``, ``( )``, ``^`` and ``$``. Blanks only part classes.

    Returns:
        A pattern for classes that are joined by ``sequence``.

    Example:
        >>> bool(class_pattern("score_word colon? $").search(sequence(["the", "score_word", "colon"])))
        True
    """
    written = _CLASS.sub(lambda name: r"(?:\S+\x20)" if name[0] == "any" else rf"(?:\b{name[0]}\x20)", text)
    return re.compile("".join(written.split()).replace("^", r"\A").replace("$", r"\Z"))


def sequence(classes: Iterable[str]) -> str:
    """Join classes into the text that a class pattern searches."""
    return "".join(f"{name} " for name in classes)
