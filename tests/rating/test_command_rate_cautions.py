"""What ``semscale rate`` warns of stands wherever its figures do: on the screen, in JSON, in the report."""

import json
import re
from html import unescape

from semscale.report.rating import NPS_CAUTION


def test_an_nps_and_a_scale_with_warnings_are_never_shown_alone(semscale, seven_answers, tmp_path):
    command = ["rate", "answers.csv", "--text", "text", "--scale", "recommendation", "--floor", "none"]
    shown = semscale(*command, "--report", "report.html").out.splitlines()
    assert NPS_CAUTION in shown
    # Bags of words tell almost no two anchors apart: the toy model fails every scale.
    (verdict,) = [line for line in shown if line.startswith("This scale ")]
    assert shown.index(verdict) < next(index for index, line in enumerate(shown) if line.startswith("mean"))
    result = json.loads(semscale(*command, "--json").out)
    assert (result["warnings"], result["cautions"][-1]) == ([verdict], NPS_CAUTION)
    assert verdict.startswith(f"This scale fails the linter ({result['lint']['reasons'][0]}; and ")
    assert result["lint"]["verdict"] == "fail"
    assert result["lint"]["signature"].startswith("semscale ")
    page = (tmp_path / "report.html").read_text()
    head = unescape(re.sub("</?span[^>]*>", "", page.partition("</header>")[0]))  # which keep IDs on a line
    assert NPS_CAUTION in head
    assert verdict.replace(": semscale scales lint", "") in head  # pages name no command there


def test_other_scales_have_no_caution_about_nps(rate, seven_answers):
    assert "net promoter" not in rate().out
    assert not [line for line in json.loads(rate("--json").out)["cautions"] if "promoter" in line]


def test_few_respondents_are_reported_on_screen_in_json_and_in_the_report(rate, seven_answers, tmp_path):
    by_person = ["--respondent", "person"]
    shown = rate(*by_person, "--report", "report.html").out.splitlines()
    (caution,) = json.loads(rate(*by_person, "--json").out)["cautions"]
    assert "3 respondents" in caution  # a, b and d; the one text of c is missing
    assert caution in shown
    assert caution in (tmp_path / "report.html").read_text()


def test_no_interval_method_is_named_without_intervals(semscale, tmp_path):
    (tmp_path / "one.csv").write_text("text\ngood\n")
    shown = semscale("rate", "one.csv", "--text", "text", "--scale", "quality", "--report", "r.html").out
    assert "no interval: it takes at least 2 rows, and there is 1" in shown
    assert "intervals: none, because at least two scored rows are needed" in shown
    assert "bootstrap resamples" not in (tmp_path / "r.html").read_text()
