"""Quantities as records, and figures, identifiers and labels in texts."""

import ipaddress
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from string import ascii_lowercase
from typing import NamedTuple

from semscale.guards.text import Text
from semscale.guards.words import read_lexicon, word_list

CLOCK = "clock"
"""The unit of times of day, in hours since midnight."""
_YEARS = (1000.0, 2100.0)


class Quantity(NamedTuple):
    """A number or label in a text.

    Attributes:
        values: its possible values: one number, or two if a point may separate thousands. A label may also be
            a letter. An identifier has its normal form, and the number that it may be.
        start: its first character.
        end: the character after its last one.
        shown: the quantity as it is written.
        unit: pint's name for the unit; "" for none.
        label: the noun that it labels, ``?`` if there is none, or the kind of an identifier (``address``,
            ``version``, ``file``, ``digits``, ``port``); "" for a number.
        noun: the stem of the word after it, for counted things.
        weak: whether the word may have another meaning than a number or label. It may agree with a quantity
            of the other text, but is never reported as missing or added.
        digits: significant digits.
        bound: -1 for "at most", 1 for "at least", 0 otherwise.
        about: whether it is stated as approximate ("about 5", "~5").
        replaces: whether it may replace a number of the other text although it is weak ("a fortnight").
        offsets: hours by which the time zone of a time of day may be ahead of UTC.
        stated: numbers in the wording of a rate, such as 12 in "every 12 hours", or of working days.
    """

    values: tuple[float | str, ...]
    start: int
    end: int
    shown: str
    unit: str = ""
    label: str = ""
    noun: str = ""
    weak: bool = False
    digits: int = 0
    bound: int = 0
    about: bool = False
    replaces: bool = False
    offsets: tuple[float, ...] = ()
    stated: tuple[float, ...] = ()

    @property
    def sort(self) -> str:
        """Sort of quantity (label, time of day, year or other number); only equal sorts are compared."""
        if self.label:
            return "label"
        if self.unit == CLOCK:
            return CLOCK
        value = self.values[0]
        is_year = isinstance(value, float) and _YEARS[0] <= value <= _YEARS[1] and self.digits == YEAR_DIGITS
        return "year" if is_year and not self.unit else "number"


YEAR_DIGITS = 4
_FRACTIONS = "½¼¾⅓⅔⅛⅜⅝⅞"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_NUMBER = re.compile(
    rf"""(?<![\w.])(?<![A-Z][-–])
    (?P<bound>[<>≤≥]=?\s?|(?i:at\sleast|at\smost|up\sto)\s)?
    (?P<currency>[$€£¥]\s?)?(?P<sign>(?<!\d\s)[-−](?=[\d.]))?
    (?P<number>\d{{1,3}}(?:[,\ \u00a0\u2009\u202f]\d{{3}})+(?![\d,])(?:\.\d+)?
    |\d+(?:[.,]\d+)*|\.\d+|[{_FRACTIONS}])
    (?P<fraction>[{_FRACTIONS}]|/\d{{1,2}}(?![\d/]))?
    (?P<power>\s?[x×*]\s?10\s?(?:\^\s?[-−]?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE][-+]?\d+\b|\^[-−]?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?
    (?P<magnitude>\s?(?i:hundred|thousand|million|billion|trillion|bn|mn)\b|[kK]\b|(?<=\d)[mMbB]\b)?
    (?P<ordinal>(?:st|nd|rd|th)\b|'?s\b)?""",
    re.VERBOSE,
)
_FIRST_DIGIT = re.compile(rf"[\d{_FRACTIONS}]")
_LONGEST_PREFIX = len("at least $ -.")
_GROUPED = re.compile(r"\d{1,3}(?:[,\s]\d{3})+(?:\.\d+)?")
_GROUPED_BY_POINT = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_DECIMAL_POINT = re.compile(r"\d*\.?\d+")
_TIMES_TEN = re.compile(r"[x×*]10\^?(-?\d+)|e([-+]?\d+)")
_NO_DIGIT = re.compile(r"\D")
_BOUND_BEHIND = re.compile(r"\s+or\s+(more|less|fewer)\b", re.IGNORECASE)
_MAGNITUDES: dict[str, float] = read_lexicon("numbers")["magnitudes"]
_BOUNDS = {"<": -1, "≤": -1, "at most": -1, "up to": -1, ">": 1, "≥": 1, "at least": 1}
_LARGEST_EXPONENT = 300
_NEAR = 80


