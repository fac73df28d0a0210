"""Every command that asks a chat model meets an endpoint that fails in every way it can."""

import json
import re
import sqlite3

import polars as pl
import pytest
from tests.support.endpoint import FAULTS, faulty

from semscale.chat import settings as chat_settings

pytestmark = [pytest.mark.needs("api"), pytest.mark.exhaustive]

N = 1000
"""Items that are judged; consistency, which sends two requests for each prompt, gets a quarter."""

REPLY = '{"score": 4, "explanation": "It says so."}'
JUDGE = ("judge", "items.csv", "--prompt", "q", "--answer", "a")
AUDIT = ("judge", "audit", "items.csv", "--prompt", "q", "--answer", "a")
ASK = ("consistency", "items.csv", "--prompt", "q", "--ask", "1", "--measure", "exact_match")
COMMANDS, NAMES = (JUDGE, ASK, AUDIT), ("judge", "consistency", "audit")
FILES = ("--out", "out.parquet", "--report", "report.html", "--ledger", "ledger.sqlite", "--json")


def write_items(folder, n):
    rows = range(n)
    frame = pl.DataFrame({"q": [f"What is {row}?" for row in rows], "a": [f"It is {row}." for row in rows]})
    frame.write_csv(folder / "items.csv")


def count_scored_or_reported(folder, n):
    """Check that each item has a score, or a status that is none and a reason."""
    table = pl.read_parquet(folder / "out.parquet")
    assert table.height == n
    without = table.filter(pl.col("semscale_status") != "scored")
    assert set(without["semscale_status"]) <= {"failed", "unparsable", "refused", "too-few-samples"}
    assert without["semscale_reason"].str.len_chars().fill_null(0).min() > 0
    return n - without.height


@pytest.mark.parametrize("command", COMMANDS[:2], ids=NAMES[:2])
def test_every_item_has_a_score_or_reason_when_three_in_ten_calls_fail(command, asked, endpoint, tmp_path):
    n = N if command is JUDGE else N // 4
    write_items(tmp_path, n)
    endpoint.fault, endpoint.reply = faulty(0.3), lambda asked: REPLY
    ended = asked(*command, *FILES, limit="1")
    assert (ended.code, ended.err) == (0, "")
    # Refused requests are not repeated: one fault in 16, so .3/16 of all requests bring no reply.
    assert count_scored_or_reported(tmp_path, n) > 0.93 * n
    # With p = .3 a request takes 1/(1 - p) = 1.43 calls on average.
    sent = n if command is JUDGE else 2 * n
    assert 1.2 * sent < len(endpoint.requests) < 1.6 * sent


@pytest.mark.parametrize("command", COMMANDS[:2], ids=NAMES[:2])
def test_item_with_an_endless_fault_fails_without_showing_the_key(command, asked, endpoint, tmp_path, caplog):
    """The key, which some answers repeat, is on no screen, in no file and in no log."""
    caplog.set_level("DEBUG")
    write_items(tmp_path, len(FAULTS))
    faults, endpoint.reply = list(FAULTS.values()), lambda asked: REPLY

    def fault(prompt, n_asked):
        result = re.search(r"What is (\d+)", prompt)
        return (
            faults[int(result[1])] if result else None
        )  # a judge's second question does not repeat the item

    endpoint.fault = fault
    ended = asked(*command, *FILES)
    assert (ended.code, ended.err) == (0, "")
    table = pl.read_parquet(tmp_path / "out.parquet")
    statuses = dict(zip(FAULTS, table["semscale_status"], strict=True))
    assert statuses.pop("a reply with the key") == "scored"
    assert set(statuses.values()) == {"failed"}


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_when_every_call_fails_the_last_line_says_why(command, asked, endpoint, tmp_path):
    write_items(tmp_path, 1)
    endpoint.fault = lambda prompt, n_asked: FAULTS["503 as a page"]
    ended = asked(*command, *FILES[2 if command is AUDIT else 0 :])
    assert ended.code == 2
    assert ended.err == (
        "semscale: no call brought a usable reply, most often because: m: Error code: 503 - <html><body>"
        "Service unavailable</body></html>\n"
    )


