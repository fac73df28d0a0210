"""Changes of valid inputs that keep most of their structure, so that readers get past their first check.

Each takes the input and a source of randomness, and returns another input. A coverage-guided fuzzer and
Hypothesis use the same ones.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable
from random import Random

Mutation = Callable[[bytes, Random], bytes]

LONG_NUMBER = "9" * 5000
DEEP = 3000
# Marks that stand for what ``json.dumps`` cannot write.
_DIGITS, _NESTED, _CUT_PAIR, _INFINITY = "@digits@", "@nested@", "@cut-pair@", "@infinity@"
_WRITTEN = {
    _DIGITS: LONG_NUMBER,
    _NESTED: "[" * DEEP + "]" * DEEP,
    _CUT_PAIR: r'"\ud800"',
    _INFINITY: "-Infinity",
}
_VALUES = (
    *(None, True, False, 0, -1, 0.5, 1e308, 5e-324, 10**400, 2**63, float("nan"), "", " ", "0", "NaN", "\0"),
    *([], {}, [None], [[]], {"text": 1}, {"": ""}, "2026-13-45T99:99:99", "0001-01-01T00:00:00+14:00"),
    *("9999-12-31T23:59:59-14:00", '["a"', '["a", 1]', "[1, null]", "=1+1", "\u202e", "٣", "½", *_WRITTEN),
)
_TEXTS = (
    *(
        "",
        '"',
        '""',
        "'",
        ",",
        ";",
        "|",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\0",
        "\\",
        "{",
        "[",
        "}",
        "]",
        "&",
        "*",
        "<<",
        "!!",
    ),
    *(
        "null",
        "NaN",
        "-inf",
        "1e999",
        "1_000",
        "0x7f",
        "1:60",
        "2026-13-45",
        "=",
        "~",
        "%",
        "@",
        "`",
        "- ",
        "? ",
        ": ",
    ),
    *(
        "é",
        "٣",
        "½",
        "\u2028",
        "\ufeff",
        "\u202e",
        "😀",
        "&a [*a]",
        "!!python/name:os.system",
        "!!timestamp 9",
        "!!int a",
    ),
    *(
        "not ",
        "no ",
        "Score: 4",
        "<think>",
        "```json",
        "on a scale of 1 to 10",
        "-5 °C",
        "$1,000.50",
        "10⁻³",
        "twenty-one",
    ),
    *(
        "T1",
        "TRUE",
        "s",
        "sharedStrings",
        "B2",
        "XFD1048576",
        "-1",
        "99999999999999999999",
        "1.7e308",
        "2958466",
    ),
)
ODD = tuple(text.encode() for text in _TEXTS) + (b"\xff", b"\xed\xa0\x80", LONG_NUMBER.encode())


def bytes_changed(content: bytes, random: Random) -> bytes:
    """Change, remove, repeat or insert a few bytes."""
    result = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 4, 8))):
        start = random.randint(0, len(result))
        stop = min(len(result), start + random.choice((0, 1, 1, 2, 4, 16, 64)))
        match random.randrange(5):
            case 0:
                result[start:stop] = bytes(random.randrange(256) for _ in range(stop - start))
            case 1:
                del result[start:stop]
            case 2:
                result[start:start] = result[start:stop] * random.choice((1, 2, 16))
            case _:
                result[start:stop] = random.choice(ODD)
    return bytes(result)


def lines_changed(content: bytes, random: Random) -> bytes:
    """Repeat, remove or move a line, or change one as bytes."""
    lines = content.split(b"\n")
    index = random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines.insert(random.randint(0, len(lines)), lines[index])
        case 1:
            del lines[index]
        case 2:
            lines[index] = re.sub(rb"^ *", b" " * random.randrange(9), lines[index])
        case _:
            lines[index] = bytes_changed(lines[index], random)
    return b"\n".join(lines)


def cells_changed(content: bytes, random: Random) -> bytes:
    """Replace a cell of a separated file by an odd value, with or without quotation marks."""
    parts = re.split(rb"([,;\t|\r\n])", content)
    index = random.randrange(0, len(parts), 2)
    cell = json.dumps(random.choice(_VALUES)).encode() if random.random() < 0.5 else random.choice(ODD)
    quoted = b'"' + cell.replace(b'"', b'""') + b'"'
    parts[index] = random.choice((cell, quoted))
    return b"".join(parts)


def json_changed(content: bytes, random: Random) -> bytes:
    """Replace a value anywhere in a JSON document, or remove, repeat or rename one."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return bytes_changed(content, random)
    holder = [document]
    positions = list(_positions(holder, 0))
    where, key = random.choice(positions)
    match random.randrange(6):
        case 0:
            del where[key]
        case 1 if isinstance(where, dict):
            where[random.choice(("", "id", "text", "credits", "\0"))] = where.pop(key)
        case 2 if isinstance(where, list):
            where.append(where[key])
        case _:
            where[key] = random.choice(_VALUES)
    try:
        text = json.dumps(holder[0] if holder else None)
    except (ValueError, RecursionError):
        return bytes_changed(content, random)
    for mark, written in _WRITTEN.items():
        text = text.replace(json.dumps(mark), written)
    return text.encode()


