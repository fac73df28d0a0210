"""Athena's figures of feedback: BERTScore of its texts and the difference of its credits, by submission."""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from semscale.drift.alignment import PAIRINGS, align, align_by_position
from semscale.drift.athena_files import exercise_of, feedback_of, load_exercise, submissions_of
from semscale.drift.cells import CellLocation, feedback_text, number_in
from semscale.drift.comparison import AlignedPair, Comparison, DriftMeter
from semscale.drift.metrics import (
    number_differences,
    number_distances,
    number_loss,
    similarity_loss,
    span_of,
)
from semscale.drift.runs import number_of
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.matching.bertscore import BertScorer
from semscale.reasoning import split_reasoning
from semscale.types import Floats, Integers
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.token_states import TokenEncoder

_F1, _CREDITS, _FIELD = "bertscore_f1", "credits_difference", "credits"

Feedback = Mapping[str, Any]
"""One piece of feedback with ``title``, ``description`` and ``credits``."""


def calculate_bertscore_similarity(
    baseline_texts: Sequence[str],
    test_texts: Sequence[str],
    *,
    pairing: str = "assignment",
    embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
) -> dict[str, float]:
    """Compute BERTScore of two lists of feedback; the module ``athena`` lists differences from Athena.

    Args:
        baseline_texts: the baseline's texts; blank ones are ignored.
        test_texts: the candidate's texts; blank ones are ignored.
        pairing: ``assignment``: optimal assignment, in which a text without a partner counts 0.
            ``position``: like Athena, by position, and the rest of the longer list is dropped.
        embedder: embedder for BERTScore, see ``DriftMeter``.

    Returns:
        Mean ``precision``, ``recall`` and ``f1``; 0 if only one list has a text, NaN if neither has.

    Raises:
        UnknownNameError: ``pairing`` is neither of the two.

    Examples:
        >>> baseline = ["Names the cause.", "Forgets the effect."]
        >>> round(calculate_bertscore_similarity(baseline, baseline[::-1])["f1"], 6)
        1.0
        >>> round(calculate_bertscore_similarity(baseline, baseline[:1])["f1"], 6)
        0.5
    """
    _check_pairing(pairing)
    baseline, test = (
        [text.strip() for text in texts if text.strip()] for texts in (baseline_texts, test_texts)
    )
    if not baseline or not test:
        return dict.fromkeys(("precision", "recall", "f1"), 0.0 if baseline or test else math.nan)
    pairs = _pair_texts(baseline, test, pairing, embedder)
    scores = _scorer(cast("Hashable", embedder)).score(
        [test[column] for column in pairs[:, 1]], [baseline[row] for row in pairs[:, 0]]
    )
    counted = len(pairs) if pairing == "position" else max(len(baseline), len(test))
    return {
        name: 1 - similarity_loss(values.tolist(), counted)
        for name, values in (("precision", scores.precision), ("recall", scores.recall), ("f1", scores.f1))
    }


def calculate_credit_drift(
    baseline_feedbacks: Sequence[Feedback],
    test_feedbacks: Sequence[Feedback],
    *,
    pairing: str = "assignment",
    credit_range: float | None = None,
    embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
) -> dict[str, float]:
    """Compute the differences of credits between paired feedback.

    Args:
        baseline_feedbacks: the baseline's feedback.
        test_feedbacks: the candidate's feedback.
        pairing: ``assignment``: optimal assignment by texts, or by credits if one has no text; feedback
            without a partner counts as the range of credits. ``position``: like Athena, by position, and the
            rest is dropped.
        credit_range: the greatest possible difference of credits; by default their range with 0.
        embedder: embedder for pairing texts, see ``DriftMeter``.

    Returns:
        ``mean_drift``, ``std_drift`` and ``max_drift``. If one list is empty, they are the worst:
        ``credit_range``, or infinity if it was not given. If both are empty, they are NaN.

    Raises:
        InputError: credits are not numbers, or the range is not above 0.

    Examples:
        >>> two = [{"description": "Good.", "credits": 1.0}, {"description": "Late.", "credits": 0}]
        >>> calculate_credit_drift(two, two[::-1])["max_drift"], calculate_credit_drift(two, [])["mean_drift"]
        (0.0, inf)
    """
    _check_pairing(pairing)
    if credit_range is not None and not 0 < credit_range < math.inf:
        raise InputError("credit_range", f"must be above 0 and finite, got {credit_range}")
    if not baseline_feedbacks or not test_feedbacks:
        existing = baseline_feedbacks or test_feedbacks
        worst = (math.inf if credit_range is None else credit_range) if existing else math.nan
        return {"mean_drift": worst, "std_drift": 0.0 if existing else math.nan, "max_drift": worst}
    baseline, test = _credits(baseline_feedbacks), _credits(test_feedbacks)
    known = [number for number in (*baseline.tolist(), *test.tolist()) if not math.isnan(number)]
    span = span_of(known or [0.0]) if credit_range is None else credit_range
    left_texts, right_texts = feedback_texts(baseline_feedbacks), feedback_texts(test_feedbacks)
    if pairing == "assignment" and not all((*left_texts, *right_texts)):
        distance = number_distances(baseline[:, None], test[:, None], np.array([span]))
        pairs = align(np.zeros_like(distance), distance)
    else:
        pairs = _pair_texts(left_texts, right_texts, pairing, embedder)
    if pairing == "position":
        baseline, test, pairs = (
            baseline[pairs[:, 0]],
            test[pairs[:, 1]],
            align_by_position(len(pairs), len(pairs)),
        )
    return _drift(number_differences(baseline, test, pairs, span))


