"""Regression sets of a project: which answers they have, and their files in the folder ``regression``."""

import json
import math
import shlex
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from urllib.parse import urlencode

from semscale.snapshots.regression_sets import (
    CANDIDATE,
    RegressionItem,
    module_text,
    parse_set,
    set_content,
)
from semscale.store.answer_columns import likely_column
from semscale.store.atomic import replacing
from semscale.workbench.answer_files import AnswerRun, columns_of
from semscale.workbench.answer_labels import AnswerLabels
from semscale.workbench.changes import Change, content_of
from semscale.workbench.project import ConflictError, Project
from semscale.workbench.runs import file_stem

REGRESSION = "regression"
"""Folder of a project with regression sets."""

_FEWEST_FOR_DRIFT = 10
_GOOD = 0.75


class RegressionFile:
    """The regression set of a file with measured answers.

    Args:
        project: the project that is open.
        name: name of the set.
    """

    _lock = threading.Lock()

    def __init__(self, project: Project, name: str) -> None:
        self._project, self.name = project, name
        self.path = project.folder / REGRESSION / f"{name}.jsonl"

    @classmethod
    def of_run(cls, project: Project, run: AnswerRun) -> "RegressionFile":
        """Return the set of a file, which is named like it."""
        return cls(project, set_name(run.name))

    @property
    def shown_path(self) -> str:
        """Path of the set in the project's folder."""
        return f"{REGRESSION}/{self.path.name}"

    def items(self) -> list[RegressionItem]:
        """Return the items; none without a file.

        Raises:
            InputError: it cannot be read.
        """
        content = content_of(self.path)
        return [] if content is None else parse_set(content, self.shown_path)

    def rows(self, run: AnswerRun) -> set[int]:
        """Return the rows, from 0, of a file's answers in the set."""
        return {item.row - 1 for item in self.items() if item.source == run.name}

    def add(self, run: AnswerRun, labels: AnswerLabels, row: int, page: str) -> None:
        """Add an answer to the set, unless the set has it.

        Args:
            run: the answers.
            labels: their labels.
            row: the row, from 0.
            page: address to which undoing it leads.

        Raises:
            ConflictError: the set was changed in the meantime.
        """
        if row not in self.rows(run):
            name = f"add row {row + 1:,} to the regression set"
            self._change(name, lambda items: [*items, item_of(run, labels, row)], page)

    def remove_row(self, run: AnswerRun, row: int, page: str) -> None:
        """Take an answer out of the set, if the set has it.

        Args:
            run: the answers.
            row: the row, from 0.
            page: address to which undoing it leads.

        Raises:
            ConflictError: the set was changed in the meantime.
        """

        def others(items: list[RegressionItem]) -> list[RegressionItem]:
            return [item for item in items if (item.source, item.row) != (run.name, row + 1)]

        if row in self.rows(run):
            self._change(f"take row {row + 1:,} out of the regression set", others, page)

    def set_outputs(self, outputs: Mapping[str, tuple[str, str]]) -> None:
        """Store right answers.

        Args:
            outputs: the right answer, and the one that the page showed, by the id of the item.

        Raises:
            ConflictError: one was changed since.
        """

        def changed(item: RegressionItem) -> RegressionItem:
            if item.id not in outputs:
                return item
            output, was = outputs[item.id]
            if item.output != was:
                raise ConflictError(
                    f"the right answer of {item.id} was changed elsewhere since this page was shown, so "
                    "nothing was saved: look at its current state"
                )
            return replace(item, output=output)

        of = next(iter(outputs)) if len(outputs) == 1 else f"{len(outputs)} questions"
        self._change(f"right answer of {of}", lambda items: list(map(changed, items)))

    def accept(self, id: str, answer: str) -> None:
        """Store an answer that passes, too; it is not rejected any more."""
        self._decide(f"accept an answer of {id}", id, answer, accepted=(answer,))

    def reject(self, id: str, answer: str) -> None:
        """Store an answer that fails; it is not accepted any more."""
        self._decide(f"reject an answer of {id}", id, answer, rejected=(answer,))

    def take_back(self, id: str, answer: str) -> None:
        """Take an accepted or rejected answer out."""
        self._decide(f"take back the decision about an answer of {id}", id, answer)

    def _decide(
        self, name: str, id: str, answer: str, accepted: tuple[str, ...] = (), rejected: tuple[str, ...] = ()
    ) -> None:
        def others(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(text for text in texts if text != answer)

        def changed(item: RegressionItem) -> RegressionItem:
            if item.id != id:
                return item
            return replace(
                item,
                accepted=(*others(item.accepted), *accepted),
                rejected=(*others(item.rejected), *rejected),
            )

        self._change(name, lambda items: list(map(changed, items)))

    def remove(self, id: str) -> None:
        """Take an item out of the set."""
        name = f"take {id} out of the regression set"
        self._change(name, lambda items: [item for item in items if item.id != id])

    def note_label(self, run: AnswerRun, labels: AnswerLabels, row: int) -> None:
        """Store the label that an answer of the set has now."""
        with self._lock:
            if row not in self.rows(run):
                return
            now = item_of(run, labels, row)
            items = [
                replace(item, label=now.label, output=item.output or now.output)
                if (item.source, item.row) == (run.name, row + 1)
                else item
                for item in self.items()
            ]
            with replacing(self.path) as temporary:
                temporary.write_bytes(set_content(items))

    def _change(
        self,
        name: str,
        change: Callable[[list[RegressionItem]], list[RegressionItem]],
        page: str = "",
    ) -> None:
        """Write the set so that it can be undone, and the test module beside it if there is none."""
        page = page or f"/answers/set?{urlencode({'name': self.name})}"
        with self._lock:
            before = content_of(self.path)
            items = [] if before is None else parse_set(before, self.shown_path)
            self._project.save_file(Change(name, self.path, before, set_content(change(items)), page))
        module = self.path.with_name(f"test_{self.name}.py")
        if not module.exists():
            with replacing(module) as temporary:
                temporary.write_text(module_text(self.name, REGRESSION), encoding="utf-8")

    def test_command(self, candidate: str) -> str:
        """Return the command that checks a candidate as the page does.

        Args:
            candidate: file with a candidate's answers.
        """
        return f"{CANDIDATE}={shlex.quote(candidate)} pytest {REGRESSION}/test_{self.name}.py"

    def drift_commands(self, candidate: str) -> list[str]:
        """Return the commands that compare a candidate with the right answers as runs; none for few answers.

        Args:
            candidate: file with a candidate's answers.
        """
        if sum(bool(item.output) for item in self.items()) < _FEWEST_FOR_DRIFT:
            return []
        columns, _ = columns_of(self._project.folder / candidate)
        question, answer, id_ = (likely_column(use, columns) for use in ("question", "answer", "id"))
        named = ["--dataset", self.name]
        by_question = [] if id_ or not question else ["--id", "input"]
        names = {"id": id_ or question, "input": question, "output": answer}
        options = [(f"--{usual}", name) for usual, name in names.items() if name and name != usual]
        record = ["semscale", "drift", "record", self.shown_path, *by_question, *named]
        gate = ["semscale", "drift", "gate", candidate, *chain(*options), *named]
        return [shlex.join([*record, "--model", "expected", "--approve"]), shlex.join(gate)]


def set_name(file: str) -> str:
    """Return the name of a file's regression set, which is part of a Python module's name.

    Examples:
        >>> set_name("results/judged run.parquet")
        'judged_run'
    """
    return file_stem(Path(file).stem).replace("-", "_")


def set_names(project: Project) -> list[str]:
    """List the regression sets of a project."""
    return sorted(path.stem for path in (project.folder / REGRESSION).glob("*.jsonl"))


def item_of(run: AnswerRun, labels: AnswerLabels, row: int) -> RegressionItem:
    """Return the item of an answer.

    The right answer is the reference. Without one, it is the answer itself if people call it good.

    Args:
        run: the answers.
        labels: their labels.
        row: the row, from 0.
    """
    answer, reference, score = run.text(row, "answer"), run.text(row, "reference"), float(run.scores[row])
    is_good = bool(labels.mean[row] >= _GOOD)
    given = labels.of_row(row)
    return RegressionItem(
        id=run.ids[row],
        input=run.text(row, "question"),
        output=reference or (answer if is_good else ""),
        answer=answer,
        reference=reference,
        label=json.dumps(given, ensure_ascii=False) if len(given) > 1 else next(iter(given.values()), ""),
        score=None if math.isnan(score) else score,
        source=run.name,
        row=row + 1,
    )
