"""Text metrics as a ruler, with the real model, and with one that became another under the same name."""

import numpy as np
import pytest
from moved_encoder import MovedEncoder

from semscale.drift.measure.meter import DriftMeter
from semscale.drift.ruler.bets import ReadSeries, ruler_tests
from semscale.drift.ruler.ruler import read_anew
from semscale.drift.ruler.text_ruler import TextRuler
from semscale.history.anchor_sets import AnchorPair
from semscale.history.items import Item, Output
from semscale.history.runs import Run

TEXTS = [
    ("The bulb is lit because the circuit is closed.", "The circuit is closed, so the bulb is lit."),
    ("You named two of the three stages.", "You did not name two of the three stages."),
    ("The dosage of 5 mg is correct.", "The dosage of 50 mg is correct."),
    ("A clear introduction.", "A clear introduction."),
    ("The order of the stages is right.", "The stages come in the right order."),
    ("Write whole sentences.", "Use complete sentences."),
    ("Give the voltage of the battery.", "What is the voltage of the battery?"),
    ("It is safe to use it at night.", "Bananas are yellow."),
    ("Divide by four before you add.", "First divide by four, then add."),
    ("Cite where this figure comes from.", "Name the source of this figure."),
]
PAIRS = [AnchorPair(str(at), *both) for at, both in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def meter():
    return DriftMeter(cache=False)


@pytest.fixture(scope="module")
def reference(meter):
    return read_anew(TextRuler(meter), PAIRS)


def test_readings_are_the_metrics_of_each_pair(meter, reference):
    assert list(reference) == ["match", "bertscore_f1", "cosine", "contradictions", "changed_numbers"]
    assert [reference[name][3] for name in reference] == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert reference["contradictions"][1] == 1.0
    assert reference["changed_numbers"].tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert reference["match"].argmin() == 7


def test_reading_twice_moves_nothing_and_settings_of_a_baseline_are_no_part_of_the_signature(
    meter, reference
):
    again = read_anew(TextRuler(meter), PAIRS)
    for name, values in reference.items():
        assert np.abs(again[name] - values).max() < 1e-5, name
    assert TextRuler(meter).signature == meter.signature
    assert TextRuler(DriftMeter(meter.encoder, fields={"credits": "higher"})).signature == meter.signature
    assert (TextRuler(meter).rounding, TextRuler(meter).is_exact) == (1e-4, True)


def test_bfloat16_may_round_more(meter):
    ruler = TextRuler(DriftMeter(precision="fast", cache=False))
    used = dict(ruler.signature.fields)["precision"]
    assert ruler.rounding == (2.0**-8 if "bfloat16" in used else 1e-4)


def test_a_model_that_moved_under_its_name_is_seen_in_its_first_run_past_a_cache(meter, reference, tmp_path):
    texts = [Output(text) for both in TEXTS for text in both]
    run = Run("anchors", "m", (Item("1", tuple(texts)),))
    DriftMeter(meter.encoder, cache=tmp_path).measure(run, [run])  # now every text is in the cache
    moved = DriftMeter(MovedEncoder(meter.encoder._engine), cache=tmp_path)
    assert TextRuler(moved).signature == TextRuler(meter).signature
    read = read_anew(TextRuler(moved), PAIRS)
    series = {name: ReadSeries(values[None], [read[name]]) for name, values in reference.items()}
    found = ruler_tests(series, is_exact=True, rounding=1e-4, alpha=0.01)
    seen = {test.reading: test.has_moved for test in found}
    # Guards read words, not states, so that they stay.
    assert seen == {
        "match": True,
        "bertscore_f1": True,
        "cosine": True,
        "contradictions": False,
        "changed_numbers": False,
    }
