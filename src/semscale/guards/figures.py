"""Figures, identifiers and labels in texts."""

import ipaddress
import re
import unicodedata
from collections.abc import Callable, Iterator
from string import ascii_lowercase
from typing import NamedTuple

from semscale.guards.words import TextWords, read_lexicon, word_list

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


def find_figures(text: str) -> Iterator[re.Match[str]]:
    """Find numbers in digits; the groups of a match are its bound, currency, sign, power and other parts.

    Example:
        >>> [found["number"] for found in find_figures("at least $ 1,000 or 2.5 million")]
        ['1,000', '2.5']
    """
    position = 0
    # Start near the next digit: trying every position before it would cost more than all the rest.
    while digit := _FIRST_DIGIT.search(text, position):
        match = _NUMBER.search(text, max(position, digit.start() - _LONGEST_PREFIX))
        if not match:
            return
        if _is_pair(match):
            match = _NUMBER.match(text, match.start(), match.end("number")) or match
        yield match
        position = match.end()


def bound_of(match: re.Match[str], text: str, end: int) -> int:
    """Return the bound that words before (at least 5) or after a number (5 or more) make of it."""
    behind = _BOUND_BEHIND.match(text[end : end + 12])
    if behind:
        return 1 if behind[1].lower() == "more" else -1
    before = match["bound"]
    return _BOUNDS.get(" ".join(before.split()).rstrip("=").lower(), 0) if before else 0


def digits_of(match: re.Match[str]) -> int:
    """Count significant digits; zeros at the end of a plain four-digit number count, as it may be a year."""
    number = match["number"]
    if len(number) == YEAR_DIGITS and number.isdecimal() and not match["magnitude"] and not match["currency"]:
        return YEAR_DIGITS
    digits = (number if number.isdecimal() else _NO_DIGIT.sub("", number)).lstrip("0")
    return len(digits if "." in number else digits.rstrip("0"))


def values_of(match: re.Match[str]) -> tuple[float, ...]:
    """Return a number's possible values: several if its point or comma is ambiguous."""
    fraction, power = match["fraction"] or "", match["power"] or ""
    readings = _readings(match["number"])
    factor = -1.0 if match["sign"] else 1.0
    factor *= _MAGNITUDES.get((match["magnitude"] or "").strip().lower(), 1.0)
    return tuple(factor * _powered(_fractioned(value, fraction), power) for value in readings)


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


def _fractioned(value: float, fraction: str) -> float:
    if not fraction:
        return value
    if fraction in _FRACTIONS:
        return value + unicodedata.numeric(fraction)
    below = float(fraction[1:])
    return value / below if below else value


def _powered(value: float, power: str) -> float:
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
    """Tell whether a slash separates two numbers, as in a blood pressure of 120/80, and is no fraction."""
    above, below = match["number"], (match["fraction"] or "").lstrip("/")
    return below.isdecimal() and not (above.isdecimal() and float(above) < float(below))


ADDRESS, VERSION, FILE, DIGITS, PORT = "address", "version", "file", "digits", "port"
IDENTIFIERS = frozenset((ADDRESS, VERSION, FILE, DIGITS))
"""Kinds of which two are equal only if they are written alike."""

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@\w[\w-]{0,63}(?:\.[\w-]{1,63}){1,6}")
_WEB = re.compile(r"(?<!\w)(?:https?://|www\.)[^\s<>\"'“”]{1,2000}", re.I)
_IPV4 = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?)(?::(\d{1,5}))?(?![\w/]|\.\d)")
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
_DOTTED = re.compile(r"(?<![\w.,-])\d{1,9}(?:\.\d{1,9}){2,4}(?![\w/]|[.,]\d)")
_DATE = re.compile(r"\d{1,2}[.-]\d{1,2}[.-]\d{4}|\d{4}[.-]\d{1,2}[.-]\d{1,2}")
_GROUPS = re.compile(r"(?<![\w.,/-])\+?\d{1,7}(?:-\d{1,7}){1,6}(?:-X)?(?![\w/-]|[.,]\d)")
_DIALLED = re.compile(
    r"""\b(?:call|dial|phone|telephone|tel|fax|isbn)\b[^\w+]{1,3}(?:(?:is|at|on|number|no)\b[^\w+]{1,3}){0,2}
    (\+?\d[\d\ ()-]{5,20}\d)(?!\w)|(?<!\w)(\+\d[\d\ ()-]{6,20}\d)(?!\w)""",
    re.I | re.VERBOSE,
)
_FEWEST_DIGITS = 7
_FEWEST_GROUPS = 3
_MARKS_BEHIND = ".,;:!?)"


class Identifier(NamedTuple):
    """An identifier with its position.

    Attributes:
        kind: ``address``, ``version``, ``file``, ``digits`` (a telephone number, an ISBN) or ``port``.
        values: its normal form; of a port, or a version with at most one point, also the number that it is.
        start: its first character.
        end: the character after its last one.
    """

    kind: str
    values: tuple[float | str, ...]
    start: int
    end: int


