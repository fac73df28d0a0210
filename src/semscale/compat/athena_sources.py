"""Where feedback comes from: a model that is called, files, or a run; and baselines made of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semscale.compat.athena_feedback import Feedback
from semscale.compat.athena_sampling import write_json
from semscale.drift.runs.athena_files import (
    AthenaExercises,
    exercise_of,
    load_exercise,
    outputs_of,
    read_athena,
    submissions_of,
)
from semscale.drift.runs.comparability import check_comparable
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, named, now

DATASET = "athena"

Generate = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[Feedback]]
"""Gives a model's feedback for an exercise and one of its submissions, both as the file has them."""

Source = Generate | Run | str | Path | Iterable[str | Path]
"""A model that is called, a run, or exercise files with the model's feedback in them."""


@dataclass(frozen=True)
class NewBaseline:
    """What a baseline is made with where a file has none.

    Attributes:
        model: its name, which the files get.
        generate: gives its feedback.
        approach: as Athena calls the way that the model was asked.
    """

    model: str
    generate: Generate
    approach: str = "basic"


def ensure_baselines(paths: Sequence[Path], baseline: NewBaseline | None, *, regenerate: bool) -> None:
    """Give every exercise file a baseline, in the shape that its submissions have.

    Args:
        paths: of exercises.
        baseline: what makes it.
        regenerate: whether files that have one get a new one.

    Raises:
        InputError: a baseline has to be made, and nothing was given that makes one.
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
    """Bring a candidate's feedback into the baseline's order.

    Args:
        model: its name.
        source: where its feedback comes from.
        paths: of the exercises that a model is called for.
        baseline: the run that it is held against.

    Raises:
        InputError: it is not of the baseline's submissions.
    """
    if isinstance(source, Run):
        return check_comparable(baseline, replace(source, dataset=baseline.dataset))
    items = _generated(source, paths) if callable(source) else read_athena(source).items
    return check_comparable(baseline, Run(baseline.dataset, model, items))


def baseline_run(exercises: AthenaExercises) -> Run:
    """Take the baseline's run out of exercise files."""
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
        outputs_of(given, "feedback that was made", str(one.get("id")))  # refuses what is none
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
