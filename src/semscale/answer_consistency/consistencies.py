"""Consistencies of answers with samples: values, statuses and reasons, and their summary."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Unpack

import numpy as np
import polars as pl

from semscale.answer_consistency.asking import Replies, ReplyCounts
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    LabelledMeasures,
    estimate_correctness,
)
from semscale.answer_consistency.measures import MEASURES, measures_needing, no_value_reason
from semscale.answer_consistency.pairs import Contradiction, guards_read_samples
from semscale.answer_consistency.samples import SampledAnswers, read_texts
from semscale.answer_consistency.settings import CorrectnessKeywords, CorrectnessSettings
from semscale.answer_consistency.summary import FEW_SAMPLES, LOWEST_ITEMS, ConsistencyItem, ConsistencySummary
from semscale.errors import InputError
from semscale.matching.summary import scores_by_group
from semscale.results.estimates import (
    NO_VALUE,
    Estimates,
    EstimateSettings,
    Grouping,
    IntervalSettings,
    estimate_values,
)
from semscale.results.result import (
    COUNTS,
    STATUSES,
    TEXTS,
    Result,
    ResultColumn,
    numbers_by_name,
    reason_words,
    records,
)
from semscale.results.summary import ForemostRows, LeftOutRows, RowTally
from semscale.settings import takes
from semscale.signature import Signature
from semscale.stats.intervals import Estimate, IntervalPlan, value_figure
from semscale.stats.sampling import SAMPLED_ROWS, ColumnSample
from semscale.store.columns import as_list, as_names
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers, ObjectArray, Status, Statuses

Reasons = tuple[str | None, ...]
"""A reason for each item; ``None`` for an item with a value."""

_GROUP = " group"  # column of the sample, beside those of the measures
_NULL_ANSWERS = frozenset({"none", "null", "nil", "nan"})

REASONS = ResultColumn(
    lambda reasons, _: [pl.Series("reason", reasons, pl.String)], lambda columns: tuple(columns[0].to_list())
)
CONTRADICTIONS = records(Contradiction)
SAMPLES = replace(COUNTS, write=lambda values, _: COUNTS.write(values, "samples"))

NO_ANSWER = "the model declined to answer, or stated that it does not know"


@dataclass(frozen=True, repr=False)
class Consistencies(Result):
    """Consistency of n items, in the order of the items.

    Attributes:
        measures: values of each measure, shape (n,); NaN where missing.
        status: shape (n,), each a ``Status``: reason why an item has values or none.
        reasons: reason for a missing value of the first measure, in words; ``None`` for an item with a value.
        n_samples: shape (n,), number of usable samples.
        samples_left_out: shape (n,), number of samples that are missing, empty, not text or not read by the
            model.
        windows: shape (n,), greatest number of windows of an item's text; 0 if none was read.
        nulls: simple baselines by name, each of shape (n,): two of the lengths, ``exact_match_normalised``
            and, if tokens are known, ``first_token_probability``.
        contradictions: contradictions of each item's answer; empty tuples without guards.
        floor: cosine of unrelated answers; ``None`` if it could not be estimated, so that 0 was applied.
        floor_from: source of the floor: ``given``, ``not-needed``, ``too-few-answers``, or the unrelated
            pairs that it was estimated from.
        signature: the applied settings.
        n_meanings: shape (n,), number of different meanings of answer and samples; 0 if ``same_by`` is
            ``None``.
        same_by: shape (n,), method of comparing meanings: ``entailment``, ``cosine``, ``exact``, or ``None``
            if no measure needs it, or nothing could be compared.
    """

    measures: Annotated[Mapping[str, Floats], numbers_by_name()]
    status: Annotated[Statuses, STATUSES]
    reasons: Annotated[Reasons, REASONS]
    n_samples: Annotated[Integers, SAMPLES]
    samples_left_out: Annotated[Integers, COUNTS]
    windows: Annotated[Integers, COUNTS]
    nulls: Annotated[Mapping[str, Floats], numbers_by_name()]
    contradictions: Annotated[tuple[tuple[Contradiction, ...], ...], CONTRADICTIONS.private]
    floor: float | None
    floor_from: str
    signature: Signature
    n_meanings: Annotated[Integers, COUNTS.private]
    same_by: Annotated[ObjectArray, TEXTS.private]

    header_fields = ("floor", "floor_from")

    @property
    def main(self) -> str:
        """Name of the first measure, which ``score`` returns."""
        return next(iter(self.measures))

    @property
    def score(self) -> Floats:
        """Values of the first measure, shape (n,), higher for more consistent items."""
        return self.measures[self.main]

    @property
    def n_contradicting(self) -> Integers:
        """Number of the samples of each item that contradict its answer, shape (n,)."""
        samples = ({contradiction.sample for contradiction in listed} for listed in self.contradictions)
        return np.array(list(map(len, samples)), np.int64)

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean of each measure over all items and each group; the first is the main figure.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            self.measures,
            self.status,
            bounds={name: MEASURES[name].bounds for name in self.measures},
            signature=self.signature,
            **settings,
        )

    @takes(CorrectnessSettings)
    def correctness(self, correct: object, **settings: Unpack[CorrectnessKeywords]) -> CorrectnessProbability:
        """Estimate the probability that each answer is right, and decide: accept, review or abstain.

        Args:
            correct: shape (n,): true or 1 for right, false or 0 for wrong, missing if not checked. The
                checked items must be a random sample of all.
            settings: fields of ``CorrectnessSettings``.

        Raises:
            InputError: as ``estimate_correctness``.
        """
        return estimate_correctness(self.measures, correct, nulls=self.nulls, **settings)

    def summarize(  # noqa: PLR0913 - what is known beside the values, all of it optional
        self,
        *,
        answers: object = None,
        samples: object = None,
        prompts: object = None,
        correctness: CorrectnessProbability | None = None,
        replies: ReplyCounts | None = None,
        source: str = "",
        columns: tuple[tuple[str, str], ...] = (),
        by: object = None,
        weights: object = None,
        respondents: object = None,
        **intervals: Unpack[IntervalSettings],
    ) -> ConsistencySummary:
        """Summarize for a report: estimates, contradictions, and items to check.

        Args:
            answers: the measured texts, as in ``measure``; without them, no text is shown.
            samples: n lists of texts, likewise.
            prompts: shape (n,), the questions.
            correctness: P(correct) and decisions, from ``correctness``.
            replies: numbers of requested, saved and missing replies, if a model was asked.
            source: name of the data.
            columns: the use and the name of each column.
            by: shape (n,), names of groups.
            weights: shape (n,), as for ``estimate``; respondents, too.
            respondents: shape (n,).
            intervals: settings of the intervals.

        Raises:
            InputError: another number of texts or prompts than of items, or a setting out of range.

        Examples:
            >>> import semscale
            >>> answers, samples = ["Yes", "12"], [["yes", "Yes."], ["12", "13"]]
            >>> result = semscale.consistency(answers, samples, measures=["uncontradicted"])
            >>> result.summarize(answers=answers, samples=samples)
            ConsistencySummary(source='', n=2, n_scored=2, mean=0.75 [0.00, 1.00])
        """
        n = len(self)
        originals, lists = read_texts(answers, samples) if answers is not None else ([None] * n, [[]] * n)
        questions = [None] * n if prompts is None else as_list(prompts, "prompts")
        for name, column in (("answers", originals), ("prompts", questions)):
            if len(column) != n:
                raise InputError(name, f"must have {n} rows, one for each item, got {len(column)}")
        names = None if by is None else as_names(by, "by")
        if names is not None and len(names) != n:
            raise InputError("by", f"must have {n} rows, one for each item, got {len(names)}")
        grouping = None if names is None else Grouping(getattr(by, "name", None) or "")
        tally = ConsistencyTally(self, by=grouping)
        texts = AnswerTexts(questions, originals, lists)
        tally.add(self, texts, groups=names, weights=weights, respondents=respondents)
        return tally.summary(
            IntervalPlan(**intervals), source, columns=columns, correctness=correctness, replies=replies
        )

    def extra_columns(self) -> list[pl.Series]:
        """Return the columns of contradictions, and ``meanings`` and ``same_by``, if they are measured.

        Contradictions are lists of structs, with ``sample`` numbered from 0.
        """
        (contradictions,) = CONTRADICTIONS.write(self.contradictions, "contradictions")
        contradiction = pl.element().struct
        finding = contradiction["finding"].struct
        shown = pl.struct(
            contradiction["sample"],
            *(finding[name] for name in ("guard", "kind", "reason")),
            finding["prediction"].struct["text"].alias("answer"),
            finding["reference"].struct["text"].alias("contradicting"),
        )
        grounds = [None if ground is None else str(ground) for ground in self.same_by]
        meanings = [
            None if ground is None else n for n, ground in zip(self.n_meanings.tolist(), grounds, strict=True)
        ]
        return [
            pl.Series("contradicting_samples", self.n_contradicting),
            *(
                [pl.Series("meanings", meanings, pl.Int64), pl.Series("same_by", grounds, pl.String)]
                if measures_needing("meanings", self.measures)
                else []
            ),
            contradictions.list.eval(shown),
        ]

    def _short_summary(self) -> ConsistencySummary:
        return self.summarize()


@dataclass(frozen=True)
class Asked:
    """Replies to n prompts, and their consistency.

    Attributes:
        replies: answers and samples, and counts of the calls.
        consistencies: consistency of the n prompts.
    """

    replies: Replies
    consistencies: Consistencies

    def summarize(self, prompts: object = None, **settings: Unpack[EstimateSettings]) -> ConsistencySummary:
        """Summarize for a report, as ``Consistencies.summarize``, with the received answers and samples.

        Args:
            prompts: shape (n,), the questions.
            settings: settings of the estimates: ``by``, ``interval``, ``seed`` and others.
        """
        replies = self.replies
        return self.consistencies.summarize(
            answers=replies.answers,
            samples=replies.samples,
            prompts=prompts,
            replies=replies.counts,
            **settings,
        )


def measuring_reasons(sampled: SampledAnswers, score: Floats, measure: str) -> Reasons:
    """Explain why items have no value of the first measure.

    Args:
        sampled: n answers with their samples.
        score: shape (n,), values of the first measure; NaN where missing.
        measure: name of the first measure.
    """
    return tuple(
        _measuring_reason(sampled, item, measure, has_value=has_value)
        for item, has_value in enumerate((~np.isnan(score)).tolist())
    )


def _measuring_reason(sampled: SampledAnswers, item: int, measure: str, *, has_value: bool) -> str | None:
    status = sampled.status[item]
    if status is Status.SCORED:
        return None if has_value else no_value_reason(measure)
    if status is Status.REFUSED:
        return NO_ANSWER
    if status is Status.TOO_FEW_SAMPLES:
        n, n_declined = int(sampled.n_samples[item]), int(sampled.n_declined[item])
        declined = f"; {n_declined} declined to answer" if n_declined else ""
        usable = f"{n or 'no'} sample{'s are' if n > 1 else ' is'} usable"
        return f"{usable}, {sampled.fewest} needed{declined}"
    unread = status is Status.OTHER_LANGUAGE
    return reason_words(status, "the answer, or every sample," if unread else "the answer")


def asking_reasons(replies: Replies, measured: Reasons) -> Reasons:
    """Explain why prompts have no value: a missing answer, or else an answer that cannot be measured.

    Args:
        replies: replies to n prompts.
        measured: n reasons from measuring the received answers.
    """
    rows = zip(replies.status, replies.reasons, measured, strict=True)
    return tuple(_asking_reason(replies.counts.stopped, *row) for row in rows)


def _asking_reason(
    stopped: str | None, status: Status, failure: str | None, measured: str | None
) -> str | None:
    if status is Status.SCORED:
        return f"{measured}: {failure}" if measured and failure else measured
    if status in {Status.FAILED, Status.REFUSED}:
        return failure or reason_words(status, "the question")
    return stopped if status is Status.UNFINISHED and stopped else reason_words(status, "the question")


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
        by: the column of groups; ``None`` without groups.
        seed: seed of the sample.
        stored: number of measures to store of all items for P(correct): 0, 1, or ``None`` for all. All
            measures and baselines of labelled items are stored.
    """

    def __init__(
        self, items: Consistencies, *, by: Grouping | None = None, seed: int = 0, stored: int | None = 0
    ) -> None:
        figures = [value_figure(name, MEASURES[name].bounds) for name in items.measures]
        self._rows = RowTally(figures, items.signature, by=() if by is None else (by,))
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

    def add(
        self,
        items: Consistencies,
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
            groups=None if self._by is None or groups is None else {self._by.column: groups},
            weights=weights,
            respondents=respondents,
        )
        answers = [_text(cell) or "" for cell in texts.answers]
        self._rows.add_languages(([answer] for answer in answers), items.status)
        self._rows.sample_language(items.status, answers.__getitem__)

    def _add_values(self, items: Consistencies, groups: Sequence[str | None] | None) -> None:
        columns: dict[str, Floats | Integers] = dict(items.measures)
        if groups is not None:
            known = self._group_numbers
            columns[_GROUP] = np.array([known.setdefault(name, len(known)) for name in groups], np.int64)
        self._sample.add(columns)
        for name, values in list(items.measures.items())[: self._stored]:
            self._values.setdefault(name, []).append(values)

    def _add_labels(self, items: Consistencies, labels: Floats) -> None:
        known = ~np.isnan(labels)
        self._labels.append(labels.astype(np.float16))  # 0, 1 and NaN are exact
        for name, values in {**items.measures, **items.nulls}.items():
            self._labelled.setdefault(name, []).append(values[known])

    def _add_counts(self, items: Consistencies, texts: AnswerTexts) -> None:
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
        **more: Any,
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
            self._rows.summary_fields(plan, source, signature),
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


def _item(items: Consistencies, texts: AnswerTexts, item: int, first: int) -> ConsistencyItem:
    return ConsistencyItem(
        item=first + item + 1,
        measures={name: float(values[item]) for name, values in items.measures.items()},
        n_samples=int(items.n_samples[item]),
        contradictions=items.contradictions[item],
        prompt=_text(texts.prompts[item]),
        answer=_text(texts.answers[item]),
        samples=tuple(map(_text, texts.samples[item])),
    )


def _is_null_answer(cell: object) -> bool:
    """Return whether an answer is a word that programs write for a missing one."""
    return isinstance(cell, str) and cell.strip(" .\n\t").casefold() in _NULL_ANSWERS


def _text(cell: object) -> str | None:
    return None if is_missing(cell) else str(cell)


def _with_correctness(item: ConsistencyItem, correctness: CorrectnessProbability | None) -> ConsistencyItem:
    if correctness is None:
        return item
    single = correctness.some(np.array([item.item - 1]))
    estimate = Estimate(float(single.probability[0]), float(single.low[0]), float(single.high[0]))
    return replace(item, probability_correct=estimate, decision=single.decision[0])
