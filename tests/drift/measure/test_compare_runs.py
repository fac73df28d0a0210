"""Runs compared with the real model."""

from dataclasses import replace

import numpy as np
import pytest

from semscale.drift.gate.cautions import matching_cautions
from semscale.drift.gate.gate import decide
from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.meter import DriftMeter
from semscale.errors import InputError
from semscale.history.items import Item, Output, digest_items
from semscale.history.runs import Run


@pytest.fixture(scope="module")
def meter():
    return DriftMeter(cache=False)


def run(*texts, **settings):
    items = tuple(Item(name, (Output(text),)) for name, text in zip("abc", texts, strict=True))
    return Run(**{"dataset": "exam", "model": "old", "items": items, **settings})


BASELINE = run("A clear introduction.", "Give the voltage, too.", "The order is right.")


def test_items_are_brought_into_order_and_reruns_kept_apart(meter):
    turned = replace(BASELINE, items=BASELINE.items[::-1], model="new")
    rerun = run("Clear introduction.", "Give the voltage, too.", "The order is right.", rerun_of=BASELINE.id)
    found = compare(BASELINE, turned, reruns=[rerun], meter=meter, floors=True)
    assert [item.id for item in found.candidate.items] == ["a", "b", "c"]
    assert found.losses("match").tolist() == [0.0] * 3
    assert found.expected("match")[0] > 0
    assert found.noise("match") == pytest.approx(found.expected("match")[0] / 3)
    assert set(found.floors) == set(found.metrics)


def test_a_silent_model_is_not_excused_by_a_silent_rerun(meter):
    silent = run("", "", "", rerun_of=BASELINE.id)
    with pytest.raises(InputError, match="has no output in any item"):
        compare(BASELINE, run("", "", ""), reruns=[silent], meter=meter)


def test_outputs_that_all_equal_the_baselines_are_a_caution(meter):
    same = replace(BASELINE, model="new", id="")
    (said,) = compare(BASELINE, same, meter=meter).cautions
    assert said.startswith("all outputs equal the baseline's")
    other = run("A clear introduction.", "Give the voltage.", "The order is right.", rerun_of=BASELINE.id)
    assert compare(BASELINE, same, reruns=[other], meter=meter).cautions == (said,)
    # A model whose reruns are all alike never varies: nothing is strange about an equal candidate.
    rerun = run(*(item.outputs[0].text for item in BASELINE.items), rerun_of=BASELINE.id)
    assert compare(BASELINE, same, reruns=[rerun], meter=meter).cautions == ()
    assert compare(BASELINE, replace(other, rerun_of=None), meter=meter).cautions == ()


def test_a_rerun_that_equals_the_baseline_is_a_caution(meter):
    texts = [item.outputs[0].text for item in BASELINE.items]
    rerun = run(*texts, rerun_of=BASELINE.id, id="1f2e3d4c" * 4)
    other = run("A start.", "Give the voltage.", "In order.", model="new")
    (said,) = compare(BASELINE, other, reruns=[rerun], meter=meter).cautions
    assert said.startswith("rerun '1f2e3d4c' has the baseline's outputs, word for word")


def test_a_candidate_is_not_its_own_rerun(meter):
    again = run("A start.", "Give the voltage.", "In order.", rerun_of=BASELINE.id)
    with pytest.raises(InputError, match="reruns must not hold the candidate"):
        compare(BASELINE, again, reruns=[again], meter=meter)


def test_all_pairs_of_runs_are_measured(meter):
    texts = (("A start.", "In order."), ("Begin.", "Fine."))
    again = [run(one, "Give the voltage.", three, rerun_of=BASELINE.id) for one, three in texts]
    found = compare(BASELINE, replace(BASELINE, model="new"), reruns=again, meter=meter)
    assert [len(row) for row in found.between] == [2, 1]
    # The reruns agree in the second item alone; the candidate, which repeats the baseline, in none with them.
    second_against_first, candidate_against_first = found.between[0]
    assert [loss > 0 for loss in second_against_first.losses["match"]] == [True, False, True]
    assert (candidate_against_first.losses["match"] > 0).all()
    assert found.losses("match").tolist() == [0.0] * 3
    assert (found.mean_losses("match") > 0).all()


def test_a_candidate_that_lacks_items_is_compared_in_the_others(meter):
    words = (
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    )
    items = tuple(Item(word, (Output(f"Sentence {word} is clear."),)) for word in words)
    baseline = Run("exam", "old", items)
    rerun = replace(baseline, id="rerun", rerun_of=baseline.id)
    candidate = Run("exam", "new", (*items[:11], Item("new", (Output("Something else."),))))
    found = compare(baseline, candidate, reruns=[rerun], meter=meter)
    assert found.losses("match").shape == found.expected("match").shape == (11,)
    assert (found.matching.lost, found.matching.new) == (("twelve",), ("new",))
    # It is measured as a candidate with all items: weights and floors are the whole baseline's.
    complete = compare(baseline, replace(candidate, items=items), reruns=[rerun], meter=meter)
    assert found.signature.differences(complete.signature).keys() == {"common"}
    np.testing.assert_array_equal(found.losses("match"), complete.losses("match")[:11])
    assert found.places.tolist() == list(range(11))
    # A history knows the candidate with all its items.
    assert dict(found.signature.fields)["common"] == found.baseline.dataset_version
    assert found.outputs_digest == digest_items(candidate.items)
    whole = compare(baseline, replace(candidate, items=items), meter=meter)
    assert "common" not in dict(whole.signature.fields)
    (caution,) = matching_cautions(found.matching)
    assert caution.startswith("1 of the baseline's 12 items are not in the candidate")
    assert caution in decide(found).cautions


def test_reruns_belong_to_the_signature(meter):
    candidate = replace(BASELINE, id="candidate", model="new")
    texts = ("A start.", "Begin."), ("Start.", "Go.")
    first, second = (run(one, "Give the voltage.", three, rerun_of=BASELINE.id) for one, three in texts)
    made = {
        name: dict(compare(BASELINE, candidate, reruns=reruns, meter=meter).signature.fields).get("reruns")
        for name, reruns in {
            "none": [],
            "first": [first],
            "same": [replace(first, id="again")],
            "other": [second],
            "both": [first, second],
            "turned": [second, first],
        }.items()
    }
    assert made["none"] is None
    assert made["first"] == made["same"]
    assert made["first"].startswith("1#")
    assert made["both"].startswith("2#")
    assert made["both"] == made["turned"]
    assert len(set(made.values())) == 4
