"""The result of measuring consistency: values of each item, contradictions, and what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import polars as pl

from semscale.answer_consistency.asking.asking import ReplyCounts
from semscale.answer_consistency.consistency_collector import AnswerTexts, ConsistencyCollector
from semscale.answer_consistency.correctness_probability import (
    CorrectnessProbability,
    CorrectnessSettings,
    estimate_correctness,
)
from semscale.answer_consistency.meanings.meaning_measures import MEANING_MEASURES
from semscale.answer_consistency.reasons import Reasons
from semscale.answer_consistency.scoring.contradictions import Contradiction
from semscale.answer_consistency.scoring.measures import MEASURES
from semscale.answer_consistency.scoring.samples import given_texts
from semscale.answer_consistency.summary import ConsistencySummary
from semscale.errors import InputError
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, ObjectArray, Statuses


@dataclass(frozen=True, repr=False)
class Consistencies(Result):
    """Consistency of n items, in the order of the items.

    Attributes:
        measures: for each measure its values, shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``: why each item has values, or has none.
        reasons: why each item has no value of the first measure, in words; ``None`` where it has one.
        n_samples: shape (n,), usable samples.
        samples_left_out: shape (n,), samples that are missing, empty, no text or not read by the model.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where none.
        nulls: simple figures by name, each of shape (n,), that any measure should beat: of the lengths,
            ``exact_match_normalised`` and, where tokens are known, ``first_token_probability``.
        contradictions: for every item the contradictions of its answer; empty tuples without guards.
        floor: cosine of unrelated answers; ``None`` where it could not be estimated, so that 0 was applied.
        floor_from: where the floor is from: ``given``, ``not-needed``, ``too-few-answers``, or the unrelated
            pairs that it was estimated from.
        signature: what was applied.
        n_meanings: shape (n,), how many different meanings answer and samples have; 0 where ``same_by`` is
            ``None``.
        same_by: shape (n,), by what texts were found to mean the same: ``entailment``, ``cosine``, ``exact``,
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
        return np.array([len({one.sample for one in found}) for found in self.contradictions], np.int64)

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
            correct: shape (n,): true or 1 for right, false or 0 for wrong, missing where nobody has checked.
                The items that were checked must be a random sample of all.
            settings: as ``estimate_correctness`` takes them.

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
            answers: the texts that were measured, as ``measure`` took them; without them no text is shown.
            samples: n lists of texts, likewise.
            prompts: shape (n,), the questions.
            correctness: P(correct) and decisions, as ``correctness`` gives them.
            replies: how many replies were asked for, saved, and did not come, where a model was asked.
            source: what the data are called.
            columns: what columns were used for, each with its name.
            settings: of the estimates: ``by``, ``interval``, ``seed`` and others; see ``EstimateSettings``.

        Raises:
            InputError: another number of texts or prompts than of items, or a setting out of range.

        Example:
            >>> import semscale
            >>> answers, samples = ["Yes", "12"], [["yes", "Yes."], ["12", "13"]]
            >>> found = semscale.consistency(answers, samples, measures=["uncontradicted"])
            >>> found.summarize(answers=answers, samples=samples)
            ConsistencySummary(source='', n=2, n_scored=2, mean=0.75 [0.00, 1.00])
        """
        n = len(self)
        originals, lists = given_texts(answers, samples) if answers is not None else ([None] * n, [[]] * n)
        questions = [None] * n if prompts is None else as_list(prompts, "prompts")
        for name, given in (("answers", originals), ("prompts", questions)):
            if len(given) != n:
                raise InputError(f"{name} must have {n} rows, one for each item, got {len(given)}")
        by = settings.get("by")
        estimates = self.estimate(**settings)
        collector = ConsistencyCollector()
        collector.add(
            self, AnswerTexts(questions, originals, lists), () if by is None else as_names(by, "by")
        )
        return collector.summary(
            estimates,
            floor=self.floor,
            floor_from=self.floor_from,
            source=source,
            columns=columns,
            correctness=correctness,
            replies=replies,
        )

    def to_frame(self) -> pl.DataFrame:
        """Lay the items out as a table, one row each; what is missing is null.

        Returns:
            Columns ``status``, ``reason``, each measure, ``samples``, ``samples_left_out``,
            ``contradicting_samples``, each null, ``windows``, where meanings are measured ``meanings`` and
            ``same_by``, and ``contradictions`` (a list of structs; ``sample`` counts from 0).
        """
        floats = {**self.measures, **self.nulls}
        names = [*self.measures, "samples", "samples_left_out", "contradicting_samples", *self.nulls]
        whole = {
            "samples": self.n_samples,
            "samples_left_out": self.samples_left_out,
            "contradicting_samples": self.n_contradicting,
        }
        return pl.DataFrame(
            [
                pl.Series("status", [str(status) for status in self.status], dtype=pl.String),
                pl.Series("reason", self.reasons, dtype=pl.String),
                *(
                    pl.Series(name, floats[name], nan_to_null=True)
                    if name in floats
                    else pl.Series(name, whole[name])
                    for name in names
                ),
                pl.Series("windows", self.windows),
                *self._meaning_columns(),
                pl.Series(
                    "contradictions",
                    [list(map(_shown, found)) for found in self.contradictions],
                    dtype=_SHOWN,
                ),
            ]
        )

    def _meaning_columns(self) -> list[pl.Series]:
        if not any(name in MEANING_MEASURES for name in self.measures):
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


_SHOWN = pl.List(
    pl.Struct(
        {
            "sample": pl.Int64,
            **dict.fromkeys(("guard", "kind", "reason", "answer", "contradicting"), pl.String),
        }
    )
)


def _shown(contradiction: Contradiction) -> dict[str, object]:
    finding = contradiction.finding
    return {
        "sample": contradiction.sample,
        "guard": finding.guard,
        "kind": finding.kind,
        "reason": finding.reason,
        "answer": None if finding.prediction is None else finding.prediction.text,
        "contradicting": None if finding.reference is None else finding.reference.text,
    }
