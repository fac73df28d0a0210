"""``semscale match`` from its options to what it prints and writes."""

import inspect
import json
import re

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.matching import matcher
from semscale.matching.settings import MatchSettings, guard_modes
from semscale.signature import Signature
from semscale.store.reading import open_table

ANSWERS = """id,answer,expected,other,topic
1,a heart attack,myocardial infarction,a heart attack,heart
2,=SUM(A1) is given,=SUM(A1) is given,,heart
3,,the lung,,lung
4,the lung,,,lung
5,[bold red]tomatoes[/],"[""the liver"", ""the lung""]",,
"""


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


def match(*options, file="answers.csv"):
    columns = ["--prediction", "answer", "--reference", "expected", "--reference", "other"]
    method = [] if "--method" in options else ["--method", "cosine"]
    return ["match", file, *columns, *method, *options]


def test_a_pipe_gets_plain_text(semscale, answers):
    ended = semscale(*match("--by", "topic"))
    assert (ended.code, ended.err) == (0, "")
    assert "\x1b" not in ended.out
    for word in (
        "answers.csv", "3 of 5 rows were scored; left out: 1 missing and 1 without reference",
        "Altogether (95 %",
        "mean match, from −1 to 1", "By topic", "heart", "1 lowest score\n", "[bold red]tomatoes[/]",
        "linearized variance over rows", "signature: ",
    ):  # fmt: skip
        assert word in ended.out, word
    assert not [line for line in ended.out.splitlines() if line != line.rstrip()]


def test_the_screen_has_the_hash_of_the_signature_or_all_of_it(semscale, answers):
    (brief,) = re.findall(
        r"^signature: ([0-9a-f]{12}) \(--signature\)$", semscale(*match()).out, re.MULTILINE
    )
    (whole,) = re.findall(r"^signature: (semscale .*)$", semscale(*match("--signature")).out, re.MULTILINE)
    assert "method:cosine" in whole
    assert "model:toy" in whole
    assert Signature.parse(whole).digest == brief


def test_json_for_programs(semscale, answers):
    ended = semscale(*match("--by", "topic", "--json", "--seed", 7, "--interval", 0.9))
    assert (ended.code, ended.err) == (0, "")
    result = json.loads(ended.out)
    assert result["rows"] == 5
    assert result["counts"] == {"scored": 3, "missing": 1, "no-reference": 1}
    estimates = result["estimates"]
    assert [(group["group"], group["n"], group["n_left_out"]) for group in estimates["groups"]] == [
        ("heart", 2, 0), ("lung", 0, 2), (None, 1, 0),
    ]  # fmt: skip
    assert estimates["groups"][1]["figures"] == {}
    assert estimates["groups"][0]["figures"]["score"]["value"] == pytest.approx(1)
    assert (estimates["by"], estimates["interval"], result["bounds"]) == ("topic", 0.9, [-1, 1])
    assert result["separation"] is None  # three rows are too few to be paired anew
    assert [row["row"] for row in result["lowest"]][0] == 5
    assert result["lowest"][-1]["score"] == pytest.approx(1)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_matched_table(semscale, answers, tmp_path, files, kind):
    ended = semscale(*match("--out", f"matched.{kind}"))
    assert ended.code == 0, ended.err
    assert f"table: matched.{kind}" in ended.out
    assert files() == ["answers.csv", f"matched.{kind}"]
    (matched,) = open_table(tmp_path / f"matched.{kind}").batches(100)
    assert matched.columns[:5] == ["id", "answer", "expected", "other", "topic"]
    assert matched["semscale_status"].to_list() == ["scored", "scored", "missing", "no-reference", "scored"]
    scores = matched["semscale_score"].cast(pl.Float64).to_list()
    assert scores[:2] == pytest.approx([1, 1])
    assert scores[2:4] == [None, None]
    # Counted from 0 over all columns: the second column's text is the first row's best reference.
    assert matched["semscale_reference"].cast(pl.Int64).to_list()[0] == 1
    assert matched["answer"][1] == "=SUM(A1) is given"


