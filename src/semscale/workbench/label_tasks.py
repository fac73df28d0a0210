"""Tasks of labelling: tables from which texts can be drawn, the drawn texts, and the labels of people.

A task is the folder ``labels/NAME`` of a project, with the drawn texts in ``draw.json`` and the journals. The
sheet ``labels/NAME.csv``, which commands read, is written from both.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
from pydantic import ValidationError

from semscale.coding.codebook import load_codebook
from semscale.errors import InputError
from semscale.judging.stored_scores import StoredScores, is_judged
from semscale.messages import shorten
from semscale.rating.labelling import same_text
from semscale.rating.ratings import READABLE
from semscale.results.weights import in_unit, weights_in
from semscale.scales.library import load_scale
from semscale.stats.agreement import AgreementEstimate
from semscale.stats.intervals import mass_names
from semscale.store.atomic import replacing
from semscale.store.columns import floats_in
from semscale.store.writing import PREFIX, write_table
from semscale.survey.description import Survey
from semscale.survey.survey_file import FILE_NAME
from semscale.tabulation.text_results import code_columns, code_likeness
from semscale.workbench.label_coding import CodeMeasure
from semscale.workbench.label_journals import ADJUDICATED, PICKED, Entry, Journal, Journals
from semscale.workbench.label_judging import (
    JudgeMeasure,
    column_roles,
    judge_measure,
    random_order,
    template_titles,
)
from semscale.workbench.label_measures import (
    OUTCOME,
    Draw,
    DrawnText,
    FinalLabels,
    Kind,
    LabelFigures,
    Measure,
    Sampled,
    drawn_labels,
    only_weight,
)
from semscale.workbench.label_rating import RatingMeasure
from semscale.workbench.label_sources import TABLE, LabelSource, LabelTables, StatedColumns, check_file_of
from semscale.workbench.project import CODEBOOKS, LABELS, RESULTS, Project
from semscale.workbench.runs import stored_choices
from semscale.workbench.scale_form import project_scales, scale_path

_DRAW = "draw.json"
_FEWEST_TEXTS = 2
_MASSES = f"{PREFIX}p_"
_STATUS = f"{PREFIX}status"


@dataclass(frozen=True)
class ComparedText:
    """A text that several people labelled.

    Attributes:
        drawn: the text.
        entries: what people entered, in the order of their names.
        decided: the label that was decided on; ``None`` without a decision.
    """

    drawn: DrawnText
    entries: tuple[Entry, ...]
    decided: str | None

    @property
    def differs(self) -> bool:
        """True if people gave different labels."""
        return len({entry.label for entry in self.entries}) > 1


@dataclass(frozen=True)
class Agreement:
    """The labels of several people side by side.

    Attributes:
        raters: their names.
        texts: texts that two or more labelled, the different ones first.
        estimates: agreement by its subject: the scale, or each code.
    """

    raters: tuple[str, ...]
    texts: tuple[ComparedText, ...]
    estimates: Mapping[str, AgreementEstimate]

    @property
    def undecided(self) -> tuple[ComparedText, ...]:
        """Texts with different labels and without a decision."""
        return tuple(text for text in self.texts if text.differs and text.decided is None)


@dataclass(frozen=True)
class LabelTask:
    """Drawn texts, what labels mean, and the journals.

    Attributes:
        name: name of its folder.
        draw: the drawn texts.
        measure: what labels mean.
        journals: what people answered.
        tables: reads the measured table.
    """

    name: str
    draw: Draw
    measure: Measure
    journals: Journals
    tables: LabelTables

    @cached_property
    def texts(self) -> dict[int, DrawnText]:
        """The drawn texts by row."""
        return {text.row: text for text in self.draw.texts}

    def journal(self, rater: str) -> Journal:
        """Return a person's journal, or that of decisions, whose name no person can have.

        Raises:
            InputError: the name cannot be used.
        """
        return self.journals.adjudicated() if rater == ADJUDICATED else self.journals.of_rater(rater)

    def waiting(self, rater: str) -> list[DrawnText]:
        """Return the texts that a person has not labelled, or whose differences wait for a decision.

        Skipped ones come last.
        """
        labels = self.journal(rater).labels()
        rows = list(self.texts)
        if rater == ADJUDICATED:
            rows = [text.drawn.row for text in self.compared() if text.differs]
        waiting = [row for row in rows if row not in labels.labelled and row not in labels.skipped]
        skipped = [row for row in labels.skipped if row in rows]
        return [self.texts[row] for row in waiting + skipped]

    def figures(self, final: FinalLabels, survey: Survey | None) -> LabelFigures:
        """Compute what labels show, weighted if the survey has exactly one weight.

        Args:
            final: the labels.
            survey: the description of the project's file.

        Raises:
            InputError: the table has changed, so that labels no longer belong to its texts, or a weight is
                wrong.
        """
        table, weight = self.table(), only_weight(survey)
        if weight is None or not self.measure.takes_weights or weight.all_columns[0] not in table.columns:
            figures = self.measure.figures(table, self.draw, final, None)
            has_weights = survey is not None and bool(survey.of_kind("weight"))
            return replace(figures, weighting="These figures are not weighted." if has_weights else "")
        weights = in_unit(floats_in(weights_in(table[weight.all_columns[0]])))
        figures = self.measure.figures(table, self.draw, final, weights)
        return replace(figures, weighting=f"Weighted by ‘{weight.heading}’.")

    def compared(self) -> list[ComparedText]:
        """Return the texts that two or more people labelled."""
        people, decided = self.journals.by_rater(), self.journals.adjudicated().labels().cells
        compared = []
        for row, drawn in self.texts.items():
            entries = tuple(labels.labelled[row] for labels in people.values() if row in labels.labelled)
            if len(entries) > 1:
                compared.append(ComparedText(drawn, entries, decided.get(row)))
        return compared

    def agreement(self) -> Agreement:
        """Compare the labels of people, and estimate how far they agree."""
        people, compared = self.journals.by_rater(), self.compared()
        labels = {
            name: {row: label for row, label in labels.cells.items() if row in self.texts}
            for name, labels in people.items()
        }
        estimates = self.measure.agreement(labels) if compared else {}
        order = sorted(compared, key=lambda text: (not text.differs, text.decided is not None))
        return Agreement(tuple(people), tuple(order), estimates)

    def labels_of(self, rater: str) -> FinalLabels:
        """Return the labels of a person that stand for all texts."""
        return FinalLabels(drawn_labels({rater: self.journal(rater).labels()}, list(self.texts)))

    def final_labels(self) -> FinalLabels:
        """Return the labels of all people that stand for all texts, with decisions."""
        people = drawn_labels(self.journals.by_rater(), list(self.texts))
        return FinalLabels.join(people, self.journals.adjudicated().labels())

    def n_picked(self, rater: str) -> int:
        """Return the number of a person's labels of picked texts, which do not stand for all texts."""
        labelled = self.journal(rater).labels().labelled
        counts = self.labels_of(rater).by_rater[rater]
        return sum(entry.picked and row not in counts for row, entry in labelled.items())

    def write_sheet(self, folder: Path, survey: Survey | None) -> Path:
        """Write the sheet that commands read, and return its path.

        Raises:
            InputError: there is no label yet, or the table has changed.
        """
        final = self.final_labels()
        if not any(final.by_rater.values()):
            raise InputError("there are no labels yet: label some texts first")
        path = folder / self.sheet_name
        write_table(self.measure.sheet(self.table(), self.draw, final, survey), path)
        return path

    @property
    def sheet_name(self) -> str:
        """Path of the sheet in the project's folder."""
        return f"{LABELS}/{self.name}.csv"

    def commands(self, file: str, survey: Survey | None) -> list[str]:
        """Return the commands that use the sheet; none without labels.

        Args:
            file: name of the file with the answers.
            survey: its stored description, if there is one.
        """
        final = self.final_labels()
        has_labels = any(final.by_rater.values())
        return self.measure.commands(self.draw, self.sheet_name, file, final, survey) if has_labels else []

    def table(self) -> pl.DataFrame:
        """Read the measured table.

        Raises:
            InputError: it has changed, so that labels no longer belong to its texts.
        """
        table, column = self.tables.read(self.draw.table), self.draw.column
        positions = [text.row - 1 for text in self.draw.texts]
        is_same = column in table.columns and max(positions) < table.height
        cells = table[column].gather(positions).to_list() if is_same else []
        if not is_same or not all(
            same_text(str(cell), text.text) for cell, text in zip(cells, self.draw.texts, strict=True)
        ):
            raise InputError(
                f"{RESULTS}/{self.draw.table} has other texts than when these were drawn: labels stay in the "
                "journals, and belong to the table as it was"
            )
        return table


