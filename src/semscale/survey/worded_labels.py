"""Positions of worded labels: a degree, a stem with a direction, a negation."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from semscale.survey.description import Confidence
from semscale.survey.label_words import (
    PLAIN,
    Language,
    Words,
    family_names,
    likely_languages,
    reason_of,
    scales_of,
    split_phrases,
    split_words,
)

FEWEST_LABELS = 2
FEWEST_SCORED = 3
"""Smallest number of answers that have scores."""

_NOT_VERY = -0.35
"""Position of a negated degree, such as "not very satisfied"."""
_SHIFT = 0.4
"""Share of a degree's difference to a plain word that moves a word of a fixed position ("very often")."""
_LESS = 0.1
"""Distance of "very little" from "little"."""
_NEUTRAL = 0.1
"""Largest distance of a neutral position from 0."""
_NEUTRAL_AMOUNT = 0.3
"""Position of a neutral answer among amounts ("slightly", "neutral", "very") if the middle is unknown."""
_TOLERANCE = 0.101
"""Largest distance of an answer from a point of a known scale."""
_TOP_TOLERANCE = 0.201
"""The same for the highest answer, which differs most between scales."""
_MOST_GAPS = 2
_MOST_WITH_GAPS = 4
"""Largest number of answers among which points of a scale can be missing; more are a scale of their own."""

_NEGATIONS = {"not", "not before a degree", "at all"}

_MIDDLE = {"neutral", "unsure"}
_Kind = Literal["unsure", "neutral", "amount", "opposite", "bare"]
_CUT = re.compile(r"\s*(?:[(,:;\[]|\s[-–—]\s)")


@dataclass(frozen=True)
class Positions:
    """Positions of different labels.

    Attributes:
        positions: what orders the labels, in the order in which they were passed.
        scores: their scores; ``None`` if they have no mean.
        reason: how the order is known.
        confidence: how sure it is.
    """

    positions: Sequence[Any]
    scores: Sequence[float] | None
    reason: str
    confidence: Confidence = "high"


@dataclass(frozen=True)
class Reading:
    """What a label says in one language and family.

    Attributes:
        value: its position from -1 to 1.
        kind: ``unsure``, ``neutral``, ``amount`` for a positive stem or none with any degree, ``opposite``
            for a negated or negative one, or ``bare`` if only other words are there.
        rest: other words.
        stem: ``pole`` or ``point`` if a word of the family is there, by its direction or its position.
        has_degree: whether a degree or negation is there.
    """

    value: float
    kind: _Kind
    rest: Words
    stem: Literal["", "pole", "point"]
    has_degree: bool


def worded_positions(texts: Sequence[str]) -> Positions | None:
    """Order worded answers; what stands in brackets or after a comma counts only if the order needs it.

    Of several readings the one counts that leaves the fewest other words, then a complete known scale.
    """
    whole = list(texts)
    cut = [_CUT.split(text, maxsplit=1)[0] for text in texts]
    for variant in (whole, cut) if cut != whole else (whole,):
        if len(set(variant)) < len(texts) or "" in variant:
            continue
        orders = [
            (sum(len(reading.rest) for reading in readings), order.confidence != "high", index, order)
            for index, (family, readings) in enumerate(readings_of(variant))
            if (order := _scale(family, readings))
        ]
        if orders:
            return min(orders)[-1]
    return None


def readings_of(texts: Sequence[str]) -> Iterator[tuple[str, list[Reading]]]:
    """Yield all ways to read labels in one language and one family, those with words of the family first."""
    tokens = [split_words(text) for text in texts]
    for language in likely_languages(tokens):
        for family in (*_families(language, tokens), ""):
            readings = []
            for words in tokens:
                reading = _read(words, language, family)
                if reading is None or (family and reading.kind == "bare"):
                    break
                readings.append(reading)
            else:
                if not family:
                    readings = _read_opposites(tokens, language, readings)
                if not family or any(reading.stem for reading in readings):
                    yield family, readings


