"""Freezing of anchors, and checks of a ruler against them, with the history that keeps both."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from semscale.drift.ruler.bets import ReadSeries, ruler_tests
from semscale.drift.ruler.label_errors import LabelError, label_array, label_error, mean_readings
from semscale.drift.ruler.ruler import Ruler, read_anew
from semscale.drift.ruler.ruler_check import ALPHA, RulerCheck, RulerStatus
from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorReadings, AnchorSet
from semscale.history.runs import new_id, now
from semscale.signature import Signature
from semscale.types import Floats, Progress

if TYPE_CHECKING:
    from semscale.history.history import History


def freeze_anchors(
    history: "History", anchors: AnchorSet, ruler: Ruler, *, progress: Progress | None = None
) -> AnchorSet:
    """Read an anchor set for the first time, and store it with its readings.

    Args:
        history: where both are kept.
        anchors: pairs of texts. The same pairs under the same name are stored once.
        ruler: what reads them.
        progress: called while they are read.

    Returns:
        The set that the history has now.

    Raises:
        InputError: the dataset has other pairs under this name.
    """
    known = [one for one in history.anchors.sets(anchors.dataset) if one.name == anchors.name]
    if known:
        _check_same(known[-1], anchors)
        return known[-1]
    history.anchors.freeze(anchors, _references(anchors, ruler, progress))
    return anchors


def read_again(
    history: "History", anchors: AnchorSet, ruler: Ruler, *, progress: Progress | None = None
) -> None:
    """Read a set once more as a new reference, after the ruler moved and somebody looked at it."""
    history.anchors.add(_references(anchors, ruler, progress))


def check_ruler(
    history: "History",
    dataset: str,
    ruler: Ruler,
    *,
    alpha: float = ALPHA,
    progress: Progress | None = None,
) -> RulerCheck | None:
    """Read the latest anchor set of a dataset anew, and test whether the ruler moved.

    Nothing is stored: ``keep_check`` does that, beside the comparison.

    Args:
        history: has the anchors and earlier readings.
        dataset: whose anchors are read.
        ruler: what reads them.
        alpha: chance that a ruler which never moves is ever said to have moved.
        progress: called while they are read.

    Returns:
        What was found; ``None`` if the dataset has no anchors.
    """
    sets = history.anchors.sets(dataset)
    if not sets:
        return None
    anchors = sets[-1]
    kept = history.anchors.readings(anchors.id)
    signature = str(ruler.signature)
    reference, earlier = last_series([one for one in kept if one.signature == signature])
    if not reference:
        return _first_check(anchors, ruler, kept, progress, alpha)
    read = read_anew(ruler, anchors.pairs, progress)
    own = replace(
        reference[0],
        readings=read,
        is_reference=False,
        comparison_id=None,
        measured=now(),
        id=new_id(),
    )
    labels = label_array(anchors)
    series = {
        name: ReadSeries(
            np.array([one.readings[name] for one in reference]),
            [one.readings[name] for one in earlier if name in one.readings] + [values],
            labels if name in ruler.scores else None,
        )
        for name, values in read.items()
        if all(name in one.readings for one in reference)
    }
    tests = ruler_tests(series, is_exact=ruler.is_exact, rounding=ruler.rounding, alpha=alpha)
    moved = any(test.has_moved for test in tests)
    return RulerCheck(
        name=anchors.name,
        digest=anchors.digest,
        n=len(anchors.pairs),
        status=RulerStatus.MOVED if moved else RulerStatus.KEPT,
        alpha=alpha,
        tests=tests,
        runs=len(earlier) + 1,
        errors=_errors(ruler, [own], labels),
        reference_errors=_errors(ruler, reference, labels),
        declared={},
        apart={},
        ruler_signature=signature,
        measured=(replace(own, has_moved=moved),),
    )


def keep_check(history: "History", check: RulerCheck, comparison_id: str) -> None:
    """Store what a check read, beside its comparison; every reading counts once in later checks."""
    history.anchors.add(
        [one if one.is_reference else replace(one, comparison_id=comparison_id) for one in check.measured]
    )


def last_series(
    readings: Sequence[AnchorReadings],
) -> tuple[list[AnchorReadings], list[AnchorReadings]]:
    """Split readings of one ruler into its latest reference, and those that are held against it."""
    references = [one for one in readings if one.is_reference]
    if not references:
        return [], []
    own = [one for one in readings if one.series == references[-1].series]
    return [one for one in own if one.is_reference], [one for one in own if not one.is_reference]


def _first_check(
    anchors: AnchorSet,
    ruler: Ruler,
    kept: Sequence[AnchorReadings],
    progress: Progress | None,
    alpha: float,
) -> RulerCheck:
    """Read anchors for the first time with a ruler, and say how far it lies from the one before."""
    own = _references(anchors, ruler, progress)
    former, _ = last_series([one for one in kept if one.readings.keys() & own[0].readings.keys()])
    declared, apart = {}, {}
    if former:
        declared = Signature.parse(former[0].signature).differences(ruler.signature)
        apart = {
            name: mean
            for name, values in mean_readings(own).items()
            if name in former[0].readings
            and (mean := _apart(values, mean_readings(former)[name])) is not None
        }
    return RulerCheck(
        name=anchors.name,
        digest=anchors.digest,
        n=len(anchors.pairs),
        status=RulerStatus.NEW,
        alpha=alpha,
        tests=(),
        runs=0,
        errors=_errors(ruler, own, label_array(anchors)),
        reference_errors=(),
        declared=declared,
        apart=apart,
        ruler_signature=str(ruler.signature),
        measured=tuple(own),
    )


def _references(anchors: AnchorSet, ruler: Ruler, progress: Progress | None) -> list[AnchorReadings]:
    series, signature = new_id(), str(ruler.signature)
    return [
        AnchorReadings(
            anchors.id,
            anchors.dataset,
            signature,
            read_anew(ruler, anchors.pairs, progress),
            series,
            is_reference=True,
        )
        for _ in range(ruler.repeats)
    ]


def _check_same(known: AnchorSet, anchors: AnchorSet) -> None:
    if known.digest != anchors.digest:
        raise InputError(
            f"anchor set {known.name[:60]!r} was frozen with the hash {known.digest}, and these pairs have "
            f"{anchors.digest}: an anchor set never changes; restore the file, or freeze the new pairs "
            "under another name (--name)"
        )


def _apart(ours: Floats, theirs: Floats) -> float | None:
    differences = np.abs(ours - theirs)
    known = differences[~np.isnan(differences)]
    return float(known.mean()) if len(known) else None


def _errors(
    ruler: Ruler, readings: Sequence[AnchorReadings], labels: Floats | None
) -> tuple[LabelError, ...]:
    if labels is None:
        return ()
    means = mean_readings(readings)
    return tuple(label_error(name, means[name], labels) for name in ruler.scores if name in means)