def find_figures(source: str) -> Iterator[re.Match[str]]:
    """Find numbers in digits; the groups of a match are its bound, currency, sign, power and other parts.

    Examples:
        >>> [match["number"] for match in find_figures("at least $ 1,000 or 2.5 million")]
        ['1,000', '2.5']
    """
    position = 0
    # Start near the next digit: trying every position before it would cost more than all the rest.
    while digit := _FIRST_DIGIT.search(source, position):
        match = _NUMBER.search(source, max(position, digit.start() - _LONGEST_PREFIX))
        if not match:
            return
        if _is_pair(match):
            match = _NUMBER.match(source, match.start(), match.end("number")) or match
        yield match
        position = match.end()


def matches_near(pattern: re.Pattern[str], string: str, starts: Iterable[int]) -> Iterator[re.Match[str]]:
    """Find matches of a pattern near some characters; trying every character of a long text would take long.

    Args:
        pattern: a pattern whose matches are short and include one of the characters.
        string: a text.
        starts: positions of the characters, in order.
    """
    end = 0
    for start in starts:
        begin = max(end, start - _NEAR)
        while match := pattern.search(string, begin, start + _NEAR):
            yield match
            begin = end = match.end()


def bound_of(match: re.Match[str], source: str, end: int) -> int:
    """Return the bound that words before or after a number state ("at least 5", "5 or more"): -1, 0 or 1."""
    behind = _BOUND_BEHIND.match(source[end : end + 12])
    if behind:
        return 1 if behind[1].lower() == "more" else -1
    before = match["bound"]
    return _BOUNDS.get(" ".join(before.split()).rstrip("=").lower(), 0) if before else 0


def digits_of(match: re.Match[str]) -> int:
    """Count significant digits; zeros at the end of a plain four-digit number count, as it may be a year."""
    number = match["number"]
    if len(number) == YEAR_DIGITS and number.isdecimal() and not match["magnitude"] and not match["currency"]:
        return YEAR_DIGITS
    if _is_decade(match):
        return YEAR_DIGITS
    digits = (number if number.isdecimal() else _NO_DIGIT.sub("", number)).lstrip("0")
    return len(digits if "." in number else digits.rstrip("0"))


def values_of(match: re.Match[str]) -> tuple[float, ...]:
    """Return a number's possible values: several if its point or comma is ambiguous."""
    fraction, power = match["fraction"] or "", match["power"] or ""
    if _is_decade(match):
        return _CENTURY + float(match["number"]), float(match["number"])
    readings = _readings(match["number"])
    factor = -1.0 if match["sign"] else 1.0
    factor *= _MAGNITUDES.get((match["magnitude"] or "").strip().lower(), 1.0)
    return tuple(factor * _apply_power(_add_fraction(value, fraction), power) for value in readings)


_CENTURY = 1900.0
_DECADE = re.compile(r"[2-9]0")


def _is_decade(match: re.Match[str]) -> bool:
    """Tell whether a number may be a decade of the last century: the '70s."""
    return (match["ordinal"] or "").endswith("s") and _DECADE.fullmatch(match["number"]) is not None


def _readings(number: str) -> list[float]:
    if number.isdecimal():
        return [float(number)]
    if number in _FRACTIONS:
        return [unicodedata.numeric(number)]
    if _GROUPED.fullmatch(number):
        return [float(re.sub(r"[,\s]", "", number))]
    if _GROUPED_BY_POINT.fullmatch(number):
        return [float(number), float(number.replace(".", ""))]
    if _DECIMAL_COMMA.fullmatch(number):
        return [float(number.replace(",", "."))]
    return [float(number if _DECIMAL_POINT.fullmatch(number) else _NO_DIGIT.sub("", number))]


