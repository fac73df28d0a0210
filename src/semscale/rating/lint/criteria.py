"""Criteria of the linter, with their bounds; ``docs/scales.md`` has the measurements behind them.

Every bound lies between what the shipped scales reach and what sets that are known to be bad reach, with
all-MiniLM-L6-v2: the README example of the reference implementation (five labels such as "Neutral"), digits,
numbers of stars, and anchors that repeat the question. ``bench/lint_bounds.py`` prints all figures below.
"""

import itertools
from collections.abc import Iterator

import numpy as np

from semscale.rating.lint.random_pairs import cosine_at
from semscale.rating.lint.report import Ladder, Level, LintFinding, SetLint
from semscale.scales import Scale
from semscale.types import Floats

NEIGHBOURS_WARN, NEIGHBOURS_FAIL = 0.90, 0.95
"""Where neighbours lie between random pairs (0) and equal texts (1). Shipped: below .90. Repeating the
question: .98."""
REVERSAL_WARN = 0.05
"""Step back on other sets' anchors, as a share of the scale's length. Shipped: 2 of 69 sets; README: .10."""
ENDS_WARN, ENDS_FAIL = 0.0, 0.1
"""The ends minus the neighbours' mean, on the same measure. Shipped: at most -.00; README: .38."""
DEAD_MASS = 0.01
"""Largest mass any probe gives to a point. Shipped: at least .14."""
DUE_WARN, DUE_FAIL = 0.8, 0.5
"""Mean mass of a point on probes of its own level, in even shares 1/k. Shipped: at least .86; README: .36."""
SILENT_SHARE = 0.9
"""Share of the probes that give a point nothing at all under one set. Shipped: at most .80."""
SPREAD_WARN, SPREAD_FAIL = 0.10, 0.05
"""From lowest to highest probes, as a share of the scale's length. Shipped: at least .16; digits: .03."""
ORDER_WARN, ORDER_FAIL = 0.7, 0.5
"""Spearman's rho with the probes' levels. Shipped: at least .60; digits: .29; stars: .44; README: .66."""
RELIABILITY_WARN, RELIABILITY_FAIL = 0.6, 0.0
"""Standardised alpha of the sets. Shipped: at least .69 but for uniqueness (.26); digits: .10."""
SET_AGREEMENT_WARN = 0.0
"""A set's mean r with the others; below 0 it works against them."""


def judge_set(scale: Scale, one: SetLint, agreement: Floats, random_cosine: float) -> tuple[LintFinding, ...]:
    """Judge one anchor set.

    Args:
        scale: the scale.
        one: its measurements.
        agreement: shape (s - 1,), its correlations with the other sets.
        random_cosine: mean cosine of unrelated sentences, 0 to 1; bounds on cosines start there.
    """
    return tuple(
        itertools.chain(
            _own_order(scale, one),
            _others_order(scale, one),
            _neighbours(scale, one, random_cosine),
            _ends(one, random_cosine),
            _silent_points(scale, one),
            _disagreement(one, agreement),
        )
    )


def judge_scale(scale: Scale, ladder: Ladder, levels: Floats, reliability: float) -> tuple[LintFinding, ...]:
    """Judge all anchor sets together, as they are used."""
    return tuple(
        itertools.chain(
            _dead_points(scale, ladder, levels),
            _climb(ladder),
            _reliability(len(scale.anchor_sets), reliability),
        )
    )


def due_masses(scale: Scale, ladder: Ladder, levels: Floats) -> Floats:
    """Mean mass of each point on probes of its own level, in even shares 1/k; shape (k,), NaN without any."""
    due = np.full(scale.n_points, np.nan)
    for point, value in enumerate(scale.values):
        at_level = levels == value
        if at_level.any():
            due[point] = ladder.pmf[at_level, point].mean() * scale.n_points
    return due


def _own_order(scale: Scale, one: SetLint) -> Iterator[LintFinding]:
    for below in np.flatnonzero(np.diff(one.own_scores) <= 0):
        yield LintFinding("fail", "order", one.name, _step_back(scale, one.own_scores, int(below), "its own"))


def _others_order(scale: Scale, one: SetLint) -> Iterator[LintFinding]:
    length = scale.values[-1] - scale.values[0]
    for below in np.flatnonzero(np.diff(one.other_scores) < -REVERSAL_WARN * length):
        reason = _step_back(scale, one.other_scores, int(below), "the other sets'")
        yield LintFinding("warn", "order", one.name, reason)


def _step_back(scale: Scale, scores: Floats, below: int, whose: str) -> str:
    low, high = scale.labels[below], scale.labels[below + 1]
    steps = f"{scores[below]:.2f} for {low!r}, {scores[below + 1]:.2f} for {high!r}"
    return f"rates {whose} anchors out of order: {steps}"


