"""The published probe: damage done to real feedback, measured with the real model."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from tests.athena_exercises import FOLDER, MISSING

from semscale.drift.comparison import DriftMeter
from semscale.history.items import Item, Output
from semscale.history.runs import Run


@pytest.fixture(scope="module")
def athena():
    if not FOLDER.is_dir():
        pytest.skip(MISSING)
    items = []
    for file in sorted(FOLDER.glob("*.json")):
        exercise = json.loads(file.read_text(encoding="utf-8"))
        for submission in exercise["submissions"]:
            outputs = (
                Output(f"{feedback['title']}: {feedback['description']}", {"credits": feedback["credits"]})
                for feedback in submission["feedbacks"]
            )
            items.append(
                Item(str(submission["id"]), tuple(outputs), groups={"exercise": str(exercise["id"])})
            )
    return Run("athena", "gpt-4o", tuple(items))


def with_outputs(baseline, outputs):
    return replace(
        baseline,
        items=tuple(replace(item, outputs=outputs(at, item)) for at, item in enumerate(baseline.items)),
    )


@pytest.mark.exhaustive
def test_probe_table(athena):
    """Published over 59 submissions, as mean F1: 1, 1, .211, .527, .238; 35 of them are here."""
    exercises = [item.groups["exercise"] for item in athena.items]
    rng = random.Random(0)

    def of_another(at, *, exercise):
        candidates = [
            n for n, name in enumerate(exercises) if n != at and (name != exercises[at]) == exercise
        ]
        return athena.items[rng.choice(candidates)].outputs

    runs = [
        athena,
        with_outputs(athena, lambda _, item: tuple(rng.sample(item.outputs, len(item.outputs)))),
        with_outputs(athena, lambda _, item: item.outputs[:1]),
        with_outputs(athena, lambda at, _: of_another(at, exercise=False)),
        with_outputs(athena, lambda at, _: of_another(at, exercise=True)),
        with_outputs(athena, lambda *_: ()),
    ]
    meter = DriftMeter(cache=False)
    identity, shuffled, first, submission, exercise, silent = (meter.measure(athena, run) for run in runs)
    # Without outputs nothing is contradicted, and no number is another one.
    better = {"added_content": 0.0, "credits_change": 0.0, "more_outputs": -1.0}
    better |= {"contradictions": np.nan, "changed_numbers": np.nan}
    for name, metric in identity.metrics.items():
        assert not identity.losses(name).any()
        assert not shuffled.losses(name).any()
        np.testing.assert_array_equal(silent.losses(name), better.get(name, metric.span))
    f1 = [1 - measured.losses("bertscore_f1").mean() for measured in (first, submission, exercise)]
    assert f1 == pytest.approx([0.211, 0.527, 0.238], abs=0.05)
    match = [measured.losses("match").mean() for measured in (shuffled, submission, first, exercise, silent)]
    assert match[0] < match[1] < match[3] < match[4]
    by_position = DriftMeter(pairing="position", cache=False)
    # .579 by position for shuffled lists, which alarms; dropped outputs count here, where Athena cuts.
    f1 = 1 - by_position.measure(athena, runs[1]).losses("bertscore_f1").mean()
    assert f1 == pytest.approx(0.579, abs=0.05)
    dropped = by_position.measure(athena, runs[2])
    np.testing.assert_array_equal(dropped.losses("bertscore_f1"), first.losses("bertscore_f1"))
