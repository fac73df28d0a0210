"""People's labels of the same answers: read as scores from 0 to 1, and compared with a judge's scores."""

import json
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.judging.prompts.template import Template
from semscale.signature import Signature
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.human_ceiling import HumanComparison, compare_with_humans
from semscale.stats.agreement.kappa import weighted_kappa
from semscale.stats.agreement.panels import mean_defined
from semscale.stats.calibration.labels_hash import labels_hash
from semscale.stats.calibration.prediction_powered import CorrectedMean, prediction_powered_mean
from semscale.stats.calibration.sample_design import SampleDesign, checked_inclusion
from semscale.stats.calibration.weighted_prediction_powered import weighted_prediction_powered_mean
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.stats.sampling import SampledRows
from semscale.store.columns import as_list, is_missing
from semscale.types import Floats, Integers

_SHOWN_ROWS = 5


@dataclass(frozen=True)
class HumanEvidence:
    """How a judge's scores, or a panel's means, compare with people's labels.

    Attributes:
        labels: shape (n, raters), from 0 to 1, NaN where nobody was asked. Of many items these are a sample,
            and all that have a label.
        kappa: quadratic weighted kappa of score and mean label, both at the template's nearest level.
        ceiling: agreement with people beside people's with each other; ``None`` with one label an item.
        corrected: mean that people would give to all items that have a score, with the judge's own mean of
            these beside it; items without a score, labelled or not, are left out of it.
        judge_less_people: mean of score less mean label, -1 to 1, over the items with both.
        signature: hash of the labels, with the probabilities of their draw, and whether these were used.
    """

    labels: Floats
    kappa: AgreementEstimate
    ceiling: HumanComparison | None
    corrected: CorrectedMean
    judge_less_people: MeanEstimate
    signature: Signature

    @property
    def n_labelled(self) -> int:
        """Items with a label, with a score or without one."""
        return int((~np.isnan(self.mean_label)).sum())

    @property
    def mean_label(self) -> Floats:
        """Mean of the labels of each item, shape (n,); NaN where there is none."""
        return mean_labels(self.labels)


def label_table(human: object, template: Template, first_row: int = 0) -> Floats:
    """Read people's labels: numbers or names of the template's levels, one or a list of them for each item.

    Args:
        human: for each item a number or a label of the template's, a list of them, JSON of such a list, or
            missing.
        template: its levels give labels their scores; numbers between two levels lie between their scores.
        first_row: row of the file that the first label stands in, from 0.

    Returns:
        Scores from 0 to 1, shape (n, raters), NaN where there is none.

    Raises:
        InputError: a label that is none of the template's; the rows are named.

    Example:
        >>> from semscale.judging.prompts.template import load_template
        >>> label_table(["5", [4, "Partially correct"], None], load_template("likert")).tolist()
        [[1.0, nan], [0.75, 0.5], [nan, nan]]
    """
    rows, wrong = [], []
    for place, cell in enumerate(as_list(human, "human")):
        scores = [_score(label, template) for label in _as_labels(cell)]
        rows.append([score for score in scores if score is not None])
        if any(score is None for score in scores):
            wrong.append((first_row + place + 1, cell))
    if wrong:
        listed = ", ".join(f"{cell!r} in row {row}" for row, cell in wrong[:_SHOWN_ROWS])
        raise InputError(f"human labels must be {_asked(template)}, got {listed}")
    table = np.full((len(rows), max(map(len, rows), default=0) or 1), np.nan)
    for place, scores_of_row in enumerate(rows):
        table[place, : len(scores_of_row)] = scores_of_row
    return table


