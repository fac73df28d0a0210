"""Summary of measured consistency: counts, estimates, P(correct), and items to look at."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.answer_consistency.asking import ReplyCounts
from semscale.answer_consistency.contradictions import Contradiction
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    LabelledMeasures,
    TooFewLabels,
)
from semscale.answer_consistency.samples import guards_read_samples
from semscale.embedding.languages.language_counts import LanguageCount, LanguageCounter
from semscale.embedding.languages.unread_language import LanguageSample, UnreadLanguage
from semscale.matching.summary import scores_by_group
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, summary_in_words
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.results.tallies import NO_VALUE
from semscale.signature import Signature
from semscale.stats.calibration.acceptance import AcceptanceThreshold
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.sampling import SAMPLED_ROWS, ColumnSample
from semscale.store.columns import is_missing
from semscale.types import Floats, Integers, Status

if TYPE_CHECKING:
    from semscale.answer_consistency.consistencies import Consistencies

LOWEST_ITEMS = 20
"""Items with the lowest values that a summary lists."""

FEW_SAMPLES = 3
"""Samples below which one that differs by chance decides."""

_NO_ESTIMATE = Estimate(nan, nan, nan)
_GROUP = " group"  # column of the sample, beside those of the measures
_NULL_WORDS = frozenset({"none", "null", "nil", "nan"})


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
        samples: all samples; ``None`` for one that is missing.
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
        """Samples that contradict the answer."""
        return len({contradiction.sample for contradiction in self.contradictions})


@dataclass(frozen=True, repr=False)
class ConsistencySummary(Presentable):
    """Figures of n measured items, and the items to look at.

    Attributes:
        source: name of the table; empty without one.
        columns: the use and the name of each column.
        n: number of items.
        counts: items by status.
        n_samples: usable samples of all items.
        n_samples_left_out: samples that are missing, empty, no text or not read by the model.
        n_few_samples: scored items with fewer than 3 samples.
        n_windowed: items with a text that was read in windows.
        n_contradicted: items with a sample that contradicts the answer.
        n_unguarded: items with a sample that guards skipped, as they read English alone.
        guards: in how many items each guard found a contradiction, in the order of the alphabet.
        floor: cosine of unrelated answers; ``None`` where none was applied.
        floor_from: its source, as ``Consistencies.floor_from`` has it.
        estimates: the mean of each measure with its interval, of all items and of each group.
        scores: values of each measure, of the items that have one; of more than 100,000 items those of a
            sample of 100,000.
        group_scores: values of the first measure, by group, likewise.
        lowest: the items with the lowest values of the first measure, at most 20, the lowest first.
        examples: numbers from 1 and texts of a few items that have no value, by status.
        signature: the settings that were applied, those of the estimates included.
        correctness: P(correct) and decisions, where answers were labelled.
        replies: how many replies were asked for, saved, and did not come, where a model was asked.
        too_few_labels: labels of the items with a consistency, where they are too few for P(correct).
        languages: items by the language of the answer, the most frequent first.
        unread_language: the language of most answers, if the model does not read it.
        n_null_words: scored items whose answer reads ``None``, ``null``, ``nil`` or ``NaN``.
        same_by: for measures of meanings, items by the ground on which texts mean the same; else empty.
        input_notes: notes on reading the table, such as the rows that a condition left out.
        created: time of the summary.
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
        """The reason why not everything was asked, or ``None``."""
        return None if self.replies is None else self.replies.stopped

    @property
    def failed(self) -> str | None:
        """The reason why every call failed; ``None`` where a reply came, or where no model was asked."""
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
            "languages": [language.record("language") for language in self.languages],
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