def find_identifiers(text: str) -> list[Identifier]:
    """Find the identifiers of a text, in order; none overlap.

    Example:
        >>> [found.values for found in find_identifiers("10.0.0.1 runs v2.10.0, see www.example.org.")]
        [('10.0.0.1',), ('2.10', 2.1), ('www.example.org',)]
    """
    identifiers: list[Identifier] = []
    taken: set[int] = set()
    for reader in _READERS:
        for one in reader(text):
            if taken.isdisjoint(range(one.start, one.end)):
                identifiers.append(one)
                taken.update(range(one.start, one.end))
    return sorted(identifiers, key=lambda one: one.start)


def _mail_and_web(text: str) -> Iterator[Identifier]:
    if "@" in text:
        for match in _MAIL.finditer(text):
            yield Identifier(ADDRESS, (match[0].lower(),), match.start(), match.end())
    for match in _WEB.finditer(text) if "/" in text or "." in text else ():
        shown = match[0].rstrip(_MARKS_BEHIND)
        yield Identifier(ADDRESS, (shown.casefold().rstrip("/"),), match.start(), match.start() + len(shown))


def _of_machines(text: str) -> Iterator[Identifier]:
    """Find addresses of machines: MAC, IPv4 with a port, IPv6; and UUIDs."""
    for match in _UUID.finditer(text):
        yield Identifier(DIGITS, (match[0].lower(),), match.start(), match.end())
    for match in _MAC.finditer(text):
        yield Identifier(ADDRESS, (match[0].lower().replace("-", ":"),), match.start(), match.end())
    for match in _IPV4.finditer(text):
        if all(int(part) <= 255 for part in match[1].split("/")[0].split(".")):  # noqa: PLR2004
            yield Identifier(ADDRESS, (match[1],), match.start(), match.end(1))
            if match[2]:
                yield Identifier(PORT, (match[2], float(match[2])), match.start(2), match.end())
    for match in _IPV6.finditer(text) if ":" in text else ():
        address = _ipv6(match[0])
        if address:
            yield Identifier(ADDRESS, (address,), match.start(), match.end())


def _ipv6(shown: str) -> str:
    """Return an IPv6 address in its normal form; "" if it is none, such as a time of day."""
    try:
        return str(ipaddress.IPv6Address(shown)) if any(map(str.isalnum, shown)) else ""
    except ValueError:
        return ""


def _files(text: str) -> Iterator[Identifier]:
    for match in _FILE.finditer(text) if "." in text else ():
        yield Identifier(FILE, (match[0].casefold(),), match.start(), match.end())


def _versions(text: str) -> Iterator[Identifier]:
    for match in _VERSION.finditer(text):
        yield Identifier(VERSION, _version_values(match[1]), match.start(1), match.end())
    for match in _DOTTED.finditer(text):
        first, *others = match[0].split(".")
        thousands = all(len(other) == 3 for other in others)  # noqa: PLR2004
        if not (
            thousands or _DATE.fullmatch(match[0]) or any(_has_zero_first(part) for part in (first, *others))
        ):
            yield Identifier(VERSION, _version_values(match[0]), match.start(), match.end())


def _version_values(shown: str) -> tuple[float | str, ...]:
    """Return a version without zeros at its end, and as a number if it may be read as one."""
    parts = [part.lstrip("0") or "0" for part in shown.split(".")]
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    normal = ".".join(parts)
    return (normal, float(normal)) if len(parts) <= 2 else (normal,)  # noqa: PLR2004


def _has_zero_first(part: str) -> bool:
    return len(part) > 1 and part.startswith("0")


def _digits(text: str) -> Iterator[Identifier]:
    """Find telephone numbers, ISBNs and other codes of groups of digits."""
    for match in _DIALLED.finditer(text):
        group = 1 if match[1] else 2
        code = "".join(filter(str.isalnum, match[group]))
        if len(code) >= _FEWEST_DIGITS:
            yield Identifier(DIGITS, (code,), match.start(group), match.end(group))
    for match in _GROUPS.finditer(text) if "-" in text else ():
        groups = match[0].lstrip("+").split("-")
        code = "".join(groups)
        plain = len(groups) < _FEWEST_GROUPS and not any(map(_has_zero_first, groups))
        if len(code) >= _FEWEST_DIGITS and not plain and not _DATE.fullmatch(match[0]):
            yield Identifier(DIGITS, (code,), match.start(), match.end())


_READERS: tuple[Callable[[str], Iterator[Identifier]], ...] = (
    _mail_and_web,
    _of_machines,
    _files,
    _versions,
    _digits,
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
    numeral: float(number) for number, numeral in enumerate(read_lexicon("numbers")["roman"].split(), start=1)
}
_LETTERS = frozenset((*_ROMAN, *ascii_lowercase))
_FARTHEST_NOUN = 6
_ALONE = re.compile(r"[A-HJ-Z](?<!\w[A-Z])(?!\w)")


