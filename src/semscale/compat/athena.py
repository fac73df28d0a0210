"""The interface of Athena's quality drift analysis: ``from semscale.compat.athena import ...``.

Intended differences from Athena's scripts:

- Feedback is paired by optimal assignment of its texts, so its order does not matter. Missing or extra
  feedback counts 0 in BERTScore, and the range of credits in credit drift. Athena pairs by position and drops
  the rest of the longer list, as does ``pairing="position"``.
- A model without feedback has F1 0 and the greatest credit drift: the range of the exercise's credits, or
  infinity if no range is known. Athena gives it credit drift 0, so that its credits pass. If neither side has
  feedback, the figures are NaN and left out of means. Athena gives 0.
- BERTScore uses Semscale's default model, not ``roberta-large``, whose random pairs have .83, so that
  everything passes the threshold .8; ``embedder`` sets another one. The same threshold means something else
  with another model.
- A failure is an error. Athena prints a line and counts F1 0.
- The report keeps earlier entries of an exercise under ``history``; a file that is no report is refused, not
  replaced. Times are UTC.
- ``regenerate_baseline`` creates new baselines; Athena's script ignores its option. Nothing is printed, and
  ``exit_code`` is 1 if a candidate fails.
- One submission is drawn from each bucket of scores with a seed; Athena takes the first (``seed=None``). A
  submission without a score is in no bucket; Athena counts it as 0.
- Both formats of exercise files are read: ``feedbacks``, and ``baseline_feedback`` of the documentation.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock

from semscale.compat.athena_feedback import (
    Feedback,
    ItemFigures,
    QualityDriftAnalyzer,
    calculate_bertscore_similarity,
    calculate_credit_drift,
    item_figures,
)
from semscale.drift.athena_files import (
    CREDITS,
    AthenaExercise,
    AthenaExercises,
    exercise_files,
    exercise_of,
    load_exercise,
    outputs_of,
    read_athena,
    submissions_of,
)
from semscale.drift.comparison import Comparison, DriftMeter
from semscale.drift.decision import Threshold, read_thresholds, threshold_cautions
from semscale.drift.metrics import Metric
from semscale.drift.runs import check_comparable
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, list_names, now
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.messages import unreadable
from semscale.stats.intervals import check_seed
from semscale.store.atomic import check_writable, replacing
from semscale.types import Floats
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.token_states import TokenEncoder

__all__ = [
    "REPORT",
    "AnalysisSettings",
    "NewBaseline",
    "QualityDrift",
    "QualityDriftAnalyzer",
    "calculate_bertscore_similarity",
    "calculate_credit_drift",
    "read_report",
    "run_quality_drift_analysis",
    "sample_exercise",
    "sample_exercises",
    "score_bucket",
    "update_report",
]

REPORT = "quality_drift_report.json"
"""Default name of the report."""

BUCKETS = ("0", "0-9", *(f"{low}-{low + 9}" for low in range(10, 100, 10)), "100")
"""Buckets of scores; 0 and 100 have one each."""

Generate = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[Feedback]]
"""A function from an exercise and a submission, as objects of the file, to a model's feedback."""

Source = Generate | Run | str | Path | Iterable[str | Path]
"""A function that returns feedback, a run, or exercise files with the model's feedback."""

_DATASET = "athena"
_EXERCISES, _HISTORY = "exercises", "history"
_BEST = 100
_CREDIT_DRIFT = "max_avg_credit_drift"


@dataclass(frozen=True)
class NewBaseline:
    """The model that generates baselines for files without one.

    Attributes:
        model: the model's name, which is written into the files.
        generate: function that returns the model's feedback.
        approach: Athena's name for the way in which the model is prompted.
    """

    model: str
    generate: Generate
    approach: str = "basic"


@dataclass(frozen=True)
class AnalysisSettings:
    """Thresholds of a candidate, and settings of the measurement.

    Attributes:
        min_bertscore_f1: the lowest mean F1 that passes.
        max_avg_credit_drift: the greatest mean difference of credits that passes; ``None`` ignores credits.
        pairing: ``assignment``, or ``position``, like Athena.
        embedder: embedder for BERTScore, see ``DriftMeter``.
    """

    min_bertscore_f1: float = 0.8
    max_avg_credit_drift: float | None = 3.0
    pairing: str = "assignment"
    embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL

    @property
    def thresholds(self) -> dict[str, float]:
        """The thresholds by Athena's names."""
        limits = {
            "min_bertscore_f1": self.min_bertscore_f1,
            _CREDIT_DRIFT: self.max_avg_credit_drift,
        }
        return {name: limit for name, limit in limits.items() if limit is not None}


