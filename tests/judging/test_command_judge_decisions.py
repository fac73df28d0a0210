"""``semscale judge --reply decision`` and ``--criteria``, over a real HTTP server."""

import itertools
import json
import re

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.support.decision_endpoint import deciding_endpoint

from semscale.cli.main import main

pytestmark = pytest.mark.needs("api")

RUBRIC = """
name: support
criteria:
  - {name: right, question: "Does it say what is true?", weight: 0.6, levels: [wrong, right]}
  - {name: tone, question: "How friendly is it?", weight: 0.4, levels: [rude, kind]}
"""
MASSES = {"wrong": 0.1, "right": 0.9, "rude": 0.5, "kind": 0.5}


@pytest.fixture
def decider():
    with deciding_endpoint() as result:
        result.masses = lambda asked, names, text: (
            [MASSES[name.split(":")[0]] for name in names] if len(names) == 2 else [0, 0.1, 0.2, 0.3, 0.4]
        )
        yield result


@pytest.fixture
def command(decider, tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    table = tmp_path / "answers.csv"
    pl.DataFrame(
        {"q": ["1+1?"] * 4, "a": ["2", "3", "two", None], "people": ["5", "1", "5", None]}
    ).write_csv(table)

    def written(*more: str) -> list[str]:
        return [
            "judge",
            str(table),
            "--prompt",
            "q",
            "--answer",
            "a",
            "--chat-model",
            "m",
            "--chat-url",
            decider.url,
            *more,
        ]

    return written


def test_decisions_are_asked_for_and_written(command, decider, tmp_path, capsys):
    out = tmp_path / "judged.csv"
    assert main(command("--reply", "decision", "--human", "people", "--out", str(out), "--json")) == 0
    text = capsys.readouterr().out
    check_json(text)
    result = json.loads(text)
    judge = result["judges"][0]
    assert (judge["method"], judge["n_normalised"], judge["order_bias"]) == ("decisions", 0, None)
    assert judge["provenance"] == {"decision": 3}
    judged = pl.read_csv(out)
    # 0, .1, .2, .3 and .4 on 0, .25, .5, .75 and 1: .025 + .1 + .225 + .4
    assert judged["semscale_expected"].to_list()[:3] == pytest.approx([0.75] * 3)
    assert judged["semscale_confidence"].to_list() == [0.4, 0.4, 0.4, None]
    assert decider.paths == ["decisions"] * 3


def test_a_rubric_has_columns_per_criterion_and_a_table(command, tmp_path, capsys):
    rubric, out, report = tmp_path / "rubric.yaml", tmp_path / "judged.parquet", tmp_path / "report.html"
    rubric.write_text(RUBRIC)
    more = ("--reply", "decision", "--criteria", str(rubric), "--out", str(out), "--report", str(report))
    assert main(command(*more, "--json")) == 0
    text = capsys.readouterr().out
    check_json(text)
    result = json.loads(text)["judges"][0]["criteria"]
    assert [(entry["name"], entry["weight"], entry["estimate"]["value"]) for entry in result] == [
        ("right", 0.6, pytest.approx(0.9)),
        ("tone", 0.4, pytest.approx(0.5)),
    ]
    judged = pl.read_parquet(out)
    assert judged["semscale_criterion_tone"].to_list()[:3] == pytest.approx([0.5] * 3)
    assert judged["semscale_expected"].to_list()[:3] == pytest.approx([0.6 * 0.9 + 0.4 * 0.5] * 3)
    shown = report.read_text(encoding="utf-8")
    assert "The criteria" in shown
    assert "right 0.90, tone 0.50" in shown.replace("\N{NO-BREAK SPACE}", " ")
    assert "&quot;" not in shown


def test_the_screen_has_criteria_and_no_empty_column(command, tmp_path, capsys):
    rubric = tmp_path / "rubric.yaml"
    rubric.write_text(RUBRIC)
    assert main(command("--reply", "decision")) == 0
    assert "verdict" not in capsys.readouterr().out
    assert main(command("--reply", "decision", "--criteria", str(rubric))) == 0
    message = " ".join(capsys.readouterr().out.split())
    assert "expected (95 % interval)" in message


def test_too_many_levels_are_those_of_the_criterion(command, decider, tmp_path, capsys):
    rubric = tmp_path / "rubric.yaml"
    levels = ", ".join(f'"{n}"' for n in range(11))
    rubric.write_text(f"name: r\ncriteria: [{{name: tone, question: q, levels: [{levels}]}}]")
    assert main(command("--reply", "decision", "--criteria", str(rubric))) == 2
    assert "levels, got 11 in the criterion 'tone'" in capsys.readouterr().err


def test_the_screen_says_that_an_endpoint_takes_no_decisions(command, decider, capsys):
    decider.speaks = ("completions",)
    assert main(command("--reply", "decision")) == 0
    assert "m takes no typed decisions" in " ".join(capsys.readouterr().out.split())


@pytest.mark.exhaustive
def test_a_continued_run_never_repeats_a_paid_call(command, decider, tmp_path, capsys):
    out = tmp_path / "judged.csv"
    assert (
        main(command("--reply", "decision", "--out", str(out), "--part-rows", "1", "--max-calls", "2")) == 3
    )
    assert main(command("--reply", "decision", "--out", str(out), "--part-rows", "1")) == 0
    assert decider.paths == ["decisions"] * 3
    assert pl.read_csv(out)["semscale_status"].to_list() == ["scored"] * 3 + ["missing"]
    capsys.readouterr()


@pytest.mark.exhaustive
def test_a_continued_run_remembers_why_a_form_is_unsupported(command, decider, tmp_path, capsys):
    decider.speaks, out = ("completions",), tmp_path / "judged.csv"
    more = ("--reply", "decision", "--out", str(out), "--part-rows", "1", "--json")
    assert main(command(*more, "--max-calls", "7")) == 3  # one part of five orders, and one call more
    capsys.readouterr()
    assert main(command(*more)) == 0
    text = capsys.readouterr().out
    check_json(text)
    (refusal,) = json.loads(text)["judges"][0]["refused_forms"]
    assert (refusal["form"], refusal["n"]) == ("decisions", 1)
    assert pl.read_csv(out)["semscale_refused_forms"].to_list() == [f"decisions: {refusal['reason']}"] * 3 + [
        None
    ]


def test_a_dry_run_counts_a_call_per_row(command, decider, capsys):
    assert main(command("--reply", "decision", "--dry-run", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["calls"] == 3
    assert decider.requests == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ("--reply", "decision", "--template", "continuous"),
            "--reply decision needs a template with levels",
        ),
        (("--reply", "decision", "--template", "recommendation"), "2 to 10 levels, got 11"),
        (("--reply", "guess"), "--reply"),
        (
            ("--reply", "decision", "--chat-temperature", "0.7"),
            "leave --chat-temperature 0.7 out with --reply decision",
        ),
        (
            ("--reply", "decision", "--order", "explanation-first"),
            "leave --order explanation-first out with --reply decision",
        ),
        (("--criteria", "none.yaml"), "rubric file 'none.yaml' cannot be read"),
        (("--criteria", "r.yaml", "--template", "true_false"), "leave --template and --rubric out"),
    ],
)
def test_bad_input_prints_a_single_line_and_nothing_is_sent(command, decider, capsys, more, message):
    assert main(command(*more)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert decider.requests == []


def test_a_row_against_a_policy_does_not_decide_the_form(command, decider, capsys):
    decider.planned.append((400, {"error": {"message": "content policy"}}))
    assert main(command("--reply", "decision", "--json")) == 0
    judge = json.loads(capsys.readouterr().out)["judges"][0]
    assert (judge["method"], judge["provenance"]) == ("decisions", {"decision": 2})
    assert judge["counts"] == {"scored": 2, "missing": 1, "refused": 1}
    assert decider.paths == ["decisions"] * 3


def test_rows_without_a_usable_answer_have_a_reason_and_an_exit_code(command, decider, capsys):
    decider.masses = lambda asked, names, text: [0.2, 0.2, 0.2, 0.1, 0.1]
    assert main(command("--reply", "decision")) == 2
    message = capsys.readouterr()
    # five levels, each rounded by up to .005: .975 to 1.025
    why = "the probabilities sum to 0.8, and rounding explains 0.975 to 1.025"
    shown = f"m gave no usable answer about 3 rows, most often because: {why}."
    assert shown in " ".join(message.out.replace("│", " ").split())
    assert message.err.strip().endswith(f"no call brought a usable reply, most often because: {why}")


def test_a_dry_run_forecasts_the_cost_of_letters(command, decider, capsys):
    assert main(command("--reply", "decision", "--dry-run", "--json")) == 0
    text = capsys.readouterr().out
    check_json(text)
    # five letters for each of 3 rows, less the 3 calls of decisions
    assert json.loads(text)["models"][0]["stand_ins"]["calls"] == 12
    assert main(command("--dry-run", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["stand_ins"]["calls"] == 0
    assert main(command("--reply", "decision", "--dry-run")) == 0
    assert "if the model takes no decisions" in " ".join(capsys.readouterr().out.split())


def audited(command, capsys, *more):
    assert main(["judge", "audit", *command("--reply", "decision", "--json", *more)[1:]]) == 0
    text = capsys.readouterr().out
    check_json(text)
    return json.loads(text)


@pytest.mark.exhaustive
def test_an_audit_has_decisions_and_prose_side_by_side(command, decider, capsys):
    decider.say = lambda asked: "Score: 4"
    result = audited(command, capsys)
    assert [(entry["name"], entry["method"]) for entry in result["judges"]] == [
        ("m, decision", "decisions"),
        ("m, prose", "prose"),
    ]
    assert result["judges"][0]["refused_forms"] == []


@pytest.mark.exhaustive
def test_an_audit_of_a_model_without_decisions_has_its_prose_once(command, decider, capsys):
    decider.speaks, decider.logprobs, decider.say = ("completions",), False, lambda asked: "Score: 4"
    result = audited(command, capsys)
    (judge,) = result["judges"]
    assert (judge["name"], judge["method"]) == ("m", "prose")
    assert [entry["form"] for entry in judge["refused_forms"]][:2] == ["decisions", "next-token"]
    assert "m takes no typed decisions, so its verdicts were read from its prose." in result["cautions"]
    # reversed, relabelled, padding, injection; without references their place is not checked
    assert any("with 4 checks" in message for message in result["cautions"])


@pytest.mark.exhaustive
def test_an_audit_says_that_letters_stood_in_for_decisions(command, decider, capsys):
    decider.speaks, decider.say = ("completions",), lambda asked: "Score: 4"
    result = audited(command, capsys)
    assert [entry["method"] for entry in result["judges"]] == ["next-token", "prose"]
    assert sum("probabilities of the levels’ letters" in message for message in result["cautions"]) == 1


def test_reasons_that_differ_only_in_numbers_are_merged_and_shown_in_full(command, decider, capsys):
    asked_for = itertools.count(1)

    def masses(asked, names, text):
        return [0.2, 0.2, 0.2, 0.1, 0.01 * next(asked_for)]

    decider.masses = masses
    assert main(command("--reply", "decision", "--json", "--concurrency", "1")) == 2
    # .7 and .01, .02 and .03
    why = "the probabilities sum to …, and rounding explains 0.975 to 1.025"
    (judge,) = json.loads(capsys.readouterr().out)["judges"]
    assert judge["reasons"] == [{"status": "unparsable", "reason": why, "n": 3}]
    assert main(command("--reply", "decision", "--concurrency", "1")) == 2
    assert re.search(rf"m +rows unparsable +3 +{why}", capsys.readouterr().out)
