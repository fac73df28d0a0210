"""``semscale consistency`` end to end, with a toy embedder and a scripted chat model."""

import json

import polars as pl
import pytest
from tests.self_consistency.scripted_chat import ScriptedChat

from semscale import chat
from semscale.chat import FailureKind


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame(
        {
            "q": ["12?", "safe?", "gone?", "few?"],
            "a": ["12 apples", "It is safe.", None, "a"],
            "s1": ["12 apples", "It is not safe.", "x", None],
            "s2": ["13 apples", "It is not safe.", "x", None],
            "kind": ["n", "s", "n", "s"],
        }
    ).write_csv(path)
    return path


@pytest.fixture
def asked(monkeypatch, tmp_path):
    script = {"sure?": ["yes"] * 11, "guess?": list("abcdefghijk")}
    model = ScriptedChat(script)
    monkeypatch.setattr(chat, "load_chat_model", lambda *_, **__: model)
    pl.DataFrame({"q": ["sure?", None, "guess?"]}).write_csv(tmp_path / "prompts.csv")
    return model


COLUMNS = ("--answer", "a", "--sample", "s1", "--sample", "s2")


def test_a_table_is_measured_shown_and_written(semscale, answers, tmp_path):
    ended = semscale(
        "consistency",
        answers,
        *COLUMNS,
        "--prompt",
        "q",
        "--by",
        "kind",
        "--out",
        "o.csv",
        "--report",
        "r.html",
    )
    assert ended.code == 0, ended.err
    assert "2 of 4 prompts count; left out: 1 missing and 1 with too few samples" in ended.out
    table = pl.read_csv(tmp_path / "o.csv")
    assert table["semscale_status"].to_list() == ["scored", "scored", "missing", "too-few-samples"]
    assert table["semscale_uncontradicted"].to_list() == [0.5, 0.0, None, None]
    assert "safe?" in (tmp_path / "r.html").read_text()


def test_json_has_every_measure_and_the_least_consistent(semscale, answers):
    ended = semscale("consistency", answers, *COLUMNS, "--measure", "exact_match", "--json")
    content = json.loads(ended.out)
    assert content["measures"]["exact_match"]["mean"] == 0.25
    assert [item["item"] for item in content["least"]] == [2, 1]
    assert content["trust"] is None


def test_questions_are_asked_and_a_second_start_asks_nobody(semscale, asked, tmp_path):
    command = (
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--model", "m", "--measure", "exact_match",
        "--ledger", tmp_path / "ledger", "--out", "o.jsonl",
    )  # fmt: skip
    first = semscale(*command)
    assert first.code == 0, first.err
    assert "8 replies asked for" in first.out
    assert len(asked.asked) == 8
    assert semscale(*command).code == 0
    assert len(asked.asked) == 8
    table = pl.read_ndjson(tmp_path / "o.jsonl")
    assert table["semscale_status"].to_list() == ["scored", "missing", "scored"]
    assert table["semscale_exact_match"].to_list() == [1.0, None, 0.0]
    assert table["semscale_answer"].to_list() == ["yes", None, "a"]


def test_stopping_early_says_what_was_saved(semscale, asked, tmp_path):
    ended = semscale(
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 10, "--model", "m",
        "--measure", "exact_match", "--stop-at", 0.5, "--ledger", tmp_path / "ledger",
    )  # fmt: skip
    assert "10 replies asked for, 12 saved because the decision was settled" in ended.out


def test_a_cap_ends_with_3_and_the_next_start_goes_on(semscale, asked, tmp_path):
    command = (
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--model", "m", "--measure", "exact_match",
        "--ledger", tmp_path / "ledger",
    )  # fmt: skip
    capped = semscale(*command, "--max-calls", 5)
    assert capped.code == 3
    assert "the cap of 5 calls is reached" in capped.err
    assert semscale(*command).code == 0
    assert len(asked.asked) == 8


def test_a_dry_run_asks_nobody(semscale, asked):
    ended = semscale(
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--model", "m", "--dry-run", "--json"
    )
    content = json.loads(ended.out)
    assert (content["prompts"], content["left_out"], content["calls"]) == (2, 1, 8)
    assert content["money"] is None
    assert asked.asked == []
    shown = semscale("consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--model", "m", "--dry-run")
    assert "Nobody was asked" in shown.out
    assert "the price of scripted is not known; add it to " in shown.out


def test_a_dry_run_leaves_out_what_the_ledger_has(semscale, asked, tmp_path):
    asked.script["guess?"][0] = FailureKind.REFUSED
    command = (
        "consistency", "prompts.csv", "--prompt", "q", "--ask", 3, "--model", "m", "--measure", "exact_match",
        "--ledger", tmp_path / "ledger",
    )  # fmt: skip
    assert semscale(*command).code == 0
    content = json.loads(semscale(*command, "--dry-run", "--json").out)
    # One answer with three samples and one refusal; what was refused gets no samples.
    assert (content["answered"], content["calls"], content["prompt_tokens"]) == (5, 0, 0)
    more = (*command[:5], 5, *command[6:])
    assert json.loads(semscale(*more, "--dry-run", "--json").out)["calls"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--answer", "a", "--sample", "s3"), "no column 's3'; did you mean"),
        ((*COLUMNS, "--measure", "cosine"), "did you mean 'cosine_sim'"),
        ((*COLUMNS, "--ask", "3", "--model", "m"), "name either --answer"),
        (("--prompt", "q"), "name either --answer"),
        (("--prompt", "q", "--ask", "3"), "--ask needs --model NAME"),
        ((*COLUMNS, "--model", "m"), "the embedding model is --embedder"),
        ((*COLUMNS, "--dry-run"), "give --ask N and --model NAME"),
        ((*COLUMNS, "--floor", "none"), "floor must be 'auto' or a cosine"),
        ((*COLUMNS, "--label", "kind"), "correct must be 1, true"),
        ((*COLUMNS, "--fewest-samples", "0"), "fewest_samples must be a whole number"),
        (("--prompt", "q", "--ask", "0", "--model", "m"), "n_samples must be a whole number"),
    ],
)
def test_bad_input_is_one_line_and_2(semscale, answers, arguments, message):
    ended = semscale("consistency", answers, *arguments)
    assert ended.code == 2
    assert message in ended.err
    assert ended.err.count("\n") == 1
