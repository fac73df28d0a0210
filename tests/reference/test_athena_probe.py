"""The published probe of Athena's gate: what damage it sees, paired by position and by assignment.

The figures were taken on all 59 text submissions of Athena's samples; 35 of them stand in the shared data, so
that they are met only about. What follows from lengths alone is met exactly.
"""

import random
from dataclasses import replace

import numpy as np
import pytest
from tests.athena_exercises import FOLDER, MISSING

from semscale.compat.athena import AnalysisSettings, run_quality_drift_analysis
from semscale.drift.reading import read_run

PUBLISHED = {
    "identity": (1.000, 1.000),
    "shuffled": (0.579, 1.000),
    "first kept": (1.000, 0.211),
    "another submission": (0.542, 0.527),
    "another exercise": (0.293, 0.238),
}
NEAR = 0.06

pytestmark = [pytest.mark.exhaustive, pytest.mark.skipif(not FOLDER.is_dir(), reason=MISSING)]


def sample_other_outputs(items, *, same_exercise, rng):
    """For each item the outputs of another one, of its exercise or of any other exercise."""
    result = []
    for item in items:
        eligible = [
            candidate
            for candidate in items
            if candidate is not item
            and (candidate.groups["exercise"] == item.groups["exercise"]) == same_exercise
        ]
        result.append(rng.choice(eligible).outputs)
    return result


@pytest.fixture(scope="module")
def candidates():
    baseline = read_run(FOLDER)
    items, rng = baseline.items, random.Random(0)
    outputs = {
        "identity": [item.outputs for item in items],
        "shuffled": [tuple(rng.sample(item.outputs, len(item.outputs))) for item in items],
        "first kept": [item.outputs[:1] for item in items],
        "another submission": sample_other_outputs(items, same_exercise=True, rng=rng),
        "another exercise": sample_other_outputs(items, same_exercise=False, rng=rng),
    }
    return {
        name: replace(
            baseline,
            items=tuple(
                replace(item, outputs=candidate) for item, candidate in zip(items, submitted, strict=True)
            ),
        )
        for name, submitted in outputs.items()
    }


@pytest.fixture(scope="module")
def analyses(candidates):
    return {
        pairing: run_quality_drift_analysis(FOLDER, candidates, settings=AnalysisSettings(pairing=pairing))
        for pairing in ("position", "assignment")
    }


def mean_f1(analysis, name, pairing):
    from semscale.compat.athena_feedback import item_figures

    compared = [by_name[name] for by_name in analysis.comparisons.values()]
    figures = [item_figures(comparison, pairing).bertscore_f1 for comparison in compared]
    return float(np.concatenate(figures).mean())


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_figures_are_met_in_both_ways(analyses, name):
    result = [mean_f1(analyses[pairing], name, pairing) for pairing in ("position", "assignment")]
    assert result == pytest.approx(PUBLISHED[name], abs=NEAR)


def test_what_lengths_decide_is_met_exactly(analyses, candidates):
    shares = [1 / len(item.outputs) for item in candidates["identity"].items]
    for name, expected in (
        ("identity", 1.0),
        ("shuffled", 1.0),
        ("first kept", sum(shares) / len(shares)),
    ):
        assert mean_f1(analyses["assignment"], name, "assignment") == pytest.approx(expected, abs=1e-6)


def passed(analysis, name):
    return [entry["model_results"][name]["passed"] for entry in analysis.exercises.values()]


def test_another_order_does_not_alarm_and_dropped_feedback_does(analyses):
    assignment, athenas = analyses["assignment"], analyses["position"]
    assert all(passed(assignment, "identity"))
    assert all(passed(assignment, "shuffled"))
    for damage in ("first kept", "another submission", "another exercise"):
        assert not any(passed(assignment, damage))
    # Athena's way has it the wrong way round.
    assert not any(passed(athenas, "shuffled"))
    assert all(passed(athenas, "first kept"))
