"""Collects measured parts of a table and sums them up; it keeps the texts of a few items only."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from semscale.answer_consistency.asking import ReplyCounts
from semscale.answer_consistency.contradictions import Contradiction
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    LabelledMeasures,
    TooFewLabels,
)
from semscale.answer_consistency.samples import guards_read_samples
from semscale.answer_consistency.summary import (
    FEW_SAMPLES,
    KEPT_ITEMS,
    ConsistencyItem,
    ConsistencySummary,
)
from semscale.embedding.languages.language_counts import LanguageCounter
from semscale.embedding.languages.unread_language import LanguageSample
from semscale.matching.summary import scores_by_group
from semscale.results.estimates import Estimates
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.results.tallies import NO_VALUE
from semscale.signature import Signature
from semscale.stats.sampling import SAMPLED_ROWS, ColumnSample
from semscale.store.columns import is_missing
from semscale.types import Floats, Integers, Mask, ObjectArray, Status, Statuses

_GROUP = " group"  # column of the sample, beside those of the measures
_NULL_WORDS = frozenset({"none", "null", "nil", "nan"})


class MeasuredItems(Protocol):
    """Measured items as ``Consistencies`` has them: arrays with one entry for each item."""

    @property
    def measures(self) -> Mapping[str, Floats]:
        """For each measure its values; NaN where there is none."""

    @property
    def nulls(self) -> Mapping[str, Floats]:
        """Baselines from the texts' lengths alone."""

    @property
    def score(self) -> Floats:
        """Values of the first measure."""

    @property
    def status(self) -> Statuses:
        """Why each item has values, or has none."""

    @property
    def scored(self) -> Mask:
        """Which items have values."""

    @property
    def n_samples(self) -> Integers:
        """Usable samples."""

    @property
    def samples_left_out(self) -> Integers:
        """Samples that are missing, empty or no text."""

    @property
    def n_windowed(self) -> int:
        """How many items have a text that was read in windows."""

    @property
    def same_by(self) -> ObjectArray:
        """By what texts were found to mean the same; ``None`` where no measure asks."""

    @property
    def contradictions(self) -> Sequence[tuple[Contradiction, ...]]:
        """For every item what contradicts its answer."""


@dataclass(frozen=True)
class AnswerTexts:
    """The texts of n items, as they were given.

    Attributes:
        prompts: n cells.
        answers: n cells.
        samples: n lists of cells.
    """

    prompts: Sequence[Any]
    answers: Sequence[Any]
    samples: Sequence[Sequence[Any]]

    def of(self, item: int) -> Iterator[str]:
        """Texts of an item: its answer, its prompt and its samples, without white space around them."""
        cells = (self.answers[item], self.prompts[item], *self.samples[item])
        return ((_text(cell) or "").strip() for cell in cells)

    def passed_over(self, item: int) -> bool:
        """Tell whether guards passed over a sample of an item, as one of the texts is not in English."""
        answer, samples = _text(self.answers[item]) or "", map(_text, self.samples[item])
        return not all(guards_read_samples(answer, [sample for sample in samples if sample is not None]))