@dataclass(frozen=True)
class QualityDrift:
    """The result of an analysis.

    Attributes:
        exercises: the report's entry for each exercise, by id.
        comparisons: the comparison of each candidate with the baseline, by exercise and candidate.
        cautions: sentences about useless thresholds.
    """

    exercises: Mapping[str, Mapping[str, Any]]
    comparisons: Mapping[str, Mapping[str, Comparison]]
    cautions: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if every candidate passed in every exercise."""
        return all(
            result["passed"]
            for entry in self.exercises.values()
            for result in entry["model_results"].values()
        )

    @property
    def exit_code(self) -> int:
        """0 if passed, else 1."""
        return 0 if self.passed else 1


def run_quality_drift_analysis(
    files: str | Path | Iterable[str | Path],
    candidates: Mapping[str, Source],
    *,
    baseline: NewBaseline | None = None,
    regenerate_baseline: bool = False,
    report: str | Path | None = None,
    settings: AnalysisSettings | None = None,
) -> QualityDrift:
    """Compare models with the baselines in exercise files, each exercise by itself.

    Args:
        files: exercise files, or folders of them.
        candidates: by name, each a function that returns feedback, a run, or exercise files with its
            feedback.
        baseline: generates a baseline for files that have none; it is written into the file.
        regenerate_baseline: whether to generate a new baseline for every file.
        report: path of the report; its old entries move into its history.
        settings: thresholds, pairing and embedder.

    Raises:
        InputError: there is no candidate, a file cannot be read or has no baseline, only one side has a
            submission, or credits have a threshold but are missing.

    Examples:
        >>> import json, tempfile
        >>> feedback = [{"title": "Cause", "description": "You name it.", "credits": 1.0}]
        >>> submission = {"id": 2, "text": "Because it rained.", "feedbacks": feedback}
        >>> path = Path(tempfile.mkdtemp(), "sampled_exercise-1.json")
        >>> _ = path.write_text(json.dumps({"id": 1, "submissions": [submission]}))
        >>> models = {"same": lambda *asked: feedback, "silent": lambda *asked: []}
        >>> drift = run_quality_drift_analysis(path, models)
        >>> {name: result["passed"] for name, result in drift.exercises["1"]["model_results"].items()}
        {'same': True, 'silent': False}
        >>> drift.exit_code
        1
    """
    if not candidates:
        raise InputError("candidates", "must name at least one model, got none")
    chosen = settings or AnalysisSettings()
    paths = exercise_files(files)
    _ensure_baselines(paths, baseline, regenerate=regenerate_baseline)
    exercises = read_athena(paths)
    approved = _baseline_run(exercises)
    runs = [_candidate_run(name, source, paths, approved) for name, source in candidates.items()]
    meter = DriftMeter(chosen.embedder, pairing=chosen.pairing)
    comparisons, entries, cautions = {}, {}, []
    for exercise in exercises.exercises:
        compared = _compare_exercise(exercise, approved, runs, meter)
        comparisons[exercise.id] = dict(zip(candidates, compared, strict=True))
        limits = chosen.thresholds
        if not any(item.outputs for item in exercise.items):
            limits.pop(_CREDIT_DRIFT, None)  # without feedback there are no credits to compare
        thresholds = _read_limits(compared[0].metrics, limits)
        entries[exercise.id] = _entry(exercise, comparisons[exercise.id], thresholds, chosen)
        useless = [caution for each in compared for caution in threshold_cautions(each, thresholds)]
        cautions += [f"exercise {exercise.id}: {caution}" for caution in dict.fromkeys(useless)]
    if report is not None:
        update_report(report, entries)
    return QualityDrift(entries, comparisons, tuple(cautions))


def score_bucket(score: float) -> str:
    """Return the name of a score's bucket.

    Raises:
        InputError: the score is not a number from 0 to 100.

    Examples:
        >>> [score_bucket(score) for score in (0, 0.5, 10, 99.9, 100)]
        ['0', '0-9', '10-19', '90-99', '100']
    """
    number = isinstance(score, int | float) and not isinstance(score, bool)
    if not number or not 0 <= score <= _BEST or math.isnan(score):
        raise InputError("score", f"must be a number from 0 to 100, got {score!r}")
    if score in (0, _BEST):
        return str(int(score))
    low = int(score) // 10 * 10
    return f"{low}-{low + 9}"


def sample_exercise(
    exercise: Mapping[str, Any], *, seed: int | None = 0, language: str | None = "ENGLISH"
) -> dict[str, Any]:
    """Keep one submission from each bucket of scores.

    Args:
        exercise: the content of an exercise file.
        seed: seed of the draw in each bucket; ``None`` takes the first submission, like Athena.
        language: language of the submissions; ``None`` for any.

    Returns:
        The exercise with at most 12 submissions, sorted by score; submissions without a score are left out.

    Raises:
        InputError: no submission is in the language, or none has a score.

    Examples:
        >>> submissions = [{"id": score, "score": score} for score in (0, 3, 95, 100)]
        >>> sampled = sample_exercise({"id": 1, "submissions": submissions}, language=None)
        >>> [submission["score"] for submission in sampled["submissions"]]
        [0, 3, 95, 100]
    """
    name = str(exercise.get("id"))
    if seed is not None:
        check_seed(seed)
    submissions = submissions_of(exercise, name)
    eligible = [
        submission for submission in submissions if language is None or submission.get("language") == language
    ]
    if not eligible:
        raise InputError(
            f"exercise {name} has no submission in {language}; choose another language, or None for any"
        )
    buckets: dict[str, list[dict[str, Any]]] = {bucket: [] for bucket in BUCKETS}
    for submission in eligible:
        if submission.get("score") is not None:
            buckets[score_bucket(submission["score"])].append(submission)
    draw = None if seed is None else np.random.default_rng(seed)
    drawn = [
        members[0 if draw is None else int(draw.integers(len(members)))]
        for members in buckets.values()
        if members
    ]
    if not drawn:
        raise InputError(f"exercise {name} has no submission with a score; give them one, 0 to 100")
    return {**exercise, "submissions": drawn}


def sample_exercises(
    files: str | Path | Iterable[str | Path],
    folder: str | Path,
    *,
    seed: int | None = 0,
    language: str | None = "ENGLISH",
) -> list[Path]:
    """Sample exercise files into a folder, where ``sampled_`` precedes each file's name.

    Args:
        files: exercise files, or folders of them.
        folder: the output folder, created if it does not exist.
        seed: see ``sample_exercise``.
        language: see ``sample_exercise``.

    Returns:
        The written files, in the order of the input files.

    Raises:
        InputError: a file cannot be read, or an exercise cannot be sampled; then nothing is written.
    """
    sampled = {
        f"sampled_{path.name}": sample_exercise(load_exercise(path), seed=seed, language=language)
        for path in exercise_files(files)
    }
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, exercise in sampled.items():
        check_writable(target / name, "folder")
        _write_json(target / name, exercise)
    return [target / name for name in sampled]


def read_report(path: str | Path) -> dict[str, Any]:
    """Read a report.

    Returns:
        ``{"exercises": {id: entry}}``; an entry's ``history`` lists earlier entries, latest first.

    Raises:
        InputError: the file does not exist or is not a report.
    """
    try:
        content = parse_json(read_input_text(path, "utf-8-sig"))
    except OSError as error:
        raise unreadable(f"`report`: {path}", error) from error
    except ValueError as error:
        raise InputError(
            "report", f": {path} is not valid JSON ({error}); correct it, or move it away"
        ) from error
    exercises = content.get(_EXERCISES) if isinstance(content, dict) else None
    if not isinstance(exercises, dict) or not all(isinstance(entry, dict) for entry in exercises.values()):
        raise InputError(
            "report",
            f": {path} has no object 'exercises' of objects, so it is no quality drift report; move it "
            "away, or choose another name",
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
        InputError: the file is not a report (it stays unchanged), or cannot be written.

    Examples:
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
        _write_json(target, report)
    return report


def _compare_exercise(
    exercise: AthenaExercise, baseline: Run, runs: Sequence[Run], meter: DriftMeter
) -> list[Comparison]:
    """Measure the candidates on the submissions of one exercise; the range of credits is the exercise's."""
    ids = {item.id for item in exercise.items}
    approved, *candidates = (
        replace(run, items=tuple(item for item in run.items if item.id in ids)) for run in (baseline, *runs)
    )
    floors = meter.floors(approved)
    return [replace(meter.measure(approved, run), floors=floors) for run in candidates]


