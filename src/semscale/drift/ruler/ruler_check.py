"""What reading the anchors once more came to."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from semscale.drift.measure.metrics import metric_label
from semscale.drift.ruler.bets import RulerTest
from semscale.drift.ruler.label_errors import LabelError
from semscale.history.anchor_sets import AnchorReadings

ALPHA = 0.01
"""Chance that a ruler which never moves is ever said to have moved, over any number of runs."""


class RulerStatus(StrEnum):
    """Whether the ruler moved."""

    KEPT = "kept"
    MOVED = "moved"
    NEW = "new"


@dataclass(frozen=True)
class RulerCheck:
    """Readings of an anchor set in one run, held against the reference of the same ruler.

    Attributes:
        name: name of the anchor set.
        digest: its hash.
        n: number of its pairs.
        status: ``kept``, ``moved``, or ``new`` where these readings are the first with these settings.
        alpha: chance of a false alarm over all runs.
        tests: one for each reading and way to move; none of a new ruler.
        runs: number of runs since the reference, this one included.
        errors: distance of the readings from people's labels, where there are any.
        reference_errors: the same of the reference.
        declared: for a new ruler that took the place of another one on these anchors, the settings in which
            they differ, each with the former and the present value.
        apart: for such a ruler, the mean absolute difference of its readings from the former one's, by name.
        ruler_signature: settings of the ruler.
        measured: what is to be stored.
    """

    name: str
    digest: str
    n: int
    status: RulerStatus
    alpha: float
    tests: tuple[RulerTest, ...]
    runs: int
    errors: tuple[LabelError, ...]
    reference_errors: tuple[LabelError, ...]
    declared: Mapping[str, tuple[str | None, str | None]]
    apart: Mapping[str, float]
    ruler_signature: str
    measured: tuple[AnchorReadings, ...]

    @property
    def has_moved(self) -> bool:
        """Whether the ruler moved."""
        return self.status is RulerStatus.MOVED

    @property
    def movements(self) -> tuple[RulerTest, ...]:
        """The tests that show that it moved, the greatest difference first."""
        moved = [test for test in self.tests if test.has_moved]
        return tuple(sorted(moved, key=lambda test: -test.difference))

    def words(self) -> str:
        """Say in a sentence, without its full stop, whether the ruler moved."""
        anchors = f"{self.n} anchors of {self.name[:60]!r}"
        if self.status is RulerStatus.NEW:
            return (
                f"{anchors} were read for the first time with this ruler, so that later runs can be checked"
            )
        if not self.has_moved:
            return f"the ruler did not move: {anchors} are read as before"
        shown = ", ".join(map(_test_words, self.movements[:3]))
        return f"the ruler moved: it reads {anchors} in another way; on average {shown}"

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON."""
        return {
            "anchors": self.name,
            "hash": self.digest,
            "n": self.n,
            "status": self.status,
            "alpha": self.alpha,
            "runs": self.runs,
            "tests": [{**asdict(test), "moved": test.has_moved} for test in self.tests],
            "errors": [asdict(one) for one in self.errors],
            "reference_errors": [asdict(one) for one in self.reference_errors],
            "declared": {name: list(values) for name, values in self.declared.items()},
            "apart": dict(self.apart),
            "signature": self.ruler_signature,
        }


_MOVEMENTS = {
    "changed": "differs by {}",
    "higher": "is higher by {}",
    "lower": "is lower by {}",
    "farther": "is farther from people's labels by {}",
}


def _test_words(test: RulerTest) -> str:
    return f"{metric_label(test.reading)} {_MOVEMENTS[test.movement].format(f'{test.difference:.3g}')}"
