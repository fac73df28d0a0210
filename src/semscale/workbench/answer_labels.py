"""Labels that people give measured answers on the page of answers, and what these show.

Answers that a person picks, such as the worst ones, say nothing about the others. So the mean is corrected
only by labels of drawn answers: those of the page of labels, and those in a random order up to the first one
without a label, which are a random sample, whatever else was labelled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats, Integers
from semscale.workbench.answer_files import AnswerRun
from semscale.workbench.label_journals import PICKED, Entry, Labels
from semscale.workbench.label_judging import JudgeMeasure, random_order
from semscale.workbench.label_measures import Choice, FinalLabels, drawn_labels
from semscale.workbench.label_tasks import LabelTask, LabelTasks
from semscale.workbench.project import ConflictError, Project

if TYPE_CHECKING:
    from semscale.judging.human_labels import HumanEvidence
    from semscale.stats.intervals import IntervalPlan, MeanEstimate

_FEWEST = 3


@dataclass(frozen=True)
class LabelEvidence:
    """What labels show about the scores of a file.

    Attributes:
        n_labelled: number of answers with a label and a score.
        agreement: comparison of scores with the labels of drawn answers, or as long as there are fewer than
            three of these, with all labels; ``None`` with fewer than three.
        corrected: comparison with those labels that correct the mean; ``None`` with fewer than three.
        n_drawn: number of these labels.
        from_file: whether these are labels of the file instead of the project.
    """

    n_labelled: int
    agreement: "HumanEvidence | None"
    corrected: "HumanEvidence | None"
    n_drawn: int
    from_file: bool


class AnswerLabels:
    """The labels of a file's answers.

    Args:
        project: the project that is open.
        run: the file's answers.
        tasks: drawn texts and journals of the project.
    """

    def __init__(self, project: Project, run: AnswerRun, tasks: LabelTasks) -> None:
        self._project, self._run, self._tasks = project, run, tasks
        self._journals = tasks.journals(run.task, f"{PurePosixPath(run.name).stem}{PICKED}")

    @property
    def task(self) -> LabelTask | None:
        """The answers that were drawn of the file on the page of labels; ``None`` without any."""
        return self._task_or_problem[0]

    @property
    def problem(self) -> str:
        """Reason why the drawn answers cannot be used; empty without one."""
        return self._task_or_problem[1]

    @cached_property
    def _task_or_problem(self) -> tuple[LabelTask | None, str]:
        if self._run.task not in self._tasks.names():
            return None, ""
        try:
            task = self._tasks.open(self._run.task)
            task.table()
        except InputError as error:
            return None, str(error)
        return task, ""

    @property
    def copied(self) -> str:
        """Sentence on labels of a former version that were copied; empty for none."""
        return self._tasks.copied(self._run.task)

    @cached_property
    def by_rater(self) -> Mapping[str, Labels]:
        """The labels of each person."""
        return self._journals.by_rater()

    @cached_property
    def measure(self) -> JudgeMeasure:
        """The levels of the labels."""
        if self.task is not None and isinstance(self.task.measure, JudgeMeasure):
            return self.task.measure
        template = self._run.template
        return JudgeMeasure(template, template.name, plan=self._project.settings.plan)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The labels that a person may give, from low to high, each with its key."""
        return self.measure.choices

    @cached_property
    def table(self) -> Floats:
        """Shape (n, raters), labels of people from 0 to 1: those of the file, then those of the project."""
        people = {name: labels.cells for name, labels in self.by_rater.items()}
        final = FinalLabels.join(people, self._journals.adjudicated().labels())
        return np.column_stack([self._run.human, self.measure.label_scores(final, self._run.n)])

    @cached_property
    def mean(self) -> Floats:
        """Shape (n,), mean of the labels of each answer; NaN without any."""
        from semscale.judging.human_labels import mean_labels

        return mean_labels(self.table)

    @property
    def n_labelled(self) -> int:
        """Number of answers with a label."""
        return int((~np.isnan(self.mean)).sum())

    @cached_property
    def disagreement(self) -> Floats:
        """Shape (n,), distance of score and people where their nearest levels differ, and 0 elsewhere."""
        from semscale.judging.human_labels import nearest

        scores, levels = self._run.scores, self.measure.template.scores
        differs = nearest(scores, levels) != nearest(self.mean, levels)
        return np.where(differs, np.nan_to_num(np.abs(scores - self.mean)), 0.0)

    @cached_property
    def by_chance(self) -> Integers:
        """Rows, those that were drawn on the page of labels first, then others in random order.

        Rows without a score come last.
        """
        drawn = [] if self.task is None else [row - 1 for row in self.task.texts if row <= self._run.n]
        others = random_order(self._run.scores)
        unscored = np.flatnonzero(np.isnan(self._run.scores))
        return np.array(list(dict.fromkeys([*drawn, *others.tolist(), *unscored.tolist()])), dtype=np.int64)

    @cached_property
    def drawn(self) -> Floats:
        """Shape (n, raters), the labels of drawn answers, from 0 to 1."""
        if self.task is not None:
            return self.measure.label_scores(self.task.final_labels(), self._run.n)
        order = () if self.problem else random_order(self._run.scores)
        people = drawn_labels(self.by_rater, [int(row) + 1 for row in order])
        return self.measure.label_scores(FinalLabels(people), self._run.n)

    @cached_property
    def evidence(self) -> LabelEvidence:
        """Agreement of people with the scores, and the mean that their labels correct."""
        run = self._run
        from_file = bool((~np.isnan(run.human)).any())
        used = run.human if from_file else self.drawn
        corrected = None
        if _n_both(run.scores, used) >= _FEWEST:
            rows = np.flatnonzero(~np.isnan(used).all(axis=1))
            inclusion = self.task.draw.inclusion(rows, run.n) if self.task and not from_file else None
            corrected = self.measure.compare(run.scores, used, inclusion)
        n_labelled = _n_both(run.scores, self.table)
        agreement = None if from_file else corrected
        if agreement is None and n_labelled >= _FEWEST:
            agreement = self.measure.compare(run.scores, self.table)
        return LabelEvidence(n_labelled, agreement, corrected, _n_both(run.scores, used), from_file)

    def mean_score(self) -> "MeanEstimate":
        """Estimate the mean score of all answers."""
        return _mean_score(self._run, self._project.settings.plan)

    def of_row(self, row: int) -> dict[str, str]:
        """Return the labels of a row in words, by person.

        Args:
            row: the row, from 0.
        """
        in_file = self._run.text(row, "human")
        shown = {"in the file": in_file} if in_file else {}
        people = [*self.by_rater.items(), ("decided", self._journals.adjudicated().labels())]
        for name, labels in people:
            if row + 1 in labels.labelled:
                shown[name] = self._in_words(labels.labelled[row + 1].label)
        return shown

    def _in_words(self, label: str) -> str:
        names = {choice.value: choice.label for choice in (*self.choices, self.measure.nothing)}
        return names.get(label, label)

    def own(self, row: int, person: str) -> str:
        """Return the label that a person gave a row; empty without one."""
        if not person:
            return ""
        entry = self._journals.of_rater(person).labels().labelled.get(row + 1)
        return "" if entry is None else entry.label

    def add(self, row: int, person: str, label: str, key: str) -> None:
        """Store a label, unless it holds already.

        Args:
            row: the row, from 0.
            person: who gives it.
            label: one of the choices.
            key: the page's name for the answer; the same answer counts once.

        Raises:
            InputError: there is no such row or label.
        """
        if not 0 <= row < self._run.n:
            raise InputError("row", f"must be a row of the file, got {row + 1}")
        if label not in {choice.value for choice in self.choices}:
            raise InputError("label", f"must be one of the list, got {label!r:.40}")
        journal = self._journals.of_rater(person)
        held = journal.labels().labelled.get(row + 1)
        if held is None or held.label != label:
            picked = held is None or held.picked  # a new label of a drawn text remains one of the draw
            entry = Entry(id=f"{key}:{label}", rater=person, row=row + 1, label=label, picked=picked)
            journal.add(entry)

    def take_back(self, row: int, person: str, label: str, key: str) -> None:
        """Take back a label; nothing happens if the answer has none.

        Args:
            row: the row, from 0.
            person: who gave it.
            label: the label that the page showed.
            key: the page's name for the answer; the same answer counts once.

        Raises:
            ConflictError: the answer has another label than the page showed.
        """
        journal = self._journals.of_rater(person)
        held = journal.labels().labelled.get(row + 1)
        if held is None:
            return
        if held.label != label:
            raise ConflictError(
                "your label was changed elsewhere since this page was shown, so it was not taken back"
            )
        journal.add(Entry(id=f"{key}:undo", rater=person, act="undo", undoes=held.id))


@lru_cache(maxsize=4)  # labels do not change it, and a bootstrap of 5,000 answers takes 0.1 s
def _mean_score(run: AnswerRun, plan: "IntervalPlan | None") -> "MeanEstimate":
    from semscale.stats.intervals import estimate_mean

    return estimate_mean(run.scores, bounds=(0.0, 1.0), plan=plan)


def _n_both(scores: Floats, labels: Floats) -> int:
    """Return the number of answers with a score and a label."""
    return int((~np.isnan(scores) & ~np.isnan(labels).all(axis=1)).sum())
