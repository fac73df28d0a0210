"""Messages to a webhook: what is sent, and what is said where it does not arrive."""

from http.server import BaseHTTPRequestHandler
from threading import Event

import pytest
from local_servers import serving

from semscale.cli.drift import webhook as webhooks
from semscale.cli.drift.webhook import Webhook
from semscale.errors import InputError, ReplyError
from semscale.version import __version__

SECRET = "T0SECRETB1/x9y8z7w6v5u4"


class Hook(BaseHTTPRequestHandler):
    """Keeps what it is sent, and answers with the status that it is told."""

    status = 200
    headers_out = ()
    received: list
    waiting: Event | None = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.received.append((self.path, self.headers, body))
        if self.waiting is not None:
            self.waiting.wait()
        self.send_response(self.status, f"No. You sent {self.path}")
        for name, value in self.headers_out:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def address_of(server):
    return f"http://127.0.0.1:{server.server_port}/services/{SECRET}?key={SECRET}"


def test_a_message_is_posted_as_json():
    received = []
    with serving(Hook, received=received) as server:
        Webhook(address_of(server)).post('{"text": "é"}')
    ((path, headers, body),) = received
    assert path.endswith(SECRET)
    assert headers["Content-Type"] == "application/json"
    assert headers["User-Agent"] == f"semscale/{__version__}"
    assert body == '{"text": "é"}'


@pytest.mark.parametrize(
    ("status", "said"), [(404, "it answered 404, Not Found"), (500, "Internal"), (599, "it answered 599")]
)
def test_a_refusal_is_named_without_the_address_even_if_the_server_repeats_it(status, said):
    with (
        serving(Hook, received=[], status=status) as server,
        pytest.raises(ReplyError, match=said) as raised,
    ):
        Webhook(address_of(server)).post("{}")
    assert SECRET not in str(raised.value)
    assert raised.value.__context__ is None


def test_redirects_are_not_followed():
    received = []
    elsewhere = (("Location", f"/{SECRET}/elsewhere"),)
    with (
        serving(Hook, received=received, status=302, headers_out=elsewhere) as server,
        pytest.raises(ReplyError, match="it answered 302, Found"),
    ):
        Webhook(address_of(server)).post("{}")
    assert len(received) == 1


def test_a_server_that_is_away_is_named_without_its_address():
    with serving(Hook, received=[]) as server:
        gone = address_of(server)
    with pytest.raises(ReplyError, match="Connection refused") as raised:
        Webhook(gone).post("{}")
    assert "127.0.0.1" not in str(raised.value)


def test_a_server_that_never_answers_is_given_up(monkeypatch):
    monkeypatch.setattr(webhooks, "_SECONDS", 0.05)
    waiting = Event()
    with serving(Hook, received=[], waiting=waiting) as server:
        with pytest.raises(ReplyError, match=r"it did not answer within 0\.05 s"):
            Webhook(address_of(server)).post("{}")
        waiting.set()


@pytest.mark.parametrize(
    "address",
    ["hooks.slack.com/x", "ftp://a.b/c", "https://", "https://[x/y", "file:///etc/passwd", "https://a/b c",
     "https://a/\n", "https://a/é"],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_not_shown(address):
    with pytest.raises(InputError, match="the webhook must be an address") as raised:
        Webhook(address)
    assert str(raised.value).endswith("such as https://hooks.slack.com/services/...")


@pytest.mark.parametrize(
    ("address", "is_slack"),
    [
        ("https://hooks.slack.com/services/T/B/x", True),
        ("https://hooks.slack.com.example.org/services", False),
        ("https://example.org/hooks.slack.com", False),
    ],
)
def test_slack_is_known_by_its_host(address, is_slack):
    assert Webhook(address).is_slack == is_slack


def test_its_repr_does_not_show_the_address():
    assert repr(Webhook(f"https://example.org/{SECRET}")) == "Webhook()"
