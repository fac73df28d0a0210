"""A comparison as a history keeps it: figures to list and plot, and every item's scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from semscale.history.runs import new_id, now
from semscale.types import Floats


@dataclass(frozen=True)
class StoredFigure:
    """One metric's figure, over all items or one group.

    Attributes:
        metric: its name.
        group: kind and name of the group, such as ``("exercise", "6715")``; ``None`` for all items.
        loss: mean loss of the candidate against the baseline, 0 where they agree, greater the worse.
        drift: mean drift: the loss beyond what reruns of the baseline lose.
        low: lower end of the drift's interval; NaN where there is none.
        high: upper end, NaN likewise.
        margin: drift from which on it is material.
        n: items that count.
        n_left_out: items without a value.
    """

    metric: str
    group: tuple[str, str] | None
    loss: float
    drift: float
    low: float
    high: float
    margin: float
    n: int
    n_left_out: int


@dataclass(frozen=True)
class StoredComparison:
    """One comparison of a candidate with a baseline.

    Attributes:
        baseline_id: run that was the baseline.
        candidate_id: run that was compared with it.
        model: of the candidate.
        dataset: of both.
        signature: how it was measured, as ``str`` gives it; comparisons are one series only if they agree.
        outcome: ``pass``, ``fail`` or ``undecided``; ``None`` where no gate was asked.
        figures: of every metric and group.
        scores: every metric's losses, shape (n,), in the order of the baseline's items; NaN where none.
        compared: when, in UTC.
        id: names the comparison in every history.
    """

    baseline_id: str
    candidate_id: str
    model: str
    dataset: str
    signature: str
    outcome: str | None
    figures: tuple[StoredFigure, ...]
    scores: Mapping[str, Floats] = field(default_factory=dict)
    compared: datetime = field(default_factory=now)
    id: str = field(default_factory=new_id)
