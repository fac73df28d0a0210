"""The result of measuring consistency: values of each item, contradictions, reasons for missing values."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Unpack

import numpy as np
import polars as pl

from semscale.answer_consistency.asking import Replies, ReplyCounts
from semscale.answer_consistency.correctness import CorrectnessProbability, estimate_correctness
from semscale.answer_consistency.measures import MEASURES, measures_needing, no_value_reason
from semscale.answer_consistency.pairs import Contradiction
from semscale.answer_consistency.samples import SampledAnswers, read_texts
from semscale.answer_consistency.settings import CorrectnessKeywords, CorrectnessSettings
from semscale.answer_consistency.summary import AnswerTexts, ConsistencySummary, ConsistencyTally
from semscale.errors import InputError
from semscale.results.estimates import Estimates, EstimateSettings, IntervalSettings, estimate_values
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
from semscale.settings import takes
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, ObjectArray, Status, Statuses

Reasons = tuple[str | None, ...]
"""A reason for each item; ``None`` for an item with a value."""

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
        tally = ConsistencyTally(self, by=None if names is None else getattr(by, "name", None) or "")
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
