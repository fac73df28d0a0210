"""Linter of scales: embeds anchors and a ladder of probes, and checks whether the scale can be used.

Every bound is between the values of the shipped scales and those of sets that are known to be bad, with
all-MiniLM-L6-v2: the README example of the reference implementation (five labels such as "Neutral"), digits,
numbers of stars, and anchors that repeat the question. ``bench/lint_bounds.py`` prints all figures below.

The mean cosine of two unrelated sentences depends on the model: it is .06 for all-MiniLM-L6-v2 and .78 for
multilingual-e5-small. Bounds on cosines are therefore relative to it. It depends on the language, too: two
sentences in Arabic are more similar than two in English.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import yaml

from semscale.embedding.embedder import anchor_embedder
from semscale.embedding.loading import as_embedder
from semscale.presentable import Presentable
from semscale.rating.anchors import (
    SENTIMENT_SCALE,
    language_of_probes,
    scale_for_model,
    unrelated_sentences,
)
from semscale.rating.expected import ExpectedCorrelation
from semscale.rating.labelling import RatedTexts
from semscale.rating.readouts import READOUTS, VectorRatings, similarity_pmf, ssr_ratings
from semscale.rating.settings import DEFAULT_READOUT, RaterSettings, Readout
from semscale.scales import Scale, load_scale, scale_names
from semscale.signature import Signature
from semscale.stats.correlations import pearson, spearman, spearman_brown
from semscale.store.missing_codes import looks_like_code
from semscale.types import Floats, Mask, Progress
from semscale.weights.known import DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from pathlib import Path

    from semscale.embedding.embedder import Embedder


Level = Literal["pass", "warn", "fail"]

_SEVERITY: tuple[Level, ...] = ("pass", "warn", "fail")

_LONGEST_PROBE = 200  # characters

NEIGHBOURS_WARN, NEIGHBOURS_FAIL = 0.90, 0.95
"""Similarity of neighbours, 0 (random) to 1 (equal). Shipped: below .90. Repeating the question: .98."""

REVERSAL_WARN = 0.05
"""Decrease on other sets' anchors, as a share of the scale's length. Shipped: 2 of 69 sets; README: .10."""

ENDS_WARN, ENDS_FAIL = 0.0, 0.1
"""Similarity of the ends minus the neighbours' mean, from 0 to 1. Shipped: at most -.00; README: .38."""

DEAD_MASS = 0.01
"""Largest mass any probe gives to a point. Shipped: at least .20."""

DUE_WARN, DUE_FAIL = 0.8, 0.5
"""Mean mass of a point on probes of its level, in units of 1/k. Shipped: at least .85; README: .36."""

SILENT_SHARE = 0.9
"""Share of the probes that give a point no mass under one set, by SSR. Shipped: at most .85."""

SPREAD_WARN, SPREAD_FAIL = 0.20, 0.10
"""Highest minus lowest probes, as a share of the scale's length. Shipped: at least .32; digits: .04."""

ORDER_WARN, ORDER_FAIL = 0.65, 0.55
"""Spearman's rho with the probes' levels. Shipped: at least .63; digits: .54; stars: .55; README: .74."""

SSR_SPREAD, SSR_ORDER = (0.10, 0.05), (0.7, 0.5)
"""The same for SSR, with ratings closer to the middle. Shipped: at least .15 and .60; digits: .03, .29."""

RELIABILITY_WARN, RELIABILITY_FAIL = 0.6, 0.0
"""Standardised alpha of the sets. Shipped: at least .51 except uniqueness (.16); digits: .29."""

LENGTH_WARN = 0.6
"""Spearman's rho of a sentence's length with its point, mean over the sets. Shipped: at most .57.

With e5-small, ratings by sets of one scale correlate more with the length of the rated texts where this is
higher: by .06 for each unit of rho with the shipped sets, and by .13 with sets for seven other constructs.
"""

SET_AGREEMENT_WARN = 0.0
"""A set's mean r with the others; below 0 it contradicts them."""


