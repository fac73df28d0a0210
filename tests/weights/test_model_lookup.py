"""What is known of a model, from its name in a signature."""

import pytest

from semscale.signature import Signature
from semscale.weights.known import KNOWN, languages_read, model_in_signature, profile_of

MINILM, E5 = KNOWN["all-MiniLM-L6-v2"], KNOWN["e5-small"]


def signed(model, field="model"):
    return Signature.of("embed", **{field: model})


def hashed(model):
    return f"{model.name}#{model.sums[model.weights][:12]}"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        (hashed(MINILM), MINILM),
        (hashed(E5), E5),
        ("intfloat/multilingual-e5-small#9f3c", E5),  # float32, with another hash
        ("intfloat/multilingual-e5-small@fd1525a#9f3c", E5),
        ("e5-small#9f3c", None),  # a folder of that name
        ("multilingual-e5-small#9f3c", None),
        ("intfloat/multilingual-e5-base#9f3c", None),
        ("somebody/something#9f3c", None),
    ],
)
def test_known_model_is_identified_by_hash_or_hub_name(name, known):
    assert model_in_signature(signed(name)) is known
    assert model_in_signature(signed(name, "bert_model")) is known  # BERTScore alone
    assert model_in_signature(Signature.of("consistency", measures="exact_match")) is None


@pytest.mark.parametrize(
    ("name", "read", "unread"),
    [
        (hashed(MINILM), {"en"}, {"de"}),
        ("sentence-transformers/all-MiniLM-L6-v2@c9745ed#53aa", {"en"}, {"de"}),
        ("intfloat/multilingual-e5-small#9f3c", {"en", "de", "zh"}, {"lb"}),
        ("intfloat/multilingual-e5-large#9f3c", {"en", "de", "zh"}, {"lb"}),
    ],
)
def test_languages_are_those_of_the_model_in_any_form(name, read, unread):
    languages = languages_read(signed(name))
    assert read <= languages
    assert not unread & languages


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2#000000000000", "my-folder#0123"])
def test_nothing_is_known_of_other_weights(name):
    assert languages_read(signed(name)) == frozenset()
    assert profile_of(signed(name)).prefix == ""
