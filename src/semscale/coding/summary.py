"""Summary of coded answers: tallies added part by part, agreement, quotes, and all figures for JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from semscale.coding.chat_codes import ChatCodes
from semscale.coding.codebook import Codebook
from semscale.coding.coder import CodeCalibration
from semscale.coding.coding import Coding
from semscale.coding.labels import majority, mean_codes
from semscale.coding.settings import CodeSettings, CodingColumns
from semscale.coding.shares import (
    CodeCounts,
    CodedSample,
    CodeShare,
    Drivers,
    GroupTest,
    HandLabels,
    PairCounts,
    code_alphas,
    code_shares,
    find_drivers,
    group_tests,
)
from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.results.tallies import check_groups
from semscale.signature import Signature
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import SampledRows
from semscale.types import Floats, Integers

QUOTES = 3
"""Answers of each kind that are shown for a code."""


@dataclass(frozen=True)
class CodedGroup:
    """Shares of one group.

    Attributes:
        name: of the group; ``None`` for answers without one.
        n: answers that could be read.
        shares: one for each code.
    """

    name: str | None
    n: int
    shares: tuple[CodeShare, ...]


@dataclass(frozen=True)
class CodedGrouping:
    """Shares by the groups of one column.

    Attributes:
        by: name of the column.
        groups: in order of first appearance.
        tests: whether shares differ between groups, one for each code; p is adjusted over these.
    """

    by: str
    groups: tuple[CodedGroup, ...]
    tests: tuple[GroupTest, ...]

    def tested_groups(self, test: GroupTest) -> tuple[str, ...]:
        """Name the groups that took part in a test."""
        named = [group.name for group in self.groups if group.name is not None]
        return tuple(named[number] for number in test.tested)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "groups": [
                {"group": group.name, "n": group.n, "codes": [_share_record(share) for share in group.shares]}
                for group in self.groups
            ],
            "tests": [
                {
                    "code": test.code,
                    "p_value": test.p_value,
                    "adjusted": test.adjusted,
                    "kind": test.kind,
                    "groups": self.tested_groups(test),
                }
                for test in self.tests
            ],
        }


@dataclass(frozen=True)
class CodingAgreement:
    """Krippendorff's alpha (nominal) of each code; empty where there is nothing to compare with.

    Attributes:
        people: decisions compared with what most people coded.
        between_people: people compared with each other.
        runs: this run compared with another one.
        other_run: name of the other run.
    """

    people: tuple[AgreementEstimate, ...]
    between_people: tuple[AgreementEstimate, ...]
    runs: tuple[AgreementEstimate, ...]
    other_run: str = ""


@dataclass(frozen=True)
class Quote:
    """An answer that is shown for a code.

    Attributes:
        row: its number, from 1.
        text: the answer.
        value: its probability, or its likeness where the code is not calibrated.
        assigned: whether the code was assigned; ``None`` where that is not decided.
    """

    row: int
    text: str
    value: float
    assigned: bool | None


@dataclass(frozen=True)
class CodeQuotes:
    """Answers that show what one code holds.

    Attributes:
        typical: with the code, the greatest values first.
        borderline: nearest to the threshold on either side, the nearest first.
    """

    typical: tuple[Quote, ...]
    borderline: tuple[Quote, ...]


@dataclass(frozen=True, repr=False)
class CodingSummary(Presentable):
    """Figures of n coded answers.

    Attributes:
        source: name of the table.
        columns: names of its columns.
        settings: with the thresholds of probabilities, and the least base of a test.
        plan: how intervals are made.
        codebook: the codes.
        n: rows.
        sampled: rows of the random sample that corrected shares, those with weights, strata or clusters, the
            tests of both, agreement between runs and drivers are made from; ``None`` where all rows are.
            Everything else is of all rows.
        outcomes: rows by outcome.
        reasons: rows that have no code for a reason other than that none applies, by reason.
        shares: of all answers, one for each code.
        groupings: shares by group, one for each column of groups.
        calibrations: one for each code.
        people: columns of hand codes.
        n_hand: answers that people coded.
        is_drawn: whether the probabilities are known with which these were drawn.
        agreement: with people, between people and between runs.
        pairs: how often codes come together.
        quotes: one for each code.
        drivers: of a rating; ``None`` without one.
        asked: probabilities by a chat model; ``None`` where none was asked.
        signature: what was applied.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: when.
    """

    source: str
    columns: CodingColumns
    settings: CodeSettings
    plan: IntervalPlan
    codebook: Codebook
    n: int
    sampled: int | None
    outcomes: Mapping[str, int]
    reasons: Mapping[str, int]
    shares: tuple[CodeShare, ...]
    groupings: tuple[CodedGrouping, ...]
    calibrations: tuple[CodeCalibration, ...]
    people: tuple[str, ...]
    n_hand: int
    is_drawn: bool
    agreement: CodingAgreement
    pairs: PairCounts
    quotes: tuple[CodeQuotes, ...]
    drivers: Drivers | None
    asked: ChatCodes | None
    signature: Signature
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        coded = self.outcomes.get("coded", 0)
        codes = len(self.codebook.codes)
        return f"CodingSummary(source={self.source!r}, n={self.n:,}, n_coded={coded:,}, codes={codes})"

    @property
    def n_readable(self) -> int:
        """Answers that could be read, and have a weight above 0: the base of all shares."""
        return self.shares[0].n + self.shares[0].n_unsure

    @property
    def not_calibrated(self) -> tuple[str, ...]:
        """Codes that have no probabilities."""
        pairs = zip(self.codebook.names, self.calibrations, strict=True)
        return tuple(name for name, calibration in pairs if calibration.curve is None)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "code",
            "source": self.source,
            "column": self.columns.text,
            "created": self.created,
            "rows": self.n,
            "sampled": self.sampled,
            "readable": self.n_readable,
            "outcomes": self.outcomes,
            "reasons": self.reasons,
            "interval": self.plan.interval,
            "hand_coded": self.n_hand,
            "people": self.people,
            "asked": None if self.asked is None else self.asked.model,
            "asked_counts": {} if self.asked is None else self.asked.counts,
            "asked_partly": 0 if self.asked is None else self.asked.n_partly,
            "asked_lost": () if self.asked is None else self.asked.lost,
            "given_from": self.settings.given_from,
            "unsure_from": self.settings.unsure_from,
            "codes": [self._code_record(position) for position in range(len(self.codebook.codes))],
            "by": self.groupings[0].by if self.groupings else None,
            "weight": self.columns.weight,
            "clusters": self.columns.respondent,
            "strata": self.columns.strata,
            "min_base": self.settings.min_base,
            **(self.groupings[0].record() if self.groupings else {"groups": (), "tests": ()}),
            "further_groups": {grouping.by: grouping.record() for grouping in self.groupings[1:]},
            "pairs": {"counts": self.pairs.counts, "lift": self.pairs.lift},
            "drivers": self.drivers,
            "signature": self.signature,
        }

    def _code_record(self, position: int) -> dict[str, Any]:
        calibration, quotes = self.calibrations[position], self.quotes[position]
        figures = calibration.figures
        alphas = {
            "alpha_with_people": self.agreement.people,
            "alpha_between_people": self.agreement.between_people,
            "alpha_between_runs": self.agreement.runs,
        }
        return {
            **_share_record(self.shares[position]),
            "parent": self.codebook.codes[position].parent,
            "calibrated": calibration.curve is not None,
            "labels_with": calibration.n_with,
            "labels_without": calibration.n_without,
            "brier": None if figures is None else figures.brier,
            "brier_of_share": None if figures is None else figures.brier_of_share,
            "calibration_error": None if figures is None else figures.error,
            "area": calibration.area,
            **{name: estimates[position] if estimates else None for name, estimates in alphas.items()},
            "typical": [_quote_record(quote) for quote in quotes.typical],
            "borderline": [_quote_record(quote) for quote in quotes.borderline],
        }


def _share_record(share: CodeShare) -> dict[str, Any]:
    corrected = None
    if share.corrected is not None:
        corrected = {
            "value": share.corrected.value,
            "low": share.corrected.low,
            "high": share.corrected.high,
            "n": share.corrected.n_labelled,
            "method": share.corrected.method,
            "note": share.corrected.note,
        }
    return {
        "code": share.code,
        "n": share.n,
        "n_given": share.n_assigned,
        "n_unsure": share.n_unsure,
        "small_base": share.has_small_base,
        "counted": share.counted,
        "corrected": corrected,
    }


def _quote_record(quote: Quote) -> dict[str, Any]:
    return {"row": quote.row, "text": quote.text, "value": quote.value, "given": quote.assigned}


@dataclass(frozen=True)
class Covariates:
    """Columns of n answers that are not needed to code them.

    Attributes:
        by: names of groups, shape (n,), for each column of them by its name.
        ratings: shape (n,), NaN where there is none; ``None`` without ratings.
        rating: name of the rating.
        other: shape (n, k), decisions of another run; ``None`` without one.
        other_run: name of the other run.
        design: weights, clusters and strata of the answers.
    """

    by: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    ratings: Floats | None = None
    rating: str = ""
    other: Floats | None = None
    other_run: str = ""
    design: SampleDesign = field(default_factory=SampleDesign)


class CodeTallies:
    """Counts outcomes, codes by group and pairs of codes, and chooses quotes, part by part.

    Args:
        codes: k names.
        thresholds: shape (k,), values from which codes are assigned.

    Attributes:
        n: answers so far.
        outcomes: answers by outcome.
        reasons: answers by the reason why they have no code.
        overall: counts of all answers, as one group.
        names: number of each group by its name, in order of first appearance, by the column of groups.
        by: counts of the groups, by the column.
        pairs: how often codes come together.
        quotes: the answers to show.
    """

    def __init__(self, codes: Sequence[str], thresholds: Sequence[float]) -> None:
        self.n = 0
        self.outcomes, self.reasons = Counter[str](), Counter[str]()
        self.overall = CodeCounts(len(codes), 1)
        self.names: dict[str, dict[str | None, int]] = {}
        self.by: dict[str, CodeCounts] = {}
        self.pairs = PairCounts(len(codes))
        self.quotes = QuoteChoice(thresholds)

    def add(self, coding: Coding, texts: Sequence[Any], covariates: Covariates) -> dict[str, Integers]:
        """Add the next answers.

        Args:
            coding: of m answers.
            texts: the m answers.
            covariates: their other columns.

        Returns:
            The number of each answer's group, shape (m,), by the column of groups.

        Raises:
            InputError: a column names more than 100,000 groups.
        """
        assigned, weights = coding.assigned, covariates.design.weights
        counting = CodedSample(assigned, coding.readable, covariates.design).counting
        self.outcomes.update(map(str, coding.outcome))
        self.reasons.update(str(reason) for reason in coding.reason if reason is not None)
        self.overall.add(np.zeros(len(counting), np.int64), assigned, counting, weights)
        self.pairs.add(assigned)
        shown = [str(text) if read else None for text, read in zip(texts, coding.readable, strict=True)]
        self.quotes.add(shown, coding.values, assigned, self.n)
        self.n += len(counting)
        groups: dict[str, Integers] = {}
        for column, names in covariates.by.items():
            known = self.names.setdefault(column, {})
            groups[column] = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
            check_groups(known)
            counts = self.by.setdefault(column, CodeCounts(assigned.shape[1]))
            counts.add(groups[column], assigned, counting, weights)
        return groups

    def check_weights(self, weight: str) -> None:
        """Refuse weights that sum to 0 in all rows or in a group.

        Args:
            weight: name of their column.

        Raises:
            InputError: they do.
        """
        if not self.overall.weight[0] > 0:
            raise InputError(f"weight: the weights in column '{weight}' sum to 0")
        for column, names in self.names.items():
            for name, group in names.items():
                if name is not None and not self.by[column].weight[group] > 0:
                    raise InputError(
                        f"weight: the weights of group '{name}' in column '{column}' sum to 0 over "
                        f"{self.by[column].rows[group]} rows"
                    )


def summarize_coding(  # noqa: PLR0913 - the answers; the rest describes them
    coding: Coding,
    texts: Sequence[Any],
    *,
    covariates: Covariates | None = None,
    source: str = "answers in memory",
    columns: CodingColumns | None = None,
    plan: IntervalPlan | None = None,
) -> CodingSummary:
    """Sum coded answers up.

    Args:
        coding: of n answers.
        texts: the n answers.
        covariates: their other columns.
        source: name of the table.
        columns: names of its columns.
        plan: how intervals are made.

    Raises:
        InputError: ratings without a number, or weights that sum to 0 in all rows or in a group.
    """
    covariates, columns = covariates or Covariates(), columns or CodingColumns(text="text")
    tallies = CodeTallies(coding.codebook.names, coding.given_from)
    groups = tallies.add(coding, texts, covariates)
    sample = SummarySample(coding, covariates, groups, columns, plan or IntervalPlan())
    return sample.summary(tallies, source, coding.asked)


@dataclass(frozen=True)
class SummarySample:
    """Coded answers from which the figures are made that do not follow from counts.

    Attributes:
        coding: of m answers.
        covariates: their other columns; names of groups are not needed.
        groups: number of each answer's group, shape (m,), by the column of groups.
        columns: names of the table's columns.
        plan: how intervals are made.
        rows: how the answers were sampled; ``None`` where all answers are there.
    """

    coding: Coding
    covariates: Covariates
    groups: Mapping[str, Integers]
    columns: CodingColumns
    plan: IntervalPlan
    rows: SampledRows | None = None

    def summary(self, tallies: CodeTallies, source: str, asked: ChatCodes | None) -> CodingSummary:
        """Put counts of all answers together with the figures of this sample.

        Args:
            tallies: of all answers.
            source: name of the table.
            asked: probabilities of all answers by a chat model; ``None`` where none was asked.

        Raises:
            InputError: as ``summarize_coding``.
        """
        if self.covariates.design.weights is not None:
            tallies.check_weights(self.columns.weight or "")
        coding, hand, coded = self.coding, self.coding.hand, self._coded_sample()
        (shares,) = code_shares(
            coded,
            coding.codebook.names,
            np.zeros(len(coded.readable), np.int64),
            tallies.overall,
            interval=self.plan.interval,
            min_base=coding.settings.min_base,
        )
        return CodingSummary(
            source=source,
            columns=self.columns,
            settings=coding.settings,
            plan=self.plan,
            codebook=coding.codebook,
            n=tallies.n,
            sampled=None if self.rows is None else self.rows.n_drawn,
            outcomes=dict(tallies.outcomes.most_common()),
            reasons=dict(tallies.reasons.most_common()),
            shares=shares,
            groupings=tuple(self._grouping(coded, tallies, column) for column in tallies.names),
            calibrations=coding.calibrations,
            people=() if hand is None else hand.people,
            n_hand=0 if hand is None else int(hand.coded.sum()),
            is_drawn=hand is not None and hand.inclusion is not None,
            agreement=self._agreement(tallies.n),
            pairs=tallies.pairs,
            quotes=tallies.quotes.quotes(),
            drivers=self._drivers(),
            asked=asked,
            signature=coding.signature,
        )

    def _coded_sample(self) -> CodedSample:
        coding, design = self.coding, self.covariates.design
        drawn = None if self.rows is None else self.rows.drawn
        labels = None
        if coding.hand is not None:
            weights, inclusion = design.weights, coding.hand.inclusion
            if self.rows is not None and drawn is not None and not (design.is_plain and inclusion is None):
                # Each sampled answer without a hand code stands for several of all.
                weights = np.ones(len(drawn)) if weights is None else weights
                weights = weights * self.rows.standing_for(coding.hand.coded)
            labels = HandLabels(
                coding.held_out,
                mean_codes(coding.hand.codes),
                replace(design, inclusion=inclusion, weights=weights),
            )
        return CodedSample(coding.assigned, coding.readable, design, labels, drawn)

    def _grouping(self, sample: CodedSample, tallies: CodeTallies, column: str) -> CodedGrouping:
        """Estimate shares in each group, in order of first appearance, and test whether they differ."""
        counts, numbers, names = tallies.by[column], self.groups[column], tallies.names[column]
        codes, min_base = self.coding.codebook.names, self.coding.settings.min_base
        shares = code_shares(sample, codes, numbers, counts, interval=self.plan.interval, min_base=min_base)
        named = [group for name, group in names.items() if name is not None]
        renumbered = np.full(len(counts), -1)
        renumbered[named] = np.arange(len(named))
        tests = group_tests(
            sample, codes, renumbered[numbers], counts.some(named), seed=self.plan.seed, min_base=min_base
        )
        groups = (CodedGroup(name, int(counts.base[group]), shares[group]) for name, group in names.items())
        return CodedGrouping(column, tuple(groups), tests)

    def _drivers(self) -> Drivers | None:
        if self.covariates.ratings is None:
            return None
        coding, rows = self.coding, self._in_draw
        design = self.covariates.design.some(rows)
        return find_drivers(
            self.covariates.ratings[rows],
            coding.assigned[rows],
            coding.codebook.names,
            rating=self.covariates.rating,
            probability=coding.probability[rows] if coding.is_calibrated.all() else None,
            weights=design.weights,
            clusters=design.clusters,
            interval=self.plan.interval,
        )

    def _agreement(self, n: int) -> CodingAgreement:
        coding, hand, other = self.coding, self.coding.hand, self.covariates.other
        people: tuple[AgreementEstimate, ...] = ()
        between: tuple[AgreementEstimate, ...] = ()
        runs: tuple[AgreementEstimate, ...] = ()
        if hand is not None:
            most = majority(mean_codes(hand.codes))
            people = code_alphas(np.stack([coding.held_out_assigned, most]), self.plan)
            between = code_alphas(hand.codes, self.plan)
        if other is not None:
            both = np.stack([coding.assigned, other])
            runs = code_alphas(both[:, self._in_draw], self.plan)
        # Answers that nobody coded are left out as well, also those that the sample does not have.
        people, between = (tuple(alpha.among(n) for alpha in alphas) for alphas in (people, between))
        return CodingAgreement(people, between, runs, self.covariates.other_run)

    @property
    def _in_draw(self) -> np.ndarray:
        """Return which answers stand for all, shape (m,)."""
        return np.ones(len(self.coding.assigned), bool) if self.rows is None else self.rows.in_draw


class QuoteChoice:
    """Chooses answers to show for each of k codes, part by part; equal texts count once.

    Args:
        thresholds: shape (k,), values from which codes are assigned.
    """

    def __init__(self, thresholds: Sequence[float]) -> None:
        self._thresholds = thresholds
        self._typical = [_LeastQuotes(QUOTES) for _ in thresholds]
        # Three of the nearest may be among the typical ones, which are not shown twice.
        self._nearest = [_LeastQuotes(2 * QUOTES) for _ in thresholds]

    def add(self, texts: Sequence[str | None], values: Floats, assigned: Floats, first_row: int) -> None:
        """Add the next answers.

        Args:
            texts: m answers, ``None`` where one cannot be read.
            values: shape (m, k), probabilities or likenesses; NaN where there is none.
            assigned: shape (m, k), 1, 0 or NaN.
            first_row: number of the first of them, from 0.
        """
        for code, threshold in enumerate(self._thresholds):
            column, decisions = values[:, code], assigned[:, code]
            answers = _Answers(texts, column, decisions, first_row)
            self._typical[code].add(np.where(decisions == 1, -column, np.nan), answers)
            self._nearest[code].add(np.abs(column - threshold), answers)

    def quotes(self) -> tuple[CodeQuotes, ...]:
        """Return the answers that were chosen, for each code."""
        quotes = []
        for typical, nearest in zip(self._typical, self._nearest, strict=True):
            texts = {quote.text for quote in typical.quotes}
            borderline = [quote for quote in nearest.quotes if quote.text not in texts][:QUOTES]
            quotes.append(CodeQuotes(typical.quotes, tuple(borderline)))
        return tuple(quotes)


class _Answers(NamedTuple):
    """Answers with the values of one code and the decisions about it."""

    texts: Sequence[str | None]
    values: Floats
    assigned: Floats
    first_row: int


class _LeastQuotes:
    """Keeps the answers with the least keys, of equal keys the first rows, each text once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._ranked: list[tuple[float, Quote]] = []

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return tuple(quote for _, quote in self._ranked)

    def add(self, keys: Floats, answers: _Answers) -> None:
        """Add answers by their keys (m,); those with NaN, or without a text, are never shown."""
        new: dict[str, tuple[float, Quote]] = {}
        for row in np.argsort(keys, kind="stable").tolist():
            if len(new) == self._most or np.isnan(keys[row]):
                break
            text, decision = answers.texts[row], answers.assigned[row]
            if text is not None and text not in new:
                assigned = None if np.isnan(decision) else bool(decision == 1)
                quote = Quote(answers.first_row + row + 1, text, float(answers.values[row]), assigned)
                new[text] = (float(keys[row]), quote)
        distinct: dict[str, tuple[float, Quote]] = {}
        for key, quote in sorted(
            [*self._ranked, *new.values()], key=lambda ranked: (ranked[0], ranked[1].row)
        ):
            distinct.setdefault(quote.text, (key, quote))
        self._ranked = list(distinct.values())[: self._most]