class LabelTasks:
    """The tasks of a project.

    Args:
        project: the project.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._tables = LabelTables(project.folder / RESULTS)
        self._tasks: dict[str, tuple[LabelTask, dict[Path, int]]] = {}
        self._journals: dict[str, Journals] = {}
        self._copied: dict[str, str] = {}
        self._drawing = threading.RLock()

    def names(self) -> list[str]:
        """List the tasks."""
        return sorted(path.parent.name for path in (self._project.folder / LABELS).glob(f"*/{_DRAW}"))

    def open(self, name: str) -> LabelTask:
        """Return a task.

        Raises:
            InputError: there is none of that name, or its files cannot be read.
        """
        if name not in self.names():
            raise InputError("task", f"must be a folder in {LABELS}, got {shorten(name)}")
        folder = self._project.folder / LABELS / name
        task, times = self._tasks.get(name, (None, {}))
        if task is None or any(path.stat().st_mtime_ns != time for path, time in times.items()):
            try:
                draw = Draw.model_validate_json((folder / _DRAW).read_bytes())
            except ValidationError:
                raise InputError(
                    f"{LABELS}/{name}/{_DRAW} cannot be read: restore a copy of it, or move the folder "
                    f"{LABELS}/{name} away and draw texts anew"
                ) from None
            files = [folder / _DRAW, *filter(Path.is_file, [self._project.folder / draw.measure])]
            times = {path: path.stat().st_mtime_ns for path in files}
            journals = self.journals(name, f"{name}{PICKED}" if draw.kind == "judge" else "")
            task = LabelTask(name, draw, self._measure(draw.kind, draw.measure), journals, self._tables)
            self._tasks[name] = task, times
        return task

    def write_labels(self, name: str) -> tuple[LabelTask, dict[str, list[str]]]:
        """Write the sheet of a task of the open file, for a run that uses the labels.

        Returns:
            The task, and the choices of the run whose texts were labelled; none if no page wrote its table.

        Raises:
            InputError: there is no such task, or it is of another file.
        """
        task = self.open(name)
        file, stored = self._project.described_file()
        check_file_of(task.sheet_name, file, self._project)
        task.write_sheet(self._project.folder, stored.survey)
        return task, stored_choices(self._project.folder / RESULTS / task.draw.table)

    def journals(self, name: str, earlier: str) -> Journals:
        """Return the journals of a table, whether texts were drawn of it or not.

        Args:
            name: name of the folder in ``labels``.
            earlier: folder in which a former version kept labels of picked answers; these are copied. Empty
                for none.
        """
        with self._drawing:
            if name not in self._journals:
                folder = self._project.folder / LABELS
                self._journals[name] = Journals(folder / name)
                n = self._journals[name].copy_picked(folder / earlier) if earlier else 0
                if n:
                    lines = "1 line was" if n == 1 else f"{n:,} lines were"
                    self._copied[name] = (
                        f"{lines} copied from {LABELS}/{earlier} to the labels in {LABELS}/{name}"
                    )
            return self._journals[name]

    def copied(self, name: str) -> str:
        """Return a sentence on labels that were copied since the workbench was started; empty for none."""
        return self._copied.get(name, "")

    def tables(self) -> list[str]:
        """List the tables of results."""
        return self._tables.names()

    def source(self, table: str, survey: Survey) -> LabelSource | None:
        """Describe a table; ``None`` if its texts were not measured, or their scale or codebook is gone.

        Args:
            table: its name.
            survey: the description of the project's file.

        Raises:
            InputError: the table or a scale cannot be read.
        """
        columns = self._tables.columns(table)
        if is_judged(columns):
            return self._judged_source(table, columns)
        masses = {column for column in columns if column.startswith(_MASSES)}
        kind: Kind = "code" if OUTCOME in columns else "rate"
        measures = self._codebooks(columns) if kind == "code" else self._scales(masses)
        measured = self._tables.text(table)
        texts = {
            question.name: question.heading
            for question in survey.of_kind("open")
            if (question.all_columns[0] == measured if measured else question.all_columns[0] in columns)
        }
        if not measures or not texts or not (masses or kind == "code"):
            return None
        has_text = pl.col(_STATUS).is_in([str(status) for status in READABLE])
        if kind == "code":
            values = chain.from_iterable(code_columns([*columns]).values())
            has_text = pl.any_horizontal(pl.col([*values]).is_not_null())
        n_texts = self._tables.count(table, has_text)
        return LabelSource(table, kind, _likely_first(texts, table), _likely_first(measures, table), n_texts)

    def _judged_source(self, table: str, columns: Mapping[str, pl.DataType]) -> LabelSource | None:
        """Describe a judged table; ``None`` if no template fits it, or it has fewer than two texts."""
        roles, measures = column_roles(columns), template_titles(self._project, columns)
        if not measures or len(roles["prompt"]) < _FEWEST_TEXTS:
            return None
        answers = {name: name for name in roles["answer"]}
        measures = _likely_first(measures, table)
        n_texts = self._tables.count(table, pl.col(roles["answer"][0]).is_not_null())
        return LabelSource(table, "judge", answers, measures, n_texts, roles["prompt"], roles["reference"])

    def start(
        self, source: LabelSource, columns: StatedColumns, measure: str, n: int, survey: Survey
    ) -> LabelTask:
        """Draw texts of a table, or return the task for which they were drawn before.

        Args:
            source: the table.
            columns: the columns with the texts.
            measure: the scale, codebook or template.
            n: number of texts to draw.
            survey: the description of the project's file.

        Raises:
            InputError: a choice is not one of the source's, no text can be drawn, or the table's texts were
                drawn for another question or measure.
        """
        columns.check(source)
        if measure not in source.measures:
            raise InputError("measure", f"must be one of the list, got {shorten(measure)}")
        with self._drawing:  # people who begin at the same time label the same texts
            return self._start(source, columns, measure, n, survey)

    def _start(
        self, source: LabelSource, columns: StatedColumns, measure: str, n: int, survey: Survey
    ) -> LabelTask:
        question, name = columns.text, source.table.removesuffix(TABLE)
        if name in self.names():
            task = self.open(name)
            if (task.draw.question, task.draw.measure) != (question, measure):
                raise InputError(
                    f"{LABELS}/{name} has texts of {task.draw.question} for {task.draw.measure}: continue "
                    "there, or move that folder away"
                )
            return task
        known = survey.by_name.get(question)
        column = question if known is None else known.all_columns[0]
        table = self._tables.read(source.table)
        means = self._measure(source.kind, measure)
        drawn = self._begun_sample(name, means, table, n) or means.draw(table, n)

        def cell(title: str, row: int) -> str:
            value = table[title][row] if title else None
            return "" if value is None else str(value)

        texts = tuple(
            DrawnText(
                row=row + 1,
                text=str(table[column][row]),
                inclusion=inclusion,
                prompt=cell(columns.prompt, row),
                reference=cell(columns.reference, row),
            )
            for row, inclusion in zip(drawn.rows.tolist(), drawn.probability.tolist(), strict=True)
        )
        draw = Draw(
            kind=source.kind,
            table=source.table,
            question=question,
            heading=f"Answers in {name}" if columns.prompt else source.texts[question],
            column=column,
            measure=measure,
            n_texts=drawn.n_texts,
            texts=texts,
            prompt=columns.prompt,
            reference=columns.reference,
        )
        self._write(name, draw)
        return self.open(name)

    def draw_more(self, name: str, n: int) -> LabelTask:
        """Draw further texts of a task whose texts had equal chances; these come after the others.

        Args:
            name: name of the task.
            n: number of texts; all others if these are fewer.

        Raises:
            InputError: no further texts can be drawn, or the table has changed.
        """
        with self._drawing:
            task = self.open(name)
            draw, table = task.draw, task.table()
            if not draw.n_further:
                raise InputError("task", ": no further texts can be drawn")
            drawn = [text.row - 1 for text in draw.texts]
            rest = np.setdiff1d(np.arange(table.height), drawn)
            rows = rest[task.measure.draw(table[rest], n).rows].tolist()
            # A text is drawn in one of the two draws, each with equal chances of the texts that are left.
            inclusion = (len(drawn) + len(rows)) / draw.n_texts
            further = (
                DrawnText(row=row + 1, text=str(table[draw.column][row]), inclusion=inclusion) for row in rows
            )
            before = (text.model_copy(update={"inclusion": inclusion}) for text in draw.texts)
            self._write(name, draw.model_copy(update={"texts": (*before, *further)}))
            return self.open(name)

    def _write(self, name: str, draw: Draw) -> None:
        folder = self._project.folder / LABELS / name
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / _DRAW) as temporary:
            temporary.write_text(draw.model_dump_json(indent=1), encoding="utf-8")

    def _begun_sample(self, name: str, measure: Measure, table: pl.DataFrame, n: int) -> Sampled | None:
        """Return the random order in which people began to label on the page of answers, if they did."""
        if not isinstance(measure, JudgeMeasure):
            return None
        order = random_order(StoredScores.from_table(table, measure.template).expected)
        people = self.journals(name, f"{name}{PICKED}").by_rater()
        labelled = drawn_labels(people, [int(row) + 1 for row in order])
        n_labelled = len({row for cells in labelled.values() for row in cells})
        n = min(max(n, n_labelled), len(order))
        return Sampled(order[:n], np.full(n, n / len(order)), len(order)) if n_labelled else None

    def _scales(self, masses: set[str]) -> dict[str, str]:
        """Return titles of the scales with these columns of masses, by name."""
        return {
            name: scale.title
            for name, scale in project_scales(self._project)[0].items()
            if masses == {PREFIX + mass for mass in mass_names(scale.values)}
        }

    def _codebooks(self, columns: Iterable[str]) -> dict[str, str]:
        """Return names of the codebooks whose codes the columns have, not learned from labels, by path."""
        paths = [
            *sorted((self._project.folder / CODEBOOKS).glob("*.yaml")),
            *sorted(path for path in self._project.folder.glob("*.yaml") if path.name != FILE_NAME),
        ]
        known = set(columns)
        found = {}
        for path in paths:
            try:
                codebook = load_codebook(path)
            except InputError:  # another YAML file, such as a scale
                continue
            if {code_likeness(PREFIX + name) for name in codebook.names} <= known:
                found[path.relative_to(self._project.folder).as_posix()] = codebook.name
        return found

    def _measure(self, kind: Kind, name: str) -> Measure:
        if kind == "judge":
            return judge_measure(self._project, name)
        if kind == "rate":
            return RatingMeasure(load_scale(scale_path(self._project, name)))
        return CodeMeasure(load_codebook(self._project.folder / name))


def _likely_first(names: Mapping[str, str], table: str) -> dict[str, str]:
    """Sort names so that those which are in the name of a table come first."""
    return dict(sorted(names.items(), key=lambda item: _letters(item[0]) not in _letters(table)))


def _letters(name: str) -> str:
    """Return the letters and digits of a name, or of a file's name without its folder and ending."""
    stem = name.rpartition("/")[2].removesuffix(".yaml")
    return "".join(sign for sign in stem.casefold() if sign.isalnum())
