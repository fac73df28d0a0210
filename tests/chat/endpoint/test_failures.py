"""Exceptions of client libraries as call failures: their kind, one line, and no key."""

from types import SimpleNamespace

import pytest

from semscale.chat.endpoint import Scrubber, failure_of
from semscale.chat.messages import FailureKind

KEY = "sk-0123456789abcdef"


class StatusError(Exception):
    def __init__(self, status, text="{}", code="", headers=None):
        super().__init__(f"Error code: {status} with {KEY}")
        self.status_code, self.code = status, code
        self.response = SimpleNamespace(text=text, headers=headers or {})


def failure(error, **settings):
    return failure_of(error, Scrubber([KEY]), model="m", **settings)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "", FailureKind.REJECTED),
        (401, "", FailureKind.DENIED),
        (402, "", FailureKind.NO_QUOTA),
        (404, "", FailureKind.UNKNOWN_MODEL),
        (408, "", FailureKind.SERVER),
        (429, "", FailureKind.RATE_LIMITED),
        (429, "insufficient_quota", FailureKind.NO_QUOTA),
        (500, "", FailureKind.SERVER),
        (503, "", FailureKind.SERVER),
    ],
)
def test_kind_by_status_and_code(status, code, kind):
    found = failure(StatusError(status, code=code))
    assert found.kind is kind
    assert str(found).startswith(f"m: Error code: {status} with [key]")


def test_the_remedy_names_variable_or_address():
    assert str(failure(StatusError(401), variable="MY_KEY")).endswith("; check the key in MY_KEY")
    moved = str(failure(StatusError(302)))
    assert moved.endswith("; the endpoint redirects; give the address that it redirects to")


def test_a_page_that_is_no_json_is_shown_and_kept():
    found = failure(StatusError(502, text=f"<html>\nBad gateway {KEY}"))
    assert str(found).endswith(" - <html> Bad gateway [key]")
    assert found.raw == "<html>\nBad gateway [key]"


def test_the_wait_comes_from_the_headers():
    assert failure(StatusError(429, headers={"Retry-After": "7"})).retry_after == 7.0
    assert failure(StatusError(429)).retry_after is None


def test_a_timeout_below_a_clients_own_error():
    error = RuntimeError("wrapped")
    error.__cause__ = TimeoutError()
    found = failure(error)
    assert (found.kind, str(found)) == (FailureKind.TIMEOUT, "m did not answer in time")


def test_a_broken_connection_names_the_systems_reason():
    class ConnectError(Exception):
        pass

    error = ConnectError("all connection attempts failed")
    error.__cause__ = OSError(111, "Connection refused")
    found = failure(error, place="http://localhost:1")
    assert found.kind is FailureKind.CONNECTION
    assert str(found) == "m cannot be reached at http://localhost:1: Connection refused"


def test_an_error_of_the_models_own_code():
    found = failure(ZeroDivisionError())
    assert (found.kind, str(found)) == (FailureKind.BROKEN, "m: ZeroDivisionError")
