"""``semscale serve``: what it refuses before it listens."""

import pytest

from semscale.cli.main import main

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


def test_a_model_that_is_not_known_ends_the_service(capsys, monkeypatch):
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    assert main(["serve", "--port", "0", "--embedder", "no-such-model"]) == 2
    assert "no-such-model" in capsys.readouterr().err.splitlines()[-1]
