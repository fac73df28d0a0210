"""The document of a scored submission."""

import json

import polars as pl

from semscale.matching.cliniqlink import EvaluationSummary, TaskScore
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document
from semscale.signature import Signature
from semscale.stats.intervals import MeanEstimate

NAN = float("nan")
TASKS = (
    TaskScore("true_false", "accuracy", MeanEstimate(0.5, 0.25, 0.75, 12, 1, 12, "bootstrap"), 2),
    TaskScore("multi_hop_inverse", "mean match", MeanEstimate(0.75, NAN, NAN, 1, 0, 1, None), 0,
              {"step_accuracy": 0.125}),
    TaskScore("list", "macro F1", MeanEstimate(NAN, NAN, NAN, 0, 3, 0, None), 0),
)  # fmt: skip


def evaluation(*tasks):
    items = pl.DataFrame({"task": ["true_false"] * 17})
    return EvaluationSummary("sub<b>", tasks, items, Signature.of("match", method="cosine"))


def shown_on_screen(summary, capsys):
    print_document(summary.document())
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_a_submission_is_shown_by_task_and_overall(capsys):
    lines = shown_on_screen(evaluation(*TASKS), capsys)
    assert "true_false 0.500 [0.250, 0.750] accuracy 12 2 1 –" in lines
    assert "multi_hop_inverse 0.750 mean match 1 0 0 0.125" in lines
    assert "list – macro F1 0 0 3 –" in lines
    # Two tasks have a score, .5 and .75.
    assert "overall, each task counting the same: 0.625" in lines
    intervals = "95 %, 2,000 bootstrap resamples of items, seed 0"
    assert f"intervals: {intervals}" in lines
    unbroken = intervals.replace(" %", "\N{NO-BREAK SPACE}%")
    assert f"Intervals: {unbroken}" in markdown(evaluation(*TASKS).document())
    record = json.loads(evaluation(*TASKS).to_json())
    assert (record["interval"], record["seed"], record["replicates"]) == (0.95, 0, 2000)


def test_the_page_of_a_submission_draws_the_tasks_that_have_a_score(read_page):
    parsed = read_page(page(evaluation(*TASKS).document()))
    parsed.assert_harmless()
    assert "sub<b>" in parsed.text
    (picture, *_) = parsed.all("svg")
    described = "Scores by task. true_false: 0.500 [0.250, 0.750]; multi_hop_inverse: 0.750."
    assert picture["aria-label"] == described


def test_a_submission_without_any_score_has_no_overall_figure(capsys):
    nothing = evaluation(TASKS[2])
    assert "overall, each task counting the same: –" in shown_on_screen(nothing, capsys)
    assert nothing.document().lead is None
    assert "By task" in markdown(nothing.document())
    assert json.loads(nothing.to_json())["overall"] is None
