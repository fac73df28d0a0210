"""Calls of ``semscale judge``: paid for once, capped, refused, failed and made again."""

import json

import polars as pl
import pytest
from tests.support.endpoint import error

from semscale.chat import runner
from semscale.cli.main import main

pytestmark = pytest.mark.needs("api")

# A longer wait than a run has patience for, so that nothing is repeated.
DOWN = (503, error("down"), {"Retry-After": "9999"})


def test_a_second_run_sends_only_rows_without_an_outcome(judge_command, judge_endpoint, capsys):
    assert main(judge_command()) == 0
    asked = len(judge_endpoint.requests)
    assert main(judge_command()) == 0
    assert len(judge_endpoint.requests) == asked
    capsys.readouterr()


@pytest.mark.exhaustive
def test_the_same_command_asks_again_about_rows_that_the_endpoint_was_down_for(
    judge_command, judge_endpoint, tmp_path, capsys
):
    out = tmp_path / "judged.jsonl"
    line = judge_command("--out", str(out), "--part-rows", "1")
    judge_endpoint.fault = lambda prompt, n_asked: DOWN if "mirrors" in prompt else None
    assert main([*line, "--max-calls", "3"]) == 3
    statuses = pl.read_ndjson(out)["semscale_status"].to_list()
    assert statuses == ["scored", "failed", "missing", "scored", "unfinished"]
    judge_endpoint.fault = lambda prompt, n_asked: None
    judge_endpoint.requests.clear()
    assert main(line) == 0
    statuses = pl.read_ndjson(out)["semscale_status"].to_list()
    assert statuses == ["scored", "scored", "missing", "scored", "unparsable"]
    asked = [str(body["messages"][1]["content"]) for body, _, _ in judge_endpoint.requests]
    assert "mirrors" in asked[0]
    assert not any("1066" in prompt or "Austen" in prompt for prompt in asked)
    capsys.readouterr()


@pytest.mark.exhaustive
def test_a_cap_keeps_finished_rows_and_exits_with_3(judge_command, judge_endpoint, tmp_path, capsys):
    out = tmp_path / "judged.jsonl"
    assert main(judge_command("--max-calls", "2", "--out", str(out))) == 3
    statuses = pl.read_ndjson(out)["semscale_status"].to_list()
    assert (statuses.count("scored"), statuses.count("unfinished")) == (2, 2)
    assert "cap" in capsys.readouterr().err
    done = len(judge_endpoint.requests)
    assert main(judge_command("--out", str(out))) == 0
    # The two that were asked about are not asked about again: one more, and three times the unreadable one.
    assert len(judge_endpoint.requests) - done == 4
    capsys.readouterr()


@pytest.mark.exhaustive
def test_parts_before_a_cap_are_stored_and_continued(judge_command, judge_endpoint, tmp_path, capsys):
    out, parts = tmp_path / "judged.jsonl", tmp_path / "judged.jsonl.parts"
    run = judge_command("--part-rows", "1", "--out", str(out))
    assert main([*run, "--max-calls", "2"]) == 3
    assert len(list(parts.glob("part-*.json"))) == 3  # two rows, and the one without an answer
    assert (
        pl.read_ndjson(out)["semscale_status"].to_list() == ["scored"] * 2 + ["missing"] + ["unfinished"] * 2
    )
    assert main([*run, "--order", "score-only"]) == 2
    assert "order was score-first, now score-only" in capsys.readouterr().err
    done = len(judge_endpoint.requests)
    assert main(run) == 0
    assert len(judge_endpoint.requests) - done == 4
    assert not parts.exists()


def test_a_cost_cap_needs_a_price(judge_command, judge_endpoint, capsys):
    assert main(judge_command("--max-cost", "1")) == 2
    assert "the price of judge-one is not known" in capsys.readouterr().err
    assert judge_endpoint.requests == []


@pytest.mark.exhaustive
def test_an_endpoint_without_logprobs_or_schema(judge_command, judge_endpoint, capsys):
    judge_endpoint.refuse("logprobs", "top_logprobs", "response_format", words=None)
    assert main(judge_command("--json")) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["judges"][0]["provenance"] == {"single": 3}
    assert "|structured:no|logprobs:none|" in content["signature"]


@pytest.mark.exhaustive
def test_screen_and_exit_code_report_why_no_reply_was_usable(judge_command, judge_endpoint, capsys):
    judge_endpoint.refuse("messages", words=None)
    assert main(judge_command()) == 2
    printed = capsys.readouterr()
    assert "most often because: judge-one: Error code: 400 - unknown field." in " ".join(printed.out.split())
    why = "no call brought a usable reply, most often because: judge-one: Error code: 400 - unknown field"
    assert printed.err == f"semscale: {why}\n"


@pytest.mark.parametrize("n_rows", [1, 40])  # fewer and more than are asked about at once
@pytest.mark.exhaustive
def test_a_dead_endpoint_prints_a_single_line_with_address_cause_and_remedy(
    tmp_path, capsys, monkeypatch, n_rows
):
    monkeypatch.setattr(runner, "_TICK", 0.01)
    (tmp_path / "items.csv").write_text("q,a\n" + "".join(f"What is {n}?,It is.\n" for n in range(n_rows)))
    command = ["judge", str(tmp_path / "items.csv"), "--prompt", "q", "--answer", "a", "--chat-model", "m"]
    assert main([*command, "--chat-url", "http://127.0.0.1:9", "--give-up-after", "0.2"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        "semscale: m cannot be reached at http://127.0.0.1:9: Connection refused; check the address, and "
        "that the server runs\n"
    )


def test_settings_of_calls_are_sent(judge_command, judge_endpoint):
    assert main([*judge_command(), "--chat-temperature", "0.5", "--max-tokens", "77", "--timeout", "9"]) == 0
    assert {(body["temperature"], body["max_tokens"]) for body, _, _ in judge_endpoint.requests} == {
        (0.5, 77)
    }
    assert main([*judge_command(), "--timeout", "0"]) == 2
