"""Numbers of texts in any language: those in digits with their possible values, and known number words."""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

from semscale.guards.lexicons import read_lexicon

_MARKS = ".,٫٬．，'’"
_SPACES = " \u00a0\u2009\u202f"
_FIGURE = re.compile(rf"(?<![A-Za-zÀ-ɏ\d])(?<![A-Z][-–])\d+(?:[{_MARKS}]\d+|[{_SPACES}]\d{{3}}(?!\d))*")
_SEPARATOR = re.compile(rf"[{_MARKS}{_SPACES}]")
_AS_ASCII = str.maketrans("٫٬．，’\u00a0\u2009\u202f", "·'.,'   ")
"""Arabic marks are clear: a decimal one becomes a middle dot, one of thousands an apostrophe."""
_CHINESE = str.maketrans("零〇一二三四五六七八九两兩", "0012345678922")
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_CHINESE_WORD = re.compile("[零〇一二三四五六七八九十百千两兩]+")
_COUNT = r"\d+(?:,\d{3})*(?:\.\d+)?"
_MYRIAD_FIGURE = re.compile(rf"(?:{_COUNT}[千百]?[万萬億亿兆])+(?:\d+(?:,\d{{3}})*)?")
_MYRIAD_PART = re.compile(rf"({_COUNT})([千百]?)([万萬億亿兆]?)")
_POWERS = {
    r"taus\w*|thous\w*|tsd|k|mil|mille|mila|duiz\w*|milhares|milliers?|тыс\w*|ألف|آلاف": (3,),
    r"mio|mill|mln|mn|mil[lhj]?(?:i[oó]n|oen|ão|ões|ón)\w*|млн|миллион\w*|مليون|ملايين": (6,),
    r"mld|mrd|bn|mil[lj]?(?:iard|ard)\w*|млрд|миллиард\w*|مليار": (9,),
    r"bill|bil[lhj]?(?:i[oó]n|ão|ões|ón)\w*": (9, 12),  # a thousand millions, or a million of them
}
"""Powers of ten of the words that multiply a number; whole words, as "Milligramm" does not."""
_SIGNS = {"百": 2, "千": 3, "万": 4, "만": 4, "億": 8, "亿": 8, "억": 8}
_MAGNITUDES = [
    *(
        (re.compile(rf"\s?(?:{words})(?![^\W\d_])", re.IGNORECASE), powers)
        for words, powers in _POWERS.items()
    ),
    *((re.compile(rf"\s?{sign}"), (power,)) for sign, power in _SIGNS.items()),
]
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_FIRST_TEN, _GROUP, _CLOCK_HOURS, _CLOCK_MINUTES = 20, 3, 24, 60
_ONE = 1
"""In many languages also the article, so that it is no number of which a text could lose one."""


@dataclass(frozen=True)
class WrittenFigure:
    """A number in digits.

    Attributes:
        start: where it starts in the text.
        end: where it ends, exclusively.
        shown: how it is written.
        values: what it may be: several where its mark may be a decimal one or one of thousands.
        parts: its whole numbers where it may be a date, a time or several numbers, such as 3.4.2024.
        plain: its values before a word such as "Mio." multiplies them.
    """

    start: int
    end: int
    shown: str
    values: frozenset[Decimal]
    parts: tuple[Decimal, ...] = ()
    plain: frozenset[Decimal] = frozenset()


@dataclass(frozen=True)
class StatedNumbers:
    """The numbers that a text states.

    Attributes:
        figures: those in digits.
        words: values of known number words.
        n_compounds: how many longer number words there are, such as "fünfundzwanzig", whose value is not
            computed.
        knows_words: whether number words of the text's language are known.
    """

    figures: tuple[WrittenFigure, ...]
    words: tuple[int, ...]
    n_compounds: int
    knows_words: bool

    @property
    def n(self) -> int:
        """How many numbers there are, without "one", which is often an article."""
        return len(self.figures) + sum(value != _ONE for value in self.words) + self.n_compounds


@lru_cache(maxsize=4096)
def read_numbers(text: str, language: str | None) -> StatedNumbers:
    """Read the numbers of a text.

    A mark followed by three digits ("1.000") is decimal or one of thousands as the language has it, and may
    be either where the language is not clear or its writers differ. Digits of all scripts count. Signs, units
    and percents are not read, and digits within names ("B12") are none.

    Args:
        text: the text.
        language: ISO 639-1 code; ``None`` where it is not clear.

    Example:
        >>> [sorted(map(int, one.values)) for one in read_numbers("1.000 oder ٣", "de").figures]
        [[1000], [3]]
        >>> read_numbers("drei von 1.000", "de").words
        (3,)
    """
    figures = _read_figures(text, language)
    if language in {"ja", "zh"}:
        words = tuple(_chinese_value(found.group()) for found in _CHINESE_WORD.finditer(text))
        return StatedNumbers(figures, words, n_compounds=0, knows_words=True)
    known = _number_words(language or "")
    spoken = [found.group().casefold() for found in _WORD.finditer(text)] if known else []
    return StatedNumbers(
        figures,
        tuple(known[word] for word in spoken if word in known),
        n_compounds=sum(word not in known and _is_compound(word, language or "") for word in spoken),
        knows_words=bool(known),
    )


