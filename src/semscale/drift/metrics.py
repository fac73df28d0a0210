"""Table of metrics: the loss of a pair of runs at one item, and the smallest relevant drift."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from semscale.drift.settings import ASKED_FIELDS, Direction, is_lower_by_name, usual_direction
from semscale.guards.findings import Finding
from semscale.guards.number_guard import CHANGED_KINDS
from semscale.types import Floats, Integers

MARGIN = 0.06
"""Default margin of a metric, as a share of its greatest loss."""


@dataclass(frozen=True)
class ItemTexts:
    """Outputs with a text of one item in one run.

    Attributes:
        texts: indices of the k texts among all texts of the comparison.
        positions: index of each among the item's outputs with a text.
        numbers: shape (k, f), numbers of the f fields; NaN if missing.
        characters: total number of characters.
    """

    texts: tuple[int, ...]
    positions: tuple[int, ...]
    numbers: Floats
    characters: int

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class PairScores:
    """Scores and findings of a pair of texts.

    Attributes:
        scores: ``match``, ``bertscore_f1``, ``cosine``, ``recall`` and ``precision``; NaN if the model cannot
            read a text.
        findings: findings of the guards; differing digits in languages that guards do not read.
        unread: true if the model cannot read either text.
        guarded: true if guards read the pair; they read only English.
    """

    scores: Mapping[str, float]
    findings: tuple[Finding, ...] = ()
    unread: bool = False
    guarded: bool = True


EQUAL = PairScores({"match": 1.0, "bertscore_f1": 1.0, "cosine": 1.0, "recall": 1.0, "precision": 1.0})
"""Scores of two equal texts."""


@dataclass(frozen=True)
class AlignedItem:
    """Aligned and scored outputs of one item in two runs, from which every loss is computed.

    Attributes:
        baseline: texts of the reference run.
        candidate: texts of the measured run.
        pairs: shape (p, 2), indices of aligned outputs in both runs.
        scores: scores of the p pairs.
    """

    baseline: ItemTexts
    candidate: ItemTexts
    pairs: Integers
    scores: Sequence[PairScores]

    @property
    def longest(self) -> int:
        """Greater number of outputs of the two runs."""
        return max(len(self.baseline), len(self.candidate))

    def exchange_runs(self) -> "AlignedItem":
        """Return the item with the roles of the runs exchanged."""
        scores = [
            replace(
                pair,
                scores={
                    **pair.scores,
                    "recall": pair.scores["precision"],
                    "precision": pair.scores["recall"],
                },
            )
            for pair in self.scores
        ]
        return AlignedItem(self.candidate, self.baseline, self.pairs[:, ::-1], scores)


@dataclass(frozen=True)
class Metric:
    """Metric: the loss of a run at one item, measured against another run.

    Attributes:
        name: name in settings, tables and JSON.
        label: name in sentences.
        loss: returns the loss of an item, 0 to ``span``, if the measured run has a text; NaN without a value.
        is_similarity: true if it is usually stated as a similarity, ``1 - loss``.
        is_usual: true if a gate tests it by default.
        is_directed: true if the loss changes when the two runs are exchanged.
        is_net: true if gains offset losses, so that the loss can be negative.
        span: the greatest loss.
        silent: loss of a run without a text if the other run has one; ``None`` for the greatest loss, NaN for
            a metric of aligned outputs, which then has no value.
        margin: smallest relevant drift.
        power: power of the loss of a pair of runs in the drift of an item; 2 if a different wording changes
            every item's loss, so that an entirely different item counts more than several slightly different
            items.
        noise_share: least margin as a share of the loss^power between baseline and reruns.
        unit: field in which the loss is measured; empty if the loss is a share.
        direction: better direction of the field's numbers.
        is_assumed: true if the direction is inferred from the field's name.
        needs_english: true if guards measure it, as they read only English.
        affected: ``outputs`` or ``items`` if the mean loss is a share of these; otherwise empty.
    """

    name: str
    label: str
    loss: Callable[[AlignedItem], float] = field(repr=False, compare=False)
    is_similarity: bool = False
    is_usual: bool = True
    is_directed: bool = False
    is_net: bool = False
    span: float = 1.0
    silent: float | None = None
    margin: float = MARGIN
    power: int = 1
    noise_share: float = 0.0
    unit: str = ""
    direction: Direction = "either"
    is_assumed: bool = False
    needs_english: bool = False
    affected: str = ""

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest possible loss of an item."""
        return (-self.span if self.is_net else 0.0), self.span

    @property
    def side(self) -> Literal["min", "max"]:
        """Kind of its thresholds: ``min`` for a similarity or a score, ``max`` for a loss."""
        return "min" if self.is_similarity or self.name in QUALITY_METRICS else "max"

    @property
    def may_be_unknown(self) -> bool:
        """True if a missing number is unknown rather than a loss."""
        return self.unit in ASKED_FIELDS

    def to_value(self, loss: float) -> float:
        """Convert a loss to the reported value of the metric: 1 - loss for a similarity."""
        return 1 - loss if self.is_similarity else loss

    def losses(self, item: AlignedItem) -> tuple[float, float]:
        """Return the loss of an item, and the loss with the runs exchanged.

        If only the measured run has no text, its loss is ``silent``; if neither run has a text, there is no
        loss.
        """
        forward = self._loss(item)
        return forward, self._loss(item.exchange_runs()) if self.is_directed else forward

    def _loss(self, item: AlignedItem) -> float:
        if item.candidate:
            return self.loss(item)
        if not item.baseline or self.may_be_unknown:
            return math.nan
        return self.span if self.silent is None else self.silent