@pytest.mark.parametrize("command", COMMANDS[:2], ids=NAMES[:2])
def test_an_endpoint_that_dies_stops_the_run_which_goes_on_later(
    command, asked, endpoint, tmp_path, monkeypatch
):
    monkeypatch.setattr(chat_settings, "_SILENCE", 0.8)
    write_items(tmp_path, 200)
    endpoint.reply = lambda asked: REPLY
    endpoint.fault = lambda prompt, n_asked: FAULTS["hanging"] if len(endpoint.requests) > 30 else None
    ended = asked(*command, *FILES, limit="0.2")
    assert ended.code == 3
    assert ended.err.startswith("semscale: no reply came for 0.8 s: m did not answer within 0.2 s; received ")
    result = json.loads(ended.out)
    assert result["stopped"] in ended.err
    assert result["counts"]["unfinished"] > 0

    endpoint.fault = lambda prompt, n_asked: None
    endpoint.requests.clear()
    database = sqlite3.connect(tmp_path / "ledger.sqlite")
    (replied,) = database.execute(
        "SELECT count(*) FROM semscale_attempts WHERE status = 'replied'"
    ).fetchone()
    database.close()
    again = asked(*command, *FILES, limit="9")
    assert (again.code, json.loads(again.out)["counts"]) == (0, {"scored": 200})
    assert 0 < replied == (200 if command is JUDGE else 400) - len(endpoint.requests)


def test_parameters_that_a_model_refuses_stand_in_signature_and_cautions(asked, endpoint, tmp_path):
    write_items(tmp_path, 20)
    endpoint.refuse("temperature", "max_tokens")
    endpoint.reply = lambda asked: REPLY
    records = []
    for _ in range(2):
        ended = asked(*JUDGE, *FILES)
        assert (ended.code, ended.err) == (0, "")
        records.append(json.loads(ended.out))
    first, again = records
    assert "|temperature:default|max_tokens:1024|" in first["signature"]
    assert (
        "m refused the parameter temperature and was asked without it: its own default applies."
        in (first["cautions"])
    )
    assert (again["signature"], again["cautions"]) == (first["signature"], first["cautions"])
    # Two calls find out, for the whole run; the second run finds every reply in the ledger.
    assert len(endpoint.requests) == 22
    assert "m refused the parameter temperature" in (tmp_path / "report.html").read_text("utf-8")


def test_samples_without_the_parameters_that_a_model_refuses(asked, endpoint, tmp_path):
    write_items(tmp_path, 20)
    endpoint.refuse("max_tokens", "max_completion_tokens", words="pydantic")
    records = [json.loads(asked(*ASK, *FILES, "--max-tokens", "9").out) for _ in range(2)]
    for result in records:
        assert "|sampling_temperature:1|answer_max_tokens:default|" in result["signature"]
        assert any(words.startswith("m refused the parameter max_tokens") for words in result["cautions"])
    assert len(endpoint.requests) == 42


def test_a_panel_goes_on_with_the_judge_that_replies(asked, endpoint, tmp_path):
    write_items(tmp_path, 5)
    (tmp_path / "panel.yaml").write_text(
        f"judges:\n  - {{model: m, base_url: '{endpoint.url}'}}\n"
        "  - {model: dead, base_url: 'http://127.0.0.1:9/v1'}\n"
    )
    endpoint.reply = lambda asked: REPLY
    ended = asked(*JUDGE, *FILES, "--panel", "panel.yaml", model=None)
    result = json.loads(ended.out)
    assert (ended.code, result["counts"]) == (0, {"scored": 5})
    assert any("dead gave no usable reply to " in words for words in result["cautions"])
