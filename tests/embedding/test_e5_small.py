"""The known model e5-small: pulled from wheels on the index, with its prefix, and near what it should say."""

import numpy as np
import pytest

from semscale.embedding.loading import load_embedder, load_token_encoder
from semscale.errors import ModelError


@pytest.fixture(scope="module")
def embedder():
    try:
        return load_embedder("e5-small", cache=False)
    except ModelError as error:
        pytest.skip(f"e5-small is not on this machine: semscale models pull e5-small ({error})")


def test_the_signature_names_weights_and_prefix(embedder):
    fields = dict(embedder.signature.fields)
    assert fields["model"] == "e5-small#1571fc982750"
    assert (fields["prefix"], fields["pooling"], fields["window"]) == ("query%3A%20", "mean", "512/128")
    assert embedder.dimensions == 384


def test_texts_of_one_meaning_are_near_in_any_language(embedder):
    texts = [
        "The food was excellent.",
        "Das Essen war ausgezeichnet.",
        "饭菜非常好。",
        "The parcel came too late.",
    ]
    cosines = embedder.embed(texts).vectors @ embedder.embed(texts).vectors.T
    assert (cosines[0, 1:3] > cosines[0, 3]).all()
    assert cosines.min() > 0.7  # any two texts are alike to this model


def test_emoji_and_scripts_are_known_and_the_prefix_does_not_count(embedder):
    unknown = embedder.embed(["👍", "很好", "ok", "🫩🫩"]).unknown
    assert unknown.tolist()[:3] == [0, 0, 0]


def test_a_long_text_is_read_in_windows(embedder):
    # 512 tokens less 5 around the text are 507, and each next window has 507 - 128 = 379 new ones.
    assert embedder.embed([" ".join(["good"] * n) for n in (507, 508, 1266)]).windows.tolist() == [1, 2, 4]


def test_the_mean_of_token_states_is_the_vector(embedder):
    found = load_token_encoder("e5-small").token_states(["It is good."], layer=12)[0]
    assert found.pieces == ("<s>", "▁que", "ry", ":", "▁It", "▁is", "▁good", ".", "</s>")
    assert found.special.tolist() == [True] * 4 + [False] * 4 + [True]
    mean = found.states.mean(axis=0)
    np.testing.assert_allclose(
        mean / np.linalg.norm(mean), embedder.embed(["It is good."]).vectors[0], atol=1e-5
    )
