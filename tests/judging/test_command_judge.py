"""``semscale judge`` from a file to the screen, JSON, a table and a report, over a real HTTP server."""

import json
import re

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.support.command_fixtures import JUDGE_ROWS

from semscale.cli.main import main

pytestmark = pytest.mark.needs("api")


def test_everything_at_once(judge_command, tmp_path, capsys, judge_endpoint):
    out, report = tmp_path / "judged.parquet", tmp_path / "judged.html"
    code = main(
        judge_command(
            "--human", "people", "--reference", "known", "--out", str(out), "--report", str(report), "--json"
        )
    )
    content = json.loads(capsys.readouterr().out)
    assert code == 0
    assert content["counts"] == {"scored": 3, "missing": 1, "unparsable": 1}
    judged = pl.read_parquet(out)
    assert judged["semscale_status"].to_list() == ["scored", "scored", "missing", "scored", "unparsable"]
    assert judged["semscale_score"].to_list() == [1.0, 0.25, None, 0.75, None]
    # Beside the second answer's level, 2, the endpoint gives .8 and .2 to others: that is no probability.
    assert judged["semscale_provenance"].to_list()[:2] == ["logprobs", "single"]
    assert judged["semscale_expected"][0] == pytest.approx(0.8 + 0.2 * 0.75)
    assert judged["q"].to_list() == [row["q"] for row in JUDGE_ROWS]
    # The judge expects .95 and .25 where people say 1 and the mean of 0 and .25: (-.05 + .125) / 2.
    assert content["human"]["bias"] == pytest.approx(0.0375)
    page = report.read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "Where the judge is least certain" in page
    assert all("reference" in body["messages"][1]["content"] for body, _, _ in judge_endpoint.requests[:1])


def test_the_screen_names_figures_and_what_was_left_out(judge_command, capsys):
    assert main(judge_command()) == 0
    shown = capsys.readouterr().out
    for phrase in (
        "3 of 5 rows were scored; left out: 1 missing and 1 unparsable",
        "1 unparsable",
        "mean score, from 0 to 1",
        "judge-one",
        "signature: ",
    ):
        assert phrase in shown
    assert shown.count("No human label") == 1


@pytest.mark.exhaustive
def test_the_intervals_of_all_judges_follow_the_options(judge_command, tmp_path, capsys):
    panel = tmp_path / "two.yaml"
    url = judge_command()[judge_command().index("--chat-url") + 1]
    panel.write_text(f"judges: [{{model: one, base_url: '{url}'}}, {{model: two, base_url: '{url}'}}]")
    widths = {}
    for interval in ("0.5", "0.95"):
        assert (
            main(judge_command("--json", "--interval", interval, model=("--panel", str(panel)), url=False))
            == 0
        )
        content = json.loads(capsys.readouterr().out)
        assert content["judges"][0]["estimates"]["interval"] == float(interval)
        mean = content["judges"][0]["estimates"]["overall"]["figures"]["expected"]
        widths[interval] = mean["high"] - mean["low"]
    assert widths["0.5"] < widths["0.95"]


@pytest.mark.parametrize("ending", ["html", "md", "xlsx"])
@pytest.mark.exhaustive
def test_reports_of_all_formats_have_figures(judge_command, tmp_path, capsys, ending):
    report, figures = tmp_path / f"judged.{ending}", tmp_path / "figures"
    assert main(judge_command("--report", str(report), "--figures", str(figures))) == 0
    assert report.stat().st_size > 1000
    assert {file.name for file in figures.iterdir()} == {"scores.svg", "scores.png"}
    assert f"figures: {figures}" in capsys.readouterr().out


def test_groups_are_compared_on_the_screen_in_the_report_and_in_json(judge_command, tmp_path, capsys):
    report = tmp_path / "judged.md"
    assert main(judge_command("--by", "known", "--json", "--report", str(report))) == 0
    text = capsys.readouterr().out
    check_json(text)
    content = json.loads(text)
    assert content["estimates"]["by"] == content["judges"][0]["estimates"]["by"] == "known"
    means = {group["group"]: group["figures"].get("score") for group in content["estimates"]["groups"]}
    # Levels 5, 2 and 4 of 1 to 5; the other two answers have no score.
    assert (means.pop("a unit of matter"), means.pop("yes")) == (None, None)
    assert {name: mean["value"] for name, mean in means.items()} == {
        "1066": 1.0,
        "scattering": 0.25,
        "Austen": 0.75,
    }
    assert {row["group"] for row in content["lowest"]} == {"1066", "scattering", "Austen"}
    shown = report.read_text(encoding="utf-8")
    assert "## Distribution of the scores\n" in shown
    assert "| `scattering` | 1\\* | 0 | 0.25 |" in shown
    assert main(judge_command("--by", "known")) == 0
    screen = capsys.readouterr().out
    assert re.search(r"Austen +1\* +0 +0\.75", screen)
    assert main(judge_command("--by", "nowhere")) == 2
    assert "by" in capsys.readouterr().err


