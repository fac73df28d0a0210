"""The page of a regression set: its right answers, and whether a candidate keeps to them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from pydantic import BaseModel
from starlette.responses import Response

from semscale.errors import InputError
from semscale.messages import shorten
from semscale.report.document import Marked
from semscale.serving.background import BackgroundWork, current_task
from semscale.snapshots.answer_check import MEASURED
from semscale.snapshots.regression_sets import RegressionItem, SetGate, candidate_answers, gate_answers
from semscale.weights.known import DEFAULT_MODEL
from semscale.workbench.answer_cards import LONGEST, reworded
from semscale.workbench.answer_files import answer_tables
from semscale.workbench.forms import reader_of
from semscale.workbench.pages import element_id, in_place_of, missing_model, page, redirect
from semscale.workbench.project import Project
from semscale.workbench.regression_files import RegressionFile, set_names
from semscale.workbench.runs import PageRun, replace_run


@dataclass(frozen=True)
class GateRun(PageRun[SetGate]):
    """A run that holds a candidate to a set.

    Attributes:
        name: name of the set.
        candidate: file with the candidate's answers.
    """

    stopped = "stopped; nothing was compared"
    name: str
    candidate: str


class SetForm(BaseModel):
    """Fields of the form with all right answers, which is sent as a whole whichever button is used.

    Attributes:
        name: name of the set.
        item: ids of the items.
        output: their right answers.
        was: the right answers that the page showed.
        saved: id of the item whose button to save was used.
        removed: id of the item that is taken out.
        answer: an answer that is accepted as right, rejected as wrong, or neither any more.
        candidate: file with a candidate's answers.
    """

    name: str = ""
    item: list[str] = []
    output: list[str] = []
    was: list[str] = []
    saved: str = ""
    removed: str = ""
    answer: str = ""
    candidate: str = ""


SetFields = Annotated[SetForm, Depends(reader_of(SetForm))]
"""The fields that a request sends."""


class SetPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        work: threads for runs.
    """

    def __init__(self, project: Project, work: BackgroundWork) -> None:
        self._project, self._work = project, work
        self._run: GateRun | None = None

    def show(self, name: str = "") -> Response:
        """Show the items of a set, and the last candidate's answers."""
        kept = self._set(name)
        run = self._run if self._run is not None and self._run.name == name else None
        items = kept.items()
        sources = {item.source for item in items}
        files = sorted(answer_tables(self._project), key=lambda file: file in sources)
        candidate = run.candidate if run else next(iter(files), "candidate.jsonl")
        return page(
            "answers_set",
            self._project,
            current="answers",
            place="/answers/set",
            chosen_set=kept,
            items=items,
            now={item.id: item for item in items},
            files=files,
            run=run,
            gate=None if run is None or run.result is None else run.result.with_decisions(items),
            is_outdated=run is not None and run.result is not None and not run.result.is_of(items),
            differing=_differing,
            reworded=reworded,
            measured=MEASURED,
            test_command=kept.test_command(candidate),
            drift_commands=kept.drift_commands(candidate),
            missing=missing_model(self._project, DEFAULT_MODEL),
        )

    def change(self, form: SetFields) -> Response:
        """Store the right answers that were changed, and take an item out."""
        kept = self._set(form.name)
        self._save(kept, form)
        if form.removed:
            _check_ids(kept, [form.removed])
            kept.remove(form.removed)
        return redirect("/answers/set", element_id(form.saved) if form.saved else "items", name=form.name)

    def accept(self, form: SetFields, id: str) -> Response:
        """Store a candidate's answer as one that passes, too, after right answers that were changed.

        Raises:
            InputError: the set has no such item, or the candidate that was checked last gave another answer.
        """
        kept = self._set(form.name)
        answer = self._checked_answer(kept, form, id)
        self._save(kept, form)
        kept.accept(id, answer)
        return redirect("/answers/set", f"gate-{element_id(id)}", name=form.name)

    def reject(self, form: SetFields, id: str) -> Response:
        """Store a candidate's answer as one that fails, after right answers that were changed.

        Raises:
            InputError: as of ``accept``, or it is the right answer.
        """
        kept = self._set(form.name)
        answer = self._checked_answer(kept, form, id)
        self._save(kept, form)
        if any(item.id == id and answer.strip() == item.output.strip() for item in kept.items()):
            raise InputError("answer", "must differ from the right answer: change that one instead")
        kept.reject(id, answer)
        return redirect("/answers/set", f"gate-{element_id(id)}", name=form.name)

    def _checked_answer(self, kept: RegressionFile, form: SetForm, id: str) -> str:
        """Return the answer of a form as the candidate that was checked last gave it."""
        _check_ids(kept, [id])
        compared = self._run.result if self._run is not None and self._run.name == form.name else None
        for gated in () if compared is None else compared.items:
            if gated.item.id == id and gated.answer and _plain(gated.answer) == _plain(form.answer):
                return gated.answer
        raise InputError("answer", "must be the one that was checked last: check the candidate again")

    def take_back(self, form: SetFields, id: str, gate: bool = False) -> Response:
        """Take an accepted or rejected answer out, after right answers that were changed are stored."""
        kept = self._set(form.name)
        _check_ids(kept, [id])
        self._save(kept, form)
        stored = [text for item in kept.items() if item.id == id for text in (*item.accepted, *item.rejected)]
        for text in stored:
            if _plain(text) == _plain(form.answer):
                kept.take_back(id, text)
        return redirect("/answers/set", f"gate-{element_id(id)}" if gate else element_id(id), name=form.name)

    def gate(self, form: SetFields) -> Response:
        """Start to compare a candidate's answers with the right ones; a running comparison is stopped.

        Right answers that were changed on the page are stored first.
        """
        kept, name, candidate = self._set(form.name), form.name, form.candidate
        self._save(kept, form)
        items = kept.items()
        if candidate not in answer_tables(self._project):
            raise InputError("candidate", f"must be one of the list, got {shorten(candidate)}")
        if not any(item.output for item in items):
            raise InputError("no right answer is known yet: write one for some of the questions")
        before = None if self._run is None else self._run.task
        task = replace_run(self._work, before, self._gate, items, candidate)
        self._run = GateRun(name, candidate, task=task)
        return redirect("/answers/set", "gate", name=name)

    def progress(self) -> Response:
        """Show the progress of the comparison; at its end, its result takes the place of the progress."""
        run = self._run
        if run is None:  # the workbench was started anew
            return Response(headers={"HX-Refresh": "true"})
        if not run.is_running:  # right answers that are being written below stay
            verdict = self.show(run.name)
            verdict.headers["HX-Reswap"] = "outerHTML show:#gate:top"
            return in_place_of(verdict, "gate")
        return page("progress", self._project, current="answers", task=run.task)

    def stop(self) -> Response:
        """Stop the comparison."""
        if self._run is None:
            return redirect("/answers")
        self._run.task.cancel()
        return redirect("/answers/set", name=self._run.name)

    def _save(self, kept: RegressionFile, form: SetForm) -> None:
        """Store the right answers that differ from those that the page showed."""
        if not len(form.item) == len(form.output) == len(form.was):
            raise InputError("output", "must be there for each item, with the right answer that was shown")
        changed = {}
        for item, output, was in zip(form.item, form.output, form.was, strict=True):
            if _plain(output).strip() != _plain(was).strip():
                changed[item] = (_plain(output).strip(), _plain(was))
        if changed:
            _check_ids(kept, changed)
            kept.set_outputs(changed)

    def _gate(self, items: list[RegressionItem], candidate: str) -> SetGate:
        """Compare a candidate's answers as the set's test module does."""
        from semscale.snapshots.compare_outputs import SnapshotMeter

        answers = candidate_answers(items, self._project.folder / candidate)
        return gate_answers(items, answers, SnapshotMeter(), progress=current_task().report)

    def _set(self, name: str) -> RegressionFile:
        """Return a set of the project.

        Raises:
            InputError: there is no such set.
        """
        if name not in set_names(self._project):
            raise InputError("name", f"must be a set in the folder regression, got {shorten(name)}")
        return RegressionFile(self._project, name)


def _check_ids(kept: RegressionFile, ids: Iterable[str]) -> None:
    """Refuse items that a set does not have."""
    known = {item.id for item in kept.items()}
    unknown = next((id for id in ids if id not in known), None)
    if unknown is not None:
        raise InputError(f"{shorten(unknown)} is not in the set: load the page again")


def _plain(text: str) -> str:
    """Return a text of a form with line breaks as files have them."""
    return text.replace("\r\n", "\n")


def _differing(expected: str, answer: str | None) -> tuple[Marked | None, Marked | None]:
    """Mark the words that differ between a right answer and a candidate's."""
    from semscale.report.drift_gate import differing

    return differing(expected, answer or None, limit=LONGEST)