def _similarity(name: str) -> Callable[[AlignedItem], float]:
    """Return the loss of a similarity; outputs without a partner have the similarity 0.

    Pairs with two unreadable texts are ignored.
    """

    def loss(item: AlignedItem) -> float:
        known = [pair.scores[name] for pair in item.scores if not pair.unread]
        longest = item.longest - (len(item.scores) - len(known))
        return similarity_loss(known, longest) if longest else math.nan

    return loss


def _content_loss(item: AlignedItem) -> float:
    """Return the share of content that the candidate lacks, averaged over the baseline's outputs."""
    if not item.baseline:
        return 0.0
    known = [pair.scores["recall"] for pair in item.scores if not pair.unread]
    counted = len(item.baseline) - (len(item.scores) - len(known))
    return similarity_loss(known, counted) if counted else math.nan


def _content_gain(item: AlignedItem) -> float:
    """Return the share of content that the baseline lacks, averaged over the candidate's outputs."""
    return _content_loss(item.exchange_runs())


def _contradictions(item: AlignedItem) -> float:
    from semscale.answer_consistency.pairs import contradicting

    found = [bool(contradicting(pair.findings)) for pair in item.scores if pair.guarded]
    return sum(found) / len(found) if found else math.nan


def _number_changes(item: AlignedItem) -> float:
    found = [
        any(finding.guard == "number" and finding.kind in CHANGED_KINDS for finding in pair.findings)
        for pair in item.scores
    ]
    return sum(found) / len(found) if found else math.nan


def _fewer_outputs(item: AlignedItem) -> float:
    """Return the number of missing outputs as a share of the longer list; negative for extra outputs."""
    return (len(item.baseline) - len(item.candidate)) / item.longest


TEXT_METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("match", "match", _similarity("match"), is_similarity=True, is_usual=False, power=2),
        Metric(
            "bertscore_f1",
            "BERTScore F1",
            _similarity("bertscore_f1"),
            is_similarity=True,
            is_usual=False,
            power=2,
        ),
        Metric("cosine", "cosine", _similarity("cosine"), is_similarity=True, is_usual=False, power=2),
        Metric(
            "lost_content",
            "lost content",
            _content_loss,
            is_directed=True,
            power=2,
            margin=0.065,
            noise_share=0.35,
        ),
        Metric(
            "added_content",
            "added content",
            _content_gain,
            is_directed=True,
            silent=0.0,
            power=2,
            margin=0.032,
            noise_share=0.33,
        ),
        Metric(
            "contradictions",
            "contradictions",
            _contradictions,
            silent=math.nan,
            margin=0.11,
            needs_english=True,
            affected="outputs",
        ),
        Metric(
            "changed_numbers",
            "changed numbers",
            _number_changes,
            is_usual=False,
            silent=math.nan,
            affected="outputs",
        ),
        Metric(
            "fewer_outputs",
            "lost outputs",
            _fewer_outputs,
            is_directed=True,
            is_net=True,
            margin=0.08,
        ),
        Metric(
            "more_outputs",
            "extra outputs",
            lambda item: -_fewer_outputs(item),
            is_directed=True,
            is_net=True,
            silent=-1.0,
            margin=0.07,
        ),
        Metric(
            "output_count",
            "number of outputs",
            lambda item: difference_share(len(item.baseline), len(item.candidate)),
            is_usual=False,
        ),
        Metric(
            "length",
            "length",
            lambda item: difference_share(item.baseline.characters, item.candidate.characters),
            is_usual=False,
            power=2,
        ),
    )
}
"""Metrics of texts, which every dataset has; ``docs/gate.md`` defines them."""

CONTENT_METRICS: Mapping[str, str | None] = {"fewer_outputs": None, "lost_content": "added_content"}
"""Metrics of lost content, each with the metric of content that may replace it.

A loss beyond chance, and beyond what replaces it, prevents a pass even below the default margin. Another
wording loses and adds about as much.
"""

