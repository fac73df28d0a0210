"""What each word adds to the layers of words: by hand, and held against the score's own parts."""

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.matching.calibrated import CalibratedMatch, explain_words
from semscale.matching.matcher import explain_items, match_with
from semscale.matching.words import WordVectors

EAST, NORTH, BETWEEN = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]
SHARES = {"word": 0.2, "context": 0.6, "text": 0.2}

PREDICTIONS = ["The wheel turns fast.", "They are red.", None, "Give 50 mg."]
REFERENCES = [["It rains.", "The disc turns quickly."], "The tomatoes are green.", "x", "Give 5 mg."]


def synthetic_vectors(word, context, weights):
    return WordVectors(np.array([word, context]), np.array(EAST), np.array(weights), np.array(weights), False)


PREDICTION = synthetic_vectors([EAST, NORTH], [EAST, BETWEEN], [1.0, 3.0])
REFERENCE = synthetic_vectors([BETWEEN], [NORTH], [2.0])


def test_token_contributions_match_a_hand_calculation():
    table = explain_words((["east", "north"], ["between"]), (PREDICTION, REFERENCE), SHARES, 0.7)
    # By themselves "east" is .6 and "north" .8 like "between"; in context 0 and .8. Context counts
    # three times. Of the prediction's .3, "east" weighs a quarter; "between" weighs all of the
    # reference's .7. Its best cosines are .8 in both layers, with "north".
    assert table.select("side", "place", "token", "matched_place", "matched_token").rows() == [
        ("prediction", 0, "east", 0, "between"),
        ("prediction", 1, "north", 0, "between"),
        ("reference", 0, "between", 1, "north"),
    ]
    columns = ("word_similarity", "context_similarity", "similarity", "weight", "contribution")
    expected = [
        (0.6, 0.0, 0.15, 0.075, 0.01125),
        (0.8, 0.8, 0.8, 0.225, 0.18),
        (0.8, 0.8, 0.8, 0.7, 0.56),
    ]
    np.testing.assert_allclose(table.select(columns).to_numpy(), expected, atol=1e-15)


@pytest.mark.parametrize(("recall_share", "side"), [(0, "prediction"), (1, "reference")])
def test_a_side_that_is_not_asked_about_weighs_nothing(recall_share, side):
    table = explain_words((["east", "north"], ["between"]), (PREDICTION, REFERENCE), SHARES, recall_share)
    assert table.filter(side=side)["weight"].sum() == 1
    assert table["weight"].sum() == 1


def test_text_without_tokens_has_an_empty_explanation():
    silent = synthetic_vectors(np.zeros((0, 2)), np.zeros((0, 2)), [])
    tables = [
        explain_words((["between"], []), (REFERENCE, silent), SHARES, 0.5),
        explain_words(([], ["between"]), (silent, REFERENCE), SHARES, 0.5),
    ]
    full = explain_words((["between"], ["between"]), (REFERENCE, REFERENCE), SHARES, 0.5)
    assert [(len(table), table.schema == full.schema) for table in tables] == [(0, True), (0, True)]


@pytest.mark.parametrize("recall_share", [None, 0.0, 0.4])
def test_contributions_make_up_the_layers_of_the_score(recall_share):
    method = CalibratedMatch(load_token_encoder("all-MiniLM-L6-v2"), recall_share=recall_share)
    matches = match_with(method, PREDICTIONS, REFERENCES)
    explained = explain_items(method, PREDICTIONS, REFERENCES, matches, range(4))
    assert list(explained) == [0, 1, 3]
    signature = dict(matches.signature.fields)
    floors = [float(floor) for floor in signature["floors"].split("/")]
    for item, table in explained.items():
        assert table["weight"].sum() == pytest.approx(1)
        layers = {}
        for name, floor in zip(("word", "context"), floors, strict=False):
            layers[name] = float((table["weight"] * table[f"{name}_similarity"]).sum())
            above = max(0.0, (layers[name] - floor) / (1 - floor))
            assert above == pytest.approx(float(matches.components[name][item]), abs=1e-9)
        # The fitted shares of both layers are .2 and .5 of the score.
        mean = (0.2 * layers["word"] + 0.5 * layers["context"]) / 0.7
        assert table["contribution"].sum() == pytest.approx(mean)


def test_explanation_matches_tokens_of_the_best_reference():
    method = CalibratedMatch(load_token_encoder("all-MiniLM-L6-v2"))
    matches = match_with(method, PREDICTIONS, REFERENCES)
    (table,) = explain_items(method, PREDICTIONS, REFERENCES, matches, [0]).values()
    assert matches.reference[0] == 1
    assert table["token"].to_list() == ["the", "wheel", "turns", "fast", "the", "disc", "turns", "quickly"]
    result = {row["token"]: row["matched_token"] for row in table.filter(side="reference").to_dicts()}
    assert (result["turns"], result["quickly"]) == ("turns", "fast")