def lint(
    scale: "str | Path | Scale",
    *,
    embedder: "str | Path | Embedder | None" = None,
    readout: Readout | None = None,
    progress: Progress | None = None,
) -> "LintReport":
    """Embed a scale's anchors and probes, and judge each anchor set and all sets together.

    A scale without probes is tested with the probes of all shipped scales. Their levels do not apply to it,
    so the ladder then shows only dead points and the agreement between sets. Anchor sets for other models are
    left out, as in ``Rater``.

    Args:
        scale: a scale, the name of one that ships with Semscale, or a YAML file.
        embedder: turns texts into vectors: a known model, a folder, ``organisation/model`` on the Hugging
            Face hub, or what ``load_embedder`` gives; by default the default model of ratings. A verdict is
            valid for one embedder.
        readout: readout that rates the probes, as in ``RaterSettings``; by default the default readout of
            ratings. The order of a set's anchors is always judged by SSR.
        progress: called while texts are embedded.

    Raises:
        InputError: the scale cannot be loaded, ``embedder`` is not an embedder, or an unknown readout.
        ModelError: the model cannot be run.
    """
    applied = RaterSettings(readout=readout).applied_readout
    rate = READOUTS[applied]
    engine = as_embedder(DEFAULT_RATING_MODEL if embedder is None else embedder)
    used = scale_for_model(load_scale(scale), engine)
    texts, levels = _ladder_texts(used)
    sentences = [anchor for anchors in used.anchor_sets.values() for anchor in anchors]
    embedded = engine.embed([*texts, *unrelated_sentences(used.language)], progress=progress)
    rows, n = embedded.vectors.astype(np.float64), len(texts)
    anchors = anchor_embedder(engine).embed(sentences).vectors.astype(np.float64)
    anchors = anchors.reshape(len(used.anchor_sets), used.n_points, -1)
    random_cosine = random_pair_cosine(rows[n:])
    sets, agreement = _lint_sets(used, anchors, rows[:n], levels, random_cosine, rate)
    ladder = _rate_probes(rows[:n], anchors, used.values, levels, rate)
    joint_findings = judge_scale(used, ladder, levels, reliability(agreement), readout=applied)
    ladder_content = json.dumps([texts, levels.tolist()], separators=(",", ":"))
    signature = Signature.of(
        "lint",
        scale=f"{used.name}#{used.content_hash}",
        probes=f"{len(texts)}#{hashlib.sha256(ladder_content.encode()).hexdigest()[:8]}",
        random_pairs=language_of_probes(used.language),
        readout=applied,
    )
    return LintReport(
        scale=used,
        signature=signature.plus(engine.signature),
        probes=texts,
        levels=levels,
        sets=sets,
        ladder=ladder,
        agreement=agreement,
        random_cosine=random_cosine,
        findings=(*(finding for anchor_set in sets for finding in anchor_set.findings), *joint_findings),
        discriminant=_discriminant(used, engine, rows[:n], texts, ladder.means),
    )


SAME_ORDER = 0.9
"""Correlation above which ratings order texts in the same way as another measure."""


_FEWEST_ORDERED = 20
"""Number of texts below which such a correlation may be chance."""


@dataclass(frozen=True)
class DiscriminantCheck:
    """Correlations of ratings with measures that they should differ from.

    Attributes:
        n: number of rated texts.
        sentiment: Pearson's r with the ratings on the shipped scale ``quality``; NaN for that scale itself.
        length: Pearson's r with the number of characters; NaN if the texts are unknown.

    References:
        Campbell, Fiske (1959): Convergent and Discriminant Validation by the Multitrait-Multimethod Matrix.
        Psychological Bulletin 56(2), 81-105. DOI 10.1037/h0046016.
    """

    n: int
    sentiment: float
    length: float

    @property
    def same_as(self) -> dict[str, float]:
        """Measures that order the texts as the ratings do, or in reverse, with their r.

        Examples:
            >>> DiscriminantCheck(100, 0.98, -0.2).same_as
            {'sentiment': 0.98}
        """
        measures = {"sentiment": self.sentiment, "length": self.length}
        if self.n < _FEWEST_ORDERED:
            return {}
        return {name: r for name, r in measures.items() if abs(r) > SAME_ORDER}


def _discriminant(
    scale: Scale, engine: "Embedder", vectors: Floats, texts: tuple[str, ...], means: Floats
) -> DiscriminantCheck:
    """Correlate the probes' means with their ratings on the shipped scale of sentiment, and their lengths."""
    lengths = np.array([len(text) for text in texts], dtype=np.float64)
    if scale.name == SENTIMENT_SCALE:
        return DiscriminantCheck(len(texts), float("nan"), pearson(means, lengths))
    quality = scale_for_model(load_scale(SENTIMENT_SCALE), engine)
    sentences = [anchor for anchors in quality.anchor_sets.values() for anchor in anchors]
    anchors = anchor_embedder(engine).embed(sentences).vectors.reshape(-1, quality.n_points, vectors.shape[1])
    sentiment = READOUTS[DEFAULT_READOUT](vectors, anchors).pmf @ quality.values
    return DiscriminantCheck(len(texts), pearson(means, sentiment), pearson(means, lengths))


