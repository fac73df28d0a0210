"""Reads the score out of JSON, whole or cut off, inside prose or a code fence."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

_SCORE_KEYS = {"score", "rating", "verdict", "grade", "judgement", "judgment", "level"}
_TOP_KEYS = {"max", "max_score", "maxscore", "maximum", "out_of", "outof", "scale"}
_WORD_KEYS = ("explanation", "reasoning", "reason", "rationale", "justification", "comment", "feedback")
_KEY_PLACE = re.compile(rf"(?<!\\)\"(?:{'|'.join(sorted(_SCORE_KEYS))})\"\s*:\s*", re.IGNORECASE)
_CUT_OFF = re.compile(
    rf"\A\s*\{{\s*\"(?:{'|'.join(sorted(_SCORE_KEYS))})\"\s*:\s*(?P<value>\"[^\"\n]*\"|[^\s\",{{}}\[\]]+)\s*,\s*\"\w+\"\s*:",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class JsonReply:
    """The score and the explanation in one JSON object of a reply.

    Attributes:
        level: the level it states, with its place in the reply; ``None`` if it states none for certain.
        explanation: its words, empty if it has none.
        start: where the object begins.
        end: where it ends.
    """

    level: StatedLevel | None
    explanation: str
    start: int
    end: int


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
    return [JsonReply(level, "", cut.start(), len(text))]


def _objects(text: str) -> Iterator[tuple[int, int, _Pairs]]:
    decoder = json.JSONDecoder(
        object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=str, strict=False
    )
    at = text.find("{")
    while at >= 0:
        try:
            decoded, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
            continue
        yield at, end, decoded
        at = text.find("{", end)


def _read(text: str, start: int, end: int, pairs: _Pairs, reader: LevelReader) -> JsonReply | None:
    everything = list(_walk(pairs))
    scores = [value for key, value in everything if key.lower() in _SCORE_KEYS]
    if not scores:
        return None
    words = {key.lower(): value for key, value in everything if isinstance(value, str)}
    explanation = next((words[key].strip() for key in _WORD_KEYS if key in words), "")
    tops = [str(value) for key, value in everything if key.lower() in _TOP_KEYS]
    fits = all(re.fullmatch(r"\d+", top) and reader.is_top(top) for top in tops)
    place = _KEY_PLACE.search(text, start, end)
    level = None
    if len(scores) == 1 and place is not None and fits:
        level = _level(text, place.end(), scores[0], reader)
    return JsonReply(level, explanation, start, end)


def _walk(value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _Pairs):
        for key, inner in value:
            if not isinstance(inner, list):
                yield key, inner
            elif key.lower() in _SCORE_KEYS and not isinstance(inner, _Pairs):
                yield key, None
            yield from _walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner)


def _level(text: str, at: int, value: object, reader: LevelReader) -> StatedLevel | None:
    """Read the value of a score key; the whole value must state one level."""
    start = at + (text[at : at + 1] == '"')
    written = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else value
    if not isinstance(written, str) or not text.startswith(written, start):
        return None
    stated = reader.read(written, 0, keyed=True)
    if stated is None or written[stated.after :].strip(" \t."):
        return None
    return StatedLevel(
        stated.score, start + stated.start, start + stated.end, start + stated.after, stated.named
    )
