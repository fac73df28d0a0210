"""Submissions of Athena's exercises and their feedback, as items with outputs."""

from collections.abc import Iterable, Mapping
from typing import Any

from semscale.drift.runs.output_cells import CellLocation, feedback_text, number_in
from semscale.errors import InputError
from semscale.history.items import Item, Output

CREDITS = "credits"
"""The numeric field of feedback."""

GROUPS = ("exercise", "language")
"""The kinds of groups of submissions."""


def submissions_of(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """List an exercise's submissions; a single object, as in Athena's documentation, counts as a list of one.

    Raises:
        InputError: they are neither a list of objects nor an object.
    """
    submissions = content["submissions"]
    listed = [submissions] if isinstance(submissions, dict) else submissions
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise InputError(f"{name}: 'submissions' must be a list of objects, got {submissions!r:.40}")
    return listed


def item_of(submission: Mapping[str, Any], exercise: str, name: str) -> Item:
    """Convert a submission into an item with the id ``exercise/submission``.

    Args:
        submission: its object in the file.
        exercise: id of its exercise.
        name: the file's, for messages.

    Raises:
        InputError: a part is invalid.
    """
    own = id_of(submission, name, "a submission")
    belongs = zip(GROUPS, (exercise, submission.get("language")), strict=True)
    groups = {kind: str(name) for kind, name in belongs if name}
    text = submission.get("text")
    if text is not None and not isinstance(text, str):
        raise InputError(f"{name}: the text of submission {own} must be a text, got {text!r:.40}")
    listed = feedback_of(submission, name, own)
    return Item(f"{exercise}/{own}", outputs_of(listed, name, own), text, groups)


def outputs_of(feedbacks: Iterable[object], name: str, own: str) -> tuple[Output, ...]:
    """Read feedback as outputs with the field ``credits``.

    Args:
        feedbacks: objects with ``title``, ``description`` and ``credits``.
        name: where they come from, for messages.
        own: the submission's id, for messages.

    Raises:
        InputError: a feedback is no such object.
    """
    return tuple(
        _output(one, name, f"feedback {number} of submission {own}")
        for number, one in enumerate(feedbacks, start=1)
    )


def feedback_of(submission: Mapping[str, Any], name: str, own: str) -> list[Any]:
    """List a submission's feedback from ``baseline_feedback`` if it exists, else from ``feedbacks``.

    Args:
        submission: the submission's object in the file.
        name: the file's, for messages.
        own: the submission's id, for messages.

    Raises:
        InputError: the feedback is not a list.
    """
    nested = submission.get("baseline_feedback")
    if nested is None:
        found = submission.get("feedbacks")
    elif isinstance(nested, Mapping):
        found = nested.get("feedback")
    else:
        raise InputError(f"{name}: 'baseline_feedback' of submission {own} must be an object with 'feedback'")
    if found is not None and not isinstance(found, list):
        raise InputError(f"{name}: the feedback of submission {own} must be a list, got {found!r:.40}")
    return found or []


def _output(feedback: object, name: str, which: str) -> Output:
    if feedback is None:
        return Output(None)
    if not isinstance(feedback, Mapping):
        raise InputError(f"{name}: {which} must be an object with 'description', got {feedback!r:.40}")
    place = CellLocation(name, 0, which)
    try:
        text, credit = feedback_text(feedback, place), number_in(feedback.get(CREDITS), place)
    except InputError as error:
        wrong = {key: feedback.get(key) for key in ("title", "description", CREDITS)}
        raise InputError(
            f"{name}: {which} must have texts and a finite number of credits, got {wrong!r:.120}; correct "
            "it, or take it out"
        ) from error
    return Output(text, {} if credit is None else {CREDITS: credit})


def id_of(content: Mapping[str, Any], name: str, what: str) -> str:
    """Give the id of an exercise or a submission as text.

    Args:
        content: its object in the file.
        name: the file's, for messages.
        what: ``the exercise`` or ``a submission``, for messages.

    Raises:
        InputError: it has none.
    """
    found = content.get("id")
    if isinstance(found, bool) or not isinstance(found, str | int) or not str(found).strip():
        raise InputError(f"{name}: {what} has no id; give it one under 'id'")
    return str(found).strip()