@dataclass(frozen=True, repr=False)
class LintReport(Presentable):
    """Measurements, findings and verdict of the linter for a scale and an embedder.

    Attributes:
        scale: The scale.
        signature: Scale, probes, readout and embedder.
        probes: Texts of the ladder, from low to high, n of them.
        levels: shape (n,), their levels on the scale's values; NaN where they are unknown.
        sets: One entry for each anchor set, in the scale's order.
        ladder: Ratings of the probes by all sets together.
        agreement: shape (s, s), Pearson's r between sets of their means on the ladder; NaN where undefined.
        random_cosine: Mean cosine of unrelated sentences, 0 to 1, to which the bounds on cosines are
            relative.
        findings: All criteria that are not met, sets first.
        discriminant: Correlations of the probes' ratings with plain sentiment and with their length.
        expected: Correlation with people to expect on texts of the user; ``None`` without texts.
    """

    scale: Scale
    signature: Signature
    probes: tuple[str, ...]
    levels: Floats
    sets: "tuple[SetLint, ...]"
    ladder: "Ladder"
    agreement: Floats
    random_cosine: float
    findings: "tuple[LintFinding, ...]"
    discriminant: DiscriminantCheck
    expected: ExpectedCorrelation | None = None

    def __repr__(self) -> str:
        return f"LintReport(scale={self.scale.name!r}, verdict={self.verdict!r})"

    @property
    def verdict(self) -> Level:
        """Worst of the findings; ``pass`` without findings."""
        return worst(self.findings)

    @property
    def reliability(self) -> float:
        """Standardised alpha of the sets' means on the ladder, at most 1; NaN for one set."""
        return reliability(self.agreement)

    @property
    def worst_first(self) -> "tuple[LintFinding, ...]":
        """Findings, the worst first."""
        return tuple(sorted(self.findings, key=lambda finding: -_SEVERITY.index(finding.verdict)))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Findings as lines, the worst first; one line without findings."""
        lines = (
            f"{finding.verdict}: {finding.anchor_set or 'all sets'}: {finding}"
            for finding in self.worst_first
        )
        return tuple(lines) or ("every criterion is met",)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "lint",
            "scale": self.scale.name,
            "content": self.scale.content_hash,
            "verdict": self.verdict,
            "findings": self.worst_first,
            "sets": self.sets,
            "ladder": self.ladder,
            "probes": self.probes,
            "levels": self.levels,
            "agreement": self.agreement,
            "random_cosine": self.random_cosine,
            "reliability": self.reliability,
            "discriminant": self.discriminant,
            "expected": None if self.expected is None else self.expected.record(),
            "signature": self.signature,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return a table with one row per anchor set: measurements, verdict and reasons."""
        return pl.DataFrame(
            [
                {
                    "anchor_set": anchors.name,
                    "verdict": anchors.verdict,
                    "highest_neighbour_cosine": float(anchors.neighbours.max()),
                    "ends_cosine": anchors.ends,
                    "least_peak_mass": float(anchors.ladder.peak_mass.min()),
                    "spread": anchors.ladder.spread,
                    "spearman": anchors.ladder.spearman,
                    "reasons": "; ".join(map(str, anchors.findings)),
                }
                for anchors in self.sets
            ]
        )


@dataclass(frozen=True)
class LintFinding:
    """One criterion that is not met.

    Attributes:
        verdict: ``warn`` or ``fail``.
        criterion: Its short name, such as ``order``.
        anchor_set: The set it is about; ``None`` for the scale as a whole.
        reason: What was measured, and the bound.
        advice: A change of a kind that raised agreement with people in 70 % of trials or more; empty for
            other kinds, whose findings are observations. ``bench/lint_advice.py`` has the trials.
    """

    verdict: Level
    criterion: str
    anchor_set: str | None
    reason: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.advice}" if self.advice else self.reason


