import numpy as np
import pytest

from semscale.matching.bertscore import bertscore
from semscale.matching.matcher import Matcher, build_method, explain_items, match_with
from semscale.matching.settings import MatchSettings
from semscale.types import Status

PREDICTIONS = ["He is in Paris.", None, "It is a lung."]
REFERENCES = [["It rains.", "Paris is where he is."], ["x"], ["It is the heart."]]


def test_the_score_is_f1_and_its_parts_precision_and_recall():
    result = Matcher("bertscore").match(PREDICTIONS, REFERENCES)
    best = bertscore([PREDICTIONS[0], PREDICTIONS[2]], [REFERENCES[0][1], REFERENCES[2][0]])
    np.testing.assert_array_equal(result.score[[0, 2]], best.f1)
    np.testing.assert_array_equal(result.components["precision"][[0, 2]], best.precision)
    np.testing.assert_array_equal(result.components["recall"][[0, 2]], best.recall)
    assert result.reference.tolist() == [1, -1, 0]
    assert result.signature.instrument == "bertscore"


def test_tokens_make_up_precision_and_recall():
    method = build_method(MatchSettings(method="bertscore"))
    matches = match_with(method, PREDICTIONS, REFERENCES)
    tokens = explain_items(method, PREDICTIONS, REFERENCES, matches, [0, 1, 2])
    assert list(tokens) == [0, 2]
    for item, table in tokens.items():
        for side, part in (("prediction", "precision"), ("reference", "recall")):
            total = table.filter(side=side)["contribution"].sum()
            assert total == pytest.approx(float(matches.components[part][item]), abs=1e-6)


def test_a_corpus_weighs_tokens():
    plain, weighed = (
        Matcher("bertscore", corpus=corpus).match(PREDICTIONS, REFERENCES)
        for corpus in (None, ["he is in the house", "it is a heart"])
    )
    assert "idf" in plain.signature.differences(weighed.signature)


def test_a_text_without_a_token_that_counts_is_weightless():
    # Every document of the corpus has both words, so ln(3 / 3) = 0 is all they weigh.
    result = Matcher("bertscore", corpus=["lung it", "it lung"]).match(["lung", "heart"], ["lung", "heart"])
    assert result.status.tolist() == [Status.WEIGHTLESS, Status.SCORED]
    assert np.isnan(result.score[0])
    assert result.reference.tolist() == [-1, 0]
