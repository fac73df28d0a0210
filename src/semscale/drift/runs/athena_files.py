"""Reading of Athena's exercise files, which hold submissions with a model's feedback, in both formats."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from semscale.drift.runs.athena_submissions import id_of, item_of, submissions_of
from semscale.drift.runs.athena_times import StatedTime, stated_times
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import named
from semscale.json_reading import parse_json
from semscale.messages import shortened


@dataclass(frozen=True)
class AthenaExercise:
    """One exercise file.

    Attributes:
        id: id of the exercise.
        file: name of the file.
        items: one for each submission, with the id ``exercise/submission``.
        model: the model that gave the feedback; ``None`` if the file does not name it.
        times: times of the feedback that the file states.
    """

    id: str
    file: str
    items: tuple[Item, ...]
    model: str | None = None
    times: tuple[StatedTime, ...] = ()

    @property
    def generated(self) -> str | None:
        """The latest time that the file states, as text; a time without a zone is in UTC.

        Raises:
            InputError: one of them is no time.
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
        """Models that the files name, sorted."""
        return tuple(sorted({one.model for one in self.exercises if one.model is not None}))

    @property
    def generated(self) -> datetime | None:
        """The latest time that the files state, in UTC; a time without a zone is in UTC.

        Raises:
            InputError: one of them is no time.
        """
        return max((time.read() for one in self.exercises for time in one.times), default=None)


def is_athena(content: object) -> bool:
    """Tell whether a JSON document is an exercise of Athena: an object with submissions.

    Example:
        >>> is_athena({"id": 1, "submissions": []}), is_athena([1])
        (True, False)
    """
    return isinstance(content, Mapping) and "submissions" in content


def read_athena(paths: str | Path | Iterable[str | Path]) -> AthenaExercises:
    """Read exercise files.

    A submission becomes an item: its text is the input, and each feedback is an output with the field
    ``credits``. The output's text is title and description joined by a space, as in Athena's comparison.
    Groups are the exercise and the language. Feedback comes from ``baseline_feedback`` if it exists, else
    from ``feedbacks``; a submission with neither has no outputs.

    Args:
        paths: files, or folders whose ``.json`` files are all read.

    Raises:
        InputError: there is no file, or a file is no JSON, no exercise, or has an invalid part.
    """
    exercises = tuple(read_exercise(path) for path in exercise_files(paths))
    seen: dict[str, str] = {}
    for exercise in exercises:
        for item in exercise.items:
            if item.id in seen:
                raise InputError(
                    f"{exercise.file}: submission {item.id!r} stands in {seen[item.id]} already; every "
                    "submission must occur once"
                )
            seen[item.id] = exercise.file
    if not seen:
        raise InputError(f"{named(one.file for one in exercises)}: no submissions; there is nothing to read")
    return AthenaExercises(exercises)


def exercise_files(paths: str | Path | Iterable[str | Path]) -> tuple[Path, ...]:
    """List files, and for folders their ``.json`` files in sorted order.

    Raises:
        InputError: there is no path, or a folder has no such file.
    """
    found: list[Path] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        if not Path(path).is_dir():
            found.append(Path(path))
            continue
        inside = sorted(Path(path).glob("*.json"))
        if not inside:
            raise InputError(f"{path} is a folder without .json files; name one with Athena's exercises")
        found += inside
    if not found:
        raise InputError("paths must name at least one file of Athena's exercises, got none")
    return tuple(found)


def read_exercise(path: str | Path) -> AthenaExercise:
    """Read one exercise file; see ``read_athena``.

    Raises:
        InputError: the file is no JSON, no exercise, or has an invalid part.
    """
    return exercise_of(load_exercise(path), Path(path).name)


def exercise_of(content: Mapping[str, Any], name: str) -> AthenaExercise:
    """Convert the content of an exercise file into items; see ``read_athena``.

    Args:
        content: content from ``load_exercise``.
        name: the file's, for messages.

    Raises:
        InputError: a part is invalid.
    """
    exercise = id_of(content, name, "the exercise")
    listed = submissions_of(content, name)
    items = tuple(item_of(submission, exercise, name) for submission in listed)
    entries = [("baseline_info", content.get("baseline_info"))]
    entries += [(f"submission {one.get('id')}", one.get("baseline_feedback")) for one in listed]
    infos = [(f"{name}: {which}", info) for which, info in entries if isinstance(info, Mapping)]
    models = {_model_of(one, where) for where, one in infos} - {None}
    if len(models) > 1:
        raise InputError(
            f"{name}: feedback of several models, {named(sorted(map(str, models)))}; one a file is needed"
        )
    model = models.pop() if models else None
    return AthenaExercise(exercise, name, items, model, stated_times(infos))


def _model_of(info: Mapping[str, Any], where: str) -> str | None:
    found = info.get("model") or info.get("model_version")
    if isinstance(found, list | dict):
        raise InputError(f"{where}: the model must be a name, got {found!r:.40}; write a text")
    return str(found) if found else None


def load_exercise(path: str | Path) -> dict[str, Any]:
    """Load the JSON of an exercise file.

    Raises:
        InputError: it cannot be read, is no JSON, or no exercise.
    """
    try:
        content = parse_json(Path(path).read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}, line {error.lineno}, column {error.colno}: no valid JSON ({error.msg}); check for a "
            "missing bracket, or a comma after the last entry of a list or object"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); write it again as UTF-8") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its name and rights") from error
    if not isinstance(content, dict) or not is_athena(content):
        found = _what(content)
        raise InputError(
            f"{path} is JSON but no exercise of Athena, which has 'id' and 'submissions': {found}; write "
            "other items one object a line into a .jsonl file"
        )
    return content


def _what(content: object) -> str:
    """Say what the JSON of a file is."""
    if isinstance(content, dict):
        return f"its keys are {named(map(str, content)) or 'none'}"
    return "it is a list" if isinstance(content, list) else f"it is {shortened(content)}"
