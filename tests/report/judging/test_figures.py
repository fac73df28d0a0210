"""Figures beside human labels: one interval for each figure, and how it was made."""

import json

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.schema_check import check_json

from semscale.judging.judge import Judge
from semscale.judging.panel import Panel
from semscale.report.document import Quoted, Words
from semscale.report.formatting import cell_text
from semscale.report.html import page
from semscale.report.judging.figures import human_table, judge_table, scores_histogram
from semscale.report.markdown import markdown

WRITTEN = {"out": None, "report": None, "figures": None}


def judged(n, human, **settings):
    answers = [str(1 + 4 * (row % 2)) for row in range(n)]
    judge = Judge(Scripted(lambda request: f"Score: {material(request)}", name="gpt-4o"))
    found = judge.judge(["q"] * n, answers, running=plain_running())
    return found.summarize(["q"] * n, answers, human=human, **settings)


def test_a_heading_names_an_interval_only_where_there_is_one():
    assert human_table(judged(1, [5])).columns[1] == "value"
    assert human_table(judged(40, [5, 1] * 20)).columns[1] == "value (95 % interval)"


def rows_of(table):
    return {row[0].text: row[1:] for row in table.rows}


@pytest.mark.parametrize("n", [3, 40])
def test_a_judges_mean_has_one_interval_wherever_it_stands(n):
    summary = judged(n, [5, 1] + [None] * (n - 2), seed=3, replicates=500)
    row = rows_of(human_table(summary))["mean expected score of the judge"][0]
    beside = judge_table(summary).rows[0][-1]
    assert (row.value, row.low, row.high) == pytest.approx((beside.value, beside.low, beside.high))
    assert 0 <= row.low <= row.high <= 1
    written = summary.record()["human"]["naive"]
    assert (written.low, written.high) == (row.low, row.high)


def test_each_row_beside_human_labels_says_how_its_interval_was_made():
    rows = rows_of(human_table(judged(40, [5, 1, 4] * 13 + [None])))
    for name, method in (
        ("mean, corrected by the labels", "jackknife"),
        ("mean expected score of the judge", "bootstrap"),
        ("mean of the labels alone", "jackknife"),
        ("quadratic weighted kappa", "jackknife"),
    ):
        assert rows[name][1].text.endswith(f"; interval by {method}")


def test_labels_of_two_kinds_are_said_to_be_added_to():
    # Labels at both ends of the range only: their own spread says too little.
    summary = judged(8, [5, 1, 5, *[None] * 5])
    method = "jackknife with added labels"
    assert rows_of(human_table(summary))["mean of the labels alone"][1].text.endswith(method)
    check_json(json.dumps(json.loads(summary.to_json()) | WRITTEN))


def test_too_few_labels_are_the_reason_why_there_is_no_interval():
    rows = rows_of(human_table(judged(6, [5, 1, *[None] * 4])))
    for name in ("mean, corrected by the labels", "mean of the labels alone"):
        assert np.isnan(rows[name][0].low)
        assert cell_text(rows[name][0]).endswith("(an interval needs 3 labels or more)")
        assert "interval by" not in rows[name][1].text


def test_names_of_judges_and_templates_stay_as_they_are_written():
    alone = judged(6, None)
    assert [row[0] for row in scores_histogram(alone).table.rows] == [Quoted("likert")]
    members = [Judge(Scripted(lambda _: "Score: 4", name=name)) for name in ("gpt-4o", "qwen")]
    panel = Panel(members).judge(["q"] * 4, ["a"] * 4, running=plain_running())
    summary = panel.summarize(["q"] * 4, ["a"] * 4, human=[4, 5, 4, 5])
    names = [row[0] for row in scores_histogram(summary).table.rows]
    assert names == [Words("Panel, mean"), Quoted("gpt-4o"), Quoted("qwen"), Words("People’s labels")]
    for shown in (page(summary.document()), markdown(summary.document())):
        assert "gpt-4o" in shown
        assert "Gpt-4o" not in shown