REFERENCE_MATCH = Metric(
    "reference_match", "reference match", lambda item: math.nan, is_net=True, margin=0.04
)
"""Match of an item's outputs with its reference; the loss is the other run's match minus this run's match."""

SIDE_BY_SIDE = Metric("side_by_side", "side by side", lambda item: math.nan, is_net=True, margin=0.2)
"""Verdict of a judge: 1 for the baseline, -1 for the candidate, 0 for a tie.

The mean is the share of lost items minus the share of won items. Verdicts are coarse, so the margin is wide:
30 verdicts can show that a candidate loses less than 20 % more than it wins, but hardly 5 %.
"""

QUALITY_METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (REFERENCE_MATCH, SIDE_BY_SIDE)}
"""Metrics of quality, measured with references or a judge instead of aligned texts."""


def field_metrics(
    field: str, span: float, position: int = 0, direction: Direction | None = None
) -> tuple[Metric, ...]:
    """Return the metrics of a numeric field.

    The first, ``<field>_difference``, is the mean absolute difference of aligned outputs; an output without a
    partner counts as the whole range. The second, ``<field>_change``, ignores outputs without a partner, as
    other metrics measure lost and extra outputs; a gate tests it by default. If lower or higher numbers are
    better, only changes for the worse count. The cost of a call can be unknown; then its difference is
    unknown, and there is no second metric.

    Args:
        field: name of the field, such as ``credits``.
        span: the field's range.
        position: index of the field among the fields of the runs, from 0.
        direction: better direction; by default from ``usual_direction``.

    Examples:
        >>> [metric.name for metric in field_metrics("credits", 2.5)]
        ['credits_difference', 'credits_change']
    """
    better = usual_direction(field) if direction is None else direction

    def change(item: AlignedItem) -> float:
        numbers = item.baseline.numbers[:, position], item.candidate.numbers[:, position]
        return number_loss(*drop_missing_pairs(*numbers, item.pairs), span, better)

    def difference(item: AlignedItem) -> float:
        if field in ASKED_FIELDS:
            return change(item)
        numbers = item.baseline.numbers[:, position], item.candidate.numbers[:, position]
        return number_loss(*numbers, item.pairs, span, better)

    name = f"{field}_difference"
    metric = Metric(
        name,
        metric_label(name),
        difference,
        is_usual=False,
        is_directed=better != "either",
        span=span,
        margin=MARGIN * span,
        unit=field,
        direction=better,
        is_assumed=direction is None and is_lower_by_name(field),
    )
    if field in ASKED_FIELDS:
        return (metric,)
    name = f"{field}_change"
    tested = replace(metric, name=name, label=metric_label(name), loss=change, is_usual=True, silent=0.0)
    return metric, tested


def metric_label(name: str) -> str:
    """Return the label of a metric from its name, as a history stores only names.

    Examples:
        >>> metric_label("bertscore_f1"), metric_label("credits_difference")
        ('BERTScore F1', 'credits difference')
    """
    known = {**TEXT_METRICS, **QUALITY_METRICS}
    return known[name].label if name in known else name.replace("_", " ")


def metric_named(name: str, margin: float) -> Metric:
    """Return a metric from its name and margin, as a history stores only these.

    The range of a numeric field is not stored; it is the one for which the margin is the default.

    Examples:
        >>> metric_named("contradictions", 0.2).affected, metric_named("credits_change", 0.15).span
        ('outputs', 2.5)
    """
    known = {**TEXT_METRICS, **QUALITY_METRICS}
    if name in known:
        return known[name]
    field, _, _ = name.rpartition("_")
    of_field = field_metrics(field or name, margin / MARGIN)
    return next((metric for metric in of_field if metric.name == name), of_field[0])


def mean_loss(losses: Floats) -> float:
    """Return the mean of losses, shape (n,), ignoring NaN; NaN if no item has a loss.

    Examples:
        >>> mean_loss(np.array([0.5, np.nan, 0.25])), mean_loss(np.array([np.nan]))
        (0.375, nan)
    """
    there = losses[~np.isnan(losses)]
    return float(there.mean()) if there.size else math.nan


def similarity_loss(similarities: Sequence[float], longest: int) -> float:
    """Return ``1 - sum of similarities / longest``; outputs without a partner count as 0.

    Args:
        similarities: similarities of the aligned pairs. Negative values count as 0, and so does NaN, for a
            pair with one unreadable text.
        longest: the greater number of outputs of the two runs, at least 1.

    Returns:
        0 to 1; exactly 0 if every similarity is 1 and no output is missing.

    Examples:
        >>> similarity_loss([1.0, 0.5], 4), similarity_loss([1.0, 1.0], 2), similarity_loss([], 3)
        (0.625, 0.0, 1.0)
    """
    kept = [0.0 if math.isnan(similarity) else min(max(similarity, 0.0), 1.0) for similarity in similarities]
    return math.fsum([*(1 - similarity for similarity in kept), longest - len(kept)]) / longest