def test_a_report_and_its_figures(semscale, answers, tmp_path, files):
    for kind in ("html", "md", "xlsx"):
        ended = semscale(*match("--by", "topic", "--report", f"match.{kind}", "--figures", "drawn"))
        assert ended.code == 0, ended.err
        assert ended.out.endswith(f"report: match.{kind}\nfigures: drawn\n")
    drawn = ["drawn/scores.png", "drawn/scores.svg"]
    assert files() == ["answers.csv", "drawn", *drawn, "match.html", "match.md", "match.xlsx"]
    page = (tmp_path / "match.html").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "[bold red]tomatoes[/]" in page
    assert "](drawn/scores.svg)" in (tmp_path / "match.md").read_text()


def test_the_costliest_tokens_are_explained(semscale, answers, tmp_path):
    options = ["--method", "cliniqlink-code", "--explain"]
    shown = semscale(*match(*options)).out.split("\nWhy\n")[1]
    assert "row 5" in shown
    assert '"tomatoes" (prediction) met only "' in shown
    ended = semscale(*match(*options, "--out", "matched.jsonl", "--json"))
    assert "tokens" in json.loads(ended.out)["lowest"][0]
    (matched,) = open_table(tmp_path / "matched.jsonl").batches(100)
    tokens = matched["semscale_tokens"].to_list()
    assert tokens[2] is None
    assert {token["side"] for token in tokens[0]} == {"prediction", "reference"}


def test_the_default_method_explains_tokens(semscale, answers, tmp_path):
    options = ["--method", "calibrated", "--explain", "--out", "matched.jsonl"]
    shown = semscale(*match(*options)).out.split("\nWhy\n")[1]
    assert '" (reference) met only "' in shown
    assert "after findings" not in shown  # no guard found anything
    (matched,) = open_table(tmp_path / "matched.jsonl").batches(100)
    assert matched["semscale_tokens"][0][0]["side"] == "prediction"


def test_methods_on_whole_texts_refuse_to_explain_tokens(semscale, answers):
    ended = semscale(*match("--method", "cosine", "--explain"))
    assert ended.code == 2
    assert ended.err == (
        "semscale: --explain belongs to methods calibrated, bertscore, entailment, cliniqlink-doc, "
        "cliniqlink-code, which compare parts of texts; got it with 'cosine', which compares whole texts\n"
    )


@pytest.mark.exhaustive
def test_a_corpus_of_the_user_may_be_text_or_a_table_column(semscale, answers, tmp_path):
    corpus = [f"text number {number}" for number in range(4)]
    (tmp_path / "corpus.txt").write_text("\n".join(corpus))
    pl.DataFrame({"id": range(4), "text": corpus}).write_csv(tmp_path / "corpus.csv")
    options = ["--method", "cliniqlink-doc", "--json", "--corpus"]
    results = [
        json.loads(semscale(*match(*options, *named)).out)["signature"]
        for named in (["corpus.txt"], ["corpus.csv", "--corpus-column", "text"])
    ]
    assert results[0] == results[1]
    assert results[0] != json.loads(semscale(*match(*options[:-1])).out)["signature"]


