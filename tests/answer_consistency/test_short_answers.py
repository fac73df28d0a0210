"""Short answers: categories, wordings of one answer, and the same words."""

import pytest

from semscale.answer_consistency.short_answers import (
    SAME_ANSWER,
    ShortAnswerGuard,
    differing_members,
    differing_words,
    is_same_short_answer,
    is_short_answer,
    same_answer_cosine,
)
from semscale.signature import Signature
from semscale.weights.known import KNOWN


def signature(name):
    model = KNOWN[name]
    return Signature.of("embed", model=f"{name}#{model.sums[model.weights][:12]}")


@pytest.mark.parametrize(("name", "bound"), [("all-MiniLM-L6-v2", SAME_ANSWER), ("e5-small", 0.93)])
def test_a_known_model_has_a_fixed_bound_regardless_of_the_floor(name, bound):
    assert [same_answer_cosine(signature(name), floor) for floor in (0.0, 0.9)] == [bound, bound]


def test_the_float32_form_of_a_known_model_on_the_hub_has_the_same_bound():
    on_hub = Signature.of("embed", model="intfloat/multilingual-e5-small#0")
    assert same_answer_cosine(on_hub, 0.8) == 0.93


def test_the_bound_of_an_unknown_model_is_above_the_floor():
    other = Signature.of("embed", model="organisation/other#0")
    # .2 + .7 x .8 = .76 is less than MiniLM's own bound; .9 + .7 x .1 = .97.
    result = [same_answer_cosine(other, floor) for floor in (0.2, 0.9)]
    assert result == pytest.approx([SAME_ANSWER, 0.97])


def test_two_answers_differ_below_the_bound_alone():
    guard = ShortAnswerGuard()
    assert guard.check("Paris", "London", 0.89) == []
    assert [item.kind for item in guard.check("Paris", "London", 0.89, 0.93)] == ["other-answer"]


def kinds(answer, sample, cosine, **settings):
    return [item.kind for item in ShortAnswerGuard().check(answer, sample, cosine, **settings)]


def test_members_of_a_category_differ_regardless_of_their_cosine():
    assert kinds("The apple is red.", "The apple is blue.", 0.9) == ["other-answer"]
    assert kinds("Monday", "Tuesday", 0.87) == ["other-answer"]
    assert kinds("My favourite colour is grey.", "Gray", 0.6) == []
    assert kinds("It is not red.", "It is blue.", 0.7) == []


@pytest.mark.parametrize(
    ("answer", "sample", "differing"),
    [
        ("The animal is a dog.", "The animal is a cat.", ("dog", "cat")),
        ("Mars is the largest planet.", "Jupiter is the largest planet.", ("mars", "jupiter")),
        ("The animal is a dog.", "The animal is a big dog.", None),  # says more, nothing else
        ("A red car stopped.", "A fast car stopped.", None),  # differs in the middle
        ("The animal is a dog.", "The animal is not a cat.", None),
        ("dog", "cat", None),
        ("It has eight legs.", "A spider has eight legs.", None),  # "it" names nothing
        ("The animal is a dog.", "The animal is something.", None),
        ("It is a dog.", "It is a cat.", None),  # the shared words do not count
        ("The animal is a dog.", "The animal is an old cat.", None),  # two other words
        ("Bulb A is in a path.", "Bulb A is in a circuit.", None),  # neither names what it is
        ("The animal is a dog.", "The animal is an ox.", ("dog", "ox")),
    ],
)
def test_answers_of_the_same_wording_differ_in_these_terms(answer, sample, differing):
    assert differing_words(answer, sample) == differing


def test_answers_of_the_same_wording_differ_if_their_differing_terms_are_unlike():
    pair = "The animal is a dog.", "The animal is a cat."
    assert kinds(*pair, 0.9, differing_cosine=0.66) == ["other-answer"]
    assert kinds(*pair, 0.9, differing_cosine=0.8) == []
    assert kinds(*pair, 0.9) == []


@pytest.mark.parametrize(
    ("item", "other", "result"),
    [
        ("red", "blue", ("red", "blue")),
        ("a scarlet cap", "a red cap", None),
        ("it is on monday", "tuesday it is", ("monday", "tuesday")),
        ("red and white", "white", None),
        ("red", "round", None),
        ("in the autumn", "in the fall", None),
        ("gold", "lead", ("gold", "lead")),  # no two colours, but two elements
    ],
)
def test_texts_that_name_different_members_of_a_category_differ(item, other, result):
    assert differing_members(item.split(), other.split()) == result


@pytest.mark.parametrize(
    ("item", "other", "same"),
    [
        ("Paris", "It is Paris.", True),
        ("red", "Red!", True),
        ("dog", "dogs", True),
        ("red", "blue", False),
        ("Paris", "It is not Paris.", False),
        ("8", "eight emails", False),
        ("no", "not", False),
        ("It is.", "it is", True),
        ("?", "?", True),
        ("?", "!", False),
        ("-5", "5", False),
        ("−5", "-5", True),
        ("- Paris", "Paris", True),
        ("5 - 3", "5–3", True),
        ("x > 2", "x < 2", False),
        ("x != 5", "x = 5", False),
        ("$5", "5%", False),
        ("5 %", "5%", True),
        (".5", "5", False),
        ("1/2", "1 2", False),
        ("B-", "B", False),
        ("**5**", "5", True),
        ("Before lunch", "After lunch", False),
        ("all students", "few students", False),
        ("most patients", "some patients", False),
        ("to London", "from London", False),
        ("above zero", "below zero", False),
        ("C", "C++", False),
        ("C", "C#", False),
        ("C++", "C#", False),
        ("vitamin A", "vitamin", False),
        ("Option A", "option", False),
        ("A1", "1", False),
        ("A cat", "the cat", True),
        ("a few", "few", False),
        ("World War I", "World War", False),
        ("this one", "that one", False),
        ("IT department", "department", False),
        ("There are 8.", "8", True),
    ],
)
def test_short_answers_are_compared_in_normalised_form(item, other, same):
    assert is_same_short_answer(item, other) is same


def test_an_answer_is_short_up_to_three_content_terms():
    assert is_short_answer("The capital of France is Paris.")
    assert not is_short_answer("The old capital of France is Paris.")