def _add_fraction(value: float, fraction: str) -> float:
    if not fraction:
        return value
    if fraction in _FRACTIONS:
        return value + unicodedata.numeric(fraction)
    below = float(fraction[1:])
    return value / below if below else value


def _apply_power(value: float, power: str) -> float:
    """Apply 10^3, e3, or a power of the number itself; ignore powers that overflow."""
    if not power:
        return value
    plain = "".join(power.translate(_SUPERSCRIPTS).split()).lower()
    times_ten = _TIMES_TEN.fullmatch(plain)
    exponent = float((times_ten[1] or times_ten[2]) if times_ten else plain.removeprefix("^") or 1)
    if abs(exponent) > _LARGEST_EXPONENT:
        return value
    return value * 10.0**exponent if times_ten else _safe_power(value, exponent)


def _safe_power(value: float, exponent: float) -> float:
    try:
        return float(value**exponent)
    except (OverflowError, ZeroDivisionError):
        return value


def _is_pair(match: re.Match[str]) -> bool:
    """Tell whether a slash separates two numbers, as in a blood pressure of 120/80, and not a fraction."""
    above, below = match["number"], (match["fraction"] or "").lstrip("/")
    return below.isdecimal() and not (above.isdecimal() and float(above) < float(below))


ADDRESS, VERSION, FILE, DIGITS, PORT = "address", "version", "file", "digits", "port"
IDENTIFIERS = frozenset((ADDRESS, VERSION, FILE, DIGITS))
"""Kinds of identifiers that are equal only if they are written alike."""

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@\w[\w-]{0,63}(?:\.[\w-]{1,63}){1,6}")
_WEB = re.compile(r"(?<!\w)(?:https?://|www\.)[^\s<>\"'“”]{1,2000}", re.I)
_IPV4 = re.compile(r"(\d(?<![\w.]\d)\d{0,2}(?:\.\d{1,3}){3}(?:/\d{1,2})?)(?::(\d{1,5}))?(?![\w/]|\.\d)")
_MAC = re.compile(r"(?<![\w:-])[\da-f]{2}(?:[:-][\da-f]{2}){5}(?![\w:-])", re.I)
_IPV6 = re.compile(r"(?<![\w:])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:])", re.I)
_UUID = re.compile(r"(?<![\w-])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\w-])", re.I)
_FILE = re.compile(
    r"(?<![\w/.@-])[\w-]{1,100}(?:\.[\w-]{1,40}){0,3}\.(?:pdf|txt|csv|tsv|docx?|xlsx?|pptx?|jsonl?|xml|ya?ml|toml|ini|cfg|log"
    r"|html?|css|js|py|java|cpp|sql|sh|exe|dll|zip|gz|png|jpe?g|gif|svg|mp[34]|wav|md|tex|parquet)(?![\w/]|\.\w)",
    re.I,
)
_VERSION = re.compile(
    r"(?<![\w.])(?:v|(?:version|release|python|java)\s(?:v\.?\s?)?)(\d{1,9}(?:\.\d{1,9}){0,4})(?!\w|\.\d)",
    re.I,
)
_DOTTED = re.compile(r"\d(?<![\w.,-]\d)\d{0,8}(?:\.\d{1,9}){2,4}(?![\w/]|[.,]\d)")
_DATE = re.compile(r"\d{1,2}[.-]\d{1,2}[.-]\d{4}|\d{4}[.-]\d{1,2}[.-]\d{1,2}")
_GROUPS = re.compile(r"(?<![\w.,/-])\+?\d{1,7}(?:-\d{1,7}){1,6}(?:-X)?(?![\w/-]|[.,]\d)")
_DIALLED = re.compile(
    r"""\b(?:call|dial|phone|telephone|tel|fax|isbn)\b[^\w+]{1,3}(?:(?:is|at|on|number|no)\b[^\w+]{1,3}){0,2}
    (\+?\d[\d\ ()-]{5,20}\d)(?!\w)|(?<!\w)(\+\d[\d\ ()-]{6,20}\d)(?!\w)""",
    re.I | re.VERBOSE,
)
# A part of each pattern that can be searched quickly; trying whole patterns everywhere takes long.
_IN_UUID, _IN_MAC, _IN_IPV6 = (
    re.compile(part, re.I) for part in (r"-[\da-f]{4}-", r"[:-][\da-f]{2}[:-]", r":[\da-f]{0,4}:")
)
_IN_FILE, _IN_GROUPS = re.compile(r"\.[^\W\d_]"), re.compile(r"\d-\d")
_BEFORE_VERSIONS = frozenset(("v", "version", "release", "python", "java"))
_DIALLING = frozenset(("call", "dial", "phone", "telephone", "tel", "fax", "isbn"))
_FEWEST_DIGITS = 7
_FEWEST_GROUPS = 3
_MARKS_BEHIND = ".,;:!?)"


