"""Series of comparisons: those of one baseline that were measured alike, each candidate once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from semscale.drift.measure.comparison import Comparison
from semscale.history.runs import named, short_id
from semscale.history.stored_comparison import COMMON_ITEMS, StoredComparison, without_fields

_OTHER_BASELINE = "made with another baseline"
_OTHERWISE = "measured otherwise"
_OTHER_ITEMS = "measured on other items"
_MOVED_RULER = "measured while the ruler had moved"
_FLOORS = "floors"
_SAME_OUTPUTS = "compared again later with the same outputs, which count once"


def latest_complete(comparisons: Sequence[StoredComparison]) -> StoredComparison:
    """Return the latest comparison of all of the baseline's items with a ruler that had not moved.

    Args:
        comparisons: at least one; the baseline of the latest counts. If there is no such comparison, it is
            the latest complete one, or the latest of all.
    """
    latest = max(comparisons, key=lambda kept: kept.compared)
    of_baseline = [kept for kept in comparisons if kept.baseline_id == latest.baseline_id]
    return max(of_baseline, key=lambda kept: (kept.is_complete, not kept.ruler_moved, kept.compared))


def one_series(
    comparisons: Sequence[StoredComparison], *, baseline_id: str, signature: str
) -> tuple[list[StoredComparison], list[str]]:
    """Select the comparisons that form one series: one baseline, one signature, each candidate once.

    If a candidate was compared several times, the last comparison counts. The same outputs of the same model
    are one candidate, such as those of a job that was started again.

    Returns:
        The series in the order of time, and lines that count the comparisons left out by reason, with their
        runs.
    """
    in_time = sorted(comparisons, key=lambda kept: kept.compared)
    last = {kept.outputs_key: kept for kept in in_time if not _reason_against(kept, baseline_id, signature)}
    left_out: dict[str, list[str]] = {}
    series = []
    for kept in in_time:
        if against := _reason_against(kept, baseline_id, signature):
            left_out.setdefault(against, []).append(kept.candidate_id)
        elif (counted := last[kept.outputs_key]).id != kept.id:
            is_run = kept.candidate_id == counted.candidate_id
            why = "compared again later" if is_run else _SAME_OUTPUTS
            left_out.setdefault(why, []).append(kept.candidate_id)
        else:
            series.append(kept)
    return series, _left_out_lines(left_out)


def _reason_against(kept: StoredComparison, baseline_id: str, signature: str) -> str | None:
    """Say why a comparison is not of a series; ``None`` if it is.

    A ruler that moved may read the baseline's floors in another way, which are no setting.
    """
    if kept.baseline_id != baseline_id:
        return _OTHER_BASELINE
    loose = {COMMON_ITEMS, _FLOORS} if kept.ruler_moved else {COMMON_ITEMS}
    if without_fields(kept.signature, loose) != without_fields(signature, loose):
        return _OTHERWISE
    loose.discard(COMMON_ITEMS)
    same_items = without_fields(kept.signature, loose) == without_fields(signature, loose)
    return None if same_items else _OTHER_ITEMS


def _left_out_lines(left_out: Mapping[str, list[str]]) -> list[str]:
    return [_left_out_line(ids, why) for why, ids in left_out.items()]


def _left_out_line(ids: list[str], why: str) -> str:
    runs, single = named(dict.fromkeys(map(short_id, ids))), len(ids) == 1
    counted = f"1 comparison of {runs} is" if single else f"{len(ids):,} comparisons of {runs} are"
    return f"{counted} left out, because {'it was' if single else 'they were'} {why}"


def series_before(
    comparison: Comparison, earlier: Sequence[StoredComparison]
) -> tuple[list[StoredComparison], list[str]]:
    """Select the earlier comparisons of the same series, without those of the same candidate.

    Earlier runs of the same model with the same outputs are the same candidate, too. Scores of earlier runs
    are restricted to the items that are compared now. Comparisons that were made while the ruler had moved
    do not count.

    Args:
        comparison: the candidate's.
        earlier: as of ``load_earlier``: where a comparison has scores of other items than the candidate's,
            they are those of all the baseline's items, NaN for one that it lacked.

    Returns:
        The series in the order of time, and lines that count the comparisons left out by reason, with their
        runs.
    """
    candidate, signature = comparison.candidate, str(comparison.signature)
    this = candidate.model, comparison.outputs_digest
    again, moved, others = list[str](), list[str](), list[StoredComparison]()
    for kept in earlier:
        against = _reason_against(kept, comparison.baseline.id, signature)
        if against in {_OTHER_BASELINE, _OTHERWISE}:
            others.append(kept)
        elif kept.outputs_key == this:
            again.append(kept.candidate_id)
        elif kept.candidate_id == candidate.id:
            continue
        elif kept.ruler_moved:
            moved.append(kept.candidate_id)
        else:
            others.append(_on_items_of(comparison, kept))
    series, cautions = one_series(
        [kept for kept in others if kept.candidate_id != candidate.id],
        baseline_id=comparison.baseline.id,
        signature=signature,
    )
    left_out = {_MOVED_RULER: moved, _SAME_OUTPUTS: [id_ for id_ in again if id_ != candidate.id]}
    return series, cautions + _left_out_lines({why: ids for why, ids in left_out.items() if ids})


def measured_alike(comparison: Comparison, earlier: Sequence[StoredComparison]) -> list[StoredComparison]:
    """Select each earlier candidate's last comparison that was measured as the present one, on any items.

    Scores are not needed. The present candidate is left out, and so are comparisons that were made while the
    ruler had moved. A comparison without a gate's decision replaces none that has one.

    Args:
        comparison: the candidate's.
        earlier: comparisons, in any order.

    Returns:
        In the order of time.
    """
    candidate, signature = comparison.candidate, str(comparison.signature)
    last = dict[tuple[str, str], StoredComparison]()
    for kept in sorted(earlier, key=lambda kept: kept.compared):
        against = _reason_against(kept, comparison.baseline.id, signature)
        if against not in {None, _OTHER_ITEMS} or kept.ruler_moved:
            continue
        if kept.outcome is not None or kept.outputs_key not in last:
            last[kept.outputs_key] = kept
    last.pop((candidate.model, comparison.outputs_digest), None)
    found = [kept for kept in last.values() if kept.candidate_id != candidate.id]
    return sorted(found, key=lambda kept: kept.compared)


def _on_items_of(comparison: Comparison, kept: StoredComparison) -> StoredComparison:
    """Restrict a comparison's scores to the items that are compared now, if they are of all items."""
    signature, n = str(comparison.signature), comparison.matching.n_baseline or len(comparison.baseline.items)
    if kept.signature == signature and kept.is_complete:
        return kept
    if not kept.scores or any(len(scores) != n for scores in kept.scores.values()):
        return kept
    scores = {name: of_all[comparison.places] for name, of_all in kept.scores.items()}
    if all(np.isnan(values).all() for values in scores.values()):
        return kept
    return replace(kept, scores=scores, signature=signature)
