"""Athena's analysis of quality drift: compares candidates with baselines in exercise files, and reports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.compat.athena_positions import ItemFigures, item_figures
from semscale.compat.athena_report import update_report
from semscale.compat.athena_sources import (
    NewBaseline,
    Source,
    baseline_run,
    candidate_run,
    ensure_baselines,
)
from semscale.drift.gate.thresholds import Threshold, read_thresholds, threshold_cautions
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.runs.athena_files import AthenaExercise, AthenaExercises, exercise_files, read_athena
from semscale.errors import InputError
from semscale.history.runs import Run, now
from semscale.types import Floats
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.token_states import TokenEncoder


@dataclass(frozen=True)
class AnalysisSettings:
    """Thresholds of a candidate, and settings of the measurement.

    Attributes:
        min_bertscore_f1: the lowest mean F1 that passes.
        max_avg_credit_drift: the greatest mean difference of credits that passes; ``None`` ignores credits.
        pairing: ``assignment``, or ``position``, like Athena.
        embedder: of BERTScore, as ``DriftMeter`` takes it.
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
            "max_avg_credit_drift": self.max_avg_credit_drift,
        }
        return {name: limit for name, limit in limits.items() if limit is not None}


@dataclass(frozen=True)
class QualityDrift:
    """The result of an analysis.

    Attributes:
        exercises: the report's entry for each exercise, by id.
        comparisons: the comparison of each candidate with the baseline, by the candidate's name.
        cautions: sentences about useless thresholds.
    """

    exercises: Mapping[str, Mapping[str, Any]]
    comparisons: Mapping[str, Comparison]
    cautions: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every candidate passed in every exercise."""
        return all(
            result["passed"]
            for entry in self.exercises.values()
            for result in entry["model_results"].values()
        )

    @property
    def exit_code(self) -> int:
        """0 if passed, else 1."""
        return 0 if self.passed else 1


def run_quality_drift_analysis(  # noqa: PLR0913 - files and options of Athena's script
    files: str | Path | Iterable[str | Path],
    candidates: Mapping[str, Source],
    *,
    baseline: NewBaseline | None = None,
    regenerate_baseline: bool = False,
    report: str | Path | None = None,
    settings: AnalysisSettings | None = None,
) -> QualityDrift:
    """Compare models with the baselines in exercise files.

    Args:
        files: exercise files, or folders of them.
        candidates: by name, each a function that gives feedback, a run, or exercise files with its feedback.
        baseline: generates a baseline for files that have none; it is written into the file.
        regenerate_baseline: whether to generate a new baseline for every file.
        report: path of the report; its old entries move into its history.
        settings: thresholds, pairing and embedder.

    Raises:
        InputError: there is no candidate, a file cannot be read or has no baseline, only one side has a
            submission, or credits have a threshold but are missing.

    Example:
        >>> import json, tempfile
        >>> said = [{"title": "Cause", "description": "You name it.", "credits": 1.0}]
        >>> submission = {"id": 2, "text": "Because it rained.", "feedbacks": said}
        >>> path = Path(tempfile.mkdtemp(), "sampled_exercise-1.json")
        >>> _ = path.write_text(json.dumps({"id": 1, "submissions": [submission]}))
        >>> models = {"same": lambda exercise, submission: said, "silent": lambda exercise, submission: []}
        >>> found = run_quality_drift_analysis(path, models)
        >>> {name: result["passed"] for name, result in found.exercises["1"]["model_results"].items()}
        {'same': True, 'silent': False}
        >>> found.exit_code
        1
    """
    if not candidates:
        raise InputError("candidates must name at least one model, got none")
    chosen = settings or AnalysisSettings()
    paths = exercise_files(files)
    ensure_baselines(paths, baseline, regenerate=regenerate_baseline)
    exercises = read_athena(paths)
    approved = baseline_run(exercises)
    runs = [candidate_run(name, source, paths, approved) for name, source in candidates.items()]
    comparisons = dict(zip(candidates, _compared(approved, runs, chosen), strict=True))
    thresholds = read_thresholds(next(iter(comparisons.values())), chosen.thresholds)
    entries = _entries(exercises, comparisons, thresholds, chosen)
    if report is not None:
        update_report(report, entries)
    cautions = dict.fromkeys(
        caution for one in comparisons.values() for caution in threshold_cautions(one, thresholds)
    )
    return QualityDrift(entries, comparisons, tuple(cautions))


def _compared(baseline: Run, runs: list[Run], settings: AnalysisSettings) -> list[Comparison]:
    meter = DriftMeter(settings.embedder, pairing=settings.pairing)
    floors = meter.floors(baseline)
    return [
        Comparison(baseline, run, measured, floors=floors)
        for run, measured in zip(runs, meter.measure(baseline, runs), strict=True)
    ]


def _entries(
    exercises: AthenaExercises,
    comparisons: Mapping[str, Comparison],
    thresholds: tuple[Threshold, ...],
    settings: AnalysisSettings,
) -> dict[str, dict[str, Any]]:
    time = now().strftime("%Y-%m-%d %H:%M:%S")
    figures = {name: item_figures(one, settings.pairing) for name, one in comparisons.items()}
    entries, start = {}, 0
    for exercise in exercises.exercises:
        items = slice(start, start + len(exercise.items))
        start = items.stop
        entries[exercise.id] = {
            "timestamp": time,
            "exercise_id": int(exercise.id) if exercise.id.isdecimal() else exercise.id,
            "exercise_file": exercise.file,
            "baseline": _about(exercise),
            "thresholds": settings.thresholds,
            "model_results": {name: _result(one, items, thresholds) for name, one in figures.items()},
        }
    return entries


def _about(exercise: AthenaExercise) -> dict[str, str]:
    return {"model": exercise.model or "Unknown", "generated_at": exercise.generated or "Unknown"}


def _result(figures: ItemFigures, items: slice, thresholds: tuple[Threshold, ...]) -> dict[str, Any]:
    f1 = _mean(figures.bertscore_f1[items])
    credit = None if figures.credit_drift is None else _mean(figures.credit_drift[items])
    values = {"min_bertscore_f1": f1, "max_avg_credit_drift": credit}
    held = [(one, values[one.name]) for one in thresholds]
    return {
        "avg_bertscore_f1": None if f1 is None else round(f1, 3),
        "avg_credit_drift": None if credit is None else round(credit, 2),
        "passed": all(value is not None and one.holds(value) for one, value in held),
    }


def _mean(values: Floats) -> float | None:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else None
