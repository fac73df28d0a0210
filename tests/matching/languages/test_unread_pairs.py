import pytest

from semscale.matching.pairs import in_other_language, may_be_name, pair_up
from semscale.signature import Signature
from semscale.weights.known import KNOWN


def signature_of(name):
    model = KNOWN[name]
    return Signature.of("embed", model=f"{model.name}#{model.sums[model.weights][:12]}")


GERMAN = "Das ist leider überhaupt nicht sicher."
ENGLISH = "It is not safe at all, and that is a pity."


def test_pair_is_unread_if_either_text_is_in_an_unsupported_language():
    pairs = pair_up([GERMAN, ENGLISH, ENGLISH, GERMAN], [ENGLISH, GERMAN, ENGLISH, GERMAN])
    minilm = signature_of("all-MiniLM-L6-v2")
    assert in_other_language(pairs, minilm).tolist() == [True, True, False, True]
    # e5-small reads German; of a model that is not known nothing is said.
    assert not in_other_language(pairs, signature_of("e5-small")).any()
    assert not in_other_language(pairs, Signature.of("embed", model="my-folder#0123")).any()
    # Where two models read, both must read the language.
    assert in_other_language(pairs, signature_of("e5-small"), minilm).tolist() == [True, True, False, True]


def test_single_readable_reference_makes_the_pair_readable():
    pairs = pair_up([ENGLISH], [[GERMAN, ENGLISH]])
    assert in_other_language(pairs, signature_of("all-MiniLM-L6-v2")).tolist() == [True, False]


@pytest.mark.parametrize(
    "name",
    [
        "Rio de Janeiro",
        "Les Misérables",
        "Der Name der Rose",
        "Søren Kierkegaard",
        "Antonín Dvořák",
        "Цюрих",
        "東京",
    ],
)
def test_names_and_titles_are_read_by_every_model(name):
    # py3langid is sure of the first five: Portuguese, French, German, Danish, Czech.
    assert may_be_name(name)
    assert not in_other_language(pair_up([name], [ENGLISH]), signature_of("all-MiniLM-L6-v2")).any()


def test_texts_in_other_scripts_are_no_names_that_an_english_model_could_read():
    assert not may_be_name("iPhone 很好用，就是太贵了")
    pairs = pair_up(["不是很好吃，价格也太贵了"], [ENGLISH])
    assert in_other_language(pairs, signature_of("all-MiniLM-L6-v2")).all()
