"""Labels that people give measured answers on the page of answers, and what these show.

Answers that a person picks, such as the worst ones, say nothing about the others. So the mean is corrected
only by labels of answers in a random order, up to the first one in that order without a label: these are a
random sample, whatever else was labelled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from semscale.errors import InputError
from semscale.stats.sampling import priorities
from semscale.types import Floats, Integers, Mask
from semscale.workbench.answer_files import AnswerRun
from semscale.workbench.label_journals import Entry, Journals, Labels
from semscale.workbench.label_measures import Choice
from semscale.workbench.project import LABELS, ConflictError, Project

if TYPE_CHECKING:
    from semscale.judging.human_labels import HumanEvidence
    from semscale.stats.intervals import IntervalPlan, MeanEstimate

_SEED = 0
_FEWEST = 3
_RANGE = ((0, "worst"), (25, "bad"), (50, "middling"), (75, "good"), (100, "best"))


@dataclass(frozen=True)
class LabelEvidence:
    """What labels show about the scores of a file.

    Attributes:
        n_labelled: number of answers with a label and a score.
        agreement: comparison of scores with all labels; ``None`` with fewer than three.
        corrected: comparison with those labels that correct the mean; ``None`` without any.
        n_drawn: number of these labels.
        from_file: whether these are labels of the file instead of this page.
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
        journals: what people answered.
    """

    def __init__(self, project: Project, run: AnswerRun, journals: Journals) -> None:
        self._project, self._run, self._journals = project, run, journals

    @classmethod
    def of_run(cls, project: Project, run: AnswerRun, known: dict[str, Journals]) -> "AnswerLabels":
        """Return the labels of a file.

        Args:
            project: the project that is open.
            run: the file's answers.
            known: journals by task, which stay in memory.
        """
        folder = project.folder / LABELS / run.task
        return cls(project, run, known.setdefault(run.task, Journals(folder)))

    @cached_property
    def by_rater(self) -> Mapping[str, Labels]:
        """The labels of each person."""
        return self._journals.by_rater()

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The labels that a person may give, from low to high, each with its key."""
        return label_choices(self._run)

    @cached_property
    def table(self) -> Floats:
        """Shape (n, raters), labels of people from 0 to 1: those of the file, then those of this page."""
        given = [self._column(labels) for labels in self.by_rater.values()]
        return np.column_stack([self._run.human, *given])

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

        scores, levels = self._run.scores, self._run.template.scores
        differs = nearest(scores, levels) != nearest(self.mean, levels)
        return np.where(differs, np.nan_to_num(np.abs(scores - self.mean)), 0.0)

    @cached_property
    def by_chance(self) -> Integers:
        """Rows in a random order, those without a score last."""
        order = np.argsort(priorities(np.arange(self._run.n), _SEED), kind="stable")
        has_score = ~np.isnan(self._run.scores[order])
        return np.concatenate([order[has_score], order[~has_score]])

    @cached_property
    def is_drawn(self) -> Mask:
        """Shape (n,), true for the answers at the start of the random order that have labels of this page."""
        given = [self._column(labels) for labels in self.by_rater.values()]
        drawn: Mask = np.zeros(self._run.n, dtype=bool)
        if not given:
            return drawn
        labelled = ~np.isnan(np.column_stack(given)).all(axis=1) & ~np.isnan(self._run.scores)
        in_order = labelled[self.by_chance]
        n = len(in_order) if in_order.all() else int(in_order.argmin())
        drawn[self.by_chance[:n]] = True
        return drawn

    @cached_property
    def evidence(self) -> LabelEvidence:
        """Agreement of people with the scores, and the mean that their labels correct."""
        from semscale.judging.human_labels import compare_with_labels

        run, plan = self._run, self._project.settings.plan
        has_both = ~np.isnan(self.mean) & ~np.isnan(run.scores)
        agreement = (
            compare_with_labels(run.scores, self.table, run.template, plan=plan)
            if has_both.sum() >= _FEWEST
            else None
        )
        from_file = bool((~np.isnan(run.human)).any())
        used = run.human if from_file else np.where(self.is_drawn[:, None], self.table, np.nan)
        n_used = int((~np.isnan(used).all(axis=1) & ~np.isnan(run.scores)).sum())
        corrected = (
            compare_with_labels(run.scores, used, run.template, plan=plan) if n_used >= _FEWEST else None
        )
        return LabelEvidence(int(has_both.sum()), agreement, corrected, n_used, from_file)

    def mean_score(self) -> "MeanEstimate":
        """Estimate the mean score of all answers."""
        return _mean_score(self._run, self._project.settings.plan)

    def of_row(self, row: int) -> dict[str, str]:
        """Return the labels of a row in words, by person.

        Args:
            row: the row, from 0.
        """
        names = {choice.value: choice.label for choice in self.choices}
        given = {name: labels.labelled.get(row + 1) for name, labels in self.by_rater.items()}
        shown = {name: names.get(entry.label, entry.label) for name, entry in given.items() if entry}
        in_file = self._run.text(row, "human")
        return {**({"in the file": in_file} if in_file else {}), **shown}

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
        if self.own(row, person) != label:
            entry = Entry(id=f"{key}:{label}", rater=person, row=row + 1, label=label)
            self._journals.of_rater(person).add(entry)

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

    def _column(self, labels: Labels) -> Floats:
        from semscale.judging.human_labels import label_table

        known = {choice.value for choice in self.choices}
        cells = {row: label for row, label in labels.cells.items() if row <= self._run.n and label in known}
        column: Floats = np.full(self._run.n, np.nan)
        if cells:
            column[np.array(list(cells)) - 1] = label_table(list(cells.values()), self._run.template)[:, 0]
        return column


@lru_cache(maxsize=4)  # labels do not change it, and a bootstrap of 5,000 answers takes 0.1 s
def _mean_score(run: AnswerRun, plan: "IntervalPlan | None") -> "MeanEstimate":
    from semscale.stats.intervals import estimate_mean

    return estimate_mean(run.scores, bounds=(0.0, 1.0), plan=plan)


def label_choices(run: AnswerRun) -> tuple[Choice, ...]:
    """Return the labels that a person may give an answer, from low to high, with keys from 1."""
    template = run.template
    if template.highest is not None:
        named = [(f"{template.highest * part // 100}", label) for part, label in _RANGE]
    else:
        ordered = sorted(template.levels, key=lambda level: level.score)
        named = [(level.shown, level.label) for level in ordered]
    keys = "1234567890"
    return tuple(
        Choice(value, label, keys[place] if place < len(keys) else "", value)
        for place, (value, label) in enumerate(named)
    )