@dataclass(frozen=True)
class Ladder:
    """Ratings of the probes.

    Attributes:
        pmf: shape (n, k), probes from low to high.
        means: shape (n,), in the scale's values.
        peak_mass: shape (k,), the greatest mass that any probe gives a point, 0 to 1; 0 is a dead point.
        prominence: shape (k,), the same relative to the mass of the mode; 1 if the point is a probe's mode.
        spread: Mean of the probes of the highest level minus that of the lowest, as a share of the scale's
            length, -1 to 1; NaN if levels are unknown.
        spearman: Rank correlation of the means with the levels, -1 to 1; NaN if levels are unknown.
    """

    pmf: Floats
    means: Floats
    peak_mass: Floats
    prominence: Floats
    spread: float
    spearman: float


@dataclass(frozen=True)
class SetLint:
    """One anchor set.

    Attributes:
        name: The set's name.
        anchors: Its sentences, from low to high.
        cosines: shape (k, k), between its anchors.
        own_scores: shape (k,), the mean this set gives to each of its own anchors.
        other_scores: shape (k,), the mean it gives to the other sets' anchors of each point, averaged over
            those sets; NaN without other sets.
        ladder: Its ratings of the probes without the other sets.
        findings: Criteria it does not meet.
    """

    name: str
    anchors: tuple[str, ...]
    cosines: Floats
    own_scores: Floats
    other_scores: Floats
    ladder: Ladder
    findings: tuple[LintFinding, ...] = field(default=())

    @property
    def neighbours(self) -> Floats:
        """Cosines of neighbouring anchors, shape (k - 1,)."""
        return np.diagonal(self.cosines, offset=1).copy()

    @property
    def ends(self) -> float:
        """Cosine of the lowest with the highest anchor."""
        return float(self.cosines[0, -1])

    @property
    def verdict(self) -> Level:
        """Worst of its findings; ``pass`` without findings."""
        return worst(self.findings)


def _ladder_texts(scale: Scale) -> tuple[tuple[str, ...], Floats]:
    """The scale's own probes from low to high, or every probe of the library with unknown levels."""
    if scale.probes:
        ordered = sorted(scale.probes, key=lambda probe: probe.level)
        return tuple(probe.text for probe in ordered), np.array([probe.level for probe in ordered])
    texts = dict.fromkeys(probe.text for name in scale_names() for probe in load_scale(name).probes)
    return tuple(texts), np.full(len(texts), np.nan)


_Rate = Callable[..., VectorRatings]


def _lint_sets(
    scale: Scale, anchors: Floats, probes: Floats, levels: Floats, random_cosine: float, rate: _Rate
) -> tuple[tuple[SetLint, ...], Floats]:
    """Measure and judge each anchor set, and correlate the sets."""
    measured = [_lint_set(scale, row, anchors, probes, levels, rate) for row in range(len(anchors))]
    means = [anchor_set.ladder.means for anchor_set in measured]
    agreement = np.array([[pearson(a, b) for b in means] for a in means], dtype=np.float64)
    judged, lowest = [], _lowest_set(agreement)
    for row, anchor_set in enumerate(measured):
        findings = (
            *_order_findings(scale, anchor_set),
            *_cosine_findings(scale, anchor_set, random_cosine),
            *_probe_findings(scale, anchor_set, np.delete(agreement[row], row), is_lowest=row == lowest),
        )
        judged.append(replace(anchor_set, findings=findings))
    return tuple(judged), agreement


def _lint_set(
    scale: Scale, row: int, anchors: Floats, probes: Floats, levels: Floats, rate: _Rate
) -> SetLint:
    vectors, others = anchors[row], np.delete(anchors, row, axis=0)
    cosines = np.clip(vectors @ vectors.T, -1, 1)
    other_scores = np.full(scale.n_points, np.nan)
    if len(others):
        scores = ssr_ratings(others.reshape(-1, vectors.shape[1]), vectors).pmf @ scale.values
        other_scores = scores.reshape(len(others), scale.n_points).mean(axis=0)
    name = list(scale.anchor_sets)[row]
    return SetLint(
        name=name,
        anchors=scale.anchor_sets[name],
        cosines=cosines,
        own_scores=similarity_pmf(cosines) @ scale.values,
        other_scores=other_scores,
        ladder=_rate_probes(probes, vectors, scale.values, levels, rate),
    )