def find_identifiers(text: Text) -> list[Quantity]:
    """Find the identifiers of a text, in order; none overlap.

    Examples:
        >>> [item.values for item in find_identifiers(Text("10.0.0.1 runs v2.10.0, see www.example.org"))]
        [('10.0.0.1',), ('2.10', 2.1), ('www.example.org',)]
    """
    identifiers: list[Quantity] = []
    covered: set[int] = set()
    for reader in _READERS:
        for kind, values, start, end in reader(text):
            if covered.isdisjoint(range(start, end)):
                identifiers.append(Quantity(values, start, end, text.source[start:end], label=kind))
                covered.update(range(start, end))
    return sorted(identifiers, key=lambda identifier: identifier.start)


_Match = tuple[str, tuple[float | str, ...], int, int]
"""Kind, values, first character and end of an identifier."""


def _mail_and_web(text: Text) -> Iterator[_Match]:
    if "@" in text.source:
        for match in _MAIL.finditer(text.source):
            yield ADDRESS, (match[0].lower(),), match.start(), match.end()
    if "://" in text.source or "www." in text.lower:
        for match in _WEB.finditer(text.source):
            shown = match[0].rstrip(_MARKS_BEHIND)
            yield ADDRESS, (shown.casefold().rstrip("/"),), match.start(), match.start() + len(shown)


def _machines(text: Text) -> Iterator[_Match]:
    """Find addresses of machines: MAC, IPv4 with a port, IPv6; and UUIDs."""
    source = text.source
    for match in _UUID.finditer(source) if _IN_UUID.search(source) else ():
        yield DIGITS, (match[0].lower(),), match.start(), match.end()
    for match in _MAC.finditer(source) if _IN_MAC.search(source) else ():
        yield ADDRESS, (match[0].lower().replace("-", ":"),), match.start(), match.end()
    for match in _IPV4.finditer(source):
        if all(int(part) <= 255 for part in match[1].split("/")[0].split(".")):
            yield ADDRESS, (match[1],), match.start(), match.end(1)
            if match[2]:
                yield PORT, (match[2], float(match[2])), match.start(2), match.end()
    for match in _IPV6.finditer(source) if _IN_IPV6.search(source) else ():
        address = _ipv6(match[0])
        if address:
            yield ADDRESS, (address,), match.start(), match.end()


def _ipv6(shown: str) -> str:
    """Return an IPv6 address in its normal form; "" for other text, such as a time of day."""
    try:
        return str(ipaddress.IPv6Address(shown)) if any(map(str.isalnum, shown)) else ""
    except ValueError:
        return ""


def _files(text: Text) -> Iterator[_Match]:
    for match in _FILE.finditer(text.source) if _IN_FILE.search(text.source) else ():
        yield FILE, (match[0].casefold(),), match.start(), match.end()


