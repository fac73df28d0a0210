"""``semscale serve``: what it refuses before it listens."""

import pytest

from semscale.cli.main import main
from semscale.errors import InputError

pytestmark = pytest.mark.needs("serve")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "set SEMSCALE_TOKEN to a secret of at least 16 characters"),
        (["--max-seconds", "0"], "--max-seconds must be >= 1, got 0"),
        (["--batch-tokens", "0"], "--batch-tokens must be >= 1, got 0"),
        (["--max-body", "0"], "--max-body must be > 0, got 0"),
        (["--max-job-rows", "0"], "--max-job-rows must be >= 1, got 0"),
        (["--port", "70000"], "70000"),
        (["--precision", "half"], "half"),
    ],
)
def test_what_cannot_be_served_is_refused(options, words, capsys, monkeypatch):
    monkeypatch.delenv("SEMSCALE_TOKEN", raising=False)
    assert main(["serve", *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--embedder", "no-such-model"], "model 'no-such-model' is neither a known name, nor a folder"),
        (["--embedder", "nobody/no-such-model"], "SEMSCALE_OFFLINE is set"),
        (["--precision", "turbo"], "--precision turbo was measured for e5-small only, got all-MiniLM-L6-v2"),
    ],
)
def test_a_model_that_cannot_be_served_is_refused_before_a_port_is_opened(
    options, words, capsys, monkeypatch
):
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    monkeypatch.setattr("semscale.serving.server.listen", lambda *_: pytest.fail("a port was opened"))
    assert main(["serve", "--port", "0", *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


def test_one_model_for_everything_is_loaded_once(monkeypatch, asked_models):
    def stop(*_):
        raise InputError("port is taken")

    monkeypatch.setattr("semscale.serving.server.listen", stop)
    assert main(["serve", "--embedder", "toy"]) == 2
    assert asked_models == ["toy"]