def _rate_probes(probes: Floats, anchors: Floats, values: Floats, levels: Floats, rate: _Rate) -> Ladder:
    pmf = rate(probes, anchors).pmf
    means = pmf @ values
    spread = order = float("nan")
    if np.isfinite(levels).all() and len(np.unique(levels)) > 1:
        top, bottom = means[levels == levels.max()], means[levels == levels.min()]
        spread = float((top.mean() - bottom.mean()) / (values[-1] - values[0]))
        order = spearman(means, levels)
    return Ladder(
        pmf=pmf,
        means=means,
        peak_mass=pmf.max(axis=0),
        prominence=(pmf / pmf.max(axis=1, keepdims=True)).max(axis=0),
        spread=spread,
        spearman=order,
    )


def reliability(agreement: Floats) -> float:
    """Compute the standardised alpha of s sets from their mean correlation; see ``spearman_brown``.

    Args:
        agreement: shape (s, s), correlations between the sets.

    Returns:
        The alpha, at most 1, minus infinity if sets cancel out; NaN for one set, or for an undefined
        correlation.

    Examples:
        >>> reliability(np.array([[1.0, 0.5], [0.5, 1.0]]))
        0.6666666666666666
    """
    n_sets = len(agreement)
    if n_sets == 1:
        return float("nan")
    mean = float(agreement[~np.eye(n_sets, dtype=bool)].mean())
    alpha = spearman_brown(mean, n_sets)
    return -float("inf") if np.isnan(alpha) and not np.isnan(mean) else alpha


def worst(findings: Iterable[LintFinding]) -> Level:
    """Return the most severe verdict.

    Examples:
        >>> worst([LintFinding("warn", "ends", None, "..."), LintFinding("fail", "order", None, "...")])
        'fail'
        >>> worst([])
        'pass'
    """
    return max((finding.verdict for finding in findings), key=_SEVERITY.index, default="pass")


def _order_findings(scale: Scale, anchor_set: SetLint) -> Iterator[LintFinding]:
    """Find neighbouring anchors that the set rates out of order."""
    own, other, length = anchor_set.own_scores, anchor_set.other_scores, scale.values[-1] - scale.values[0]
    # Scores that are equal when printed are not in the wrong order.
    reversals: tuple[tuple[Level, str, Floats, Mask], ...] = (
        ("fail", "its own", own, np.diff(own.round(2)) < 0),
        ("warn", "the other sets'", other, np.diff(other) < -REVERSAL_WARN * length),
    )
    for verdict, rated, scores, is_reversed in reversals:
        for below in np.flatnonzero(is_reversed).tolist():
            low, high = scale.labels[below], scale.labels[below + 1]
            steps = f"{scores[below]:.2f} for {low!r}, {scores[below + 1]:.2f} for {high!r}"
            reason = f"rates {rated} anchors out of order: {steps}"
            yield LintFinding(verdict, "order", anchor_set.name, reason)


def _cosine_findings(scale: Scale, anchor_set: SetLint, random_cosine: float) -> Iterator[LintFinding]:
    """Find neighbours that are too similar, and ends that are as similar as neighbours."""
    warn, fail = (cosine_at(share, random_cosine) for share in (NEIGHBOURS_WARN, NEIGHBOURS_FAIL))
    for below, cosine in enumerate(anchor_set.neighbours):
        if cosine >= warn:
            verdict, bound = _severity(-float(cosine), -warn, -fail)
            reason = (
                f"anchors of {scale.labels[below]!r} and {scale.labels[below + 1]!r} are very similar: "
                f"cosine {cosine:.3f}, needs less than {-bound:.3f}"
            )
            yield LintFinding(verdict, "neighbours", anchor_set.name, reason)
    nearest = float(anchor_set.neighbours.mean())
    gap, unit = anchor_set.ends - nearest, 1 - random_cosine
    # Of two points the ends are the neighbours.
    if gap > ENDS_WARN * unit and len(anchor_set.anchors) > 2:
        verdict, _ = _severity(-gap, -ENDS_WARN * unit, -ENDS_FAIL * unit)
        cosines = f"cosine {anchor_set.ends:.2f}, neighbours {nearest:.2f} on average"
        reason = f"its ends are as similar as neighbours: {cosines}"
        yield LintFinding(verdict, "ends", anchor_set.name, reason)


