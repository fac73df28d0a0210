"""``semscale rate`` from its options to what it prints and writes."""

import io
import json
import re
import sys

import polars as pl
import pytest

from semscale.cli.main import main
from semscale.embedding import loading
from semscale.rating import lint as linting
from semscale.rating import rater as rating
from semscale.store import reading

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


def test_a_pipe_gets_plain_text(rate, seven_answers):
    ended = rate(*ALL)
    assert (ended.code, ended.err) == (0, "")
    assert "\x1b" not in ended.out
    for word in (
        "Quality", "answers.csv", "5 of 7 rows were scored; left out: 1 missing "
            "and 1 without respondent",
        "mean, from 1 to 5", "top 2 points", "net (top minus bottom)", "By region", "north", "south",
        "(no region)",
        "Comparison with humans (5 texts)", "Pearson r of means", "linearized variance over respondents",
        "signature: ", "(--signature)",
    ):  # fmt: skip
        assert word in ended.out, word
    assert not [line for line in ended.out.splitlines() if line != line.rstrip()]
    # One line of the distribution for each of the scale's five points.
    assert [line[0] for line in ended.out.split("Distribution")[1].splitlines()[2:7]] == list("12345")


def test_json_for_programs(rate, seven_answers):
    ended = rate(*ALL, "--json", "--seed", 7, "--interval", 0.9)
    assert (ended.code, ended.err) == (0, "")
    result = json.loads(ended.out)
    assert result["rows"] == 7
    assert result["counts"] == {"scored": 6, "missing": 1}
    estimates = result["estimates"]
    assert [group["group"] for group in estimates["groups"]] == ["north", "south", None]
    # Three respondents are too few for a bootstrap, so nothing is drawn and the seed is of no use.
    assert (estimates["interval"], estimates["seed"], estimates["clustered"]) == (0.9, None, True)
    figures = estimates["overall"]["figures"]
    assert list(figures) == [
        "mean", "top_2_box", "bottom_2_box", "net", *(f"p_{value}" for value in range(1, 6))
    ]  # fmt: skip
    mean = figures["mean"]
    assert mean["low"] <= mean["value"] <= mean["high"]
    assert sum(figures[f"p_{value}"]["value"] for value in range(1, 6)) == pytest.approx(1)
    assert (mean["n_clusters"], mean["method"]) == (3, "linearized")
    assert estimates["groups"][2]["figures"]["mean"]["method"] is None
    assert (result["comparison"]["n"], result["comparison"]["n_clusters"]) == (5, 3)
    assert result["signature"].startswith("semscale ")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_rated_table(rate, seven_answers, tmp_path, files, kind):
    ended = rate("--out", f"rated.{kind}")
    assert ended.code == 0, ended.err
    assert f"table: rated.{kind}" in ended.out
    assert files() == ["answers.csv", f"rated.{kind}"]
    from semscale.store.reading import open_table

    (rated,) = open_table(tmp_path / f"rated.{kind}").batches(100)
    assert rated.columns[:6] == ["id", "text", "region", "weight", "person", "human"]
    assert rated["semscale_status"].to_list() == ["scored"] * 4 + ["missing"] + ["scored"] * 2
    assert rated["text"][3] == "=SUM(A1) is great"
    means = rated["semscale_mean"].cast(pl.Float64)
    assert means[0] > means[1]
    assert means[4] is None
    assert means[0] == means[6]


def test_a_report(rate, seven_answers, tmp_path, files):
    ended = rate(*ALL, "--report", "report.html")
    assert ended.code == 0, ended.err
    assert "report: report.html" in ended.out
    assert files() == ["answers.csv", "report.html"]
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "It works great and I love it" in page
    assert "<script" not in page


@pytest.mark.parametrize("late", ["linting", "reporting"])
def test_a_run_stopped_after_writing_the_table_reports_it(rate, seven_answers, monkeypatch, files, late):
    def stop(*_, **__):
        raise KeyboardInterrupt

    if late == "linting":
        monkeypatch.setattr(linting, "lint", stop)
    else:
        monkeypatch.setattr("semscale.report.presenting.write_report", stop)
    ended = rate(*ALL, "--out", "z.csv", "--report", "z.html")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err == (
        "semscale: stopped: z.csv is written, z.html is not finished; the same command starts again\n"
    )
    assert files() == ["answers.csv", "z.csv"]


@pytest.mark.exhaustive
def test_a_report_as_markdown_or_a_workbook_with_its_figures_as_files(rate, seven_answers, tmp_path):
    ended = rate(*ALL, "--report", "report.md", "--figures", "figures")
    assert ended.code == 0, ended.err
    assert ended.out.endswith("report: report.md\nfigures: figures\n")
    shown = (tmp_path / "report.md").read_text()
    assert "## Expected share of each point" in shown
    for picture in re.findall(r"\]\((figures/[\w-]+\.svg)\)", shown):
        assert (tmp_path / picture).read_text().startswith("<svg")
    assert "figures/distribution.svg" in shown
    assert rate("--report", "report.xlsx").code == 0
    assert (tmp_path / "report.xlsx").read_bytes().startswith(b"PK")


def test_a_report_that_fails_leaves_no_half_of_it(rate, seven_answers, files, monkeypatch, tmp_path):
    monkeypatch.setattr("semscale.report.html.page", lambda *_, **__: 1 / 0)
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "logs")
    assert rate("--report", "report.html").code == 70
    assert "report.html" not in files()


