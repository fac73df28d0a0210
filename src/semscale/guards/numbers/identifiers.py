"""Identifiers, which are compared as a whole: addresses, versions, files, and codes made of digits."""

import ipaddress
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

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
    found: list[Identifier] = []
    taken: set[int] = set()
    for reader in _READERS:
        for one in reader(text):
            if taken.isdisjoint(range(one.start, one.end)):
                found.append(one)
                taken.update(range(one.start, one.end))
    return sorted(found, key=lambda one: one.start)


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
