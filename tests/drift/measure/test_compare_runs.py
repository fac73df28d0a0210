"""Runs compared with the real model."""

from dataclasses import replace

import pytest

from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.meter import DriftMeter
from semscale.errors import InputError
from semscale.history.items import Item, Output
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
    with pytest.raises(InputError, match="says nothing in any item"):
        compare(BASELINE, run("", "", ""), reruns=[silent], meter=meter)


def test_a_candidate_is_not_its_own_rerun(meter):
    again = run("A start.", "Give the voltage.", "In order.", rerun_of=BASELINE.id)
    with pytest.raises(InputError, match="reruns must not hold the candidate"):
        compare(BASELINE, again, reruns=[again], meter=meter)


def test_all_pairs_of_runs_are_measured(meter):
    again = [
        run("A start.", "Give the voltage.", text, rerun_of=BASELINE.id) for text in ("In order.", "Fine.")
    ]
    found = compare(BASELINE, replace(BASELINE, model="new"), reruns=again, meter=meter)
    assert [len(row) for row in found.between] == [2, 1]
    # The candidate says what the baseline says, and so loses to a rerun what the rerun loses to the baseline.
    for rerun, row in zip(found.reruns, found.between, strict=True):
        assert row[-1].losses["match"] == pytest.approx(rerun.losses["match"], abs=0.05)
    assert found.losses("match").tolist() == [0.0] * 3
    assert (found.mean_losses("match") > 0).all()
