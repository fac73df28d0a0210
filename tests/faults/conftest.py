"""The program and a misbehaving endpoint, whose key must not be found anywhere afterwards."""

from collections.abc import Iterator

import pytest
from tests.support.endpoint import Endpoint, misbehaving_endpoint
from tests.support.forking import Starter
from tests.support.laboratory import Laboratory

from semscale.chat.pacing import Retries
from semscale.cli.main import main

KEY = 'sk-sentinel-"0123456789"\\x'  # needs escaping in JSON


class Ended:
    """How a command ended: its exit code and what it printed."""

    def __init__(self, code, printed):
        self.code, self.out, self.err = code, printed.out, printed.err


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with misbehaving_endpoint() as result:
        yield result


@pytest.fixture
def asked(monkeypatch, capsys, caplog, tmp_path, endpoint):
    """Run a command that asks the endpoint, in a folder of its own, with waits of a hundredth."""
    whole = Retries.wait_after

    def hundredth(self, failure, repeated, chance):
        wait = whole(self, failure, repeated, chance)
        return None if wait is None else wait / 100

    monkeypatch.setattr(Retries, "wait_after", hundredth)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments, model=("--chat-model", "m"), limit="0.5"):
        capsys.readouterr()
        address = ("--chat-url", endpoint.url) if model else ()
        command_line = [*arguments, *(model or ()), *address, "--timeout", limit]
        ended = Ended(main([str(word) for word in command_line]), capsys.readouterr())
        check_no_key(ended, tmp_path, caplog)
        return ended

    return run


def check_no_key(ended, folder, caplog):
    """Fail if the key is on the screen, in a log, or in any file that was written."""
    for text in (ended.out, ended.err, caplog.text):
        assert "sentinel" not in text
    result = [path.name for path in folder.rglob("*") if path.is_file() and b"sentinel" in path.read_bytes()]
    assert result == []


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory) -> Iterator[Laboratory]:
    """Long commands in forked processes, with a chat model that always replies the same."""
    root = tmp_path_factory.mktemp("laboratory")
    (root / "notes").mkdir()
    with misbehaving_endpoint() as chat, Starter(root / "notes", {"OPENAI_API_KEY": "sk-any"}) as starter:
        yield Laboratory(root, starter, chat)
