"""Built-in scales come with the vectors of their sentences, equal to those that the model computes."""

import numpy as np
import pytest

from semscale.embedding.loading import load_embedder
from semscale.embedding.shipped import find_shipped
from semscale.errors import ModelError
from semscale.rating.rater import Rater
from semscale.scales import load_scale
from shipped_vectors import FILE, computing_embedder, needed_texts

# Processors add in different orders, and OpenVINO's versions may as well.
LARGEST_DIFFERENCE = 1e-6


@pytest.fixture(scope="module")
def embedder():
    """Give the default embedder of ratings, which computes all vectors."""
    try:
        return computing_embedder()
    except ModelError as error:
        pytest.skip(f"e5-small is not on this machine: semscale models pull e5-small ({error})")


@pytest.fixture(scope="module")
def texts(embedder):
    """Give the sentences that the built-in scales need."""
    return needed_texts(load_embedder("e5-small", cache=False))


def test_every_sentence_of_a_built_in_scale_has_a_shipped_vector(embedder, texts):
    is_shipped, _ = find_shipped(embedder.model_key, texts)
    missing = [text for text, shipped in zip(texts, is_shipped, strict=True) if not shipped]
    assert not missing, "run python release/shipped_vectors.py"


def test_the_file_has_no_vector_that_no_scale_needs(embedder, texts):
    _, entries = find_shipped(embedder.model_key, texts)
    assert len(entries) == len(np.load(FILE)), "run python release/shipped_vectors.py"


def compare(embedder, texts):
    computed = embedder.embed(texts)
    _, shipped = find_shipped(embedder.model_key, texts)
    np.testing.assert_allclose(shipped["vector"], computed.vectors, rtol=0, atol=LARGEST_DIFFERENCE)
    assert shipped["tokens"].tolist() == computed.tokens.tolist()
    assert (computed.windows == 1).all()
    assert (computed.unknown == 0).all()


def test_shipped_vectors_are_those_that_the_model_computes(embedder, texts):
    compare(embedder, texts[::50])


@pytest.mark.exhaustive
def test_all_shipped_vectors_are_those_that_the_model_computes(embedder, texts):
    compare(embedder, texts)


def test_a_changed_sentence_and_other_weights_have_no_shipped_vector(embedder, texts):
    changed = [f"{text} Really." for text in texts]
    assert not find_shipped(embedder.model_key, changed)[0].any()
    other = embedder.model_key.replace("1571fc982750", "0571fc982750")
    assert not find_shipped(other, texts)[0].any()


def test_a_scale_with_a_changed_anchor_is_rated_as_by_an_embedder_that_computes_all(embedder):
    scale = load_scale("trust")
    name, anchors = next(iter(scale.anchor_sets.items()))
    changed = scale.with_anchors(name, ["I trust nobody there.", *anchors[1:]])
    rated = ["They kept every promise.", "They lie."]
    ratings = [
        Rater(changed, embedder=model, floor=None).rate(rated).pmf
        for model in (embedder, load_embedder("e5-small", cache=False))
    ]
    np.testing.assert_allclose(*ratings, rtol=0, atol=1e-5)
