"""Comparisons in the history: figures for lists and charts, and the scores of every item."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

import numpy as np

from semscale.history.runs import new_id, now
from semscale.types import Floats

COMMON_ITEMS = "common"
"""Field of a signature with the compared items, if the candidate lacks some."""

_PACKED = np.dtype("<f8")
_MEASURES = ("loss", "drift", "low", "high", "margin")


class Outcome(StrEnum):
    """Outcome of a test or check, or of the gate."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


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
        outcome: ``pass``, ``fail`` or ``undecided`` for a test of the gate; ``None`` for other figures.
        noise: mean loss among baseline and reruns; NaN without a rerun.
        items: ids of the first items behind a drift that is undecided or that chance does not explain.
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
    outcome: str | None = None
    noise: float = math.nan
    items: tuple[str, ...] = ()

    @property
    def in_margins(self) -> float:
        """Drift as a multiple of the margin; NaN without a margin."""
        return self.drift / self.margin if self.margin > 0 else math.nan


@dataclass(frozen=True)
class GateCheck:
    """A check of a gate, such as that of a hard limit, a threshold or a must-pass item.

    Attributes:
        kind: ``limit``, ``must_pass``, ``threshold`` or ``rejection``; for CI systems also ``ruler``, or
            ``drift.`` with the name of a tested metric.
        name: of the limit or threshold; the id of a must-pass item; the person who rejected the outputs.
        outcome: outcome; undecided if items break a limit within its default allowance.
        sentence: the result in a sentence without a full stop.
        group: kind and name of the slice; ``None`` for all items.
        value: number of items that break a limit, or the candidate's mean for a threshold, as a similarity or
            loss like the threshold; NaN without a value.
        allowed: the threshold, or the number of items that may break a limit, or a share of items if below 1;
            NaN for a must-pass item.
        items: ids of the items that break a limit; in a history, of the first.
        excused: ids of items that would break a limit, but for which a rerun of the baseline shows the same
            change; in a history, of the first.
        n: number of items that can break a limit; ``None`` for other checks.
        metric: name of a threshold's metric.
        reasons: phrases that describe what became worse in a must-pass item; empty if nothing did.
    """

    kind: str
    name: str
    outcome: Outcome
    sentence: str
    group: tuple[str, str] | None = None
    value: float = math.nan
    allowed: float = math.nan
    items: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    n: int | None = None
    metric: str | None = None
    reasons: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True unless the check failed."""
        return self.outcome is not Outcome.FAIL

    @property
    def is_checked(self) -> bool:
        """False for a limit that no item can break."""
        return self.n != 0

    @property
    def label(self) -> str:
        """The name, with the slice."""
        return self.name if self.group is None else f"{self.name} in {' '.join(self.group)}"


@dataclass(frozen=True)
class StoredComparison:
    """A stored comparison of a candidate with a baseline.

    Attributes:
        baseline_id: id of the baseline's run.
        candidate_id: id of the candidate's run.
        model: the candidate's model.
        dataset: the dataset of both.
        signature: signature of the measurement as text; only comparisons with the same one form a series,
            except that the compared items may differ.
        outcome: ``pass``, ``fail`` or ``undecided``; ``None`` without a gate.
        figures: one for every metric and group.
        scores: losses by metric, shape (n,), in the order of the compared items of the baseline; NaN without
            a value.
        compared: time of the comparison, in UTC.
        id: the comparison's id, the same in every history.
        candidate_digest: hash of the candidate's items and outputs; ``None`` if the history lacks the run.
        ruler_moved: whether the ruler had changed when it was measured.
        checks: the gate's checks besides its tests; ``None`` without a gate, or if they were not stored.
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
    checks: tuple[GateCheck, ...] | None = None

    @property
    def broken(self) -> tuple[GateCheck, ...] | None:
        """The checks that failed; ``None`` if the checks are unknown."""
        return None if self.checks is None else tuple(check for check in self.checks if not check.passed)

    @property
    def tested(self) -> tuple[StoredFigure, ...]:
        """The figures that the gate tests over all items, the greatest drift in margins first."""
        known = [
            figure
            for figure in self.figures
            if figure.group is None and figure.outcome is not None and math.isfinite(figure.in_margins)
        ]
        return tuple(sorted(known, key=lambda figure: -figure.in_margins))

    @property
    def outputs_key(self) -> tuple[str, str]:
        """Key of the compared outputs: the same model with the same outputs is one candidate."""
        return self.model, self.candidate_digest or self.candidate_id


def without_fields(signature: str, names: Collection[str]) -> str:
    """Return a signature without some fields.

    Examples:
        >>> without_fields("semscale 0.1|drift|seed:7|common:1f2e3d4c", {"common"})
        'semscale 0.1|drift|seed:7'
    """
    return "|".join(part for part in signature.split("|") if part.partition(":")[0] not in names)


def dump_figure(figure: StoredFigure) -> dict[str, object]:
    """Return a figure as JSON values; NaN becomes ``None``. Unknown noise and missing items are left out."""
    measures = {name: _or_none(float(getattr(figure, name))) for name in _MEASURES}
    counts = {"n": int(figure.n), "n_left_out": int(figure.n_left_out)}
    about = {"metric": figure.metric, "group": figure.group, "outcome": figure.outcome}
    noise = {} if math.isnan(figure.noise) else {"noise": float(figure.noise)}
    items = {"items": list(figure.items)} if figure.items else {}
    return {**about, **measures, **counts, **noise, **items}


def load_figure(content: Mapping[str, Any]) -> StoredFigure:
    """Build a figure from the result of :func:`dump_figure`."""
    measures = {name: math.nan if content[name] is None else content[name] for name in _MEASURES}
    group = None if content["group"] is None else tuple(content["group"])
    items = tuple(content.get("items", ()))
    return StoredFigure(**{**content, **measures, "group": group, "items": items})


def dump_check(check: GateCheck) -> dict[str, object]:
    """Return a check as JSON values; attributes at their defaults are left out.

    Examples:
        >>> dump_check(GateCheck("limit", "silenced", Outcome.PASS, "none lost", value=0.0))
        {'kind': 'limit', 'name': 'silenced', 'outcome': 'pass', 'sentence': 'none lost', 'value': 0.0}
    """
    defaults = {attribute.name: attribute.default for attribute in fields(GateCheck)}
    values = {**asdict(check), "outcome": str(check.outcome)}
    return {
        name: value
        for name, value in values.items()
        if value != defaults[name] and not (isinstance(value, float) and math.isnan(value))
    }


def load_check(content: Mapping[str, Any]) -> GateCheck:
    """Build a check from the result of :func:`dump_check`."""
    lists = {name: tuple(value) for name, value in content.items() if isinstance(value, list)}
    return GateCheck(**{**content, **lists, "outcome": Outcome(content["outcome"])})


def pack(values: Floats) -> bytes:
    """Pack scores, shape (n,), into little-endian 64-bit floats.

    Examples:
        >>> unpack(pack(np.array([0.5, np.nan])))
        array([0.5, nan])
    """
    return np.asarray(values, dtype=_PACKED).tobytes()


def unpack(packed: bytes) -> Floats:
    """Unpack the scores of :func:`pack`, shape (n,)."""
    return np.frombuffer(packed, dtype=_PACKED).astype(np.float64)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
