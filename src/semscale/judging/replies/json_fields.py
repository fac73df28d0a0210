"""Finds the JSON objects of a reply and their fields, each with its place and what its keys say of it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from semscale.judging.replies.grammar.lexicon import classes_of
from semscale.judging.replies.grammar.roles import Role

_STRING = r"\"(?:[^\"\\]|\\.)*+\""
_TOKEN = re.compile(
    rf"(?P<key>{_STRING})\s*:|(?P<value>{_STRING}|[^\s,:{{}}\[\]\"]+)|(?P<open>[{{\[])|(?P<close>[}}\]])",
    re.DOTALL,
)
_PARTS_OF_KEY = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s_-]+|(?<=[a-z])(?=\d)")
_SCORES = frozenset({"score_word", "outcome"})
_PLAIN = _SCORES | {"plain", "judge", "the", "answer", "because", "value"}
_ROLES = (
    ("confidence", Role.CONFIDENCE), ("other", Role.OF_ANOTHER), ("inject", Role.ATTRIBUTED),
    ("draft", Role.DRAFT), ("before", Role.DRAFT), ("corrected", Role.CORRECTED), ("edit", Role.CORRECTED),
    ("after", Role.CORRECTED), ("final", Role.FINAL), ("amend", Role.CORRECTED), ("version", Role.DOUBTFUL),
)  # fmt: skip
"""What the first of these classes in a key of a score says; a score of another version may stand, or not."""
_BY_ANY_KEY = (
    ("rescored", Role.DOUBTFUL), ("condition", Role.HYPOTHETICAL), ("maximum", Role.SCALE),
    ("scale", Role.SCALE), ("deduct", Role.DEDUCTION),
)  # fmt: skip
_TELLING = frozenset(kind for kind, _ in _ROLES)
_MOST_FAILURES = 100


@dataclass(frozen=True)
class JsonField:
    """A value in a JSON object that is no object itself.

    Attributes:
        key: its own key.
        path: its key after those of the objects around it, up to the reply's.
        written: the value as it is written, without quotation marks.
        start: where it begins.
        is_text: whether it is written between quotation marks.
        in_list: whether it is an item of a list.
        role: what the keys say that it is; ``CONTENT`` if they speak of no score.
    """

    key: str
    path: tuple[str, ...]
    written: str
    start: int
    is_text: bool
    in_list: bool
    role: Role

    @property
    def text(self) -> str:
        """The value with its escapes read."""
        return str(json.loads(f'"{self.written}"', strict=False)) if self.is_text else self.written

    @property
    def affirmed(self) -> bool | None:
        """Whether the value says yes or no; ``None`` if it does neither."""
        return {"true": True, "yes": True, "false": False, "no": False}.get(self.written.strip(" .").lower())


def json_objects(text: str) -> Iterator[tuple[int, int, list[JsonField]]]:
    """Find the outermost objects, each with its bounds and its fields.

    Args:
        text: a reply, without reasoning and code fences.

    Example:
        >>> [[field.written for field in fields] for _, _, fields in json_objects('Here: {"score": 4}')]
        [['4']]
    """
    decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)
    at, failures = text.find("{"), 0
    while at >= 0 and failures < _MOST_FAILURES:
        try:
            _, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            failures += 1
            at = text.find("{", at + 1)
            continue
        yield at, end, list(_fields(text, at, end))
        at = text.find("{", end)


def _fields(text: str, start: int, end: int) -> Iterator[JsonField]:
    around: list[tuple[str, bool]] = []
    key = ""
    for token in _TOKEN.finditer(text, start, end):
        if token["key"]:
            key = token["key"][1:-1]
        elif token["open"]:
            around.append((key, token["open"] == "["))
            key = ""
        elif token["close"]:
            around.pop()
        else:
            in_list = around[-1][1]
            path = tuple(name for name, _ in around if name) + (() if in_list else (key,))
            is_text = token["value"][0] == '"'
            written = token["value"][1:-1] if is_text else token["value"]
            role = path_role(path)
            yield JsonField(
                path[-1] if path else "",
                path,
                written,
                token.start("value") + is_text,
                is_text,
                in_list,
                role,
            )


def path_role(path: tuple[str, ...]) -> Role:
    """What the keys that lead to a value say that it is.

    Example:
        >>> [str(path_role((key,))) for key in ("score", "final_score", "max_score", "accuracy", "score_v2")]
        ['stated', 'final', 'scale', 'content', 'doubtful']
        >>> str(path_role(("score", "before")))
        'draft'
    """
    if not path:
        return Role.CONTENT
    *parents, own = map(_kinds, path)
    if parents and _SCORES & set(parents[-1]) and not _SCORES & set(own):
        own = [*parents.pop(), *own]
    telling = [kind for kinds in parents for kind in kinds if kind in _TELLING]
    return _role(own, telling)


def _role(kinds: list[str], telling: list[str]) -> Role:
    for kind, role in _BY_ANY_KEY:
        if kind in kinds:
            return role
    if kinds in (["final"], ["draft"], ["corrected"], ["edit"], ["amend"]):
        return dict(_ROLES)[kinds[0]]
    if not _SCORES & set(kinds):
        return Role.CONTENT
    for kind, role in _ROLES:
        if kind in kinds or kind in telling:
            return role
    return Role.STATED if set(kinds) <= _PLAIN else Role.PART


def _kinds(key: str) -> list[str]:
    """Classes of a key's words, by those that keys have of their own first."""
    words = _PARTS_OF_KEY.sub(" ", key)
    own, common = list(classes_of(words, "keys")), list(classes_of(words, "scores"))
    if len(own) == len(common):
        return [kind if name in {"word", "number"} else name for name, kind in zip(own, common, strict=True)]
    return [*common, *(name for name in own if name not in {"word", "number"})]
