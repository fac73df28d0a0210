"""The image of the service: built if a builder is available, and never run by root."""

import json
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Without Docker's own format, podman and buildah leave out the health check.
BUILDERS = {
    "docker": ["build"],
    "podman": ["build", "--format", "docker"],
    "buildah": ["bud", "--format", "docker"],
}


def builder():
    """Return the first builder that works; a builder without its daemon does not."""
    for name in BUILDERS:
        if shutil.which(name):
            done = subprocess.run([name, "info"], capture_output=True, check=False, timeout=60)
            if done.returncode == 0:
                return name
    return None


def lines():
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    return [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]


def test_the_service_is_not_run_by_root():
    users = [rest for word, rest in lines() if word == "USER"]
    assert users
    assert int(users[-1]) > 0  # a number, as Kubernetes cannot tell a name from root's
    instructions = [word for word, _ in lines()]
    assert {"HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT"} <= set(instructions)
    assert instructions.index("USER") < instructions.index("ENTRYPOINT")


def test_the_base_has_a_single_version_of_python_and_of_debian():
    (base,) = (rest for word, rest in lines() if word == "FROM")
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", base)


def test_signals_reach_the_service():
    """A shell as the first process would not pass them on."""
    assert [json.loads(rest)[:2] for word, rest in lines() if word == "ENTRYPOINT"] == [["semscale", "serve"]]


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_health_check_tells_a_service_that_is_ready(status, code, monkeypatch):
    class Ready(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status if self.path == "/ready" else 404)
            self.end_headers()

        def log_message(self, *_):
            pass

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # asked for a host of its own, it would not answer
    (check,) = (rest for word, rest in lines() if word == "HEALTHCHECK")
    _, _, command = check.partition(" CMD ")
    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        written = json.loads(command)[2].replace("8000", str(server.server_port))
        done = subprocess.run([sys.executable, "-c", written], check=False, timeout=60)
    assert done.returncode == code


def test_the_health_check_waits_for_models_on_a_busy_machine():
    """The service is ready after 60 to 90 seconds if a dozen processes share the processors."""
    (check,) = (rest for word, rest in lines() if word == "HEALTHCHECK")
    (start_period,) = re.findall(r"--start-period=(\d+)s", check)
    assert int(start_period) >= 2 * 90


def test_all_that_is_copied_is_let_through():
    included = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    copied = [name for word, rest in lines() if word == "COPY" for name in rest.split()[:-1]]
    assert {name.removeprefix("./") for name in copied} == set(included)
    assert all((ROOT / name).exists() for name in included)


def test_the_image_is_built():
    name = builder()
    if name is None:
        pytest.skip(f"no builder of images works here: start one of {', '.join(BUILDERS)}")
    (base,) = (rest for word, rest in lines() if word == "FROM")
    pulled = subprocess.run([name, "pull", base], capture_output=True, text=True, check=False, timeout=600)
    if pulled.returncode:
        pytest.skip(f"{name} cannot fetch {base}: {pulled.stderr.strip().splitlines()[-1]}")
    command = [name, *BUILDERS[name], "--tag", "semscale-test", "--build-arg", "MODELS=all-MiniLM-L6-v2", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr[-2000:]
