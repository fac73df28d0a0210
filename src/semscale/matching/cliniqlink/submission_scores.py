"""Evaluation of a submission: the score of every task, and their mean."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from semscale.matching.cliniqlink.closed_tasks import (
    TaskItems,
    score_list,
    score_multiple_choice,
    score_true_false,
)
from semscale.matching.cliniqlink.reasoning_steps import (
    expected_step,
    explanation_in,
    named_step,
    step_factor,
)
from semscale.matching.cliniqlink.submission import Task, load_submission
from semscale.matching.matcher import Matcher
from semscale.matching.methods import uses_corpus
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.types import Floats, Progress

_CLOSED: dict[str, tuple[str, Callable[[Task], TaskItems]]] = {
    "true_false": ("accuracy", score_true_false),
    "multiple_choice": ("accuracy", score_multiple_choice),
    "list": ("macro F1", score_list),
}


@dataclass(frozen=True)
class TaskScore:
    """One task's score.

    Attributes:
        task: its name.
        measure: ``accuracy``, ``macro F1`` or ``mean match``.
        estimate: the score with its interval; items whose right answer is not stated are left out.
        n_invalid: replies that are empty or cannot be read; the model was asked, so they count as 0.
        figures: further figures, by name.
    """

    task: str
    measure: str
    estimate: MeanEstimate
    n_invalid: int
    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SubmissionScores:
    """Scores of a submission.

    Attributes:
        tasks: one score for each task file, in the order of ``submission.TASKS``.
        items: a table with one row an item: ``task``, ``item`` (counted from 1), ``reply``, ``score``.
        signature: the settings applied to the open questions.
        plan: how the intervals were made.
    """

    tasks: tuple[TaskScore, ...]
    items: pl.DataFrame
    signature: Signature
    plan: IntervalPlan = IntervalPlan()

    @property
    def overall(self) -> float:
        """Mean of the tasks' scores, each task counting the same; NaN where none has one."""
        values = [task.estimate.value for task in self.tasks if not np.isnan(task.estimate.value)]
        return float(np.mean(values)) if values else np.nan


def evaluate_submission(
    folder: str | Path,
    *,
    method: str = "cliniqlink-doc",
    progress: Progress | None = None,
    **settings: Any,
) -> SubmissionScores:
    """Score a folder of task files, closed questions by rule and open ones by matching.

    Word weights and the similarity of unrelated texts are estimated from the right answers of all tasks,
    unless ``corpus`` is given.

    Args:
        folder: holds ``true_false.json`` and the others.
        method: name of the method of matching.
        progress: called while texts are embedded.
        settings: as ``semscale.matching.matcher.Matcher`` takes them.

    Raises:
        InputError: as ``load_submission`` and ``Matcher``.
    """
    tasks = load_submission(folder)
    if settings.get("corpus") is None and uses_corpus(method):
        settings["corpus"] = [answer for task in tasks.values() for answer in right_answers(task)] or None
    matcher = Matcher(method, **settings)
    signature, plan = Signature.of("evaluate", method=method), IntervalPlan()
    scored: list[TaskScore] = []
    tables: list[pl.DataFrame] = []
    for task in tasks.values():
        if task.name in _CLOSED:
            measure, score = _CLOSED[task.name]
            items = score(task)
        else:
            measure = "mean match"
            items, signature = score_open(task, matcher, progress)
        estimate = estimate_mean(items.score, bounds=(0.0, 1.0), plan=plan)
        scored.append(TaskScore(task.name, measure, estimate, items.n_invalid, dict(items.figures)))
        tables.append(_table(task, items.score))
    return SubmissionScores(tuple(scored), pl.concat(tables), signature, plan)


def right_answers(task: Task) -> list[str]:
    """List the answers that a task's items state, those of several parts joined."""
    stated = (_stated(item, "answer") for item in task.inputs)
    return [answer for answer in stated if answer.strip()]


def score_open(task: Task, matcher: Matcher, progress: Progress | None = None) -> tuple[TaskItems, Signature]:
    """Match replies to open questions with what is expected; one that repeats the question scores 0."""
    inverse = task.name == "multi_hop_inverse"
    steps = [expected_step(item.get("incorrect_reasoning_step", "")) for item in task.inputs]
    key = "incorrect_explanation" if task.name == "short_inverse" else "answer"
    expected = [step[1] for step in steps] if inverse else [_stated(item, key) for item in task.inputs]
    replies = [explanation_in(reply) if inverse else reply for reply in task.replies]
    matches = matcher.match(replies, expected, progress=progress)
    score = matches.score.copy()
    asked = [str(item.get("question", "")).strip().lower() for item in task.inputs]
    said = [reply.strip().lower() for reply in task.replies]
    worthless = np.array(
        [not reply or reply == question for reply, question in zip(said, asked, strict=True)], bool
    )
    score[worthless & np.array([bool(text.strip()) for text in expected], bool)] = 0.0
    if not inverse:
        return TaskItems(score, said.count(""), {}), matches.signature
    named = [named_step(reply) for reply in task.replies]
    right = [step[0] for step in steps]
    figures = {"step_accuracy": _share_equal(named, right)}
    return TaskItems(score * _step_factors(named, right), said.count(""), figures), matches.signature


def _stated(item: Mapping[str, Any], key: str) -> str:
    """Give what an item states, its parts joined; nothing where it is null."""
    answer = item.get(key)
    if isinstance(answer, list):
        return " ".join(map(str, answer))
    return "" if answer is None else str(answer)


def _step_factors(named: list[int | None], right: list[int | None]) -> Floats:
    """Give the factor of each item; 1 where a step is not named, as the published evaluator has it."""
    both = zip(named, right, strict=True)
    return np.array([1.0 if None in pair else step_factor(abs(pair[0] - pair[1])) for pair in both])  # type: ignore[operator]


def _share_equal(named: list[int | None], right: list[int | None]) -> float:
    known = [said == truth for said, truth in zip(named, right, strict=True) if truth is not None]
    return float(np.mean(known)) if known else np.nan


def _table(task: Task, score: Floats) -> pl.DataFrame:
    n = len(task.replies)
    return pl.DataFrame(
        {
            "task": [task.name] * n,
            "item": range(1, n + 1),
            "reply": task.replies,
            "score": pl.Series(score, nan_to_null=True, dtype=pl.Float64),
        },
        schema={"task": pl.String, "item": pl.Int64, "reply": pl.String, "score": pl.Float64},
    )
