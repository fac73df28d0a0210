"""``semscale rate`` from its options to what it prints and writes."""

import io
import json
import sys

import polars as pl
import pytest

from semscale.cli import model_choice
from semscale.cli.main import main

ANSWERS = """id,text,region,weight,person,human
1,It works great and I love it,north,1,a,5
2,It is awful and I hate it,north,2,a,1
3,it is neither good nor bad,south,1,b,"[3, 4]"
4,=SUM(A1) is great,south,1,b,4
5,,south,1,c,2
6,[bold red]shout[/] it is bad,north,1,,2
7,It works great and I love it,,1,d,5
"""


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


def rate(*options, file="answers.csv"):
    return ["rate", file, "--text", "text", "--scale", "quality", "--floor", "none", *options]


ALL = [
    "--by",
    "region",
    "--weight",
    "weight",
    "--respondent",
    "person",
    "--human",
    "human",
    "--human-range",
    1,
    5,
]


def test_a_pipe_gets_plain_text(semscale, answers):
    ended = semscale(*rate(*ALL))
    assert (ended.code, ended.err) == (0, "")
    assert "\x1b" not in ended.out
    for word in (
        "Quality", "answers.csv", "5 of 7 rows count; left out: 1 missing "
            "and 1 without respondent",
        "mean, from 1 to 5", "top 2 points", "net (top less bottom)", "By group", "north", "south", "(none)",
        "Compared with humans (5 texts)", "Pearson r of means", "linearized variance over respondents",
        "signature: semscale ", "model:toy",
    ):  # fmt: skip
        assert word in ended.out, word
    assert not [line for line in ended.out.splitlines() if line != line.rstrip()]
    # One line of the distribution for each of the scale's five points.
    assert [line[0] for line in ended.out.split("Distribution")[1].splitlines()[2:7]] == list("12345")


def test_json_for_programs(semscale, answers):
    ended = semscale(*rate(*ALL, "--json", "--seed", 7, "--interval", 0.9))
    assert (ended.code, ended.err) == (0, "")
    result = json.loads(ended.out)
    assert result["rows"] == 7
    assert result["counts"] == {"scored": 6, "missing": 1}
    assert [group["group"] for group in result["groups"]] == ["north", "south", None]
    # Three respondents are too few for a bootstrap, so nothing is drawn and the seed is of no use.
    assert (result["interval"], result["seed"], result["clustered"]) == (0.9, None, True)
    mean = result["overall"]["mean"]
    assert mean["low"] <= mean["value"] <= mean["high"]
    assert sum(mass["value"] for mass in result["overall"]["pmf"]) == pytest.approx(1)
    assert result["overall"]["nps"] is None
    assert (result["overall"]["clusters"], result["overall"]["method"]) == (3, "linearized")
    assert (result["comparison"]["clusters"], result["groups"][2]["method"]) == (3, None)
    assert result["comparison"]["texts"] == 5
    assert result["signature"].startswith("semscale ")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_rated_table(semscale, answers, tmp_path, files, kind):
    ended = semscale(*rate("--out", f"rated.{kind}"))
    assert ended.code == 0, ended.err
    assert f"table: rated.{kind}" in ended.out
    assert files() == ["answers.csv", f"rated.{kind}"]
    from semscale.store.reading import open_table

    (rated,) = open_table(tmp_path / f"rated.{kind}").batches(100)
    assert rated.columns[:6] == ["id", "text", "region", "weight", "person", "human"]
    assert rated["semscale_status"].to_list() == ["scored"] * 4 + ["missing"] + ["scored"] * 2
    formula = "'=SUM(A1) is great" if kind == "csv" else "=SUM(A1) is great"
    assert rated["text"][3] == formula
    means = rated["semscale_mean"].cast(pl.Float64)
    assert means[0] > means[1]
    assert means[4] is None
    assert means[0] == means[6]


def test_a_report(semscale, answers, tmp_path, files):
    ended = semscale(*rate(*ALL, "--report", "report.html"))
    assert ended.code == 0, ended.err
    assert "report: report.html" in ended.out
    assert files() == ["answers.csv", "report.html"]
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "It works great and I love it" in page
    assert "<script" not in page


def test_a_report_that_fails_leaves_no_half_of_it(semscale, answers, files, monkeypatch, tmp_path):
    monkeypatch.setattr("semscale.report.rating_page.rating_page", lambda *_, **__: 1 / 0)
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "logs")
    assert semscale(*rate("--report", "report.html")).code == 70
    assert "report.html" not in files()


def test_standard_input(semscale, monkeypatch):
    piped = type("Piped", (), {"buffer": io.BytesIO(ANSWERS.encode())})()
    monkeypatch.setattr(sys, "stdin", piped)
    ended = semscale(*rate("--json", file="-"))
    assert json.loads(ended.out)["source"] == "standard input"
    assert json.loads(ended.out)["rows"] == 7


