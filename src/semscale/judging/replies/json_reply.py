"""Reads the score out of JSON, whole or cut off, inside prose or a code fence."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from semscale.judging.replies.grammar.lexicon import lexicon, split_words
from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

_SCORE_KEYS = r"score|rating|verdict|grade|judgement|judgment|level"
_WORD_KEYS = ("explanation", "reasoning", "reason", "rationale", "justification", "comment", "feedback")
_CUT_OFF = re.compile(
    rf"\A\s*\{{\s*\"(?:{_SCORE_KEYS})\"\s*:\s*(?P<value>\"[^\"\n]*\"|[^\s\",{{}}\[\]]+)\s*,\s*\"\w+\"\s*:",
    re.IGNORECASE,
)
_SCORE_KEY = re.compile(_SCORE_KEYS, re.IGNORECASE)
_LONGEST_LEVEL = 3
_DISOWNING = frozenset({"draft", "amend", "withdraw", "faulted", "maybe"})
_AGAINST = frozenset(
    {"revision", "revise", "revised", "review", "overridden", "override", "superseded", "disputed",
     "withdrawn", "retracted", "void", "outdated", "provisional", "preliminary", "tentative", "draft",
     "invalid", "replaced", "contested", "obsolete", "appealed"}
)  # fmt: skip
_FOR = frozenset({"valid", "verified", "confirmed", "final", "approved", "trusted", "binding", "stands"})
_CHANGES = frozenset({"delta", "change", "offset", "modifier", "correction"})
_MOST_FAILURES = 100
_WORDS = re.compile(r"\"(?P<key>[^\"\\]{1,60})\"\s*:\s*\"(?P<value>(?:[^\"\\]| \")*?)\"(?=\s*[,}])")
_AFFIRMED = {"true": True, "yes": True, "false": False, "no": False}

_AROUND_NAME = re.compile(r"\A(?:is|answer|the)[_ ]?(?:answer[_ ]|is[_ ])?|(?:_answer)\Z", re.IGNORECASE)


@dataclass(frozen=True)
class JsonReply:
    """The score and the explanation in one JSON object of a reply.

    Attributes:
        level: the level it states, with its place in the reply; ``None`` if it states none for certain.
        role: why it stands there, as its keys say.
        explanation: its words, empty if it has none.
        start: where the object begins.
        end: where it ends.
        settled: whether its keys say which of several scores stands.
    """

    level: StatedLevel | None
    role: Role
    explanation: str
    start: int
    end: int
    settled: bool = False


class _Pairs(list[tuple[str, Any]]):
    """An object's keys and values, with keys that are given twice."""


def json_replies(text: str, reader: LevelReader) -> list[JsonReply]:
    """Read every object of a reply that has a score, and one that was cut off after its score.

    Args:
        text: the reply, without reasoning and code fences.
        reader: of the template's levels.
    """
    found = [_read(text, start, end, pairs, reader) for start, end, pairs in _objects(text)]
    replies = [reply for reply in found if reply is not None]
    if replies:
        return replies
    cut = _CUT_OFF.match(text)
    if cut is None:
        return []
    level = _level(text, cut.start("value"), cut["value"].strip('"'), reader)
    return [JsonReply(level, Role.STATED, "", cut.start(), cut.end())]


def schema_reply(reply: str, reader: LevelReader) -> JsonReply | None:
    """Read a reply that is one object with the keys that were asked for, and nothing else.

    Args:
        reply: as the model gave it.
        reader: of the template's levels.
    """
    for start, end, pairs in _objects(reply):
        keys = [key for key, _ in pairs]
        whole = not reply[:start].strip() and not reply[end:].strip()
        if (
            whole
            and "score" in keys
            and set(keys) <= {"score", "explanation"}
            and len(keys) == len(set(keys))
        ):
            return _read(reply, start, end, pairs, reader)
        return None
    return None


def _objects(text: str) -> Iterator[tuple[int, int, _Pairs]]:
    decoder = json.JSONDecoder(
        object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=str, strict=False
    )
    at, failures = text.find("{"), 0
    while at >= 0 and failures < _MOST_FAILURES:
        try:
            decoded, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            failures += 1
            at = text.find("{", at + 1)
            continue
        yield at, end, decoded
        at = text.find("{", end)


