import numpy as np
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.matching.matcher import Matcher, match
from semscale.types import Status


def test_the_best_reference_counts_and_is_named(toy_embedder):
    found = match(["heart attack"], [["lung", "heart attack", "heart"]], "cosine", model=toy_embedder)
    assert found.score.tolist() == [1.0]
    assert found.reference.tolist() == [1]


def test_items_without_a_score_keep_their_places(toy_embedder):
    found = match(["heart", None, "lung"], ["heart", "b", None], "cosine", model=toy_embedder)
    assert found.status.tolist() == [Status.SCORED, Status.MISSING, Status.NO_REFERENCE]
    assert found.score[0] == 1.0
    assert np.isnan(found.score[1:]).all()
    assert found.reference.tolist() == [0, -1, -1]
    assert found.windows.tolist() == [1, 0, 0]


def test_nothing_to_match_gives_no_scores(toy_embedder):
    assert len(match([], [], "cosine", model=toy_embedder)) == 0
    assert np.isnan(match([None], ["a"], "cosine", model=toy_embedder).score).all()


def test_an_unknown_method_names_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'cliniqlink-doc'"):
        Matcher("cliniqlink-docs")


def test_methods_that_read_tokens_need_the_model_s_files(toy_embedder):
    with pytest.raises(InputError, match="model must be a name or a folder"):
        Matcher("cliniqlink-doc", model=toy_embedder)


def test_a_precision_belongs_to_a_named_model(toy_embedder):
    with pytest.raises(InputError, match="precision='fast' needs the name of a model"):
        Matcher("cosine", model=toy_embedder, precision="fast")


def test_published_examples_score_as_measured_with_the_default_model():
    # facts: "Myocardial infarction" / "Heart attack" share no word piece, and cosine .594, measured with
    # sentence-transformers. Under 100 references the baseline is .3, so the paragraph has .294 / .7 = .42.
    found = match(
        ["Heart attack", "Cardiomegaly"], ["Myocardial infarction", "Cardiomyopathy"], "cliniqlink-code"
    )
    assert found.components["sentence"][0] == pytest.approx(0.594, abs=5e-4)
    assert found.components["paragraph"][0] == pytest.approx(0.42, abs=1e-3)
    # "card" is the only whole piece of both, so the word layer cannot tell them apart.
    assert found.components["word"][1] == pytest.approx(1.0, abs=1e-12)
