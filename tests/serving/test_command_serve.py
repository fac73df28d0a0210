"""``semscale serve``: what it refuses before it listens."""

import pytest

from semscale.cli.main import main
from semscale.errors import InputError

pytestmark = pytest.mark.needs("serve")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "set SEMSCALE_TOKEN to a secret of at least 16 characters"),
        (["--max-seconds", "0"], "--max-seconds must be >= 1, got 0"),
        (["--batch-tokens", "0"], "--batch-tokens must be >= 1, got 0"),
        (["--max-body", "0"], "--max-body must be > 0, got 0"),
        (["--max-job-rows", "0"], "--max-job-rows must be >= 1, got 0"),
        (["--port", "70000"], "70000"),
        (["--max-calls", "3"], "--max-calls belongs to --chat-model NAME"),
        (["--chat-model", "judge-one"], "--chat-model needs a cap on what all requests together may spend"),
        (
            ["--chat-model", "judge-one", "--chat-url", "http://localhost:1/v1", "--max-cost", "2"],
            "the price of judge-one is not known",
        ),
        (["--precision", "half"], "half"),
    ],
)
def test_invalid_options_of_serve_are_refused(options, message, capsys, monkeypatch):
    monkeypatch.delenv("SEMSCALE_TOKEN", raising=False)
    monkeypatch.delenv("SEMSCALE_PRICES", raising=False)
    assert main(["serve", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--embedder", "no-such-model"], "model 'no-such-model' is neither a known name, nor a folder"),
        (["--embedder", "nobody/no-such-model"], "SEMSCALE_OFFLINE is set"),
        (["--precision", "turbo"], "--precision turbo was measured for e5-small only, got all-MiniLM-L6-v2"),
    ],
)
def test_a_model_that_cannot_be_served_is_refused_before_a_port_is_opened(
    options, message, capsys, monkeypatch
):
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    monkeypatch.setattr("semscale.serving.server.listen", lambda *_: pytest.fail("a port was opened"))
    assert main(["serve", "--port", "0", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_a_model_for_all_tasks_is_loaded_once(monkeypatch, asked_models):
    def stop(*_):
        raise InputError("port is taken")

    monkeypatch.setattr("semscale.serving.server.listen", stop)
    assert main(["serve", "--embedder", "toy"]) == 2
    assert asked_models == ["toy"]


def test_a_chat_model_of_a_projects_file_opens_no_route(monkeypatch, tmp_path, asked_models):
    services = []

    def stop(*_):
        raise InputError("port is taken")

    monkeypatch.setattr("semscale.serving.server.listen", stop)
    monkeypatch.setattr(
        "semscale.serving.application.application", lambda service, **_: services.append(service)
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "semscale.toml").write_text('chat-model = "judge-one"\nmax-cost = 2\n')
    assert main(["serve", "--embedder", "toy"]) == 2
    assert [service.judge for service in services] == [None]
