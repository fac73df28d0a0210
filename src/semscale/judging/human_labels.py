"""Human labels of judged answers: reading them, and comparing scores with them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.judging.templates import Template
from semscale.signature import Signature
from semscale.stats.agreement import (
    AgreementEstimate,
    HumanComparison,
    compare_with_humans,
    weighted_kappa,
)
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean, mean_of_known
from semscale.stats.prediction_powered import (
    CorrectedMean,
    estimate_corrected_mean,
)
from semscale.stats.sampling import (
    SampleDesign,
    SampledRows,
    labels_hash,
    validate_inclusion,
)
from semscale.store.columns import as_list
from semscale.store.missing_codes import code_key, is_missing, looks_like_code
from semscale.types import Floats, Integers, Mask

_SHOWN_ROWS = 5


def label_table(human: object, template: Template, first_row: int = 0) -> Floats:
    """Read human labels: numbers or names of the template's levels, one or a list of them for each item.

    Args:
        human: for each item a number or a level's label, a list of them, such a list as JSON, or missing;
            a code such as NA is missing unless a level is named so.
        template: its levels give labels their scores; scores of numbers between two levels are interpolated.
        first_row: row of the file that has the first label, from 0.

    Returns:
        Scores from 0 to 1, shape (n, raters), NaN where there is none.

    Raises:
        InputError: a label that the template does not have; the message names the rows.

    Examples:
        >>> from semscale.judging.templates import load_template
        >>> label_table(["5", [4, "Partially correct"], None], load_template("likert")).tolist()
        [[1.0, nan], [0.75, 0.5], [nan, nan]]
    """
    numbers, scores = _number_scores(template)
    by_name = {
        code_key(name): level.score
        for level in template.levels
        for name in (level.label, *level.also, *level.keyed)
    }
    rows, invalid = [], []
    for row, cell in enumerate(as_list(human, "human"), start=first_row + 1):
        stated = [label for label in _labels_in(cell) if not _is_code(label, by_name)]
        labels = [_label_score(label, by_name, numbers, scores) for label in stated]
        rows.append([label for label in labels if label is not None])
        if None in labels:
            invalid.append(f"{cell!r} in row {row}")
    if invalid:
        names = ", ".join(f"“{level.label}”" for level in template.levels)
        valid = f"numbers from {numbers[0]:g} to {numbers[-1]:g}{f' or {names}' if names else ''}"
        raise InputError(
            "human",
            f": labels must be those of template {template.name!r}, {valid}, got "
            f"{', '.join(invalid[:_SHOWN_ROWS])}",
        )
    table = np.full((len(rows), max(map(len, rows), default=0) or 1), np.nan)
    for index, labels_of_row in enumerate(rows):
        table[index, : len(labels_of_row)] = labels_of_row
    return table


def _labels_in(cell: Any) -> list[Any]:
    if isinstance(cell, str) and cell.strip().startswith("["):
        try:
            cell = parse_json(cell)
        except json.JSONDecodeError:
            return [cell]
    cells = cell if isinstance(cell, list | tuple) else [cell]
    return [
        label for label in cells if not (is_missing(label) or (isinstance(label, str) and not label.strip()))
    ]


def _is_code(label: Any, by_name: Mapping[str, float]) -> bool:
    """Return whether a label is a code for no answer in words, such as NA."""
    if not isinstance(label, str) or code_key(label) in by_name:
        return False
    return looks_like_code(label) and not any(sign.isdigit() for sign in label)


def _label_score(
    label: Any,
    by_name: dict[str, float],
    numbers: list[float],
    scores: list[float],
) -> float | None:
    if isinstance(label, str):
        if (name := code_key(label)) in by_name:
            return by_name[name]
        try:
            label = float(label)
        except ValueError:
            return None
    if not isinstance(label, Real) or isinstance(label, bool):
        return None
    number = float(label)
    return float(np.interp(number, numbers, scores)) if numbers[0] <= number <= numbers[-1] else None


def _number_scores(template: Template) -> tuple[list[float], list[float]]:
    """List numbers that labels may have, with their scores; 0 to 1 where levels have no numbers."""
    if template.highest is not None:
        return [0.0, float(template.highest)], [0.0, 1.0]
    if not template.numbered:
        return [0.0, 1.0], [0.0, 1.0]
    pairs = sorted((float(level.number or 0.0), level.score) for level in template.levels)
    return [number for number, _ in pairs], [score for _, score in pairs]


@dataclass(frozen=True)
class HumanEvidence:
    """Comparison of a judge's scores, or a panel's means, with human labels.

    Attributes:
        labels: shape (n, raters), from 0 to 1, NaN where there is none. With many items, a sample and all
            labelled items.
        kappa: quadratic weighted kappa of score and mean label, both rounded to the template's nearest level.
        ceiling: agreement with people, and of people with each other; ``None`` with one label per item.
        corrected: estimate of the mean that people would give to all scored items, with the judge's mean;
            items without a score are left out.
        judge_less_people: mean of score minus mean label, -1 to 1, over the items with both.
        signature: hash of the labels and their inclusion probabilities, and whether these were used.
    """

    labels: Floats
    kappa: AgreementEstimate
    ceiling: HumanComparison | None
    corrected: CorrectedMean
    judge_less_people: MeanEstimate
    signature: Signature

    @property
    def n_labelled(self) -> int:
        """Number of items with a label, whether scored or not."""
        return int((~np.isnan(self.mean_label)).sum())

    @property
    def mean_label(self) -> Floats:
        """Mean of the labels of each item, shape (n,); NaN where there is none."""
        return mean_labels(self.labels)


def compare_with_labels(
    expected: Floats,
    labels: Floats,
    template: Template,
    *,
    plan: IntervalPlan | None = None,
    inclusion: Floats | None = None,
    sample: SampledRows | None = None,
) -> HumanEvidence:
    """Compare scores with human labels of the same items.

    Args:
        expected: shape (n,), 0 to 1, NaN where there is no score.
        labels: shape (n, raters), as ``label_table`` returns them.
        template: template whose levels both are rounded to for kappa.
        plan: how intervals are made.
        inclusion: shape (n,), probability with which each item was drawn for a label; equal by default. Kappa
            and ceiling are about the drawn items only.
        sample: the rows of the n items, if these are not all items; every labelled item is among them.

    Returns:
        The comparison; its ``corrected.naive`` is from 0 to 1, with the interval of ``plan``.

    Raises:
        InputError: a probability out of range, or a label without one.
    """
    plan = plan or IntervalPlan()
    interval, seed, bounds = plan.interval, plan.seed, (0.0, 1.0)
    mean, levels = mean_labels(labels), template.scores
    has_label: Mask = np.asarray(~np.isnan(mean))
    n = len(expected) if sample is None else sample.n
    drawn = None if inclusion is None else validate_inclusion(inclusion, has_label)
    design = SampleDesign(inclusion=drawn)
    if drawn is not None and sample is not None and sample.drawn is not None:
        design = replace(design, weights=sample.standing_for(has_label))
    corrected = estimate_corrected_mean(expected, mean, bounds=bounds, design=design, interval=interval)
    in_draw = slice(None) if sample is None else sample.in_draw
    ceiling = None
    if ((~np.isnan(labels)).sum(axis=1) > 1).any():
        people = compare_with_humans(expected, labels, interval=interval, seed=seed)
        ceiling = replace(
            people,
            judge=people.judge.among(n),
            ceiling=people.ceiling.among(n),
            difference=people.difference.among(n),
        )
    kappa = weighted_kappa(nearest(expected, levels), nearest(mean, levels), interval=interval, seed=seed)
    difference = estimate_mean(
        expected - mean, bounds=(-1.0, 1.0), weights=None if drawn is None else 1 / drawn, plan=plan
    )
    return HumanEvidence(
        labels=labels,
        kappa=kappa.among(n),
        ceiling=ceiling,
        corrected=replace(corrected, naive=estimate_mean(expected[in_draw], bounds=bounds, plan=plan)),
        judge_less_people=replace(difference, n_left_out=n - difference.n),
        signature=labels_signature(labels, drawn, None if sample is None else sample.rows),
    )


def labels_signature(
    labels: Floats, inclusion: Floats | None = None, rows: Integers | None = None
) -> Signature:
    """Record human labels with the rows of their items.

    Args:
        labels: shape (n, raters), NaN where there is none.
        inclusion: shape (n,), inclusion probabilities.
        rows: shape (n,), rows of the items in their table, from 0; 0 to n - 1 by default.
    """
    labelled = np.flatnonzero(~np.isnan(labels).all(axis=1))
    drawn = None if inclusion is None else inclusion[labelled]
    positions = labelled if rows is None else rows[labelled]
    content = labels_hash(positions, labels[labelled], drawn)
    return Signature.of("judge", labels=content, inclusion=inclusion is not None)


def nearest(scores: Floats, levels: Floats) -> Floats:
    """Round scores to the nearest level, the lower one of two; NaN stays.

    Examples:
        >>> nearest(np.array([0.3, np.nan, 1.0]), np.array([0.0, 0.5, 1.0])).tolist()
        [0.5, nan, 1.0]
    """
    indices = np.abs(scores[:, None] - levels[None, :]).argmin(axis=1)
    return np.where(np.isnan(scores), np.nan, levels[indices])


def mean_labels(labels: Floats) -> Floats:
    """Return the mean of each row's labels, shape (n,), of labels (n, raters); NaN where there is none."""
    return mean_of_known(labels)
