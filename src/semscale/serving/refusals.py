"""Requests that are refused: the status, the sentence, the field, and when to try again."""

from semscale.errors import SemscaleError

BAD_JSON, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFLICT, TOO_LARGE, INVALID = 400, 401, 403, 404, 409, 413, 422
HEAD_TOO_LARGE, TOO_MANY, CLIENT_GONE, FAILED, UNAVAILABLE, TOO_LATE, DISK_FULL = (
    431,
    429,
    499,
    500,
    503,
    504,
    507,
)

_TYPES = {
    UNAUTHORIZED: "authentication_error",
    FORBIDDEN: "permission_error",
    NOT_FOUND: "not_found_error",
    TOO_MANY: "rate_limit_error",
    FAILED: "server_error",
    UNAVAILABLE: "unavailable_error",
    TOO_LATE: "timeout_error",
    DISK_FULL: "server_error",
}


_LONGEST = 1000  # characters of a message, as a client may have sent a key or a number of any length


class RefusedRequestError(SemscaleError):
    """A request is not answered.

    Args:
        status: HTTP's status.
        message: what is wrong, and what to do, in one sentence.
        field: name of the field of the request that is wrong.
        retry_after: seconds after which the same request may be answered.
    """

    def __init__(
        self, status: int, message: str, *, field: str | None = None, retry_after: int | None = None
    ) -> None:
        # Half of a surrogate pair, which JSON may hold and an answer may not, is written as its number.
        written = message.encode("utf-8", "backslashreplace").decode()
        super().__init__(written if len(written) <= _LONGEST else f"{written[:_LONGEST]}...")
        self.status = status
        self.field = field if field is None else field[:_LONGEST]
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return {**headers, "WWW-Authenticate": "Bearer"} if self.status == UNAUTHORIZED else headers

    def record(self) -> dict[str, dict[str, str | None]]:
        """Give the answer in the form that OpenAI's clients read.

        Example:
            >>> RefusedRequestError(422, "input must not be empty", field="input").record()["error"]["param"]
            'input'
        """
        kind = _TYPES.get(self.status, "invalid_request_error")
        return {"error": {"message": str(self), "type": kind, "param": self.field, "code": None}}


class ClientGoneError(Exception):
    """The client has gone, so nobody reads the answer."""


def invalid(message: str, field: str | None) -> RefusedRequestError:
    """Refuse a value of a field."""
    return RefusedRequestError(INVALID, message, field=field)
