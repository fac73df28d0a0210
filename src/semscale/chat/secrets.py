"""Removal of API keys from messages, replies and files."""

import json
import os
import re
from collections.abc import Iterable
from urllib.parse import quote

HIDDEN = "[key]"
SHORTEST_IN_REPLIES = 12
"""Shorter keys may be ordinary words, such as ``EMPTY`` for a local server, and stay in replies."""

_NAMED_LIKE_KEYS = re.compile(r".*(API_?KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE)
_SHORTEST = 4


def environment_secrets() -> list[str]:
    """Return the values of environment variables whose names look like those of keys."""
    return [value for name, value in os.environ.items() if _NAMED_LIKE_KEYS.fullmatch(name)]


class Scrubber:
    """Removes secrets from texts, whether they are written plainly, in JSON, in Python or in a URL.

    Args:
        secrets: what must not appear; values of fewer than four characters are no secrets.

    Example:
        >>> Scrubber(["sk-0123456789abcdef"]).line("Bearer sk-0123456789abcdef is wrong")
        'Bearer [key] is wrong'
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        kept = sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True)
        self._short = tuple(dict.fromkeys(form for secret in kept for form in _forms(secret)))
        long = [secret for secret in kept if len(secret) >= SHORTEST_IN_REPLIES]
        self._long = tuple(dict.fromkeys(form for secret in long for form in _forms(secret)))

    def line(self, text: str, *, longest: int = 300) -> str:
        """Join a message into one line, remove secrets and shorten it."""
        for form in self._short:
            text = text.replace(form, HIDDEN)
        line = " ".join(text.split())
        return line if len(line) <= longest else f"{line[: longest - 3]}..."

    def reply(self, text: str) -> str:
        """Remove secrets from a reply and change nothing else."""
        for form in self._long:
            if form in text:
                text = text.replace(form, HIDDEN)
        return text

    def __repr__(self) -> str:
        return "Scrubber()"


def _forms(secret: str) -> list[str]:
    in_json = (json.dumps(secret, ensure_ascii=ascii)[1:-1] for ascii in (True, False))
    return [secret, *in_json, repr(secret)[1:-1], quote(secret, safe="")]
