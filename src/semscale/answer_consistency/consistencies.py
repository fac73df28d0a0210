"""The result of measuring consistency: values of each item, contradictions, reasons for missing values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import polars as pl

from semscale.answer_consistency.asking import Replies, ReplyCounts
from semscale.answer_consistency.contradictions import Contradiction
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    CorrectnessSettings,
    estimate_correctness,
)
from semscale.answer_consistency.measures import MEASURES, Kind, no_value_reason, select_measures
from semscale.answer_consistency.samples import SampledAnswers, read_texts
from semscale.answer_consistency.summary import AnswerTexts, ConsistencySummary, ConsistencyTally
from semscale.errors import InputError
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.results.reasons import reason_words
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, ObjectArray, Status, Statuses

Reasons = tuple[str | None, ...]
"""A reason for each item; ``None`` where it has a value."""

NO_ANSWER = "the model declined to answer, or said that it does not know"


@dataclass(frozen=True, repr=False)
class Consistencies(Result):
    """Consistency of n items, in the order of the items.

    Attributes:
        measures: for each measure its values, shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``: why each item has values, or has none.
        reasons: why each item has no value of the first measure, in words; ``None`` where it has one.
        n_samples: shape (n,), usable samples.
        samples_left_out: shape (n,), samples that are missing, empty, no text or not read by the model.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where none was.
        nulls: simple figures by name, each of shape (n,), that any measure should beat: of the lengths,
            ``exact_match_normalised`` and, where tokens are known, ``first_token_probability``.
        contradictions: for every item the contradictions of its answer; empty tuples without guards.
        floor: cosine of unrelated answers; ``None`` where it could not be estimated, so that 0 was applied.
        floor_from: source of the floor: ``given``, ``not-needed``, ``too-few-answers``, or the unrelated
            pairs that it was estimated from.
        signature: what was applied.
        n_meanings: shape (n,), how many different meanings answer and samples have; 0 where ``same_by`` is
            ``None``.
        same_by: shape (n,), the ground on which texts mean the same: ``entailment``, ``cosine``, ``exact``,
            or ``None`` where no measure asks, or nothing could be compared.
    """

    measures: Mapping[str, Floats]
    status: Statuses
    reasons: Reasons
    n_samples: Integers
    samples_left_out: Integers
    windows: Integers
    nulls: Mapping[str, Floats]
    contradictions: tuple[tuple[Contradiction, ...], ...]
    floor: float | None
    floor_from: str
    signature: Signature
    n_meanings: Integers
    same_by: ObjectArray

    row_fields = (
        "measures",
        "status",
        "reasons",
        "n_samples",
        "samples_left_out",
        "windows",
        "nulls",
        "contradictions",
        "n_meanings",
        "same_by",
    )

    @property
    def main(self) -> str:
        """The first of the measures, which ``score`` gives."""
        return next(iter(self.measures))

    @property
    def score(self) -> Floats:
        """Values of the first measure, shape (n,)."""
        return self.measures[self.main]

    @property
    def n_contradicting(self) -> Integers:
        """How many samples of each item contradict its answer, shape (n,)."""
        samples = ({contradiction.sample for contradiction in listed} for listed in self.contradictions)
        return np.array(list(map(len, samples)), np.int64)

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean of each measure over all items and each group; the first one is the main one.

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

    def correctness(self, correct: object, **settings: Unpack[CorrectnessSettings]) -> CorrectnessProbability:
        """Estimate the probability that each answer is right, and decide: accept, review or abstain.

        Args:
            correct: shape (n,): true or 1 for right, false or 0 for wrong, missing where it was not checked.
                The items that were checked must be a random sample of all.
            settings: those of ``estimate_correctness``.

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
        **settings: Unpack[EstimateSettings],
    ) -> ConsistencySummary:
        """Sum up for a report: estimates, contradictions, and items to look at.

        Args:
            answers: the texts that were measured, as ``measure`` accepts them; without them no text is shown.
            samples: n lists of texts, likewise.
            prompts: shape (n,), the questions.
            correctness: P(correct) and decisions, as ``correctness`` gives them.
            replies: how many replies were asked for, saved, and did not come, where a model was asked.
            source: name of the data.
            columns: the use and the name of each column.
            settings: of the estimates: ``by``, ``interval``, ``seed`` and others; see ``EstimateSettings``.

        Raises:
            InputError: another number of texts or prompts than of items, or a setting out of range.

        Example:
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
                raise InputError(f"{name} must have {n} rows, one for each item, got {len(column)}")
        by = settings.get("by")
        estimates = self.estimate(**settings)
        tally = ConsistencyTally()
        tally.add(self, AnswerTexts(questions, originals, lists), () if by is None else as_names(by, "by"))
        return tally.summary(
            estimates,
            correctness,
            floor=self.floor,
            floor_from=self.floor_from,
            source=source,
            columns=columns,
            replies=replies,
        )

    def to_frame(self) -> pl.DataFrame:
        """Lay the items out as a table, one row each; what is missing is null.

        Returns:
            Columns ``status``, ``reason``, each measure, ``samples``, ``samples_left_out``,
            ``contradicting_samples``, each null, ``windows``, where meanings are measured ``meanings`` and
            ``same_by``, and ``contradictions`` (a list of structs; ``sample`` counts from 0).
        """
        counts = {
            "samples": self.n_samples,
            "samples_left_out": self.samples_left_out,
            "contradicting_samples": self.n_contradicting,
        }
        contradictions = [list(map(_contradiction_cells, listed)) for listed in self.contradictions]
        return pl.DataFrame(
            [
                pl.Series("status", [str(status) for status in self.status], dtype=pl.String),
                pl.Series("reason", self.reasons, dtype=pl.String),
                *(pl.Series(name, values, nan_to_null=True) for name, values in self.measures.items()),
                *(pl.Series(name, values) for name, values in counts.items()),
                *(pl.Series(name, values, nan_to_null=True) for name, values in self.nulls.items()),
                pl.Series("windows", self.windows),
                *self._meaning_columns(),
                pl.Series("contradictions", contradictions, dtype=_CONTRADICTIONS),
            ]
        )

    def _meaning_columns(self) -> list[pl.Series]:
        if not select_measures(self.measures, Kind.MEANINGS):
            return []
        grounds = [None if ground is None else str(ground) for ground in self.same_by]
        numbers = zip(self.n_meanings.tolist(), grounds, strict=True)
        known = [None if ground is None else n for n, ground in numbers]
        return [
            pl.Series("meanings", known, dtype=pl.Int64),
            pl.Series("same_by", grounds, dtype=pl.String),
        ]

    def _short_summary(self) -> ConsistencySummary:
        return self.summarize()


_CONTRADICTIONS = pl.List(
    pl.Struct(
        {
            "sample": pl.Int64,
            **dict.fromkeys(("guard", "kind", "reason", "answer", "contradicting"), pl.String),
        }
    )
)


def _contradiction_cells(contradiction: Contradiction) -> dict[str, object]:
    finding = contradiction.finding
    return {
        "sample": contradiction.sample,
        "guard": finding.guard,
        "kind": finding.kind,
        "reason": finding.reason,
        "answer": None if finding.prediction is None else finding.prediction.text,
        "contradicting": None if finding.reference is None else finding.reference.text,
    }


@dataclass(frozen=True)
class Asked:
    """Replies to n prompts, and how consistent they are.

    Attributes:
        replies: answers and samples, and the calls that it took to get them.
        consistencies: of the n prompts.
    """

    replies: Replies
    consistencies: Consistencies

    def summarize(self, prompts: object = None, **settings: Unpack[EstimateSettings]) -> ConsistencySummary:
        """Sum up for a report, as ``Consistencies.summarize``, with the answers and samples that came.

        Args:
            prompts: shape (n,), the questions that were asked.
            settings: of the estimates: ``by``, ``interval``, ``seed`` and others.
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
        score: shape (n,), values of the first measure; NaN where there is none.
        measure: its name.
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
    """Explain why prompts have no value: why no answer came, or else why it cannot be measured.

    Args:
        replies: to n prompts.
        measured: n reasons from measuring the answers that came.
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
