"""What ``semscale rate`` draws on a terminal: colour, progress, and groups by names that fit."""

import json
import sys

import polars as pl
import pytest
from rich.cells import cell_len


def test_group_names_cannot_steer_the_terminal(rate, tmp_path):
    (tmp_path / "answers.csv").write_text("text,region\ngreat,\x1b[31m[bold]red\ngood,x\n")
    ended = rate("--by", "region")
    assert "\x1b" not in ended.out
    assert "[bold]red" in ended.out


def test_many_groups_are_cut_on_the_screen_and_whole_in_json(rate, tmp_path):
    rows = "".join(f"great,g{n}\n" for n in range(60))
    (tmp_path / "answers.csv").write_text("text,region\n" + rows)
    assert "and 10 more groups; --json has all" in rate("--by", "region").out
    assert len(json.loads(rate("--by", "region", "--json").out)["estimates"]["groups"]) == 60


def test_a_terminal_gets_colour_and_bars(rate, seven_answers, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = rate().out
    assert "\x1b[" in out
    assert "█" in out


def test_progress_is_drawn_on_a_terminal_only(rate, seven_answers, monkeypatch):
    assert rate().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    ended = rate()
    assert ended.code == 0
    assert "rating" in ended.err


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name",
    ["long " * 40, "x" * 200, "東京" * 100, "\x1b[31m\x1b]0;title\x07" * 20, "[red]" * 40, "\u202eabc" * 50],
)
def test_a_long_group_name_loses_its_middle_on_the_screen_only(rate, tmp_path, monkeypatch, name):
    pl.DataFrame({"text": ["great", "bad"], "region": [name, "b"]}).write_parquet(
        tmp_path / "answers.parquet"
    )
    result = json.loads(rate("--by", "region", "--json", file="answers.parquet").out)
    assert result["estimates"]["groups"][0]["group"] == name
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    shown = rate("--by", "region", file="answers.parquet").out
    table = shown.split("By region")[1].split("\nintervals")[0].split("\nThis")[0].splitlines()
    (row,) = [line for line in table if "…" in line]
    assert cell_len(row) <= 100
    assert "\x1b" not in row
    assert "\u202e" not in row
    assert [line.split()[0] for line in table if line.startswith("b ")] == ["b"]