def test_options_reach_the_model_and_the_rater(semscale, answers, monkeypatch, toy_embedder):
    asked = {}

    def load_embedder(name, **settings):
        asked.update(settings, name=name)
        return toy_embedder

    monkeypatch.setattr(model_choice, "load_embedder", load_embedder)
    ended = semscale(
        *rate(
            "--model", "some/model", "--precision", "fast", "--engine", "api",
            "--base-url", "http://localhost:1", "--no-cache", "--temperature", 0.5, "--epsilon", 0.01,
            "--semantics", "paper", "--floor", 0.01, "--json",
        )
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert asked.pop("progress") is None
    assert asked == {
        "name": "some/model", "precision": "fast", "engine": "api", "base_url": "http://localhost:1",
        "cache": False,
    }  # fmt: skip
    signature = json.loads(ended.out)["signature"]
    for setting in ("temperature:0.5", "epsilon:0.01", "semantics:paper", "floor:0.01"):
        assert setting in signature


def test_anchor_sets_can_be_chosen(semscale, answers):
    from semscale.scales import load_scale

    first, second, *_ = load_scale("quality").anchor_sets
    ended = semscale(*rate("--anchor-sets", f"{first}, {second}", "--json"))
    assert f"anchor_sets:{first}+{second}" in json.loads(ended.out)["signature"]


def test_possible_codes_are_hinted_at_and_left_out_once_they_are_named(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("text\ngreat\nNA\n-99\nna\n???\n")
    out = semscale(*rate()).out
    assert "4 of 5 rows count; left out: 1 uninformative\n" in out
    assert (
        "hint: 3 rated texts look like codes for a missing answer (NA 2, -99 1); "
        "to leave them out: --missing NA --missing -99\n"
    ) in out
    ended = semscale(*rate("--missing", "NA", "--missing", "-99"))
    assert "1 of 5 rows counts; left out: 3 missing and 1 uninformative\n" in ended.out
    assert "hint" not in ended.out
    assert "|missing:-99+na|" in ended.out
    assert json.loads(semscale(*rate("--json")).out)["possible_codes"] == {"NA": 2, "-99": 1}
    ended = semscale(*rate("--missing", " "))
    assert (ended.code, ended.out) == (2, "")
    assert "missing must be codes such as 'NA' or '-99', got ' '" in ended.err


def test_group_names_cannot_steer_the_terminal(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("text,region\ngreat,\x1b[31m[bold]red\ngood,x\n")
    ended = semscale(*rate("--by", "region"))
    assert "\x1b" not in ended.out
    assert "[bold]red" in ended.out


def test_many_groups_are_cut_on_the_screen_and_whole_in_json(semscale, tmp_path):
    rows = "".join(f"great,g{n}\n" for n in range(60))
    (tmp_path / "answers.csv").write_text("text,region\n" + rows)
    assert "and 10 more groups; --json has all" in semscale(*rate("--by", "region")).out
    assert len(json.loads(semscale(*rate("--by", "region", "--json")).out)["groups"]) == 60


def test_nothing_to_estimate_is_said_and_not_shown_as_zero(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("text\ngreat\n")
    ended = semscale("rate", "answers.csv", "--text", "text", "--scale", "quality", "--floor", "1")
    assert ended.code == 0, ended.err
    assert "0 of 1 row counts; left out: 1 off-topic" in ended.out
    assert "nothing to estimate" in ended.out
    assert "mean" not in ended.out


def test_a_terminal_gets_colour_and_bars(semscale, answers, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = semscale(*rate()).out
    assert "\x1b[" in out
    assert "█" in out


def test_progress_is_drawn_on_a_terminal_only(semscale, answers, monkeypatch):
    assert semscale(*rate()).err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    ended = semscale(*rate())
    assert ended.code == 0
    assert "rating" in ended.err


def test_the_default_model_tells_praise_from_blame(capsys, tmp_path, monkeypatch, embedder):
    monkeypatch.chdir(tmp_path)
    texts = ["I love it, it works great.", "Terrible, it broke after a day.", "It is okay, nothing special."]
    pl.DataFrame({"text": texts}).write_parquet("answers.parquet")
    arguments = ["rate", "answers.parquet", "--text", "text", "--scale", "quality", "--out", "rated.jsonl"]
    assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
    result = json.loads(capsys.readouterr().out)
    assert str(embedder.signature).split("|", 2)[2] in result["signature"]
    means = pl.read_ndjson("rated.jsonl")["semscale_mean"]
    assert means[0] > means[2] > means[1]


WEIGHTED = """text,weight,person
great,1,a
bad,2,b
so so,0,a
fine,,a
,1,b
good,1,
"""


@pytest.mark.parametrize(
    ("options", "line"),
    [
        # Five texts, one empty cell.
        ([], "5 of 6 rows count; left out: 1 missing"),
        # Of the five texts one has weight 0 and one has none.
        (
            ["--weight", "weight"],
            "3 of 6 rows count; left out: 1 with weight 0, 1 without weight and 1 missing",
        ),
        (["--respondent", "person"], "4 of 6 rows count; left out: 1 missing and 1 without respondent"),
        # A row with two reasons is counted once.
        (
            ["--weight", "weight", "--respondent", "person"],
            "2 of 6 rows count; left out: 1 with weight 0, 1 without weight, 1 missing "
            "and 1 without respondent",
        ),
    ],
)
def test_rows_that_count_and_rows_left_out_are_all_rows(semscale, tmp_path, options, line):
    (tmp_path / "answers.csv").write_text(WEIGHTED)
    assert semscale(*rate(*options)).out.splitlines()[1] == line
    result = json.loads(semscale(*rate(*options, "--json")).out)
    assert result["overall"]["rows"] + sum(result["overall"]["left_out"].values()) == result["rows"] == 6


def test_one_row_that_counts(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("text\ngreat\n")
    assert semscale(*rate()).out.splitlines()[1] == "1 of 1 row counts"


def test_an_nps_and_a_scale_with_warnings_are_never_shown_alone(semscale, answers, tmp_path):
    from semscale.report.cautions import NPS_CAUTION

    command = ["rate", "answers.csv", "--text", "text", "--scale", "recommendation", "--floor", "none"]
    shown = semscale(*command, "--report", "report.html").out.splitlines()
    assert NPS_CAUTION in shown
    # Bags of words tell hardly any two anchors apart: the toy model fails every scale.
    (verdict,) = [line for line in shown if line.startswith("This scale ")]
    result = json.loads(semscale(*command, "--json").out)
    assert result["cautions"][-1] == NPS_CAUTION
    assert verdict.startswith(f"This scale fails ({result['lint']['reasons'][0]}; and ")
    assert result["lint"]["verdict"] == "fail"
    assert result["lint"]["signature"].startswith("semscale ")
    assert NPS_CAUTION in (tmp_path / "report.html").read_text()


def test_other_scales_have_no_caution_about_nps(semscale, answers):
    assert "net promoter" not in semscale(*rate()).out
    assert not [line for line in json.loads(semscale(*rate("--json")).out)["cautions"] if "promoter" in line]


def test_few_respondents_are_said_on_the_screen_in_json_and_in_the_report(semscale, answers, tmp_path):
    command = rate("--respondent", "person")
    shown = semscale(*command, "--report", "report.html").out.splitlines()
    (caution,) = json.loads(semscale(*command, "--json").out)["cautions"]
    assert "3 respondents" in caution  # a, b and d; the one text of c is missing
    assert caution in shown
    assert caution in (tmp_path / "report.html").read_text()


def test_no_way_of_making_intervals_is_named_where_there_are_none(semscale, tmp_path):
    (tmp_path / "one.csv").write_text("text\ngood\n")
    shown = semscale("rate", "one.csv", "--text", "text", "--scale", "quality", "--report", "r.html").out
    assert "no interval: it takes at least 2 rows, and there is 1" in shown
    assert "intervals: " not in shown
    assert "bootstrap resamples" not in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize(
    "name",
    ["long " * 40, "x" * 200, "東京" * 100, "\x1b[31m\x1b]0;title\x07" * 20, "[red]" * 40, "\u202eabc" * 50],
)
@pytest.mark.parametrize("terminal", [False, True])
def test_a_long_group_name_loses_its_middle_on_the_screen_only(
    semscale, tmp_path, monkeypatch, name, terminal
):
    from rich.cells import cell_len

    pl.DataFrame({"text": ["great", "bad"], "region": [name, "b"]}).write_parquet(
        tmp_path / "answers.parquet"
    )
    by = rate("--by", "region", file="answers.parquet")
    assert json.loads(semscale(*by, "--json").out)["groups"][0]["group"] == name
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    table = semscale(*by).out.split("By group")[1].split("\nintervals")[0].split("\nThis")[0].splitlines()
    (row,) = [line for line in table if "…" in line]
    assert cell_len(row) <= 100
    assert "\x1b" not in row
    assert "\u202e" not in row
    assert [line.split()[0] for line in table if line.startswith("b ")] == ["b"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--human-range", 1, 5], ["--human-range belongs to --human"]),
        (["--restart"], ["--restart belongs to --out"]),
    ],
)
def test_an_option_without_the_one_it_belongs_to(semscale, answers, options, words):
    ended = semscale(*rate(*options))
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    for word in words:
        assert word in ended.err


def test_no_name_of_a_file(semscale):
    ended = semscale(*rate(file=""))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "semscale: FILE must not be empty: name a file, or - for standard input\n"
