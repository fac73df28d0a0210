"""The page of drift: runs with their trend, the reasons of a run's gate, and decisions about it."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from pydantic import BaseModel
from starlette.responses import Response

from semscale.drift.approving import approve, reject
from semscale.drift.history_summary import summarize_history
from semscale.drift.review import RunReview, review_run
from semscale.errors import InputError
from semscale.history import HISTORY_FILE
from semscale.history.runs import RunSummary, now, short_id
from semscale.messages import shorten
from semscale.report.drift_review import decision_sentence
from semscale.report.drift_site import list_dataset
from semscale.workbench.pages import page, redirect, router_of, status_of
from semscale.workbench.project import ConflictError, Project
from semscale.workbench.users import current_name

SPANS = {"30d": "30 days", "90d": "90 days", "180d": "180 days", "365d": "a year", "none": "no end"}
"""How long a decision may hold, with its words."""


class DecisionForm(BaseModel):
    """Fields of the form that decides about a run.

    Attributes:
        run: id of the run.
        act: what is decided; empty if neither button was used.
        by: name of the person.
        why: the reason.
        span: how long the decision holds, as ``SPANS`` has it.
        until: last day of the decision, which comes before ``span``; empty for none.
        last: id of the last decision about the dataset when the page was shown.
    """

    run: str = ""
    act: Literal["approve", "reject", ""] = ""
    by: str = ""
    why: str = ""
    span: str = "90d"
    until: str = ""
    last: str = ""

    def expires(self) -> str | None:
        """Return the expiry as commands read it; a day counts until its end.

        Raises:
            InputError: the last day is no day, or has passed.
        """
        typed = self.until.strip()
        if not typed:
            return None if self.span == "none" else self.span
        try:
            end = date.fromisoformat(typed) + timedelta(days=1)
        except (ValueError, OverflowError):
            raise InputError(
                f"the last day must be a date such as 2027-01-31, got {shorten(typed)}"
            ) from None
        if end <= now().date():
            raise InputError(f"the last day, {typed}, has passed: choose a later one")
        return end.isoformat()


class DriftPage:
    """The page, and what its form does; each is a route.

    Args:
        project: the project that is open.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    def show(self, dataset: str = "") -> Response:
        """Show the runs of a dataset, by default of the one with the latest comparison or run."""
        try:
            with self._project.open_history() as history:
                names = history.datasets()
                chosen = dataset if dataset in names else _latest(history.runs())
                found = [] if chosen is None else [chosen]
                summary = summarize_history(history, found)
        except InputError as error:
            return self._without_runs(error)
        listed = [list_dataset(one) for one in summary.datasets]
        return page(
            "drift",
            self._project,
            current="drift",
            problem="",
            file=HISTORY_FILE,
            names=names,
            listed=listed[0] if listed else None,
            address=lambda run: f"/drift/run?{urlencode({'run': run.id})}",
        )

    def show_run(self, run: str = "") -> Response:
        """Show a run with the reasons of its last gate."""
        try:
            return self._render(DecisionForm(run=run))
        except InputError as error:
            return self._without_runs(error)

    def _without_runs(self, error: InputError) -> Response:
        """Show why no run can be shown."""
        return page(
            "drift",
            self._project,
            current="drift",
            problem=str(error),
            file=HISTORY_FILE,
            names=[],
            listed=None,
            address=None,
        )

    def decide(self, form: Annotated[DecisionForm, Form()]) -> Response:
        """Store an approval or a rejection."""
        try:
            self._decide(form)
        except InputError as error:
            return self._render(form, error)
        return redirect("/drift/run", "decisions", run=form.run)

    def _decide(self, form: DecisionForm) -> None:
        if not form.act:
            raise InputError("choose Approve or Reject")
        with self._project.open_history() as history:
            run = history.run(form.run)
            decisions = history.decisions(run.dataset)
            if decisions and decisions[-1].id != form.last:
                raise ConflictError(
                    f"somebody decided since this page was shown, so nothing was stored: run "
                    f"{short_id(decisions[-1].run_id)}: {decision_sentence(decisions[-1])}"
                )
            decide = approve if form.act == "approve" else reject
            decide(history, run, current_name() or form.by, form.why, form.expires())

    def _render(self, form: DecisionForm, error: InputError | None = None) -> Response:
        with self._project.open_history() as history:
            review = review_run(history, form.run)
            decisions = history.decisions(review.run.dataset)
            runs = history.runs(review.run.dataset)
        document = review.document()
        return page(
            "drift_run",
            self._project,
            current="drift",
            status=200 if error is None else status_of(error),
            refused="" if error is None else str(error),
            review=review,
            document=replace(document, next_links=(*document.next_links, ("approve the run", "decide"))),
            form=form,
            last=decisions[-1].id if decisions else "",
            has_reruns=any(run.rerun_of == review.run.id for run in runs),
            spans=SPANS,
            commands=_commands(review),
        )


def drift_router(project: Project) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
    """
    drift = DriftPage(project)
    return router_of(
        {"/drift": drift.show, "/drift/run": drift.show_run},
        {"/drift/decide": drift.decide},
    )


def _latest(runs: Sequence[RunSummary]) -> str | None:
    """Return the dataset of the run that was recorded last; ``None`` without runs."""
    return max(runs, key=lambda run: run.recorded).dataset if runs else None


def _commands(review: RunReview) -> list[str]:
    """Return the commands that show a run and decide about it."""
    name = short_id(review.run.id)
    by = ["--approved-by", "NAME", "--why", "REASON", "--expires", "90d"]
    lines = [["show", name], ["approve", name, *by], ["reject", name, "--rejected-by", *by[1:]]]
    return [shlex.join(["semscale", "drift", *words]) for words in lines]
