"""Images in prompts: reading them, recognising their format, and encoding them as ``data:`` URLs."""

import base64
import binascii
import re
from pathlib import Path

from semscale.errors import InputError

MEDIA_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")

_STARTS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)
_DATA_URL = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+);base64,(?P<body>[A-Za-z0-9+/=\s]+)")


def media_type_of(picture: bytes) -> str:
    """Return a picture's media type, recognised by its first bytes.

    Raises:
        InputError: it is none of PNG, JPEG, GIF and WebP.

    Example:
        >>> media_type_of(b"GIF89a...")
        'image/gif'
    """
    for start, media_type in _STARTS:
        if start.match(picture):
            return media_type
    raise InputError(f"an image must be PNG, JPEG, GIF or WebP, got bytes that begin with {picture[:8]!r}")


def image_url(source: bytes | Path | str) -> str:
    """Encode a picture as a URL that chat endpoints accept.

    Args:
        source: the picture's bytes, its file's path, a ``data:`` URL, or an ``http(s)://`` address, which the
            endpoint fetches, not Semscale.

    Raises:
        InputError: the file cannot be read, or the picture is none of PNG, JPEG, GIF and WebP.
    """
    if isinstance(source, bytes):
        return f"data:{media_type_of(source)};base64,{base64.b64encode(source).decode()}"
    text = str(source)
    if isinstance(source, str) and text.startswith("data:"):
        return _checked(text)
    if isinstance(source, str) and re.match(r"https?://", text):
        return text
    try:
        return image_url(Path(text).expanduser().read_bytes())
    except OSError as error:
        raise InputError(f"image {text[:80]!r} cannot be read: {error.strerror or error}") from error


def _checked(url: str) -> str:
    found = _DATA_URL.fullmatch(url)
    if found is None or found["type"] not in MEDIA_TYPES:
        raise InputError(f"a data URL must be base64 of {', '.join(MEDIA_TYPES)}, got {url[:40]!r}...")
    try:
        seen = media_type_of(base64.b64decode(found["body"], validate=False))
    except binascii.Error as error:
        raise InputError(f"the base64 of the data URL {url[:40]!r}... cannot be read: {error}") from error
    if seen != found["type"]:
        raise InputError(f"the data URL says {found['type']}, but its picture is {seen}")
    return url
