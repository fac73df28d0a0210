import pytest
from tests.conftest import ToyEmbedder

from semscale.matching.layered import PRESETS, LayeredMatch
from semscale.matching.matcher import explain_items, match_with

PREDICTIONS = ["the heart is enlarged", "no", None]
REFERENCES = [["kidney stones", "heart enlarged"], ["lung disease"], ["x"]]


@pytest.fixture
def layered():
    return LayeredMatch(PRESETS["cliniqlink-doc"], embedder=ToyEmbedder(), pieces=str.split)


def test_contributions_make_up_the_word_layer(layered):
    matches = match_with(layered, PREDICTIONS, REFERENCES)
    explained = explain_items(layered, PREDICTIONS, REFERENCES, matches, [0, 1, 2])
    assert list(explained) == [0, 1]
    for item, tokens in explained.items():
        sides = {str(side): rows["contribution"].sum() for (side,), rows in tokens.group_by("side")}
        precision, recall = sides.get("prediction", 0.0), sides.get("reference", 0.0)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert matches.components["word"][item] == pytest.approx(f1)


def test_the_reference_that_counted_is_explained(layered):
    matches = match_with(layered, PREDICTIONS, REFERENCES)
    tokens = explain_items(layered, PREDICTIONS, REFERENCES, matches, [0])[0]
    assert tokens.filter(side="reference")["token"].to_list() == ["heart", "enlarged"]
    assert tokens.filter(side="prediction")["matched_token"].to_list() == ["heart", "enlarged"]
    assert tokens.filter(side="prediction")["weight"].sum() == pytest.approx(1)


def test_text_of_only_stopwords_has_no_tokens_to_align(layered):
    matches = match_with(layered, ["the"], [["lung disease", "heart"]])
    assert explain_items(layered, ["the"], [["lung disease", "heart"]], matches, [0])[0].height == 0
