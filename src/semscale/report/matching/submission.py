"""The document of a scored ClinIQLink submission: its score by task and overall."""

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Document,
    Figure,
    Headline,
    Number,
    Paragraph,
    Quoted,
    Section,
    WithInterval,
    Words,
)
from semscale.report.formatting import capitalised, coverage, ends, number, with_interval
from semscale.report.matching.document import CLINIQLINK
from semscale.report.parts import settings
from semscale.report.row_charts import Bar, bars
from semscale.report.sentences import interval_methods

if TYPE_CHECKING:
    from semscale.matching.cliniqlink import EvaluationSummary, TaskScore

_DIGITS = 3
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def evaluation_document(summary: "EvaluationSummary") -> Document:
    """Turn the scores of a submission into a document."""
    scores, tasks, interval = summary.scores, summary.scores.tasks, summary.scores.plan.interval
    intervals = interval_methods(scores.plan, {task.task: task.estimate.method for task in tasks}, "items")
    mean = "overall, each task counting the same"
    overall = WithInterval(scores.overall, np.nan, np.nan, _DIGITS)
    counting = "invalid replies count as 0; items whose right answer is not stated are left out"
    return Document(
        kind="submission report",
        name="Submission",
        title=("How the submission “", Quoted(summary.source), "” scores"),
        source=(Quoted(summary.source), f"{summary.created:%Y-%m-%d}"),
        signature=scores.signature,
        lead=None if np.isnan(scores.overall) else Headline(mean, overall, (0.0, 1.0), interval, _TICKS),
        reading=(f"{capitalised(counting)}.",),
        facts=(
            ("Tasks", Count(len(tasks))),
            ("Items", Count(len(scores.items))),
            ("Invalid replies", Count(sum(task.n_invalid for task in tasks))),
            ("Left out", Count(sum(task.estimate.n_left_out for task in tasks))),
        ),
        sections=(
            Section(
                "tasks",
                "By task",
                (
                    _tasks(tasks, interval),
                    Paragraph(f"{mean}: {number(scores.overall, _DIGITS)}", detail="brief"),
                ),
            ),
        ),
        notes=(f"intervals: {intervals}", counting),
        settings=settings(summary.source, summary.created, [("Intervals", intervals)], scores.signature),
        citations=(CLINIQLINK,),
    )


def _tasks(tasks: "tuple[TaskScore, ...]", interval: float) -> Figure | DataTable:
    """Draw the tasks that have a score above the table of all."""
    further = list(dict.fromkeys(name for task in tasks for name in task.figures))
    columns = ("task", "score", "measure", "items", "invalid", "left out", *further)
    rows = tuple(_task_row(task, further) for task in tasks)
    table = DataTable(tuple(name.replace("_", " ") for name in columns), rows, title="By task")
    scored = [task for task in tasks if not np.isnan(task.estimate.value)]
    if not scored:
        return table
    described = "; ".join(f"{task.task}: {number(task.estimate.value, _DIGITS)}" for task in scored)
    return Figure(
        "tasks",
        lambda width: bars(list(map(_bar, count(), scored)), [task.task for task in scored], width),
        f"Scores by task. {described}.",
        table,
        caption=f"Each task’s score with its {coverage(interval)} interval.",
    )


def _task_row(task: "TaskScore", further: list[str]) -> tuple[Cell, ...]:
    estimate = task.estimate
    return (
        Quoted(task.task),
        WithInterval.of(estimate, _DIGITS),
        Words(task.measure),
        Count(estimate.n),
        Count(task.n_invalid),
        Count(estimate.n_left_out),
        *(Number(task.figures.get(name), _DIGITS) for name in further),
    )


def _bar(row: int, task: "TaskScore") -> Bar:
    score = task.estimate
    low, high = ends(score.low, score.high)
    return Bar(row, score.value, low, high, with_interval(score, _DIGITS), number(score.value, _DIGITS))
