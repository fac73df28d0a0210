"""Summing coded answers up: shares by group, agreement, quotes and drivers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semscale.coding.coding import Coding
from semscale.coding.summary.code_quotes import code_quotes
from semscale.coding.summary.code_shares import MIN_BASE, code_shares, counting
from semscale.coding.summary.coding_agreement import CodeAgreement, agreement_between, agreement_with_people
from semscale.coding.summary.coding_summary import CodedGroup, CodedGrouping, CodingAgreement, CodingSummary
from semscale.coding.summary.cooccurrence import cooccurrence
from semscale.coding.summary.drivers import drivers_of
from semscale.coding.summary.group_tests import GroupTest, group_tests
from semscale.errors import InputError
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.types import Floats, are_scored


@dataclass(frozen=True)
class BesideAnswers:
    """What stands beside the answers of a table, and is not needed to code them.

    Attributes:
        by: names of groups, shape (n,), for each column of them by its name.
        ratings: shape (n,), NaN where there is none; ``None`` without ratings.
        rating_name: what the rating is called.
        other: shape (n, k), decisions of another run; ``None`` without one.
        other_name: what the other run is called.
        design: weights, clusters and strata of the answers.
        weight_name: what the weights are called.
        cluster_name: what the clusters are called.
        strata_name: what the strata are called.
        notes: sentences on how the table was read.
    """

    by: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    ratings: Floats | None = None
    rating_name: str = ""
    other: Floats | None = None
    other_name: str = ""
    design: SampleDesign = field(default_factory=SampleDesign)
    weight_name: str = ""
    cluster_name: str = ""
    strata_name: str = ""
    notes: tuple[str, ...] = ()


def summarize_coding(  # noqa: PLR0913 - what is summed up, and from where
    coding: Coding,
    texts: Sequence[Any],
    *,
    beside: BesideAnswers | None = None,
    source: str = "answers in memory",
    column: str = "text",
    plan: IntervalPlan | None = None,
    min_base: int = MIN_BASE,
) -> CodingSummary:
    """Sum coded answers up.

    Args:
        coding: of n answers.
        texts: the n answers.
        beside: what stands beside them.
        source: what the table is called.
        column: of the answers.
        plan: how intervals are made.
        min_base: answers below which a base is marked as small, and a group left out of tests; 1 or more.

    Raises:
        InputError: ratings without a number, weights that sum to 0 in all rows or in a group, or ``min_base``
            below 1.
    """
    if min_base < 1:
        raise InputError(f"min_base must be >= 1, got {min_base}")
    plan, beside = plan or IntervalPlan(), beside or BesideAnswers()
    names, decisions = coding.codebook.names, coding.decisions
    _check_weights(beside)
    shown = [
        str(text) if read else None for text, read in zip(texts, are_scored(coding.text_status), strict=True)
    ]
    drivers = None
    if beside.ratings is not None:
        drivers = drivers_of(
            beside.ratings,
            decisions.given,
            names,
            rating=beside.rating_name,
            probability=coding.probability if coding.is_calibrated.all() else None,
            weights=beside.design.weights,
            clusters=beside.design.clusters,
            interval=plan.interval,
        )
    hand = coding.hand
    return CodingSummary(
        source=source,
        column=column,
        codebook=coding.codebook,
        n=len(decisions.outcome),
        outcomes=_counted(decisions.outcome),
        reasons=_counted(each for each in decisions.reason if each is not None),
        shares=code_shares(
            decisions,
            names,
            np.ones(len(shown), dtype=np.bool_),
            coding.sample,
            design=beside.design,
            interval=plan.interval,
            min_base=min_base,
        ),
        groupings=tuple(
            CodedGrouping(name, *_groups(coding, cells, beside.design, plan, min_base))
            for name, cells in beside.by.items()
        ),
        min_base=min_base,
        calibrations=coding.calibrations,
        people=() if hand is None else hand.people,
        n_hand=0 if hand is None else int((~np.isnan(hand.codes)).any(axis=(0, 2)).sum()),
        is_drawn=hand is not None and hand.inclusion is not None,
        agreement=_agreement(coding, beside, plan),
        pairs=cooccurrence(decisions.given),
        quotes=code_quotes(shown, coding.values, decisions.given, names, coding.given_from),
        drivers=drivers,
        asked=coding.asked,
        thresholds=coding.thresholds,
        plan=plan,
        signature=coding.signature,
        weight=beside.weight_name,
        clusters=beside.cluster_name,
        strata=beside.strata_name,
        input_notes=beside.notes,
    )


def _check_weights(beside: BesideAnswers) -> None:
    """Refuse weights that sum to 0 in all rows or in a group."""
    if beside.design.weights is None:
        return
    weights = np.nan_to_num(beside.design.weights, nan=0.0)
    if not weights.sum() > 0:
        raise InputError(f"weight: the weights in column '{beside.weight_name}' sum to 0")
    for column, cells in beside.by.items():
        for name in dict.fromkeys(cells):
            rows = np.array([each == name for each in cells], dtype=np.bool_)
            if name is not None and not weights[rows].sum() > 0:
                raise InputError(
                    f"weight: the weights of group '{name}' in column '{column}' sum to 0 over "
                    f"{rows.sum()} rows"
                )


def _groups(
    coding: Coding, names: Sequence[str | None], design: SampleDesign, plan: IntervalPlan, min_base: int
) -> tuple[tuple[CodedGroup, ...], tuple[GroupTest, ...]]:
    """Count codes in each group, in order of first appearance, and test whether shares differ."""
    found, tested = [], []
    for name in dict.fromkeys(names):
        rows = np.array([each == name for each in names], dtype=np.bool_)
        shares = code_shares(
            coding.decisions,
            coding.codebook.names,
            rows,
            coding.sample,
            design=design,
            interval=plan.interval,
            min_base=min_base,
        )
        found.append(CodedGroup(name, int((rows & counting(coding.decisions, design)).sum()), shares))
        if name is not None:
            tested.append(rows)
    tests = group_tests(
        coding.decisions,
        coding.codebook.names,
        tested,
        coding.sample,
        design=design,
        seed=plan.seed,
        min_base=min_base,
    )
    return tuple(found), tests


def _agreement(coding: Coding, beside: BesideAnswers, plan: IntervalPlan) -> CodingAgreement:
    names, hand = coding.codebook.names, coding.hand
    interval, seed = plan.interval, plan.seed
    people: tuple[CodeAgreement, ...] = ()
    between: tuple[CodeAgreement, ...] = ()
    runs: tuple[CodeAgreement, ...] = ()
    if hand is not None:
        people = agreement_with_people(coding.held_out.given, hand.codes, names, interval=interval, seed=seed)
        between = agreement_between(hand.codes, names, interval=interval, seed=seed)
    if beside.other is not None:
        both = np.stack([coding.decisions.given, beside.other])
        runs = agreement_between(both, names, interval=interval, seed=seed)
    return CodingAgreement(people, between, runs, beside.other_name)


def _counted(values: Iterable[object]) -> dict[str, int]:
    counts = Counter(map(str, values))
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))
