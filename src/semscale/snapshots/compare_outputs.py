"""Comparison of outputs with approved ones: texts by meaning, numbers by difference."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.answer_consistency.pairs import contradicting
from semscale.drift.measure.assignment import align
from semscale.drift.measure.direction import Direction
from semscale.drift.measure.losses import number_distances, span_of
from semscale.errors import InputError
from semscale.history.items import Output
from semscale.snapshots.comparison import Breach, SnapshotComparison, SnapshotPair
from semscale.snapshots.session_scorer import SnapshotMeter
from semscale.snapshots.settings import SnapshotSettings
from semscale.types import Floats

SAME_WORDING = 0.75
"""Match before penalties from which a guard's finding of a contradiction fails a snapshot by itself.

A penalty alone would let a single "not" in an otherwise equal text pass. Between texts in other words a
finding is less certain, so there it only lowers the match.
"""

_WORSE: Mapping[Direction, float] = {"lower": 1.0, "higher": -1.0}
_ROUNDING = 1e-9  # so that 0.3 - 0.1 counts as 0.2


@dataclass(frozen=True)
class _Sides:
    """Approved and actual outputs, with the differences of their numbers, shape (approved, actual)."""

    approved: Sequence[Output]
    actual: Sequence[Output]
    apart: Floats


def compare_outputs(
    approved: Sequence[Output], actual: Sequence[Output], settings: SnapshotSettings, meter: SnapshotMeter
) -> SnapshotComparison:
    """Compare outputs with approved ones; if all texts are equal, no model is needed.

    Outputs are aligned so that the sum of matches is greatest; their order does not matter.

    Args:
        approved: outputs of the snapshot, each with a text.
        actual: the outputs of this run; those without a text have no partner.
        settings: the limits to check.
        meter: scores texts.

    Raises:
        InputError: a limit is set for a number that no output has.
        ModelError: the model's files cannot be pulled or run.
    """
    fields = sorted({name for output in (*approved, *actual) for name in output.fields})
    _check_fields(fields, settings)
    sides = _Sides(approved, actual, _apart(approved, actual, fields))
    pairs = _equal_texts(sides)
    left = _without(range(len(approved)), (pair.approved for pair in pairs))
    with_text = [place for place, output in enumerate(actual) if not output.is_silent]
    new = _without(with_text, (pair.actual for pair in pairs))
    measures = bool(left and new)
    if measures:
        pairs += _by_meaning(sides, left, new, settings, meter)
    checked = [
        replace(pair, breaches=_breaches(pair, approved[pair.approved], actual[pair.actual], settings))
        for pair in sorted(pairs, key=lambda pair: pair.approved)
    ]
    unpaired = len(approved) + len(actual) - 2 * len(checked)
    too_many = unpaired > settings.max_unpaired or (approved and not with_text)
    return SnapshotComparison(
        tuple(approved),
        tuple(actual),
        tuple(checked),
        (Breach("max_unpaired", settings.max_unpaired, unpaired),) if too_many else (),
        meter.measured_by if measures else {},
    )


def _check_fields(fields: Sequence[str], settings: SnapshotSettings) -> None:
    asked = {name: f"max_{name}_difference" for name in settings.max_differences}
    asked |= {name: f"{name}_direction" for name in settings.directions}
    for name, setting in asked.items():
        if name not in fields:
            known = f"they have {', '.join(fields)}" if fields else "they have no numbers"
            raise InputError(f"{setting} needs outputs with {name!r}, but {known}")


def _apart(approved: Sequence[Output], actual: Sequence[Output], fields: Sequence[str]) -> Floats:
    ours, theirs = _numbers(approved, fields), _numbers(actual, fields)
    columns = np.concatenate([ours, theirs]).T
    spans = np.array([span_of(column[~np.isnan(column)].tolist()) for column in columns])
    return number_distances(ours, theirs, spans)


def _numbers(outputs: Sequence[Output], fields: Sequence[str]) -> Floats:
    rows = [[output.fields.get(name, math.nan) for name in fields] for output in outputs]
    return np.array(rows, np.float64).reshape(len(outputs), len(fields))


def _equal_texts(sides: _Sides) -> list[SnapshotPair]:
    """Pair outputs with the same text, those with the same numbers first."""
    places: dict[str, tuple[list[int], list[int]]] = {}
    for side, outputs in enumerate((sides.approved, sides.actual)):
        for place, output in enumerate(outputs):
            if not output.is_silent:
                places.setdefault((output.text or "").strip(), ([], []))[side].append(place)
    found = []
    for ours, theirs in places.values():
        if ours and theirs:
            aligned = align(np.ones((len(ours), len(theirs))), sides.apart[np.ix_(ours, theirs)])
            found += [SnapshotPair(ours[row], theirs[column]) for row, column in aligned.tolist()]
    return found


def _by_meaning(
    sides: _Sides, left: list[int], new: list[int], settings: SnapshotSettings, meter: SnapshotMeter
) -> list[SnapshotPair]:
    ours = [sides.approved[place].text or "" for place in left]
    theirs = [sides.actual[place].text or "" for place in new]
    crossed = [text for text in ours for _ in theirs]
    matches = meter.match(theirs * len(ours), crossed, settings.guards)
    similarity = np.nan_to_num(matches.score.reshape(len(ours), len(theirs)), nan=0.0)
    rows, columns = align(similarity, sides.apart[np.ix_(left, new)]).T.tolist()
    cells = [row * len(theirs) + column for row, column in zip(rows, columns, strict=True)]
    texts = [theirs[column] for column in columns], [ours[row] for row in rows]
    scores: dict[str, Floats] = {
        "match": matches.score[cells],
        "wording": (matches.score / matches.components["findings"])[cells],
    }
    if settings.min_bertscore_f1 is not None:
        scores["bertscore_f1"] = meter.bertscore_f1(*texts)
    if settings.min_cosine is not None:
        scores["cosine"] = meter.cosine(*texts)
    return [
        SnapshotPair(
            left[row],
            new[column],
            {name: float(values[at]) for name, values in scores.items()},
            matches.findings[cell],
        )
        for at, (row, column, cell) in enumerate(zip(rows, columns, cells, strict=True))
    ]


def _breaches(
    pair: SnapshotPair, approved: Output, actual: Output, settings: SnapshotSettings
) -> tuple[Breach, ...]:
    asked = {
        "match": settings.min_match or None,  # 0 sets no limit
        "bertscore_f1": settings.min_bertscore_f1,
        "cosine": settings.min_cosine,
    }
    found = []
    for metric, limit in asked.items():
        score = pair.scores.get(metric)
        if limit is not None and score is not None and not score >= limit - _ROUNDING:
            found.append(Breach(f"min_{metric}", limit, score))
    found += _contradictions(pair, settings)
    for name in sorted({*approved.fields, *actual.fields}):
        limit = settings.max_differences.get(name, 0.0)
        difference = actual.fields.get(name, math.nan) - approved.fields.get(name, math.nan)
        difference *= _WORSE.get(settings.directions.get(name, "either"), math.copysign(1.0, difference))
        if not difference <= limit + _ROUNDING:
            found.append(Breach(f"max_{name}_difference", limit, difference))
    return tuple(found)


def _contradictions(pair: SnapshotPair, settings: SnapshotSettings) -> list[Breach]:
    """Return a breach for findings if the settings ask for it, or if the words are nearly the same."""
    if settings.guards == "fail" and pair.findings:
        return [Breach("guards", 0, len(pair.findings))]
    wording = pair.scores.get("wording", math.nan)
    if settings.guards == "weigh" and wording >= SAME_WORDING and contradicting(pair.findings):
        return [Breach("wording", SAME_WORDING, wording)]
    return []


def _without(places: Iterable[int], taken: Iterable[int]) -> list[int]:
    gone = set(taken)
    return [place for place in places if place not in gone]
