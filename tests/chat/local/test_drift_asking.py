"""``semscale drift record`` and ``matrix`` with the local model, on three items."""

import json

import pytest

from semscale.cli.main import main

pytestmark = pytest.mark.needs("local")

ITEMS = [
    {"id": "sky", "input": "What colour is the sky?", "right": "The sky is blue."},
    {"id": "sum", "input": "What is two plus two?", "right": "Two plus two is four."},
    {"id": "cat", "input": "Which animal says meow?", "right": "A cat says meow."},
]
SHORT = ("--max-tokens", "12", "--chat-temperature", "0", "--reference", "right", "--ledger", "ledger.sqlite")


@pytest.fixture
def semscale(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    (tmp_path / "short.txt").write_text("Answer in one word. {input}")

    def run(*words):
        capsys.readouterr()
        code = main(["drift", *words])
        return code, capsys.readouterr().out

    return run


def test_three_items_are_recorded_with_their_rerun_and_references(semscale):
    ask = ("record", "--prompts", "items.jsonl", "--chat-model", "local", "--reruns", "1", *SHORT)
    code, out = semscale(*ask, "--dry-run", "--json")
    assert (code, json.loads(out)["models"][0]["calls"]) == (0, 6)
    code, out = semscale(*ask)
    assert code == 0
    assert "SmolLM2-135M-Instruct" in out
    code, out = semscale("approve", "latest", "--approved-by", "Ann", "--why", "a trial")
    assert code == 0
    # At temperature 0 the same questions have the same answers.
    code, out = semscale(*ask[:5], *SHORT, "--rerun-of", "baseline")
    assert code == 0, out


def test_a_matrix_of_two_prompts_scores_them_by_references(semscale, tmp_path):
    (tmp_path / "long.txt").write_text("Answer in a sentence. {input}")
    prompts = ("--prompts", "short.txt", "--prompts", "long.txt")
    code, out = semscale(
        "matrix", "--items", "items.jsonl", *prompts, "--chat-model", "local", *SHORT, "--json"
    )
    assert code == 0
    said = json.loads(out)
    assert said["basis"] == "reference"
    for cell in said["cells"]:
        assert (cell["n_answered"], cell["cost"], cell["score"]["n"]) == (3, 0.0, 3)
        # The engine's own time: of 12 tokens, without the wait for other items.
        assert cell["latency"] > 0