def _item_record(item: ConsistencyItem) -> dict[str, Any]:
    return {
        "item": item.item,
        "prompt": item.prompt,
        "answer": item.answer,
        "samples": item.samples,
        **item.measures,
        "probability_correct": item.probability_correct,
        "probability_correct_low": item.probability_correct_low,
        "probability_correct_high": item.probability_correct_high,
        "decision": item.decision,
        "contradictions": [
            {"sample": one.sample, "guard": one.finding.guard, "reason": one.finding.reason}
            for one in item.contradictions
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
        """Give the first text of an item that is not blank: its answer, its prompt or a sample."""
        cells = (self.answers[item], self.prompts[item], *self.samples[item])
        return next((text for cell in cells if (text := (_text(cell) or "").strip())), None)

    def is_unguarded(self, item: int) -> bool:
        """Tell whether guards skipped a sample of an item, as one of the texts is not in English."""
        samples = [text for text in map(_text, self.samples[item]) if text is not None]
        return not all(guards_read_samples(_text(self.answers[item]) or "", samples))


class ConsistencyTally:
    """Counts measured items in their order, in parts of any size, and sums them up for a report.

    Files and items in memory both go through it, so the same items give the same report. Of more than
    100,000 items, values are those of a sample.

    Args:
        seed: of the sample.
        stored: for P(correct), how many measures are stored of all items: 0, 1, or ``None`` for all of them.
            Of labelled items all measures and nulls are.
    """

    def __init__(self, seed: int = 0, *, stored: int | None = 0) -> None:
        self.n = 0
        self._stored = stored
        self._sample = ColumnSample(SAMPLED_ROWS, seed)
        self._values: dict[str, list[Floats]] = {}
        self._labelled: dict[str, list[Floats]] = {}
        self._labels: list[Floats] = []
        self._group_numbers: dict[str | None, int] = {}
        self._statuses: Counter[Status] = Counter()
        self._counts: Counter[str] = Counter()
        self._guards: Counter[str] = Counter()
        self._same_by: Counter[str] = Counter()
        self._lowest = ForemostRows[ConsistencyItem](LOWEST_ITEMS)
        self._left_out = LeftOutRows()
        self._sampled_texts = LanguageSample()
        self._languages = LanguageCounter()

    def add(
        self,
        items: "Consistencies",
        texts: AnswerTexts,
        groups: Sequence[str | None] = (),
        labels: Floats | None = None,
    ) -> None:
        """Count the next items.

        Args:
            items: m items.
            texts: of the same items.
            groups: m names of groups; empty without groups.
            labels: shape (m,), as ``read_labels`` gives them; ``None`` without labels.
        """
        first, score = self.n, items.score
        self.n += len(items)
        self._add_values(items, groups)
        if labels is not None:
            self._add_labels(items, labels)
        self._add_counts(items, texts)
        self._lowest.add(score, first, lambda item: _item(items, texts, item, first))
        reasons = np.where(items.scored & np.isnan(score), NO_VALUE, items.status)
        self._left_out.add(reasons, first, texts.example)
        self._languages.add_texts(([_text(cell) or ""] for cell in texts.answers), items.status)
        has_words = np.flatnonzero(np.isin(items.status, [Status.SCORED, Status.WEIGHTLESS]))
        self._sampled_texts.add(has_words, lambda item: _text(texts.answers[item]) or "", first)

    def _add_values(self, items: "Consistencies", groups: Sequence[str | None]) -> None:
        columns: dict[str, Floats | Integers] = dict(items.measures)
        if groups:
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
        self._statuses.update(items.status.tolist())
        counts["samples"] += int(items.n_samples.sum())
        counts["samples left out"] += int(items.samples_left_out.sum())
        counts["few samples"] += int((items.n_samples[items.scored] < FEW_SAMPLES).sum())
        counts["windowed"] += items.n_windowed
        counts["null words"] += sum(_is_null_word(texts.answers[item]) for item in scored)
        counts["contradicted"] += sum(map(bool, items.contradictions))
        counts["unguarded"] += sum(map(texts.is_unguarded, scored))
        self._same_by.update(str(ground) for ground in items.same_by if ground is not None)
        for contradictions in items.contradictions:
            self._guards.update({one.finding.guard for one in contradictions})

    @property
    def measures(self) -> dict[str, Floats]:
        """For each measure that is stored the values of all items, shape (n,), NaN where there is none."""
        return {name: np.concatenate(parts) for name, parts in self._values.items()}

    @property
    def labels(self) -> Floats | None:
        """Labels of all items, shape (n,), NaN where there is none; ``None`` without labels."""
        return np.concatenate(self._labels).astype(np.float64) if self._labels else None

    @property
    def labelled(self) -> LabelledMeasures:
        """Measures and nulls of the labelled items, with their labels."""
        labels = np.concatenate(self._labels).astype(np.float64)
        values = {name: np.concatenate(parts) for name, parts in self._labelled.items()}
        return LabelledMeasures(values, labels[~np.isnan(labels)])

    def summary(
        self,
        estimates: Estimates,
        correctness: CorrectnessProbability | None = None,
        **more: Any,  # noqa: ANN401 - fields of the summary
    ) -> ConsistencySummary:
        """Sum up all items.

        Args:
            estimates: made from the same items; the summary has their signature.
            correctness: P(correct) and decisions, where answers were labelled.
            more: fields of the summary that items do not have: ``floor``, ``floor_from``, ``source``,
                ``columns``, ``replies``, ``too_few_labels``.
        """
        counts, measures, fields = self._counts, self._sample.columns, dict(estimates.signature.fields)
        groups = measures.pop(_GROUP, None)
        names = list(self._group_numbers)
        guards_alone = "guards" in fields and "contradiction_above" not in fields
        return ConsistencySummary(
            n=self.n,
            counts={str(status): self._statuses[status] for status in Status if self._statuses[status]},
            n_samples=counts["samples"],
            n_samples_left_out=counts["samples left out"],
            n_few_samples=counts["few samples"],
            n_windowed=counts["windowed"],
            n_contradicted=counts["contradicted"],
            n_unguarded=counts["unguarded"] if guards_alone else 0,
            guards=dict(sorted(self._guards.items())),
            estimates=estimates,
            scores={name: values[~np.isnan(values)] for name, values in measures.items()},
            group_scores={}
            if groups is None
            else scores_by_group(next(iter(measures.values())), [names[group] for group in groups.tolist()]),
            lowest=tuple(_with_correctness(item, correctness) for item in self._lowest.items),
            examples={
                reason: tuple((row + 1, text) for row, text in rows)
                for reason, rows in self._left_out.examples.items()
            },
            signature=estimates.signature,
            correctness=correctness,
            languages=self._languages.counts,
            unread_language=self._sampled_texts.unread_language(estimates.signature),
            n_null_words=counts["null words"],
            same_by=dict(sorted(self._same_by.items())),
            **more,
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
    return replace(
        item,
        probability_correct=float(single.probability[0]),
        probability_correct_low=float(single.low[0]),
        probability_correct_high=float(single.high[0]),
        decision=single.decision[0],
    )


def _is_null_word(cell: object) -> bool:
    """Tell whether an answer is a word that programs write where there is none."""
    return isinstance(cell, str) and cell.strip(" .\n\t").casefold() in _NULL_WORDS


def _text(cell: object) -> str | None:
    return None if is_missing(cell) else str(cell)