def credit_span(feedbacks: Sequence[Feedback]) -> float | None:
    """Return the range of the feedback's credits and 0; ``None`` without credits."""
    known = _credits(feedbacks)
    known = known[~np.isnan(known)]
    return span_of(known.tolist()) if len(known) else None


def feedback_texts(feedbacks: Sequence[Feedback]) -> list[str]:
    """Return the text (title and description) of each feedback; "" if it has none."""
    return [
        split_reasoning(feedback_text(feedback, CellLocation("feedbacks", row, "title")) or "")[1]
        for row, feedback in enumerate(feedbacks)
    ]


class QualityDriftAnalyzer:
    """Comparison of a model's feedback for one exercise with the baseline's.

    Args:
        pairing: see ``calculate_bertscore_similarity``.
        embedder: embedder for BERTScore, see ``DriftMeter``.
        credit_range: the greatest possible difference of credits; by default the range of the baseline's
            credits and 0.

    Attributes:
        baseline_feedbacks: the baseline's feedback by the submission's id.
        test_feedbacks: the model's feedback by the submission's id; the caller fills it.
        baseline_info: the exercise file's information about its baseline.
    """

    def __init__(
        self,
        *,
        pairing: str = "assignment",
        embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
        credit_range: float | None = None,
    ) -> None:
        self.pairing, self.embedder, self.credit_range = pairing, embedder, credit_range
        self.baseline_feedbacks: dict[Any, Sequence[Feedback]] = {}
        self.test_feedbacks: dict[Any, Sequence[Feedback]] = {}
        self.baseline_info: dict[str, Any] = {}

    def load_baseline_feedbacks(self, exercise_data_path: str | Path) -> None:
        """Load an exercise file in either format.

        Raises:
            InputError: the file cannot be read.
        """
        content, name = load_exercise(exercise_data_path), Path(exercise_data_path).name
        exercise = exercise_of(content, name)
        stated = {"model": exercise.model, "generated_at": exercise.generated}
        known = {key: value for key, value in stated.items() if value is not None}
        info = content.get("baseline_info")
        self.baseline_info = {**known, **(info if isinstance(info, dict) else {})}
        self.baseline_feedbacks |= {
            submission["id"]: feedback_of(submission, name, str(submission["id"]))
            for submission in submissions_of(content, name)
        }

    def calculate_bertscore_similarity(
        self, baseline_texts: Sequence[str], test_texts: Sequence[str]
    ) -> dict[str, float]:
        """Compute BERTScore of two lists of feedback; see the function of this name."""
        return calculate_bertscore_similarity(
            baseline_texts, test_texts, pairing=self.pairing, embedder=self.embedder
        )

    def calculate_credit_drift(
        self, baseline_feedbacks: Sequence[Feedback], test_feedbacks: Sequence[Feedback]
    ) -> dict[str, float]:
        """Compute the differences of credits; see the function of this name."""
        known = credit_span([*chain.from_iterable(self.baseline_feedbacks.values())])
        return calculate_credit_drift(
            baseline_feedbacks,
            test_feedbacks,
            pairing=self.pairing,
            credit_range=known if self.credit_range is None else self.credit_range,
            embedder=self.embedder,
        )

    def analyze_quality_drift(self, submission_id: Any) -> dict[str, dict[str, float]]:
        """Compare the feedback of one submission.

        Returns:
            ``bertscore`` and ``credit_drift``; a submission missing in ``test_feedbacks`` has no feedback.

        Raises:
            UnknownNameError: the baseline has no such submission.
        """
        if submission_id not in self.baseline_feedbacks:
            raise UnknownNameError(
                "submission_id",
                f"must be one that was loaded, got {submission_id!r}; load its exercise first",
            )
        baseline = self.baseline_feedbacks[submission_id]
        test = self.test_feedbacks.get(submission_id, [])
        return {
            "bertscore": self.calculate_bertscore_similarity(feedback_texts(baseline), feedback_texts(test)),
            "credit_drift": self.calculate_credit_drift(baseline, test),
        }


