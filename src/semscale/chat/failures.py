"""Failures of calls, converted from the exceptions of client libraries, without keys."""

import email.utils
import json
import math
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from semscale.chat.replies import CallError, FailureKind
from semscale.json_reading import parse_json

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


_BY_STATUS = {
    401: FailureKind.DENIED,
    402: FailureKind.NO_QUOTA,
    404: FailureKind.UNKNOWN_MODEL,
    408: FailureKind.SERVER,
    409: FailureKind.SERVER,
    425: FailureKind.SERVER,
    429: FailureKind.RATE_LIMITED,
    501: FailureKind.UNSUPPORTED,
}
_LEAST_SERVER_ERROR = 500
_REDIRECTS = range(300, 400)
_EMPTY_ACCOUNT = ("insufficient_quota", "billing_hard_limit_reached")
_REMEDIES = {
    FailureKind.DENIED: "check the key in {variable}",
    FailureKind.UNKNOWN_MODEL: "check the model's name and the address {place}",
    FailureKind.NO_QUOTA: "the account has nothing left; add to it, or use another endpoint",
}


def failure_of(
    error: Exception,
    scrubber: Scrubber,
    *,
    model: str,
    place: str = "",
    variable: str | None = "its variable",
) -> CallError:
    """Convert an exception of a client library into a failure with a one-line message without keys.

    Args:
        error: the exception; its ``status_code`` and ``response`` are read if it has them.
        scrubber: removes keys.
        model: name of the model, for messages.
        place: the endpoint's address, for messages.
        variable: the environment variable of the key, for messages; ``None`` if no key was sent.
    """
    status = _status(error)
    response = getattr(error, "response", None)
    if status is None:
        return _unanswered(error, scrubber, model, place)
    kind = _kind(status, str(getattr(error, "code", "")))
    remedy = _REMEDIES.get(kind, "").format(variable=variable, place=place)
    if kind is FailureKind.DENIED and variable is None:
        remedy = "no key was sent; name the variable that holds the key of this endpoint"
    if status in _REDIRECTS:
        remedy = "the endpoint redirects; give the address that it redirects to"
    raw = _body(response, scrubber)
    # The client's error shows JSON bodies; for others, such as a proxy's page, show the beginning.
    page = f" - {scrubber.line(raw, longest=80)}" if raw[:1] not in {"", "{", "["} else ""
    said = f"{model}: {_line(error, scrubber)}{page}"
    return CallError(
        f"{said}; {remedy}" if remedy else said,
        kind=kind,
        retry_after=_retry_after(response),
        raw=raw,
        refused=refused_parameters(raw or str(error)) if kind is FailureKind.REJECTED else (),
    )


def _kind(status: int, code: str) -> FailureKind:
    if code in _EMPTY_ACCOUNT:
        return FailureKind.NO_QUOTA
    others = FailureKind.SERVER if status >= _LEAST_SERVER_ERROR else FailureKind.REJECTED
    return _BY_STATUS.get(status, others)