def difference_share(one: float, other: float) -> float:
    """Return the difference of two sizes as a share of the greater one; 0 if both are 0.

    Examples:
        >>> difference_share(3, 1), difference_share(0, 0)
        (0.6666666666666666, 0.0)
    """
    greater = max(one, other)
    return abs(one - other) / greater if greater else 0.0


def number_loss(
    baseline: Floats, candidate: Floats, pairs: Integers, span: float, direction: Direction = "either"
) -> float:
    """Return the mean of ``number_differences``.

    Returns:
        0 to ``span``; NaN if no output has the number.

    Examples:
        >>> one, two = np.array([1.0, 0.5, np.nan]), np.array([0.5])
        >>> number_loss(one, two, np.array([[0, 0]]), span=2.0)  # .5 apart, and 2 for the second
        1.25
    """
    counted = number_differences(baseline, candidate, pairs, span, direction)
    return math.fsum(counted.tolist()) / len(counted) if len(counted) else math.nan


def number_differences(
    baseline: Floats, candidate: Floats, pairs: Integers, span: float, direction: Direction = "either"
) -> Floats:
    """Return the absolute differences of a number: first pairs, then outputs without a partner.

    If lower or higher numbers are better, an improvement counts as 0.

    The difference is ``span`` if only one output of a pair has the number, or if an output with the number
    has no partner. Pairs and outputs without the number are ignored. No difference exceeds ``span``.

    Args:
        baseline: shape (b,), the number of each output; NaN without one.
        candidate: shape (c,), the same for the candidate.
        pairs: shape (p, 2), indices of aligned outputs.
        span: greatest counted difference.
        direction: better direction.

    Returns:
        Shape (differences,), each 0 to ``span``.
    """
    left, right = baseline[pairs[:, 0]], candidate[pairs[:, 1]]
    worsened = {"lower": right - left, "higher": left - right, "either": np.abs(left - right)}[direction]
    apart = np.where(np.isnan(left) ^ np.isnan(right), span, np.clip(worsened, 0.0, span))
    alone = np.concatenate([np.delete(baseline, pairs[:, 0]), np.delete(candidate, pairs[:, 1])])
    return np.concatenate([apart[~np.isnan(apart)], np.full(int((~np.isnan(alone)).sum()), span)])


def drop_missing_pairs(
    baseline: Floats, candidate: Floats, pairs: Integers
) -> tuple[Floats, Floats, Integers]:
    """Return the aligned numbers that both runs have, as arguments of ``number_loss``.

    Examples:
        >>> one, two = np.array([1.0, 0.5]), np.array([2.0, np.nan])
        >>> [part.tolist() for part in drop_missing_pairs(one, two, np.array([[0, 0], [1, 1]]))]
        [[1.0], [2.0], [[0, 0]]]
    """
    left, right = baseline[pairs[:, 0]], candidate[pairs[:, 1]]
    known = ~(np.isnan(left) | np.isnan(right))
    places = np.arange(known.sum())
    return left[known], right[known], np.column_stack([places, places])


def number_distances(baseline: Floats, candidate: Floats, spans: Floats) -> Floats:
    """Return the distances of outputs: |difference| / span, averaged over numeric fields.

    Args:
        baseline: shape (b, f), numbers of each output; NaN if missing.
        candidate: shape (c, f), the same for the candidate.
        spans: shape (f,), greater than 0.

    Returns:
        Shape (b, c), 0 to 1; the distance is 1 if only one of two outputs has the number.

    Examples:
        >>> number_distances(np.array([[1.0], [np.nan]]), np.array([[0.5]]), np.array([2.0])).tolist()
        [[0.25], [1.0]]
    """
    if not len(spans):
        return np.zeros((len(baseline), len(candidate)))
    apart = np.minimum(np.abs(baseline[:, None] - candidate[None]) / spans, 1.0)
    lacking = np.isnan(baseline)[:, None] ^ np.isnan(candidate)[None]
    return np.asarray(np.nan_to_num(np.where(lacking, 1.0, apart), nan=0.0).mean(axis=2))


def span_of(numbers: Sequence[float]) -> float:
    """Return the range of a field's numbers including 0, which is the greatest loss of a missing output.

    Examples:
        >>> span_of([0.5, 2.5]), span_of([-1.0, 1.0]), span_of([0.0])
        (2.5, 2.0, 1.0)
    """
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    return high - low or 1.0
