"""``semscale judge --dry-run`` says what asking would take."""

import json

import pytest

from semscale.cli.main import main
from semscale.store.table import Table

pytestmark = pytest.mark.needs("api")


def test_a_dry_run_sends_nothing(judge_command, judge_endpoint, capsys):
    assert main(judge_command("--dry-run")) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "requests 4 answered before 0 the same as another 0 calls to make 4" in shown
    assert (
        "repeated requests for replies that cannot be parsed 8 " in shown
    )  # two corrections of each of four
    assert "repeating calls that fail 72 " in shown  # six repetitions of each of 4 + 8
    assert "Nothing was sent" in shown
    assert "the price of judge-one is not known" in shown
    assert judge_endpoint.requests == []


def test_a_dry_run_takes_the_prices_that_are_named(judge_command, tmp_path, capsys):
    prices = tmp_path / "prices.yaml"
    prices.write_text("per_tokens: 1\nmodels: {judge-*: {prompt: 0, completion: 0.5}}\n", encoding="utf-8")
    assert main(judge_command("--dry-run", "--json", "--max-tokens", "10", "--prices", str(prices))) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert model["money"] == 20.0  # 4 replies of 10 tokens, .5 each


@pytest.mark.exhaustive
def test_a_dry_run_of_an_audit_mentions_prose_only_with_decisions(judge_command, capsys):
    for form, speaks in (("prose", False), ("decision", True)):
        assert main(["judge", "audit", *judge_command("--dry-run", "--reply", form)[1:]]) == 0
        assert ("prose is not audited a second time" in capsys.readouterr().out) is speaks


def test_a_dry_run_of_an_audit_has_all_rounds(judge_command, judge_endpoint, capsys):
    base = judge_command("--dry-run", "--json")
    assert main(["judge", "audit", *base[1:]]) == 0
    content = json.loads(capsys.readouterr().out)
    # Without references their place is not checked.
    rounds = ["plain", "reversed", "relabelled", "padding", "injection"]
    assert [model["model"] for model in content["models"]] == [f"judge-one, {name}" for name in rounds]
    assert [model["calls"] for model in content["models"]] == [4] * 5
    assert (content["asked"], content["left_out"]) == (4, {"missing": 1})
    assert judge_endpoint.requests == []
    assert main(["judge", "audit", *base[1:], "--reference", "known", "--rows", "1"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [model["calls"] for model in content["models"]] == [1] * 6


def test_a_dry_run_writes_its_forecast_as_a_report_and_no_table(judge_command, tmp_path, capsys):
    out, report, figures = tmp_path / "judged.csv", tmp_path / "forecast.md", tmp_path / "figures"
    asked = ("--out", str(out), "--report", str(report), "--figures", str(figures))
    assert main(judge_command("--dry-run", *asked)) == 0
    assert f"report: {report}" in capsys.readouterr().out
    shown = report.read_text(encoding="utf-8")
    assert "Forecast of the calls" in shown
    assert "4 of 5 rows were included; left out: 1 missing." in shown
    assert not out.exists()
    assert not figures.exists()


@pytest.mark.parametrize("refused", [(), ("logprobs", "top_logprobs", "response_format")])
@pytest.mark.exhaustive
def test_a_dry_run_excludes_stored_replies_of_any_form(judge_command, judge_endpoint, capsys, refused):
    judge_endpoint.refuse(*refused, words=None)
    assert main(judge_command("--max-calls", str(2 + 5 * bool(refused)))) == 3  # five forms are refused
    capsys.readouterr()
    assert main(judge_command("--dry-run")) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "requests 4 answered before 2 the same as another 0 calls to make 2" in shown


def test_a_dry_run_reads_the_table_in_parts(judge_command, judge_answers, capsys, monkeypatch):
    sizes, batches = [], Table.batches_with

    def noted(table, titles, size):
        for batch in batches(table, titles, size):
            sizes.append(batch.height)
            yield batch

    monkeypatch.setattr(Table, "batches_with", noted)
    judge_answers.write_text("q,a\n" + "2+2?,4\n" * 2 + "2+2?,5\n,5\n" + "2+2?,4\n")
    assert main(judge_command("--dry-run", "--json", "--part-rows", "2")) == 0
    content = json.loads(capsys.readouterr().out)
    (model,) = content["models"]
    assert (content["asked"], content["left_out"]) == (4, {"missing": 1})
    # A part asks once about equal rows, so there are three requests; the last one repeats the first.
    assert (model["requests"], model["repeated"], model["calls"]) == (3, 1, 2)
    assert set(sizes) == {1, 2}


@pytest.mark.parametrize(("reply", "calls"), [("hm", 12), ("Score: 4", 4)])
@pytest.mark.exhaustive
def test_a_run_takes_no_more_calls_than_the_forecast_says(
    judge_command, judge_endpoint, capsys, reply, calls
):
    assert main(judge_command("--dry-run", "--json")) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    judge_endpoint.reply = lambda asked: reply
    main(judge_command("--json"))
    assert len(judge_endpoint.requests) == calls
    assert model["calls"] == 4
    assert model["calls"] + model["corrections"]["calls"] == 12
    capsys.readouterr()
    assert main(judge_command("--dry-run", "--json")) == 0
    (after,) = json.loads(capsys.readouterr().out)["models"]
    # What cannot be read may be asked for again; what can be read is settled.
    assert (after["calls"], after["corrections"]["calls"]) == (0, 8 if reply == "hm" else 0)