def _families(language: Language, tokens: Iterable[Words]) -> list[str]:
    """Return the families of the phrases that may occur, the most frequent first."""
    counts: Counter[str] = Counter()
    for words in tokens:
        present = {
            family
            for word in words
            for phrase, meanings in language.phrases.get(word, ())
            if phrase[-1] in words
            for family in meanings
        }
        counts.update(present)
    del counts[""]
    return sorted(counts, key=lambda family: (-counts[family], family_names().index(family)))


class _Reader:
    """Collects the meanings of a label's phrases."""

    def __init__(self) -> None:
        self.degrees: list[float] = []
        self.poles: list[float] = []
        self.points: list[float] = []
        self.flags: set[str] = set()
        self.rest: list[str] = []

    def add(self, phrase: Words, kind: str, value: float) -> None:
        """Add a phrase."""
        if kind == "degree":
            self.degrees.append(value)
        elif kind == "pole":
            self.poles.append(value)
        elif kind == "point":
            self.points.append(value)
        elif kind == "not" or (kind == "denial" and not self.poles):
            self.flags.add("not" if self.degrees else "not before a degree")
        elif kind == "rest":
            self.rest.extend(phrase)
        else:
            self.flags.add(kind)

    def reading(self) -> Reading | None:
        """Return what the label says; ``None`` if nothing is known."""
        stem: Literal["", "pole", "point"] = "point" if self.points else "pole" if self.poles else ""
        has_degree = bool(self.degrees) or bool(self.flags & _NEGATIONS)
        value, kind = self._meaning(stem, has_degree)
        is_middle = stem == "point" and all(abs(point) <= _NEUTRAL for point in self.points)
        if (kind == "bare" and not self.rest) or (is_middle and self.degrees):  # "very fair" is not "fair"
            return None
        return Reading(
            round(value, 3),
            kind,
            tuple(sorted(word.removesuffix("s") for word in self.rest)),
            stem,
            has_degree,
        )

    def _meaning(self, stem: str, has_degree: bool) -> tuple[float, _Kind]:
        if "neither" in self.flags or len(set(self.poles)) > 1 or ("neutral" in self.flags and not stem):
            return 0, "neutral"
        if "unsure" in self.flags and not stem:
            return 0, "unsure"
        if stem == "point":
            return self._point_position(), "opposite" if min(self.points) < 0 else "amount"
        if not (stem or has_degree):
            return PLAIN, "bare"
        pole = self.poles[0] if self.poles else 1.0
        if "at all" in self.flags:
            return -1, "opposite" if pole < 0 else "amount"
        strength, is_flipped = self._strength()
        return pole * strength, "opposite" if pole < 0 or is_flipped else "amount"

    def _strength(self) -> tuple[float, bool]:
        """Return the degree, negative if it is negated, and whether a negation turns it to the opposite."""
        lowest, highest = min(self.degrees, default=PLAIN), max(self.degrees, default=PLAIN)
        strength = lowest if lowest < 0 else highest
        if _NOT_VERY <= lowest < 0 and highest > PLAIN:  # "very little" is less than "little"
            strength = lowest - _LESS
        if strength < 0 or not self.flags & _NEGATIONS:
            return strength, False
        if self.degrees and "not before a degree" in self.flags:
            return _NOT_VERY, False
        return -strength, True

    def _point_position(self) -> float:
        """Return the position of words with fixed positions, moved by their degree."""
        point = sum(self.points) / len(self.points)
        sign = 1 if point > 0 else -1
        lowest = -1.0 if "at all" in self.flags else min(self.degrees, default=0.0)
        if lowest < 0:
            return min(point, lowest)
        if self.flags & _NEGATIONS:  # "not often"; "never" stays so, as many languages negate twice
            return _NOT_VERY if point > 0 else point
        if len(self.points) > 1 or not self.degrees:
            return point
        return point + sign * (max(self.degrees) - PLAIN) * _SHIFT


