"""Summary of measured consistency: counts, estimates, P(correct), and items to check."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

from semscale.answer_consistency.asking import ReplyCounts
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    TooFewLabels,
)
from semscale.answer_consistency.pairs import Contradiction
from semscale.results.summary import Summary
from semscale.stats.acceptance import AcceptanceThreshold
from semscale.stats.intervals import Estimate
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Floats

LOWEST_ITEMS = 20
"""Number of items with the lowest values in a summary."""

FEW_SAMPLES = 3
"""Number of samples below which a single deviating sample decides."""

_NO_ESTIMATE = Estimate(nan, nan, nan)


@dataclass(frozen=True)
class ConsistencyItem:
    """One measured item with its texts.

    Attributes:
        item: number of the item, from 1.
        measures: values by measure; the first one is the score.
        n_samples: number of usable samples.
        contradictions: contradictions of the answer, with their samples.
        prompt: the question; ``None`` if unknown.
        answer: the answer; ``None`` if unknown.
        samples: all samples; ``None`` for one that is missing.
        probability_correct: P(correct) with its interval, NaN if all labels are of one kind; ``None`` without
            labels.
        decision: ``accept``, ``review`` or ``abstain``; ``None`` without labels.
    """

    item: int
    measures: Mapping[str, float]
    n_samples: int
    contradictions: tuple[Contradiction, ...]
    prompt: str | None = None
    answer: str | None = None
    samples: tuple[str | None, ...] = ()
    probability_correct: Estimate | None = None
    decision: str | None = None

    @property
    def score(self) -> float:
        """Value of the first measure."""
        return next(iter(self.measures.values()))

    @property
    def n_contradicting(self) -> int:
        """Number of samples that contradict the answer."""
        return len({contradiction.sample for contradiction in self.contradictions})


@dataclass(frozen=True, repr=False, kw_only=True)
class SampledSummary(Summary):
    """Common part of the summaries of answers with samples.

    Attributes:
        columns: the use and the name of each column.
        n_samples: number of usable samples of all items.
        n_samples_left_out: number of samples that are missing, empty, not text, not read by the model, or
            that decline.
        replies: numbers of requested, saved and missing replies; ``None`` if no model was asked.
    """

    columns: tuple[tuple[str, str], ...]
    n_samples: int
    n_samples_left_out: int
    replies: ReplyCounts | None = None

    @property
    def stopped(self) -> str | None:
        """The reason why some requests were not sent, or ``None``."""
        return None if self.replies is None else self.replies.stopped

    @property
    def failed(self) -> str | None:
        """The reason why every call failed; ``None`` if there is a reply, or no model was asked."""
        return self.replies.why_failed if self.replies is not None and self.replies.all_failed else None

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON; rows are items."""
        return {"items" if name == "rows" else name: value for name, value in super().record().items()}


@dataclass(frozen=True, repr=False, kw_only=True)
class ConsistencySummary(SampledSummary):
    """Summary of n measured items.

    The estimates are the mean of each measure.

    Attributes:
        n_few_samples: number of scored items with fewer than 3 samples.
        n_windowed: number of items with a text that was read in windows.
        n_contradicted: number of items with a sample that contradicts the answer.
        n_unguarded: number of items with a sample that guards skipped, as they check only English.
        guards: number of items with a contradiction by each guard, in alphabetical order.
        floor: cosine of unrelated answers; ``None`` if none was applied.
        floor_from: source of the floor, as in ``Consistencies.floor_from``.
        scores: values of each measure, without missing ones; from a sample of 100,000 if there are more
            items.
        group_scores: values of the first measure, by group, likewise.
        lowest: at most 20 items with the lowest values of the first measure, the lowest first.
        correctness: P(correct) and decisions; ``None`` without labels.
        too_few_labels: labels of the items with a consistency, if they are too few for P(correct).
        n_null_answers: number of scored items with the answer ``None``, ``null``, ``nil`` or ``NaN``.
        same_by: for measures of meanings, number of items by method of comparing meanings; else empty.
    """

    instrument = "consistency"
    language_of = ("language",)

    n_few_samples: int
    n_windowed: int
    n_contradicted: int
    n_unguarded: int
    guards: Mapping[str, int]
    floor: float | None
    floor_from: str
    scores: Mapping[str, Floats]
    group_scores: Mapping[str | None, Floats]
    lowest: tuple[ConsistencyItem, ...]
    correctness: CorrectnessProbability | None = None
    too_few_labels: TooFewLabels | None = None
    n_null_answers: int = 0
    same_by: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_sampled(self) -> bool:
        """Return whether ``scores`` and ``group_scores`` are those of a sample."""
        return self.n > SAMPLED_ROWS

    @property
    def main(self) -> str:
        """Name of the first measure."""
        return next(iter(self.scores))

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers of consistency by name, for JSON."""
        return {
            "samples": self.n_samples,
            "samples_left_out": self.n_samples_left_out,
            "windowed": self.n_windowed,
            "floor": self.floor,
            "contradicted": self.n_contradicted,
            "unguarded": self.n_unguarded,
            "guards": self.guards,
            "same_by": self.same_by,
            "trust": None if self.correctness is None else _correctness_record(self.correctness),
            "asking": None if self.replies is None else _asking_record(self.replies),
            "lowest": [_item_record(item) for item in self.lowest],
            "stopped": self.stopped,
        }


def _asking_record(replies: ReplyCounts) -> dict[str, int]:
    decided = {"p_true_decisions": replies.n_decided} if replies.n_decided else {}
    return {"replies": replies.n_calls, "saved": replies.n_saved, "failed": replies.n_failed, **decided}


def _correctness_record(correctness: CorrectnessProbability) -> dict[str, Any]:
    figures = correctness.figures
    return {
        "curve": correctness.curve,
        "measure": correctness.measure,
        "labels": correctness.labels.total,
        "labels_right": correctness.labels.right,
        "brier": _NO_ESTIMATE if figures is None else figures.brier,
        "brier_of_share": None if figures is None else figures.brier_of_share,
        "calibration_error": None if figures is None else figures.error,
        "calibration_error_by_chance": None if figures is None else figures.error_by_chance,
        "areas": correctness.areas,
        "area_labels": correctness.comparison.n,
        "common_areas": correctness.comparison.common,
        "common_labels": correctness.comparison.n_common,
        "weights": correctness.weights,
        "filled": correctness.filled,
        "accept": _threshold_record(correctness.triage.accept),
        "abstain": _threshold_record(correctness.triage.abstain),
        "reviewed": correctness.triage.reviewed,
        "confidence": correctness.triage.confidence,
        "bins": () if figures is None else figures.bins,
    }


def _threshold_record(side: AcceptanceThreshold) -> dict[str, Any]:
    return {
        "value": side.value,
        "error_rate": side.error_rate,
        "share": side.accepted,
        "labels": side.n_accepted,
        "errors": side.n_errors,
        "note": side.note,
    }


def _item_record(item: ConsistencyItem) -> dict[str, Any]:
    estimate = item.probability_correct
    return {
        "item": item.item,
        "prompt": item.prompt,
        "answer": item.answer,
        "samples": item.samples,
        **item.measures,
        "probability_correct": estimate and estimate.value,
        "probability_correct_low": estimate and estimate.low,
        "probability_correct_high": estimate and estimate.high,
        "decision": item.decision,
        "contradictions": [
            {
                "sample": contradiction.sample,
                "guard": contradiction.finding.guard,
                "reason": contradiction.finding.reason,
            }
            for contradiction in item.contradictions
        ],
    }
