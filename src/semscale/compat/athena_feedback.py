"""Athena's two figures of a submission: BERTScore of feedback texts, and the difference of credits."""

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from semscale.drift.measure.assignment import PAIRINGS, align, align_by_position
from semscale.drift.measure.losses import number_differences, number_distances, similarity_loss, span_of
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.runs.output_cells import CellLocation, feedback_text, number_in
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.matching.bertscore import BertScorer
from semscale.types import Floats, Integers
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.token_states import TokenEncoder

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
        embedder: of BERTScore, as ``DriftMeter`` takes it.

    Returns:
        Mean ``precision``, ``recall`` and ``f1``; 0 if only one list has a text, NaN if neither has.

    Raises:
        UnknownNameError: ``pairing`` is neither of the two.

    Example:
        >>> baseline = ["Names the cause.", "Forgets the effect."]
        >>> round(calculate_bertscore_similarity(baseline, baseline[::-1])["f1"], 6)
        1.0
        >>> round(calculate_bertscore_similarity(baseline, baseline[:1])["f1"], 6)
        0.5
    """
    _check_pairing(pairing)
    ours, theirs = (
        [text.strip() for text in texts if text.strip()] for texts in (baseline_texts, test_texts)
    )
    if not ours or not theirs:
        return dict.fromkeys(("precision", "recall", "f1"), 0.0 if ours or theirs else math.nan)
    pairs = _paired(ours, theirs, pairing, embedder)
    scores = _scorer(cast("Hashable", embedder)).score(
        [theirs[column] for column in pairs[:, 1]], [ours[row] for row in pairs[:, 0]]
    )
    counted = len(pairs) if pairing == "position" else max(len(ours), len(theirs))
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
        embedder: pairs the texts; as ``DriftMeter`` takes it.

    Returns:
        ``mean_drift``, ``std_drift`` and ``max_drift``. If one list is empty, they are the worst:
        ``credit_range``, or infinity if it was not given. If both are empty, they are NaN.

    Raises:
        InputError: credits are no numbers, or the range is not above 0.

    Example:
        >>> two = [{"description": "Good.", "credits": 1.0}, {"description": "Late.", "credits": 0}]
        >>> calculate_credit_drift(two, two[::-1])["max_drift"], calculate_credit_drift(two, [])["mean_drift"]
        (0.0, inf)
    """
    _check_pairing(pairing)
    if credit_range is not None and not 0 < credit_range < math.inf:
        raise InputError(f"credit_range must be above 0 and finite, got {credit_range}")
    if not baseline_feedbacks or not test_feedbacks:
        found = baseline_feedbacks or test_feedbacks
        worst = (math.inf if credit_range is None else credit_range) if found else math.nan
        return {"mean_drift": worst, "std_drift": 0.0 if found else math.nan, "max_drift": worst}
    ours, theirs = _credits(baseline_feedbacks), _credits(test_feedbacks)
    known = [number for number in (*ours.tolist(), *theirs.tolist()) if not math.isnan(number)]
    span = span_of(known or [0.0]) if credit_range is None else credit_range
    said, heard = feedback_texts(baseline_feedbacks), feedback_texts(test_feedbacks)
    if pairing == "assignment" and not all((*said, *heard)):
        distance = number_distances(ours[:, None], theirs[:, None], np.array([span]))
        pairs = align(np.zeros_like(distance), distance)
    else:
        pairs = _paired(said, heard, pairing, embedder)
    if pairing == "position":
        ours, theirs, pairs = (
            ours[pairs[:, 0]],
            theirs[pairs[:, 1]],
            align_by_position(len(pairs), len(pairs)),
        )
    return _drift(number_differences(ours, theirs, pairs, span))


def credit_span(feedbacks: Sequence[Feedback]) -> float | None:
    """Return the range of the feedback's credits and 0; ``None`` without credits."""
    known = _credits(feedbacks)
    known = known[~np.isnan(known)]
    return span_of(known.tolist()) if len(known) else None


def feedback_texts(feedbacks: Sequence[Feedback]) -> list[str]:
    """Return the text (title and description) of each feedback; "" if it has none."""
    return [
        feedback_text(one, CellLocation("feedbacks", row, "title")) or "" for row, one in enumerate(feedbacks)
    ]


def _paired(ours: Sequence[str], theirs: Sequence[str], pairing: str, embedder: Any) -> Integers:  # noqa: ANN401
    """Pair texts like the drift meter."""
    if pairing == "position":
        return align_by_position(len(ours), len(theirs))
    runs = [
        Run("athena", which, (Item("1", tuple(Output(text) for text in texts)),))
        for which, texts in (("baseline", ours), ("test", theirs))
    ]
    (measured,) = _meter(embedder).measure(runs[0], runs[1:])
    together = [
        (one.baseline, one.candidate) for one in measured.pairs if None not in (one.baseline, one.candidate)
    ]
    return np.array(together, np.int64)


@lru_cache(maxsize=2)
def _meter(embedder: "str | Path | Embedder | TokenEncoder") -> DriftMeter:
    return DriftMeter(embedder)


@lru_cache(maxsize=2)
def _scorer(embedder: Any) -> BertScorer:  # noqa: ANN401
    return BertScorer(_meter(embedder).encoder)


def _credits(feedbacks: Sequence[Feedback]) -> Floats:
    numbers = [
        number_in(one.get("credits"), CellLocation("feedbacks", row, "credits"))
        for row, one in enumerate(feedbacks)
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
        raise UnknownNameError(f"pairing must be one of {', '.join(PAIRINGS)}, got {pairing!r}")
