"""Whole runs through the gate: what is named where the system moved, the ruler, both or neither."""

from dataclasses import replace

import pytest
from moved_encoder import MovedEncoder

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.gate import decide
from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.ruler.attribution import Moved, with_ruler
from semscale.drift.ruler.checking import check_ruler, freeze_anchors
from semscale.drift.ruler.text_ruler import TextRuler
from semscale.history.anchor_sets import AnchorPair, AnchorSet
from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.runs import Run

TOPICS = ("the circuit", "the first stage", "your essay", "the proof", "the graph", "this program")
FEEDBACK = [f"Your answer about {topic} in part {part} is right." for topic in TOPICS for part in range(1, 6)]
PAIRS = tuple(
    AnchorPair(str(at), text, text.replace("is right", "is correct")) for at, text in enumerate(FEEDBACK[:12])
)


def run(texts, **settings):
    items = tuple(Item(str(at), (Output(text),)) for at, text in enumerate(texts))
    return Run("answers", "model", items, **settings)


BASELINE = run(FEEDBACK)
WORSE = run([text if at % 3 else "Nothing to say here." for at, text in enumerate(FEEDBACK)])
SAME = replace(BASELINE, id="candidate")


@pytest.fixture(scope="module")
def meter():
    return DriftMeter(cache=False)


@pytest.fixture
def history(tmp_path, meter):
    with open_history(str(tmp_path / "history.sqlite")) as opened:
        freeze_anchors(opened, AnchorSet("answers", "pairs", PAIRS), TextRuler(meter))
        yield opened


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("candidate", "is_moved", "moved", "outcome"),
    [
        (WORSE, False, Moved.SYSTEM, Outcome.FAIL),
        (SAME, True, Moved.RULER, Outcome.UNDECIDED),
        (WORSE, True, Moved.BOTH, Outcome.FAIL),
        (SAME, False, Moved.NEITHER, Outcome.PASS),
    ],
)
def test_what_moved_is_named(history, meter, candidate, is_moved, moved, outcome):
    used = DriftMeter(MovedEncoder(meter.encoder._engine), cache=False) if is_moved else meter
    reruns = [replace(BASELINE, id=f"rerun-{at}", rerun_of=BASELINE.id) for at in range(3)]
    comparison = compare(BASELINE, candidate, reruns=reruns, meter=used)
    check = check_ruler(history, "answers", TextRuler(used))
    summary = DriftSummary(comparison, with_ruler(decide(comparison), check), ruler=check)
    assert (summary.moved, summary.decision.outcome) == (moved, outcome)