def _read(
    words: Words, language: Language, family: str, opposites: Mapping[str, float] | None = None
) -> Reading | None:
    """Read a label in a language and a family."""
    reader = _Reader()
    between = _without_pair(words, language)
    if between is not None:
        reader.flags.add("neither")
    for phrase, meanings in split_phrases(between or words, language.phrases, family):
        pole = (opposites or {}).get(phrase[0]) if len(phrase) == 1 else None
        if pole is not None:
            reader.add(phrase, "pole", pole)
            continue
        kind, value = meanings.get(family) or meanings.get("") or ("rest", 0.0)
        reader.add(phrase, kind, value)
    return reader.reading()


def _without_pair(words: Words, language: Language) -> Words | None:
    """Remove the words of "neither ... nor"; ``None`` if they do not occur."""
    for first, second in language.pairs:
        start = _find(words, first, 0) if first[0] in words else -1
        after = _find(words, second, start + len(first)) if start >= 0 else -1
        if after >= 0:
            return words[:start] + words[start + len(first) : after] + words[after + len(second) :]
    return None


def _find(words: Words, phrase: Words, start: int) -> int:
    ends = range(start, len(words) - len(phrase) + 1)
    return next((index for index in ends if words[index : index + len(phrase)] == phrase), -1)


def _read_opposites(tokens: Sequence[Words], language: Language, readings: list[Reading]) -> list[Reading]:
    """Read labels anew if their other words are a pair of opposites, such as "safe" and "unsafe"."""
    others = {word for reading in readings for word in reading.rest}
    pairs = [
        (word, prefix + word) for word in others for prefix in language.prefixes if prefix + word in others
    ]
    if len(pairs) != 1:
        return readings
    opposites = {pairs[0][0]: 1.0, pairs[0][1]: -1.0}
    return [reading for words in tokens if (reading := _read(words, language, "", opposites))]


def _scale(family: str, readings: Sequence[Reading]) -> Positions | None:
    """Return the positions of labels that are answers of one scale."""
    if not _share_rest(readings) or not _are_answers(family, readings):
        return None
    placed = _place_neutral(readings)
    if placed is None or len(set(placed)) < len(placed):
        return None
    reason = reason_of(family)
    is_doubtful = family == "yes/no" and any(reading.kind == "unsure" for reading in readings)
    if len(placed) < FEWEST_SCORED or (is_doubtful and not any(reading.has_degree for reading in readings)):
        return Positions(placed, None, reason, "medium")
    points = _known_scale(family, placed, readings)
    ranks = ranks_of(placed)
    steps = ranks if points is None else [float(point) for point in points[0]]
    is_complete = points is not None and points[1] == len(placed)
    return Positions(placed, steps, reason, "high" if is_complete else "medium")


def ranks_of(positions: Sequence[Any]) -> list[float] | None:
    """Return 1 to k by position; ``None`` for less than three."""
    ranking = sorted(set(positions))
    return (
        [float(ranking.index(position) + 1) for position in positions]
        if len(ranking) >= FEWEST_SCORED
        else None
    )


def _share_rest(readings: Sequence[Reading]) -> bool:
    """Return whether all labels have the same other words; a neutral answer and one more may have none."""
    rests = [reading.rest for reading in readings if reading.rest]
    if not rests:
        return True
    bare = sum(reading.kind == "bare" for reading in readings)
    without = sum(not reading.rest and reading.kind not in _MIDDLE for reading in readings)
    return len(set(rests)) == 1 and len(rests) > max(1, bare) and without <= 1


def _are_answers(family: str, readings: Sequence[Reading]) -> bool:
    """Return whether there are enough known words for a scale."""
    n_degrees = sum(reading.has_degree for reading in readings)
    n_stems = sum(bool(reading.stem) for reading in readings)
    if family in {"", "yes/no"}:
        return len(readings) >= FEWEST_SCORED and n_degrees + n_stems >= FEWEST_LABELS
    if 2 * n_stems < sum(reading.kind not in _MIDDLE for reading in readings):
        return False
    # Degrees have no place among words with fixed positions such as "often".
    are_fixed = all(reading.stem != "pole" for reading in readings)
    return not are_fixed or all(reading.stem or reading.value <= 0 for reading in readings)


