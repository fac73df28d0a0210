import numpy as np
import pytest

from semscale.drift.measure.compare_runs import compare
from semscale.history.items import Item, Output
from semscale.history.runs import Run

RIGHT = {"sky": "The sky is blue.", "coal": "Coal is black.", "snow": "Snow is white.", "sea": None}


def run(model, answers, **settings):
    items = tuple(
        Item(name, tuple(map(Output, answers.get(name, ()))), f"Which colour has the {name}?", {}, right)
        for name, right in RIGHT.items()
    )
    return Run("colours", model, items, **settings)


@pytest.fixture(scope="module")
def compared():
    """Wrong about the sky before; silent about coal now; two answers about snow, of which one is right."""
    old = run(
        "old",
        {"sky": ["I cannot say."], "coal": ["Coal is black."], "snow": ["Snow is white."], "sea": ["Blue."]},
    )
    new = run(
        "new", {"sky": ["The sky is blue."], "snow": ["Snow is white.", "Bread is a food."], "sea": ["Grey."]}
    )
    return compare(old, new)


def test_scores_are_each_runs_own(compared):
    scores = compared.quality["reference_match"]
    sky, coal, snow, sea = scores.candidate
    assert sky == pytest.approx(1.0)
    assert coal == 0.0, "silence is the worst answer to a question whose answer is known"
    assert snow == pytest.approx((1.0 + 0.0) / 2, abs=0.15)
    assert np.isnan(sea), "nothing is known without a reference"
    assert scores.baseline[0] < 0.3
    np.testing.assert_allclose(scores.baseline[1:3], 1.0)


def test_a_loss_is_what_the_baseline_has_more(compared):
    scores = compared.quality["reference_match"]
    np.testing.assert_allclose(compared.losses("reference_match"), scores.baseline - scores.candidate)
    assert compared.losses("reference_match")[0] < -0.7
    assert compared.losses("reference_match")[1] == pytest.approx(1.0)


def test_an_item_that_nobody_answers_has_no_score():
    found = compare(run("old", {"sky": ["Blue."]}), run("new", {"sky": ["Blue."]}))
    assert np.isnan(found.losses("reference_match")).tolist() == [False, True, True, True]


def test_reruns_are_matched_with_the_same_references():
    old = run("old", {"sky": ["The sky is blue."]})
    again = run("old", {"sky": ["I cannot say."]}, rerun_of=old.id)
    found = compare(old, run("new", {"sky": ["The sky is blue."]}), reruns=[again])
    (again,) = found.rerun_losses("reference_match")
    assert again[0] > 0.7
    # As good as the baseline, and better than the mean of baseline and rerun by half of what the rerun lost.
    assert found.drifts("reference_match")[0] == pytest.approx(-again[0] / 2)


def test_the_signature_has_the_references_and_nothing_without_them(compared):
    assert "reference_match_references:3#" in str(compared.signature)
    plain = [Run("colours", model, (Item("sky", (Output("Blue."),)),)) for model in ("old", "new")]
    found = compare(*plain)
    assert "reference" not in str(found.signature)
    assert "reference_match" not in found.metrics
