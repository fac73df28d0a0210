"""The workbench behind nginx as docs/teams.md writes it: passwords, and a service that signs people in."""

import http.client
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.support.free_ports import free_port
from tests.support.nginx import needs_nginx, own_paths, write_certificate

from semscale.workbench.team import SECRET

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.timeout(300, method="thread"),
    needs_nginx,
]

NAME = "surveys.example.org"
KEY = "0123456789abcdef" * 4
BLOCKS = re.findall(
    r"```nginx\n(.*?)```",
    (Path(__file__).parents[2] / "docs" / "teams.md").read_text(encoding="utf-8"),
    re.DOTALL,
)
SERVER, SECRET_LINE, SIGN_IN = BLOCKS


class SignsIn(BaseHTTPRequestHandler):
    """Stands in for oauth2-proxy: who has its cookie is Ada."""

    def do_GET(self):
        is_known = "_oauth2_proxy=ada" in self.headers.get("Cookie", "")
        self.send_response(202 if is_known else 401)
        if is_known:
            self.send_header("X-Auth-Request-Email", "ada@example.org")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *given):
        """Print nothing."""


@pytest.fixture
def signs_in():
    with ThreadingHTTPServer(("127.0.0.1", 0), SignsIn) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


class Site:
    """The address that people open."""

    def __init__(self, port, workbench_port) -> None:
        self.port, self.workbench_port = port, workbench_port

    def ask(self, path, headers=None, form=None):
        """Return status, headers and text of an answer."""
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=trusting)
        headers = {"Host": f"{NAME}:{self.port}"} | (headers or {})
        body = None
        if form is not None:
            body = urlencode(form)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        try:
            connection.request("GET" if form is None else "POST", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()


def wait_for(port, process):
    """Wait until a process listens."""
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"nothing listens: exit code {process.poll()}")


@pytest.fixture
def site(tmp_path, folder, monkeypatch, signs_in):
    """Start the workbench and nginx, with the locations of a block of the documentation."""
    started = []

    def start(locations):
        port, workbench_port = free_port(), free_port()
        settings = tmp_path / "config" / "semscale" / "workbench.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            f'address = "https://{NAME}:{port}"\n[roles]\n'
            '"ada@example.org" = "approver"\n"bo@example.org" = "editor"\n'
        )
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        monkeypatch.setenv(SECRET, KEY)
        opened = ["open", str(folder), "--host", "127.0.0.1", "--port", str(workbench_port)]
        started.append(subprocess.Popen([sys.executable, "-m", "semscale", *opened]))
        wait_for(workbench_port, started[-1])

        server = (
            SERVER
            if locations is None
            else re.sub(r"    location / \{.*?\n    \}\n", locations, SERVER, flags=re.DOTALL)
        )
        places = {
            "listen 443": f"listen 127.0.0.1:{port}",
            "127.0.0.1:8400": f"127.0.0.1:{workbench_port}",
            "127.0.0.1:4180": f"127.0.0.1:{signs_in}",
            "/etc/nginx/": f"{tmp_path}/",
        }
        for stated, here in places.items():
            server = server.replace(stated, here)
        write_certificate(tmp_path / "surveys.key", tmp_path / "surveys.crt", NAME)
        (tmp_path / "surveys.secret").write_text(SECRET_LINE.replace("0123...", KEY))
        (tmp_path / "surveys.users").write_text("bo@example.org:{PLAIN}word\ndi@example.org:{PLAIN}word\n")
        user = "user root;\n" if os.geteuid() == 0 else ""  # who may read the folder of the test
        before, inside = own_paths(tmp_path)
        configuration = tmp_path / "nginx.conf"
        configuration.write_text(
            f"{user}daemon off;\nworker_processes 1;\n{before}events {{}}\nhttp {{\n{inside}{server}}}\n"
        )
        started.append(subprocess.Popen(["nginx", "-p", str(tmp_path), "-c", str(configuration)]))
        wait_for(port, started[-1])
        return Site(port, workbench_port)

    yield start
    for process in reversed(started):
        process.terminate()
        process.wait(30)


def person_of(page):
    """Return role and name that a page shows."""
    return re.search(r'title="Role: (\w+)"><bdi>([^<]*)</bdi>', page).groups()


def test_people_with_passwords_are_let_in_under_their_own_names(site, folder):
    site = site(None)
    password = {"Authorization": "Basic " + b64encode(b"bo@example.org:word").decode()}
    assert site.ask("/data")[0] == 401
    status, _, page = site.ask("/data", password)
    assert (status, person_of(page)) == (200, ("editor", "bo@example.org"))
    # nginx replaces what a browser states
    claimed = password | {"X-Semscale-User": "ada@example.org", "X-Semscale-Secret": "x"}
    assert person_of(site.ask("/data", claimed)[2]) == ("editor", "bo@example.org")
    stranger = {"Authorization": "Basic " + b64encode(b"di@example.org:word").decode()}
    assert site.ask("/data", stranger)[0] == 403
    changed = {"where": "age > 30", "name": "", "expression": ""}
    assert site.ask("/data/rows", password, changed)[0] == 303
    assert "age > 30" in (folder / "survey.yaml").read_text()


def test_nobody_reaches_the_workbench_around_the_proxy(site):
    site = site(None)
    connection = http.client.HTTPConnection("127.0.0.1", site.workbench_port, timeout=60)
    headers = {"Host": f"{NAME}:{site.port}", "X-Semscale-User": "ada@example.org"}
    connection.request("GET", "/data", headers=headers)
    assert connection.getresponse().status == 403
    connection.close()


def test_people_are_signed_in_by_a_service_that_nginx_asks(site):
    site = site(SIGN_IN)
    status, headers, _ = site.ask("/data?find=sound")
    expected = f"/oauth2/sign_in?rd=https://{NAME}:{site.port}/data?find=sound"
    assert (status, headers["Location"].endswith(expected)) == (302, True)
    cookie = {"Cookie": "_oauth2_proxy=ada", "X-Semscale-User": "bo@example.org"}
    status, _, page = site.ask("/data", cookie)
    assert (status, person_of(page)) == (200, ("approver", "ada@example.org"))
    assert site.ask("/data/rows", cookie, {"where": "age > 30", "name": "", "expression": ""})[0] == 303
    assert site.ask("/data/rows", {"Cookie": "_oauth2_proxy=di"}, {"where": ""})[0] == 302
