"""Who may use the service."""

import pytest

from semscale.errors import InputError
from semscale.serving.access import access_token, is_admitted, is_meant_for_loopback

SECRET = "a-secret-of-20-chars"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_this_machine_needs_no_token(host):
    assert access_token(host, {}) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.3", "example.org"])
def test_other_machines_need_one(host):
    with pytest.raises(InputError, match="set SEMSCALE_TOKEN to a secret of at least 16 characters"):
        access_token(host, {})
    assert access_token(host, {"SEMSCALE_TOKEN": SECRET}) == SECRET


@pytest.mark.parametrize("token", ["short", "sechzehn-zeichen-für"])
def test_a_weak_token_is_refused_and_not_shown(token):
    with pytest.raises(InputError, match="at least 16 ASCII") as refused:
        access_token("127.0.0.1", {"SEMSCALE_TOKEN": token})
    assert token not in str(refused.value)


@pytest.mark.parametrize(
    "shown",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer wrong",
        f"Basic {SECRET}".encode(),
        b"Bearer \xff",
        "Bearer é".encode(),
    ],
)
def test_another_header_is_not_admitted(shown):
    assert not is_admitted(shown, SECRET)


def test_the_token_is_admitted():
    assert is_admitted(f"bearer {SECRET}".encode(), SECRET)


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        (b"localhost", None, True),
        (b"LOCALHOST:8000", None, True),
        (b"127.0.0.1:8000", b"http://localhost:3000", True),
        (b"[::1]:8000", b"http://[::1]:3000", True),
        (b"example.org:8000", None, False),  # a name that somebody lets point to 127.0.0.1
        (b"localhost.example.org", None, False),
        (b"example.org@localhost", None, True),  # no browser sends it, and it names this machine
        (b"localhost@example.org", None, False),
        (b"", None, False),
        (b"[::1", None, False),
        (b"\xff", None, False),
        (b"localhost:8000", b"https://example.org", False),
        (b"localhost:8000", b"null", False),  # a page of no site, such as a frame that is shut in
        (None, None, True),  # a program that speaks HTTP/1.0; browsers always send it
    ],
)
def test_pages_of_other_sites_are_told_from_this_machine(host, origin, expected):
    headers = [(name, value) for name, value in ((b"host", host), (b"origin", origin)) if value is not None]
    assert is_meant_for_loopback([(b"accept", b"*/*"), *headers]) is expected
