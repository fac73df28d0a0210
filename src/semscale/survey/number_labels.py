"""Positions of labels with numbers: rates, brackets, points, and names of months, weekdays and sizes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from math import inf
from os.path import commonprefix

from semscale.survey.label_words import number_words, orders_of_names, split_phrases, split_pieces
from semscale.survey.worded_labels import (
    FEWEST_LABELS,
    FEWEST_SCORED,
    Positions,
    ranks_of,
    readings_of,
    worded_positions,
)

_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,' ]\d{3})+")
_POINT_FIRST = re.compile(
    r"[\[(]?([-+−–]?\d{1,3})[\])]?(?:\s*[-–—=:.)/]\s*|\s+|(?=[\u3005-\u9fff])|$)(?![.,]?\d)(.*)"
)
_POINT_LAST = re.compile(r"(.*\D)(?:\s[–-]|\s*[(\[=:])\s*([-+−]?\d{1,3})\s*[)\]]?")
_LABELLED_POINT = re.compile(r"\d{1,3}\s*[-–—=:)]\s*[^\W\d]\D*")
_REMARK = re.compile(r"\d{1,3}\s*\([^\W\d]\D*\)")
_NEGATIVE = re.compile(r"[-−–]\s?\d")
_STARS = re.compile(r"([★⭐✩]+)[☆✰]*")
_LARGEST_POINT = 100
_YEARS = range(1900, 2101)
_DAYS_IN_YEAR = 365
_WEEKS_IN_YEAR = 53
_MOST_NUMBERS = 2
"""Largest number of numbers in a bracket or a date."""
_MOST_FORMS = 2
_SHORTEST_WORD = 3
_SELDOM = {"zero": 0.0, "never": 0.0, "hardly": 0.02, "rarely": 0.1, "sometimes": 0.2, "below": 0.05}
"""Rates of words without a unit of time, which are below all others."""
_FACTORS = {"below": 0.6, "above": 1.3, "nearly": 0.9}
"""Factors of words beside a unit of time."""
_IMPLIED = {"once": {"occasions"}, "repeatedly": {"several", "occasions"}, "number": set[str]()}
"""Signs that words of a kind have besides or instead of their kind."""


@dataclass(frozen=True)
class _Quantity:
    """The numbers of a label and the words around them.

    Attributes:
        numbers: the numbers, as written.
        units: for each number its unit in days; ``None`` if it has none.
        all_units: all units of time.
        signs: kinds of words around, such as ``below`` and ``every``.
        is_every: whether the numbers come after "every".
        rest: other words.
    """

    numbers: tuple[float, ...]
    units: tuple[float | None, ...]
    all_units: tuple[float, ...]
    signs: frozenset[str]
    is_every: bool
    rest: tuple[str, ...]

    def bracket(self, *, in_days: bool) -> tuple[float, float] | None:
        """Return the lower bound and the upper one; the bracket above a number has no upper bound."""
        numbers = list(self.numbers)
        if in_days:
            if None in self.units:
                return None
            numbers = [number * (unit or 1) for number, unit in zip(numbers, self.units, strict=True)]
        if not numbers and self.signs & {"zero", "never"}:
            return 0, 0
        if not numbers or len(numbers) > _MOST_NUMBERS:
            return None
        low, high = min(numbers), max(numbers)
        if len(numbers) > 1:
            return low, high
        if "below" in self.signs:
            return 0, high - 1e-9
        return (low, inf) if "above" in self.signs else (low, low)

    @property
    def is_rate(self) -> bool:
        """True if it says how often something happens in a unit of time."""
        return bool(self.signs & {"every", "per", "adverb", "occasions"}) and len(set(self.all_units)) == 1

    def rate(self) -> float | None:
        """Return how often something happens in a year; ``None`` if that is unknown."""
        if self.rest:
            return None
        if not self.is_rate:
            seldom = [rate for sign, rate in _SELDOM.items() if sign in self.signs]
            return None if self.numbers or self.all_units or not seldom else seldom[0]
        unnamed = 3.0 if "several" in self.signs else 1.0
        number = sum(self.numbers) / len(self.numbers) if self.numbers else unnamed
        if self.is_every and not number:
            return None
        rate = _DAYS_IN_YEAR / self.all_units[0] * (1 / number if self.is_every else number)
        for sign, factor in _FACTORS.items():
            rate *= factor if sign in self.signs else 1
        return rate


def rate_positions(texts: Sequence[str]) -> Positions | None:
    """Order rates such as "daily" and "2-3 times a month"."""
    quantities = [_quantity(text) for text in texts]
    if sum(quantity.is_rate for quantity in quantities) < FEWEST_LABELS:
        return None
    rates = [quantity.rate() for quantity in quantities]
    if None in rates:
        return None
    return Positions(rates, ranks_of(rates), "rates, from seldom to often")


def date_positions(texts: Sequence[str]) -> Positions | None:
    """Order years and parts of years, such as "Q1 2026" and "2026-03"."""
    quantities = [_quantity(text) for text in texts]
    dates = [_date(quantity.numbers) for quantity in quantities]
    if None in dates or len({quantity.rest for quantity in quantities}) > 1:
        return None
    return Positions(dates, None, "dates in the labels")


def _date(numbers: Sequence[float]) -> tuple[float, float] | None:
    """Return the year and its part; the part of a year alone is 0."""
    year = max(numbers, default=0)
    part = min(numbers) if len(numbers) > 1 else 0
    is_date = len(numbers) <= _MOST_NUMBERS and year in _YEARS and part <= _WEEKS_IN_YEAR
    return (year, part) if is_date else None


def bracket_positions(texts: Sequence[str]) -> Positions | None:
    """Order brackets such as "18-24" and "65+", counts and durations."""
    if _are_labelled_points(texts) or any(_NEGATIVE.match(text) for text in texts):
        return None
    quantities = [_quantity(text) for text in texts]
    brackets = _comparable_brackets(quantities)
    if None in brackets or sum(bool(quantity.numbers) for quantity in quantities) < FEWEST_LABELS:
        return None
    are_counts = all("points" in q.signs and not q.signs & {"below", "above"} for q in quantities)
    if are_counts and len(texts) >= FEWEST_SCORED and all(len(q.numbers) == 1 for q in quantities):
        return Positions(brackets, [q.numbers[0] for q in quantities], "numbers in the labels")
    return Positions(brackets, None, "numbers in the labels; a range counts by its lower end")


def _are_labelled_points(texts: Sequence[str]) -> bool:
    """Return whether texts are points of which some have words: "1 - not at all", "2", "3. very"."""
    if all(text.isdecimal() or _LABELLED_POINT.fullmatch(text) or _has_remark(text) for text in texts):
        return True
    words = [text for _, text in _points_first(texts) or () if text]
    return (
        len(words) >= FEWEST_LABELS and len(set(words)) == len(words) and worded_positions(words) is not None
    )


def _has_remark(text: str) -> bool:
    """Return whether a number has words in brackets, other than "10 (or more)"."""
    return bool(_REMARK.fullmatch(text)) and not _quantity(text).signs & {"below", "above"}


def _comparable_brackets(quantities: Sequence[_Quantity]) -> list[tuple[float, float] | None]:
    """Return the brackets if they count the same; ``None`` for those that do not."""
    rests = {quantity.rest for quantity in quantities if quantity.rest and quantity.numbers}
    units = {unit for quantity in quantities for unit in quantity.units if unit}
    in_days = len(units) > 1
    is_mixed_rate = in_days and any(quantity.is_rate for quantity in quantities)
    if is_mixed_rate or not (len(rests) <= 1 or _are_forms(rests)):
        return [None]
    return [quantity.bracket(in_days=in_days) for quantity in quantities]


def _are_forms(rests: set[tuple[str, ...]]) -> bool:
    """Return whether words are two forms of one, such as "child" and "children"."""
    words = sorted((rest[0] for rest in rests if len(rest) == 1), key=len)
    if len(rests) > _MOST_FORMS or len(words) < len(rests):
        return False
    return len(commonprefix(words)) >= max(_SHORTEST_WORD, len(words[0]) - 1)


def point_positions(texts: Sequence[str]) -> Positions | None:
    """Order points such as "1 - Very bad", "Very likely (5)", and stars."""
    stars = [_STARS.fullmatch(text) for text in texts]
    if all(stars):
        numbers = [float(len(match[1])) for match in stars if match]
        return Positions(numbers, numbers, "numbers of stars")
    pairs = _points_first(texts) or _points_last(texts)
    if pairs is None or max(abs(point) for point, _ in pairs) > _LARGEST_POINT:
        return None
    points = [point for point, _ in pairs]
    scored = Positions(points, points if len(texts) >= FEWEST_SCORED else None, "numbers in the labels")
    worded = [(point, text) for point, text in pairs if text]
    return _judge_words(scored, worded) if worded else scored


def _judge_words(scored: Positions, worded: Sequence[tuple[float, str]]) -> Positions | None:
    """Return the order of points with words: without scores if the words are of no scale, as of brands."""
    words = [text for _, text in worded]
    order = worded_positions(words) if len(set(words)) == len(words) else None
    if order is not None:
        return _with_direction(scored, [point for point, _ in worded], order.positions)
    n = len(scored.positions)
    if 2 * len(worded) <= n or _are_mostly_known(words):
        return scored
    if max(scored.positions) - min(scored.positions) >= 2 * n:  # a number such as in "7 Eleven"
        return None
    return replace(scored, scores=None, reason="numbers before the labels", confidence="low")


def _with_direction(scored: Positions, points: Sequence[float], positions: Sequence[float]) -> Positions:
    """Say if the words of numbered points run from positive to negative, as school grades do."""
    ranking = [position for _, position in sorted(zip(points, positions, strict=True))]
    steps = [second - first for first, second in pairwise(ranking)]
    if all(step > 0 for step in steps):
        return scored
    falls = all(step < 0 for step in steps)
    reason = "numbers in the labels, whose words run from positive to negative"
    return replace(scored, reason=reason if falls else scored.reason, confidence="medium")


def _are_mostly_known(words: Sequence[str]) -> bool:
    """Return whether at least half of the words are of one scale."""
    different = list(dict.fromkeys(words))
    known = [text for text in different if next(readings_of([text]), None)]
    enough = len(known) >= FEWEST_LABELS and 2 * len(known) >= len(different)
    return enough and worded_positions(known) is not None


def _points_first(texts: Sequence[str]) -> list[tuple[float, str]] | None:
    matches = [_POINT_FIRST.fullmatch(text) for text in texts]
    return (
        [(_signed(match[1]), match[2].strip(" )(")) for match in matches if match] if all(matches) else None
    )


def _points_last(texts: Sequence[str]) -> list[tuple[float, str]] | None:
    pairs = []
    for text in texts:
        match, bare = _POINT_LAST.fullmatch(text), _POINT_FIRST.fullmatch(text)
        if match:
            pairs.append((_signed(match[2]), match[1].strip(" ([=:–-")))
        elif bare and not bare[2]:
            pairs.append((_signed(bare[1]), ""))
        else:
            return None
    return pairs


def _signed(text: str) -> float:
    return float(text.replace("−", "-").replace("–", "-"))


def name_positions(texts: Sequence[str]) -> Positions | None:
    """Order names of months, weekdays and sizes."""
    names = [text.rstrip(".") for text in texts]
    for kind, known in orders_of_names():
        if all(name in known for name in names):
            return Positions([known[name] for name in names], None, f"names of {kind}")
    return None


@lru_cache(maxsize=1024)
def _quantity(text: str) -> _Quantity:
    """Read the numbers of a label and the words around them."""
    reader = _QuantityReader()
    for phrase, meanings in split_phrases(split_pieces(text), number_words(), ""):
        if phrase[0][0].isdecimal():
            reader.add_number(_to_float(phrase[0]))
        elif meanings:
            reader.add(*meanings[""])
        else:
            reader.rest.extend(word.removesuffix("s") for word in phrase if word[0].isalpha())
    return reader.quantity()


def _to_float(text: str) -> float:
    """Read a number with the thousands signs of any country."""
    if _THOUSANDS.fullmatch(text):
        return float(re.sub(r"\D", "", text))
    return float(re.sub(r"[ ']", "", text).replace(",", "."))


@dataclass
class _QuantityReader:
    """Collects the numbers and signs of a label; see ``_Quantity``."""

    numbers: list[float] = field(default_factory=list)
    units: list[float | None] = field(default_factory=list)
    all_units: list[float] = field(default_factory=list)
    signs: set[str] = field(default_factory=set)
    is_every: bool = False
    rest: list[str] = field(default_factory=list)

    def add(self, kind: str, value: float) -> None:
        """Add a word of a kind."""
        self.signs |= _IMPLIED.get(kind, {kind})
        if kind in {"number", "once"}:
            self.add_number(value)
        elif kind in {"unit", "adverb"}:
            self.all_units.append(value)
            self.units = [value if unit is None else unit for unit in self.units]
        elif kind == "multiplier":
            self._multiply(value)

    def add_number(self, value: float) -> None:
        """Add a number."""
        self.is_every = self.is_every or (not self.numbers and "every" in self.signs)
        self.numbers.append(value)
        self.units.append(None)

    def _multiply(self, factor: float) -> None:
        """Multiply the last number, and a smaller one before it: "20-40k"."""
        last = self.numbers[-1] if self.numbers else 0.0
        *before, _ = self.numbers or [0.0]
        self.numbers = [n * factor if n < last else n for n in before] + (
            [last * factor] if self.numbers else []
        )

    def quantity(self) -> _Quantity:
        """Return all that was read; "a week" is one week."""
        if self.all_units and not self.numbers and not self.signs & {"several", "zero", "never"}:
            self.numbers, self.units = [1.0], [self.all_units[0]]
        return _Quantity(
            tuple(self.numbers),
            tuple(self.units),
            tuple(self.all_units),
            frozenset(self.signs),
            self.is_every,
            tuple(self.rest),
        )
