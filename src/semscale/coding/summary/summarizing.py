"""Summing coded answers up: shares by group, agreement, quotes and drivers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from semscale.coding.asked_codes import AskedCodes
from semscale.coding.coding import Coding
from semscale.coding.summary.beside_answers import BesideAnswers, BesideNames
from semscale.coding.summary.code_shares import MIN_BASE, HandSample, code_shares, weighted_shares
from semscale.coding.summary.coding_agreement import CodeAgreement, agreement_between, agreement_with_people
from semscale.coding.summary.coding_summary import CodedGroup, CodedGrouping, CodingAgreement, CodingSummary
from semscale.coding.summary.drivers import Drivers, drivers_of
from semscale.coding.summary.group_tests import group_tests
from semscale.coding.summary.running_codes import RunningCodes
from semscale.errors import InputError
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.sampling import SampledRows
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True)
class SummaryPlan:
    """How coded answers are summed up.

    Attributes:
        source: what the table is called.
        column: of the answers.
        names: what the columns beside them are called.
        intervals: how intervals are made.
        min_base: answers below which a base is marked as small, and a group left out of tests; 1 or more.

    Raises:
        InputError: ``min_base`` is below 1.
    """

    source: str = "answers in memory"
    column: str = "text"
    names: BesideNames = field(default_factory=BesideNames)
    intervals: IntervalPlan = field(default_factory=IntervalPlan)
    min_base: int = MIN_BASE

    def __post_init__(self) -> None:
        if self.min_base < 1:
            raise InputError(f"min_base must be >= 1, got {self.min_base}")


@dataclass(frozen=True)
class KeptCodes:
    """Coded answers from which the figures are made that do not follow from counts.

    Attributes:
        coding: of m answers.
        beside: what stands beside them.
        groups: shape (m,) each, the number of each answer's group, by the column of groups.
        asked: what a chat model said about all answers of the table; ``None`` where none was asked.
        rows: how they were kept; ``None`` where all answers are there.
    """

    coding: Coding
    beside: BesideAnswers
    groups: dict[str, Integers]
    asked: AskedCodes | None = None
    rows: SampledRows | None = None

    @property
    def drawn(self) -> Mask | None:
        """Which of them are a random sample of all, shape (m,); ``None`` where all answers are there."""
        return None if self.rows is None else self.rows.drawn

    @property
    def in_draw(self) -> Mask:
        """Which answers stand for all, shape (m,)."""
        if self.rows is None:
            return np.ones(len(self.coding.text_status), dtype=np.bool_)
        return self.rows.in_draw

    @property
    def hand_sample(self) -> HandSample | None:
        """What people coded; each kept answer without a hand-made code stands for several of all."""
        sample, design = self.coding.sample, self.beside.design
        if sample is None or self.rows is None or self.rows.drawn is None:
            return sample
        if design.is_plain and sample.inclusion is None:
            return sample
        coded: Mask = np.asarray(~np.isnan(sample.labels).all(axis=1))
        weights = np.ones(len(coded)) if design.weights is None else design.weights
        return replace(sample, weights=weights * self.rows.standing_for(coded))


def summarize_coding(
    coding: Coding,
    texts: Sequence[Any],
    *,
    beside: BesideAnswers | None = None,
    plan: SummaryPlan | None = None,
) -> CodingSummary:
    """Sum coded answers up.

    Args:
        coding: of n answers.
        texts: the n answers.
        beside: what stands beside them.
        plan: how they are summed up.

    Raises:
        InputError: ratings without a number, or weights that sum to 0 in all rows or in a group.
    """
    beside, running = beside or BesideAnswers(), RunningCodes(coding.codebook.names, coding.given_from)
    groups = running.add(coding, texts, beside)
    return summary_of(running, KeptCodes(coding, beside, groups, coding.asked), plan or SummaryPlan())


def summary_of(running: RunningCodes, kept: KeptCodes, plan: SummaryPlan) -> CodingSummary:
    """Put counts of all answers together with the figures of those that are kept.

    Raises:
        InputError: as ``summarize_coding``.
    """
    coding, names = kept.coding, plan.names
    if kept.beside.design.weights is not None:
        running.check_weights(names.weight)
    hand, everything = coding.hand, np.ones(len(coding.text_status), dtype=np.bool_)
    return CodingSummary(
        source=plan.source,
        column=plan.column,
        codebook=coding.codebook,
        n=running.n,
        sampled=None if kept.rows is None else kept.rows.n_drawn,
        outcomes=running.outcomes,
        reasons=running.reasons,
        shares=code_shares(
            coding.decisions,
            coding.codebook.names,
            everything,
            kept.hand_sample,
            design=kept.beside.design,
            count=running.overall,
            drawn=kept.drawn,
            interval=plan.intervals.interval,
            min_base=plan.min_base,
        ),
        groupings=tuple(_grouping(running, kept, column, plan) for column in running.names),
        min_base=plan.min_base,
        calibrations=coding.calibrations,
        people=() if hand is None else hand.people,
        n_hand=0 if hand is None else int((~np.isnan(hand.codes)).any(axis=(0, 2)).sum()),
        is_drawn=hand is not None and hand.inclusion is not None,
        agreement=_agreement(kept, plan, running.n),
        pairs=running.pairs.cooccurrence(),
        quotes=running.quotes.quotes(),
        drivers=_drivers(kept, plan),
        asked=kept.asked,
        thresholds=coding.thresholds,
        plan=plan.intervals,
        signature=coding.signature,
        weight=names.weight,
        clusters=names.clusters,
        strata=names.strata,
        input_notes=names.notes,
    )


def _grouping(running: RunningCodes, kept: KeptCodes, column: str, plan: SummaryPlan) -> CodedGrouping:
    """Count codes in each group, in order of first appearance, and test whether shares differ."""
    counts, names, numbers = running.by[column], running.names[column], kept.groups[column]
    hand, design = kept.hand_sample, kept.beside.design
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(len(counts) + 1))
    weighted: Sequence[Sequence[Estimate] | None] = [None] * len(counts)
    if not design.is_plain:
        decisions, interval = kept.coding.decisions, plan.intervals.interval
        weighted = weighted_shares(
            decisions, numbers, len(counts), design, drawn=kept.drawn, interval=interval
        )
    found = []
    for name, group in names.items():
        rows = order[ends[group] : ends[group + 1]]
        shares = code_shares(
            kept.coding.decisions,
            kept.coding.codebook.names,
            rows,
            hand,
            design=design,
            count=counts[group],
            drawn=kept.drawn,
            weighted=weighted[group],
            interval=plan.intervals.interval,
            min_base=plan.min_base,
        )
        found.append(CodedGroup(name, counts[group].base, shares))
    named = [group for name, group in names.items() if name is not None]
    place = np.full(len(counts), -1)
    place[named] = np.arange(len(named))
    tests = group_tests(
        kept.coding.decisions,
        kept.coding.codebook.names,
        place[numbers],
        hand,
        design=design,
        counts=counts.some(named),
        drawn=kept.drawn,
        seed=plan.intervals.seed,
        min_base=plan.min_base,
    )
    return CodedGrouping(column, tuple(found), tests)


def _drivers(kept: KeptCodes, plan: SummaryPlan) -> Drivers | None:
    coding, beside, rows = kept.coding, kept.beside, kept.in_draw
    if beside.ratings is None:
        return None
    design = beside.design.some(rows)
    return drivers_of(
        beside.ratings[rows],
        coding.decisions.given[rows],
        coding.codebook.names,
        rating=plan.names.rating,
        probability=coding.probability[rows] if coding.is_calibrated.all() else None,
        weights=design.weights,
        clusters=design.clusters,
        interval=plan.intervals.interval,
    )


def _agreement(kept: KeptCodes, plan: SummaryPlan, n: int) -> CodingAgreement:
    coding, hand = kept.coding, kept.coding.hand
    names, interval, seed = coding.codebook.names, plan.intervals.interval, plan.intervals.seed
    people: tuple[CodeAgreement, ...] = ()
    between: tuple[CodeAgreement, ...] = ()
    runs: tuple[CodeAgreement, ...] = ()
    if hand is not None:
        people = agreement_with_people(coding.held_out.given, hand.codes, names, interval=interval, seed=seed)
        between = agreement_between(hand.codes, names, interval=interval, seed=seed)
    if kept.beside.other is not None:
        both: Floats = np.stack([coding.decisions.given, kept.beside.other])[:, kept.in_draw]
        runs = agreement_between(both, names, interval=interval, seed=seed)
    return CodingAgreement(_of_all(people, n), _of_all(between, n), runs, plan.names.other)


def _of_all(found: tuple[CodeAgreement, ...], n: int) -> tuple[CodeAgreement, ...]:
    """Count the answers that nobody coded among those that are left out, though they were not kept."""
    return tuple(replace(one, alpha=one.alpha.among(n)) for one in found)
