"""``semscale judge compare``, over a real HTTP server."""

import json
import re

import polars as pl
import pytest
from decision_endpoint import deciding_endpoint
from tests.schema_check import check_json

from semscale.cli.main import main

pytestmark = pytest.mark.needs("api")
ANSWER = re.compile(r"\[BEGIN (\w+ ANSWER \w{12})\]\n(.*?)\n\[END \1\]", re.DOTALL)


def masses(asked, names, text):
    """Prefer the longer answer: first better, equal, second better."""
    first, second = (len(found) for _, found in ANSWER.findall(text))
    return [0.1, 0.8, 0.1] if first == second else [0.8, 0.1, 0.1] if first > second else [0.1, 0.1, 0.8]


def say(asked):
    best = masses("", [], asked["messages"][-1]["content"])
    return f"Score: {1 + best.index(0.8)}"


@pytest.fixture
def decider():
    with deciding_endpoint() as found:
        found.masses, found.say = masses, say
        yield found


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
            "--question",
            "q",
            "--model",
            "m",
            "--base-url",
            decider.url,
            *more,
        ]

    return written


@pytest.mark.parametrize("method", ["prose", "decision"])
def test_two_columns_are_compared(command, decider, tmp_path, capsys, method):
    out, report = tmp_path / "pairs.csv", tmp_path / "report.html"
    more = ("--a", "old", "--b", "new", "--out", str(out), "--report", str(report))
    assert main(command(*more, "--method", method, "--json")) == 0
    text = capsys.readouterr().out
    check_json(text)
    found = json.loads(text)
    assert (found["instrument"], found["counts"]) == ("judge compare", {"scored": 3, "missing": 1})
    pair = found["pairs"][0]
    assert (pair["wins"], pair["ties"], pair["losses"]) == (1, 0, 2)
    assert pair["win_rate"]["value"] == pytest.approx(1 / 3)
    assert found["side_by_side"]["first_place"]["value"] == 0.5
    assert pl.read_csv(out)["preferred"].to_list() == ["old", "new", "new"]
    assert len(decider.requests) >= 6
    assert "Every two systems" in report.read_text(encoding="utf-8")


def test_several_systems_are_ranked_on_the_screen(command, capsys):
    more = ("--system", "A=old", "--system", "B=new", "--system", "C=other", "--method", "decision")
    assert main(command(*more)) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "is preferred" in shown
    for name in "ABC":
        assert f" {name} " in shown


def test_the_same_command_pays_for_nothing_twice(command, decider, capsys):
    more = ("--a", "old", "--b", "new", "--method", "decision")
    assert main(command(*more, "--max-calls", "2")) == 3
    assert main(command(*more)) == 0
    assert decider.paths == ["decisions"] * 6
    capsys.readouterr()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--a", "old"), "two systems or more"),
        (("--a", "old", "--b", "nwe"), "did you mean 'new'"),
        (("--a", "old", "--system", "new"), "--system must be NAME=COLUMN, got 'new'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_sent(command, decider, capsys, more, said):
    assert main(command(*more)) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert decider.requests == []