def _read_figures(text: str, language: str | None) -> tuple[WrittenFigure, ...]:
    found, place = [], 0
    while figure := _FIGURE.search(text, place):
        counted = _MYRIAD_FIGURE.match(text, figure.start()) or figure
        place = counted.end()
        shown = counted.group()
        if counted is figure:
            values, parts = _readings(_ascii(shown), language)
        else:
            values, parts = frozenset({_myriad_value(_ascii(shown))}), ()
        powers = _powers_at(text, place) if counted is figure else (0,)
        multiplied = frozenset(value * 10**power for value in values for power in powers)
        found.append(WrittenFigure(figure.start(), place, shown, multiplied, parts, values))
    return tuple(found)


def _powers_at(text: str, place: int) -> tuple[int, ...]:
    """Give the powers of ten by which what stands there may multiply the number before it."""
    return next((powers for words, powers in _MAGNITUDES if words.match(text, place)), (0,))


_Readings = tuple[frozenset[Decimal], tuple[Decimal, ...]]
"""A number's possible values, and its parts where it may be several numbers."""


def _readings(number: str, language: str | None) -> _Readings:
    marked = number.replace("·", ",")
    pieces, marks = _SEPARATOR.split(marked), _SEPARATOR.findall(marked)
    if not marks:
        return frozenset({Decimal(number)}), ()
    if "·" in number:
        return frozenset({_decimal(pieces)}), ()
    if set(marks) <= {" ", "'"}:
        return frozenset({Decimal("".join(pieces))}), _parts(pieces) if " " in marks else ()
    return _of_several_marks(pieces, marks) if len(marks) > 1 else _of_one_mark(pieces, marks[0], language)


def _of_several_marks(pieces: list[str], marks: list[str]) -> _Readings:
    """Read 1.234,56, where the last mark is the decimal one, or 1.234.567; all else is several numbers."""
    if len(set(marks)) == 1 and _is_grouped(pieces):
        return frozenset({Decimal("".join(pieces))}), ()
    if marks[-1] not in marks[:-1] and _is_grouped(pieces[:-1]):
        return frozenset({_decimal(pieces)}), ()
    return frozenset(), _parts(pieces)


def _of_one_mark(pieces: list[str], mark: str, language: str | None) -> _Readings:
    """Read 1.000, as the language has it, or 3,5; 14.30 may also be a time."""
    whole, joined = _decimal(pieces), Decimal("".join(pieces))
    if _is_grouped(pieces):
        decimal_mark = _decimal_mark(language)
        if decimal_mark is None:
            return frozenset({joined, whole}), ()
        return frozenset({whole if mark == decimal_mark else joined}), ()
    hours, minutes = _parts(pieces)
    is_clock = hours < _CLOCK_HOURS and minutes < _CLOCK_MINUTES and len(pieces[1]) == len("00")
    return frozenset({whole}), (hours, minutes) if is_clock else ()


def _parts(pieces: list[str]) -> tuple[Decimal, ...]:
    return tuple(Decimal(piece) for piece in pieces)


def _decimal(pieces: list[str]) -> Decimal:
    return Decimal(f"{''.join(pieces[:-1])}.{pieces[-1]}")


def _is_grouped(pieces: list[str]) -> bool:
    """Tell whether marks may be those of thousands: 1,000, also 1,00,000 as in India."""
    first, *others = pieces
    of_three = len(others[-1:]) == 0 or len(others[-1]) == _GROUP
    between = all(len(piece) in {_GROUP - 1, _GROUP} for piece in others)
    return len(first) <= _GROUP and not first.startswith("0") and of_three and between


def _decimal_mark(language: str | None) -> str | None:
    known = read_lexicon("languages", "semscale.guards.numbers")
    if language in known["comma"].split():
        return ","
    return "." if language in known["point"].split() else None


def _ascii(number: str) -> str:
    """Write digits and marks of any script as ASCII has them."""
    plain = number.translate(_AS_ASCII)
    return "".join(str(unicodedata.digit(sign)) if sign.isdecimal() else sign for sign in plain)


def _myriad_value(number: str) -> Decimal:
    """Compute a number such as 1万2000: each part times its units."""
    total = Decimal(0)
    for part in _MYRIAD_PART.finditer(number):
        value = Decimal(part[1].replace(",", ""))
        total += value * _UNITS.get(part[2], 1) * _MYRIADS.get(part[3], 1)
    return total


def _chinese_value(word: str) -> int:
    total, digit = 0, 0
    for sign in word.translate(_CHINESE):
        if sign in _UNITS:
            total, digit = total + (digit or 1) * _UNITS[sign], 0
        else:
            digit = 10 * digit + int(sign)
    return total + digit


@cache
def _number_words(language: str) -> dict[str, int]:
    """Give the values of a language's number words; none where they are not known."""
    lists = read_lexicon("languages", "semscale.guards.numbers")["words"].get(language)
    if lists is None:
        return {}
    numbered = [
        *enumerate(lists["small"].split()),
        *enumerate(lists["tens"].split()),
        *enumerate(lists["large"].split()),
    ]
    n_small, n_tens = len(lists["small"].split()), len(lists["tens"].split())
    found: dict[str, int] = {}
    for at, (place, spellings) in enumerate(numbered):
        if at < n_small:
            value = place
        elif at < n_small + n_tens:
            value = _FIRST_TEN + 10 * place
        else:
            value = 10 ** (place + 2)
        found |= dict.fromkeys(spellings.split("|"), value)
    return found


@cache
def _compounds(language: str) -> re.Pattern[str]:
    pieces = "|".join(sorted(map(re.escape, _number_words(language)), key=len, reverse=True))
    return re.compile(rf"(?:(?:{pieces})(?:und|en|ën|e|y|i|-et|-)?-?){{2,}}")


def _is_compound(word: str, language: str) -> bool:
    return _compounds(language).fullmatch(word) is not None
