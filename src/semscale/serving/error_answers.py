"""Errors as answers: each has a status, one sentence and, where a field is wrong, its name."""

import errno
import logging

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from semscale.errors import InputError, SemscaleError
from semscale.serving.jobs.job_order import JOB_FIELDS
from semscale.serving.json_answers import json_answer
from semscale.serving.refusals import (
    BAD_JSON,
    CLIENT_GONE,
    DISK_FULL,
    FAILED,
    TOO_LATE,
    ClientGoneError,
    RefusedRequestError,
    invalid,
)
from semscale.serving.requests.field_names import in_request
from semscale.serving.requests.fields import (
    TOO_DEEP,
    ConsistencyFields,
    EmbeddingFields,
    MatchFields,
    RatingFields,
    RequestFields,
)

_RETRY_AFTER = 5
_KINDS: tuple[type[RequestFields], ...] = (
    EmbeddingFields,
    RatingFields,
    MatchFields,
    ConsistencyFields,
    *JOB_FIELDS.values(),
)
_FIELDS = frozenset(name for kind in _KINDS for name in kind.model_fields)
_LOG = logging.getLogger("semscale.serving")


async def answer_to(request: Request, error: Exception) -> Response:
    """Answer to a request that failed."""
    if isinstance(error, ClientGoneError):
        return Response(status_code=CLIENT_GONE)  # nobody reads it, but figures count it
    if isinstance(error, HTTPException):
        # Not the request's URL, which needs a sound header Host.
        where = f"{request.method} {request.scope['path'][:60]}"
        error = RefusedRequestError(error.status_code, f"{where}: {error.detail}; see /openapi.json")
    return refused(refusal_of(error))


def refused(refusal: RefusedRequestError) -> Response:
    """Answer with a refusal."""
    return json_answer(refusal.record(), refusal.status, refusal.headers)


def refusal_of(error: Exception) -> RefusedRequestError:
    """Make a refusal of an error; one that nobody foresaw is logged with its traceback."""
    match error:
        case RefusedRequestError():
            refusal = error
        case TimeoutError():
            said = "no answer within the limit of time: send fewer texts"
            refusal = RefusedRequestError(TOO_LATE, said, retry_after=_RETRY_AFTER)
        case InputError():
            said = in_request(str(error))
            refusal = invalid(said, _field_of(said))
        case RecursionError():  # of a check, or of a message that shows the value
            refusal = RefusedRequestError(BAD_JSON, f"the body {TOO_DEEP}")
        case SemscaleError():
            refusal = RefusedRequestError(FAILED, in_request(str(error)))
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            refusal = RefusedRequestError(DISK_FULL, "the disk of the service is full: make room on it")
        case _:
            _LOG.error("a bug of ours: please report it", exc_info=error)
            refusal = RefusedRequestError(FAILED, f"this is a bug of ours: {type(error).__name__}")
    return refusal


def _field_of(message: str) -> str | None:
    """Find the field that a message begins with."""
    words = message.split(maxsplit=1)
    first = words[0].rstrip(":,").split("[")[0] if words else ""
    return first if first in _FIELDS else None
