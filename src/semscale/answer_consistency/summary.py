"""Summary of measured consistency: counts, estimates, P(correct), and items to look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import nan
from typing import Any

from semscale.answer_consistency.asking import ReplyCounts
from semscale.answer_consistency.contradictions import Contradiction
from semscale.answer_consistency.correctness import CorrectnessProbability, TooFewLabels
from semscale.embedding.languages.language_counts import LanguageCount
from semscale.embedding.languages.unread_language import UnreadLanguage
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, summary_in_words
from semscale.signature import Signature
from semscale.stats.calibration.acceptance import AcceptanceThreshold
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Floats

KEPT_ITEMS = 20
"""How many items with the lowest values a summary keeps."""

FEW_SAMPLES = 3
"""Samples below which one that differs by chance decides."""

_NO_ESTIMATE = Estimate(nan, nan, nan)


@dataclass(frozen=True)
class ConsistencyItem:
    """One measured item with its texts.

    Attributes:
        item: its number, from 1.
        measures: its values by measure; the first one is its score.
        n_samples: usable samples.
        contradictions: what contradicts the answer, and in which sample.
        prompt: the question; ``None`` where it is not known.
        answer: the answer, likewise.
        samples: the samples as they were given; ``None`` for one that is missing.
        probability_correct: P(correct), NaN where all labels are of one kind; ``None`` without labels.
        probability_correct_low: lower end of its interval, likewise.
        probability_correct_high: upper end, likewise.
        decision: ``accept``, ``review`` or ``abstain``; ``None`` likewise.
    """

    item: int
    measures: Mapping[str, float]
    n_samples: int
    contradictions: tuple[Contradiction, ...]
    prompt: str | None = None
    answer: str | None = None
    samples: tuple[str | None, ...] = ()
    probability_correct: float | None = None
    decision: str | None = None
    probability_correct_low: float | None = None
    probability_correct_high: float | None = None

    @property
    def score(self) -> float:
        """Value of the first measure."""
        return next(iter(self.measures.values()))

    @property
    def n_contradicting(self) -> int:
        """How many samples contradict the answer."""
        return len({one.sample for one in self.contradictions})


@dataclass(frozen=True, repr=False)
class ConsistencySummary(Presentable):
    """Figures of n measured items, and the items to look at.

    Attributes:
        source: what the table is called; empty without one.
        columns: what columns were used for, each with its name.
        n: how many items there are.
        counts: items by status.
        n_samples: usable samples of all items.
        n_samples_left_out: samples that are missing, empty, no text or not read by the model.
        n_few_samples: scored items with fewer than 3 samples.
        n_windowed: items with a text that was read in windows.
        n_contradicted: items with a sample that contradicts the answer.
        n_unguarded: items with a sample that guards passed over, as they read English alone.
        guards: in how many items each guard found a contradiction, in the order of the alphabet.
        floor: cosine of unrelated answers; ``None`` where none was applied.
        floor_from: where it is from, as ``Consistencies.floor_from`` has it.
        estimates: the mean of each measure with its interval, of all items and of each group.
        scores: values of each measure, of the items that have one; of more than 100,000 items those of a
            sample of 100,000.
        group_scores: values of the first measure, by group, likewise.
        lowest: the items with the lowest values of the first measure, at most 20, the lowest first.
        examples: numbers from 1 and texts of a few items that have no value, by status.
        signature: what was applied, the settings of the estimates included.
        correctness: P(correct) and decisions, where answers were labelled.
        replies: how many replies were asked for, saved, and did not come, where a model was asked.
        too_few_labels: labels of the items with a consistency, where they are too few for P(correct).
        languages: items by the language of the answer, the most frequent first.
        unread_language: the language of most answers, if the model does not read it.
        n_null_words: scored items whose answer reads ``None``, ``null``, ``nil`` or ``NaN``.
        same_by: for measures of meanings, items by what texts were found to mean the same; else empty.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: when.
    """

    source: str
    columns: tuple[tuple[str, str], ...]
    n: int
    counts: Mapping[str, int]
    n_samples: int
    n_samples_left_out: int
    n_few_samples: int
    n_windowed: int
    n_contradicted: int
    n_unguarded: int
    guards: Mapping[str, int]
    floor: float | None
    floor_from: str
    estimates: Estimates
    scores: Mapping[str, Floats]
    group_scores: Mapping[str | None, Floats]
    lowest: tuple[ConsistencyItem, ...]
    examples: Mapping[str, tuple[tuple[int, str], ...]]
    signature: Signature
    correctness: CorrectnessProbability | None = None
    replies: ReplyCounts | None = None
    too_few_labels: TooFewLabels | None = None
    languages: tuple[LanguageCount, ...] = ()
    unread_language: UnreadLanguage | None = None
    n_null_words: int = 0
    same_by: Mapping[str, int] = field(default_factory=dict)
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        scored = self.estimates.overall.n
        return summary_in_words("ConsistencySummary", self.source, self.n, scored, self.estimates)

    @property
    def is_sampled(self) -> bool:
        """Whether ``scores`` and ``group_scores`` are those of a sample."""
        return self.n > SAMPLED_ROWS

    @property
    def main(self) -> str:
        """Name of the first measure."""
        return next(iter(self.scores))

    @property
    def stopped(self) -> str | None:
        """Why not everything was asked, or ``None``."""
        return None if self.replies is None else self.replies.stopped

    @property
    def failed(self) -> str | None:
        """Why every call failed; ``None`` where one brought a reply, or where nobody was asked."""
        return self.replies.why_failed if self.replies is not None and self.replies.all_failed else None

    def least(self, n: int) -> tuple[ConsistencyItem, ...]:
        """Items with the lowest values of the first measure, at most 20, the lowest first."""
        return self.lowest[:n]

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        replies = self.replies
        return {
            "instrument": "consistency",
            "source": self.source,
            "items": self.n,
            "counts": self.counts,
            "unread_language": self.unread_language,
            "languages": [found.record("language") for found in self.languages],
            "samples": self.n_samples,
            "samples_left_out": self.n_samples_left_out,
            "windowed": self.n_windowed,
            "floor": self.floor,
            "estimates": self.estimates,
            "contradicted": self.n_contradicted,
            "unguarded": self.n_unguarded,
            "guards": self.guards,
            "same_by": self.same_by,
            "trust": None if self.correctness is None else _correctness_record(self.correctness),
            "asking": None if replies is None else _asking_record(replies),
            "lowest": [_item_record(item) for item in self.lowest],
            "stopped": self.stopped,
            "signature": self.signature,
            "created": self.created,
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


def _item_record(one: ConsistencyItem) -> dict[str, Any]:
    return {
        "item": one.item,
        "prompt": one.prompt,
        "answer": one.answer,
        "samples": one.samples,
        **one.measures,
        "probability_correct": one.probability_correct,
        "probability_correct_low": one.probability_correct_low,
        "probability_correct_high": one.probability_correct_high,
        "decision": one.decision,
        "contradictions": [
            {"sample": found.sample, "guard": found.finding.guard, "reason": found.finding.reason}
            for found in one.contradictions
        ],
    }