def _entry(
    exercise: AthenaExercise,
    comparisons: Mapping[str, Comparison],
    thresholds: tuple[Threshold, ...],
    settings: AnalysisSettings,
) -> dict[str, Any]:
    return {
        "timestamp": now().strftime("%Y-%m-%d %H:%M:%S"),
        "exercise_id": int(exercise.id) if exercise.id.isdecimal() else exercise.id,
        "exercise_file": exercise.file,
        "baseline": _about(exercise),
        "thresholds": settings.thresholds,
        "model_results": {
            name: _result(item_figures(comparison, settings.pairing), thresholds, settings)
            for name, comparison in comparisons.items()
        },
    }


def _about(exercise: AthenaExercise) -> dict[str, str]:
    return {"model": exercise.model or "Unknown", "generated_at": exercise.generated or "Unknown"}


def _result(
    figures: ItemFigures, thresholds: tuple[Threshold, ...], settings: AnalysisSettings
) -> dict[str, Any]:
    f1 = _mean(figures.bertscore_f1)
    credit = None if figures.credit_drift is None else _mean(figures.credit_drift)
    values = {"min_bertscore_f1": f1, _CREDIT_DRIFT: credit}
    limits = {threshold.name: threshold for threshold in thresholds}
    limited = [(limits.get(name), values[name]) for name in settings.thresholds]
    return {
        "avg_bertscore_f1": None if f1 is None else round(f1, 3),
        "avg_credit_drift": None if credit is None else round(credit, 2),
        "passed": all(
            limit is not None and value is not None and limit.admits(value) for limit, value in limited
        ),
    }