def _lowest_set(agreement: Floats) -> int | None:
    """Return the set that agrees least with the others; ``None`` for two sets, of which either may be wrong.

    Examples:
        >>> _lowest_set(np.array([[1.0, 0.8, -0.2], [0.8, 1.0, -0.1], [-0.2, -0.1, 1.0]]))
        2
        >>> _lowest_set(np.array([[1.0, -0.5], [-0.5, 1.0]]))
    """
    if len(agreement) < 3 or np.isnan(agreement).any():
        return None
    return int(agreement.sum(axis=1).argmin())


def _probe_findings(
    scale: Scale, anchor_set: SetLint, agreement: Floats, *, is_lowest: bool
) -> Iterator[LintFinding]:
    """Find points without mass on most probes, and a set that correlates negatively with the others."""
    silent = (anchor_set.ladder.pmf <= 0).mean(axis=0)
    for label, share in zip(scale.labels, silent, strict=True):
        if share >= SILENT_SHARE:
            reason = f"gives {label!r} no mass at all for {share:.0%} of the probes"
            yield LintFinding("warn", "dead point", anchor_set.name, reason)
    if len(agreement) and not agreement.mean() >= SET_AGREEMENT_WARN:
        reason = f"contradicts the other sets: r = {agreement.mean():.2f} with them on average"
        yield LintFinding(
            "warn", "agreement", anchor_set.name, reason, advice="remove it" if is_lowest else ""
        )


def judge_scale(
    scale: Scale, ladder: Ladder, levels: Floats, reliability: float, *, readout: Readout = DEFAULT_READOUT
) -> tuple[LintFinding, ...]:
    """Judge all anchor sets together by the ladder that the readout rated."""
    return (
        *_dead_points(scale, ladder, levels),
        *_joint_findings(scale, ladder, reliability, readout),
        *_length_findings(scale),
    )


def _dead_points(scale: Scale, ladder: Ladder, levels: Floats) -> Iterator[LintFinding]:
    due = due_masses(scale, ladder, levels)
    for label, peak, share in zip(scale.labels, ladder.peak_mass, due, strict=True):
        if peak < DEAD_MASS:
            reason = f"{label!r} gets at most {peak:.3f} of the mass from any probe, needs {DEAD_MASS}"
            yield LintFinding("fail", "dead point", None, reason)
        elif share < DUE_WARN:
            verdict, bound = _severity(float(share), DUE_WARN, DUE_FAIL)
            reason = f"{label!r} gets {share:.2f} of an even share from its own probes, needs {bound:.2f}"
            yield LintFinding(verdict, "dead point", None, reason)


def due_masses(scale: Scale, ladder: Ladder, levels: Floats) -> Floats:
    """Mean mass of each point on probes of its level, in units of 1/k, shape (k,); NaN without probes."""
    due = np.full(scale.n_points, np.nan)
    for point, value in enumerate(scale.values):
        at_level = levels == value
        if at_level.any():
            due[point] = ladder.pmf[at_level, point].mean() * scale.n_points
    return due


def _joint_findings(
    scale: Scale, ladder: Ladder, reliability: float, readout: Readout
) -> Iterator[LintFinding]:
    """Find measurements of all sets together that miss their bounds."""
    if np.isnan(ladder.spearman):
        yield LintFinding("warn", "ladder", None, "without probes its order on real texts is untested")
    else:
        least_order, least_spread = (ORDER_WARN, ORDER_FAIL), (SPREAD_WARN, SPREAD_FAIL)
        if readout == "ssr":
            least_order, least_spread = SSR_ORDER, SSR_SPREAD
        order = f"rank correlation with the probes' levels is {ladder.spearman:.2f}"
        yield from _report_miss("ladder", ladder.spearman, *least_order, order)
        spread = f"lowest and highest probes lie {ladder.spread:.2f} of the scale apart"
        yield from _report_miss("spread", ladder.spread, *least_spread, spread)
    if len(scale.anchor_sets) == 1:
        reason = "one anchor set: the effect of its wording is not known"
        yield LintFinding("warn", "agreement", None, reason, advice="add a second")
    else:
        alpha = f"reliability of the sets together (alpha) is {reliability:.2f}"
        yield from _report_miss("agreement", reliability, RELIABILITY_WARN, RELIABILITY_FAIL, alpha)