def _versions(text: Text) -> Iterator[_Match]:
    if not text.distinct.isdisjoint(_BEFORE_VERSIONS):
        for match in _VERSION.finditer(text.source):
            yield VERSION, _version_values(match[1]), match.start(1), match.end()
    for match in _DOTTED.finditer(text.source):
        first, *others = match[0].split(".")
        thousands = all(len(other) == 3 for other in others)
        if not (
            thousands or _DATE.fullmatch(match[0]) or any(_has_zero_first(part) for part in (first, *others))
        ):
            yield VERSION, _version_values(match[0]), match.start(), match.end()


def _version_values(shown: str) -> tuple[float | str, ...]:
    """Return a version without zeros at its end, and also as a number if it may be one."""
    parts = [part.lstrip("0") or "0" for part in shown.split(".")]
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    normal = ".".join(parts)
    return (normal, float(normal)) if len(parts) <= 2 else (normal,)


def _has_zero_first(part: str) -> bool:
    return len(part) > 1 and part.startswith("0")


def _digits(text: Text) -> Iterator[_Match]:
    """Find telephone numbers, ISBNs and other codes that consist of groups of digits."""
    if "+" in text.source or not text.distinct.isdisjoint(_DIALLING):
        for match in _DIALLED.finditer(text.source):
            group = 1 if match[1] else 2
            code = "".join(filter(str.isalnum, match[group]))
            if len(code) >= _FEWEST_DIGITS:
                yield DIGITS, (code,), match.start(group), match.end(group)
    for match in _GROUPS.finditer(text.source) if _IN_GROUPS.search(text.source) else ():
        groups = match[0].lstrip("+").split("-")
        code = "".join(groups)
        plain = len(groups) < _FEWEST_GROUPS and not any(map(_has_zero_first, groups))
        if len(code) >= _FEWEST_DIGITS and not plain and not _DATE.fullmatch(match[0]):
            yield DIGITS, (code,), match.start(), match.end()


_SHORT_LABEL = re.compile(
    r"(?<![\w.])(?:Q(?P<quarter>[1-4])|H(?P<half>[12])(?=\s?/?\d{4})|WW-?(?P<war>[123]|I{1,3}))(?!\w)"
)


def _short_labels(text: Text) -> Iterator[_Match]:
    """Find numbers of quarters, half-years and world wars: Q2, H1 2024, WWII."""
    for match in _SHORT_LABEL.finditer(text.source) if any(map(text.source.__contains__, "QHW")) else ():
        noun, number = next((noun, number) for noun, number in match.groupdict().items() if number)
        yield noun, (_ROMAN.get(number.lower()) or float(number),), match.start(), match.end()


_READERS: tuple[Callable[[Text], Iterator[_Match]], ...] = (
    _mail_and_web,
    _machines,
    _files,
    _versions,
    _digits,
    _short_labels,
)


_NOUNS = {
    form: noun
    for noun in word_list("labelled")
    for form in (noun, f"{noun}s", f"{noun}es", f"{noun[:-1]}ies")
}
_JOINING, _BEHIND_BARE_A = (
    frozenset(read_lexicon("numbers")[name].split()) for name in ("joining", "behind_bare_a")
)
_ROMAN = {
    tens + ones: float(10 * n_tens + n_ones)
    for n_tens, tens in enumerate(("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx"))
    for n_ones, ones in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
    if tens or ones
}
"""Roman numerals up to 89; those with C, D and M are abbreviations as often."""
_NUMERALS_OF_ONE = frozenset("ivx")
_LETTERS = frozenset((*_ROMAN, *ascii_lowercase))
_BEHIND_LETTER = ("", "'s")
_FARTHEST_NOUN = 6
_ALONE = re.compile(r"[A-HJ-Z](?<!\w[A-Z])(?!\w)")
_NOT_BETWEEN = word_list("number_words") | {"and", "or", "of", "in", "to", "the"}
_ORDINALS = frozenset(read_lexicon("calendar")["days"].split())


