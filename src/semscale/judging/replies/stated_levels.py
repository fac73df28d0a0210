"""Reads the level that is stated at one place of a reply: ``4``, ``4/5``, ``4 (Mostly correct)``.

What contradicts itself (``4/10`` on five levels, ``4 (Completely correct)``) or can mean two things
(``4.000``) is no level.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from semscale.judging.replies.grammar.lexicon import numerals, translated
from semscale.judging.templates import Level, Template

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")
_TEN = 10
_OPENERS = re.compile(r"[\"'(\[{<]*[ \t]*")
_CLOSERS = re.compile(r"[ \t]*[\"')\]}>]*")
_NO_MORE = r"(?![\w%]|[.,:]\d|[ \t]*[/\\^*×~+?][ \t]*\w?|-\w)"


@dataclass(frozen=True)
class StatedLevel:
    """A level that a reply states, and where.

    Attributes:
        score: from 0 to 1.
        start: where the words that state it begin.
        end: where they end.
        after: where reading goes on, past closing brackets and a denominator.
        named: whether a name states it, not a number alone.
        paired: whether a name and a number state it together: ``4 (Mostly correct)``.
        spelled: whether a numeral states it: ``four``.
    """

    score: float
    start: int
    end: int
    after: int
    named: bool
    paired: bool = False
    spelled: bool = False

    def moved(self, places: int) -> "StatedLevel":
        """The same level that many characters further on."""
        return replace(self, start=self.start + places, end=self.end + places, after=self.after + places)


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
        return {**translated(self._free), **self._numerals, **keyed, **self._free}

    @cached_property
    def _numerals(self) -> dict[str, float]:
        """Scores of the numerals of this scale's whole numbers, as ``four`` or ``eighty-five``."""
        if self.signed:
            return {}
        if self.template.highest is not None:
            return {
                word: number / self.template.highest
                for word, number in numerals().items()
                if number <= self.template.highest
            }
        return {
            word: self._by_number[number].score
            for word, number in numerals().items()
            if number in self._by_number
        }

    @cached_property
    def mentioned(self) -> re.Pattern[str]:
        """Finds where a level may begin: at a number, or at a name or a numeral of one."""
        return re.compile(
            rf"(?<![\w.,+-])[+-]?\d+"
            rf"|(?<![\w-])(?<!\w')(?:{_words_of(self._keyed)})(?![\w%]|[ \t]+(?:myself|my|that[.,;])(?!\w))",
            re.IGNORECASE,
        )

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

    @cached_property
    def _truth(self) -> tuple[float, float] | None:
        """Scores of the levels that "true" and "false" name, if both do."""
        keyed = {_key(name): level.score for level in self.template.levels for name in level.keyed}
        return (keyed["true"], keyed["false"]) if {"true", "false"} <= keyed.keys() else None

    def name_score(self, name: str) -> float | None:
        """The score of the level of that name."""
        return self._keyed.get(_key(name))

    def opposite(self, name: str) -> float | None:
        """What the answer is if it is not what a name says; ``None`` where that is not plain."""
        score = self.name_score(name)
        if self._truth is None or score not in self._truth:
            return None
        return self._truth[1] if score == self._truth[0] else self._truth[0]

    def is_range(self, low: str, high: str) -> bool:
        """Whether two numbers are the ends of the template's scale."""
        return self.ends == (float(low), float(high))

    def is_top(self, number: str) -> bool:
        """Whether a number is the highest of the template's scale, as in ``4/5``."""
        value = numerals().get(number.lower())
        return self.ends is not None and (float(number) if value is None else value) == self.ends[1]

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
        unit = re.compile(
            r"[ \t]*(?:(?:points?|pts|stars?|punkten?|puntos|punti|pontos|балл\w*)\b|[分点점])", re.IGNORECASE
        ).match(text, at)
        at = unit.end() if unit else at
        if self.template.highest == 100:  # noqa: PLR2004 - only hundredths are per cent
            percent = re.compile(r"[ \t]*%|[ \t]+per[ ]?cent\b", re.IGNORECASE).match(text, at)
            if percent:
                return (percent.end() if _ends(text, percent.end()) else None), True
        over = re.compile(
            r"[ \t]*/[ \t]*(\d+)"
            r"|[ \t]+(?:(?:out[ \t]+)?of|von|sur|sobre|de|su|di|из|من|van|av)[ \t]+"
            r"(?:a[ \t]+(?:possible|maximum)[ \t]+)?(?:of[ \t]+)?(\d+)"
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
        unclear = fraction and not explicit and (0 < number <= _TEN or "," in digits)
        if number > self.template.highest or unclear:
            return None  # 0.85 and 9.5 may be meant on 0 to 1 and on 0 to 10, and 85,5 may be two numbers
        return number / self.template.highest

    def _with_name(self, text: str, stated: StatedLevel) -> StatedLevel | None:
        """Read a name after the number, which must be that of the same level."""
        closed = _CLOSERS.match(text, stated.after)
        after = closed.end() if closed else stated.after
        between = re.compile(r"[ \t]*(?:[-–—:=,.(\[]+[ \t]*)?[\"']?").match(text, stated.after)
        name = self._name(text, between.end() if between else after, keyed=True, alone=True)
        bracketed = between is not None and between[0].strip(" \t\"'") in {"(", "["}
        if name is not None and name.spelled and bracketed:
            bracketed = text[name.end : name.end + 1] in {")", "]"}
        if name is None or (name.spelled and not bracketed):
            return replace(stated, after=after)
        if name.score == stated.score:
            return replace(stated, after=name.after, named=True, paired=True)
        return None

    def _name(self, text: str, start: int, *, keyed: bool, alone: bool = False) -> StatedLevel | None:
        found = self._patterns[keyed].match(text, start)
        if found is None:
            return None
        score = self._keyed.get(_key(found[0]))
        if score is None:
            return None  # letters that are alike only to the pattern, such as a dotless i
        spelled = _key(found[0]) in self._numerals
        end = self._spelled_top(text, found.end()) if spelled else found.end()
        closed = _CLOSERS.match(text, end)
        after = closed.end() if closed else end
        number = re.compile(r"[\"']?[ \t]*[(\[:,=][ \t]*(?=[+-]?\d)").match(text, end)
        stated = StatedLevel(score, start, found.end(), after, named=not spelled, spelled=spelled)
        if alone or number is None or self.ends is None:
            return stated
        other = self._numeral(text, number.end())
        if other is None and text[number.start() : number.end()].strip() in {"(", "["}:
            return stated if re.compile(r"\d+[ \t]+[^\W\d_]").match(text, number.end()) else None
        if other is None or other.score != score:
            return stated if text[number.start() : number.end()].strip() == "," else None
        return replace(stated, after=other.after, paired=not spelled)

    def _spelled_top(self, text: str, at: int) -> int:
        """Read past ``out of five``."""
        top = re.compile(
            r"[ \t]+(?:points[ \t]+|stars[ \t]+)?(?:(?:out[ \t]+)?of|von|sur|sobre|de|su)[ \t]+"
            r"(?:a[ \t]+)?([\w-]+)"
        ).match(text, at)
        if top is None or self.ends is None:
            return at
        number = float(top[1]) if top[1].isdecimal() else numerals().get(_key(top[1]))
        return top.end() if number == self.ends[1] else at


def _is_plain(digits: str) -> bool:
    """Whether a number can mean one thing only: ``4``, ``85.5`` or ``85,5 %``; not ``4.000``."""
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
    words = _words_of(names)
    return re.compile(rf"(?:{words})(?![\w%]|['-]\w|[ \t]*/)" if names else r"(?!)", re.IGNORECASE)


def _words_of(names: Iterable[str]) -> str:
    return _alternatives(tuple(names))


@lru_cache(maxsize=64)
def _alternatives(names: tuple[str, ...]) -> str:
    ordered = sorted(names, key=len, reverse=True)
    return "|".join(r"[ \t_-]+".join(map(re.escape, name.split())) for name in ordered) or "(?!)"
