"""Reading of Athena's exercise files, which contain submissions with a model's feedback, in both formats."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from semscale.drift.cells import CellLocation, feedback_text, number_in
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import list_names
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.messages import shorten

CREDITS = "credits"
"""The numeric field of feedback."""

GROUPS = ("exercise", "language")
"""Kinds of groups of submissions."""

_TIME_KEYS = ("generated_at", "timestamp")


@dataclass(frozen=True)
class StatedTime:
    """Time stated in a file.

    Attributes:
        text: the time as written.
        where: file, entry and key, for messages.
    """

    text: str
    where: str

    def read(self) -> datetime:
        """Parse the time; without a time zone, it is in UTC.

        Raises:
            InputError: the text is not a time.

        Examples:
            >>> StatedTime("2026-01-31T12:00:00", "a.json: 'generated_at'").read().isoformat()
            '2026-01-31T12:00:00+00:00'
        """
        try:
            time = datetime.fromisoformat(self.text)
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError):  # not a time, or in UTC before the year 1 or after 9999
            raise InputError(
                f"{self.where} must be a time such as 2026-01-31T12:00:00Z, got {self.text!r:.40}; correct "
                "it, or take the key out"
            ) from None


@dataclass(frozen=True)
class AthenaExercise:
    """One exercise file.

    Attributes:
        id: id of the exercise.
        file: name of the file.
        items: one for each submission, with the id ``exercise/submission``.
        model: model that wrote the feedback; ``None`` if the file does not name it.
        times: times of the feedback in the file.
    """

    id: str
    file: str
    items: tuple[Item, ...]
    model: str | None = None
    times: tuple[StatedTime, ...] = ()

    @property
    def generated(self) -> str | None:
        """Latest time in the file, as text; a time without a zone is in UTC.

        Raises:
            InputError: one of the texts is not a time.
        """
        latest = max(self.times, key=StatedTime.read, default=None)
        return None if latest is None else latest.text


@dataclass(frozen=True)
class AthenaExercises:
    """Several exercise files that form one dataset.

    Attributes:
        exercises: the exercises in the order of the files.
    """

    exercises: tuple[AthenaExercise, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """The submissions of all exercises."""
        return tuple(chain.from_iterable(exercise.items for exercise in self.exercises))

    @property
    def models(self) -> tuple[str, ...]:
        """Sorted names of the models in the files."""
        models = {exercise.model for exercise in self.exercises}
        return tuple(sorted(model for model in models if model is not None))

    @property
    def generated(self) -> datetime | None:
        """Latest time in the files, in UTC; a time without a zone is in UTC.

        Raises:
            InputError: one of the texts is not a time.
        """
        return max((time.read() for exercise in self.exercises for time in exercise.times), default=None)


def read_athena(paths: str | Path | Iterable[str | Path]) -> AthenaExercises:
    """Read exercise files.

    A submission becomes an item: its text is the input, and each feedback is an output with the field
    ``credits``. The output's text is title and description joined by a space, as in Athena's comparison.
    Groups are the exercise and the language. Feedback comes from ``baseline_feedback`` if it exists,
    otherwise from ``feedbacks``; a submission with neither has no outputs.

    Args:
        paths: files, or folders with ``.json`` files.

    Raises:
        InputError: there is no file, or a file is not JSON, not an exercise, or has an invalid part.
    """
    exercises = tuple(exercise_of(load_exercise(path), path.name) for path in exercise_files(paths))
    files: dict[str, str] = {}
    for exercise in exercises:
        for item in exercise.items:
            if item.id in files:
                raise InputError(
                    f"{exercise.file}: submission {item.id!r} is already in {files[item.id]}; every "
                    "submission must occur once"
                )
            files[item.id] = exercise.file
    if not files:
        names = list_names(exercise.file for exercise in exercises)
        raise InputError(f"{names}: no submissions; there is nothing to read")
    return AthenaExercises(exercises)


def exercise_files(paths: str | Path | Iterable[str | Path]) -> tuple[Path, ...]:
    """Return the files, and the sorted ``.json`` files of folders.

    Raises:
        InputError: there is no path, or a folder has no ``.json`` file.
    """
    files: list[Path] = []
    for path in map(Path, [paths] if isinstance(paths, str | Path) else paths):
        listed = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not listed:
            raise InputError(f"{path} is a folder without .json files; name one with Athena's exercises")
        files += listed
    if not files:
        raise InputError("paths", "must name at least one file of Athena's exercises, got none")
    return tuple(files)


def load_exercise(path: str | Path) -> dict[str, Any]:
    """Load the JSON of an exercise file.

    Raises:
        InputError: the file cannot be read, or is not JSON or not an exercise.
    """
    try:
        content = parse_json(read_input_text(path, "utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}, line {error.lineno}, column {error.colno}: no valid JSON ({error.msg}); check for a "
            "missing bracket, or a comma after the last entry of a list or object"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); write it again as UTF-8") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its name and rights") from error
    if not isinstance(content, dict) or "submissions" not in content:
        raise InputError(
            f"{path} is JSON but no exercise of Athena, which has 'id' and 'submissions': "
            f"{_description(content)}; write other items one object a line into a .jsonl file"
        )
    return content


def exercise_of(content: Mapping[str, Any], name: str) -> AthenaExercise:
    """Convert the content of an exercise file into items; see ``read_athena``.

    Args:
        content: content from ``load_exercise``.
        name: name of the file, for messages.

    Raises:
        InputError: a part is invalid.
    """
    exercise = _id_of(content, name, "the exercise")
    submissions = submissions_of(content, name)
    items = tuple(_item(submission, exercise, name) for submission in submissions)
    entries = [("baseline_info", content.get("baseline_info"))]
    entries += [(f"submission {entry.get('id')}", entry.get("baseline_feedback")) for entry in submissions]
    infos = [(f"{name}: {label}", info) for label, info in entries if isinstance(info, Mapping)]
    models = {_model_of(info, where) for where, info in infos} - {None}
    if len(models) > 1:
        raise InputError(
            f"{name}: feedback of several models, {list_names(sorted(map(str, models)))}; one a file is "
            "needed"
        )
    return AthenaExercise(exercise, name, items, models.pop() if models else None, _list_times(infos))


def submissions_of(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return an exercise's submissions; a single object, as in Athena's documentation, is a list of one.

    Raises:
        InputError: the submissions are neither a list of objects nor an object.
    """
    submissions = content["submissions"]
    listed = [submissions] if isinstance(submissions, dict) else submissions
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise InputError(f"{name}: 'submissions' must be a list of objects, got {submissions!r:.40}")
    return listed


