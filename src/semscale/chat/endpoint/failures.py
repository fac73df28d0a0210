"""Conversion of a client library's exceptions into call failures."""

import time
from collections.abc import Mapping

from semscale.chat.endpoint.refusals import refused_parameters
from semscale.chat.endpoint.retry_after import read_retry_after
from semscale.chat.replies import CallError, FailureKind
from semscale.chat.secrets import Scrubber

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
    error: Exception, scrubber: Scrubber, *, model: str, place: str = "", variable: str = "its variable"
) -> CallError:
    """Convert an exception of a client library into a failure with a one-line message without keys.

    Args:
        error: the exception; its ``status_code`` and ``response`` are read if it has them.
        scrubber: removes keys.
        model: name of the model, for messages.
        place: the endpoint's address, for messages.
        variable: the environment variable of the key, for messages.
    """
    status = _status(error)
    response = getattr(error, "response", None)
    if status is None:
        return _unanswered(error, scrubber, model, place)
    kind = _kind(status, str(getattr(error, "code", "")))
    remedy = _REMEDIES.get(kind, "").format(variable=variable, place=place)
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