def test_a_panel_from_a_file(judge_command, judge_endpoint, tmp_path, capsys):
    panel, report = tmp_path / "panel.yaml", tmp_path / "judged.html"
    panel.write_text(
        f"judges:\n- {{model: one, base_url: '{judge_endpoint.url}'}}\n"
        f"- {{model: two, base_url: '{judge_endpoint.url}', logprobs: false}}\n"
    )
    options = ("--json", "--human", "people", "--report", str(report))
    assert main(judge_command(*options, model=("--panel", str(panel)), url=False)) == 0
    content = json.loads(capsys.readouterr().out)
    assert [judge["name"] for judge in content["judges"]] == ["one", "two"]
    assert [judge["counts"]["scored"] for judge in content["judges"]] == [3, 3]
    assert content["panel"]["agreement"][0]["judges"] == ["one", "two"]
    assert "Severity of the judges" in report.read_text(encoding="utf-8")


def test_an_audit_of_no_rows_is_refused(judge_command, capsys):
    assert main(["judge", "audit", *judge_command("--rows", "0")[1:]]) == 2
    assert capsys.readouterr().err == "semscale: --rows must be >= 1, got 0\n"


@pytest.mark.exhaustive
def test_an_audit(judge_command, judge_endpoint, capsys):
    arguments = judge_command("--reference", "known", "--json")
    assert main(["judge", "audit", *arguments[1:]]) == 0
    (content,) = json.loads(capsys.readouterr().out)["judges"]
    checks = {check["check"]: check for check in content["checks"]}
    # The endpoint says the same number whatever the scale is: turned round, 5, 2 and 4 become 1, 4 and 2.
    assert list(checks) == ["reversed", "relabelled", "padding", "reference-position", "injection"]
    assert checks["reversed"]["effect"]["value"] < 0
    assert checks["padding"]["effect"]["value"] == 0
    assert checks["relabelled"]["effect"]["n"] == 0
    assert main(["judge", "audit", *arguments[1:-1]]) == 0
    assert "effect of changes of form on the score" in capsys.readouterr().out


@pytest.mark.exhaustive
def test_an_audit_reports_reasoning_in_answers_and_rows_that_a_condition_leaves_out(
    judge_command, judge_answers, judge_endpoint, capsys
):
    rows = [{**row, "a": f"<think>Hm.</think>{row['a']}"} for row in JUDGE_ROWS[:2]]
    pl.DataFrame([*rows, JUDGE_ROWS[3]]).write_csv(judge_answers)
    assert main(["judge", "audit", *judge_command("--where", "q <> 'Who wrote Emma?'")[1:]]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "2 of 2 texts in column ‘a’ begin with a model's reasoning" in shown
    assert "which was removed" in shown
    assert "2 of 3 rows" in shown
    assert not any("Hm." in body["messages"][-1]["content"] for body, _, _ in judge_endpoint.requests)


@pytest.mark.parametrize(
    ("limit", "code", "outcome"), [(".3", 0, "passed"), (".9", 1, "failed"), (".6", 4, "undecided")]
)
@pytest.mark.exhaustive
def test_fail_under_sets_the_exit_code_and_is_in_every_output(
    judge_command, tmp_path, capsys, limit, code, outcome
):
    # Levels 5, 2 and 4 have the mean 2 / 3; with the two rows without a score it is between .4 and .8.
    assert main(judge_command("--fail-under", limit)) == code
    shown = capsys.readouterr()
    assert f"Gate {outcome}: " in shown.out
    assert (f"semscale: gate {outcome}: " in shown.err) == (code != 0)
    report = tmp_path / "report.md"
    assert main(judge_command("--fail-under", limit, "--json", "--report", str(report))) == code
    text = capsys.readouterr().out
    check_json(text)
    gate = json.loads(text)["gate"]
    assert (gate["outcome"], gate["fail_under"], gate["n_unscored"]) == (outcome, float(limit), 2)
    assert f"Gate {outcome}: " in report.read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_retry_unparsable_asks_again_about_a_single_row(judge_command, judge_endpoint, capsys):
    assert main(judge_command()) == 0
    n = len(judge_endpoint.requests)
    assert main(judge_command()) == 0
    assert len(judge_endpoint.requests) == n
    judge_endpoint.reply = lambda body: "Score: 3"
    assert main(judge_command("--retry-unparsable")) == 0
    assert len(judge_endpoint.requests) == n + 1
    assert "4 of 5 rows were scored; left out: 1 missing" in capsys.readouterr().out