def _length_findings(scale: Scale) -> Iterator[LintFinding]:
    """Find sentences whose length rises with the point, as these give long texts high ratings."""
    rises = {name: length_rise(anchors) for name, anchors in scale.anchor_sets.items()}
    mean = float(np.mean(list(rises.values())))
    if mean <= LENGTH_WARN:
        return
    reason = (
        f"sentences get longer with the point: rank correlation {mean:.2f} over the sets, needs at most "
        f"{LENGTH_WARN:.2f}, highest in set {max(rises, key=rises.__getitem__)!r}"
    )
    yield LintFinding("warn", "length", None, reason)


def length_rise(anchors: Sequence[str]) -> float:
    """Compute the rank correlation of the number of characters with the point; 0 if all have one length.

    Examples:
        >>> length_rise(["Bad.", "So so.", "Very good."]), length_rise(["Bad.", "Fair", "Good"])
        (1.0, 0.0)
    """
    lengths = np.array([len(anchor) for anchor in anchors], dtype=np.float64)
    rise = spearman(lengths, np.arange(len(anchors), dtype=np.float64))
    return 0.0 if np.isnan(rise) else rise


def _report_miss(
    criterion: str, figure: float, warn: float, fail: float, measured: str
) -> Iterator[LintFinding]:
    if not figure >= warn:
        verdict, bound = _severity(figure, warn, fail)
        yield LintFinding(verdict, criterion, None, f"{measured}, needs {bound:.2f}")


def _severity(figure: float, warn: float, fail: float) -> tuple[Level, float]:
    """Return the severity of a figure below ``warn``, and the bound that it misses; NaN is the worst."""
    return ("warn", warn) if figure >= fail else ("fail", fail)


def random_pair_cosine(vectors: Floats) -> float:
    """Compute the mean cosine of all pairs of unrelated sentences; 0 if it is negative.

    Args:
        vectors: shape (n, d), at least two, each of length 1.

    Returns:
        0 to 1.

    Examples:
        >>> random_pair_cosine(np.array([[1.0, 0.0], [0.6, 0.8]]))
        0.6
    """
    pairs = np.triu_indices(len(vectors), 1)
    return max(0.0, float((vectors @ vectors.T)[pairs].mean()))


def cosine_at(share: float, random_cosine: float) -> float:
    """Compute the cosine at a share of the way from random pairs to equal texts.

    This is the inverse of BERTScore's rescaling ``(cosine - random) / (1 - random)``.

    Args:
        share: 0 is the cosine of random pairs, 1 that of equal texts.
        random_cosine: cosine of random pairs, 0 to 1.

    References:
        Zhang et al. (2020), BERTScore, arXiv 1904.09675, section "Baseline Rescaling".

    Examples:
        >>> round(cosine_at(0.9, 0.78), 3)
        0.978
    """
    return random_cosine + share * (1 - random_cosine)


def propose_probes(
    texts: Sequence[str], ratings: RatedTexts, *, per_point: int = 4, seed: int = 0
) -> list[str]:
    """Choose texts as probes, spread over the ratings, in random order.

    Args:
        texts: shape (n,), different texts.
        ratings: ratings of these texts.
        per_point: number of probes for each point of the scale.
        seed: seed of the order.

    Returns:
        At most ``per_point`` texts for each point, of at most 200 characters; those without a rating and
        those that look like a code for a missing answer are left out.
    """
    is_usable = [len(text) <= _LONGEST_PROBE and not looks_like_code(text) for text in texts]
    usable = np.flatnonzero(ratings.scored & np.array(is_usable, dtype=np.bool_))
    usable = usable[np.argsort(ratings.mean[usable], kind="stable")]
    n = min(per_point * ratings.scale.n_points, len(usable))
    positions = np.linspace(0, max(len(usable) - 1, 0), n).round().astype(int)
    shuffled = np.random.default_rng(seed).permutation(usable[positions])
    return [texts[row] for row in shuffled.tolist()]


def probe_lines(texts: Sequence[str]) -> str:
    """Format texts as probes for a scale's file, with levels to fill in.

    Examples:
        >>> print(probe_lines(["Dear, but good."]))
        probes:
          - {level: , text: "Dear, but good."}
    """
    lines = (f"  - {{level: , text: {_quote(text)}}}" for text in texts)
    return "\n".join(["probes:", *lines])


def _quote(text: str) -> str:
    dumped: str = yaml.safe_dump(" ".join(text.split()), default_style='"', allow_unicode=True, width=10_000)
    return dumped.strip()
