"""Sources of feedback (functions, exercise files, runs), and generation of baselines in exercise files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semscale.compat.athena_feedback import Feedback
from semscale.compat.athena_sampling import write_json
from semscale.drift.runs.athena_files import AthenaExercises, exercise_of, load_exercise, read_athena
from semscale.drift.runs.athena_submissions import outputs_of, submissions_of
from semscale.drift.runs.comparability import check_comparable
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, named, now

DATASET = "athena"

Generate = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[Feedback]]
"""A function from an exercise and a submission, as objects of the file, to a model's feedback."""

Source = Generate | Run | str | Path | Iterable[str | Path]
"""A function that gives feedback, a run, or exercise files with the model's feedback."""


@dataclass(frozen=True)
class NewBaseline:
    """The model that generates baselines for files without one.

    Attributes:
        model: the model's name, which is written into the files.
        generate: gives the model's feedback.
        approach: Athena's name for the way in which the model is prompted.
    """

    model: str
    generate: Generate
    approach: str = "basic"


def ensure_baselines(paths: Sequence[Path], baseline: NewBaseline | None, *, regenerate: bool) -> None:
    """Write a baseline into every exercise file that has none, in the file's own format.

    Args:
        paths: exercise files.
        baseline: the model that generates baselines.
        regenerate: whether to replace existing baselines.

    Raises:
        InputError: a baseline is needed, and ``baseline`` is ``None``.
    """
    contents = {path: load_exercise(path) for path in paths}
    lacking = [path for path, content in contents.items() if regenerate or not _has_baseline(content, path)]
    if not lacking:
        return
    if baseline is None:
        raise InputError(
            f"baseline must say what makes it for {named(path.name for path in lacking)}: "
            "pass NewBaseline(model, generate)"
        )
    made = {path: _with_baseline(contents[path], path.name, baseline) for path in lacking}
    for path, content in made.items():
        write_json(path, content)


def candidate_run(model: str, source: Source, paths: Sequence[Path], baseline: Run) -> Run:
    """Return a candidate's run, with the submissions in the baseline's order.

    Args:
        model: the candidate's name.
        source: the source of its feedback.
        paths: exercise files for which a function is called.
        baseline: the baseline's run.

    Raises:
        InputError: the candidate's submissions are not those of the baseline.
    """
    if isinstance(source, Run):
        return check_comparable(baseline, replace(source, dataset=baseline.dataset))
    items = _generated(source, paths) if callable(source) else read_athena(source).items
    return check_comparable(baseline, Run(baseline.dataset, model, items))


def baseline_run(exercises: AthenaExercises) -> Run:
    """Build the baseline's run from exercise files."""
    model = " and ".join(exercises.models) or "unknown"
    return Run(DATASET, model, exercises.items, recorded=exercises.generated or now())


def _generated(generate: Generate, paths: Sequence[Path]) -> tuple[Item, ...]:
    items = []
    for path in paths:
        content = load_exercise(path)
        asked = zip(submissions_of(content, path.name), exercise_of(content, path.name).items, strict=True)
        for submission, item in asked:
            feedbacks = generate(content, submission)
            items.append(replace(item, outputs=outputs_of(feedbacks, "feedback that was made", item.id)))
    return tuple(items)


def _has_baseline(content: Mapping[str, Any], path: Path) -> bool:
    keys = ("feedbacks", "baseline_feedback")
    return "baseline_info" in content or any(
        one.get(key) is not None for one in submissions_of(content, path.name) for key in keys
    )


def _with_baseline(content: Mapping[str, Any], name: str, baseline: NewBaseline) -> dict[str, Any]:
    made = now().replace(tzinfo=None).isoformat()
    submissions = submissions_of(content, name)
    nested = any("baseline_feedback" in one for one in submissions)
    renewed = []
    for one in submissions:
        given = list(baseline.generate(content, one))
        outputs_of(given, "feedback that was made", str(one.get("id")))  # raises if it is no feedback
        feedback = [dict(found) for found in given if found is not None]
        whole = {"timestamp": f"{made}Z", "model_version": baseline.model, "feedback": feedback}
        renewed.append({**one, **({"baseline_feedback": whole} if nested else {"feedbacks": feedback})})
    info = {
        "model": baseline.model,
        "approach": baseline.approach,
        "generated_at": made,
        "description": f"Baseline feedbacks generated by {baseline.model} using {baseline.approach} approach",
    }
    return {**content, "submissions": renewed, "baseline_info": info}
