"""Summary of measured consistency: counts, estimates, P(correct), and items to check."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.answer_consistency.asking import ReplyCounts
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    LabelledMeasures,
    TooFewLabels,
)
from semscale.answer_consistency.measures import MEASURES
from semscale.answer_consistency.pairs import Contradiction, guards_read_samples
from semscale.matching.summary import scores_by_group
from semscale.results.estimates import NO_VALUE
from semscale.results.summary import ForemostRows, LeftOutRows, RowTally, Summary
from semscale.signature import Signature
from semscale.stats.acceptance import AcceptanceThreshold
from semscale.stats.intervals import Estimate, IntervalPlan, value_figure
from semscale.stats.sampling import SAMPLED_ROWS, ColumnSample
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from semscale.answer_consistency.consistencies import Consistencies

LOWEST_ITEMS = 20
"""Number of items with the lowest values in a summary."""

FEW_SAMPLES = 3
"""Number of samples below which a single deviating sample decides."""

_NO_ESTIMATE = Estimate(nan, nan, nan)
_GROUP = " group"  # column of the sample, beside those of the measures
_NULL_ANSWERS = frozenset({"none", "null", "nil", "nan"})


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

    def own_record(self) -> dict[str, Any]:
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


@dataclass(frozen=True)
class AnswerTexts:
    """The texts of n items.

    Attributes:
        prompts: n cells.
        answers: n cells.
        samples: n lists of cells.
    """

    prompts: Sequence[Any]
    answers: Sequence[Any]
    samples: Sequence[Sequence[Any]]

    def example(self, item: int) -> str | None:
        """Return the first text of an item that is not blank: its answer, its prompt or a sample."""
        cells = (self.answers[item], self.prompts[item], *self.samples[item])
        return next((text for cell in cells if (text := (_text(cell) or "").strip())), None)

    def is_unguarded(self, item: int) -> bool:
        """Return whether guards skipped a sample of an item, as one of the texts is not in English."""
        samples = [text for text in map(_text, self.samples[item]) if text is not None]
        return not all(guards_read_samples(_text(self.answers[item]) or "", samples))


class ConsistencyTally:
    """Counts measured items, added in order and in parts of any size, for a report.

    It is used for files and for items in memory, so the same items give the same report. With more than
    100,000 items, values are those of a sample.

    Args:
        items: the first part, with the measures and the signature of all parts.
        by: name of the column of groups; ``None`` without groups.
        seed: seed of the sample.
        stored: number of measures to store of all items for P(correct): 0, 1, or ``None`` for all. All
            measures and baselines of labelled items are stored.
    """

    def __init__(
        self, items: "Consistencies", *, by: str | None = None, seed: int = 0, stored: int | None = 0
    ) -> None:
        figures = [value_figure(name, MEASURES[name].bounds) for name in items.measures]
        self._rows = RowTally(figures, items.signature, by=[] if by is None else [by])
        self._by, self._stored = by, stored
        self._floor: tuple[float | None, str] = (items.floor, items.floor_from)
        self._sample = ColumnSample(SAMPLED_ROWS, seed)
        self._values: dict[str, list[Floats]] = {}
        self._labelled: dict[str, list[Floats]] = {}
        self._labels: list[Floats] = []
        self._group_numbers: dict[str | None, int] = {}
        self._counts: Counter[str] = Counter()
        self._guards: Counter[str] = Counter()
        self._same_by: Counter[str] = Counter()
        self._lowest = ForemostRows[ConsistencyItem](LOWEST_ITEMS)
        self._left_out = LeftOutRows()

    def add(  # noqa: PLR0913 - columns of the items
        self,
        items: "Consistencies",
        texts: AnswerTexts,
        *,
        groups: Sequence[str | None] | None = None,
        labels: Floats | None = None,
        weights: object = None,
        respondents: object = None,
    ) -> None:
        """Add the next items.

        Args:
            items: m items.
            texts: texts of the same items.
            groups: m names of groups; ``None`` without groups.
            labels: shape (m,), from ``read_labels``; ``None`` without labels.
            weights: shape (m,), for the estimates.
            respondents: shape (m,), for the estimates.
        """
        first, score = self._rows.n, items.score
        self._floor = items.floor, items.floor_from
        self._add_values(items, groups)
        if labels is not None:
            self._add_labels(items, labels)
        self._add_counts(items, texts)
        self._lowest.add(score, first, lambda item: _item(items, texts, item, first))
        reasons = np.where(items.scored & np.isnan(score), NO_VALUE, items.status)
        self._left_out.add(reasons, first, texts.example)
        self._rows.add(
            np.column_stack(list(items.measures.values())),
            items.status,
            groups=None if self._by is None or groups is None else {self._by: groups},
            weights=weights,
            respondents=respondents,
        )
        answers = [_text(cell) or "" for cell in texts.answers]
        self._rows.add_languages(([answer] for answer in answers), items.status)
        self._rows.sample_language(items.status, answers.__getitem__)

    def _add_values(self, items: "Consistencies", groups: Sequence[str | None] | None) -> None:
        columns: dict[str, Floats | Integers] = dict(items.measures)
        if groups is not None:
            known = self._group_numbers
            columns[_GROUP] = np.array([known.setdefault(name, len(known)) for name in groups], np.int64)
        self._sample.add(columns)
        for name, values in list(items.measures.items())[: self._stored]:
            self._values.setdefault(name, []).append(values)

    def _add_labels(self, items: "Consistencies", labels: Floats) -> None:
        known = ~np.isnan(labels)
        self._labels.append(labels.astype(np.float16))  # 0, 1 and NaN are exact
        for name, values in {**items.measures, **items.nulls}.items():
            self._labelled.setdefault(name, []).append(values[known])

    def _add_counts(self, items: "Consistencies", texts: AnswerTexts) -> None:
        scored, counts = np.flatnonzero(items.scored).tolist(), self._counts
        counts["samples"] += int(items.n_samples.sum())
        counts["samples left out"] += int(items.samples_left_out.sum())
        counts["few samples"] += int((items.n_samples[items.scored] < FEW_SAMPLES).sum())
        counts["windowed"] += items.n_windowed
        counts["null answers"] += sum(_is_null_answer(texts.answers[item]) for item in scored)
        counts["contradicted"] += sum(map(bool, items.contradictions))
        counts["unguarded"] += sum(map(texts.is_unguarded, scored))
        self._same_by.update(str(ground) for ground in items.same_by if ground is not None)
        for contradictions in items.contradictions:
            self._guards.update({contradiction.finding.guard for contradiction in contradictions})

    @property
    def measures(self) -> dict[str, Floats]:
        """Values of all items by stored measure, shape (n,), NaN where missing."""
        return {name: np.concatenate(parts) for name, parts in self._values.items()}

    @property
    def labels(self) -> Floats | None:
        """Labels of all items, shape (n,), NaN where missing; ``None`` without labels."""
        return np.concatenate(self._labels).astype(np.float64) if self._labels else None

    @property
    def labelled(self) -> LabelledMeasures:
        """Measures and baselines of the labelled items, with their labels."""
        labels = np.concatenate(self._labels).astype(np.float64)
        values = {name: np.concatenate(parts) for name, parts in self._labelled.items()}
        return LabelledMeasures(values, labels[~np.isnan(labels)])

    def summary(
        self,
        plan: IntervalPlan,
        source: str,
        *,
        signature: Signature | None = None,
        **more: Any,  # noqa: ANN401 - fields of the summary
    ) -> ConsistencySummary:
        """Summarize all items.

        Args:
            plan: settings of the intervals.
            source: source of the items.
            signature: signature of the items, if it differs from that of the first part.
            more: further fields of the summary: ``columns``, ``correctness``, ``replies`` and
                ``too_few_labels``.
        """
        common, counts, measures = (
            self._rows.common(plan, source, signature),
            self._counts,
            self._sample.columns,
        )
        fields = dict(common["signature"].fields)
        groups, names = measures.pop(_GROUP, None), list(self._group_numbers)
        score = next(iter(measures.values()))
        correctness: CorrectnessProbability | None = more.get("correctness")
        guards_alone = "guards" in fields and "contradiction_above" not in fields
        floor, floor_from = self._floor
        return ConsistencySummary(
            **{**common, **more, "left_out": self._left_out.examples},
            n_samples=counts["samples"],
            n_samples_left_out=counts["samples left out"],
            n_few_samples=counts["few samples"],
            n_windowed=counts["windowed"],
            n_contradicted=counts["contradicted"],
            n_unguarded=counts["unguarded"] if guards_alone else 0,
            guards=dict(sorted(self._guards.items())),
            floor=floor,
            floor_from=floor_from,
            scores={name: values[~np.isnan(values)] for name, values in measures.items()},
            group_scores={}
            if groups is None
            else scores_by_group(score, [names[group] for group in groups.tolist()]),
            lowest=tuple(_with_correctness(item, correctness) for item in self._lowest.items),
            n_null_answers=counts["null answers"],
            same_by=dict(sorted(self._same_by.items())),
        )


def _item(items: "Consistencies", texts: AnswerTexts, item: int, first: int) -> ConsistencyItem:
    return ConsistencyItem(
        item=first + item + 1,
        measures={name: float(values[item]) for name, values in items.measures.items()},
        n_samples=int(items.n_samples[item]),
        contradictions=items.contradictions[item],
        prompt=_text(texts.prompts[item]),
        answer=_text(texts.answers[item]),
        samples=tuple(map(_text, texts.samples[item])),
    )


def _with_correctness(item: ConsistencyItem, correctness: CorrectnessProbability | None) -> ConsistencyItem:
    if correctness is None:
        return item
    single = correctness.some(np.array([item.item - 1]))
    estimate = Estimate(float(single.probability[0]), float(single.low[0]), float(single.high[0]))
    return replace(item, probability_correct=estimate, decision=single.decision[0])


def _is_null_answer(cell: object) -> bool:
    """Return whether an answer is a word that programs write for a missing one."""
    return isinstance(cell, str) and cell.strip(" .\n\t").casefold() in _NULL_ANSWERS


def _text(cell: object) -> str | None:
    return None if is_missing(cell) else str(cell)
