"""Reads the score out of JSON, whole or cut off, inside prose or a code fence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from semscale.judging.replies.grammar.lexicon import classes_of
from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.json_fields import JsonField, json_objects, path_role
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

_SCORE_KEYS = r"score|rating|verdict|grade|judgement|judgment|level"
_WORD_KEYS = ("explanation", "reasoning", "reason", "rationale", "justification", "comment", "feedback")
_CUT_OFF = re.compile(
    rf"\A\s*\{{\s*\"(?:{_SCORE_KEYS})\"\s*:\s*(?P<value>\"[^\"\n]*\"|[^\s\",{{}}\[\]]+)\s*,\s*\"\w+\"\s*:",
    re.IGNORECASE,
)
_LONGEST_LEVEL = 3
_DISOWNING = frozenset({"draft", "amend", "withdraw", "faulted", "maybe"})
_NOTHING = frozenset({"", "null", "none", "n/a", "-", "0", "0.0"})
_BY_WEIGHT = (Role.CORRECTED, Role.FINAL, Role.STATED, Role.DRAFT)
_SETTLING = frozenset({Role.CORRECTED, Role.FINAL, Role.DRAFT, Role.OF_ANOTHER})
_CHANGE = re.compile(r"[+-]?0*[1-9][\d.]*\Z|[+-]\d")
_WORDS = re.compile(r"\"(?P<key>[^\"\\]{1,60})\"\s*:\s*\"(?P<value>(?:[^\"\\]| \")*?)\"(?=\s*[,}])")
_AROUND_NAME = re.compile(r"\A(?:is|answer|the)[_ ]?(?:answer[_ ]|is[_ ])?|(?:_answer)\Z", re.IGNORECASE)
_LATER = re.compile(r"_(?:after|upon|post|v?\d|on_|re)\w*\Z", re.IGNORECASE)


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


def json_replies(text: str, reader: LevelReader) -> list[JsonReply]:
    """Read every object of a reply that has a score, and one that was cut off after its score.

    Args:
        text: the reply, without reasoning and code fences.
        reader: of the template's levels.
    """
    found = [_read(start, end, fields, reader) for start, end, fields in json_objects(text)]
    replies = [reply for reply in found if reply is not None]
    cut = None if replies else _CUT_OFF.match(text)
    if cut is None:
        return replies
    written = cut["value"].strip('"')
    level = _whole(written, cut.start("value") + (written != cut["value"]), reader)
    return [JsonReply(level, Role.STATED, "", cut.start(), cut.end())]


def schema_reply(reply: str, reader: LevelReader) -> JsonReply | None:
    """Read a reply that is one object with the keys that were asked for, and nothing else.

    Args:
        reply: as the model gave it.
        reader: of the template's levels.
    """
    start, end, fields = next(json_objects(reply), (0, 0, []))
    keys = [field.key for field in fields]
    alone = not reply[:start].strip() and not reply[end:].strip()
    if alone and sorted(keys) in (["score"], ["explanation", "score"]):
        return _read(start, end, fields, reader)
    return None


def _read(start: int, end: int, fields: Sequence[JsonField], reader: LevelReader) -> JsonReply | None:
    stated = [field for field in fields if field.role in _BY_WEIGHT and not _is_prose(field)]
    asked = [field for field in fields if _asks(field, reader)]
    if not stated and not asked:
        return None
    best = min((_BY_WEIGHT.index(field.role) for field in stated), default=0)
    chosen = [field for field in stated if _BY_WEIGHT.index(field.role) == best]
    levels = [_level(field, reader) for field in chosen] + [_answered(field, reader) for field in asked]
    paths = [field.key for field in chosen]
    agreed = len({level and level.score for level in levels}) == 1 and len(set(paths)) == len(paths)
    level = levels[0] if agreed and _fits(fields, reader) else None
    role = Role.DRAFT if chosen and chosen[0].role is Role.DRAFT else Role.STATED
    if (
        level is not None
        and (not chosen or chosen[0].role is Role.STATED)
        and _is_open(fields, level, reader)
    ):
        level = None
    words = {field.key.lower(): field for field in fields if field.is_text}
    explanation = next((words[key].text.strip() for key in _WORD_KEYS if key in words), "")
    settled = any(field.role in _SETTLING for field in fields)
    return JsonReply(level, role, explanation, start, end, settled)


def _fits(fields: Sequence[JsonField], reader: LevelReader) -> bool:
    """Whether the highest score that an object names is that of the template."""
    tops = [field.written for field in fields if field.role is Role.SCALE and field.written != "null"]
    return all(re.fullmatch(r"\d+", top) and reader.is_top(top) for top in tops)


def _is_open(fields: Sequence[JsonField], level: StatedLevel, reader: LevelReader) -> bool:
    """Whether a field takes the score back: something taken off, another version, a word, a flag."""
    for field in fields:
        said = field.written.strip().lower()
        if field.role is Role.DEDUCTION and said not in _NOTHING:
            return True
        if _is_later(field, reader) and said not in _NOTHING - {"0"} and not _repeats(field, level, reader):
            return True
        kinds = list(classes_of(field.written, "scores"))
        if _is_flagged(field) or (field.is_text and len(kinds) == 1 and kinds[0] in _DISOWNING):
            return True
    return False


def _is_later(field: JsonField, reader: LevelReader) -> bool:
    """Whether a key names a score of another version: ``score_v2``, ``correct_after_check``."""
    name, later = _LATER.subn("", field.key)
    asks = bool(later) and reader.opposite(_asked_name(name)) is not None
    return asks or (field.role is Role.DOUBTFUL and not _is_prose(field))


def _repeats(field: JsonField, level: StatedLevel, reader: LevelReader) -> bool:
    again = _level(field, reader) or _answered(field, reader, _LATER.sub("", field.key))
    return again is not None and again.score == level.score


def _is_flagged(field: JsonField) -> bool:
    """Whether a yes or no, or a change, says that the score does not stand: ``"needs_revision": true``."""
    kinds = set(classes_of(re.sub(r"[_\W]+", " ", field.key), "flags"))
    if "change" in kinds and _CHANGE.match(field.written):
        return True
    return (field.affirmed is True and "against" in kinds) or (
        field.affirmed is False and "approval" in kinds
    )


def _is_prose(field: JsonField) -> bool:
    """Whether a key such as ``correction`` has a sentence for a value, and no score."""
    named = re.search(_SCORE_KEYS, field.key, re.IGNORECASE) and field.role is not Role.DOUBTFUL
    return field.is_text and field.written.count(" ") > _LONGEST_LEVEL and not named


def _asks(field: JsonField, reader: LevelReader) -> bool:
    """Whether a key asks if the answer is right: ``is_correct``; not ``correct_answer`` with the answer."""
    names_answer = field.key.lower().endswith("answer") and field.affirmed is None
    return reader.opposite(_asked_name(field.key)) is not None and not names_answer


def _asked_name(key: str) -> str:
    """The name of a level that a key asks about: ``correct`` of ``is_correct``."""
    return _AROUND_NAME.sub("", key.strip())


def _level(field: JsonField, reader: LevelReader) -> StatedLevel | None:
    return None if field.in_list else _whole(field.written, field.start, reader)


def _whole(written: str, at: int, reader: LevelReader) -> StatedLevel | None:
    """Read the value of a score key; the whole value must state one level."""
    stated = reader.read(written, 0, keyed=True)
    if stated is None or written[stated.after :].strip(" \t."):
        return None
    return stated.moved(at)


def _answered(field: JsonField, reader: LevelReader, key: str | None = None) -> StatedLevel | None:
    """Read ``true`` or ``no`` as the value of a key such as ``is_correct``."""
    name = _asked_name(field.key if key is None else key)
    score = reader.name_score(name) if field.affirmed else reader.opposite(name)
    if field.affirmed is None or score is None:
        return None
    return StatedLevel(score, field.start, field.start, field.start, named=True)


def long_values(written: str) -> str:
    """Leave what a JSON object says in words, each value on a line of its own, and blank the rest."""
    kept = re.sub(r"\\[\"nt]", lambda found: ' "' if found[0][1] == '"' else "  ", written)
    lines = ["\n" if character == "\n" else " " for character in kept]
    for found in _WORDS.finditer(written.replace('\\"', ' "')):
        start, end = found.span("value")
        if " " in found["value"] and path_role((found["key"],)) is Role.CONTENT:
            lines[start - 1] = lines[end] = "\n"
            lines[start:end] = kept[start:end]
    return "".join(lines)