def _read(text: str, start: int, end: int, pairs: _Pairs, reader: LevelReader) -> JsonReply | None:
    everything = list(_walk(pairs))
    ranked = [(key_role(key), key, value) for key, value in everything]
    stated = [
        (role, key, value)
        for role, key, value in ranked
        if role in _BY_WEIGHT and not (role is Role.CORRECTED and _is_prose(key, value))
    ]
    asked = [(key, value) for key, value in everything if _asks(key, reader)]
    tops = [str(value) for role, _, value in ranked if role is Role.SCALE and value is not None]
    if not stated and not asked:
        return None
    words = {key.lower(): value for key, value in everything if isinstance(value, str)}
    explanation = next((words[key].strip() for key in _WORD_KEYS if key in words), "")
    fits = all(re.fullmatch(r"\d+", top) and reader.is_top(top) for top in tops)
    taken_off = any(
        role is Role.DEDUCTION and value not in {"0", "0.0", None, ""} for role, _, value in ranked
    )
    best = min((_BY_WEIGHT.index(role) for role, _, _ in stated), default=0)
    chosen = [(role, key, value) for role, key, value in stated if _BY_WEIGHT.index(role) == best]
    levels = [_level_of(text, start, end, key, value, reader) for _, key, value in chosen]
    levels += [_answered(text, start, end, key, value, reader) for key, value in asked]
    agreed = len({level.score for level in levels if level is not None}) == 1 and None not in levels
    keys = [key for _, key, _ in chosen]
    level = levels[0] if agreed and fits and len(set(keys)) == len(keys) else None
    role = chosen[0][0] if chosen else Role.STATED
    level = None if (taken_off or _is_disowned(everything)) and role is Role.STATED else level
    settled = any(role in _SETTLING for role, _, _ in ranked)
    return JsonReply(level, role if role is Role.DRAFT else Role.STATED, explanation, start, end, settled)


def _is_disowned(everything: list[tuple[str, Any]]) -> bool:
    """Whether a value says that the score does not stand: ``"status": "superseded"``, ``"valid": false``."""
    if any(_is_flagged(key, value) for key, value in everything):
        return True
    words = (split_words(value) for _, value in everything if isinstance(value, str))
    return any(len(found) == 1 and lexicon().find(found, 0)[0] in _DISOWNING for found in words)


def _is_flagged(key: str, value: object) -> bool:
    """Whether a yes or no, or a change, says that the score does not stand: ``"needs_revision": true``."""
    words = set(re.split(r"[_\W]+", key.lower()))
    said = value if isinstance(value, bool) else _AFFIRMED.get(str(value).strip(" .").lower())
    changed = bool(words & _CHANGES) and re.fullmatch(r"[+-]?0*[1-9][\d.]*", str(value)) is not None
    return changed or (said is True and bool(words & _AGAINST)) or (said is False and bool(words & _FOR))


def _is_prose(key: str, value: object) -> bool:
    """Whether a key such as ``correction`` has a sentence for a value, and no score."""
    return isinstance(value, str) and value.count(" ") > _LONGEST_LEVEL and not _SCORE_KEY.search(key)


_KEY_ROLES = (
    ("confidence", Role.CONFIDENCE), ("other", Role.OF_ANOTHER), ("inject", Role.ATTRIBUTED),
    ("draft", Role.DRAFT), ("corrected", Role.CORRECTED), ("edit", Role.CORRECTED), ("final", Role.FINAL),
    ("amend", Role.CORRECTED),
)  # fmt: skip
_SETTLING = frozenset({Role.CORRECTED, Role.FINAL, Role.DRAFT, Role.OF_ANOTHER})
_BY_WEIGHT = (Role.CORRECTED, Role.FINAL, Role.STATED, Role.DRAFT)


