"""Labels of judged answers: the judge's levels, agreement with it, and what can be labelled of a table."""

import json
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.human_labels import HumanEvidence, compare_with_labels, label_table
from semscale.judging.label_draws import draw_rows
from semscale.judging.settings import TEMPLATES
from semscale.judging.stored_scores import FEWEST_LABELS, StoredScores, fits, label_advice
from semscale.judging.templates import Template, load_rubric, load_template
from semscale.results.label_sheets import HUMAN, INCLUSION, check_label_columns
from semscale.scales.library import load_scale
from semscale.stats.agreement import AgreementEstimate, krippendorff_alpha
from semscale.stats.intervals import IntervalPlan
from semscale.stats.sampling import priorities
from semscale.store.answer_columns import KNOWN_NAMES
from semscale.store.writing import PREFIX
from semscale.survey.description import Survey
from semscale.survey.survey_file import FILE_NAME
from semscale.types import Floats, Integers
from semscale.workbench.label_measures import (
    Choice,
    Draw,
    FinalLabels,
    LabelFigure,
    LabelFigures,
    RaterLabels,
    Sampled,
    answer_keys,
    rows_with_labels,
)
from semscale.workbench.project import Project
from semscale.workbench.scale_form import project_scales, scale_path

_MOST_LEVELS = 11
_SEED = 0


@dataclass(frozen=True)
class JudgeMeasure:
    """Labels by the levels of a judge.

    Attributes:
        template: its task and levels.
        name: the template as commands name it in the project's folder.
        option: option of commands that names it.
        plan: how intervals are made; ``None`` for the defaults.
    """

    template: Template
    name: str
    option: str = "--template"
    plan: IntervalPlan | None = None
    nothing = Choice("", "cannot be judged", "x")
    takes_weights = False

    @property
    def question(self) -> str:
        """The task of the judge."""
        return self.template.task

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The levels from low to high; of a range and of many levels, eleven numbers."""
        levels = sorted(self.template.levels, key=lambda level: level.score)
        if not levels or len(levels) > _MOST_LEVELS:
            values = [f"{number:g}" for number in np.linspace(0, self.template.highest or 1, _MOST_LEVELS)]
            keys = answer_keys([str(number) for number in range(_MOST_LEVELS)])
            return tuple(Choice(value, value, key) for value, key in zip(values, keys, strict=True))
        values = [level.shown for level in levels]
        return tuple(
            Choice(
                level.shown,
                level.label,
                key.strip(),
                "" if level.number is None else level.shown,
                level.meaning,
            )
            for level, key in zip(levels, answer_keys(values), strict=True)
        )

    @property
    def ticks(self) -> tuple[float, ...]:
        """The scores of the levels, or quarters for a range and many levels."""
        scores = self.template.scores.tolist()
        return tuple(scores) if len(scores) <= _MOST_LEVELS else (0.0, 0.25, 0.5, 0.75, 1.0)

    def draw(self, table: pl.DataFrame, n: int) -> Sampled:
        """Draw answers as ``semscale label`` does, which favours those of which the judge is unsure."""
        check_label_columns(table.columns)
        drawn = draw_rows(StoredScores.from_table(table, self.template), n)
        return Sampled(drawn.rows, drawn.probability, drawn.n_scored)

    def cell(self, chosen: list[str]) -> str:
        """Return the chosen level."""
        known = [choice.value for choice in self.choices]
        if len(chosen) != 1 or chosen[0] not in known:
            raise InputError("label", f"must be one of {', '.join(known)}, got {', '.join(chosen):.40}")
        return chosen[0]

    def names(self, label: str) -> str:
        """Write number and label of a level."""
        known = {choice.value: f"{choice.number} {choice.label}".strip() for choice in self.choices}
        return known.get(label, self.nothing.label)

    def figures(self, table: pl.DataFrame, draw: Draw, final: FinalLabels, _: Floats | None) -> LabelFigures:
        """Correct the judge's mean score, and compare the judge with people, as ``semscale judge`` does."""
        stored = StoredScores.from_table(table, self.template)
        labels = self.label_scores(final, table.height)
        rows = np.flatnonzero(~np.isnan(labels).all(axis=1))
        inclusion = draw.inclusion(rows, table.height)
        advice = label_advice(stored.expected, labels, inclusion)
        name = "Mean score of all answers"
        if not len(rows):
            return LabelFigures((LabelFigure(name, 0, None),), (0.0, 1.0), advice)
        people = self.compare(stored.expected, labels, inclusion)
        n = people.corrected.n_labelled
        compared = _agreement(people) if n >= FEWEST_LABELS else ()
        figure = LabelFigure(name, n, people.corrected, uncorrected=people.corrected.naive)
        return LabelFigures((figure,), (0.0, 1.0), advice, compared)

    def agreement(self, people: RaterLabels) -> dict[str, AgreementEstimate]:
        """Estimate Krippendorff's alpha of people for ordered labels."""
        rows = dict.fromkeys(row for cells in people.values() for row in cells)
        columns = [label_table([cells.get(row) for row in rows], self.template) for cells in people.values()]
        return {self.template.name: krippendorff_alpha(np.hstack(columns), metric="ordinal")}

    def sheet(
        self, table: pl.DataFrame, draw: Draw, final: FinalLabels, survey: Survey | None
    ) -> pl.DataFrame:
        """Return the judged table without its verdicts, with labels; several of an answer are a list."""
        cells: dict[int, list[str]] = {}
        for by_row in final.by_rater.values():
            for row, label in by_row.items():
                if label:
                    cells.setdefault(row, []).append(label)
        written = {
            row: labels[0] if len(labels) == 1 else json.dumps(labels) for row, labels in cells.items()
        }
        human = [written.get(row) for row in range(1, table.height + 1)]
        return rows_with_labels(table, draw, [pl.Series(HUMAN, human, pl.String)], survey)

    def commands(self, draw: Draw, sheet: str, _: str, __: FinalLabels, ___: Survey | None) -> list[str]:
        """Return the command that judges the sheet, compares the judge with people and corrects the mean.

        It lacks the model and the rubric, which a judged table does not state.
        """
        words = ["semscale", "judge", sheet, "--prompt", draw.prompt, "--answer", draw.column]
        words += ["--reference", draw.reference] if draw.reference else []
        words += [self.option, self.name, "--human", HUMAN, "--inclusion", INCLUSION]
        return [shlex.join(words)]

    def compare(self, scores: Floats, labels: Floats, inclusion: Floats | None = None) -> HumanEvidence:
        """Compare scores, shape (n,), with labels, shape (n, raters); see ``compare_with_labels``."""
        return compare_with_labels(scores, labels, self.template, plan=self.plan, inclusion=inclusion)

    def label_scores(self, final: FinalLabels, n: int) -> Floats:
        """Return the scores of labels from 0 to 1, shape (n, raters).

        NaN stands for no label and for one that these levels do not have, such as of an earlier judge.
        """
        stated = {label for cells in final.by_rater.values() for label in cells.values()}
        scores = {label: self._score(label) for label in stated}
        labels: Floats = np.full((n, max(len(final.by_rater), 1)), np.nan)
        for rater, cells in enumerate(final.by_rater.values()):
            for row, label in cells.items():
                if row <= n:
                    labels[row - 1, rater] = scores[label]
        return labels

    def _score(self, label: str) -> float:
        try:
            return float(label_table([label], self.template)[0, 0])
        except InputError:
            return np.nan


