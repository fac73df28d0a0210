"""What the linter asks of a scale, with the bounds; ``docs/scales.md`` has the measurements behind them."""

import itertools
from collections.abc import Iterator

import numpy as np

from semscale.rating.lint_report import Finding, Ladder, SetLint
from semscale.scales import Scale
from semscale.types import Floats

NEIGHBOURS_WARN = 0.90
NEIGHBOURS_FAIL = 0.95
ENDS_GAP = 0.02
DEAD_MASS = 0.01
FAINT_MASS = 0.05
AGREEMENT_WARN = 0.5
AGREEMENT_FAIL = 0.0
SPREAD_WARN = 0.10
SPREAD_FAIL = 0.0
SPEARMAN_WARN = 0.7
SPEARMAN_FAIL = 0.4


def judge_set(scale: Scale, one: SetLint) -> tuple[Finding, ...]:
    """Judge one anchor set by itself."""
    return tuple(
        itertools.chain(
            _order(scale, one), _neighbours(scale, one), _ends(one), _dead(scale, one.ladder, one.name)
        )
    )


def judge_scale(scale: Scale, ladder: Ladder, agreement: Floats) -> tuple[Finding, ...]:
    """Judge all anchor sets together, as they are used."""
    return tuple(itertools.chain(_dead(scale, ladder, None), _climbs(ladder), _agreement(scale, agreement)))


def _order(scale: Scale, one: SetLint) -> Iterator[Finding]:
    for scores, whose, verdict in (
        (one.own_scores, "its own anchors", "fail"),
        (one.other_scores, "the other sets' anchors", "warn"),
    ):
        for below in np.flatnonzero(np.diff(scores) <= 0):
            yield Finding(
                "fail" if verdict == "fail" else "warn",
                "order",
                one.name,
                f"rates {whose} out of order: {scores[below]:.2f} for {scale.labels[below]!r}, "
                f"{scores[below + 1]:.2f} for {scale.labels[below + 1]!r}",
            )


def _neighbours(scale: Scale, one: SetLint) -> Iterator[Finding]:
    for below, cosine in enumerate(one.neighbours):
        if cosine >= NEIGHBOURS_WARN:
            yield Finding(
                "fail" if cosine >= NEIGHBOURS_FAIL else "warn",
                "neighbours",
                one.name,
                f"{scale.labels[below]!r} and {scale.labels[below + 1]!r} have cosine {cosine:.2f}, "
                f"not below {NEIGHBOURS_FAIL if cosine >= NEIGHBOURS_FAIL else NEIGHBOURS_WARN:.2f}",
            )


def _ends(one: SetLint) -> Iterator[Finding]:
    nearest = float(one.neighbours.mean())
    if len(one.anchors) > 2 and one.ends > nearest - ENDS_GAP:  # noqa: PLR2004 - two points are both ends
        yield Finding(
            "warn",
            "ends",
            one.name,
            f"the ends have cosine {one.ends:.2f}, not clearly below the neighbours' mean {nearest:.2f}",
        )


def _dead(scale: Scale, ladder: Ladder, name: str | None) -> Iterator[Finding]:
    for label, mass in zip(scale.labels, ladder.peak_mass, strict=True):
        if mass < FAINT_MASS:
            dead = mass < DEAD_MASS
            yield Finding(
                "fail" if dead else "warn",
                "dead point",
                name,
                f"{label!r} gets at most {mass:.3f} of the mass from any of {len(ladder.pmf)} probes, "
                f"needs {DEAD_MASS if dead else FAINT_MASS:.2f}",
            )


def _climbs(ladder: Ladder) -> Iterator[Finding]:
    for figure, what, criterion, bounds in (
        (ladder.spread, "spread between the lowest and highest probes", "spread", (SPREAD_FAIL, SPREAD_WARN)),
        (
            ladder.spearman,
            "rank correlation with the probes' levels",
            "ladder",
            (SPEARMAN_FAIL, SPEARMAN_WARN),
        ),
    ):
        fail, warn = bounds
        if figure < warn:
            failed = figure < fail
            yield Finding(
                "fail" if failed else "warn",
                criterion,
                None,
                f"{what} is {figure:.2f}, needs {fail if failed else warn:.2f}",
            )


def _agreement(scale: Scale, agreement: Floats) -> Iterator[Finding]:
    names = list(scale.anchor_sets)
    if len(names) == 1:
        yield Finding("warn", "agreement", None, "there is one anchor set only: nothing to compare it with")
        return
    for row, name in enumerate(names):
        mean = float(np.delete(agreement[row], row).mean())
        if not mean >= AGREEMENT_WARN:
            failed = not mean >= AGREEMENT_FAIL
            yield Finding(
                "fail" if failed else "warn",
                "agreement",
                name,
                f"agrees with the other sets at r = {mean:.2f} on average, "
                f"needs {AGREEMENT_FAIL if failed else AGREEMENT_WARN:.2f}",
            )
