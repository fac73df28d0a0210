"""``semscale judge compare``, over a real HTTP server."""

import json
import re

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.support.decision_endpoint import deciding_endpoint

from semscale.cli.main import main

pytestmark = pytest.mark.needs("api")
ANSWER = re.compile(r"\[BEGIN (\w+ ANSWER \w{12})\]\n(.*?)\n\[END \1\]", re.DOTALL)


def masses(asked, names, text):
    """Prefer the longer answer: first better, equal, second better."""
    first, second = (len(result) for _, result in ANSWER.findall(text))
    return [0.1, 0.8, 0.1] if first == second else [0.8, 0.1, 0.1] if first > second else [0.1, 0.1, 0.8]


def say(asked):
    best = masses("", [], asked["messages"][-1]["content"])
    return f"Score: {1 + best.index(0.8)}"


@pytest.fixture
def decider():
    with deciding_endpoint() as result:
        result.masses, result.say = masses, say
        yield result


@pytest.fixture
def command(decider, tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    table = tmp_path / "answers.csv"
    pl.DataFrame(
        {
            "q": ["1?", "2?", "3?", "4?"],
            "old": ["xx", "x", "x", None],
            "new": ["x", "xxx", "xx", "x"],
            "other": ["xxxx", "x", "xxx", "x"],
        }
    ).write_csv(table)

    def written(*more: str) -> list[str]:
        return [
            "judge",
            "compare",
            str(table),
            "--prompt",
            "q",
            "--chat-model",
            "m",
            "--chat-url",
            decider.url,
            *more,
        ]

    return written


@pytest.mark.parametrize("method", ["prose", "decision"])
@pytest.mark.exhaustive
def test_two_columns_are_compared(command, decider, tmp_path, capsys, method):
    out, report = tmp_path / "pairs.csv", tmp_path / "report.html"
    more = ("--a", "old", "--b", "new", "--out", str(out), "--report", str(report))
    assert main(command(*more, "--reply", method, "--json")) == 0
    text = capsys.readouterr().out
    check_json(text)
    result = json.loads(text)
    assert (result["instrument"], result["counts"]) == ("judge compare", {"scored": 3, "missing": 1})
    pair = result["pairs"][0]
    assert (pair["wins"], pair["ties"], pair["losses"]) == (1, 0, 2)
    assert pair["win_rate"]["value"] == pytest.approx(1 / 3)
    assert result["side_by_side"]["first_place"]["value"] == 0.5
    assert pl.read_csv(out)["preferred"].to_list() == ["old", "new", "new"]
    assert len(decider.requests) >= 6
    assert "Pairs of systems" in report.read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_several_systems_are_ranked_on_the_screen(command, capsys):
    more = ("--system", "A=old", "--system", "B=new", "--system", "C=other", "--reply", "decision")
    assert main(command(*more)) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "is preferred" in shown
    for name in "ABC":
        assert f" {name} " in shown
    # The columns count pairs, so the rate does not follow from them.
    assert "win rate: each pair is judged twice, in both orders;" in shown


def test_the_same_command_pays_for_nothing_twice(command, decider, capsys):
    more = ("--a", "old", "--b", "new", "--reply", "decision")
    assert main(command(*more, "--max-calls", "2")) == 3
    assert main(command(*more)) == 0
    assert decider.paths == ["decisions"] * 6
    capsys.readouterr()


def test_a_cap_keeps_finished_pairs_and_the_same_command_continues(command, decider, tmp_path, capsys):
    out = tmp_path / "pairs.csv"
    more = (
        "--a",
        "old",
        "--b",
        "new",
        "--reply",
        "decision",
        "--concurrency",
        "1",
        "--out",
        str(out),
        "--json",
    )
    assert main(command(*more, "--max-calls", "3")) == 3
    printed = capsys.readouterr()
    check_json(printed.out)
    result = json.loads(printed.out)
    assert result["counts"] == {"scored": 1, "missing": 1, "unfinished": 2}
    assert (result["side_by_side"]["n_unfinished"], result["side_by_side"]["n_unjudged"]) == (2, 2)
    assert "cap of 3 calls" in result["stopped"]
    assert any("2 pairs of 3 unfinished." in message for message in result["cautions"])
    pairs = pl.read_csv(out)
    assert pairs["status"].to_list() == ["scored", "unfinished", "unfinished"]
    assert pairs["preferred"].to_list() == ["old", None, None]
    assert main(command(*more)) == 0
    assert pl.read_csv(out)["status"].to_list() == ["scored"] * 3
    assert json.loads(capsys.readouterr().out)["stopped"] is None
    assert len(decider.requests) == 6


def test_a_cap_before_the_first_verdict_is_no_failure(command, capsys):
    more = ("--a", "old", "--b", "new", "--reply", "decision")
    assert main(command(*more, "--max-calls", "0")) == 3
    shown = capsys.readouterr().out
    assert "No verdict: the run stopped before a pair was judged in both orders" in shown
    assert "Choose another model" not in shown


def test_a_dry_run_counts_both_orders_and_sends_nothing(command, decider, tmp_path, capsys):
    more = ("--a", "old", "--b", "new", "--out", str(tmp_path / "pairs.csv"), "--dry-run", "--json")
    assert main(command(*more)) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["asked"], result["left_out"]) == (3, {"missing": 1})
    assert result["models"][0]["calls"] == 6
    assert decider.requests == []
    assert not (tmp_path / "pairs.csv").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--a", "old"), "two systems or more"),
        (("--a", "old", "--b", "nwe"), "did you mean 'new'"),
        (("--a", "old", "--system", "new"), "--system must be NAME=COLUMN, got 'new'"),
    ],
)
def test_bad_input_prints_a_single_line_and_nothing_is_sent(command, decider, capsys, more, message):
    assert main(command(*more)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert decider.requests == []


def test_a_judge_without_information_has_an_exit_code_and_no_win_rate_in_any_output(
    command, decider, tmp_path, capsys
):
    decider.say = lambda asked: "Score: 1"
    report = tmp_path / "report.md"
    more = ("--a", "old", "--b", "new", "--report", str(report))
    assert main(command(*more)) == 4
    shown = capsys.readouterr()
    assert "No verdict: the order of the answers decides 3 of 3 pairs" in shown.out
    assert "semscale: no verdict: the order of the answers decides 3 of 3 pairs" in shown.err
    assert "50.0" not in shown.out
    assert "No verdict: the order of the answers decides 3 of 3 pairs" in report.read_text(encoding="utf-8")
    assert main(command(*more, "--json")) == 4
    text = capsys.readouterr().out
    check_json(text)
    result = json.loads(text)
    assert result["no_verdict"] == "the order of the answers decides 3 of 3 pairs"
    assert result["side_by_side"]["order_share"]["value"] == 1
    assert [system["share"] for system in result["systems"]] == [None, None]


def write_mostly_identical(path, n_different):
    """Write 8 rows with identical answers, then rows with different ones."""
    n = 8 + n_different
    pl.DataFrame(
        {
            "q": [f"{row}?" for row in range(n)],
            "old": ["same"] * 8 + ["x"] * n_different,
            "new": ["same"] * 8 + ["xx"] * n_different,
        }
    ).write_csv(path)


@pytest.mark.parametrize(("n_different", "code"), [(3, 4), (40, 3)])
@pytest.mark.exhaustive
def test_identical_answers_make_no_verdict_where_no_reply_can_be_read(
    command, decider, tmp_path, capsys, n_different, code
):
    decider.say = lambda asked: "Both have some merit."
    write_mostly_identical(tmp_path / "answers.csv", n_different)
    more = ("--a", "old", "--b", "new")
    assert main(command(*more)) == code
    shown = capsys.readouterr()
    assert "No verdict: none of the" in shown.out
    assert "50.0" not in shown.out
    assert "8 of " in shown.out
    assert main(command(*more, "--json")) == code
    text = capsys.readouterr().out
    check_json(text)
    record = json.loads(text)
    assert record["no_verdict"].startswith("none of the ")
    assert record["counts"]["scored"] == 8
    assert sum(record["counts"].values()) == 8 + n_different
    assert [system["share"] for system in record["systems"]] == [None, None]
    pair = record["pairs"][0]
    assert pair["win_rate"] is None
    assert (pair["wins"], pair["ties"], pair["identical"], pair["losses"]) == (0, 0, 8, 0)
    assert pair["n_unjudged"] == n_different


def test_identical_answers_alone_make_no_verdict_and_no_call(command, decider, tmp_path, capsys):
    write_mostly_identical(tmp_path / "answers.csv", 0)
    assert main(command("--a", "old", "--b", "new")) == 4
    shown = capsys.readouterr()
    assert shown.err == "semscale: no verdict: all 8 pairs have identical answers\n"
    assert "Choose another model" not in shown.out
    assert decider.requests == []


def test_a_comparison_reports_the_rows_that_a_condition_leaves_out(command, capsys):
    assert main(command("--a", "old", "--b", "new", "--where", "q <> '1?'")) == 0
    assert "3 of 4 rows" in " ".join(capsys.readouterr().out.split())