def _read_limits(metrics: Mapping[str, Metric], limits: Mapping[str, float]) -> tuple[Threshold, ...]:
    """Read Athena's thresholds: its name for the drift of the field credits uses the singular."""
    field_drift = f"max_avg_{CREDITS}_drift"
    named = {field_drift if name == _CREDIT_DRIFT else name: limit for name, limit in limits.items()}
    return tuple(
        replace(threshold, name=_CREDIT_DRIFT) if threshold.name == field_drift else threshold
        for threshold in read_thresholds(metrics, named)
    )


def _mean(values: Floats) -> float | None:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else None


def _ensure_baselines(paths: Sequence[Path], baseline: NewBaseline | None, *, regenerate: bool) -> None:
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
            "baseline",
            "must name the model or prompt that made it for "
            f"{list_names(path.name for path in lacking)}: pass NewBaseline(model, generate)",
        )
    created = {path: _with_baseline(contents[path], path.name, baseline) for path in lacking}
    for path, content in created.items():
        _write_json(path, content)


def _candidate_run(model: str, source: Source, paths: Sequence[Path], baseline: Run) -> Run:
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
    items = _generate_items(source, paths) if callable(source) else read_athena(source).items
    return check_comparable(baseline, Run(baseline.dataset, model, items))


def _baseline_run(exercises: AthenaExercises) -> Run:
    """Build the baseline's run from exercise files."""
    model = " and ".join(exercises.models) or "unknown"
    return Run(_DATASET, model, exercises.items, recorded=exercises.generated or now())


def _generate_items(generate: Generate, paths: Sequence[Path]) -> tuple[Item, ...]:
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
        submission.get(key) is not None for submission in submissions_of(content, path.name) for key in keys
    )


def _with_baseline(content: Mapping[str, Any], name: str, baseline: NewBaseline) -> dict[str, Any]:
    created = now().replace(tzinfo=None).isoformat()
    submissions = submissions_of(content, name)
    nested = any("baseline_feedback" in submission for submission in submissions)
    renewed = []
    for submission in submissions:
        generated = list(baseline.generate(content, submission))
        outputs_of(
            generated, "feedback that was made", str(submission.get("id"))
        )  # raises if it is no feedback
        feedback = [dict(piece) for piece in generated if piece is not None]
        whole = {"timestamp": f"{created}Z", "model_version": baseline.model, "feedback": feedback}
        renewed.append(
            {**submission, **({"baseline_feedback": whole} if nested else {"feedbacks": feedback})}
        )
    info = {
        "model": baseline.model,
        "approach": baseline.approach,
        "generated_at": created,
        "description": f"Baseline feedbacks generated by {baseline.model} using {baseline.approach} approach",
    }
    return {**content, "submissions": renewed, "baseline_info": info}


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file atomically, in Athena's format."""
    with replacing(path) as temporary:
        temporary.write_text(
            json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False), encoding="utf-8"
        )