def beside_humans(
    expected: Floats,
    labels: Floats,
    template: Template,
    *,
    plan: IntervalPlan | None = None,
    inclusion: Floats | None = None,
    kept: SampledRows | None = None,
) -> HumanEvidence:
    """Compare scores with people's labels of the same items.

    Args:
        expected: shape (n,), 0 to 1, NaN where there is no score.
        labels: shape (n, raters), as ``label_table`` gives them.
        template: whose levels both are rounded to for kappa.
        plan: how intervals are made.
        inclusion: shape (n,), probability with which each item was drawn for a label; all alike unless given.
            Kappa and ceiling are those of the items that were drawn.
        kept: where the n are not all items, which ones they are; every labelled item is among them.

    Raises:
        InputError: a probability out of range, or a label without one.

    Returns:
        The comparison; its ``corrected.naive`` lies within 0 to 1, with the interval that ``plan`` makes.
    """
    plan = plan or IntervalPlan()
    interval, seed, bounds = plan.interval, plan.seed, (0.0, 1.0)
    mean = mean_labels(labels)
    levels = template.scores
    drawn = None if inclusion is None else checked_inclusion(inclusion, ~np.isnan(mean))
    if drawn is None:
        corrected = prediction_powered_mean(expected, mean, bounds=bounds, interval=interval)
    else:
        design = SampleDesign(inclusion=drawn)
        if kept is not None and kept.drawn is not None:
            weights = kept.standing_for(np.asarray(~np.isnan(mean)))
            design = SampleDesign(weights=weights, inclusion=drawn)
        corrected = weighted_prediction_powered_mean(
            expected, mean, bounds=bounds, design=design, interval=interval
        )
    in_draw = np.ones(len(expected), dtype=np.bool_) if kept is None else kept.in_draw
    several = labels.shape[1] > 1 and bool(((~np.isnan(labels)).sum(axis=1) > 1).any())
    kappa = weighted_kappa(nearest(expected, levels), nearest(mean, levels), interval=interval, seed=seed)
    difference = estimate_mean(
        expected - mean, bounds=(-1.0, 1.0), weights=None if drawn is None else 1 / drawn, plan=plan
    )
    n = len(expected) if kept is None else kept.n
    ceiling = compare_with_humans(expected, labels, interval=interval, seed=seed) if several else None
    return HumanEvidence(
        labels=labels,
        kappa=kappa.among(n),
        ceiling=None
        if ceiling is None
        else replace(
            ceiling,
            judge=ceiling.judge.among(n),
            ceiling=ceiling.ceiling.among(n),
            difference=ceiling.difference.among(n),
        ),
        corrected=replace(corrected, naive=estimate_mean(expected[in_draw], bounds=bounds, plan=plan)),
        judge_less_people=replace(difference, n_left_out=n - difference.n),
        signature=labels_signature(labels, drawn, None if kept is None else kept.rows),
    )


def labels_signature(
    labels: Floats, inclusion: Floats | None = None, rows: Integers | None = None
) -> Signature:
    """Record people's labels with the places of their items.

    Args:
        labels: shape (n, raters), NaN where there is none.
        inclusion: shape (n,), probabilities of their draw.
        rows: shape (n,), places of the items in their table, from 0; in their order unless given.
    """
    known = np.flatnonzero(~np.isnan(labels).all(axis=1))
    drawn = None if inclusion is None else inclusion[known]
    places = known if rows is None else rows[known]
    return Signature.of(
        "judge", labels=labels_hash(places, labels[known], drawn), inclusion=inclusion is not None
    )


def nearest(scores: Floats, levels: Floats) -> Floats:
    """Round scores to the nearest level, the lower one of two; NaN stays.

    Example:
        >>> nearest(np.array([0.3, np.nan, 1.0]), np.array([0.0, 0.5, 1.0])).tolist()
        [0.5, nan, 1.0]
    """
    places = np.abs(scores[:, None] - levels[None, :]).argmin(axis=1)
    return np.where(np.isnan(scores), np.nan, levels[places])


def mean_labels(labels: Floats) -> Floats:
    """Mean of each row's labels, shape (n,), of labels (n, raters); NaN where there is none."""
    return mean_defined(labels.T)


def _as_labels(cell: Any) -> list[Any]:  # noqa: ANN401 - any cell
    if isinstance(cell, str) and cell.strip().startswith("["):
        try:
            cell = parse_json(cell)
        except json.JSONDecodeError:
            return [cell]
    cells = cell if isinstance(cell, list | tuple) else [cell]
    return [one for one in cells if not (is_missing(one) or (isinstance(one, str) and not one.strip()))]


def _score(label: Any, template: Template) -> float | None:  # noqa: ANN401 - any cell
    if isinstance(label, str):
        named = {name.casefold(): level.score for level in template.levels for name in _names(level)}
        if label.strip().casefold() in named:
            return named[label.strip().casefold()]
        try:
            label = float(label)
        except ValueError:
            return None
    if not isinstance(label, Real) or isinstance(label, bool):
        return None
    numbers, scores = _numbers(template)
    inside = numbers[0] <= float(label) <= numbers[-1]
    return float(np.interp(float(label), numbers, scores)) if inside else None


def _names(level: Any) -> tuple[str, ...]:  # noqa: ANN401 - a Level
    return (level.label, *level.also, *level.keyed)


def _numbers(template: Template) -> tuple[list[float], list[float]]:
    """Numbers that people may give, ascending, with their scores; 0 to 1 where levels have no numbers."""
    if template.highest is not None:
        return [0.0, float(template.highest)], [0.0, 1.0]
    if not template.numbered:
        return [0.0, 1.0], [0.0, 1.0]
    pairs = sorted((float(level.number or 0.0), level.score) for level in template.levels)
    return [number for number, _ in pairs], [score for _, score in pairs]


def _asked(template: Template) -> str:
    numbers, _ = _numbers(template)
    names = [f"“{level.label}”" for level in template.levels]
    return " or ".join(
        [f"numbers from {numbers[0]:g} to {numbers[-1]:g}", *([", ".join(names)] if names else [])]
    )