def _place_neutral(readings: Sequence[Reading]) -> list[float] | None:
    """Return the positions, with the neutral one in the middle; ``None`` if two are neutral."""
    values = [reading.value for reading in readings]
    middle = [index for index, reading in enumerate(readings) if reading.kind in _MIDDLE]
    if not middle:
        return values
    others = sorted(value for index, value in enumerate(values) if index not in middle)
    if len(middle) > 1 or not others:
        return None
    is_unsure = readings[middle[0]].kind == "unsure"
    if is_unsure and not (others[0] < 0 < others[-1]):
        return None
    is_amount = all(reading.kind in {"amount", "neutral"} for reading in readings)
    if is_amount and others[0] < 0 < others[-1]:
        half = len(others) // 2
        values[middle[0]] = (others[half - 1] + others[half]) / 2 if len(others) % 2 == 0 else _NEUTRAL_AMOUNT
    return values


def _known_scale(
    family: str, positions: Sequence[float], readings: Sequence[Reading]
) -> tuple[list[int], int] | None:
    """Return the points of answers in a known scale, and its number of points; ``None`` if none fits."""
    are_amounts = all(reading.kind == "amount" for reading in readings)
    scales = [*scales_of(family), *(scales_of("degree") if are_amounts else ())]
    ranking = sorted(positions)
    n = len(positions)
    for scale in scales:
        # The highest answer of a scale may be "very", "extremely" or "completely".
        highest = max(scale[-1], ranking[-1]) if abs(scale[-1] - ranking[-1]) < _TOP_TOLERANCE else scale[-1]
        if len(scale) == n and _points_of([*scale[:-1], highest], [*ranking[:-1], highest], _TOLERANCE):
            return [ranking.index(position) + 1 for position in positions], n
    if any(reading.kind != "amount" and reading.stem != "point" for reading in readings):
        return _symmetric_scale(positions, with_gaps=family != "yes/no")
    for scale in scales if n <= _MOST_WITH_GAPS else ():
        points = _points_of(scale, positions, _TOLERANCE)
        if points is None or len(scale) - n > _MOST_GAPS:
            continue
        # Scales of degrees differ in their inner points, so that only outer ones are known to be missing.
        if scale in scales_of(family) or max(points) - min(points) < n:
            return points, len(scale)
    return None


def _symmetric_scale(positions: Sequence[float], *, with_gaps: bool) -> tuple[list[int], int] | None:
    """Return the points of opposite answers: each step that occurs on one side exists on the other."""
    high = {round(position, 3) for position in positions if position > _NEUTRAL}
    low = {round(-position, 3) for position in positions if position < -_NEUTRAL}
    n_middle = sum(abs(position) <= _NEUTRAL for position in positions)
    has_middle = n_middle > 0
    if n_middle > 1 or not (high <= low or low <= high) or not (has_middle or (high and low)):
        return None
    steps = sorted(high | low)
    scale = [*(-step for step in reversed(steps)), *([0.0] if has_middle else []), *steps]
    missing = len(scale) - len(positions)
    most = 0 if not with_gaps or len(positions) > _MOST_WITH_GAPS else _MOST_GAPS if has_middle else 1
    if missing > most:
        return None
    nearest = [0.0 if abs(position) <= _NEUTRAL else round(position, 3) for position in positions]
    return [scale.index(position) + 1 for position in nearest], len(scale)


def _points_of(scale: Sequence[float], positions: Sequence[float], tolerance: float) -> list[int] | None:
    """Return the number of the point in a scale that is nearest to each position; ``None`` if one is far."""
    nearest = [
        min(range(len(scale)), key=lambda index: abs(scale[index] - position)) for position in positions
    ]
    far = any(
        abs(scale[index] - position) > tolerance for index, position in zip(nearest, positions, strict=True)
    )
    return None if far or len(set(nearest)) < len(positions) else [index + 1 for index in nearest]
