"""Match of each run's outputs with the references of their items."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from semscale.drift.measure.comparison import Comparison, QualityScores
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.measure.quality_metrics import REFERENCE_MATCH
from semscale.drift.quality.quality_metric import with_quality
from semscale.drift.quality.references import ItemReferences, references_of
from semscale.history.items import Item
from semscale.matching.calibrated import CalibratedMatch
from semscale.matching.matcher import match_with
from semscale.signature import Signature
from semscale.types import Floats, Progress


def with_reference_match(
    comparison: Comparison, meter: DriftMeter, *, progress: Progress | None = None
) -> Comparison:
    """Match the outputs of all runs with their items' references, if any item has one.

    An item's score is the mean match of its outputs, from 0 to 1. A run without any output for an item
    scores 0 where another run has one: silence is the worst answer to a question whose answer is known. An
    item for which no run has an output, or one without a reference, has no score.

    Args:
        comparison: what was measured so far.
        meter: whose model and guards are used.
        progress: called while texts are matched.

    Returns:
        The comparison with the metric ``reference_match``; without a reference the comparison itself.
    """
    references = references_of(comparison.baseline, comparison.candidate)
    if not references:
        return comparison
    runs = [comparison.candidate.items, comparison.baseline.items, *comparison.rerun_items]
    scores, applied = _scores(runs, references, meter, progress)
    made = Signature.of("match", references=references.name, **_matching(applied))
    found = with_quality(
        comparison, REFERENCE_MATCH, QualityScores(scores[0], scores[1]), reruns=scores[2:], part=made
    )
    return replace(found, cautions=(*found.cautions, *references.cautions))


def _matching(applied: Signature) -> dict[str, str]:
    """What the measurement's signature does not have: how the match was calibrated to the references."""
    kept = ("method", "weights", "floors", "corpus")
    return {name: value for name, value in applied.fields if name in kept}


def _scores(
    runs: Sequence[Sequence[Item]], references: ItemReferences, meter: DriftMeter, progress: Progress | None
) -> tuple[list[Floats], Signature]:
    """Match all outputs in one go; shape (n,) for each run."""
    method = CalibratedMatch(meter.encoder, corpus=references.distinct, seed=meter.seed, guards=meter.guards)
    placed = [
        (run, place, output.text)
        for run, items in enumerate(runs)
        for place, item in enumerate(items)
        if references.texts[place] is not None
        for output in item.outputs_with_text
    ]
    rights = [references.texts[place] for _, place, _ in placed]
    said = [text for _, _, text in placed]
    matches = match_with(method, said, rights, progress=progress, keep_unread=True)
    sums, counts = np.zeros((2, len(runs), len(references.texts)))
    at = tuple(np.array([(run, place) for run, place, _ in placed], dtype=np.int64).reshape(-1, 2).T)
    known = ~np.isnan(matches.score)
    np.add.at(sums, at, np.where(known, matches.score, 0.0))
    np.add.at(counts, at, known)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return list(_with_silence(means, runs, references)), matches.signature


def _with_silence(means: Floats, runs: Sequence[Sequence[Item]], references: ItemReferences) -> Floats:
    """Score 0 where a run is silent, and another run is not."""
    speaks = np.array([[bool(item.outputs_with_text) for item in items] for items in runs])
    has_reference = np.array([text is not None for text in references.texts])
    silent = ~speaks & speaks.any(axis=0) & has_reference
    return np.where(silent, 0.0, means)
