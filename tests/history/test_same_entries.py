"""Entries that are stored once, whatever id and time they come with."""

from dataclasses import replace

import pytest
from stored_runs import DAY, START, a_comparison, a_run

from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.stored_comparison import StoredFigure


@pytest.fixture
def history(tmp_path):
    with open_history(tmp_path / "history.sqlite", create=True) as opened:
        yield opened


def ids(runs):
    return [run.id for run in runs]


def test_a_run_that_is_recorded_again_is_the_one_that_is_there(history):
    first = history.record_once(a_run(revision="abc", note="one"))
    again = history.record_once(a_run(revision="abc", note="one", recorded=START + DAY))
    assert again == first
    assert ids(history.runs()) == [first.id]


@pytest.mark.parametrize(
    "other",
    [
        {"model": "model-b"},
        {"dataset": "questions"},
        {"note": "once more"},
        {"revision": "def"},
        {"items": (Item("item-0", (Output("Another answer."),)),)},
    ],
)
def test_a_run_that_differs_in_anything_is_another_one(history, other):
    first = history.record_once(a_run(1))
    second = history.record_once(a_run(1, **other))
    assert set(ids(history.runs())) == {first.id, second.id}
    assert first.id != second.id


def test_a_rerun_with_the_outputs_of_its_original_is_another_run(history):
    first = history.record_once(a_run())
    rerun = history.record_once(a_run(rerun_of=first.id))
    assert ids(history.reruns(first.id)) == [rerun.id]
    assert history.record_once(a_run(rerun_of=first.id)).id == rerun.id


def test_the_same_run_is_found_beside_those_that_are_not_meant(history):
    history.record(baseline := a_run())
    assert history.same_run(a_run()) == baseline
    assert history.same_run(a_run(), besides=[baseline.id]) is None
    history.record(second := a_run())
    assert history.same_run(a_run(), besides=[baseline.id]) == second


def test_a_comparison_that_is_kept_again_is_the_one_that_is_there(history):
    history.record(baseline := a_run(id="baseline"))
    candidate = a_run(id="candidate", model="model-b")
    first = history.keep_once(a_comparison(), candidate=candidate)
    same = replace(candidate, id="candidate-2", recorded=START + DAY)
    again = history.keep_once(a_comparison(candidate_id=same.id, compared=START + DAY), candidate=same)
    assert (again.id, again.candidate_id) == (first.id, candidate.id)
    assert ids(history.runs()) == [baseline.id, candidate.id]
    assert ids(history.comparisons()) == [first.id]


def test_a_candidate_with_the_baselines_outputs_is_another_run(history):
    history.record(baseline := a_run(id="baseline"))
    kept = history.keep_once(a_comparison(candidate_id="again"), candidate=replace(baseline, id="again"))
    assert kept.candidate_id == "again"
    assert set(ids(history.runs())) == {"baseline", "again"}


FIGURE = StoredFigure("match", None, 0.25, 0.125, float("nan"), 0.1875, 0.05, 2, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"outcome": "pass"},
        {"outcome": None},
        {"signature": "semscale 1|drift"},
        {"baseline_id": "another"},
        {"figures": (replace(FIGURE, drift=0.126),)},
        {"figures": (FIGURE, replace(FIGURE, metric="cosine"))},
    ],
)
def test_a_comparison_that_differs_in_anything_is_another_one(history, other):
    first = history.keep_once(a_comparison(figures=(FIGURE,)))
    second = history.keep_once(a_comparison(**{"figures": (FIGURE,)} | other))
    assert set(ids(history.comparisons())) == {first.id, second.id}
    assert first.id != second.id