def _agreement(people: HumanEvidence) -> tuple[LabelFigure, ...]:
    """Return the figures of a comparison that the report of ``semscale judge`` has, too."""
    kappa, difference = people.kappa, people.judge_less_people
    figures = [
        LabelFigure("Judge and people agree", kappa.n, kappa, kappa.note or "weighted kappa; 1 is perfect"),
        LabelFigure("Judge minus people", difference.n, difference, "above 0 the judge is lenient"),
    ]
    if people.ceiling is not None:
        ceiling = people.ceiling.ceiling
        note = ceiling.note or "rank correlation, the most that a judge can reach"
        figures.append(LabelFigure("People with each other", ceiling.n, ceiling, note))
    return tuple(figures)


def random_order(scores: Floats) -> Integers:
    """Return the rows with a score, from 0, in a random order that is always the same.

    Args:
        scores: shape (n,), NaN without a score.
    """
    order = np.argsort(priorities(np.arange(len(scores)), _SEED), kind="stable")
    return order[~np.isnan(scores[order])]


def project_templates(project: Project) -> dict[str, JudgeMeasure]:
    """Return the levels by which answers may have been judged: Semscale's, rubrics and scales, by name."""
    measures = {name: JudgeMeasure(load_template(name), name) for name in TEMPLATES}
    for path in sorted(path for path in project.folder.glob("*.yaml") if path.name != FILE_NAME):
        try:
            template = load_rubric(path).template
        except InputError:  # another YAML file, such as a scale
            continue
        measures[path.name] = JudgeMeasure(template, path.name, "--criteria")
    for name, scale in project_scales(project)[0].items():
        measures.setdefault(name, JudgeMeasure(Template.from_scale(scale), name))
    return measures


def judge_measure(project: Project, name: str) -> JudgeMeasure:
    """Return the levels of a task.

    Raises:
        InputError: there are none of that name.
    """
    plan = project.settings.plan
    if name in TEMPLATES:
        return JudgeMeasure(load_template(name), name, plan=plan)
    path = project.folder / name
    if path.parent == project.folder and path.is_file():
        return JudgeMeasure(load_rubric(path).template, name, "--criteria", plan)
    return JudgeMeasure(Template.from_scale(load_scale(scale_path(project, name))), name, plan=plan)


def template_titles(project: Project, columns: Collection[str]) -> dict[str, str]:
    """Return the titles of the levels that fit a judged table, by name."""
    return {
        name: f"{name}: {measure.choices[0].label} to {measure.choices[-1].label}"
        for name, measure in project_templates(project).items()
        if fits(measure.template, columns)
    }


def column_roles(schema: Mapping[str, pl.DataType]) -> dict[str, list[str]]:
    """Return the columns that may have prompts, answers and references; probable ones come first.

    Examples:
        >>> roles = column_roles({"id": pl.Int64(), "answer": pl.String(), "prompt": pl.String()})
        >>> roles["prompt"], roles["answer"], roles["reference"]
        (['prompt', 'answer'], ['answer', 'prompt'], ['', 'answer', 'prompt'])
    """
    texts = [
        name
        for name, kind in schema.items()
        if kind == pl.String and not name.startswith(PREFIX) and name not in (HUMAN, INCLUSION)
    ]
    prompts = _usual_first(texts, (*KNOWN_NAMES["question"], "q"))
    answers = _usual_first(texts, (*KNOWN_NAMES["answer"], "a"))
    if prompts[:1] == answers[:1]:
        answers = [*answers[1:], *answers[:1]]
    return {
        "prompt": prompts,
        "answer": answers,
        "reference": _usual_first(["", *texts], KNOWN_NAMES["reference"]),
    }


def _usual_first(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Sort columns so that those with usual names come first."""
    known = [name for name in names if name in map(str.casefold, columns)]
    return sorted(columns, key=lambda column: (known + [column.casefold()]).index(column.casefold()))
