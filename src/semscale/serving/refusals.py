"""Refusals: errors of requests, and the response that states them in the form of OpenAI's."""

from http import HTTPStatus
from typing import Any

from pydantic import BaseModel

from semscale.errors import SemscaleError

ERRORS: dict[int, tuple[str, str]] = {
    400: ("invalid_request_error", "The request or its body cannot be read."),
    401: ("authentication_error", "The token is missing or wrong."),
    403: ("permission_error", "The request does not come from this machine, and the service has no token."),
    404: ("not_found_error", "There is no such route, model or job."),
    405: ("invalid_request_error", "The route has no such method."),
    409: ("invalid_request_error", "The job has no result, or cannot run again."),
    413: ("invalid_request_error", "The body is too large."),
    422: ("invalid_request_error", "A field is missing, unknown or wrong."),
    429: ("rate_limit_error", "The queue is full: try again after the seconds in Retry-After."),
    500: ("server_error", "The model cannot be run, or a bug of Semscale."),
    503: ("unavailable_error", "Models are being loaded, or the service is shutting down."),
    504: ("timeout_error", "No answer within the time limit."),
    507: ("server_error", "The files of jobs have reached their quota."),
}
"""Error type and meaning of each refusal status."""

_LONGEST = 1000  # characters of a message: a client may send a key or a number of any length


class ErrorFields(BaseModel):
    """Fields of an error, in the form that OpenAI's clients read."""

    message: str
    type: str
    param: str | None
    code: None


class ErrorAnswer(BaseModel):
    """Answer to a request that is refused or fails."""

    error: ErrorFields


class RefusedRequestError(SemscaleError):
    """Error for a request that is refused.

    Args:
        status: HTTP status.
        message: the error and its remedy, in one sentence.
        field: name of the invalid field of the request.
        retry_after: seconds after which the client can try again.
    """

    def __init__(
        self, status: int, message: str, *, field: str | None = None, retry_after: int | None = None
    ) -> None:
        # JSON may contain half a surrogate pair, which UTF-8 cannot encode, so it is written as a number.
        written = message.encode("utf-8", "backslashreplace").decode()
        super().__init__(written if len(written) <= _LONGEST else f"{written[:_LONGEST]}...")
        self.status = status
        self.field = field if field is None else field[:_LONGEST]
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response."""
        if self.status == HTTPStatus.UNAUTHORIZED:
            return {"WWW-Authenticate": "Bearer"}
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}

    def record(self) -> dict[str, Any]:
        """Return the response, in the form of ``ErrorAnswer``.

        Examples:
            >>> RefusedRequestError(422, "input must not be empty", field="input").record()["error"]["param"]
            'input'
        """
        kind, _ = ERRORS[self.status]
        error = ErrorFields(message=str(self), type=kind, param=self.field, code=None)
        return ErrorAnswer(error=error).model_dump()


def invalid(message: str, field: str | None) -> RefusedRequestError:
    """Return the refusal of an invalid field."""
    return RefusedRequestError(422, message, field=field)