@dataclass(frozen=True)
class ItemFigures:
    """Figures of n submissions.

    Attributes:
        bertscore_f1: shape (n,); NaN if neither side has feedback.
        credit_drift: shape (n,); NaN if neither side has feedback. ``None`` if the baseline has no credits.
    """

    bertscore_f1: Floats
    credit_drift: Floats | None


def item_figures(comparison: Comparison, pairing: str) -> ItemFigures:
    """Compute the figures of each submission.

    Args:
        comparison: a comparison that was measured with the same pairing.
        pairing: with ``position``, feedback without a partner is dropped, like in Athena; otherwise it has
            the worst loss. A submission without feedback from one side has the worst figures in both cases.
    """
    f1 = 1 - comparison.losses(_F1)
    credit = comparison.losses(_CREDITS).copy() if _CREDITS in comparison.metrics else None
    if pairing != "position":
        return ItemFigures(f1, credit)
    for item, pairs in _together(comparison).items():
        f1[item] = np.mean(np.nan_to_num([pair.scores[_F1] for pair in pairs]))
        if credit is not None:
            credit[item] = _credit_drift(comparison, item, pairs)
    return ItemFigures(f1, credit)


def _pair_texts(baseline: Sequence[str], test: Sequence[str], pairing: str, embedder: Any) -> Integers:
    """Pair texts like the drift meter."""
    if pairing == "position":
        return align_by_position(len(baseline), len(test))
    runs = [
        Run("athena", label, (Item("1", tuple(Output(text) for text in texts)),))
        for label, texts in (("baseline", baseline), ("test", test))
    ]
    measured = _meter(embedder).measure(runs[0], runs[1])
    together = [
        (pair.baseline, pair.candidate)
        for pair in measured.pairs
        if None not in (pair.baseline, pair.candidate)
    ]
    return np.array(together, np.int64)


@lru_cache(maxsize=2)
def _meter(embedder: "str | Path | Embedder | TokenEncoder") -> DriftMeter:
    return DriftMeter(embedder)


@lru_cache(maxsize=2)
def _scorer(embedder: Any) -> BertScorer:
    return BertScorer(_meter(embedder).encoder)


def _credits(feedbacks: Sequence[Feedback]) -> Floats:
    numbers = [
        number_in(feedback.get("credits"), CellLocation("feedbacks", row, "credits"))
        for row, feedback in enumerate(feedbacks)
    ]
    return np.array([math.nan if number is None else number for number in numbers], np.float64)


def _drift(differences: Floats) -> dict[str, float]:
    if not len(differences):
        return dict.fromkeys(("mean_drift", "std_drift", "max_drift"), math.nan)
    return {
        "mean_drift": float(differences.mean()),
        "std_drift": float(differences.std()),
        "max_drift": float(differences.max()),
    }


def _check_pairing(pairing: str) -> None:
    if pairing not in PAIRINGS:
        raise UnknownNameError("pairing", f"must be one of {', '.join(PAIRINGS)}, got {pairing!r}")


def _together(comparison: Comparison) -> dict[int, list[AlignedPair]]:
    paired = defaultdict(list)
    for pair in comparison.pairs:
        if pair.baseline is not None and pair.candidate is not None:
            paired[pair.item].append(pair)
    return paired


def _credit_drift(comparison: Comparison, item: int, pairs: list[AlignedPair]) -> float:
    baseline, candidate = (
        comparison.baseline.items[item].outputs_with_text,
        comparison.candidate.items[item].outputs_with_text,
    )
    before = np.array([number_of(baseline[pair.baseline or 0], _FIELD) for pair in pairs])
    after = np.array([number_of(candidate[pair.candidate or 0], _FIELD) for pair in pairs])
    positions = align_by_position(len(pairs), len(pairs))
    return number_loss(before, after, positions, comparison.metrics[_CREDITS].span)
