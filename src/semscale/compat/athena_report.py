"""Athena's ``quality_drift_report.json``, which keeps earlier entries as history."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock

from semscale.compat.athena_sampling import write_json
from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.store.atomic import check_writable

REPORT = "quality_drift_report.json"
"""Default name of the file."""

_EXERCISES, _HISTORY = "exercises", "history"


def read_report(path: str | Path) -> dict[str, Any]:
    """Read a report.

    Returns:
        ``{"exercises": {id: entry}}``; an entry's ``history`` lists earlier entries, latest first.

    Raises:
        InputError: the file does not exist or is no report.
    """
    try:
        content = parse_json(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"report: {path} cannot be read ({error.strerror}); check its name") from error
    except ValueError as error:
        raise InputError(f"report: {path} is no valid JSON ({error}); mend it, or move it away") from error
    exercises = content.get(_EXERCISES) if isinstance(content, dict) else None
    if not isinstance(exercises, dict) or not all(isinstance(one, dict) for one in exercises.values()):
        raise InputError(
            f"report: {path} has no object 'exercises' of objects, so it is no quality drift report; move it "
            "away, or choose another name"
        )
    return dict(content)


def update_report(path: str | Path, entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Replace entries of a report by new ones, and move the old ones into their ``history``.

    The newest entry stays where readers of Athena's report expect it. Several processes can write at once:
    each adds to the others' entries.

    Args:
        path: of the report; created if it does not exist.
        entries: new entries by the exercise's id.

    Returns:
        The report that was written.

    Raises:
        InputError: the file is no report, and stays unchanged; or it cannot be written.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), REPORT)
        >>> for day in ("Monday", "Tuesday"):
        ...     report = update_report(path, {"7": {"timestamp": day}})
        >>> report["exercises"]["7"]
        {'timestamp': 'Tuesday', 'history': [{'timestamp': 'Monday'}]}
    """
    target = Path(path)
    check_writable(target, "report")
    with FileLock(target.with_name(f".{target.name}.lock")):
        report = read_report(target) if target.exists() else {_EXERCISES: {}}
        exercises = dict(report[_EXERCISES])
        for name, entry in entries.items():
            before = dict(exercises.get(name, {}))
            earlier = before.pop(_HISTORY, [])
            history = [before, *earlier] if before else earlier
            exercises[name] = {**entry, **({_HISTORY: history} if history else {})}
        report = {**report, _EXERCISES: exercises}
        write_json(target, report)
    return report
