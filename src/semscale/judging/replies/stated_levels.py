"""Reads the level that is stated at one place of a reply: ``4``, ``4/5``, ``4 (Mostly correct)``.

What contradicts itself (``4/10`` on five levels, ``4 (Completely correct)``) or can mean two things
(``4.000``) is no level.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from semscale.judging.prompts.template import Level, Template

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_OPENERS = re.compile(r"[\"'(\[{<]*[ \t]*")
_CLOSERS = re.compile(r"[ \t]*[\"')\]}>]*")
_NO_MORE = r"(?![\w%]|[.,]\d|[ \t]*[/\\^*×~+?][ \t]*\w?|-\w)"


@dataclass(frozen=True)
class StatedLevel:
    """A level that a reply states, and where.

    Attributes:
        score: from 0 to 1.
        start: where the words that state it begin.
        end: where they end.
        after: where reading goes on, past closing brackets and a denominator.
        named: whether a name states it, not a number alone.
    """

    score: float
    start: int
    end: int
    after: int
    named: bool


class LevelReader:
    """Reads levels of one template."""

    def __init__(self, template: Template) -> None:
        self.template = template

    @cached_property
    def signed(self) -> bool:
        """Whether a minus is part of a number."""
        return any((level.number or 0) < 0 for level in self.template.levels)

    @cached_property
    def _by_number(self) -> dict[float, Level]:
        return {level.number: level for level in self.template.levels if level.number is not None}

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """Lowest and highest number, if the levels have numbers."""
        if self.template.highest is not None:
            return 0.0, float(self.template.highest)
        return (min(self._by_number), max(self._by_number)) if self._by_number else None

    @cached_property
    def _free(self) -> dict[str, float]:
        levels = self.template.levels
        return {_key(name): level.score for level in levels for name in (level.label, *level.also)}

    @cached_property
    def _keyed(self) -> dict[str, float]:
        keyed = {_key(name): level.score for level in self.template.levels for name in level.keyed}
        numerals = {
            word: self._by_number[number].score
            for number, word in enumerate(_WORDS)
            if number in self._by_number and not self.signed
        }
        return {**numerals, **keyed, **self._free}

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        return _any_of(self._free), _any_of(self._keyed)

    @cached_property
    def _scale_words(self) -> re.Pattern[str]:
        return re.compile(
            r"[ \t]*,?[ \t]*(?:on|in|using|with)[ \t]+(?:a|the)[ \t]+"
            r"(?:scale[ \t]+(?:of|from)[ \t]+)?(?:from[ \t]+)?"
            r"(-?\d+)[ \t]*(?:-|–|to)[ \t]*(-?\d+)(?:[ \t]+scale)?",
            re.IGNORECASE,
        )

    def is_range(self, low: str, high: str) -> bool:
        """Whether two numbers are the ends of the template's scale."""
        return self.ends == (float(low), float(high))

    def is_top(self, number: str) -> bool:
        """Whether a number is the highest of the template's scale, as in ``4/5``."""
        return self.ends is not None and float(number) == self.ends[1]

    def read(self, text: str, at: int, *, keyed: bool = False) -> StatedLevel | None:
        """Read the level that is stated at a place.

        Args:
            text: as ``readable`` gives it.
            at: where the statement must begin, brackets and quotes apart.
            keyed: whether a word such as ``Score`` goes before.

        Returns:
            The level, or ``None`` if none is stated or what is stated contradicts itself.
        """
        opened = _OPENERS.match(text, at)
        start = opened.end() if opened else at
        return self._numeral(text, start) or self._name(text, start, keyed=keyed)

    def _numeral(self, text: str, start: int) -> StatedLevel | None:
        found = _NUMBER.match(text, start)
        if found is None or self.ends is None:
            return None
        rest, explicit = self._denominator(text, found.end())
        if rest is None:
            return None
        score = self._score(found[0], explicit=explicit)
        if score is None:
            return None
        return self._with_name(text, StatedLevel(score, start, found.end(), rest, named=False))

    def _denominator(self, text: str, at: int) -> tuple[int | None, bool]:
        """Read past ``/5``, ``out of 5``, ``points`` or ``%``; ``None`` where these contradict the scale."""
        unit = re.compile(r"[ \t]*(?:points?|pts|stars?)\b", re.IGNORECASE).match(text, at)
        at = unit.end() if unit else at
        if self.template.highest == 100:  # noqa: PLR2004 - only hundredths are per cent
            percent = re.compile(r"[ \t]*%|[ \t]+per[ ]?cent\b", re.IGNORECASE).match(text, at)
            if percent:
                return (percent.end() if _ends(text, percent.end()) else None), True
        over = re.compile(
            r"[ \t]*/[ \t]*(\d+)"
            r"|[ \t]+(?:out[ \t]+)?of[ \t]+(?:a[ \t]+(?:possible|maximum)[ \t]+)?(?:of[ \t]+)?(\d+)"
        ).match(text, at)
        if over:
            top = over[1] or over[2]
            agrees = self.is_top(top) and self.ends is not None and self.ends[0] >= 0
            return (over.end() if agrees and _ends(text, over.end()) else None), True
        scale = self._scale_words.match(text, at)
        if scale:
            return (scale.end() if self.is_range(scale[1], scale[2]) else None), True
        return (at if _ends(text, at) else None), False

    def _score(self, written: str, *, explicit: bool) -> float | None:
        """The score of a number as it is written; ``None`` if it is no level, or can mean two numbers."""
        digits = written.lstrip("+-")
        if (written.startswith("-") and not self.signed) or not _is_plain(digits):
            return None
        number = float(written.replace(",", "."))
        if self.template.highest is None:
            level = self._by_number.get(number)
            return None if level is None else level.score
        fraction = not digits.isdecimal()
        if number > self.template.highest or (fraction and not explicit and 0 < number <= 1):
            return None  # 0.85 and 1.0 may be meant on 0 to 1
        return number / self.template.highest

    def _with_name(self, text: str, level: StatedLevel) -> StatedLevel | None:
        """Read a name after the number, which must be that of the same level."""
        closed = _CLOSERS.match(text, level.after)
        after = closed.end() if closed else level.after
        between = re.compile(r"[ \t]*(?:[-–—:=,.(\[]+[ \t]*)?[\"']?").match(text, level.after)
        name = self._name(text, between.end() if between else after, keyed=True, alone=True)
        if name is None:
            return StatedLevel(level.score, level.start, level.end, after, level.named)
        return (
            StatedLevel(level.score, level.start, level.end, name.after, named=True)
            if name.score == level.score
            else None
        )

    def _name(self, text: str, start: int, *, keyed: bool, alone: bool = False) -> StatedLevel | None:
        found = self._patterns[keyed].match(text, start)
        if found is None:
            return None
        score = self._keyed.get(_key(found[0]))
        closed = _CLOSERS.match(text, found.end())
        after = closed.end() if closed else found.end()
        if score is None:
            return None  # letters that are alike only to the pattern, such as a dotless i
        number = re.compile(r"[\"']?[ \t]*[(\[:,=][ \t]*(?=[+-]?\d)").match(text, found.end())
        if alone or number is None or self.ends is None:
            return StatedLevel(score, start, found.end(), after, named=True)
        stated = self._numeral(text, number.end())
        if stated is None or stated.score != score:
            return None
        return StatedLevel(score, start, found.end(), stated.after, named=True)


def _is_plain(digits: str) -> bool:
    """Whether a number can mean one thing only: ``4``, ``85.5`` or ``85,5``; not ``4.000``."""
    whole, *fractions = re.split(r"[.,]", digits)
    if len(fractions) > 1 or (whole != "0" and whole.startswith("0")):
        return False
    return not fractions or len(fractions[0]) != 3  # noqa: PLR2004 - three digits may be thousands


def _ends(text: str, at: int) -> bool:
    return re.compile(_NO_MORE).match(text, at) is not None


def _key(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold()))


def _any_of(names: dict[str, float]) -> re.Pattern[str]:
    """A pattern of all names, the longest first; hyphens and underscores stand for spaces."""
    ordered = sorted(names, key=len, reverse=True)
    words = "|".join(r"[\s_-]+".join(map(re.escape, name.split())) for name in ordered)
    return re.compile(rf"(?:{words})(?![\w%]|['-]\w|[ \t]*/)" if words else r"(?!)", re.IGNORECASE)
