"""One side of a comparison: persons or personas with their answers, laid out as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from semscale.stats.distances.samples import PmfSample
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True)
class ComparedQuestion:
    """A question that both sides answered.

    Attributes:
        name: in the study.
        text: as it was asked.
        values: shape (k,), of the scale's points.
        labels: of the points.
    """

    name: str
    text: str
    values: Floats
    labels: tuple[str, ...]

    @property
    def width(self) -> float:
        """The last value less the first."""
        return float(self.values[-1] - self.values[0])


@dataclass(frozen=True, eq=False)
class ComparedSide:
    """Answers of n persons about c concepts to q questions; NaN where there is none.

    Attributes:
        names: shape (n,), of the persons; empty where nobody is named.
        masses: for each question shape (n, c, k).
        questions: the q questions.
        weights: shape (n,), above 0; all alike unless given.
        groups: for each attribute the group of every person; ``None`` where it is not known.
        repeats: for each question shape (n, c, samples): values of repeated answers; empty where each was
            asked once.
    """

    names: tuple[str, ...]
    masses: Mapping[str, Floats]
    questions: tuple[ComparedQuestion, ...]
    weights: Floats | None = None
    groups: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    repeats: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def positions(self) -> Floats:
        """Mean answers, shape (n, c, q), as shares of the scale's width: 0 lowest point, 1 highest."""
        each = [
            (self.masses[question.name] @ question.values - question.values[0]) / question.width
            for question in self.questions
        ]
        return np.stack(each, axis=-1)

    @property
    def n(self) -> int:
        """How many persons there are."""
        return len(next(iter(self.masses.values())))

    @property
    def person_weights(self) -> Floats:
        """Weights, shape (n,); ones where none are given."""
        return np.ones(self.n) if self.weights is None else self.weights

    def sample(self, question: str, concept: int) -> PmfSample:
        """Give the answers about a concept, of all who gave one."""
        masses = self.masses[question][:, concept]
        there = ~np.isnan(masses).any(axis=1)
        return PmfSample(masses[there], None if self.weights is None else self.weights[there])

    def rows(self, kept: Mask | Integers) -> "ComparedSide":
        """Keep some persons, in the order given."""
        places = np.flatnonzero(kept) if np.asarray(kept).dtype == bool else np.asarray(kept)
        return ComparedSide(
            tuple(self.names[place] for place in places) if self.names else (),
            {name: masses[places] for name, masses in self.masses.items()},
            self.questions,
            None if self.weights is None else self.weights[places],
            {name: [cells[place] for place in places] for name, cells in self.groups.items()},
            {name: values[places] for name, values in self.repeats.items()},
        )