def test_a_table_is_read_from_standard_input(rate, seven_answers, monkeypatch):
    piped = type("Piped", (), {"buffer": io.BytesIO(seven_answers.read_bytes())})()
    monkeypatch.setattr(sys, "stdin", piped)
    ended = rate("--json", file="-")
    assert json.loads(ended.out)["source"] == "standard input"
    assert json.loads(ended.out)["rows"] == 7


def test_options_reach_the_model_and_the_rater(rate, seven_answers, monkeypatch, toy_embedder):
    asked = {}

    def load_embedder(name, **settings):
        asked.update(settings, name=name)
        return toy_embedder

    monkeypatch.setattr(loading, "load_embedder", load_embedder)
    ended = rate(
        "--embedder", "some/model", "--precision", "fast", "--engine", "api",
        "--embedder-url", "http://localhost:1", "--no-cache", "--temperature", 0.5, "--epsilon", 0.01,
        "--semantics", "paper", "--floor", 0.01, "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert callable(asked.pop("progress"))  # it says when a run waits, off a terminal too
    assert asked == {
        "name": "some/model", "precision": "fast", "engine": "api", "device": "auto", "base_url": "http://localhost:1",
        "cache": False, "key_variable": "OPENAI_API_KEY",
    }  # fmt: skip
    signature = json.loads(ended.out)["signature"]
    for setting in ("readout:ssr", "temperature:0.5", "epsilon:0.01", "semantics:paper", "floor:0.01"):
        assert setting in signature


def test_the_readout_reaches_the_rater(rate, seven_answers, monkeypatch, toy_embedder):
    monkeypatch.setattr(loading, "load_embedder", lambda *_, **__: toy_embedder)
    means = {}
    for readout in ("ssr", "ordinal"):
        ended = rate("--readout", readout, "--json")
        assert ended.code == 0, ended.err
        content = json.loads(ended.out)
        assert f"|readout:{readout}|" in content["signature"]
        means[readout] = content["estimates"]["overall"]["figures"]["mean"]["value"]
    assert means["ssr"] != means["ordinal"]


@pytest.fixture
def steps(monkeypatch, toy_embedder):
    """What a run does, in order: build its rater, read the table's head, load the model."""
    done = []

    def noted(name, does):
        return lambda *arguments, **settings: (done.append(name), does(*arguments, **settings))[1]

    monkeypatch.setattr(loading, "load_embedder", noted("load", lambda *_, **__: toy_embedder))
    monkeypatch.setattr(reading, "open_table", noted("open", reading.open_table))
    monkeypatch.setattr(rating.Rater, "from_settings", noted("rater", rating.Rater.from_settings))
    return done


def test_a_run_builds_its_rater_opens_its_file_and_loads_its_model_once(rate, seven_answers, steps):
    assert rate().code == 0
    assert steps == ["rater", "open", "load"]


@pytest.mark.parametrize(
    ("options", "messages", "done"),
    [
        (["--temperature", -1], "temperature must be", []),
        (["--anchor-sets", "no-such-set"], "no-such-set", ["rater"]),
        (["--by", "no-such-column"], "no-such-column", ["rater", "open"]),
    ],
)
def test_errors_are_reported_before_the_next_step(rate, seven_answers, steps, options, messages, done):
    ended = rate(*options)
    assert (ended.code, ended.out) == (2, "")
    assert messages in ended.err
    assert steps == done


def test_anchor_sets_can_be_chosen(rate, seven_answers):
    from semscale.scales import load_scale

    first, second, *_ = load_scale("quality").anchor_sets
    ended = rate("--anchor-sets", f"{first}, {second}", "--json")
    assert f"anchor_sets:{first}+{second}" in json.loads(ended.out)["signature"]


@pytest.mark.exhaustive
def test_the_default_model_tells_praise_from_blame(capsys, tmp_path, monkeypatch, rating_embedder):
    monkeypatch.chdir(tmp_path)
    texts = ["I love it, it works great.", "Terrible, it broke after a day.", "It is okay, nothing special."]
    pl.DataFrame({"text": texts}).write_parquet("answers.parquet")
    arguments = ["rate", "answers.parquet", "--text", "text", "--scale", "quality", "--out", "rated.jsonl"]
    assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
    result = json.loads(capsys.readouterr().out)
    assert str(rating_embedder.signature).split("|", 2)[2] in result["signature"]
    means = pl.read_ndjson("rated.jsonl")["semscale_mean"]
    assert means[0] > means[2] > means[1]


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (["--human-range", 1, 5], ["--human-range belongs to --human"]),
        (["--restart"], ["--restart belongs to --out"]),
    ],
)
def test_an_option_without_its_required_option_is_refused(rate, seven_answers, options, messages):
    ended = rate(*options)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    for word in messages:
        assert word in ended.err


def test_no_name_of_a_file(rate):
    ended = rate(file="")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "semscale: FILE must not be empty: name a file, or - for standard input\n"


def test_csv_without_apostrophes(rate, seven_answers, tmp_path):
    assert rate("--out", "rated.csv").code == 0
    assert "\n4,'=SUM(A1) is great," in (tmp_path / "rated.csv").read_text()
    ended = rate("--out", "rated.csv", "--no-escape")
    assert ended.code == 0, ended.err
    assert "\n4,=SUM(A1) is great," in (tmp_path / "rated.csv").read_text()
    shown = rate("--help-all").out
    assert "--no-escape" in shown