class Label(NamedTuple):
    """A label with its position.

    Attributes:
        at: position among the words.
        noun: the noun that it labels; ``?`` if there is none.
        values: the letter, and the number if it is a Roman numeral; empty for a number in digits.
        weak: whether it may be the article: an A that begins a sentence; only beside other labels.
    """

    at: int
    noun: str
    values: tuple[float | str, ...]
    weak: bool = False


def read_labels(words: TextWords, numbers: set[int], taken: set[int]) -> list[Label]:
    """Find the labels of a text: letters, Roman numerals, and numbers after a noun such as "terminal".

    Args:
        words: the words of a text.
        numbers: start positions of its numbers without a unit.
        taken: positions of characters that belong to a number with its unit.

    Example:
        >>> [(label.noun, label.values) for label in read_labels(TextWords("bulbs A and C"), set(), set())]
        [('bulb', ('a',)), ('bulb', ('c',))]
    """
    bare = _may_have_bare_letters(words.text)
    numbered = not _ROMAN.keys().isdisjoint(words.distinct)
    if not (bare or numbered) and _NOUNS.keys().isdisjoint(words.distinct):
        return []
    texts = words.texts
    counting = {at for at, start in enumerate(words.starts) if start in numbers} if numbers else set()
    single = {text for text in words.distinct if text in _LETTERS or (len(text) == 1 and text.isalpha())}
    letters = {at for at, text in enumerate(texts) if text in single}
    labels: list[Label] = []
    for at in sorted(counting | letters):
        noun = _noun_before(texts, at, labels) or _numbered_name(words, at)
        if not (noun or bare) or (taken and words.starts[at] in taken):
            continue
        if at in counting:
            if noun:
                labels.append(Label(at, noun, ()))
        elif _is_letter(words, at, noun):
            labels.append(Label(at, noun or "?", _letter_values(texts[at], bool(noun))))
        elif bare and _may_be_article(words, at):
            labels.append(Label(at, "?", ("a",), weak=True))
    return labels if any(not label.weak for label in labels) else []


def _may_have_bare_letters(text: str) -> bool:
    """Check quickly for letters that may be labels without a noun: capitals other than I."""
    return not text.isascii() or _ALONE.search(text) is not None


def _noun_before(texts: list[str], at: int, labels: list[Label]) -> str:
    """Return the noun that a label labels: the noun before it, or that of the label it is joined to."""
    before = at - 1
    while at - before < _FARTHEST_NOUN and before > 0 and texts[before] in ("#", ".", "no", "number"):
        before -= 1
    if before < 0:
        return ""
    if texts[before] in _NOUNS:
        return _NOUNS[texts[before]]
    back = at - 1
    while at - back < _FARTHEST_NOUN and back > 0 and texts[back] in _JOINING:
        back -= 1
    joined = back < at - 1 and labels and labels[-1].at == back and labels[-1].noun != "?"
    return labels[-1].noun if joined else ""


def _numbered_name(words: TextWords, at: int) -> str:
    """Return the name that a Roman numeral of several letters numbers: Henry VIII, World War II."""
    if at == 0 or len(words.texts[at]) == 1 or words.texts[at] not in _ROMAN:
        return ""
    before, start = words.texts[at - 1], words.starts[at - 1]
    shown = words.text[start : start + len(before)]
    return before if len(before) > 1 and shown.istitle() else ""


def _is_letter(words: TextWords, at: int, noun: str) -> bool:
    """Tell whether a letter is a label and no article, pronoun, initial or piece of a word."""
    text, texts = words.text, words.texts
    word, (start, end) = texts[at], words.place(at, at)
    shown = text[start:end]
    behind = text[end : end + 1]
    around = text[max(0, start - 1) : start] + behind
    if any(mark in "'’\"-&°^_/" or mark.isdecimal() for mark in around) or around[:1] == ".":
        return False
    following = texts[at + 1] if at + 1 < len(texts) else ""
    if len(word) > 1:
        return bool(noun) and shown.isupper()
    if noun:
        return (
            word != "a" or not following.isalpha() or following in _BEHIND_BARE_A or (shown == "A" and at > 0)
        )
    if (
        not shown.isupper()
        or shown == "I"
        or (text.isupper() and len(texts) > 1)
        or (behind == "." and at + 2 < len(texts))
    ):
        return False
    return not _begins_as_article(words, at) or following in _BEHIND_BARE_A or following == ","


def _may_be_article(words: TextWords, at: int) -> bool:
    """Tell whether an A before a word, not all in capitals, begins a sentence: "A precedes B", "A bulb"."""
    is_before_word = at + 1 < len(words.texts) and words.texts[at + 1].isalpha()
    return is_before_word and _begins_as_article(words, at) and not words.text.isupper()


def _begins_as_article(words: TextWords, at: int) -> bool:
    start, end = words.place(at, at)
    return words.text[start:end] == "A" and (at == 0 or words.texts[at - 1] in ".?!:")


def _letter_values(letter: str, has_noun: bool) -> tuple[float | str, ...]:
    roman = _ROMAN.get(letter) if has_noun else None
    values: list[float | str] = [letter] if len(letter) == 1 else []
    return tuple(values + ([roman] if roman is not None else []))
