"""The words, numbers, texts and signs that a condition is written with."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from semscale.errors import InputError
from semscale.messages import shortened

Kind = Literal["number", "text", "name", "word", "sign", "end"]

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | '(?P<text>(?:[^']|'')*)'
    | "(?P<double>(?:[^"]|"")*)"
    | `(?P<tick>[^`]*)`
    | (?P<word>[^\W\d][\w.]*(?:\[\w+\])?)
    | (?P<sign><=|>=|<>|!=|==|=|<|>|\(|\)|,)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class ConditionToken:
    """A piece of a condition.

    Attributes:
        kind: ``number``; ``text`` in single quotes; ``name`` in double quotes or backticks; a bare ``word``;
            a ``sign``; or the ``end``.
        text: what it says, without quotes.
        place: of its first character, from 0.
    """

    kind: Kind
    text: str
    place: int


def tokens_of(condition: str) -> list[ConditionToken]:
    """Cut a condition into tokens; the last one is its end.

    Raises:
        InputError: a character that no token begins with; a quotation mark that is not closed.

    Example:
        >>> [token.text for token in tokens_of("age >= 18 and name = 'O''Neil'")]
        ['age', '>=', '18', 'and', 'name', '=', "O'Neil", '']
    """
    return [*_tokens(condition), ConditionToken("end", "", len(condition))]


def _tokens(condition: str) -> Iterator[ConditionToken]:
    place, end = 0, len(condition.rstrip())
    while place < end:
        found = _TOKEN.match(condition, place)
        if found is None:
            rest = condition[place:].lstrip()
            if rest[0] in "'\"`":
                raise InputError(f"where: a quotation mark is never closed: {shortened(rest)}; close it")
            raise InputError(
                f"where: {shortened(rest)} cannot be read; write conditions such as age >= 18 and "
                "country in ('DE', 'AT'), and names with spaces in double quotation marks"
            )
        yield _token(found)
        place = found.end()


def _token(found: re.Match[str]) -> ConditionToken:
    group = str(found.lastgroup)
    text, place = found[group], found.end() - len(found[0].lstrip())
    match group:
        case "text":
            return ConditionToken("text", text.replace("''", "'"), place)
        case "double":
            return ConditionToken("name", text.replace('""', '"'), place)
        case "tick":
            return ConditionToken("name", text, place)
        case "number":
            return ConditionToken("number", text, place)
        case "word":
            return ConditionToken("word", text, place)
        case _:
            return ConditionToken("sign", text, place)
