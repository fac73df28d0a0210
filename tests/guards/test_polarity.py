"""Signs of content words: negations, their reach, and sides of opposites."""

import pytest

from semscale.guards.polarity import read_polarity
from semscale.guards.words import TextWords, stem


def signs(text):
    return {mention.key: mention.sign for mention in read_polarity(TextWords(text)).mentions}


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("the lamp is lit", set()),
        ("the lamp is not lit", {"lit"}),
        ("no fever, chills, or cough", {"fever", "chills", "cough"}),
        ("without a battery, the lamp works", {"battery"}),
        ("it is not only cheap", set()),
        ("at least five people never came", {"come"}),
        ("fever is absent", {"fever"}),
    ],
)
def test_negations_reach_to_the_end_of_their_clause_or_list(text, negated):
    polarity = read_polarity(TextWords(text))
    assert {mention.key for mention in polarity.mentions if mention.sign < 0 and mention.cues} == {
        stem(word) for word in negated
    }


@pytest.mark.parametrize(
    ("one", "other"), [("not disconnected", "connected"), ("not open", "closed"), ("never unsafe", "safe")]
)
def test_a_negation_and_an_opposite_have_one_sign(one, other):
    ours, theirs = signs(one), signs(other)
    shared = ours.keys() & theirs.keys()
    assert shared
    assert all(ours[key] == theirs[key] for key in shared)


def test_keys_by_sign():
    polarity = read_polarity(TextWords("the lamp is lit, the bulb is not lit"))
    assert polarity.has(stem("lamp"), 1)
    assert polarity.has("lit", 1)
    assert polarity.has("lit", -1)
    assert not polarity.speaks_of("wire")


def test_the_noun_after_a_word():
    polarity = read_polarity(TextWords("a large dog. It barks"))
    large = next(mention for mention in polarity.mentions if mention.at == 1)
    dog = next(mention for mention in polarity.mentions if mention.at == 2)
    assert (polarity.noun_after(large), polarity.noun_after(dog)) == ("dog", "")