def feedback_of(submission: Mapping[str, Any], name: str, submission_id: str) -> list[Any]:
    """Return a submission's feedback from ``baseline_feedback`` if it exists, otherwise from ``feedbacks``.

    Args:
        submission: the submission's object in the file.
        name: name of the file, for messages.
        submission_id: id of the submission, for messages.

    Raises:
        InputError: the feedback is not a list.
    """
    nested = submission.get("baseline_feedback")
    if nested is None:
        feedback = submission.get("feedbacks")
    elif isinstance(nested, Mapping):
        feedback = nested.get("feedback")
    else:
        raise InputError(
            f"{name}: 'baseline_feedback' of submission {submission_id} must be an object with 'feedback'"
        )
    if feedback is not None and not isinstance(feedback, list):
        raise InputError(
            f"{name}: the feedback of submission {submission_id} must be a list, got {feedback!r:.40}"
        )
    return feedback or []


def outputs_of(feedbacks: Iterable[object], name: str, submission_id: str) -> tuple[Output, ...]:
    """Convert feedback to outputs with the field ``credits``.

    Args:
        feedbacks: objects with ``title``, ``description`` and ``credits``.
        name: name of the file, for messages.
        submission_id: id of the submission, for messages.

    Raises:
        InputError: a feedback is not such an object.
    """
    return tuple(
        _output(feedback, name, f"feedback {number} of submission {submission_id}")
        for number, feedback in enumerate(feedbacks, start=1)
    )


def _item(submission: Mapping[str, Any], exercise: str, name: str) -> Item:
    """Convert a submission into an item with the id ``exercise/submission``."""
    id_ = _id_of(submission, name, "a submission")
    groups = zip(GROUPS, (exercise, submission.get("language")), strict=True)
    text = submission.get("text")
    if text is not None and not isinstance(text, str):
        raise InputError(f"{name}: the text of submission {id_} must be a text, got {text!r:.40}")
    outputs = outputs_of(feedback_of(submission, name, id_), name, id_)
    return Item(f"{exercise}/{id_}", outputs, text, {kind: str(value) for kind, value in groups if value})


def _output(feedback: object, name: str, label: str) -> Output:
    if feedback is None:
        return Output(None)
    if not isinstance(feedback, Mapping):
        raise InputError(f"{name}: {label} must be an object with 'description', got {feedback!r:.40}")
    location = CellLocation(name, 0, label)
    try:
        text, credit = feedback_text(feedback, location), number_in(feedback.get(CREDITS), location)
    except InputError as error:
        values = {key: feedback.get(key) for key in ("title", "description", CREDITS)}
        raise InputError(
            f"{name}: {label} must have texts and a finite number of credits, got {values!r:.120}; correct "
            "it, or take it out"
        ) from error
    return Output(text, {} if credit is None else {CREDITS: credit}).separate_reasoning()


def _id_of(content: Mapping[str, Any], name: str, label: str) -> str:
    id_ = content.get("id")
    if isinstance(id_, bool) or not isinstance(id_, str | int) or not str(id_).strip():
        raise InputError(f"{name}: {label} has no id; give it one under 'id'")
    return str(id_).strip()


def _model_of(info: Mapping[str, Any], where: str) -> str | None:
    model = info.get("model") or info.get("model_version")
    if isinstance(model, list | dict):
        raise InputError(f"{where}: the model must be a name, got {model!r:.40}; write a text")
    return str(model) if model else None


def _list_times(infos: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[StatedTime, ...]:
    """Return the times in an exercise's entries, at most one per entry."""
    keys = ((where, info, next((key for key in _TIME_KEYS if info.get(key)), None)) for where, info in infos)
    return tuple(
        StatedTime(str(info[key]), f"{where}, '{key}'") for where, info, key in keys if key is not None
    )


def _description(content: object) -> str:
    """Describe the JSON of a file that is not an exercise."""
    if isinstance(content, dict):
        return f"its keys are {list_names(map(str, content)) or 'none'}"
    return "it is a list" if isinstance(content, list) else f"it is {shorten(content)}"