def key_role(key: str) -> Role:
    """What the key of a JSON object says that its value is.

    Example:
        >>> [str(key_role(key)) for key in ("score", "final_score", "max_score", "accuracy")]
        ['stated', 'final', 'scale', 'content']
    """
    words = split_words(re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", key))
    kinds, at = [], 0
    while at < len(words):
        kind, length = lexicon().find(words, at)
        kinds.append(kind)
        at += length
    if kinds == ["final"]:
        return Role.FINAL
    if "maximum" in kinds or "scale" in kinds or words in (["out", "of"], ["outof"], ["maxscore"]):
        return Role.SCALE
    if "deduct" in kinds:
        return Role.DEDUCTION
    if "score_word" not in kinds:
        changed = len(kinds) == 1 and kinds[0] in {"corrected", "edit", "amend"}
        return Role.CORRECTED if changed else Role.DRAFT if kinds == ["draft"] else Role.CONTENT
    for kind, role in _KEY_ROLES:
        if kind in kinds:
            return role
    return (
        Role.STATED
        if set(kinds) <= {"score_word", "plain", "judge", "the", "answer", "because"}
        else Role.PART
    )


def _asks(key: str, reader: LevelReader) -> bool:
    """Whether a key asks if the answer is right: ``is_correct``."""
    return reader.opposite(_asked_name(key)) is not None


def _asked_name(key: str) -> str:
    """The name of a level that a key asks about: ``correct`` of ``is_correct``."""
    return _AROUND_NAME.sub("", key.strip())


def _walk(value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _Pairs):
        for key, inner in value:
            if not isinstance(inner, list):
                yield key, inner
            elif key_role(key) in _BY_WEIGHT and not isinstance(inner, _Pairs):
                yield key, None
            yield from _renamed(_walk(inner), key)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner)


def _renamed(pairs: Iterator[tuple[str, Any]], parent: str) -> Iterator[tuple[str, Any]]:
    """Put the key of the object around them before keys of scores, where it says which score they are."""
    words = [lexicon().find([word], 0)[0] for word in split_words(parent.replace("_", " "))]
    telling = {"final", "corrected", "draft", "other", "amend", "edit", "confidence"} & set(words)
    for key, value in pairs:
        yield (f"{parent} {key}" if telling and key_role(key) in _BY_WEIGHT else key), value


def _place_of(text: str, start: int, end: int, key: str) -> int | None:
    for name in key.split(" ")[:-1]:
        around = re.compile(rf"(?<!\\)\"{re.escape(name)}\"\s*:\s*").search(text, start, end)
        start = start if around is None else around.end()
    name = key if start == 0 or " " not in key else key.rpartition(" ")[2]
    place = re.compile(rf"(?<!\\)\"{re.escape(name)}\"\s*:\s*").search(text, start, end)
    return None if place is None else place.end()


def _level_of(
    text: str, start: int, end: int, key: str, value: object, reader: LevelReader
) -> StatedLevel | None:
    at = _place_of(text, start, end, key)
    return None if at is None else _level(text, at, value, reader)


def _level(text: str, at: int, value: object, reader: LevelReader) -> StatedLevel | None:
    """Read the value of a score key; the whole value must state one level."""
    start = at + (text[at : at + 1] == '"')
    written = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else value
    if not isinstance(written, str) or not text.startswith(written, start):
        return None
    stated = reader.read(written, 0, keyed=True)
    if stated is None or written[stated.after :].strip(" \t."):
        return None
    return stated.moved(start)


def _answered(
    text: str, start: int, end: int, key: str, value: object, reader: LevelReader
) -> StatedLevel | None:
    """Read ``true`` or ``no`` as the value of a key such as ``is_correct``."""
    at = _place_of(text, start, end, key)
    name = _asked_name(key)
    affirmed = value if isinstance(value, bool) else _AFFIRMED.get(str(value).strip(" .").lower())
    if at is None or affirmed is None:
        return None
    score = reader.name_score(name) if affirmed else reader.opposite(name)
    return None if score is None else StatedLevel(score, at, at, at, named=True)


def long_values(written: str) -> str:
    """Leave what a JSON object says in words, each value on a line of its own, and blank the rest."""
    kept = re.sub(r"\\[\"nt]", lambda found: ' "' if found[0][1] == '"' else "  ", written)
    lines = ["\n" if character == "\n" else " " for character in kept]
    for found in _WORDS.finditer(written.replace('\\"', ' "')):
        start, end = found.span("value")
        if " " in found["value"] and key_role(found["key"]) is Role.CONTENT:
            lines[start - 1] = lines[end] = "\n"
            lines[start:end] = kept[start:end]
    return "".join(lines)
