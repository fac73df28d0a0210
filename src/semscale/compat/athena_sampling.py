"""Sampling of an exercise's submissions over the whole range of scores, as Athena does for a baseline."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from semscale.drift.runs.athena_files import exercise_files, load_exercise
from semscale.drift.runs.athena_submissions import submissions_of
from semscale.errors import InputError
from semscale.stats.intervals import check_seed
from semscale.store.atomic import check_writable, replacing

BUCKETS = ("0", "0-9", *(f"{low}-{low + 9}" for low in range(10, 100, 10)), "100")
"""Buckets of scores; 0 and 100 have one each."""

_BEST = 100


def score_bucket(score: float) -> str:
    """Return the name of a score's bucket.

    Raises:
        InputError: the score is no number from 0 to 100.

    Example:
        >>> [score_bucket(score) for score in (0, 0.5, 10, 99.9, 100)]
        ['0', '0-9', '10-19', '90-99', '100']
    """
    number = isinstance(score, int | float) and not isinstance(score, bool)
    if not number or not 0 <= score <= _BEST or math.isnan(score):
        raise InputError(f"score must be a number from 0 to 100, got {score!r}")
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
        The exercise with at most 12 submissions, by score; a submission without a score is in no bucket.

    Raises:
        InputError: no submission is in the language, or none has a score.

    Example:
        >>> submissions = [{"id": score, "score": score} for score in (0, 3, 95, 100)]
        >>> sampled = sample_exercise({"id": 1, "submissions": submissions}, language=None)
        >>> [submission["score"] for submission in sampled["submissions"]]
        [0, 3, 95, 100]
    """
    name = str(exercise.get("id"))
    if seed is not None:
        check_seed(seed)
    submissions = submissions_of(exercise, name)
    eligible = [one for one in submissions if language is None or one.get("language") == language]
    if not eligible:
        raise InputError(
            f"exercise {name} has no submission in {language}; choose another language, or None for any"
        )
    buckets: dict[str, list[dict[str, Any]]] = {bucket: [] for bucket in BUCKETS}
    for one in eligible:
        if one.get("score") is not None:
            buckets[score_bucket(one["score"])].append(one)
    draw = None if seed is None else np.random.default_rng(seed)
    drawn = [
        found[0 if draw is None else int(draw.integers(len(found)))] for found in buckets.values() if found
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
        write_json(target / name, exercise)
    return [target / name for name in sampled]


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file atomically, in Athena's format."""
    with replacing(path) as temporary:
        temporary.write_text(
            json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False), encoding="utf-8"
        )
