"""Comparisons in the history: figures for lists and charts, and the scores of every item."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any

import numpy as np

from semscale.history.runs import new_id, now
from semscale.types import Floats

COMMON_ITEMS = "common"
"""Field of a signature that names the items which were compared, where the candidate lacks some."""

_PACKED = np.dtype("<f8")
_MEASURES = ("loss", "drift", "low", "high", "margin")


@dataclass(frozen=True)
class StoredFigure:
    """The mean of one metric over all items or one group.

    Attributes:
        metric: its name.
        group: kind and name of the group, such as ``("exercise", "6715")``; ``None`` for all items.
        loss: mean loss of the candidate against the baseline; 0 means equal, greater is worse.
        drift: mean drift: the loss minus that of reruns of the baseline.
        low: lower end of the drift's interval; NaN without one.
        high: upper end; NaN without an interval.
        margin: the smallest material drift.
        n: number of items with a value.
        n_left_out: number of items without a value.
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
class StoredCheck:
    """A check of a gate that is no test of a metric.

    Attributes:
        kind: ``limit``, ``must_pass`` or ``threshold``.
        name: of the limit or threshold; the id of a must-pass item.
        passed: whether it holds.
        group: kind and name of the slice that it is about; ``None`` for all items.
        value: items that break a limit, outputs or numbers that are lost where it is of a total, or the mean
            that a threshold is about; NaN without one.
        allowed: the setting; NaN for a must-pass item.
        items: ids of the first items that break a limit.
        reasons: what became worse in a must-pass item.
    """

    kind: str
    name: str
    passed: bool
    group: tuple[str, str] | None = None
    value: float = math.nan
    allowed: float = math.nan
    items: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoredComparison:
    """A stored comparison of a candidate with a baseline.

    Attributes:
        baseline_id: id of the baseline's run.
        candidate_id: id of the candidate's run.
        model: the candidate's model.
        dataset: the dataset of both.
        signature: signature of the measurement as text; only comparisons with the same one form a series;
            the items that were compared may differ.
        outcome: ``pass``, ``fail`` or ``undecided``; ``None`` without a gate.
        figures: one for every metric and group.
        scores: every metric's losses, shape (n,), in the order of the baseline's items that were compared;
            NaN without a value.
        compared: time of the comparison, in UTC.
        id: the comparison's id, the same in every history.
        candidate_digest: hash of the candidate's items and outputs; ``None`` if the history lacks the run.
        ruler_moved: whether the ruler had moved when it was measured.
        checks: what the gate checked beside its tests; ``None`` without a gate, or where nobody stored it.
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
    candidate_digest: str | None = None
    ruler_moved: bool = False
    checks: tuple[StoredCheck, ...] | None = None

    @property
    def broken(self) -> tuple[StoredCheck, ...] | None:
        """The checks that do not hold; ``None`` where nothing is known of them."""
        return None if self.checks is None else tuple(check for check in self.checks if not check.passed)

    @property
    def outputs_key(self) -> tuple[str, str]:
        """Tells whose outputs were compared: the same model with the same outputs is one candidate."""
        return self.model, self.candidate_digest or self.candidate_id


def without_fields(signature: str, names: Collection[str]) -> str:
    """Leave some fields out of a signature.

    Examples:
        >>> without_fields("semscale 0.1|drift|seed:7|common:1f2e3d4c", {"common"})
        'semscale 0.1|drift|seed:7'
    """
    return "|".join(part for part in signature.split("|") if part.partition(":")[0] not in names)


def dump_figure(figure: StoredFigure) -> dict[str, object]:
    """Lay a figure out for JSON; a number that is NaN becomes ``None``."""
    measures = {name: _or_none(float(getattr(figure, name))) for name in _MEASURES}
    counts = {"n": int(figure.n), "n_left_out": int(figure.n_left_out)}
    return {"metric": figure.metric, "group": figure.group, **measures, **counts}


def load_figure(content: Mapping[str, Any]) -> StoredFigure:
    """Build a figure from :func:`dump_figure`."""
    measures = {name: math.nan if content[name] is None else content[name] for name in _MEASURES}
    group = None if content["group"] is None else tuple(content["group"])
    return StoredFigure(**{**content, **measures, "group": group})


def dump_check(check: StoredCheck) -> dict[str, object]:
    """Lay a check out for JSON; attributes at their defaults are left out.

    Examples:
        >>> dump_check(StoredCheck("limit", "silenced", True, value=0.0))
        {'kind': 'limit', 'name': 'silenced', 'passed': True, 'value': 0.0}
    """
    defaults = {attribute.name: attribute.default for attribute in fields(StoredCheck)}
    return {
        name: value
        for name, value in asdict(check).items()
        if value != defaults[name] and not (isinstance(value, float) and math.isnan(value))
    }


def load_check(content: Mapping[str, Any]) -> StoredCheck:
    """Build a check from :func:`dump_check`."""
    lists = {name: tuple(value) for name, value in content.items() if isinstance(value, list)}
    return StoredCheck(**{**content, **lists})


def pack(values: Floats) -> bytes:
    """Pack scores, shape (n,), into little-endian 64-bit floats.

    Examples:
        >>> unpack(pack(np.array([0.5, np.nan])))
        array([0.5, nan])
    """
    return np.asarray(values, dtype=_PACKED).tobytes()


def unpack(packed: bytes) -> Floats:
    """Unpack scores from :func:`pack`, shape (n,)."""
    return np.frombuffer(packed, dtype=_PACKED).astype(np.float64)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
