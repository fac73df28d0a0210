"""Differences of aligned outputs in numeric fields and length."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.runs import number_of
from semscale.history.items import Output


@dataclass(frozen=True)
class Difference:
    """A number of two aligned outputs.

    Attributes:
        baseline: the baseline's number; ``None`` without a number or an output.
        candidate: the candidate's number; ``None`` without a number or an output.
    """

    baseline: float | None
    candidate: float | None

    @property
    def value(self) -> float | None:
        """The candidate's number minus the baseline's; ``None`` if one is missing."""
        if self.baseline is None or self.candidate is None:
            return None
        return self.candidate - self.baseline


@dataclass(frozen=True)
class PairDifferences:
    """Differences between the two outputs of a pair.

    Attributes:
        characters: numbers of characters of the texts, without white space at the ends.
        fields: numbers that at least one of them has, by name.
    """

    characters: Difference
    fields: Mapping[str, Difference]


def pair_outputs(comparison: Comparison, pair: AlignedPair) -> tuple[Output | None, Output | None]:
    """Return a pair's outputs, the baseline's and the candidate's; ``None`` for a missing one."""
    before, after = comparison.baseline.items[pair.item], comparison.candidate.items[pair.item]
    return (
        None if pair.baseline is None else before.outputs_with_text[pair.baseline],
        None if pair.candidate is None else after.outputs_with_text[pair.candidate],
    )


def pair_differences(comparison: Comparison, pair: AlignedPair) -> PairDifferences:
    """Compute how two aligned outputs differ in their numeric fields and in length.

    Args:
        comparison: the comparison with the pair.
        pair: one of ``comparison.measured.pairs``.

    Example:
        >>> import numpy as np
        >>> from semscale.drift.measure.measured import MeasuredRun
        >>> from semscale.history.items import Item
        >>> from semscale.history.runs import Run
        >>> from semscale.signature import Signature
        >>> run = Run("exam", "old", (Item("1", (Output("Good.", {"credits": 1.0}),)),))
        >>> other = Run("exam", "new", (Item("1", (Output("Well done.", {"credits": 0.5}),)),))
        >>> nothing = MeasuredRun({}, {}, np.array([]), (), Signature.of("drift"))
        >>> found = pair_differences(Comparison(run, other, nothing), AlignedPair(0, 0, 0))
        >>> found.characters.value, found.fields["credits"].value
        (5, -0.5)
    """
    outputs = pair_outputs(comparison, pair)
    names = sorted({name for output in outputs if output is not None for name in output.fields})
    return PairDifferences(
        characters=Difference(*(_characters(output) for output in outputs)),
        fields={name: Difference(*(_number(output, name) for output in outputs)) for name in names},
    )


def _characters(output: Output | None) -> int | None:
    return None if output is None else len((output.text or "").strip())


def _number(output: Output | None, field: str) -> float | None:
    value = math.nan if output is None else number_of(output, field)
    return None if math.isnan(value) else value