def _neighbours(scale: Scale, one: SetLint, random_cosine: float) -> Iterator[LintFinding]:
    warn, fail = (cosine_at(share, random_cosine) for share in (NEIGHBOURS_WARN, NEIGHBOURS_FAIL))
    for below, cosine in enumerate(one.neighbours):
        if cosine >= warn:
            verdict, bound = _bounded(-float(cosine), -warn, -fail)
            reason = (
                f"anchors of {scale.labels[below]!r} and {scale.labels[below + 1]!r} are too alike: "
                f"cosine {cosine:.3f}, needs less than {-bound:.3f}"
            )
            yield LintFinding(verdict, "neighbours", one.name, reason)


def _ends(one: SetLint, random_cosine: float) -> Iterator[LintFinding]:
    if len(one.anchors) == 2:  # noqa: PLR2004 - two points are neighbours and ends at once
        return
    nearest = float(one.neighbours.mean())
    gap, unit = one.ends - nearest, 1 - random_cosine
    if gap > ENDS_WARN * unit:
        verdict, _ = _bounded(-gap, -ENDS_WARN * unit, -ENDS_FAIL * unit)
        reason = (
            f"its ends are as alike as neighbours: cosine {one.ends:.2f}, neighbours {nearest:.2f} on average"
        )
        yield LintFinding(verdict, "ends", one.name, reason)


def _silent_points(scale: Scale, one: SetLint) -> Iterator[LintFinding]:
    silent = (one.ladder.pmf <= 0).mean(axis=0)
    for label, share in zip(scale.labels, silent, strict=True):
        if share >= SILENT_SHARE:
            reason = f"gives {label!r} no mass at all for {share:.0%} of the probes"
            yield LintFinding("warn", "dead point", one.name, reason)


def _disagreement(one: SetLint, agreement: Floats) -> Iterator[LintFinding]:
    if len(agreement) and not agreement.mean() >= SET_AGREEMENT_WARN:
        reason = f"works against the other sets: r = {agreement.mean():.2f} with them on average"
        yield LintFinding("warn", "agreement", one.name, reason)


def _dead_points(scale: Scale, ladder: Ladder, levels: Floats) -> Iterator[LintFinding]:
    due = due_masses(scale, ladder, levels)
    for label, peak, share in zip(scale.labels, ladder.peak_mass, due, strict=True):
        if peak < DEAD_MASS:
            reason = f"{label!r} gets at most {peak:.3f} of the mass from any probe, needs {DEAD_MASS}"
            yield LintFinding("fail", "dead point", None, reason)
        elif share < DUE_WARN:
            verdict, bound = _bounded(float(share), DUE_WARN, DUE_FAIL)
            reason = f"{label!r} gets {share:.2f} of an even share from its own probes, needs {bound:.2f}"
            yield LintFinding(verdict, "dead point", None, reason)


def _climb(ladder: Ladder) -> Iterator[LintFinding]:
    if np.isnan(ladder.spearman):
        yield LintFinding(
            "warn", "ladder", None, "without probes its order on real texts is untried: add some"
        )
        return
    if ladder.spearman < ORDER_WARN:
        verdict, bound = _bounded(ladder.spearman, ORDER_WARN, ORDER_FAIL)
        reason = f"rank correlation with the probes' levels is {ladder.spearman:.2f}, needs {bound:.2f}"
        yield LintFinding(verdict, "ladder", None, reason)
    if ladder.spread < SPREAD_WARN:
        verdict, bound = _bounded(ladder.spread, SPREAD_WARN, SPREAD_FAIL)
        reason = f"lowest and highest probes lie {ladder.spread:.2f} of the scale apart, needs {bound:.2f}"
        yield LintFinding(verdict, "spread", None, reason)


def _reliability(n_sets: int, reliability: float) -> Iterator[LintFinding]:
    if n_sets == 1:
        yield LintFinding(
            "warn", "agreement", None, "one anchor set has no other to agree with: add a second"
        )
    elif not reliability >= RELIABILITY_WARN:
        verdict, bound = _bounded(reliability, RELIABILITY_WARN, RELIABILITY_FAIL)
        reason = f"reliability of the sets together (alpha) is {reliability:.2f}, needs {bound:.2f}"
        yield LintFinding(verdict, "agreement", None, reason)


def _bounded(figure: float, warn: float, fail: float) -> tuple[Level, float]:
    """Say how severe a figure below ``warn`` is, and which bound it misses; NaN is the worst."""
    return ("warn", warn) if figure >= fail else ("fail", fail)