def _unanswered(error: Exception, scrubber: Scrubber, model: str, place: str) -> CallError:
    """Classify by the underlying exceptions, as the client reports some broken connections as timeouts."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return CallError(f"{model} did not answer in time", kind=FailureKind.TIMEOUT)
    names = " ".join(kind.__name__ for cause in causes for kind in type(cause).__mro__)
    if "Connect" in names or "Protocol" in names:
        said = scrubber.line(_why_no_connection(causes))
        where = f" at {place}" if place else ""
        return CallError(f"{model} cannot be reached{where}: {said}", kind=FailureKind.CONNECTION)
    return CallError(f"{model}: {_line(error, scrubber)}", kind=FailureKind.BROKEN)


def _why_no_connection(causes: list[BaseException]) -> str:
    """Return the reason of a failed connection; exceptions below it may come from earlier steps."""
    for cause in reversed(causes):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    said = [str(cause) for cause in causes if not isinstance(cause, RuntimeError)]
    return next((words for words in reversed(said) if words), "connection lost")


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (response, "status_code"), (error, "http_status")):
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return status
    return None


def _line(error: Exception, scrubber: Scrubber) -> str:
    cause = f" ({error.__cause__})" if error.__cause__ is not None and str(error.__cause__) else ""
    return scrubber.line(f"{error}{cause}" if str(error) else f"{type(error).__name__}{cause}")


def _retry_after(response: object) -> float | None:
    headers = getattr(response, "headers", None)
    if not isinstance(headers, Mapping):
        return None
    return read_retry_after({str(name).lower(): str(value) for name, value in headers.items()}, time.time())


def _body(response: object, scrubber: Scrubber) -> str:
    try:
        return scrubber.reply(str(getattr(response, "text", ""))[:65_536])
    except Exception:  # report the failure even if its body was not read or cannot be decoded
        return ""


PARAMETERS = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "top_p",
    "seed",
    "stop",
    "logprobs",
    "top_logprobs",
)
_NAME = re.compile(rf"(?<![A-Za-z_])({'|'.join(PARAMETERS)})(?![A-Za-z_])")
_NOT_TAKEN = re.compile(
    r"""(not|n't|never) \s+ (be \s+)? (support|permit|allow|accept|recogni[sz]|known|available|implemented)
    | (unsupported|unknown|unrecogni[sz]ed|unexpected|forbidden|deprecated) (?![A-Za-z])
    | (extra|additional) \s+ (inputs|fields|propert|parameters)
    | (extra_forbidden|unsupported_(value|parameter)|unknown_parameter|cannot \s+ find \s+ field)
    | only \s+ (be \s+ set|[^.]{0,40} \s+ (is|are) \s+ (supported|allowed|permitted))
    | strictly \s+ positive | (greater|larger) \s+ than \s+ 0 (?![.\d])""",
    re.IGNORECASE | re.VERBOSE,
)
_BESIDE_THE_POINT = re.compile(
    r"\b(use|try|expected|did you mean|instead|consider)\b|'input':", re.IGNORECASE
)
_CLAUSE = re.compile(r"[.;]\s+|[\n}]")


def refused_parameters(body: str) -> tuple[str, ...]:
    """Name the parameters that a refusal says are not taken, in the order in which it names them.

    A value out of range, such as a limit on tokens that is too high, is no such refusal.

    Args:
        body: of an answer with a status such as 400 or 422, JSON or plain text.

    Returns:
        Names out of ``PARAMETERS``; empty if the refusal is about something else.

    Example:
        >>> refused_parameters('[{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]')
        ('seed',)
        >>> refused_parameters("max_tokens is not supported. Use max_completion_tokens instead.")
        ('max_tokens',)
        >>> refused_parameters("max_tokens must be at most 4096")
        ()
    """
    try:
        statements = list(_statements(parse_json(body)))
    except ValueError:
        statements = [("", body)]
    found = [name for place, words in statements for name in _named(place, words)]
    return tuple(dict.fromkeys(found))


def _statements(content: object) -> Iterator[tuple[str, str]]:
    """Yield what an answer says, each statement with the parameter that the answer puts beside it."""
    if isinstance(content, str):
        yield "", content
    elif isinstance(content, list):
        for part in content:
            yield from _statements(part)
    elif isinstance(content, dict):
        words = content.get("msg") or content.get("message")
        if isinstance(words, str):
            place = content.get("param") or content.get("loc") or ""
            kind = content.get("code") or content.get("type") or ""
            yield str(place), f"{words} {kind}"
        else:
            for part in content.values():
                yield from _statements(part)


def _named(place: str, words: str) -> list[str]:
    beside = _NAME.findall(place)
    if beside:
        return beside if _NOT_TAKEN.search(words) else []
    clauses = (_BESIDE_THE_POINT.split(clause, maxsplit=1)[0] for clause in _CLAUSE.split(words))
    return [name for clause in clauses if _NOT_TAKEN.search(clause) for name in _NAME.findall(clause)]


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Read ``retry-after-ms``, else ``Retry-After`` in seconds or as a date.

    Args:
        headers: names in lower case.
        now: seconds since 1970, for a date beside which the endpoint does not say its own time (``Date``).

    Returns:
        Seconds from now, at least 0; ``None`` where the headers do not say.

    References:
        RFC 9110, section 10.2.3.

    Example:
        >>> read_retry_after({"retry-after-ms": "1500", "retry-after": "2"}, now=0.0)
        1.5
        >>> read_retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=50.0)
        10.0
        >>> read_retry_after({"retry-after": "soon"}, now=0.0) is None
        True
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return max(0.0, seconds * unit)
    until = _moment(headers.get("retry-after"))
    if until is None:
        return None
    # Two times of one clock: this machine's own may be wrong by days.
    answered = _moment(headers.get("date"))
    return max(0.0, until - (now if answered is None else answered))


def _moment(text: str | None) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(text or "").timestamp()
    except (ValueError, TypeError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