def find_labels(text: Text, numbers: Mapping[int, Quantity], measured: set[int]) -> list[Quantity]:
    """Find the labels of a text: letters, Roman numerals, and numbers after a noun such as "terminal".

    An A at the start of a sentence may be the article. It counts as a weak label, and only next to other
    labels. An I behind a name ("World War I") may be the pronoun, and an ordinal ("the first stage") need not
    be a label: they are weak, but may replace a label of the same noun.

    Args:
        text: a text.
        numbers: its numbers without a unit, by their first character.
        measured: positions of characters that belong to a number with its unit.

    Examples:
        >>> [(label.label, label.values) for label in find_labels(Text("bulbs A and C"), {}, set())]
        [('bulb', ('a',)), ('bulb', ('c',))]
    """
    bare = _may_have_bare_letters(text.source)
    numbered = not _ROMAN.keys().isdisjoint(text.distinct)
    if not (bare or numbered) and _NOUNS.keys().isdisjoint(text.distinct) and not _has_ordinal(text):
        return []
    single = {
        word
        for word in text.distinct
        if word in _LETTERS or (word[0].isalpha() and word[1:] in _BEHIND_LETTER)
    }
    nouns: dict[int, str] = {}
    labels: list[Quantity] = []
    positions = {at for at, word in enumerate(text.words) if word in single} if single else set()
    if numbers:
        positions.update(at for at, start in enumerate(text.starts) if start in numbers)
    for at in sorted(positions):
        word, start = text.words[at], text.starts[at]
        number = numbers.get(start)
        noun = _noun_before(text.words, at, nouns) or _name_before_numeral(text, at)
        if number is not None and not noun and _is_ordinal(text, at):
            noun, number = _noun_of_ordinal(text, at), number._replace(weak=True, replaces=True)
        if not (noun or bare) or start in measured:
            continue
        label = _letter_label(text, at, noun) if number is None else _number_label(number, noun, len(word))
        if label:
            nouns[at] = noun
            labels.append(label)
    return labels if any(label.replaces or not label.weak for label in labels) else []


def _has_ordinal(text: Text) -> bool:
    return not _ORDINALS.isdisjoint(text.distinct)


def _is_ordinal(text: Text, at: int) -> bool:
    """Tell whether a number is an ordinal that is not followed by another number: "first", 2nd."""
    behind = text.words[at + 1 : at + 2]
    return text.words[at] in _ORDINALS or behind in (["st"], ["nd"], ["rd"], ["th"])


def _noun_of_ordinal(text: Text, at: int) -> str:
    """Return what an ordinal counts ("the second trial") or the name before it (Henry the Eighth)."""
    words = text.words
    ahead = [word for word in words[at + 1 : at + 4] if word not in ("st", "nd", "rd", "th")]
    if ahead[:1] == ["half"]:
        return "half"
    if ahead[:1] and ahead[0] in _NOUNS:
        return _NOUNS[ahead[0]]
    if len(ahead) > 1 and ahead[0].isalpha() and ahead[0] not in _NOT_BETWEEN and ahead[1] in _NOUNS:
        return _NOUNS[ahead[1]]
    return _title_before(text, at - 1) if at > 1 and words[at - 1] == "the" else ""


def _number_label(number: Quantity, noun: str, length: int) -> Quantity | None:
    """Make a label from a number's first word, if it has a noun."""
    if not noun:
        return None
    end = number.start + length
    shown = number.shown[:length]
    return Quantity(
        number.values,
        number.start,
        end,
        shown,
        label=noun,
        weak=number.weak and number.replaces,
        replaces=number.replaces,
    )