class ConsistencyCollector:
    """Takes measured items in their order, in parts of any size, and sums them up for a report.

    Files and items in memory both go through it, so the same items give the same report. Of more than
    100,000 items, values are kept of a sample.

    Args:
        seed: seed of the sample.
        kept: for P(correct), how many measures are kept of all items: 0, 1, or ``None`` for all of them. Of
            labelled items all measures and nulls are.
    """

    def __init__(self, seed: int = 0, *, kept: int | None = 0) -> None:
        self.n = 0
        self._counts: Counter[Status] = Counter()
        self._sample = ColumnSample(SAMPLED_ROWS, seed)
        self._kept = kept
        self._values: dict[str, list[Floats]] = {}
        self._labelled: dict[str, list[Floats]] = {}
        self._labels: list[Floats] = []
        self._names: dict[str | None, int] = {}
        self._counted: Counter[str] = Counter()
        self._guards: Counter[str] = Counter()
        self._same_by: Counter[str] = Counter()
        self._lowest = ForemostRows[ConsistencyItem](KEPT_ITEMS)
        self._left_out = LeftOutRows()
        self._sampled_texts = LanguageSample()
        self._languages = LanguageCounter()

    def add(
        self,
        found: MeasuredItems,
        texts: AnswerTexts,
        groups: Sequence[str | None] = (),
        labels: Floats | None = None,
    ) -> None:
        """Take the next items.

        Args:
            found: m items.
            texts: of the same items.
            groups: m names of groups; empty without groups.
            labels: shape (m,), as ``read_labels`` gives them; ``None`` without labels.
        """
        first = self.n
        self._take_numbers(found, groups)
        if labels is not None:
            self._take_labels(found, labels)
        self._counted["samples"] += int(found.n_samples.sum())
        self._counted["samples left out"] += int(found.samples_left_out.sum())
        self._counted["few samples"] += int((found.n_samples[found.scored] < FEW_SAMPLES).sum())
        self._counted["windowed"] += found.n_windowed
        self._counted["null words"] += sum(
            _is_null_word(texts.answers[item]) for item in np.flatnonzero(found.scored).tolist()
        )
        self._counted["contradicted"] += sum(map(bool, found.contradictions))
        self._counted["unguarded"] += sum(map(texts.passed_over, np.flatnonzero(found.scored).tolist()))
        self._same_by.update(str(ground) for ground in found.same_by if ground is not None)
        for contradictions in found.contradictions:
            self._guards.update({one.finding.guard for one in contradictions})
        self._lowest.add(found.score, first, lambda item: _item(found, texts, item, first))
        reasons = np.where(found.scored & np.isnan(found.score), NO_VALUE, found.status)
        self._left_out.add(reasons, first, lambda item: next(filter(None, texts.of(item)), None))
        worded = np.flatnonzero(np.isin(found.status, [Status.SCORED, Status.WEIGHTLESS]))
        self._languages.add_texts(([_text(cell) or ""] for cell in texts.answers), found.status)
        self._sampled_texts.add(worded, lambda item: _text(texts.answers[item]) or "", first)
        self.n += len(found.status)

    def _take_numbers(self, found: MeasuredItems, groups: Sequence[str | None]) -> None:
        self._counts.update(found.status.tolist())
        columns: dict[str, Floats | Integers] = dict(found.measures)
        if groups:
            known = self._names
            columns[_GROUP] = np.array([known.setdefault(name, len(known)) for name in groups], np.int64)
        self._sample.add(columns)
        for name, values in list(found.measures.items())[: self._kept]:
            self._values.setdefault(name, []).append(values)

    def _take_labels(self, found: MeasuredItems, labels: Floats) -> None:
        known = ~np.isnan(labels)
        self._labels.append(labels.astype(np.float16))  # 0, 1 and NaN are exact
        for name, values in {**found.measures, **found.nulls}.items():
            self._labelled.setdefault(name, []).append(values[known])

    @property
    def measures(self) -> dict[str, Floats]:
        """For each measure that is kept the values of all items, shape (n,), NaN where there is none."""
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

    def summary(  # noqa: PLR0913 - what items do not say themselves
        self,
        estimates: Estimates,
        *,
        floor: float | None,
        floor_from: str,
        source: str,
        columns: tuple[tuple[str, str], ...],
        correctness: CorrectnessProbability | None,
        replies: ReplyCounts | None,
        too_few_labels: TooFewLabels | None = None,
    ) -> ConsistencySummary:
        """Sum up everything that was taken.

        Args:
            estimates: made from the same items; the summary takes their signature.
            floor: cosine of unrelated answers; ``None`` where none was applied.
            floor_from: where it is from, as ``Floor.origin`` has it.
            source: what the items are from.
            columns: what columns were used for, each with its name.
            correctness: P(correct) and decisions, where answers were labelled.
            replies: how many replies were asked for, saved, and did not come, where a model was asked.
            too_few_labels: labels of the items with a consistency, where they are too few for P(correct).
        """
        counted, measures = self._counted, self._sample.columns
        groups = measures.pop(_GROUP, None)
        score = next(iter(measures.values()))
        return ConsistencySummary(
            source=source,
            columns=columns,
            n=self.n,
            counts={str(status): self._counts[status] for status in Status if self._counts[status]},
            n_samples=counted["samples"],
            n_samples_left_out=counted["samples left out"],
            n_few_samples=counted["few samples"],
            n_windowed=counted["windowed"],
            n_contradicted=counted["contradicted"],
            n_unguarded=counted["unguarded"] if _guards_alone(estimates.signature) else 0,
            guards=dict(sorted(self._guards.items())),
            floor=floor,
            floor_from=floor_from,
            estimates=estimates,
            scores={name: values[~np.isnan(values)] for name, values in measures.items()},
            group_scores={} if groups is None else scores_by_group(score, self._names_of(groups)),
            lowest=tuple(_with_correctness(item, correctness) for item in self._lowest.items),
            examples={
                reason: tuple((row + 1, text) for row, text in rows)
                for reason, rows in self._left_out.examples.items()
            },
            signature=estimates.signature,
            correctness=correctness,
            replies=replies,
            too_few_labels=too_few_labels,
            languages=self._languages.counts,
            unread_language=self._sampled_texts.unread_language(estimates.signature),
            n_null_words=counted["null words"],
            same_by=dict(sorted(self._same_by.items())),
        )

    def _names_of(self, groups: Integers) -> list[str | None]:
        names = list(self._names)
        return [names[group] for group in groups.tolist()]


def _item(found: MeasuredItems, texts: AnswerTexts, item: int, first: int) -> ConsistencyItem:
    return ConsistencyItem(
        item=first + item + 1,
        measures={name: float(values[item]) for name, values in found.measures.items()},
        n_samples=int(found.n_samples[item]),
        contradictions=found.contradictions[item],
        prompt=_text(texts.prompts[item]),
        answer=_text(texts.answers[item]),
        samples=tuple(map(_text, texts.samples[item])),
    )


def _with_correctness(item: ConsistencyItem, correctness: CorrectnessProbability | None) -> ConsistencyItem:
    if correctness is None:
        return item
    own = correctness.some(np.array([item.item - 1]))
    return replace(
        item,
        probability_correct=float(own.probability[0]),
        probability_correct_low=float(own.low[0]),
        probability_correct_high=float(own.high[0]),
        decision=own.decision[0],
    )


def _guards_alone(signature: Signature) -> bool:
    """Tell whether guards look for contradictions, and no model of entailment beside them."""
    fields = dict(signature.fields)
    return "guards" in fields and "contradiction_above" not in fields


def _is_null_word(cell: object) -> bool:
    """Whether an answer is a word that programs write where there is none."""
    return isinstance(cell, str) and cell.strip(" .\n\t").casefold() in _NULL_WORDS


def _text(cell: object) -> str | None:
    return None if is_missing(cell) else str(cell)
