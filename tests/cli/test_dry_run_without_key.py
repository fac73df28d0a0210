"""A forecast sends nothing, so that no command needs a key for it; the run itself asks for the key."""

import json

import polars as pl
import pytest

from semscale import chat
from semscale.chat.loading import load_chat_model

pytestmark = pytest.mark.needs("api")

STUDY = """
name: bars
model: {name: gpt-5-mini}
panel: {size: 4, marginals: {age: {young: 0.5, old: 0.5}}}
persona: You are {age}.
concepts: [{name: oat, text: A bar of oats.}]
questions: [{name: intent, scale: purchase-intent, methods: [dlr]}]
"""
CODES = """
name: topics
codes:
  - {name: power, definition: battery, examples: [it died, no power]}
  - {name: price, definition: cost, examples: [too dear]}
"""
MODEL = ("--chat-model", "gpt-5-mini")
COMMANDS = {
    "judge": ("judge", "rows.csv", "--prompt", "q", "--answer", "a", *MODEL),
    "consistency": ("consistency", "rows.csv", "--prompt", "q", "--ask", 3, *MODEL),
    "study": ("study", "run", "study.yaml"),
    "code": ("code", "rows.csv", "--text", "t", "--codebook", "codes.yaml", *MODEL),
}


@pytest.fixture
def command(semscale, tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path / "ledger.sqlite"))
    monkeypatch.setattr(chat, "load_chat_model", load_chat_model)
    rows = {"q": ["1 + 1?", "2 + 2?"], "a": ["2", "4"], "t": ["it died", "too dear"]}
    pl.DataFrame(rows).write_csv(tmp_path / "rows.csv")
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "codes.yaml").write_text(CODES)
    return semscale


# Two rows; two prompts with an answer and three samples; four personas; two answers with two codes.
@pytest.mark.parametrize(("name", "calls"), [("judge", 2), ("consistency", 8), ("study", 4), ("code", 2)])
def test_a_dry_run_needs_no_key(command, name, calls):
    ended = command(*COMMANDS[name], "--dry-run", "--json")
    assert ended.code == 0, ended.err
    (model,) = json.loads(ended.out)["models"]
    assert (model["model"], model["calls"]) == ("gpt-5-mini", calls)


@pytest.mark.parametrize("name", ["judge", "study"])
def test_a_run_names_the_missing_key(command, name):
    ended = command(*COMMANDS[name])
    assert ended.code == 2
    assert "OPENAI_API_KEY is not set; set it, or name another endpoint with --chat-url" in ended.err