def test_an_empty_estimate_is_reported(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("answer,expected,other\nx,,\n,y,\n")
    ended = semscale(*match("--report", "match.html", "--json"))
    assert (ended.code, ended.err) == (0, "")
    overall = json.loads(ended.out)["estimates"]["overall"]
    assert (overall["n"], overall["n_left_out"], overall["figures"]) == (0, 2, {})
    assert "No row was scored" in semscale(*match()).out
    assert "No row was scored" in (tmp_path / "match.html").read_text()


def test_scores_that_tell_nothing_apart_are_warned_of(semscale, tmp_path):
    rows = "".join(f"it depends,expected number{row} word{row},\n" for row in range(40))
    (tmp_path / "answers.csv").write_text("answer,expected,other\n" + rows)
    assert "barely separate the pairs from unrelated pairs" in semscale(*match()).out


def test_ctrl_c_leaves_nothing_behind(semscale, answers, files, toy_embedder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(toy_embedder, "embed", interrupted)
    ended = semscale(*match("--out", "matched.csv", "--report", "match.html"))
    message = "stopped before the first part was finished; the same command starts again"
    assert (ended.code, ended.err) == (3, f"semscale: {message}\n")
    assert files() == ["answers.csv"]


def test_a_stopped_run_continues_after_the_last_finished_part(
    semscale, answers, files, stop_at_second_embedding
):
    assert semscale(*match("--out", "whole.csv")).code == 0
    stop_at_second_embedding()
    options = ["--out", "matched.csv", "--part-rows", 2]
    ended = semscale(*match(*options))
    # Rows 3 and 4, the second part, have nothing to embed.
    message = (
        "stopped: 4 rows are finished and stored in matched.csv.parts; the same command continues after them"
    )
    assert (ended.code, ended.err) == (3, f"semscale: {message}\n")
    assert semscale(*match(*options)).code == 0
    assert files() == ["answers.csv", "matched.csv", "whole.csv"]
    assert answers.with_name("matched.csv").read_bytes() == answers.with_name("whole.csv").read_bytes()


def test_restart_belongs_to_out(semscale, answers):
    assert "--restart belongs to --out" in semscale(*match("--restart")).err


def test_the_command_s_method_is_the_instrument_s():
    calls = (matcher.match, matcher.Matcher)
    assert {inspect.signature(call).parameters["method"].default for call in calls} == {"calibrated"}
    assert MatchSettings().method == "calibrated"


FOLDER = {
    "true_false": ([{"answer": "True"}, {"answer": "False"}], ["True", "True"]),
    "short": ([{"question": "Where?", "answer": "in the heart"}], ["in the heart"]),
}


@pytest.fixture
def folder(tmp_path):
    for name, (inputs, replies) in FOLDER.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"inputs": inputs, "responses": replies}))
    return tmp_path


def test_a_submission_is_scored_by_task_and_overall(semscale, folder, files):
    before = files()
    ended = semscale("match", "evaluate", ".", "--method", "cliniqlink-code", "--out", "items.csv")
    assert (ended.code, ended.err) == (0, "")
    for word in ("true_false", "accuracy", "mean match", "overall, each task counting the same: 0.750"):
        assert word in ended.out, word
    assert files() == sorted([*before, "items.csv"])
    result = json.loads(semscale("match", "evaluate", ".", "--method", "cliniqlink-code", "--json").out)
    assert result["overall"] == 0.75
    assert [task["estimate"]["value"] for task in result["tasks"]] == [0.5, 1]
    assert [task["estimate"]["n"] for task in result["tasks"]] == [2, 1]


def test_a_submission_has_a_report(semscale, folder, tmp_path):
    options = ["--method", "cliniqlink-code", "--report", "submission.md", "--figures", "drawn"]
    assert semscale("match", "evaluate", ".", *options).code == 0
    assert "](drawn/tasks.svg)" in (tmp_path / "submission.md").read_text()


def test_both_commands_have_help(semscale):
    assert "--prediction" in semscale("match", "--help").out
    assert "FOLDER" in semscale("match", "evaluate", "--help").out


def test_a_changed_meaning_is_detected_unless_guards_are_off(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("answer,expected,other\nGive 50 mg once.,Give 0.5 mg once.,\n")
    shown = semscale(*match("--method", "calibrated", "--explain")).out
    assert "a number or a unit differs" in shown
    assert '  number: The prediction says "50 mg", the reference "0.5 mg".' in shown
    assert "kept after findings 0.64" in shown  # exp(-.45), the fitted penalty of another number
    result = json.loads(semscale(*match("--json", "--out", "matched.jsonl")).out)
    assert result["guards"] == {"number": 1}
    assert result["lowest"][0]["findings"][0]["prediction"] == {"start": 5, "end": 10, "text": "50 mg"}
    (matched,) = open_table(tmp_path / "matched.jsonl").batches(100)
    assert matched["semscale_findings"][0][0]["guard"] == "number"
    assert json.loads(semscale(*match("--json", "--guard", "all=off")).out)["guards"] == {}


@pytest.mark.parametrize("second", ["number=warn", "number=off"])
def test_a_repeated_guard_is_refused(second):
    with pytest.raises(InputError, match="^guards: number is given twice; it takes one mode$"):
        guard_modes(["number=off", second])


def test_all_refers_to_the_guards_that_are_not_named():
    modes = guard_modes(["number=warn", "all=off"])
    assert modes.pop("number") == "warn"
    assert set(modes.values()) == {"off"}