def _positions(value, depth: int):
    """List every place in a document as its container and key."""
    keys = range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ()
    for key in keys:
        yield value, key
        if depth < 50:
            yield from _positions(value[key], depth + 1)


def json_lines_changed(content: bytes, random: Random) -> bytes:
    """Change one line as a JSON document."""
    lines = content.split(b"\n")
    index = random.randrange(len(lines))
    lines[index] = json_changed(lines[index], random)
    return b"\n".join(lines)


def xml_changed(content: bytes, random: Random) -> bytes:
    """Replace the value of an attribute or the text of an element, or repeat or remove a piece."""
    result = list(re.finditer(rb'(?<==")[^"]*(?=")|(?<=>)[^<]*(?=<)|<[^>]*>', content))
    if not result:
        return bytes_changed(content, random)
    match = random.choice(result)
    piece = content[match.start() : match.end()]
    replaced = random.choice((random.choice(ODD), piece * 2, b"", bytes_changed(piece, random)))
    return content[: match.start()] + replaced + content[match.end() :]


def zip_changed(content: bytes, random: Random) -> bytes:
    """Change the XML of a member of an archive and pack it again; now and then the archive's own bytes."""
    if random.random() < 0.1:
        return bytes_changed(content, random)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return bytes_changed(content, random)
    if not members:
        return bytes_changed(content, random)
    sheets = [name for name in members if "sheet" in name or "Strings" in name or "styles" in name]
    name = random.choice(sheets or list(members))
    if random.random() < 0.05:
        del members[name]
    else:
        members[name] = xml_changed(members[name], random)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return packed.getvalue()


def parquet_changed(content: bytes, random: Random) -> bytes:
    """Change bytes of the footer, which says where and how long everything is, or of a page's header."""
    result = bytearray(content)
    length = int.from_bytes(result[-8:-4], "little")
    footer = len(result) - 8 - length
    if len(result) < 16 or footer < 4:
        return bytes_changed(content, random)
    start, stop = random.choice(((footer, len(result) - 8), (footer, len(result) - 8), (4, footer)))
    for _ in range(random.choice((1, 1, 2, 4))):
        if start < stop:
            index = random.randrange(start, stop)
            result[index] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256), result[index] ^ 1))
    return bytes(result)


_HEAD = 1200


def head_changed(content: bytes, random: Random) -> bytes:
    """Change bytes near the beginning, where a file says what is in it; now and then anywhere."""
    if random.random() < 0.1:
        return bytes_changed(content, random)
    head = bytearray(content[:_HEAD])
    if random.random() < 0.3 or not head:
        return bytes_changed(bytes(head), random) + content[_HEAD:]
    for _ in range(random.choice((1, 1, 2, 4))):
        index = random.randrange(len(head))
        head[index] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256), head[index] ^ 1))
    return bytes(head) + content[_HEAD:]


def header_changed(content: bytes, random: Random) -> bytes:
    """Change the JSON header of a safetensors file and say how long it is now; now and then any bytes."""
    if random.random() < 0.1:
        return bytes_changed(content, random)
    stop = 8 + int.from_bytes(content[:8], "little")
    header = json_changed(content[8:stop], random)
    return len(header).to_bytes(8, "little") + header + content[stop:]


def after_first_line(rest: Mutation) -> Mutation:
    """Change the first line as bytes, or what follows it by another mutation."""

    def changed(content: bytes, random: Random) -> bytes:
        first, end, remainder = content.partition(b"\n")
        if random.random() < 0.3:
            return bytes_changed(first, random) + end + remainder
        return first + end + rest(remainder, random)

    return changed
