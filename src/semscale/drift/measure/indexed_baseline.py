"""A baseline indexed for comparison: numbered texts of all runs, metrics, and ranges of fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.drift.alignment import TextNumbers, item_texts
from semscale.drift.directions import Direction
from semscale.drift.measure.metrics import TEXT_METRICS, Metric, field_metric
from semscale.drift.metrics import ItemTexts, span_of
from semscale.drift.runs import number_of
from semscale.history.runs import Run, hashed
from semscale.types import Floats


class IndexedBaseline:
    """A baseline of n items with the runs that are compared with it; all texts are numbered.

    Args:
        baseline: the approved run.
        others: runs of the same items; texts of reruns of the baseline are numbered before other texts.
        sort: whether to sort each item's outputs, so that their order does not matter.
        better: which numbers of a field are better, by field; as ``usual_direction`` has it unless given.
        whole: the baseline with all its items if ``baseline`` has some of them: its texts and ranges of
            fields count, so that a candidate which lacks items is measured as all others are.

    Attributes:
        own: the baseline's texts for each item.
        others: each other run's texts for each item.
        fields: names of the baseline's f numeric fields.
        spans: shape (f,), the greatest difference that counts in each field.
        metrics: the metrics of texts, then those of fields.
        texts: distinct texts of all runs by number.
        n_own: number of texts of the baseline, which come first.
        n_kept: number of texts of the baseline and its reruns, which every comparison reads again.
    """

    def __init__(
        self,
        baseline: Run,
        others: Sequence[Run],
        *,
        sort: bool,
        better: Mapping[str, Direction] | None = None,
        whole: Run | None = None,
    ) -> None:
        whole = whole or baseline
        values = {field: _numbers(whole, field) for field in whole.fields}
        self.fields = tuple(field for field, numbers in values.items() if numbers)
        self.spans: Floats = np.array([span_of(values[field]) for field in self.fields], np.float64)
        better = better or {}
        numeric = [
            field_metric(field, span, place, better.get(field))
            for place, (field, span) in enumerate(zip(self.fields, self.spans.tolist(), strict=True))
        ]
        self.metrics: dict[str, Metric] = {**TEXT_METRICS, **{metric.name: metric for metric in numeric}}
        numbers = TextNumbers()
        texts = item_texts(whole.items, self.fields, numbers, sort=sort)
        of_items = dict(zip((item.id for item in whole.items), texts, strict=True))
        self.own = [of_items[item.id] for item in baseline.items]
        self.n_own = len(numbers)
        self.others: list[list[ItemTexts]] = [[] for _ in others]
        again = [place for place, run in enumerate(others) if run.rerun_of == baseline.id]
        for place in again:
            self.others[place] = item_texts(others[place].items, self.fields, numbers, sort=sort)
        self.n_kept = len(numbers)
        for place, run in enumerate(others):
            if place not in again:
                self.others[place] = item_texts(run.items, self.fields, numbers, sort=sort)
        self.texts = numbers.texts

    @property
    def own_texts(self) -> list[str]:
        """The distinct texts of the baseline."""
        return self.texts[: self.n_own]

    @property
    def spans_name(self) -> str | None:
        """Count and hash of fields and spans for the signature; ``None`` without fields."""
        spans = dict(zip(self.fields, self.spans.tolist(), strict=True))
        return f"{len(spans)}#{hashed(sorted(spans.items()))}" if spans else None


RunPair = tuple[Sequence[ItemTexts], Sequence[ItemTexts]]
"""Texts of two runs for the same items; the first takes the baseline's part."""


@dataclass(frozen=True)
class ItemPairing:
    """Texts of items that are compared with each other.

    Attributes:
        baseline: the baseline's texts for n items.
        others: the texts of each of r other runs for these items.
        further: further pairs of runs, each with the texts of both for these items.
    """

    baseline: Sequence[ItemTexts]
    others: Sequence[Sequence[ItemTexts]]
    further: Sequence[RunPair] = ()

    @property
    def pairs(self) -> list[RunPair]:
        """All pairs of runs: the baseline with each other run, then the further ones."""
        return [*((self.baseline, other) for other in self.others), *self.further]


def exchanged(indexed: IndexedBaseline, most: int, seed: int) -> ItemPairing | None:
    """Pair each item with the baseline's outputs of another item: of the next one in a random ring.

    Args:
        indexed: the baseline.
        most: the most items to pair.
        seed: seed of the draw.

    Returns:
        The pairing; ``None`` if fewer than two items have a text.
    """
    speaking = [item for item, texts in enumerate(indexed.own) if texts]
    if len(speaking) < 2:  # noqa: PLR2004 - nothing to exchange
        return None
    ring = np.random.default_rng(seed).permutation(speaking)[:most]
    given = [indexed.own[item] for item in np.roll(ring, 1)]
    return ItemPairing([indexed.own[item] for item in ring], [given])


def _numbers(run: Run, field: str) -> list[float]:
    values = (number_of(output, field) for item in run.items for output in item.outputs)
    return [value for value in values if not np.isnan(value)]