def _letter_label(text: Text, at: int, noun: str) -> Quantity | None:
    """Make a label from a letter or Roman numeral; the label is weak for an A that may be the article."""
    word = text.words[at].removesuffix("'s")
    start = text.starts[at]
    end = start + len(word)
    shown = text.source[start:end]
    if _is_letter(text, at, noun):
        may_be_pronoun = shown == "I" and noun not in _NOUNS
        values = _letter_values(word, bool(noun))
        return Quantity(
            values, start, end, shown, label=noun or "?", weak=may_be_pronoun, replaces=may_be_pronoun
        )
    if _may_have_bare_letters(text.source) and _may_be_article(text, at):
        return Quantity(("a",), start, end, shown, label="?", weak=True)
    return None


def _may_have_bare_letters(source: str) -> bool:
    """Check quickly for letters that may be labels without a noun: capitals other than I."""
    return not source.isascii() or _ALONE.search(source) is not None


def _noun_before(words: list[str], at: int, nouns: Mapping[int, str]) -> str:
    """Return a label's noun: the noun before it, or the noun of the label to which it is joined."""
    before = at - 1
    while at - before < _FARTHEST_NOUN and before > 0 and words[before] in ("#", ".", "no", "number"):
        before -= 1
    if before < 0:
        return ""
    if words[before] in _NOUNS:
        return _NOUNS[words[before]]
    joined = at - 1
    while at - joined < _FARTHEST_NOUN and joined > 0 and words[joined] in _JOINING:
        joined -= 1
    return nouns.get(joined, "") if joined < at - 1 else ""


def _name_before_numeral(text: Text, at: int) -> str:
    """Return the name before a Roman numeral: Henry VIII, World War I, Iron(III)."""
    word = text.words[at]
    if at == 0 or word not in _ROMAN:
        return ""
    if len(word) == 1 and not (word in _NUMERALS_OF_ONE and text.source[text.starts[at]].isupper()):
        return ""
    return _title_before(text, at - 1 if text.words[at - 1] == "(" else at)


def _title_before(text: Text, at: int) -> str:
    """Return the word before a position if it is capitalised, as names are."""
    if at == 0:
        return ""
    before, start = text.words[at - 1], text.starts[at - 1]
    shown = text.source[start : start + len(before)]
    return before if len(before) > 1 and shown.istitle() else ""


def _is_letter(text: Text, at: int, noun: str) -> bool:
    """Tell whether a letter is a label, and not an article, pronoun, initial or part of a word."""
    source, words = text.source, text.words
    word, start = words[at].removesuffix("'s"), text.starts[at]
    end = start + len(word)
    shown = source[start:end]
    behind = source[end : end + 1] if word == words[at] else " "
    around = source[max(0, start - 1) : start] + behind
    if any(mark in "'’\"-&°^_/" or mark.isdecimal() for mark in around) or around[:1] == ".":
        return False
    following = words[at + 1] if at + 1 < len(words) else ""
    if len(word) > 1:
        return bool(noun) and shown.isupper()
    if noun:
        return (
            word != "a" or not following.isalpha() or following in _BEHIND_BARE_A or (shown == "A" and at > 0)
        )
    if (
        not shown.isupper()
        or shown == "I"
        or (source.isupper() and len(words) > 1)
        or (behind == "." and at + 2 < len(words))
    ):
        return False
    return not _begins_as_article(text, at) or following in _BEHIND_BARE_A or following == ","


def _may_be_article(text: Text, at: int) -> bool:
    """Tell whether an A before a word, not all in capitals, begins a sentence: "A precedes B", "A bulb"."""
    is_before_word = at + 1 < len(text.words) and text.words[at + 1].isalpha()
    return is_before_word and _begins_as_article(text, at) and not text.source.isupper()


def _begins_as_article(text: Text, at: int) -> bool:
    start, end = text.characters(at, at)
    return text.source[start:end] == "A" and (at == 0 or text.words[at - 1] in ".?!:")


def _letter_values(letter: str, has_noun: bool) -> tuple[float | str, ...]:
    roman = _ROMAN.get(letter) if has_noun else None
    values: list[float | str] = [letter] if len(letter) == 1 else []
    return tuple(values + ([roman] if roman is not None else []))
