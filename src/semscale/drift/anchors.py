"""Anchors: fixed pairs of texts, measured with each run to detect changes of the ruler.

The ruler is the measuring system: the embedding model with its engine, match and guards, or a judge.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from semscale.chat.runner import Running
from semscale.drift.cells import CellLocation, input_text, names_in
from semscale.drift.columns import AnchorColumns
from semscale.drift.comparison import DriftMeter
from semscale.drift.decision import GateDecision
from semscale.drift.exchange_test import correct_by_holm, exchange_test
from semscale.drift.metrics import metric_label
from semscale.errors import InputError
from semscale.history.anchor_sets import MOST_PAIRS, AnchorPair, AnchorReadings, AnchorSet
from semscale.history.items import Item, Output
from semscale.history.runs import Run, new_id, now
from semscale.history.stored_comparison import Outcome
from semscale.judging.judge import Judge
from semscale.messages import shorten
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import MeanEstimate, estimate_mean
from semscale.store.missing_codes import is_missing
from semscale.store.table import Table
from semscale.types import Floats, Progress

if TYPE_CHECKING:
    from semscale.history.history import History

ALPHA = 0.01
"""Probability of a false report of a change, for a ruler with noise."""

JUDGE_QUESTION = "How well does the answer say what the reference answer says?"
"""Default question to a judge about each anchor."""

FINDINGS = ("contradictions", "changed_numbers")
"""Readings that are 1 for pairs with findings of guards; labels do not apply to them."""

_SIMILARITIES = ("match", "bertscore_f1", "cosine")
_ROUNDING, _FAST = 1e-4, 2.0**-8
_FEWEST_REPEATS = 2
_NAMED = 3  # changes that a sentence names


class Ruler(Protocol):
    """Measuring system that reads pairs of texts.

    Attributes:
        signature: declared settings; only readings with equal signatures are compared.
        scores: names of the readings to which labels apply; other readings have no error.
        rounding: greatest mean difference from rounding, for a deterministic ruler; ``None`` for a ruler with
            noise.
        repeats: number of readings in a reference; one for a ruler without noise.
    """

    @property
    def signature(self) -> Signature: ...  # noqa: D102

    @property
    def scores(self) -> Sequence[str]: ...  # noqa: D102

    @property
    def rounding(self) -> float | None: ...  # noqa: D102

    @property
    def repeats(self) -> int: ...  # noqa: D102

    def readings(
        self, pairs: Sequence[AnchorPair], *, progress: Progress | None = None
    ) -> Mapping[str, Floats]:
        """Read pairs without using anything stored from an earlier run.

        Returns:
            Readings by name, shape (pairs,), 0 to 1; NaN for a pair without a reading.
        """
        ...


class TextRuler:
    """Ruler that reads pairs with the metrics of a drift meter, without stored vectors.

    Vectors of one engine are identical in all runs. Similarities differ by at most 1e-5 between processors. A
    match divides by the distance to its floors, so a mean difference of up to 1e-4 counts as rounding. With
    the precision ``fast``, the limit is half a step of bfloat16, 2^-8.

    Args:
        meter: measures the comparison that the anchors belong to.
    """

    scores: Sequence[str] = _SIMILARITIES
    repeats = 1

    def __init__(self, meter: DriftMeter) -> None:
        self._meter = meter.anew()

    @property
    def signature(self) -> Signature:
        """Settings of the meter, without the estimates from a baseline."""
        return self._meter.signature

    @property
    def rounding(self) -> float:
        """Greatest mean difference from rounding."""
        return _ROUNDING if "float32" in dict(self.signature.fields).get("precision", "float32") else _FAST

    def readings(
        self, pairs: Sequence[AnchorPair], *, progress: Progress | None = None
    ) -> Mapping[str, Floats]:
        """Read pairs; word weights and floors are estimated from the references.

        Returns:
            ``match``, ``bertscore_f1`` and ``cosine`` as similarities; ``contradictions`` and
            ``changed_numbers`` are 1 for pairs with such findings, otherwise 0.
        """
        references, outputs = (
            Run("anchors", "ruler", tuple(Item(pair.id, (Output(text),)) for pair, text in texts))
            for texts in (
                [(pair, pair.reference) for pair in pairs],
                [(pair, pair.output) for pair in pairs],
            )
        )
        measured = self._meter.measure(references, outputs, progress=progress)
        similarities = {name: 1 - measured.losses(name) for name in _SIMILARITIES}
        return similarities | {name: measured.losses(name) for name in FINDINGS}


class JudgeRuler:
    """Ruler that reads pairs with a judge: the expected score of the output, given the reference.

    Args:
        judge: scores the pairs.
        question: the question about each pair.
        repeats: number of readings in a reference, at least 2; with fewer, greater changes count as noise.
        running: settings of the calls; a ledger is never used, as stored replies would hide a changed judge.

    Raises:
        InputError: ``repeats`` is below 2.
    """

    scores: Sequence[str] = ("judge",)
    rounding = None

    def __init__(
        self,
        judge: Judge,
        *,
        question: str = JUDGE_QUESTION,
        repeats: int = 8,
        running: Running | None = None,
    ) -> None:
        if repeats < _FEWEST_REPEATS:
            raise InputError(
                "repeats", f"must be at least {_FEWEST_REPEATS}, which show the judge's noise, got {repeats}"
            )
        self._judge, self._question, self.repeats = judge, question, repeats
        self._running = replace(running or Running(), ledger=False)

    @property
    def signature(self) -> Signature:
        """Signature of the judge."""
        return self._judge.signature

    def readings(
        self, pairs: Sequence[AnchorPair], *, progress: Progress | None = None
    ) -> Mapping[str, Floats]:
        """Ask the judge about every pair; a pair without an answer has no reading.

        Raises:
            ReplyError: no call can succeed.
        """
        verdicts = self._judge.judge(
            [self._question] * len(pairs),
            [pair.output for pair in pairs],
            references=[pair.reference for pair in pairs],
            running=self._running,
            progress=progress,
        )
        return {"judge": verdicts.expected}


class RulerStatus(StrEnum):
    """True if the ruler changed."""

    KEPT = "kept"
    MOVED = "moved"
    NEW = "new"


@dataclass(frozen=True)
class Movement:
    """Change of a reading since the reference.

    Attributes:
        reading: name of the reading.
        difference: difference over the anchors: the mean absolute difference for a ruler without noise, the
            mean difference for a ruler with noise.
        n_changed: number of anchors with a change above rounding; for a ruler with noise, the number of
            anchors.
        p_value: p-value of the exchange test, corrected for the number of readings; ``None`` without noise.
        has_moved: true if the reading changed.
    """

    reading: str
    difference: float
    n_changed: int
    p_value: float | None
    has_moved: bool


@dataclass(frozen=True)
class RulerCheck:
    """Readings of an anchor set in a run, compared with the reference of the same ruler.

    Attributes:
        name: name of the anchor set.
        digest: hash of the anchor set.
        n: number of pairs in the anchor set.
        status: ``kept``, ``moved``, or ``new`` for the first readings with these settings.
        tests: tests, one for each reading; none for a new ruler.
        errors: mean absolute difference of each reading from human labels, 0 to 1, if there are labels.
        reference_errors: the same of the reference's readings.
        declared: for a ruler that replaces another on these anchors, the changed settings, each with the old
            and the new value.
        ruler_signature: settings of the ruler.
        measured: readings to store.
    """

    name: str
    digest: str
    n: int
    status: RulerStatus
    tests: tuple[Movement, ...]
    errors: Mapping[str, MeanEstimate]
    reference_errors: Mapping[str, MeanEstimate]
    declared: Mapping[str, tuple[str | None, str | None]]
    ruler_signature: str
    measured: tuple[AnchorReadings, ...]

    @property
    def has_moved(self) -> bool:
        """True if the ruler changed."""
        return self.status is RulerStatus.MOVED

    @property
    def sentence(self) -> str:
        """The result in a sentence without a full stop."""
        anchors = f"{self.n} anchors of {self.name[:60]!r}"
        if self.status is RulerStatus.NEW:
            return (
                f"{anchors} were measured for the first time with this ruler, as a reference for later runs"
            )
        if not self.has_moved:
            return f"the ruler did not change: {anchors} have the same readings as before"
        moved = sorted(
            (test for test in self.tests if test.has_moved), key=lambda test: -abs(test.difference)
        )
        shown = ", ".join(
            f"{metric_label(test.reading)} by {abs(test.difference):.3g}" for test in moved[:_NAMED]
        )
        return f"the ruler changed: readings of {anchors} differ on average in {shown}"

    def record(self) -> dict[str, Any]:
        """Return all fields by name, for JSON."""
        return {
            "anchors": self.name,
            "hash": self.digest,
            "n": self.n,
            "status": self.status,
            "tests": [asdict(test) for test in self.tests],
            "errors": _error_records(self.errors),
            "reference_errors": _error_records(self.reference_errors),
            "declared": {name: list(values) for name, values in self.declared.items()},
            "signature": self.ruler_signature,
        }


@dataclass(frozen=True, repr=False)
class RecordedAnchors(Presentable):
    """Recorded anchor set with its reference.

    Attributes:
        where: location of the history.
        anchors: the anchor set.
        is_new: true if the set was stored now; false if it was measured again as the new reference.
        references: readings for comparison with later runs, one for each repeat.
        errors: mean absolute difference of each reading from human labels, 0 to 1, if there are labels.
    """

    where: str
    anchors: AnchorSet
    is_new: bool
    references: tuple[AnchorReadings, ...]
    errors: Mapping[str, MeanEstimate]

    def __repr__(self) -> str:
        return f"RecordedAnchors(name={self.anchors.name!r}, pairs={len(self.anchors.pairs)})"

    def record(self) -> dict[str, Any]:
        """Return all fields by name, for JSON."""
        anchors = self.anchors
        return {
            "instrument": "drift anchors",
            "history": self.where,
            "dataset": anchors.dataset,
            "name": anchors.name,
            "id": anchors.id,
            "hash": anchors.digest,
            "frozen": anchors.frozen,
            "is_new": self.is_new,
            "pairs": len(anchors.pairs),
            "labels": sum(label is not None for label in anchors.labels),
            "repeats": len(self.references),
            "errors": _error_records(self.errors),
            "signature": self.references[0].signature,
        }


def record_anchors(
    history: "History", anchors: AnchorSet, ruler: Ruler, *, progress: Progress | None = None
) -> RecordedAnchors:
    """Store an anchor set with its reference, or measure a stored set again as the new reference.

    Args:
        history: history that stores the set and its reference.
        anchors: pairs of texts. The same pairs with the same name are stored once. Recording them again,
            after a reviewed change of the ruler, creates a new reference.
        ruler: ruler that reads the anchors.
        progress: called while anchors are read.

    Raises:
        InputError: the dataset has other pairs under this name.
    """
    stored = [known for known in history.anchors.sets(anchors.dataset) if known.name == anchors.name]
    if stored and stored[-1].digest != anchors.digest:
        raise InputError(
            f"anchor set {anchors.name[:60]!r} was recorded with the hash {stored[-1].digest}, and these "
            f"pairs have {anchors.digest}: an anchor set never changes; restore the file, or record the new "
            "pairs under another name"
        )
    anchors = stored[-1] if stored else anchors
    references = _references(anchors, ruler, progress)
    if stored:
        history.anchors.add(references)
    else:
        history.anchors.freeze(anchors, references)
    errors = label_errors(anchors, references, ruler.scores)
    return RecordedAnchors(history.where, anchors, not stored, tuple(references), errors)


def check_ruler(
    history: "History", dataset: str, ruler: Ruler, *, progress: Progress | None = None
) -> RulerCheck | None:
    """Measure the latest anchor set of a dataset again, and compare it with its reference.

    Readings of a ruler without noise are equal in all runs, so the ruler changed if their mean absolute
    difference exceeds rounding. A ruler with noise is tested with the paired exchange test of the gate: under
    the null hypothesis, the new reading is exchangeable with those of the reference at each anchor. Nothing
    is stored; ``keep_check`` stores the check with the comparison.

    Args:
        history: history with the anchors and earlier readings.
        dataset: the dataset of the anchors.
        ruler: ruler that reads the anchors.
        progress: called while anchors are read.

    Returns:
        The check; ``None`` if the dataset has no anchors.
    """
    sets = history.anchors.sets(dataset)
    if not sets:
        return None
    anchors, signature = sets[-1], str(ruler.signature)
    stored = history.anchors.readings(anchors.id)
    reference = latest_reference([readings for readings in stored if readings.signature == signature])
    declared: dict[str, tuple[str | None, str | None]] = {}
    tests: tuple[Movement, ...] = ()
    status = RulerStatus.NEW
    if reference:
        readings = _read(ruler, anchors.pairs, progress)
        tests = ruler_tests(reference, readings, ruler.rounding)
        status = RulerStatus.MOVED if any(test.has_moved for test in tests) else RulerStatus.KEPT
        new = replace(
            reference[0],
            readings=readings,
            is_reference=False,
            comparison_id=None,
            measured=now(),
            id=new_id(),
            has_moved=status is RulerStatus.MOVED,
        )
        measured = [new]
    else:
        measured = _references(anchors, ruler, progress)
        former = latest_reference(stored)
        if former and former[0].readings.keys() & measured[0].readings.keys():
            declared = Signature.parse(former[0].signature).differences(ruler.signature)
    return RulerCheck(
        anchors.name,
        anchors.digest,
        len(anchors.pairs),
        status,
        tests,
        label_errors(anchors, measured, ruler.scores),
        label_errors(anchors, reference, ruler.scores),
        declared,
        signature,
        tuple(measured),
    )


def keep_check(history: "History", check: RulerCheck, comparison_id: str) -> None:
    """Store the readings of a check with its comparison."""
    history.anchors.add(
        [
            readings if readings.is_reference else replace(readings, comparison_id=comparison_id)
            for readings in check.measured
        ]
    )


def ruler_tests(
    reference: Sequence[AnchorReadings], readings: Mapping[str, Floats], rounding: float | None
) -> tuple[Movement, ...]:
    """Compare new readings with those of the reference.

    Args:
        reference: entries of the reference, one for each repeat.
        readings: the new readings by name.
        rounding: as in ``Ruler``.
    """
    names = [name for name in readings if all(name in repeat.readings for repeat in reference)]
    if rounding is not None:
        return tuple(_exact(name, reference[0].readings[name], readings[name], rounding) for name in names)
    tests = []
    for name in names:
        runs = np.array([readings[name], *(repeat.readings[name] for repeat in reference)]).T
        runs = runs[~np.isnan(runs).any(axis=1)]
        others = (runs.sum(axis=1, keepdims=True) - runs) / (runs.shape[1] - 1)
        apart = np.round(runs - others, 12)
        p = min(1.0, 2 * min(exchange_test(apart), exchange_test(-apart))) if len(runs) else 1.0
        tests.append((name, float(apart[:, 0].mean()) if len(runs) else 0.0, len(runs), p))
    adjusted = correct_by_holm([p for *_, p in tests])
    return tuple(
        Movement(name, difference, n, p, p < ALPHA)
        for (name, difference, n, _), p in zip(tests, adjusted, strict=True)
    )


def _exact(name: str, before: Floats, after: Floats, rounding: float) -> Movement:
    """Compare readings without noise; a reading that appeared or disappeared counts as a change of 1."""
    apart = np.where(np.isnan(before) ^ np.isnan(after), 1.0, np.nan_to_num(np.abs(after - before), nan=0.0))
    difference = float(apart.mean())
    return Movement(name, difference, int((apart > rounding).sum()), None, difference > rounding)


def latest_reference(readings: Sequence[AnchorReadings]) -> list[AnchorReadings]:
    """Return the entries of the latest reference; empty without a reference."""
    references = [entry for entry in readings if entry.is_reference]
    return [entry for entry in references if entry.series == references[-1].series]


def label_errors(
    anchors: AnchorSet, readings: Sequence[AnchorReadings], scores: Sequence[str]
) -> dict[str, MeanEstimate]:
    """Estimate how far mean readings are from human labels; empty without labels or readings."""
    labels = np.array([np.nan if label is None else label for label in anchors.labels])
    if np.isnan(labels).all() or not readings:
        return {}
    means = {
        name: np.mean([entry.readings[name] for entry in readings], axis=0)
        for name in scores
        if name in readings[0].readings
    }
    return {name: estimate_mean(np.abs(mean - labels), bounds=(0.0, 1.0)) for name, mean in means.items()}


def _error_records(errors: Mapping[str, MeanEstimate]) -> list[dict[str, Any]]:
    return [{"reading": reading, "error": asdict(error)} for reading, error in errors.items()]


def _references(anchors: AnchorSet, ruler: Ruler, progress: Progress | None) -> list[AnchorReadings]:
    series, signature = new_id(), str(ruler.signature)
    return [
        AnchorReadings(
            anchors.id,
            anchors.dataset,
            signature,
            _read(ruler, anchors.pairs, progress),
            series,
            is_reference=True,
        )
        for _ in range(ruler.repeats)
    ]


def _read(ruler: Ruler, pairs: Sequence[AnchorPair], progress: Progress | None) -> dict[str, Floats]:
    """Read pairs and validate the readings.

    Raises:
        InputError: a reading has another length or lies outside 0 to 1.
    """
    readings = {
        name: np.asarray(values, np.float64)
        for name, values in ruler.readings(pairs, progress=progress).items()
    }
    for name, values in readings.items():
        if values.shape != (len(pairs),):
            raise InputError(name, f"must have {len(pairs)} readings, got shape {values.shape}")
        outside = values[(values < 0) | (values > 1)]
        if len(outside):
            raise InputError(
                name, f"must lie in 0 to 1, got {shorten(float(outside[0]))}: divide by its span"
            )
    return readings


class Moved(StrEnum):
    """The part that changed."""

    SYSTEM = "system"
    RULER = "ruler"
    BOTH = "both"
    NEITHER = "neither"


def find_moved_part(outcome: Outcome | None, check: RulerCheck) -> Moved | None:
    """Return which part changed: the system, the ruler, both or neither.

    Only the ruler can change readings of anchors, as their texts never change. If the gate failed with an
    unchanged ruler, the system changed. If the ruler changed and the gate failed, the result is both, as only
    a comparison with an unchanged ruler can show whether the system changed.

    Args:
        outcome: outcome of the gate before the check of the ruler; ``None`` without a gate.
        check: the check of the ruler.

    Returns:
        The part; ``None`` if unknown, because the gate is undecided or missing and the ruler did not change,
        or because the anchors were measured with this ruler for the first time.

    References:
        Li 2026, Who Drifted: the System or the Judge?, arXiv 2606.15474.
    """
    if check.has_moved:
        return Moved.BOTH if outcome is Outcome.FAIL else Moved.RULER
    if check.status is RulerStatus.NEW:
        return None
    return {Outcome.FAIL: Moved.SYSTEM, Outcome.PASS: Moved.NEITHER}.get(outcome) if outcome else None


def with_ruler(decision: GateDecision, check: RulerCheck) -> GateDecision:
    """Change a pass to undecided if the ruler changed; a failed gate still fails."""
    if check.has_moved and decision.outcome is Outcome.PASS:
        return replace(decision, outcome=Outcome.UNDECIDED)
    return decision


def read_anchors(table: Table, columns: AnchorColumns) -> tuple[AnchorPair, ...]:
    """Read pairs of texts with human scores, one per row.

    Args:
        table: table of at most 500 rows.
        columns: columns of the table.

    Returns:
        The pairs, with labels from 0 to 1; ``None`` for a missing label.

    Raises:
        InputError: a column is missing, there are too many rows, or a label is not a number or out of range.
    """
    titles = [columns.reference, columns.output, *([columns.label] if columns.label else [])]
    for title, parameter in zip(titles, ("reference", "output", "label"), strict=False):
        table.require(title, parameter)
    pairs: list[AnchorPair] = []
    for batch in table.batches(MOST_PAIRS + 1):
        first = len(pairs)
        ids = names_in(batch, columns.id, CellLocation(table.name, first, columns.id))
        for row, cells in enumerate(zip(*(batch[title].to_list() for title in titles), strict=True), first):
            locations = [CellLocation(table.name, row, title) for title in titles]
            reference, output = (
                input_text(cells[position], locations[position]) or "" for position in (0, 1)
            )
            label = None
            if columns.label is not None:
                label = _label(cells[2], locations[2], columns.label_range or (0.0, 1.0))
            pairs.append(AnchorPair(ids[row - first] or str(row + 1), reference, output, label))
        if len(pairs) > MOST_PAIRS:
            raise InputError(
                f"{table.name} has more than {MOST_PAIRS} rows: anchors are read in every run, so leave the "
                "most telling ones"
            )
    return tuple(pairs)


def _label(cell: object, location: CellLocation, scale: tuple[float, float]) -> float | None:
    if is_missing(cell) or cell == "":
        return None
    low, high = scale
    try:
        score = math.nan if isinstance(cell, bool) else float(str(cell))
    except ValueError:
        score = math.nan
    if not low <= score <= high:
        raise location.error(
            f"has the label {shorten(cell)}, which is no number from {low:g} to {high:g}",
            "correct it, or give the range of the labels, such as --human-range 1 5",
        )
    return (score - low) / (high - low)
