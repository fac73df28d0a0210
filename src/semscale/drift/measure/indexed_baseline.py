"""A baseline made ready for comparing: what it says by number of text, its metrics and their spans."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.drift.measure.losses import span_of
from semscale.drift.measure.metrics import TEXT_METRICS, Metric, field_metric
from semscale.drift.runs.run_texts import Spoken, TextNumbers, number_of, spoken_of
from semscale.history.runs import Run, hashed
from semscale.types import Floats


class PreparedBaseline:
    """A baseline of n items and the runs that are held against it.

    Args:
        baseline: the approved run.
        others: runs of the same items; the texts of those that are reruns of the baseline are numbered before
            the others'.
        sort: whether the order of an item's outputs shall decide nothing.

    Attributes:
        said: what the baseline says of each item.
        others: what each of the other runs says of each item.
        fields: the f numeric fields that the baseline has.
        spans: shape (f,), the most that a difference counts.
        metrics: those of texts, then those of fields.
        texts: distinct texts of all runs, by number.
        n_own: how many of them are the baseline's, which come first.
        n_kept: how many of them are the baseline's or a rerun's, which every comparison reads again.
    """

    def __init__(self, baseline: Run, others: Sequence[Run], *, sort: bool) -> None:
        values = {field: _numbers(baseline, field) for field in baseline.fields}
        self.fields = tuple(field for field, numbers in values.items() if numbers)
        self.spans: Floats = np.array([span_of(values[field]) for field in self.fields], np.float64)
        numeric = map(field_metric, self.fields, self.spans.tolist())
        self.metrics: dict[str, Metric] = {**TEXT_METRICS, **{metric.name: metric for metric in numeric}}
        numbers = TextNumbers()
        self.said = spoken_of(baseline.items, self.fields, numbers, sort=sort)
        self.n_own = len(numbers)
        self.others: list[list[Spoken]] = [[] for _ in others]
        again = [place for place, run in enumerate(others) if run.rerun_of == baseline.id]
        for place in again:
            self.others[place] = spoken_of(others[place].items, self.fields, numbers, sort=sort)
        self.n_kept = len(numbers)
        for place, run in enumerate(others):
            if place not in again:
                self.others[place] = spoken_of(run.items, self.fields, numbers, sort=sort)
        self.texts = numbers.texts

    @property
    def own_texts(self) -> list[str]:
        """The distinct texts of the baseline."""
        return self.texts[: self.n_own]

    @property
    def spans_name(self) -> str | None:
        """What names fields and spans in a signature; ``None`` where there is no field."""
        spans = dict(zip(self.fields, self.spans.tolist(), strict=True))
        return f"{len(spans)}#{hashed(sorted(spans.items()))}" if spans else None


@dataclass(frozen=True)
class ItemPairing:
    """Which items are compared with which.

    Attributes:
        baseline: what the baseline says of n items.
        others: what each of r other runs says of them.
    """

    baseline: Sequence[Spoken]
    others: Sequence[Sequence[Spoken]]


def exchanged(prepared: PreparedBaseline, most: int, seed: int) -> ItemPairing | None:
    """Give items the baseline's outputs of another item: of the next one in a random ring, so nobody its own.

    Args:
        prepared: the baseline.
        most: how many items take part, at most.
        seed: of the draw.

    Returns:
        ``None`` where fewer than two items say something.
    """
    speaking = [item for item, said in enumerate(prepared.said) if said]
    if len(speaking) < 2:  # noqa: PLR2004 - nothing to exchange
        return None
    ring = np.random.default_rng(seed).permutation(speaking)[:most]
    given = [prepared.said[item] for item in np.roll(ring, 1)]
    return ItemPairing([prepared.said[item] for item in ring], [given])


def _numbers(run: Run, field: str) -> list[float]:
    values = (number_of(output, field) for item in run.items for output in item.outputs)
    return [value for value in values if not np.isnan(value)]
