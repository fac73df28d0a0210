"""``--layer``, ``--engine`` and ``--embedder-url``: every command that measures can use other models."""

import json

import pytest
from tests.embedding.conftest import write_checkpoint

from semscale.embedding import loading

pytestmark = pytest.mark.exhaustive

__all__ = ["write_checkpoint"]

ITEMS = [{"id": name, "output": f"w1 w2 {word}"} for name, word in (("a", "w3"), ("b", "w4"), ("c", "w5"))]


@pytest.fixture
def unknown_model(semscale, tmp_path, write_checkpoint):
    """A model of three layers that nobody knows, and a history with a baseline and a rerun of it."""
    (tmp_path / "base.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    semscale("drift", "record", "base.jsonl", "--model", "m")
    semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read")
    for word in ("w6", "w7"):  # outputs that repeat the baseline would be left out
        outputs = [{**item, "output": f"w1 {word} {item['output'][-2:]}"} for item in ITEMS]
        (tmp_path / f"{word}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in outputs))
        semscale("drift", "record", f"{word}.jsonl", "--model", "m", "--rerun-of", "baseline")
    return write_checkpoint("roberta")[0]


COMMANDS = {
    "gate": ("gate", "new.jsonl", "--model", "n"),
    "plan": ("plan",),
    "self-test": (
        "plan",
        "--self-test",
        "--draws",
        "20",
        "--n-items",
        "3",
        "--damage",
        "silence",
        "--share",
        "1",
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_model_without_a_known_layer_is_used_if_a_layer_is_named(semscale, unknown_model, command):
    ask = ("drift", *COMMANDS[command], "--embedder", unknown_model, "--no-cache")
    ended = semscale(*ask)
    assert ended.code == 2
    assert "layer must be given for roberta-0, 0 to 3" in ended.err
    ended = semscale(*ask, "--layer", "2", "--json")
    assert ended.code in {0, 4}, ended.err
    if command == "gate":
        assert "|layer:2|" in json.loads(ended.out)["signature"]


def test_a_layer_that_the_model_lacks_is_refused(semscale, unknown_model):
    ended = semscale(
        "drift", "gate", "new.jsonl", "--model", "n", "--embedder", unknown_model, "--layer", "4"
    )
    assert ended.code == 2
    assert "layer" in ended.err
    assert "4" in ended.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_different_engine_loads_the_model(semscale, unknown_model, command, monkeypatch):
    asked = []

    def load(name, **settings):
        asked.append((name, settings))
        return loading.load_token_encoder(unknown_model)

    monkeypatch.setattr(loading, "load_embedder", load)
    engine = ("--engine", "torch", "--device", "cuda", "--embedder-url", "http://host/v1", "--no-cache")
    ended = semscale("drift", *COMMANDS[command], "--embedder", "some/model", "--layer", "2", *engine)
    assert ended.code in {0, 4}, ended.err
    settings_passed = {
        "engine": "torch",
        "device": "cuda",
        "base_url": "http://host/v1",
        "cache": False,
        "precision": "exact",
    }
    assert asked == [("some/model", {**settings_passed, "progress": None})]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_engine_without_states_of_tokens_is_refused(semscale, unknown_model, command):
    ended = semscale("drift", *COMMANDS[command], "--engine", "api")
    assert ended.code == 2
    assert ended.err == ("semscale: --engine must be openvino or torch, which give token states, got 'api'\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_states_of_tokens_in_integers_are_refused(semscale, unknown_model, command):
    ended = semscale("drift", *COMMANDS[command], "--embedder", "e5-small", "--precision", "turbo")
    assert ended.code == 2
    assert ended.err == (
        "semscale: --precision turbo was measured for vectors of texts only; for states of tokens use "
        "--precision fast\n"
    )
